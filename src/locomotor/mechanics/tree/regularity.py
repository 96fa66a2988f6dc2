"""Whether inertia resists every motion: bodies may be points or rods as long as the mass matrix of what moves is regular."""

from typing import Any

import numpy as np

from locomotor.errors import InertiaDefinitenessError
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.model import Body, System
from locomotor.typing import Floats

SINGULAR = 1e-10
"""Smallest eigenvalue of a mass matrix scaled to a unit diagonal, below which it is singular."""


def pointlike(system: System) -> tuple[str, ...]:
    """Bodies with no inertia about some axis through their centre."""
    found = []
    for body in system.bodies:
        if isinstance(body, Body):
            inertia = np.asarray(body.mass_properties(system.parameters.values)[2], dtype=float)
            if np.linalg.eigvalsh(inertia)[0] <= 1e-12 * np.abs(inertia).max():
                found.append(body.name)
    return tuple(found)


def check_regular(system: System, pose: Floats, kernel: Floats, free: tuple[int, ...]) -> None:
    """Raise if points or rods leave a motion without inertia: H^T M H is singular, H the kernel of the constraints."""
    points = pointlike(system)
    if not points or not free:
        return
    M: Any = mass_matrix(forward(Instant(system, pose, np.zeros(system.layout.nv))))
    reduced = kernel.T @ np.asarray(M, dtype=float) @ kernel
    size = np.sqrt(np.maximum(np.diag(reduced), 0.0))
    names = [system.layout.velocities[index].name for index in free]
    idle = [name for name, value in zip(names, size, strict=True) if not value > SINGULAR * size.max()]
    if not idle:
        values, vectors = np.linalg.eigh(reduced / np.outer(size, size))
        if values[0] > SINGULAR:
            return
        idle = [name for name, share in zip(names, np.abs(vectors[:, 0]), strict=True) if share > 0.1]
    raise InertiaDefinitenessError(
        f"system {system.name!r}: no inertia resists {', '.join(idle)}: {', '.join(repr(name) for name in points)} "
        f"{'has' if len(points) == 1 else 'have'} no inertia about some axis; give pointlike and slender bodies their small "
        "moments, or take away the joint that lets them turn about it"
    )
