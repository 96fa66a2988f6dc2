"""Roll-outs of one state again and again: nothing is checked, and only what is saved is allocated."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from locomotor.codegen.driver import Job, job_of
from locomotor.codegen.kernel import address
from locomotor.codegen.results import Rollout
from locomotor.codegen.rollout_plan import Plan, Progress
from locomotor.codegen.threads import stop_here
from locomotor.typing import Floats


class BoundRollout:
    """Steps by an explicit method from one state, with inputs and parameters that stay; see `RolloutKernel.bind`.

    Interrupts are heard after a call: more steps than `longest` are for `RolloutKernel.run`.
    """

    def __init__(
        self, function: Any, stepper: str, sizes: tuple[int, int], inputs: Floats, parameters: Floats, longest: int
    ) -> None:
        self.longest = longest
        self._function = function
        self._size, self._width = sizes
        self._state = np.zeros((1, self._size))
        self._progress = Progress.start(self._state, 0, self._width)
        self._kept = inputs.reshape(1, 1, -1).copy(), parameters.reshape(1, -1).copy()
        plan = Plan(1, 1.0, stepper=stepper)
        self._job: Job = job_of(self._state, self._progress, *self._kept, plan, slice(0, 1), stop_here())
        self._call = ctypes.byref(self._job)
        self._few = np.zeros((2, self._width))

    def __call__(self, start_time: float, state: Floats, steps: int, dt: float) -> Rollout:
        """As `RolloutKernel.run`, without `times`."""
        saved = np.empty((steps + 1, self._width))
        saved.fill(np.nan)
        self._take(start_time, state, steps, dt, saved)
        progress = self._progress
        status, completed, monitor = int(progress.status[0]), int(progress.completed[0]), int(progress.monitor[0])
        return Rollout(None, saved, progress.final[0].copy(), progress.measures[0], status, completed, monitor)

    def after(self, start_time: float, state: Floats, dt: float) -> Floats | None:
        """The state after one step, or None where it fails: of trial steps, as in a search, nothing else is wanted."""
        self._take(start_time, state, 1, dt, self._few)
        return self._progress.final[0].copy() if self._progress.completed[0] else None

    def _take(self, start_time: float, state: Floats, steps: int, dt: float, saved: Floats) -> None:
        job, progress = self._job, self._progress
        self._state[0] = progress.final[0] = state
        progress.status[0], progress.completed[0], progress.monitor[0] = 0, 0, -1
        stop = stop_here()
        job.saved, job.steps, job.saves, job.start_time, job.dt = address(saved), steps, steps + 1, start_time, dt
        job.stop = stop.address
        self._function(self._call)
        stop.check()
