"""Meshes with fewer triangles, to be seen from afar: points that lie in one cell of a grid become one."""

from __future__ import annotations

import numpy as np

from locomotor.typing import Floats, Integers

MOST = 6000
"""Triangles of one mesh of a robot: thirty of them still make a page that turns smoothly."""
FINEST = 160
"""Cells along the longest side at which the search begins."""


def coarser(vertices: Floats, triangles: Integers, most: int = MOST) -> tuple[Floats, Integers]:
    """At most so many triangles; a mesh that has no more is left as it is."""
    cells = float(FINEST)
    found = vertices, triangles
    low = vertices.min(axis=0)
    side = float((vertices.max(axis=0) - low).max()) or 1.0
    while len(found[1]) > most and cells > 2.0:
        keys = np.floor((vertices - low) * (cells / side)).astype(np.int64)
        _, place = np.unique(keys, axis=0, return_inverse=True)
        place = place.ravel()
        count = np.bincount(place)
        points = np.column_stack([np.bincount(place, weights=vertices[:, k]) / count for k in range(3)])
        corners = place[triangles]
        a, b, c = corners.T
        corners = corners[(a != b) & (b != c) & (c != a)]
        _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
        found = points, corners[np.sort(first)]
        cells *= 0.8
    return found if len(found[1]) else (vertices, triangles)
