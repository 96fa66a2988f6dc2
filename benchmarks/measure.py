"""Timing on a machine that other jobs use too: CPU time, rounds that alternate between candidates, medians."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen import Kernel
from locomotor.codegen.kernel import Compiled

Sampler = Callable[[], float]
"""Takes one sample and returns seconds a unit (an evaluation, a step, a run)."""

ROUND_SECONDS = 0.03
ROUNDS = 11


@dataclass(frozen=True)
class Timing:
    """Samples of one candidate in seconds a unit, one for each round."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """The typical sample."""
        return statistics.median(self.samples)

    @property
    def best(self) -> float:
        """The sample least disturbed."""
        return min(self.samples)

    def over(self, other: Timing) -> float:
        """Median of the ratios to another candidate, each from the two samples of the same round."""
        return statistics.median(a / b for a, b in zip(self.samples, other.samples, strict=True))


def sampler(call: Callable[[], object], units: int = 1) -> Sampler:
    """Samples of a call that does `units` units of work, repeated for about ROUND_SECONDS a sample."""
    call()
    start = time.process_time()
    call()
    loops = max(1, round(ROUND_SECONDS / max(time.process_time() - start, 1e-7)))

    def sample() -> float:
        start = time.process_time()
        for _ in range(loops):
            call()
        return (time.process_time() - start) / (loops * units)

    return sample


def c_loop(kernel: Kernel, *arguments: NDArray[np.float64]) -> Sampler:
    """Samples of one evaluation inside the C loop over a batch, its arrays laid out beforehand: no Python in it."""
    arrays, batch = kernel.check(arguments)
    compiled = kernel._single
    if batch is None or not isinstance(compiled, Compiled):
        raise TypeError(f"{kernel!r}: this measures batches of compiled code")
    outputs = [np.empty((batch, port.size)) for port in kernel.traced.outputs]
    sample = sampler(compiled.prepare(arrays, outputs, batch), batch)

    def keeping_the_arrays(held: object = (arrays, outputs)) -> float:
        return sample()

    return keeping_the_arrays


def interleave(samplers: Mapping[str, Sampler], rounds: int = ROUNDS) -> dict[str, Timing]:
    """Every candidate once a round, so that a disturbance meets all of them; the first round only warms up."""
    taken: dict[str, list[float]] = {name: [] for name in samplers}
    for index in range(rounds + 1):
        for name, sample in samplers.items():
            seconds = sample()
            if index:
                taken[name].append(seconds)
    return {name: Timing(tuple(samples)) for name, samples in taken.items()}


def repeat(call: Callable[[], object], rounds: int) -> Timing:
    """Seconds of something that runs other programs, such as a compiler: their CPU time counts too."""
    samples = []
    for _ in range(rounds):
        start = cpu_seconds()
        call()
        samples.append(cpu_seconds() - start)
    return Timing(tuple(samples))


def cpu_seconds() -> float:
    """CPU time of this process and of those it has waited for."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


@contextmanager
def empty_cache() -> Iterator[None]:
    """Compiled code goes to an empty folder, as on the first day."""
    before = os.environ.get("LOCOMOTOR_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LOCOMOTOR_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["LOCOMOTOR_CACHE"]
            else:
                os.environ["LOCOMOTOR_CACHE"] = before
