"""How each kind of joint moves: the pose, the motion subspace and the coordinate rates of one joint.

For a joint with coordinates `q` and velocities `u`, the child frame seen from the joint's placement is
`motion(joint, q)`, and the relative twist of the child, in child axes, is `subspace(joint, q) @ u`.
The derivative of that twist at constant `u` is `subspace_bias`. A new kind of joint registers itself here.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.lie import SE3, ops, quaternion
from locomotor.model import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    System,
    Translation,
    Universal,
    evaluate,
)
from locomotor.typing import Array, SymbolicValues

ORIGIN = np.zeros(3)
LINEAR, ANGULAR = slice(0, 3), slice(3, 6)


def rotation_about(axis: Array, angle: Any) -> Array:
    """Rotation matrix about a unit axis, by Rodrigues' formula.

    The diagonal is written a² + (1 - a²) cos so that no operation is left where the axis is a coordinate axis.
    """
    c, s = ops.cos(angle), ops.sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    v = 1.0 - c
    xy, xz, yz = x * y * v, x * z * v, y * z * v
    xs, ys, zs = x * s, y * s, z * s
    return ops.matrix(
        [
            [x * x + (1.0 - x * x) * c, xy - zs, xz + ys],
            [xy + zs, y * y + (1.0 - y * y) * c, yz - xs],
            [xz - ys, yz + xs, z * z + (1.0 - z * z) * c],
        ]
    )


# -- pose of the child in the joint's placement frame -------------------------------------------------


@singledispatch
def motion(joint: Joint, q: Array, values: SymbolicValues) -> SE3:
    """Pose of the child frame in the placement frame of the joint."""
    raise NotImplementedError(f"joint {joint.name!r}: no motion is known for the kind {type(joint).__name__}")


@motion.register
def _(joint: Revolute, q: Array, values: SymbolicValues) -> SE3:
    return SE3(rotation_about(evaluate(joint.axis, values), q[0]), ORIGIN)


@motion.register
def _(joint: Prismatic, q: Array, values: SymbolicValues) -> SE3:
    return SE3(np.eye(3), q[0] * evaluate(joint.axis, values))


@motion.register
def _(joint: Helical, q: Array, values: SymbolicValues) -> SE3:
    axis = evaluate(joint.axis, values)
    return SE3(rotation_about(axis, q[0]), (evaluate(joint.pitch, values) * q[0]) * axis)


@motion.register
def _(joint: Cylindrical, q: Array, values: SymbolicValues) -> SE3:
    axis = evaluate(joint.axis, values)
    return SE3(rotation_about(axis, q[0]), q[1] * axis)


@motion.register
def _(joint: Universal, q: Array, values: SymbolicValues) -> SE3:
    first, second = (evaluate(axis, values) for axis in joint.axes)
    return SE3(rotation_about(first, q[0]) @ rotation_about(second, q[1]), ORIGIN)


@motion.register
def _(joint: Spherical, q: Array, values: SymbolicValues) -> SE3:
    return SE3(quaternion.to_matrix(q), ORIGIN)


@motion.register
def _(joint: Free, q: Array, values: SymbolicValues) -> SE3:
    return SE3(quaternion.to_matrix(q[3:7]), q[0:3])


@motion.register
def _(joint: Planar, q: Array, values: SymbolicValues) -> SE3:
    return SE3(rotation_about(np.array([0.0, 0.0, 1.0]), q[2]), ops.vector(q[0], q[1], 0.0))


@motion.register
def _(joint: Translation, q: Array, values: SymbolicValues) -> SE3:
    return SE3(np.eye(3), q)


@motion.register
def _(joint: Fixed, q: Array, values: SymbolicValues) -> SE3:
    return SE3(np.eye(3), ORIGIN)


# -- motion subspace, in child axes -------------------------------------------------------------------


@singledispatch
def subspace(joint: Joint, q: Array, values: SymbolicValues) -> Array:
    """Matrix S (6 x nv) with relative twist = S u, in the axes of the child."""
    raise NotImplementedError(f"joint {joint.name!r}: no subspace is known for the kind {type(joint).__name__}")


@subspace.register
def _(joint: Revolute, q: Array, values: SymbolicValues) -> Array:
    return ops.columns(ops.concat(ORIGIN, evaluate(joint.axis, values)))


@subspace.register
def _(joint: Prismatic, q: Array, values: SymbolicValues) -> Array:
    return ops.columns(ops.concat(evaluate(joint.axis, values), ORIGIN))


@subspace.register
def _(joint: Helical, q: Array, values: SymbolicValues) -> Array:
    axis = evaluate(joint.axis, values)
    return ops.columns(ops.concat(evaluate(joint.pitch, values) * axis, axis))


@subspace.register
def _(joint: Cylindrical, q: Array, values: SymbolicValues) -> Array:
    axis = evaluate(joint.axis, values)
    return ops.columns(ops.concat(ORIGIN, axis), ops.concat(axis, ORIGIN))


@subspace.register
def _(joint: Universal, q: Array, values: SymbolicValues) -> Array:
    first, second = (evaluate(axis, values) for axis in joint.axes)
    carried = rotation_about(second, q[1]).T @ first
    return ops.columns(ops.concat(ORIGIN, carried), ops.concat(ORIGIN, second))


@subspace.register
def _(joint: Spherical, q: Array, values: SymbolicValues) -> Array:
    return np.eye(6)[:, 3:6]


@subspace.register
def _(joint: Free, q: Array, values: SymbolicValues) -> Array:
    return np.eye(6)


@subspace.register
def _(joint: Planar, q: Array, values: SymbolicValues) -> Array:
    return np.eye(6)[:, [0, 1, 5]]


@subspace.register
def _(joint: Translation, q: Array, values: SymbolicValues) -> Array:
    return np.eye(6)[:, 0:3]


@subspace.register
def _(joint: Fixed, q: Array, values: SymbolicValues) -> Array:
    return np.zeros((6, 0))


@singledispatch
def subspace_bias(joint: Joint, q: Array, u: Array, values: SymbolicValues) -> Array:
    """Derivative of S at constant u, times u: zero unless the subspace turns inside the child."""
    return np.zeros(6)


@subspace_bias.register
def _(joint: Universal, q: Array, u: Array, values: SymbolicValues) -> Array:
    first, second = (evaluate(axis, values) for axis in joint.axes)
    carried = rotation_about(second, q[1]).T @ first
    return ops.concat(ORIGIN, (u[0] * u[1]) * ops.cross(carried, second))


# -- coordinates: rates in the tangent space, steps, and the inverse of `motion` ------------------------


@singledispatch
def tangent_rate(joint: Joint, q: Array, u: Array, values: SymbolicValues) -> Array:
    """Rate of the coordinates in tangent form: a quaternion's rate is its body angular velocity."""
    return u


