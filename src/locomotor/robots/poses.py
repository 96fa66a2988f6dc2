"""Where the parts of a robot are while all its coordinates are zero, and how large it is."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.model import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from locomotor.model.shapes import rotation_of
from locomotor.robots.parts import WORLD, Link, Robot
from locomotor.typing import Floats

FEW = 2000
"""Points of a mesh that are enough to know where it ends."""


def link_poses(robot: Robot) -> dict[str, tuple[Floats, Floats]]:
    """Rotation and position of every link that hangs on the world."""
    found: dict[str, tuple[Floats, Floats]] = {WORLD: (np.eye(3), np.zeros(3))}
    waiting = list(robot.joints)
    while waiting:
        later = []
        for joint in waiting:
            if joint.parent in found:
                R, p = found[joint.parent]
                found[joint.child] = (R @ joint.rotation, p + R @ joint.at)
            else:
                later.append(joint)
        if len(later) == len(waiting):
            break
        waiting = later
    return found


def lowest(robot: Robot) -> float:
    """Height of the lowest point of all shapes; 0 without shapes."""
    poses = link_poses(robot)
    heights = [
        float((points(shape) @ R.T + p)[:, 2].min())
        for link in robot.links
        if link.name in poses
        for R, p in [poses[link.name]]
        for shape in shapes_of(link)
    ]
    return min(heights, default=0.0)


def shapes_of(link: Link) -> list[Shape]:
    """What collides of a link, or else what is seen of it."""
    return [touch.shape for touch in link.touches] or list(link.shapes)


@singledispatch
def points(shape: Shape) -> Floats:
    """Points (n, 3) between which a shape lies, in the frame of its link."""
    return np.zeros((1, 3))


@points.register
def _(shape: Box) -> Floats:
    half = 0.5 * np.array(shape.size, dtype=float)
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * half
    return corners @ matrix_of(shape).T + np.array(shape.at, dtype=float)


@points.register
def _(shape: Sphere) -> Floats:
    return np.array(shape.at, dtype=float) + float(shape.radius) * _AROUND  # type: ignore[arg-type]


@points.register
def _(shape: Ellipsoid) -> Floats:
    return (_AROUND * np.array(shape.half_axes, dtype=float)) @ matrix_of(shape).T + np.array(shape.at, dtype=float)


@points.register(Capsule)
@points.register(Cylinder)
def _(shape: Any) -> Floats:
    ends = np.array([shape.start, shape.end], dtype=float)
    return np.concatenate([end + float(shape.radius) * _AROUND for end in ends])


@points.register
def _(shape: Mesh) -> Floats:
    vertices = np.array(shape.vertices, dtype=float)
    return vertices @ matrix_of(shape).T + np.array(shape.at, dtype=float)


def matrix_of(shape: Any) -> Floats:
    """The rotation of a shape."""
    return np.array(rotation_of(shape.rotation, shape), dtype=float)


_AROUND = np.concatenate([np.eye(3), -np.eye(3)])
