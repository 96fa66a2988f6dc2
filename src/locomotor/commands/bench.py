"""`locomotor bench`: how fast this machine derives, compiles and runs a system."""

import time
from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from locomotor import catalogue
from locomotor.commands.lookup import find_system
from locomotor.commands.terminal import output, print_json, progress, table
from locomotor.dataclass import dataclass
from locomotor.model import System
from locomotor.simulation import CompiledSystem, compile_stepping
from locomotor.tracing import trace
from locomotor.tracing.contacts import switching_of

STEPS = 200
LONGEST = 0.5
"""Seconds spent on one measurement."""


@dataclass(frozen=True)
class Timing:
    """What was measured of one system."""

    system: str
    operations: int
    derive_s: float
    compile_s: float
    step_us: float
    """One step within a compiled roll-out of one instance, microseconds: Runge-Kutta, or a step with events in it."""
    batch_us: float
    """One step of one instance in a batch, microseconds."""
    batch: int
    target: str

    @property
    def steps_per_second(self) -> float:
        """Steps of one core in a batch."""
        return 1e6 / self.batch_us


def bench(names: list[str], batch: int, as_json: bool) -> int:
    """Measure the named systems, or those of the catalogue."""
    chosen = names or [ready.name for ready in catalogue.systems()]
    with progress(len(chosen)) as steps:
        timings = []
        for name in chosen:
            steps.begin(name)
            timings.append(measure(find_system(name), name, batch))
            steps.done()
    if as_json:
        print_json([{**asdict(t), "steps_per_second": t.steps_per_second} for t in timings])
        return 0
    columns = ("operations", "derive (s)", "compile (s)", "one step (µs)", f"in a batch of {batch} (µs)", "steps/s a core")
    shown = table("system", *columns, "target", right=columns)
    for t in timings:
        shown.add_row(
            t.system,
            f"{t.operations:,}",
            f"{t.derive_s:.3f}",
            f"{t.compile_s:.3f}",
            f"{t.step_us:.3f}",
            f"{t.batch_us:.3f}",
            f"{t.steps_per_second:,.0f}",
            t.target,
        )
    out = output()
    out.print(shown)
    out.print("\none Runge-Kutta step in microseconds, within a compiled roll-out on one core (where contacts open and close,")
    out.print("a step with its events); compilation may come from the cache. Ratios against other libraries: make bench")
    return 0


def measure(system: System, name: str, batch: int) -> Timing:
    """Derive, compile and run one system."""
    began = time.perf_counter()
    compiled = compile_stepping(system, "events") if switching_of(system) else CompiledSystem(trace(system))
    operations = compiled.operations
    derived = time.perf_counter()
    state = compiled.start({})
    compiled.rollout(state, 1, 1e-4)
    built = time.perf_counter()
    one = _best(lambda: compiled.rollout(state, STEPS, 1e-4, save_every=STEPS))
    many = np.tile(state, (batch, 1))
    compiled.rollout(many, 1, 1e-4)
    all_of_them = _best(lambda: compiled.rollout(many, STEPS, 1e-4, save_every=STEPS))
    return Timing(
        system=name,
        operations=operations,
        derive_s=derived - began,
        compile_s=built - derived,
        step_us=1e6 * one / STEPS,
        batch_us=1e6 * all_of_them / (STEPS * batch),
        batch=batch,
        target=compiled.roller.target,
    )


def _best(work: Callable[[], object]) -> float:
    """Seconds of the quickest of several repetitions."""
    end = time.perf_counter() + LONGEST
    best = np.inf
    while time.perf_counter() < end:
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return float(best)
