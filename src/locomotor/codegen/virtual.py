"""Functions and roll-outs on CasADi's virtual machine: some fifty times slower than machine code, and there at once.

For what is computed so briefly that a compiler would take longer: the pieces of a run that changes its pivots again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from locomotor.codegen.kernel import Kernel
from locomotor.codegen.program import Program
from locomotor.codegen.results import Rollout
from locomotor.codegen.rollout import RolloutKernel
from locomotor.tracing.core import Traced
from locomotor.typing import Floats


def virtual_kernel(traced: Traced) -> Kernel:
    """A traced function as it is."""
    evaluator = Virtual(traced)
    return Kernel(traced, "interpreter", "", evaluator, evaluator)


class Virtual:
    """Evaluator that keeps its buffers, which takes longer to make than to use."""

    def __init__(self, traced: Traced) -> None:
        self._buffer: Any
        self._buffer, self._trigger = traced.function.buffer()
        self._arguments = [np.zeros(port.size) for port in traced.inputs]
        self._results = [np.zeros(port.size) for port in traced.outputs]
        self._lock = Lock()
        for index, argument in enumerate(self._arguments):
            if argument.size:
                self._buffer.set_arg(index, argument.data)
        for index, result in enumerate(self._results):
            if result.size:
                self._buffer.set_res(index, result.data)

    def __call__(self, inputs: Sequence[Floats], batch: int) -> tuple[Floats, ...]:
        """Outputs as (batch, size) arrays."""
        outputs = tuple(np.empty((batch, result.size)) for result in self._results)
        with self._lock:
            for row in range(batch):
                for argument, given in zip(self._arguments, inputs, strict=True):
                    argument[:] = given if given.ndim == 1 else given[row]
                self._trigger()
                for output, result in zip(outputs, self._results, strict=True):
                    output[row] = result
        return outputs


class VirtualRollout(RolloutKernel):
    """Roll-outs of functions as they were traced: steps taken from Python, or those of a step map."""

    def __init__(self, program: Program) -> None:
        self.program, self.dynamics = program, program.dynamics
        self.lanes, self.target, self.operations = 1, "interpreter", 0
        self._driver, self._wide_for_batches = None, False
        self._virtuals: dict[int, Virtual] = {}

    @cached_property
    def implicit(self) -> VirtualRollout:
        """Roll-outs by implicit steps."""
        return VirtualRollout(self.program.implicit())

    def _kernel(self, traced: Traced) -> Any:
        virtual = self._virtuals.setdefault(id(traced), Virtual(traced))

        def evaluate(*inputs: Floats) -> tuple[Floats, ...]:
            batch = max((len(given) for given in inputs if given.ndim == 2), default=1)
            return virtual(inputs, batch)

        return evaluate


def patiently(
    virtual: RolloutKernel, compiled: Callable[[], Any], patience: int, state: Any, steps: int, dt: float, **options: Any
) -> Rollout:
    """One instance: the first steps, about `patience`, on the virtual machine, those after them, if any, in machine code.

    `compiled` makes the latter when it is called. What is done where depends on this call only, never on earlier ones, so
    that equal calls give equal bits.
    """
    every = options.get("save_every", 1)
    first = min(steps, max(1, patience // max(every, 1)) * max(every, 1))
    start = options.pop("start_time", 0.0)
    begun = virtual.run(state, first, dt, start_time=start, **options)
    if first == steps or int(begun.status):
        return begun
    rest = compiled().run(begun.final, steps - first, dt, start_time=start + first * dt, **options)
    return replace(
        rest,
        times=np.concatenate([begun.times, rest.times[1:]]),
        states=np.concatenate([begun.states, rest.states[1:]]),
        completed=rest.completed + first,
    )
