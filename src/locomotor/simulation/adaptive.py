"""Adaptive steppers, such as SciPy's Dormand-Prince 8(5,3) on the compiled right-hand side, read off by dense output.

Quaternions are integrated as four numbers and normalised at the end of each step, which changes them by less than the
tolerance; dense output is normalised where it is read.
"""

from collections.abc import Callable, Sequence
from functools import singledispatch
from itertools import pairwise
from typing import Any

import numpy as np

from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.lie import Manifold
from locomotor.simulation.status import Outcome
from locomotor.simulation.steppers import Adaptive
from locomotor.typing import Vector

SIDE = 1e-10
"""How far beside a break laws of time are looked at (s)."""
LOOKED_AT, MOST_STEPS = 2000, 10_000_000
"""After every so many steps: a run that at this rate has more than so many ahead is given up as stiff."""


@dataclass(frozen=True, eq=False)
class AdaptiveResult:
    """Samples, and how the integration ended."""

    states: Vector
    """States at the first of the sample times, as many as were reached."""
    outcome: Outcome
    end_time: float
    end_state: Vector
    norm_error: float
    steps: int = 0
    path: tuple[Vector, Vector] | None = None
    """Instants and states of the steps themselves."""


@singledispatch
def solver_of(stepper: Adaptive, rate: Callable[[float, Vector], Vector], begin: float, state: Vector, end: float) -> Any:
    """The solver (an `OdeSolver` of SciPy with dense output) that takes the steps; other kinds of steppers register theirs."""
    from scipy.integrate import DOP853  # slow to load, and fixed steps do without it

    return DOP853(rate, begin, state, end, rtol=stepper.rtol, atol=stepper.atol, max_step=stepper.longest_step)


def integrate(
    kernel: Kernel,
    manifold: Manifold,
    state: Vector,
    samples: Vector,
    stepper: Adaptive,
    parameters: Vector,
    feedback: Callable[[float, Vector], Vector],
    breaks: Sequence[float] = (),
    passed: Callable[[Vector, Vector], bool] | None = None,
) -> AdaptiveResult:
    """Integrate from the first sample time to the last and read the solution at every sample time.

    Steps end at the breaks of laws of time, which are looked at a little beside them: from the left at the end of a step, from
    the right at the beginning of the next. Where `passed` is true of some samples (instants, states), an end of the motion lies
    before them and nothing is integrated beyond: what comes after a fall may be singular, and take for ever.
    """
    model = _Model(kernel, manifold, state, samples, parameters, feedback)
    start, end = float(samples[0]), float(samples[-1])
    side = SIDE * max(1.0, abs(start), abs(end))
    inner = [t for t in breaks if start + side < t < end - side]
    found = [np.array(state)]
    looked_at = start
    norm_error, taken, last_time, last_state = 0.0, 0, start, np.array(state)
    on_the_way: list[tuple[float, Vector]] = []

    def result(outcome: Outcome) -> AdaptiveResult:
        path = np.array([t for t, _ in on_the_way]), np.array([x for _, x in on_the_way]).reshape(-1, len(state))
        return AdaptiveResult(np.array(found), outcome, last_time, last_state, norm_error, taken, path)

    # One loop, with every way in which it ends in the order in which it is looked at.
    for begin, stop in pairwise((start, *inner, end)):
        model.sight = (begin + side if begin in breaks else begin, stop - side if stop in breaks else stop)
        solver = solver_of(stepper, model.rate, begin, last_state, stop)
        if not np.isfinite(solver.h_abs):  # rates that are no numbers give no step, and steps would be tried for ever
            return result(Outcome.NOT_FINITE)
        while solver.status == "running":
            before = last_time
            model.asked.clear()
            solver.step()
            taken += 1
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                return result(Outcome.STEP_TOO_SMALL if np.isfinite(solver.y).all() else Outcome.NOT_FINITE)
            dense = solver.dense_output()
            end_state = model.clean(solver.y)
            norm_error = max(norm_error, float(np.abs(end_state - solver.y).max()))
            solver.y = end_state
            solver.f = model.rate(solver.t, end_state)
            beyond = model.beyond(dense, solver.t)
            over = beyond is not None
            reached = solver.t if beyond is None else model.vanishing(dense, before, beyond)
            known = len(found)
            while len(found) < len(samples) and samples[len(found)] <= reached:
                found.append(model.clean(dense(samples[len(found)])))
            last_time, last_state = float(reached), model.clean(dense(reached)) if over else end_state
            on_the_way.append((last_time, last_state))
            if over:
                return result(Outcome.SINGULAR)
            if passed and len(found) > known and passed(samples[known : len(found)], np.array(found[known:])):
                return result(Outcome.ENDED)
            if taken % LOOKED_AT == 0:
                if end - solver.t > MOST_STEPS * (solver.t - looked_at) / LOOKED_AT:
                    return result(Outcome.STIFF)
                looked_at = solver.t
    return result(Outcome.COMPLETED)


class _Model:
    """The compiled right-hand side as a solver of SciPy asks for it."""

    def __init__(
        self,
        kernel: Kernel,
        manifold: Manifold,
        state: Vector,
        samples: Vector,
        parameters: Vector,
        feedback: Callable[[float, Vector], Vector],
    ) -> None:
        self._manifold, self._feedback = manifold, feedback
        self._bound = kernel.bind(samples[:1], state, feedback(float(samples[0]), state), parameters)
        self.sight = (float(samples[0]), float(samples[-1]))
        """Instants between which laws of time are looked at."""
        self.asked: list[tuple[float, float]] = []
        """Instants at which rates were asked for in this step, and the smallest pivots there."""

    def rate(self, t: float, x: Vector) -> Vector:
        """Derivative of the state, quaternions as four numbers."""
        t = min(max(t, self.sight[0]), self.sight[1])
        bound = self._bound
        bound.inputs[0][0] = t
        bound.inputs[1][:] = x
        bound.inputs[2][:] = self._feedback(t, x)
        bound()
        self.asked.append((t, self.margin))
        return self._manifold.ambient_rate(x[None], bound.outputs[0][None])[0]

    @property
    def margin(self) -> float:
        """The smallest pivot where the rate was asked for last; infinite where there is none."""
        return float(self._bound.outputs[1].min(initial=np.inf))

    def beyond(self, dense: Callable[[float], Vector], end: float) -> float | None:
        """The first instant of a step at which a pivot is found to be negative; None where none is, the end being the last.

        Stages of the step are looked at too, and what the step makes of them there: it may end where the pivot is positive
        again. Tries that were too long went on beyond the end of the step; what was asked for before them does not count.
        """
        last = max((k for k, (t, _) in enumerate(self.asked) if t > end), default=-1)
        for t, margin in sorted(self.asked[last + 1 :]):
            if margin < 0.0:
                self.rate(t, self.clean(dense(t)))
                if self.margin < 0.0:
                    return t
        return None

    def clean(self, x: Vector) -> Vector:
        """The state with quaternions of length one."""
        return self._manifold.normalise(x[None])[0]

    def vanishing(self, dense: Callable[[float], Vector], low: float, high: float) -> float:
        """The instant within a step at which the smallest pivot vanishes, from the left."""
        for _ in range(60):
            middle = 0.5 * (low + high)
            self.rate(middle, self.clean(dense(middle)))
            low, high = (middle, high) if self.margin >= 0.0 else (low, middle)
        return low
