"""Coordinates of a joint from the poses of its two bodies: the inverse of `motion`, on numbers; angles near those before."""

import math
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.errors import ModelError
from locomotor.lie import SE3, quaternion
from locomotor.mechanics.tree import rotation_about
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
from locomotor.typing import Floats, Vector


def _angle_about(axis: Floats, R: Floats) -> float:
    """The angle of a rotation about a given axis."""
    sine = 0.5 * float(axis @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]))
    return math.atan2(sine, 0.5 * (float(np.trace(R)) - 1.0))


def _near(angle: float, before: float) -> float:
    return angle + 2.0 * math.pi * round((before - angle) / (2.0 * math.pi))


@singledispatch
def coordinates_of(joint: Joint, moved: SE3, before: Vector, values: Any) -> Vector:
    """Coordinates of a joint whose child is `moved` from its placement; `before` tells which turn."""
    raise ModelError(f"{joint.label}: nothing says what the coordinates of a {type(joint).__name__} are from its pose")


@coordinates_of.register(Revolute)
@coordinates_of.register(Helical)
def _(joint: Any, moved: SE3, before: Vector, values: Any) -> Vector:
    axis = np.asarray(evaluate(joint.axis, values), dtype=float)
    return np.array([_near(_angle_about(axis, np.asarray(moved.rotation)), float(before[0]))])


@coordinates_of.register
def _(joint: Prismatic, moved: SE3, before: Vector, values: Any) -> Vector:
    return np.array([float(np.asarray(evaluate(joint.axis, values), dtype=float) @ moved.translation)])


@coordinates_of.register
def _(joint: Cylindrical, moved: SE3, before: Vector, values: Any) -> Vector:
    axis = np.asarray(evaluate(joint.axis, values), dtype=float)
    turn = _near(_angle_about(axis, np.asarray(moved.rotation)), float(before[0]))
    return np.array([turn, float(axis @ moved.translation)])


@coordinates_of.register
def _(joint: Universal, moved: SE3, before: Vector, values: Any) -> Vector:
    """R = exp(q1 a1) exp(q2 a2): a2 is turned about a1 alone by the first."""
    first, second = (np.asarray(evaluate(axis, values), dtype=float) for axis in joint.axes)
    R = np.asarray(moved.rotation, dtype=float)
    a, b = second - (second @ first) * first, R @ second
    b = b - (b @ first) * first
    q1 = _near(math.atan2(float(first @ np.cross(a, b)), float(a @ b)), float(before[0]))
    q2 = _angle_about(second, np.asarray(rotation_about(first, q1), dtype=float).T @ R)
    return np.array([q1, _near(q2, float(before[1]))])


def _quaternion(R: Any, before: Vector) -> Vector:
    q = np.asarray(quaternion.from_matrix(np.asarray(R, dtype=float)), dtype=float)
    return -q if float(q @ before) < 0.0 else q


@coordinates_of.register
def _(joint: Spherical, moved: SE3, before: Vector, values: Any) -> Vector:
    return _quaternion(moved.rotation, before)


@coordinates_of.register
def _(joint: Free, moved: SE3, before: Vector, values: Any) -> Vector:
    return np.concatenate([np.asarray(moved.translation, dtype=float), _quaternion(moved.rotation, before[3:7])])


@coordinates_of.register
def _(joint: Planar, moved: SE3, before: Vector, values: Any) -> Vector:
    R = np.asarray(moved.rotation, dtype=float)
    yaw = _near(math.atan2(R[1, 0], R[0, 0]), float(before[2]))
    return np.array([float(moved.translation[0]), float(moved.translation[1]), yaw])


@coordinates_of.register
def _(joint: Translation, moved: SE3, before: Vector, values: Any) -> Vector:
    return np.asarray(moved.translation, dtype=float)


@coordinates_of.register
def _(joint: Fixed, moved: SE3, before: Vector, values: Any) -> Vector:
    return np.zeros(0)
