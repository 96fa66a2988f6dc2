"""What remains when nothing can be touched: a body whose core is inside the obstacle, below a groove or a pit.

Then the way out is over the nearest point of the surface, and the gap is minus the way.
"""

from __future__ import annotations

import numpy as np

from locomotor.geometry.broad_phase import near
from locomotor.geometry.closest import CLOSE, Hits
from locomotor.geometry.cores import Balls, Core, dot
from locomotor.geometry.features import Faces, Surface
from locomotor.typing import Floats, Integers


def deepest(surface: Surface, core: Core, owners: Integers) -> Hits:
    """For each row of those owners the nearest point of the surface, with the normal along the way out."""
    rows = np.flatnonzero(np.isin(core.owner, owners))
    pairs, triangles, feet, distance = _nearest(surface, core.centre[rows])
    height = dot(surface.faces.normal[triangles], core.centre[rows][pairs] - feet)
    # Of triangles equally near, the one seen most directly tells the side.
    order = np.lexsort((-np.abs(height), np.round(distance, 12), pairs))
    best = order[np.flatnonzero(np.diff(pairs[order], prepend=-1))]
    foot, number, away = feet[best], triangles[best], core.centre[rows] - feet[best]
    sign = np.where(height[best] >= 0.0, 1.0, -1.0)[:, None]
    clear = distance[best] > CLOSE
    normal = sign * away / np.where(clear, distance[best], 1.0)[:, None]
    normal = np.where(clear[:, None], normal, surface.faces.normal[number])
    point = core.lowest(rows, normal)
    gap = dot(normal, point - foot) - core.margin
    return Hits(rows, number, gap, normal, point - core.margin * normal, foot)


def nearest_triangles(surface: Surface, points: Floats) -> tuple[Floats, Integers]:
    """Distances of points from the surface, and the triangles they are nearest to."""
    pairs, triangles, _, distance = _nearest(surface, points)
    order = np.lexsort((distance, pairs))
    best = order[np.flatnonzero(np.diff(pairs[order], prepend=-1))]
    return distance[best], triangles[best]


def _nearest(surface: Surface, points: Floats) -> tuple[Integers, Integers, Floats, Floats]:
    """Pairs of points and triangles that may be nearest, with the nearest points of the triangles and their distances."""
    numbers = np.arange(len(points))
    pairs, triangles, _ = near(surface.tree, Balls(numbers, numbers, 0.0, points), 0.0)
    feet = nearest_on_triangles(surface.faces, triangles, points[pairs])
    away = points[pairs] - feet
    return pairs, triangles, feet, np.sqrt(dot(away, away))


def nearest_on_triangles(faces: Faces, triangles: Integers, points: Floats) -> Floats:
    """The point of each triangle nearest to a point: inside the face, else on the nearest of its edges."""
    normal = faces.normal[triangles]
    height = dot(normal, points) - faces.offset[triangles]
    foot = points - height[:, None] * normal
    inside = (np.einsum("pij,pj->pi", faces.sides[triangles], foot) >= faces.bounds[triangles]).all(axis=1)
    corners = faces.corners[triangles]
    best, least = foot, np.where(inside, -1.0, np.inf)
    for i in range(3):
        start, span = corners[:, i], corners[:, (i + 1) % 3] - corners[:, i]
        size = np.maximum(dot(span, span), np.finfo(float).tiny)
        on_edge = start + np.clip(dot(points - start, span) / size, 0.0, 1.0)[:, None] * span
        away = points - on_edge
        squared = dot(away, away)
        nearer = squared < least
        best, least = np.where(nearer[:, None], on_edge, best), np.where(nearer, squared, least)
    return best
