"""Random bodies, poses and velocities, and motion along them, shared by the tests of the mechanics."""

from typing import Any

import numpy as np

from locomotor.lie import SO3, ops, quaternion
from locomotor.mechanics.constraints.rows import ContactRows
from locomotor.mechanics.tree.joints import tangent_rate
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.model import Body, Free, Spherical, System
from oracles.mechanics import contact_rows

Array = Any
Rng = np.random.Generator


def unit(rng: Rng, n: int = 3) -> Array:
    """A random direction."""
    x = rng.normal(size=n)
    return x / np.linalg.norm(x)


def rotation(rng: Rng) -> Array:
    """A random rotation matrix."""
    return SO3.exp(rng.uniform(0.2, 3.0) * unit(rng)).matrix


def body(rng: Rng, name: str, offset: float = 0.3) -> Body:
    """A body of mass about one with its centre of mass anywhere near the origin and no symmetry."""
    # Moments of a random box of size about one: they respect the triangle inequality.
    mass, size = rng.uniform(0.5, 2.0), rng.uniform(0.4, 1.5, 3) ** 2
    moments = mass / 12.0 * (size.sum() - size)
    R = rotation(rng)
    return Body(name, mass, com=tuple(offset * rng.normal(size=3)), inertia=symmetrised(R @ np.diag(moments) @ R.T))


def symmetrised(A: Array) -> tuple[tuple[float, ...], ...]:
    """An exactly symmetric matrix as rows, as the model takes it."""
    return tuple(tuple(float(x) for x in row) for row in 0.5 * (A + A.T))


def coordinates(system: System, rng: Rng, size: float = 1.0) -> Array:
    """Random coordinates: quaternions of any orientation, everything else of the given size."""
    parts = []
    for block in system.layout.manifold.blocks:
        parts.append(unit(rng, 4) if block[0] == "quaternion" else size * rng.normal(size=block[1]))
    return np.concatenate(parts) if parts else np.zeros(0)


def coordinate_rate(system: System, q: Array, v: Array) -> Array:
    """Time derivative of all coordinates, quaternions included, on any kind of scalar."""
    layout, parts = system.layout, []
    for joint in system.joints:
        q_j, u_j = q[layout.q[joint.name]], v[layout.v[joint.name]]
        if not joint.nv:
            continue
        rate = tangent_rate(joint, q_j, u_j, system.parameters.values)
        if isinstance(joint, Free):
            rate = ops.concat(rate[0:3], quaternion.rate(q_j[3:7], rate[3:6]))
        elif isinstance(joint, Spherical):
            rate = quaternion.rate(q_j, rate)
        parts.append(rate)
    parts += [v[layout.v[owner.name]] for owner in system.bodies if owner.coordinates]
    return ops.concat(*parts)


def moved(system: System, q: Array, v: Array) -> Array:
    """Coordinates after a unit of time at about the velocity v: one step of a retraction, for Newton's method."""
    after = q + coordinate_rate(system, q, v)
    start = 0
    for block in system.layout.manifold.blocks:
        if block[0] == "quaternion":
            after[start : start + 4] /= np.linalg.norm(after[start : start + 4])
        start += 4 if block[0] == "quaternion" else block[1]
    return after


def rows_at(system: System, q: Array, v: Array | None = None) -> tuple[ContactRows, ...]:
    """Rows of the contacts at a state, with every joint where it is."""
    return contact_rows(forward(Instant(system, q, np.zeros(system.layout.nv) if v is None else v)))


def touching(system: System, q: Array, fixed: tuple[int, ...] = ()) -> Array:
    """The nearby pose with all gaps zero, by Newton's method; velocities in `fixed` are left alone."""
    for _ in range(30):
        rows = rows_at(system, q)
        gaps = np.array([row.gap for row in rows])
        if np.abs(gaps).max() < 1e-15:
            break
        rates = np.array([row.normal_row for row in rows])
        rates[:, list(fixed)] = 0.0
        rates[np.abs(rates) < 1e-12] = 0.0  # round-off where a gap cannot change
        q = moved(system, q, -np.linalg.lstsq(rates, gaps, rcond=1e-9)[0])
    assert np.abs(gaps).max() < 1e-14
    return q