@tangent_rate.register
def _(joint: Free, q: Array, u: Array, values: SymbolicValues) -> Array:
    return ops.concat(quaternion.to_matrix(q[3:7]) @ u[0:3], u[3:6])


@tangent_rate.register
def _(joint: Planar, q: Array, u: Array, values: SymbolicValues) -> Array:
    c, s = ops.cos(q[2]), ops.sin(q[2])
    return ops.vector(c * u[0] - s * u[1], s * u[0] + c * u[1], u[2])


# -- velocities that are no rates of coordinates -------------------------------------------------------


Brackets = dict[tuple[int, int], tuple[tuple[int, float], ...]]
"""(i, j) -> pairs (l, c) with [X_i, X_j] = sum of c X_l, for the velocities of one joint."""


@singledispatch
def brackets(joint: Joint) -> Brackets:
    """Lie brackets of the vector fields that the velocities of a joint stand for: none where they are rates of coordinates."""
    return {}


def _algebra(basis: Array) -> Brackets:
    """Brackets of twists (columns, linear part first): [a, b] = (W_a x V_b - W_b x V_a, W_a x W_b)."""
    found: Brackets = {}
    n = basis.shape[1]
    for i in range(n):
        for j in range(n):
            a, b = basis[:, i], basis[:, j]
            linear = np.cross(a[3:6], b[0:3]) - np.cross(b[3:6], a[0:3])
            components = basis.T @ np.concatenate([linear, np.cross(a[3:6], b[3:6])])
            pairs = tuple((k, float(c)) for k, c in enumerate(components) if c)
            if pairs:
                found[i, j] = pairs
    return found


@brackets.register
def _(joint: Free) -> Brackets:
    return _algebra(np.eye(6))


@brackets.register
def _(joint: Planar) -> Brackets:
    return _algebra(np.eye(6)[:, [0, 1, 5]])


@brackets.register
def _(joint: Spherical) -> Brackets:
    return _algebra(np.eye(6)[:, 3:6])


def structure_constants(system: System) -> Brackets:
    """Brackets of all velocities of a system, by their places."""
    found: Brackets = {}
    for joint in system.joints:
        start = system.layout.v[joint.name].start
        for (i, j), pairs in brackets(joint).items():
            found[start + i, start + j] = tuple((start + k, c) for k, c in pairs)
    return found
