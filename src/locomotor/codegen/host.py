"""Roll-outs stepped from Python over a whole batch: for interpreted dynamics, and for inputs computed in every stage.

The same methods, in the same order of operations, as `runtime/rollout.h`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from locomotor.codegen.host_implicit import ImplicitSteps, Rates, SlopesAt, with_negative
from locomotor.codegen.rollout_plan import FINISHED, MONITOR, NO_STATE, NOT_FINITE, UNSOLVED, Plan, Progress, finite_rows
from locomotor.dataclass import dataclass
from locomotor.lie import LEFT, Manifold, step_rk4
from locomotor.typing import Flags, Floats

InputsOf = Callable[[int, float, Floats], Floats]
"""(step, time, states (batch, nx)) -> inputs (batch, nu)."""

Law = Callable[[list[float]], list[float]]
"""What a program senses at one state -> inputs."""

ON, SIDE, MAP_SIDE = 1e-9, 1e-10, 1e-13
"""A break this near to an end of a step, in steps, is at it; laws are looked at this far beside it (s); as in `rollout.h`."""
PARTS = 4
"""Runge-Kutta steps in each of the first three steps of a multistep method."""

Function = Callable[[float, Floats, Floats], Floats]
"""(time, states, inputs) -> values, all with the batch in front."""


@dataclass(frozen=True)
class Problem:
    """What to integrate, as functions of (time, states, inputs), and where it lives; see `program.Program`.

    `dynamics` gives rates and monitors; `step`, of (time, length, states, inputs), the next states and monitors: one of the
    two is there.
    """

    manifold: Manifold
    dynamics: Callable[[float, Floats, Floats], tuple[Floats, Floats]] | None
    projection: Function | None = None
    step: Callable[[float, float, Floats, Floats], tuple[Floats, Floats]] | None = None
    observation: Function | None = None
    measure: Function | None = None
    reductions: tuple[str, ...] = ()
    pivots: int = 0
    """Monitors, the first ones, that hold in every stage of a step."""
    slopes: Function | None = None
    """Slopes of the rates (batch, nd, nd), for implicit steps."""
    patience: int = 0
    """Rounds of Newton's method after which they are renewed; see `implicit.patience_of`."""


