"""Unit quaternions ``q = (w, x, y, z)``: scalar first, Hamilton product, ``R(p q) = R(p) R(q)``.

``q`` and ``-q`` are the same rotation. A quaternion is a plain 4-vector here, so that it can sit in a state.
"""

from __future__ import annotations

from locomotor.lie import ops, small_angle
from locomotor.lie.ops import Array, Scalar


def identity() -> Array:
    """Return the quaternion of no rotation."""
    return ops.vector(1.0, 0.0, 0.0, 0.0)


def multiply(p: Array, q: Array) -> Array:
    """Return the Hamilton product ``p q``, with ``i j = k``: ``R(p q) = R(p) R(q)``."""
    pw, px, py, pz = ops.entries(p)
    qw, qx, qy, qz = ops.entries(q)
    return ops.vector(
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    )


def conjugate(q: Array) -> Array:
    """Return ``q*``, the inverse of a unit quaternion: ``q q* = |q|^2``."""
    w, x, y, z = ops.entries(q)
    return ops.vector(w, -x, -y, -z)


def normalise(q: Array) -> Array:
    """Return ``q / |q|``."""
    return (1.0 / ops.norm(q)) * q


def to_matrix(q: Array) -> Array:
    """Return the rotation matrix of a unit quaternion: ``(0, R v) = q (0, v) q*``."""
    w, x, y, z = ops.entries(q)
    return ops.matrix(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def from_matrix(R: Array) -> Array:
    """Return the unit quaternion of a rotation matrix, with ``w >= 0``.

    The columns of ``4 q q^T`` are linear in ``R``. One whose diagonal entry is at least one is picked, and
    divided by its length (S. W. Shepperd, Quaternion from rotation matrix, 1978, doi:10.2514/3.55767b).
    """
    xx, yy, zz = R[0, 0], R[1, 1], R[2, 2]
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    by_w = ops.vector(1.0 + xx + yy + zz, wx, wy, wz)
    by_x = ops.vector(wx, 1.0 + xx - yy - zz, xy, xz)
    by_y = ops.vector(wy, xy, 1.0 - xx + yy - zz, yz)
    by_z = ops.vector(wz, xz, yz, 1.0 - xx - yy + zz)
    column = ops.if_else(
        ops.less(0.0, xx + yy + zz),
        by_w,
        ops.if_else(
            ops.logic_and(ops.less(yy, xx), ops.less(zz, xx)),
            by_x,
            ops.if_else(ops.less(zz, yy), by_y, by_z),
        ),
    )
    # The norm of the column is 4 |q_j|, and |q_j| is at least a half: no division by a small number.
    return _with_positive_scalar(normalise(column))


def exp(rotation_vector: Array) -> Array:
    """Return the unit quaternion of a rotation vector: ``(cos(theta/2), sin(theta/2) axis)``."""
    c = small_angle.stumpff(0.25 * ops.dot(rotation_vector, rotation_vector))
    return ops.concat(ops.vector(c[0]), (0.5 * c[1]) * rotation_vector)


def log(q: Array) -> Array:
    """Return the rotation vector of a quaternion, at most pi long: ``exp(log(q)) = q`` or ``-q``.

    The length of ``q`` does not enter, so drifting off the unit sphere does no harm.
    """
    q = _with_positive_scalar(q)
    v = q[1:4]
    return (2.0 * small_angle.half_angle_over_sine(ops.dot(v, v), q[0])) * v


def rate(q: Array, omega: Array) -> Array:
    """Return ``q_dot = q (0, omega) / 2`` for the body angular velocity ``omega``."""
    return 0.5 * multiply(q, ops.concat(ops.zeros(1), omega))


def _with_positive_scalar(q: Array) -> Array:
    flip: Scalar = ops.if_else(ops.less(q[0], 0.0), -1.0, 1.0)
    return flip * q
