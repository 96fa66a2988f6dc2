"""Joints in the second derivation (`virtual_power`): where the child is, and how fast coordinates go."""

from functools import singledispatch
from typing import Any, NoReturn

import casadi
import numpy as np

from locomotor.errors import ModelError
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
    Translation,
    Universal,
    evaluate,
)


def refuse(what: str, thing: Any) -> NoReturn:
    """Refuse a part that is not written down a second time."""
    raise ModelError(
        f"certify: a {what} of the kind {type(thing).__name__} has no second derivation; certify a system without it"
    )


def about(axis: Any, angle: Any) -> Any:
    """Rotation by I + sin K + (1 - cos) K^2."""
    K = casadi.skew(casadi.SX(axis))
    return casadi.SX.eye(3) + casadi.sin(angle) * K + (1 - casadi.cos(angle)) * (K @ K)


def _of_quaternion(x: Any) -> Any:
    """Columns are the quaternion products x e x* of the axes."""
    w, u = x[0], x[1:4]
    K = casadi.skew(u)
    return casadi.SX.eye(3) + 2 * w * K + 2 * (K @ K)


def _quaternion_rate(x: Any, W: Any) -> Any:
    w, u = x[0], x[1:4]
    return 0.5 * casadi.vertcat(-casadi.dot(u, W), w * W + casadi.cross(u, W))


ORIGIN = np.zeros(3)


@singledispatch
def pose(joint: Joint, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    """Rotation and displacement of the child."""
    refuse("joint", joint)


@pose.register
def _(joint: Revolute, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    return about(evaluate(joint.axis, values), q[0]), ORIGIN


@pose.register
def _(joint: Prismatic, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    return casadi.SX.eye(3), q[0] * casadi.SX(evaluate(joint.axis, values))


@pose.register
def _(joint: Helical, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    axis = evaluate(joint.axis, values)
    return about(axis, q[0]), evaluate(joint.pitch, values) * q[0] * casadi.SX(axis)


@pose.register
def _(joint: Cylindrical, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    axis = evaluate(joint.axis, values)
    return about(axis, q[0]), q[1] * casadi.SX(axis)


@pose.register
def _(joint: Universal, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    first, second = (evaluate(axis, values) for axis in joint.axes)
    return about(first, q[0]) @ about(second, q[1]), ORIGIN


@pose.register
def _(joint: Spherical, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    return _of_quaternion(q), ORIGIN


@pose.register
def _(joint: Free, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    return _of_quaternion(q[3:7]), q[0:3]


@pose.register
def _(joint: Planar, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    return about((0.0, 0.0, 1.0), q[2]), casadi.vertcat(q[0], q[1], 0)


@pose.register
def _(joint: Translation, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    return casadi.SX.eye(3), q


@pose.register
def _(joint: Fixed, q: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    return casadi.SX.eye(3), ORIGIN


@singledispatch
def rates(joint: Joint, q: Any, v: Any) -> Any:
    """Rates of the coordinates of a joint: its velocities, where these are rates."""
    return v


@rates.register
def _(joint: Spherical, q: Any, v: Any) -> Any:
    return _quaternion_rate(q, v)


@rates.register
def _(joint: Free, q: Any, v: Any) -> Any:
    return casadi.vertcat(_of_quaternion(q[3:7]) @ v[0:3], _quaternion_rate(q[3:7], v[3:6]))


@rates.register
def _(joint: Planar, q: Any, v: Any) -> Any:
    return casadi.vertcat((about((0.0, 0.0, 1.0), q[2]) @ casadi.vertcat(v[0], v[1], 0))[0:2], v[2])