def roll_out(problem: Problem, progress: Progress, inputs_of: InputsOf, plan: Plan, every_stage: bool) -> None:
    """Integrate from `progress.final`; inputs are asked for once a step and held, or at every evaluation."""
    manifold = problem.manifold
    start, h = plan.start_time, plan.dt
    x = progress.final.copy()
    finite = finite_rows(x)
    sound = finite & manifold.is_state(np.where(finite[:, None], x, 0.0))
    alive = sound.copy()
    recorder = _Recorder(problem, progress, plan)
    history: list[Floats] = []
    breaks, since = list(plan.breaks), 0
    implicit = None if plan.implicit is None else ImplicitSteps(plan.implicit, manifold, problem.patience)
    with np.errstate(all="ignore"):
        inputs = inputs_of(0, start, np.where(alive[:, None], x, 0.0))
        recorder.save(0, start, x, inputs, np.ones_like(alive))
        progress.stop(~alive, NO_STATE, 0)
        progress.stop(~finite, NOT_FINITE, 0)
        x[~alive] = 0.0
        recorder.measure(start, x, inputs, alive)
        for n in range(plan.steps):
            if not alive.any():
                break
            t = start + n * h
            if n:
                inputs = inputs_of(n, t, x)
            parts = list(_parts(t, start + (n + 1) * h, h, breaks, SIDE if problem.step is None else MAP_SIDE))
            since = 0 if len(parts) > 1 or parts[0].first > parts[0].t else since
            y, monitors = x, np.zeros((len(x), 0))
            unsolved = np.zeros_like(alive)
            for part in parts:
                if problem.step is not None:
                    length = part.h - (part.first - part.t) - (part.t + part.h - part.last) if plan.breaks else h
                    y, watched = problem.step(part.first, length, y, inputs)
                else:
                    evaluate = _stage_rates(problem, inputs_of, n) if every_stage else _held_rates(problem, inputs)
                    if plan.breaks:
                        evaluate = _within(evaluate, part)
                    if implicit is not None:
                        slopes, begins = _slopes(problem, inputs_of if every_stage else None, n, inputs, part), since == 0
                        tried = alive & ~unsolved
                        y, watched, failed = implicit.step(evaluate, slopes, begins, part.t, part.h, y, tried, problem.pivots)
                        unsolved |= failed
                    else:
                        rate, watched = evaluate(part.t, y)
                        if plan.stepper != "rk4":
                            history = [manifold.ambient_rate(y, rate), *history[:3]]
                        seen: list[Floats] = []
                        stages = _watching(evaluate, seen)
                        if plan.stepper == "rk4":
                            y = _step_rk4(manifold, stages, part.t, part.h, y, rate)
                        elif since < 3:
                            y = _step_first(manifold, stages, part.t, part.h, y, rate)
                        else:
                            y = _step_abm(manifold, stages, part.t, part.h, y, history, plan.stepper == "abm5")
                        for later in seen:
                            watched = with_negative(watched, later, problem.pivots, LEFT if plan.stepper == "rk4" else 0.0)
                        y = manifold.normalise(y)
                monitors = np.where(watched >= 0.0, monitors, watched) if part is not parts[0] else watched
            since = since + 1 if len(parts) == 1 else 0
            for index in range(monitors.shape[1]):
                stopped = alive & ~(monitors[:, index] >= 0.0)
                progress.stop(stopped, MONITOR, n, index)
                alive &= ~stopped
            end = start + (n + 1) * h
            if problem.projection is not None:
                correction = problem.projection(end, y, inputs)
                y = manifold.normalise(manifold.retract(y, correction))
            progress.stop(alive & unsolved, UNSOLVED, n)
            alive &= ~unsolved
            lost = alive & ~finite_rows(y)
            progress.stop(lost, NOT_FINITE, n)
            alive &= ~lost
            x = np.where(alive[:, None], y, x)
            recorder.measure(end, x, inputs, alive)
            recorder.save(n + 1, end, x, inputs, alive)
    progress.stop(alive, FINISHED, plan.steps)
    progress.final[sound] = x[sound]


@dataclass(frozen=True)
class _Part:
    """Part of a step: begin, length, and the first and last instant at which laws of time are looked at; see `span.h`."""

    t: float
    h: float
    first: float
    last: float


def _parts(t: float, end: float, h: float, breaks: list[float], beside: float) -> Iterator[_Part]:
    """A step in parts that end at the breaks within, which are taken from the list; as `lm_advance_through`."""
    near, begin, cut_before, whole = ON * h, t, False, True
    while breaks and breaks[0] <= t + near:
        cut_before |= breaks.pop(0) >= t - near
    while True:
        cut = bool(breaks) and breaks[0] <= end + near
        last = not cut or breaks[0] >= end - near
        stop = end if last else breaks[0]
        length = h if whole and last else stop - begin
        side = min(beside * max(1.0, abs(stop)), 1e-3 * length)
        yield _Part(begin, length, begin + side if cut_before else begin, stop - side if cut else begin + length)
        if last:
            return
        begin, cut_before, whole = breaks.pop(0), True, False


def _within(rates: Rates, part: _Part) -> Rates:
    """Rates that see no instant beyond those of a part."""
    return lambda t, x: rates(min(max(t, part.first), part.last), x)


