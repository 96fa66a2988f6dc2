"""Poses around a given one, and poses with given gaps: where pivots are tried out, on numbers."""

import numpy as np

from locomotor.mechanics.chart.assembly import assemble, impossible
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree import Instant, forward, tangent_rate
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
    rows = constraint_set(forward(Instant(system, q, np.zeros(system.layout.nv), time))).conditions
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

    def look(pose: Vector) -> tuple[Vector, Floats]:
        found, rates = gaps(system, pose, time)
        rates[:, list(fixed)] = 0.0
        return found, rates

    def closed_from(guess: Vector) -> tuple[Vector, Vector]:
        return assemble(guess, look, lambda place, step: stepped(system, place, step))

    pose, left = closed_from(q)
    generator = np.random.default_rng(0)
    for _ in range(TRIES):
        if np.abs(left).max(initial=0.0) <= 100 * GAP_TOLERANCE:
            return pose
        # Bars that all lie in one line do not know which way to bend: a guess beside it does.
        aside = generator.uniform(-ASIDE, ASIDE, system.layout.nv)
        aside[list(fixed)] = 0.0
        tried, missed = closed_from(stepped(system, q, aside))
        if np.abs(missed).max(initial=0.0) < np.abs(left).max(initial=0.0):
            pose, left = tried, missed
    if np.abs(left).max(initial=0.0) <= 100 * GAP_TOLERANCE:
        return pose
    names = [row.name for row in constraint_set(forward(Instant(system, q, np.zeros(system.layout.nv), time))).conditions]
    remedy = "Check the lengths and the points of these, or give the system a nominal pose that is nearer to closed"
    raise impossible(f"system {system.name!r}", names, left, remedy)
