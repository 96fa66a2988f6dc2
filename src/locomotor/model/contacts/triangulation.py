"""Which triangles of a surface share which edges, and what is wrong with a surface on which no body can roll.

Corners at exactly the same place count as one, so that a soup of triangles whose corners are listed again and again
is a surface all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import (
    DegenerateTriangleError,
    DuplicateTriangleError,
    NonManifoldEdgeError,
    NotFiniteError,
    TriangleIndexError,
    TriangleOrientationError,
)
from locomotor.model.expressions import show_numbers
from locomotor.typing import Floats, Integers

THINNEST = 1e-9
"""Least height of a triangle over its longest side: below, the direction of its normal is round-off."""


@dataclass(frozen=True, eq=False)
class Triangulation:
    """A surface of triangles: n points, m triangles, k edges."""

    points: Floats
    """n x 3, every place once."""
    corners: Integers
    """m x 3, places among `points`; edge i of a triangle goes from corner i to corner i + 1."""
    edges: Integers
    """k x 2, from place to place, in the direction of the first triangle of the edge."""
    edge_triangles: Integers
    """k x 2, the triangles on both sides; -1 where the surface ends."""
    triangle_edges: Integers
    """m x 3, the edges of each triangle."""

    @property
    def normals(self) -> Floats:
        """m x 3 unit normals, by the order of the corners (right hand)."""
        cross = _cross(self.points, self.corners)
        return cross / np.linalg.norm(cross, axis=1)[:, None]


def triangulate(label: str, vertices: Floats, triangles: Integers) -> Triangulation:
    """The surface of checked triangles; a `TerrainError` names the first one that is wrong.

    Every edge must belong to one triangle (the surface ends there) or to two that run along it in opposite directions.
    """
    _check_indices(label, vertices, triangles)
    _check_finite(label, vertices, triangles)
    points, place = np.unique(vertices, axis=0, return_inverse=True)
    corners = place.reshape(-1)[triangles].astype(np.int64)
    _check_areas(label, vertices, triangles)
    _check_duplicates(label, corners)
    return _join(label, points, corners)


def _cross(points: Floats, corners: Integers) -> Floats:
    p0, p1, p2 = (points[corners[:, i]] for i in range(3))
    return np.cross(p1 - p0, p2 - p0)


def _join(label: str, points: Floats, corners: Integers) -> Triangulation:
    count = len(points)
    start, end = corners, np.roll(corners, -1, axis=1)
    key = (np.minimum(start, end) * count + np.maximum(start, end)).reshape(-1)
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    uses = np.diff(first, append=len(key))
    if (uses > 2).any():
        edge = int(np.flatnonzero(uses > 2)[0])
        sharing = order[first[edge] : first[edge] + uses[edge]] // 3
        raise NonManifoldEdgeError(
            f"{label}: the triangles {_listed(sharing)} share the edge {_edge_text(points, key[order[first[edge]]], count)}; "
            "at most two may. Split the surface there, or remove the triangles that are not on its outside"
        )
    one, two = order[first], order[first + uses - 1]
    same = (uses == 2) & (start.reshape(-1)[one] == start.reshape(-1)[two])
    if same.any():
        edge = int(np.flatnonzero(same)[0])
        raise TriangleOrientationError(
            f"{label}: the triangles {one[edge] // 3} and {two[edge] // 3} run along their common edge "
            f"{_edge_text(points, key[one[edge]], count)} in the same direction, so that their normals point to opposite "
            "sides; swap two corners of one of them"
        )
    number = np.empty(len(key), dtype=np.int64)
    number[order] = np.repeat(np.arange(len(first)), uses)
    return Triangulation(
        points=points,
        corners=corners,
        edges=np.column_stack((start.reshape(-1)[one], end.reshape(-1)[one])),
        edge_triangles=np.column_stack((one // 3, np.where(uses == 2, two // 3, -1))),
        triangle_edges=number.reshape(-1, 3),
    )


# --- checks -------------------------------------------------------------------------------------------------


def _check_indices(label: str, vertices: Floats, triangles: Integers) -> None:
    wrong = np.flatnonzero(((triangles < 0) | (triangles >= len(vertices))).any(axis=1))
    if wrong.size:
        corners = triangles[wrong[0]].tolist()
        missing = next(i for i in corners if not 0 <= i < len(vertices))
        raise TriangleIndexError(
            f"{label}: triangle {wrong[0]} = {tuple(corners)} has the corner {missing}, but there are {len(vertices)} "
            f"vertices; give numbers from 0 to {len(vertices) - 1}"
        )


def _check_finite(label: str, vertices: Floats, triangles: Integers) -> None:
    wrong = np.flatnonzero(~np.isfinite(vertices).all(axis=1))
    if wrong.size:
        using = np.flatnonzero((triangles == wrong[0]).any(axis=1))
        where = f", a corner of triangle {using[0]}," if using.size else ""
        raise NotFiniteError(f"{label}: vertex {wrong[0]}{where} is {show_numbers(vertices[wrong[0]])}; give finite numbers")


def _check_areas(label: str, vertices: Floats, triangles: Integers) -> None:
    corners = vertices[triangles]
    longest = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2).max(axis=1)
    double = np.linalg.norm(_cross(vertices, triangles), axis=1)
    wrong = np.flatnonzero(~(double > THINNEST * longest**2))
    if wrong.size:
        shown = ", ".join(show_numbers(corner) for corner in corners[wrong[0]])
        area = 0.5 * float(double[wrong[0]])
        raise DegenerateTriangleError(
            f"{label}: triangle {wrong[0]} with corners {shown} has the area {area!r} m² and no direction; "
            "remove it, or move a corner off the line through the others"
        )


def _check_duplicates(label: str, corners: Integers) -> None:
    alike = np.sort(corners, axis=1)
    order = np.lexsort(alike.T)
    same = np.flatnonzero((alike[order[1:]] == alike[order[:-1]]).all(axis=1))
    if same.size:
        pair = sorted(order[same[0] : same[0] + 2].tolist())
        raise DuplicateTriangleError(
            f"{label}: the triangles {pair[0]} and {pair[1]} have the same corners; remove one of them"
        )


def _edge_text(points: Floats, key: Any, count: int) -> str:
    return f"from {show_numbers(points[int(key) // count])} to {show_numbers(points[int(key) % count])}"


def _listed(triangles: Integers) -> str:
    names = [str(i) for i in sorted(triangles.tolist())]
    return ", ".join(names[:-1]) + " and " + names[-1]