class _Recorder:
    """Saves rows and reduces measures, as `runtime/rollout.h` and `runtime/reduce.h` do."""

    def __init__(self, problem: Problem, progress: Progress, plan: Plan) -> None:
        self._problem = problem
        self._progress = progress
        self._plan = plan
        self._before: Floats | None = None

    def save(self, n: int, t: float, x: Floats, inputs: Floats, which: Flags) -> None:
        """Save the state after n steps, if this one is to be saved."""
        every, observe = self._plan.save_every, self._problem.observation
        if every and n % every == 0:
            rows = x if observe is None else observe(t, x, inputs)
            self._progress.saved[which, n // every] = rows[which]

    def measure(self, t: float, x: Floats, inputs: Floats, alive: Flags) -> None:
        """Take another state into the reductions."""
        if self._problem.measure is None:
            return
        value = self._problem.measure(t, x, inputs)
        before, result, h = self._before, self._progress.measures, self._plan.dt
        for i, kind in enumerate(self._problem.reductions):
            new, old = value[:, i], result[:, i]
            last = new if before is None else before[:, i]
            if kind == "first_time":
                time = t if before is None else t - new / (new - last) * h
                found = np.where((new >= 0.0) & np.isnan(old), time, old)
            elif kind == "integral":
                found = np.zeros_like(new) if before is None else old + (last + new) * (0.5 * h)
            elif kind == "final" or before is None:
                found = new
            else:
                found = np.fmax(old, new) if kind == "maximum" else np.fmin(old, new)
            result[:, i] = np.where(alive, found, old)
        self._before = value


def _held_rates(problem: Problem, inputs: Floats) -> Rates:
    dynamics = problem.dynamics
    assert dynamics is not None
    return lambda t, x: dynamics(t, x, inputs)


def _stage_rates(problem: Problem, inputs_of: InputsOf, step: int) -> Rates:
    dynamics = problem.dynamics
    assert dynamics is not None
    return lambda t, x: dynamics(t, x, inputs_of(step, t, x))


def _slopes(problem: Problem, inputs_of: InputsOf | None, step: int, held: Floats, part: _Part) -> SlopesAt:
    """Slopes with the inputs of a step, or of each state; no instant beyond those of the part is looked at."""
    slopes = problem.slopes
    assert slopes is not None

    def at(t: float, x: Floats) -> Floats:
        t = min(max(t, part.first), part.last)
        return slopes(t, x, held if inputs_of is None else inputs_of(step, t, x))

    return at


def _watching(rates: Rates, seen: list[Floats]) -> Rates:
    """Rates that keep the monitors of every evaluation."""

    def at(t: float, x: Floats) -> tuple[Floats, Floats]:
        rate, watched = rates(t, x)
        seen.append(watched)
        return rate, watched

    return at


def _step_rk4(manifold: Manifold, rates: Rates, t: float, h: float, x: Floats, first: Floats) -> Floats:
    """Runge-Kutta 4 from the rate at x."""
    return np.asarray(step_rk4(lambda s, y: rates(t + s, y)[0], first, h, x, manifold.retract, manifold.pull_back))


def _step_first(manifold: Manifold, rates: Rates, t: float, h: float, x: Floats, first: Floats) -> Floats:
    """One of the first steps of a multistep method, in PARTS Runge-Kutta steps; see `runtime/rollout.h`."""
    part = h / PARTS
    y = _step_rk4(manifold, rates, t, part, x, first)
    for n in range(1, PARTS):
        start = manifold.normalise(y)
        rate, _ = rates(t + n * part, start)
        y = _step_rk4(manifold, rates, t + n * part, part, start, rate)
    return y


def _step_abm(manifold: Manifold, rates: Rates, t: float, h: float, x: Floats, f: list[Floats], five: bool) -> Floats:
    """Adams-Bashforth predictor of order 4, one Adams-Moulton correction of order 4 or 5; f[0] is the newest rate."""
    predicted = x + (55.0 * f[0] - 59.0 * f[1] + 37.0 * f[2] - 9.0 * f[3]) * (h / 24)
    rate, _ = rates(t + h, predicted)
    g = manifold.ambient_rate(predicted, rate)
    if five:
        return x + (251.0 * g + 646.0 * f[0] - 264.0 * f[1] + 106.0 * f[2] - 19.0 * f[3]) * (h / 720)
    return x + (9.0 * g + 19.0 * f[0] - 5.0 * f[1] + f[2]) * (h / 24)
