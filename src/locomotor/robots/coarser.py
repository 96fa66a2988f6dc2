"""Meshes with fewer triangles, to be seen from afar: points that lie in one cell of a grid become one.

It lies where the planes of the triangles around them are nearest (Lindstrom 2000, Proc. SIGGRAPH, 259-262): edges stay sharp
and walls stay flat.
"""

from __future__ import annotations

import numpy as np

from locomotor.typing import Floats, Integers

MOST = 6000
"""Triangles of one mesh of a robot: thirty of them still make a page that turns smoothly."""
FINEST = 160
"""Cells along the longest side at which the search begins."""
SOFT = 1e-2
"""How much the middle of its points counts for the place of one, beside the planes: along a wall nothing else says where."""


def coarser(vertices: Floats, triangles: Integers, most: int = MOST) -> tuple[Floats, Integers]:
    """At most so many triangles; a mesh that has no more is left as it is."""
    cells = float(FINEST)
    found = vertices, triangles
    low = vertices.min(axis=0)
    side = float((vertices.max(axis=0) - low).max()) or 1.0
    faced = _faced(vertices, triangles)
    while len(found[1]) > most and cells > 2.0:
        keys = np.column_stack([np.floor((vertices - low) * (cells / side)).astype(np.int64), faced])
        _, place = np.unique(keys, axis=0, return_inverse=True)
        place = place.ravel()
        corners = place[triangles]
        points = _places(vertices, triangles, place, side / cells)
        a, b, c = corners.T
        corners = corners[(a != b) & (b != c) & (c != a)]
        _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
        found = points, corners[np.sort(first)]
        cells *= 0.8
    return found if len(found[1]) else (vertices, triangles)


def _faced(vertices: Floats, triangles: Integers) -> Integers:
    """Which of the six ways along the axes each point faces: the two sides of a thin wall are not to become one."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normal = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normal, triangles[:, k], np.cross(b - a, c - a))
    axis = np.abs(normal).argmax(axis=1)
    return np.asarray(2 * axis + (np.take_along_axis(normal, axis[:, None], axis=1)[:, 0] > 0.0))


def _places(vertices: Floats, triangles: Integers, place: Integers, cell: float) -> Floats:
    """The point of each cell: least sum of squares of distances to the planes of its triangles, by their areas."""
    count = int(place.max()) + 1
    share = np.bincount(place, minlength=count)
    middle = np.column_stack([np.bincount(place, weights=vertices[:, k], minlength=count) / share for k in range(3)])
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    A, right = np.zeros((count, 3, 3)), np.zeros((count, 3))
    for k in range(3):
        cells = place[triangles[:, k]]
        height = np.einsum("ij,ij->i", normal, a - middle[cells])
        np.add.at(A, cells, normal[:, :, None] * normal[:, None, :])
        np.add.at(right, cells, normal * height[:, None])
    held = SOFT * np.trace(A, axis1=1, axis2=2) + 1e-300
    moved = np.linalg.solve(A + held[:, None, None] * np.eye(3), right[..., None])[..., 0]
    return middle + np.clip(moved, -cell, cell)
