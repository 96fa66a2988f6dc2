"""What tests ask of the mechanics and the library never does: all rows as one matrix, free forward dynamics, projections."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.constraints import ContactRows, constraint_set
from locomotor.mechanics.tree import Kinematics
from locomotor.mechanics.tree.articulated_body import hybrid_dynamics

Array = Any


def contact_rows(kinematics: Kinematics) -> tuple[ContactRows, ...]:
    """Rows of every contact of the system."""
    return constraint_set(kinematics).contacts


def constraint_matrix(rows: tuple[ContactRows, ...], nv: int) -> Array:
    """Rows of contacts as one matrix, contact after contact, in root axes."""
    if not rows:
        return np.zeros((0, nv))
    return ops.block([[contact.rows] for contact in rows])


def constraint_bias(rows: tuple[ContactRows, ...]) -> Array:
    """C_dot v of contacts, contact after contact, in root axes."""
    return ops.concat(*(contact.root_bias for contact in rows))


def forward_dynamics(
    kinematics: Kinematics, forces: Array, gravity: Array | None = None, wrenches: Mapping[int, Array] | None = None
) -> Array:
    """Accelerations v_dot of the free tree under generalised `forces`, gravity and applied wrenches."""
    return hybrid_dynamics(kinematics, forces, {}, gravity, wrenches)[0]


def rotation_from_angles(yaw: Any, roll: Any, pitch: Any) -> Array:
    """Rot_z(yaw) Rot_x(roll) Rot_y(pitch), numbers or symbols."""

    def turn(angle: Any, first: int, second: int) -> Array:
        rows = [[1.0 if i == j else 0.0 for j in range(3)] for i in range(3)]
        rows[first][first] = rows[second][second] = ops.cos(angle)
        rows[first][second], rows[second][first] = -ops.sin(angle), ops.sin(angle)
        return ops.matrix(rows)

    return turn(yaw, 0, 1) @ turn(roll, 1, 2) @ turn(pitch, 2, 0)


def reduced_plastic(M: Array, kernel: Array, v: Array) -> Array:
    """Velocity after a plastic impact, projected on the kernel of what stays closed: Mauny 2018, (3.28a)."""
    return kernel @ np.linalg.solve(kernel.T @ M @ kernel, kernel.T @ M @ v)


def reduced_impulses(M: Array, C: Array, change: Array) -> Array:
    """Impulses of independent rows from the change of velocities, by Euclidean projection: Mauny 2018, (3.30)."""
    return np.asarray(np.linalg.solve(C @ C.T, C @ (M @ change)))
