"""Maximal coordinates: a step of mechanisms whose conditions depend on each other, beside one by eigenvalues."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from measure import interleave
from report import Figure, Topic, seconds, small

import locomotor as lm
from locomotor.mechanics.chart import assembled
from locomotor.simulation.maximal import Maximal, dense
from locomotor.typing import Floats, Vector

STEPS = 20
STEP = 1e-3
MECHANISMS: tuple[tuple[str, Callable[[], lm.System]], ...] = (
    ("four-bar linkage", lm.catalogue.four_bar),
    ("Bricard's ring", lm.catalogue.bricard),
    ("row of three four-bars", lambda: lm.catalogue.four_bar_row(3)),
    ("delta robot", lm.catalogue.delta_robot),
    ("Stewart platform", lm.catalogue.stewart_platform),
)


def topic() -> Topic:
    """Measure."""
    return Topic(
        "Maximal coordinates",
        "One step of Runge-Kutta with its projections, every body free, every joint and loop a condition. Beside it the same "
        "step with the eigenvalues of J M⁻¹ Jᵀ in each stage, which tell what is redundant, with threads as numpy takes them.",
        tuple(of(name, make()) for name, make in MECHANISMS),
    )


def of(name: str, system: lm.System) -> Figure:
    """One mechanism."""
    motion = Maximal(system)
    q = assembled(system, system.nominal_pose())
    state = motion.projected(motion.state(q, np.zeros(system.layout.nv)))
    rank = len(motion.independent(q))

    def steps(solver: Callable[[Floats, int], dense.Solve]) -> tuple[float, Floats]:
        ours, dense.solver = dense.solver, solver
        try:
            moved, began = state, time.perf_counter()
            for k in range(STEPS):
                moved = motion.step(k * STEP, moved, STEP)
            return (time.perf_counter() - began) / STEPS, moved
        finally:
            dense.solver = ours

    pivots = dense.solver
    timings = interleave({"ours": lambda: steps(pivots)[0], "eigenvalues": lambda: steps(by_eigenvalues)[0]})
    apart = float(np.abs(steps(pivots)[1] - steps(by_eigenvalues)[1]).max())
    by = seconds(timings["eigenvalues"].median)
    note = f"{motion.graph.size} rows of rank {rank}; by eigenvalues {by}, apart by {small(apart)}"
    return Figure(f"{name}: a step", seconds(timings["ours"].median), note=note)


def by_eigenvalues(A: Floats, first: int) -> dense.Solve:
    """The solution with the smallest forces from the first row on, by the eigenvalues of A with a unit diagonal."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(A), 1e-300))
    values, vectors = np.linalg.eigh(A * np.outer(scale, scale))
    known = values > dense.RANK
    inverse = np.where(known, 1.0 / np.where(known, values, 1.0), 0.0)
    idle = scale[:, None] * vectors[:, ~known]
    chosen = idle @ np.linalg.pinv(idle[first:]) if idle.size else None

    def solve(right: Vector) -> Vector:
        found = scale * (vectors @ (inverse * (vectors.T @ (scale * right))))
        return np.asarray(found if chosen is None else found - chosen @ found[first:])

    return solve
