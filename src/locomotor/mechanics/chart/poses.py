"""Poses around a given one, and poses with given gaps: where pivots are tried out, on numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.mechanics.chart.assembly import assemble, impossible, largest
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.loops import sense_rows
from locomotor.mechanics.tree import Instant, Kinematics, forward, tangent_rate
from locomotor.model import System
from locomotor.typing import Floats, Vector

NEWTON_STEPS = 20
GAP_TOLERANCE = 1e-12
"""In metres: a few round-offs of a gap."""
RATE_TOLERANCE = 1e-12
"""A rate below this is round-off: a gap that cannot change (of a planar system) must not send the pose far away."""


def perturbed(system: System, q: Vector, size: float, generator: np.random.Generator) -> Vector:
    """A pose near q: vectors shifted and rotations turned by up to `size`."""
    manifold = system.layout.manifold
    return manifold.retract(q, generator.uniform(-size, size, manifold.tangent_size)) if manifold.blocks else q


def stepped(system: System, q: Vector, v: Vector) -> Vector:
    """The pose reached from q in a unit of time at the coordinate rates that the velocities v have there."""
    layout, values = system.layout, system.parameters.values
    tangent = [tangent_rate(joint, q[layout.q[joint.name]], v[layout.v[joint.name]], values) for joint in system.joints]
    tangent += [v[layout.v[body.name]] for body in system.bodies if body.coordinates]
    return system.layout.manifold.retract(q, np.concatenate(tangent))


TRIES = 4
"""Guesses beside a pose from which an assembly has failed."""
ASIDE = 0.3
"""How far they are beside it (m, rad)."""


def gaps(system: System, q: Vector, time: float = 0.0) -> tuple[Vector, Floats]:
    """Gaps of contacts, positions of couplings and loops at a pose and an instant, and the rows N of their rates N v."""
    with np.errstate(all="ignore"):  # where two ends of a rod are in one point, what comes out is no number: callers look
        return _stacked(constraint_set(_at(system, q, time)).conditions, system)


def mirrored(system: System, q: Vector, time: float = 0.0) -> bool:
    """Whether a closure that keeps bodies from turning holds one of them half a turn away from where it belongs."""
    return any(row.gap > 1.0 for row in sense_rows(_at(system, q, time)))


def _at(system: System, q: Vector, time: float) -> Kinematics:
    return forward(Instant(system, q, np.zeros(system.layout.nv), time))


def _stacked(rows: Sequence[Any], system: System) -> tuple[Vector, Floats]:
    if not rows:
        return np.zeros(0), np.zeros((0, system.layout.nv))
    return np.array([row.gap for row in rows]), np.array([row.normal_row for row in rows])


def settled(system: System, q: Vector, wanted: Vector, fixed: tuple[int, ...] = (), time: float = 0.0) -> Vector | None:
    """The pose near q that has the wanted gaps, by Newton's method; None if it is not found.

    Each step is the smallest one, so that gaps which depend on each other do no harm. Velocities in `fixed` stay zero.
    """
    for _ in range(NEWTON_STEPS):
        found, rates = gaps(system, q, time)
        if np.abs(found - wanted).max(initial=0.0) <= GAP_TOLERANCE:
            return q
        if not (np.isfinite(found).all() and np.isfinite(rates).all()):
            return None  # a disc that lies flat on its plane touches it nowhere in particular
        rates[:, list(fixed)] = 0.0
        rates[np.abs(rates) < RATE_TOLERANCE] = 0.0
        step: Vector = np.asarray(np.linalg.lstsq(rates, wanted - found, rcond=1e-9)[0], dtype=np.float64)
        q = stepped(system, q, step)
    return None


def assembled(system: System, q: Vector, fixed: tuple[int, ...] = (), time: float = 0.0) -> Vector:
    """The pose near q in which every gap and every loop is closed, from a rough guess; `AssemblyError` where there is none."""

    def conditions(pose: Vector) -> list[Any]:
        kinematics = _at(system, pose, time)
        with np.errstate(all="ignore"):
            return [*constraint_set(kinematics).conditions, *sense_rows(kinematics)]

    def look(pose: Vector) -> tuple[Vector, Floats]:
        found, rates = _stacked(conditions(pose), system)
        rates[:, list(fixed)] = 0.0
        return found, rates

    def closed_from(guess: Vector) -> tuple[Vector, Vector]:
        return assemble(guess, look, lambda place, step: stepped(system, place, step))

    pose, left = closed_from(q)
    generator = np.random.default_rng(0)
    for _ in range(TRIES):
        if largest(left) <= 100 * GAP_TOLERANCE:
            return pose
        # Bars that all lie in one line do not know which way to bend: a guess beside it does.
        aside = generator.uniform(-ASIDE, ASIDE, system.layout.nv)
        aside[list(fixed)] = 0.0
        tried, missed = closed_from(stepped(system, q, aside))
        if largest(missed) < largest(left):
            pose, left = tried, missed
    if largest(left) <= 100 * GAP_TOLERANCE:
        return pose
    remedy = "Check the lengths and the points of these, or give the system a nominal pose that is nearer to closed"
    raise impossible(f"system {system.name!r}", system, [row.name for row in conditions(q)], left, remedy)
