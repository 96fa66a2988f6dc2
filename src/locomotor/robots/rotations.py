"""Rotations as files write them."""

from __future__ import annotations

import numpy as np

from locomotor.typing import Floats


def from_rpy(angles: Floats) -> Floats:
    """Rotation by roll, pitch and yaw about fixed axes: Rot_z(yaw) Rot_y(pitch) Rot_x(roll)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles), np.sin(angles)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def from_quaternion(q: Floats) -> Floats:
    """Rotation of a quaternion, scalar first, of any length but zero."""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def about(axis: Floats, angle: float) -> Floats:
    """Rotation by an angle about a unit axis."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def turning_to(axis: Floats) -> Floats:
    """A rotation that turns the z axis to a unit axis."""
    z = np.asarray(axis, dtype=float)
    x = np.cross(np.eye(3)[int(np.abs(z).argmin())], z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def to_quaternion(R: Floats) -> tuple[float, float, float, float]:
    """The unit quaternion of a rotation, scalar first."""
    # The largest of the four squares, so that nothing is divided by a small number.
    squares = np.array([1 + np.trace(R), *(1 + 2 * R[i, i] - np.trace(R) for i in range(3))])
    k = int(squares.argmax())
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        q = np.array([squares[0], *skew])
    else:
        q = np.array([skew[k - 1], *(R[k - 1, i] + R[i, k - 1] for i in range(3))])
        q[k] = squares[k]
    w, x, y, z = map(float, q / np.linalg.norm(q))
    return w, x, y, z
