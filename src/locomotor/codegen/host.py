"""Roll-outs stepped from Python over a whole batch: for interpreted dynamics, and for inputs computed in every stage.

The same methods, in the same order of operations, as `runtime/rollout.h`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from locomotor.codegen.manifold import FloatArray, Manifold
from locomotor.codegen.progress import FINISHED, MONITOR, NOT_FINITE, Plan, Progress, finite_rows

InputsOf = Callable[[int, float, FloatArray], FloatArray]
"""(step, time, states (batch, nx)) -> inputs (batch, nu)."""

PARTS = 4
"""Runge-Kutta steps in each of the first three steps of a multistep method."""

Rates = Callable[[float, FloatArray], tuple[FloatArray, FloatArray]]
"""(time, states) -> rates (batch, nd), monitors (batch, nm), the inputs being fixed."""


@dataclass(frozen=True)
class Problem:
    """What to integrate: dynamics and projection (or None) of (time, states, inputs), and where they live."""

    manifold: Manifold
    dynamics: Callable[[float, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
    projection: Callable[[float, FloatArray, FloatArray], FloatArray] | None


def roll_out(problem: Problem, progress: Progress, inputs_of: InputsOf, plan: Plan, every_stage: bool) -> None:
    """Integrate from `progress.final`; inputs are asked for once a step and held, or at every evaluation."""
    manifold = problem.manifold
    start, h = plan.start_time, plan.dt
    x = progress.final.copy()
    alive = finite_rows(x)
    progress.saved[:, 0] = x
    progress.stop(~alive, NOT_FINITE, 0)
    x[~alive] = 0.0
    history: list[FloatArray] = []
    with np.errstate(all="ignore"):
        for n in range(plan.steps):
            if not alive.any():
                break
            t = start + n * h
            inputs = inputs_of(n, t, x)
            evaluate = _stage_rates(problem, inputs_of, n) if every_stage else _held_rates(problem, inputs)
            rate, monitors = evaluate(t, x)
            for index in range(monitors.shape[1]):
                stopped = alive & ~(monitors[:, index] >= 0.0)
                progress.stop(stopped, MONITOR, n, index)
                alive &= ~stopped
            if plan.stepper != "rk4":
                history = [manifold.ambient_rate(x, rate), *history[:3]]
            if plan.stepper == "rk4":
                y = _step_rk4(manifold, evaluate, t, h, x, rate)
            elif n < 3:
                y = _step_first(manifold, evaluate, t, h, x, rate)
            else:
                y = _step_abm(manifold, evaluate, t, h, x, history, plan.stepper == "abm5")
            y = manifold.normalise(y)
            if problem.projection is not None:
                correction = problem.projection(start + (n + 1) * h, y, inputs)
                y = manifold.normalise(manifold.retract(y, correction))
            lost = alive & ~finite_rows(y)
            progress.stop(lost, NOT_FINITE, n)
            alive &= ~lost
            x = np.where(alive[:, None], y, x)
            if (n + 1) % plan.save_every == 0:
                progress.saved[alive, (n + 1) // plan.save_every] = x[alive]
    progress.stop(alive, FINISHED, plan.steps)
    good = finite_rows(progress.final)
    progress.final[good] = x[good]


def _held_rates(problem: Problem, inputs: FloatArray) -> Rates:
    return lambda t, x: problem.dynamics(t, x, inputs)


def _stage_rates(problem: Problem, inputs_of: InputsOf, step: int) -> Rates:
    return lambda t, x: problem.dynamics(t, x, inputs_of(step, t, x))


def _step_rk4(manifold: Manifold, rates: Rates, t: float, h: float, x: FloatArray, first: FloatArray) -> FloatArray:
    """Runge-Kutta-Munthe-Kaas of order 4 (Munthe-Kaas 1998, doi 10.1007/BF02510919) from the rate at x."""
    k, total = first, first * (1.0 / 6.0)
    for node, weight in ((0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)):
        delta = k * (node * h)
        rate, _ = rates(t + node * h, manifold.retract(x, delta))
        k = manifold.pull_back(delta, rate)
        total = total + k * weight
    return manifold.retract(x, total * h)


def _step_first(manifold: Manifold, rates: Rates, t: float, h: float, x: FloatArray, first: FloatArray) -> FloatArray:
    """One of the first steps of a multistep method, in PARTS Runge-Kutta steps; see `runtime/rollout.h`."""
    part = h / PARTS
    y = _step_rk4(manifold, rates, t, part, x, first)
    for n in range(1, PARTS):
        start = manifold.normalise(y)
        rate, _ = rates(t + n * part, start)
        y = _step_rk4(manifold, rates, t + n * part, part, start, rate)
    return y


def _step_abm(
    manifold: Manifold, rates: Rates, t: float, h: float, x: FloatArray, f: list[FloatArray], five: bool
) -> FloatArray:
    """Adams-Bashforth predictor of order 4, one Adams-Moulton correction of order 4 or 5; f[0] is the newest rate."""
    predicted = x + (55.0 * f[0] - 59.0 * f[1] + 37.0 * f[2] - 9.0 * f[3]) * (h / 24)
    rate, _ = rates(t + h, predicted)
    g = manifold.ambient_rate(predicted, rate)
    if five:
        return x + (251.0 * g + 646.0 * f[0] - 264.0 * f[1] + 106.0 * f[2] - 19.0 * f[3]) * (h / 720)
    return x + (9.0 * g + 19.0 * f[0] - 5.0 * f[1] + f[2]) * (h / 24)
