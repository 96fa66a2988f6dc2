"""Random states at which constraints bind the velocities that follow from the reduced ones: elsewhere no equations hold."""

from __future__ import annotations

import numpy as np

from locomotor.errors import AssemblyError
from locomotor.mechanics import Reduction
from locomotor.mechanics.chart import assembled
from locomotor.tracing import TracedSystem
from locomotor.typing import Floats

WEAKER, TRIES = 30.0, 200
"""How many times weaker than in the nominal pose constraints may bind the velocities that follow from the reduced ones: a
linkage that is folded or stretched binds others, and its equations do not hold. So many poses are drawn until one is not."""


def binding(reduction: Reduction, rows: Floats) -> float:
    """The smallest singular value of the rows over the velocities that follow from the reduced ones."""
    bound = sorted(set(range(rows.shape[1] if rows.ndim == 2 else 0)) - {*reduction.free, *reduction.imposed})
    return float(np.linalg.svd(rows[:, bound], compute_uv=False).min()) if bound and rows.size else 1.0


def nominal(traced: TracedSystem) -> Floats:
    """The nominal pose, loops closed: as it is given it may be a rough guess, in which rows bind nothing."""
    system, pose = traced.system, traced.system.nominal_pose()
    return assembled(system, pose, traced.reduction.imposed) if system.loops else pose


def scattered(traced: TracedSystem, rng: np.random.Generator, spread: float) -> Floats:
    """A pose as far from the nominal one (m, rad), quaternions of unit length; loops are left open."""
    system = traced.system
    q = system.nominal_pose()
    for turning, place, _ in system.layout.manifold.slices():
        part = q[place] + rng.uniform(-spread, spread, q[place].shape)
        q[place] = part / np.linalg.norm(part) if turning else part
    return q


def closed_at(traced: TracedSystem, q: Floats, time: float) -> tuple[Floats, float]:
    """The pose near q with loops closed, and the instant (s) at which they are: zero where laws of time are out of reach."""
    system = traced.system
    if not system.loops:
        return q, time
    try:
        return assembled(system, q, traced.reduction.imposed, time), time
    except AssemblyError:
        return assembled(system, q, traced.reduction.imposed), 0.0
