"""Least gaps between a body and a terrain along a motion, for the record: also high above it, where everything is far away.

Many samples are looked up together, against what may be nearest to one of them. Far away that would be much of a terrain, since
all of it is about as far: so triangles are left out by bounds that allow for the way of the body from sample to sample.
"""

import numpy as np

from locomotor.geometry import CHILDREN, SLACK, WIDTH, Core, Surface, part_of, place, search, triangles_near
from locomotor.simulation.terrain.footing import Rough
from locomotor.typing import Integers, Vector

STRETCH = 128
"""Samples that are looked up together."""
SPACING = 64
"""Of the samples for which the nearest point is found first."""
CLOSE = 0.1
"""Share of its size up to which a body is close to the ground: there it may be inside, and distances say nothing."""


def gaps_of(rough: Rough, rows: Vector) -> Vector:
    """Least gaps at many places (see `tracing.contacts.places`)."""
    R, p = rows[:, 0:9].reshape(-1, 3, 3), rows[:, 9:12]
    if rough.search is not None:
        return rough.search.gaps(R, p)
    stretches = [slice(first, first + STRETCH) for first in range(0, len(rows), STRETCH)]
    if len(rough.surface.tree.levels) == 1 or rough.rule == "source":
        return np.concatenate([_least(rough, rough.surface, R[some], p[some]) for some in stretches])
    feet = _feet(rough, R[::SPACING], p[::SPACING])
    near = [feet[some.start // SPACING : some.stop // SPACING + 1] for some in stretches]
    return np.concatenate([_gaps(rough, R[some], p[some], those) for some, those in zip(stretches, near, strict=True)])


def _least(rough: Rough, surface: Surface, R: Vector, p: Vector) -> Vector:
    found = search(surface, rough.shape, R, p, -np.inf, rough.rule)
    least = np.full(len(p), np.inf)
    np.minimum.at(least, found.owner, found.hits.gap)
    return least


def _gaps(rough: Rough, R: Vector, p: Vector, feet: Vector) -> Vector:
    """Least gaps at some places; `feet` are points of the terrain that are about as near."""
    surface = _around(rough, R, p, feet)
    if surface is None and len(p) > SPACING:
        half = len(p) // 2
        return np.concatenate([_gaps(rough, R[:half], p[:half], feet), _gaps(rough, R[half:], p[half:], feet)])
    return _least(rough, surface or part_of(rough.surface, _within_reach(rough, R, p)), R, p)


def _around(rough: Rough, R: Vector, p: Vector, feet: Vector) -> Surface | None:
    """What of the terrain may be nearest to a body at some places; None where it is close to the ground."""
    surface = rough.surface
    chosen = [_nearest(surface, core, feet[:, :3], CLOSE * rough.shape.size) for core in place(rough.shape, R, p)]
    if not (feet[:, 3] > 0.0).all() or any(triangles is None for triangles in chosen):
        return None
    return part_of(surface, np.unique(np.concatenate([triangles for triangles in chosen if triangles is not None])))


def _feet(rough: Rough, R: Vector, p: Vector) -> Vector:
    """The points of the terrain that are nearest at each place, and the gaps there."""
    found = search(rough.surface, rough.shape, R, p, -np.inf, rough.rule)
    order = np.lexsort((found.hits.gap, found.owner))
    hits = found.hits.take(order[np.diff(found.owner[order], prepend=-1) > 0])
    return np.column_stack((hits.foot, hits.gap))


def _nearest(surface: Surface, core: Core, feet: Vector, close: float) -> Integers | None:
    """Triangles that may be nearest to a core at one of its places; None where it is close to the ground.

    The distance of two boxes is a convex function of where one of them is. So it is at any place at least what its tangent at
    the middle one says, and triangles for which that is more than the distance of a known point of the terrain are left out.
    """
    k = len(core.centre)
    most = np.min([core.distance(slice(None), np.broadcast_to(foot, (k, 3))) for foot in feet], axis=0) * SLACK
    if not float(most.min()) > core.margin + close:
        return None
    middle = core.centre[k // 2]
    moved = core.centre - middle
    extent = np.broadcast_to(core.extent, (k, 3)).max(axis=0)
    around = np.concatenate((middle + extent, extent - middle))
    nodes = np.arange(len(surface.tree.levels[0].point))
    for depth, level in enumerate(surface.tree.levels):
        if depth:
            nodes = (nodes[:, None] * WIDTH + CHILDREN).reshape(-1)
            nodes = nodes[nodes < len(level.point)]
        sides = np.maximum(level.sides.take(nodes, axis=0) - around, 0.0)
        apart = sides[:, 0:3] - sides[:, 3:6]
        distance = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        towards = apart / np.maximum(distance, np.finfo(float).tiny)[:, None]
        nodes = nodes[(distance[:, None] - towards @ moved.T <= most).any(axis=1)]
    return np.asarray(surface.tree.order[nodes])


def _within_reach(rough: Rough, R: Vector, p: Vector) -> Integers:
    """Triangles about as near to all places as the nearest one is to that in the middle."""
    centres = p + R @ rough.shape.centre
    middle = centres[len(centres) // 2]
    way = float(np.sqrt(((centres - middle) ** 2).sum(axis=1).max()))
    corners = rough.surface.faces.corners[triangles_near(rough.surface, middle, 0.0)]
    nearest = float(np.sqrt(((corners[:, 0] - middle) ** 2).sum(axis=1).min()))
    return triangles_near(rough.surface, middle, nearest + 2.0 * way + 2.0 * rough.shape.size)
