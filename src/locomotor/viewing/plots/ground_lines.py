"""Grounds as lines of a drawing: cut along the path in a side view, their edges in a view from above."""

from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.model import Plane, System, Terrain
from locomotor.names import WORLD
from locomotor.typing import Values, Vector
from locomotor.viewing.scene import numbers

FAR = 1e4
"""Half the length (m) that stands for an endless line."""
FLAT = 1e-9


def ground_lines(system: System, view: str, at: float = 0.0) -> list[Vector]:
    """Lines (n, 3) of all grounds that something touches; a side view cuts them at y = `at`."""
    values = system.parameters.values
    touched = {contact.ground for contact in system.contacts}
    draw = cut if view == "side" else edges
    return [
        line
        for ground in system.grounds
        if ground.name in touched and ground.body == WORLD
        for line in draw(ground, at, values)
    ]


@singledispatch
def cut(ground: Any, y: float, values: Values) -> list[Vector]:
    """The line in which the vertical plane of constant y cuts a ground."""
    return []


@cut.register
def _(ground: Plane, y: float, values: Values) -> list[Vector]:
    point, normal = numbers(ground.point, values), numbers(ground.normal, values)
    along = np.array([normal[2], 0.0, -normal[0]])
    size = float(np.linalg.norm(along))
    if size < FLAT:
        return []
    # The point of the plane that lies straight above or below, or beside, its own at this y.
    foot = point + np.array([0.0, y - point[1], 0.0])
    across = np.array([normal[0], 0.0, normal[2]])
    foot = foot - across * float(normal @ (foot - point)) / float(across @ across)
    return [np.array([foot - FAR * along / size, foot + FAR * along / size])]


@cut.register
def _(ground: Terrain, y: float, values: Values) -> list[Vector]:
    vertices, triangles = np.asarray(ground.vertices, dtype=float), np.asarray(ground.triangles)
    found = []
    for corners in vertices[triangles]:
        height = corners[:, 1] - y
        if (height > 0.0).all() or (height < 0.0).all():
            continue
        points = []
        for a, b in ((0, 1), (1, 2), (2, 0)):
            if height[a] * height[b] < 0.0:
                share = height[a] / (height[a] - height[b])
                points.append(corners[a] + share * (corners[b] - corners[a]))
            elif height[a] == 0.0:
                points.append(corners[a])
        if len(points) >= 2:
            found.append(np.array(points[:2]))
    return found


@singledispatch
def edges(ground: Any, y: float, values: Values) -> list[Vector]:
    """Edges of a ground that are seen from above; an endless plane has none."""
    return []


@edges.register
def _(ground: Terrain, y: float, values: Values) -> list[Vector]:
    vertices, triangles = np.asarray(ground.vertices, dtype=float), np.asarray(ground.triangles)
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    beside: dict[tuple[int, int], list[int]] = {}
    for k, triangle in enumerate(triangles):
        for a, b in ((0, 1), (1, 2), (2, 0)):
            beside.setdefault((min(triangle[a], triangle[b]), max(triangle[a], triangle[b])), []).append(k)
    # Between two triangles of one plane there is nothing to see.
    return [
        vertices[list(edge)]
        for edge, sides in beside.items()
        if len(sides) < 2 or float(normals[sides[0]] @ normals[sides[1]]) < 1.0 - FLAT
    ]
