"""Pre-contact points of cores and features: C on the body, C' on the obstacle, the common normal N from C' to C, the gap.

    gap = N . (C - C') - margin                                     (docs/theory.md (T1); Mauny 2018, (3.6), its sign corrected)

Everything is row by row, for pairs of a core and a feature. Where bodies and features are apart, C and C' are locally the
nearest points; the same N, continued, gives the gap its sign when they overlap. Since the gap is stationary with respect
to C on the body, C' on the feature and the direction of N, its rate is the normal velocity of the material point at C.
"""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple

import numpy as np

from locomotor.geometry import disc_edge
from locomotor.geometry.cores import Balls, BoxEdges, Core, Discs, Flats, Rods, cross, dot
from locomotor.geometry.features import Edges, Faces, Vertices
from locomotor.geometry.shapes import across
from locomotor.typing import Flags, Floats, Integers

TOUCH = 1e-9
"""Feet this far (m) outside of a face or an edge are on it; sines this far outside of a cone of normals are in it."""
LEVEL = 1e-8
"""A vertex this near (m) to the plane of a disc is in it: motions in a plane are to stay there, rounding or not."""
DEEPEST = 0.5
"""Edges and vertices deeper inside a disc than this part of its radius are not what it has run into."""
CAME_IN = 1e-7
"""What is inside a box came in through its nearest face; this much (m) farther away another one is as good."""
CLOSE = 1e-13
"""Distance (m) between a core and a feature below which their difference has no direction."""


class Hits(NamedTuple):
    """Pairs that may touch, row by row."""

    row: Integers
    """Row of the core (a round body's centre line, see `cores.py`)."""
    number: Integers
    """Of the triangle, edge or vertex."""
    gap: Floats
    normal: Floats
    point: Floats
    """C, on the body."""
    foot: Floats
    """C', on the obstacle."""

    def take(self, chosen: Integers | Flags) -> Hits:
        """The hits of some rows."""
        row, number, gap, normal, point, foot = self
        return Hits(row[chosen], number[chosen], gap[chosen], normal[chosen], point[chosen], foot[chosen])


NO_HITS = Hits(
    np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))
)


def _hits(core: Core, rows: Integers, index: Integers, normal: Floats, point: Floats, foot: Floats, kept: Flags) -> Hits:
    if not kept.all():
        rows, index, normal, point, foot = rows[kept], index[kept], normal[kept], point[kept], foot[kept]
    gap = dot(normal, point - foot) - core.margin
    if core.margin:
        point = point - core.margin * normal
    return Hits(rows, index, gap, normal, point, foot)


def to_faces(core: Core, rows: Integers, faces: Faces, triangles: Integers, limit: Floats) -> tuple[Hits, Integers, Integers]:
    """Cores over faces: the lowest point along the normal, where its projection is on the face.

    `limit` bounds the distances (of cores) asked for, row by row of the core. Also the pairs whose planes are not
    beyond it: edges and vertices of the others are beyond it too.
    """
    normal = faces.normal[triangles]
    point = core.lowest(rows, normal)
    gap = dot(normal, point) - faces.offset[triangles]
    # The distance of a point is known on both sides; a disc that cuts a face is near it however deep it is.
    held = (np.abs(gap) if isinstance(core, Balls) else gap) <= limit[rows]
    if not held.all():
        rows, triangles, normal, point, gap = rows[held], triangles[held], normal[held], point[held], gap[held]
    if isinstance(core, Rods | Flats):  # a segment over a plane is lowest at its ends, which are balls; a rectangle too
        return NO_HITS, rows, triangles
    foot = point - gap[:, None] * normal
    inside = np.einsum("pij,pj->pi", faces.sides[triangles], foot) >= faces.bounds[triangles] - TOUCH
    return _hits(core, rows, triangles, normal, point, foot, inside.all(axis=1)), rows, triangles


# --- edges --------------------------------------------------------------------------------------------------


def to_edges(core: Core, rows: Integers, edges: Edges, index: Integers, limit: Floats) -> Hits:
    """Cores and edges: common normals between the normals of the two faces, with the foot on the edge."""
    start, direction, length = edges.start[index], edges.direction[index], edges.length[index]
    # The nearest point of the edge is within reach of the ball that holds the core.
    w = core.centre[rows] - start
    along = dot(w, direction)
    w = w - np.minimum(np.maximum(along, 0.0), length)[:, None] * direction
    held = dot(w, w) <= (np.maximum(limit[rows], 0.0) + core.size) ** 2
    if isinstance(core, Discs):
        # And its ends are not both far to the same side of the disc.
        axis = core.axis[rows]
        one = dot(start - core.centre[rows], axis)
        two = one + length * dot(direction, axis)
        held &= np.minimum(np.abs(one), np.abs(two)) * (one * two > 0.0) <= limit[rows]
    if not held.all():
        rows, index = rows[held], index[held]
    return _to_edges(core, rows, edges, index, limit) if len(rows) else NO_HITS


def _between(edges: Edges, index: Integers, normal: Floats) -> Flags:
    """Whether normals of the edges are between those of their faces."""
    rise = np.einsum("pij,pj->pi", edges.inward[index], normal)
    return (rise <= TOUCH).all(axis=1)


@singledispatch
def _to_edges(core: Core, rows: Integers, edges: Edges, index: Integers, limit: Floats) -> Hits:
    raise NotImplementedError(f"no closest points for {type(core).__name__}")


@_to_edges.register
def _(core: Balls, rows: Integers, edges: Edges, index: Integers, limit: Floats) -> Hits:
    start, direction, length = edges.start[index], edges.direction[index], edges.length[index]
    point = core.centre[rows]
    along = dot(point - start, direction)
    foot = start + along[:, None] * direction
    normal, distance = direction_of(point - foot, edges.outward[index])
    kept = (along >= -TOUCH) & (along <= length + TOUCH) & (distance <= limit[rows]) & _between(edges, index, normal)
    if core.guard is not None:
        kept &= dot(normal, core.guard[rows]) >= 0.0
    return _hits(core, rows, index, normal, point, foot, kept)


@_to_edges.register
def _(core: Discs, rows: Integers, edges: Edges, index: Integers, limit: Floats) -> Hits:
    tilt = np.abs(dot(core.axis[rows], edges.direction[index]))
    flat = tilt < disc_edge.PARALLEL
    if not flat.any():
        return _turned(core, rows, edges, index, limit, tilt)
    turned = ~flat
    first = _turned(core, rows[turned], edges, index[turned], limit, tilt[turned])
    rows, index = rows[flat], index[flat]
    line = core.centre[rows], core.axis[rows], core.radius, edges.start[index], edges.direction[index]
    near_side, far_side = disc_edge.parallel(*line, edges.length[index])
    return join([first, _by_sides(core, rows, edges, index, near_side, far_side, limit)])


def _turned(core: Discs, rows: Integers, edges: Edges, index: Integers, limit: Floats, tilt: Floats) -> Hits:
    """Discs and edges that are not parallel."""
    thin = tilt < disc_edge.THIN
    found = []
    for chosen in (~thin, thin):
        if chosen.any():
            i, j = rows[chosen], index[chosen]
            line = core.centre[i], core.axis[i], core.radius, edges.start[j], edges.direction[j]
            far_side = disc_edge.opposite(*line) if chosen is thin else None
            found.append(_by_sides(core, i, edges, j, disc_edge.nearest(*line), far_side, limit))
    return join(found)


def _by_sides(
    core: Discs,
    rows: Integers,
    edges: Edges,
    index: Integers,
    near_side: disc_edge.EdgeContact,
    far_side: disc_edge.EdgeContact | None,
    limit: Floats,
) -> Hits:
    """Contacts by the side of the disc where the edge is, or by the other one if the edge has just come through."""
    first = _disc_hits(core, rows, edges, index, near_side, limit, -DEEPEST * core.radius)
    if far_side is None:
        return first
    second = _disc_hits(core, rows, edges, index, far_side, limit, -core.passage)
    # Only through a solid: in front of both faces, which a sheet that ends has not got.
    front = np.einsum("pij,pj->pi", edges.normals[second.number], second.normal)
    second = second.take((front >= -TOUCH).all(axis=1) & ~edges.is_border[second.number] & (second.gap < -core.margin))
    return _first_of_each(join([first, second]))


def _disc_hits(
    core: Discs,
    rows: Integers,
    edges: Edges,
    index: Integers,
    contact: disc_edge.EdgeContact,
    limit: Floats,
    least: float,
) -> Hits:
    start, direction = edges.start[index], edges.direction[index]
    along = dot(contact.point - start, direction)
    foot = start + along[:, None] * direction
    gap = dot(contact.normal, contact.point - foot)
    # A normal of NaN fails every comparison.
    kept = (along >= -TOUCH) & (along <= edges.length[index] + TOUCH) & (gap <= limit[rows])
    kept &= (gap >= least) & _between(edges, index, contact.normal)
    return _hits(core, rows, index, contact.normal, contact.point, foot, kept)


def _first_of_each(hits: Hits) -> Hits:
    """One hit for a pair of core and feature: the one listed first."""
    if len(hits.row) < 2:
        return hits
    first = np.unique(hits.row * (hits.number.max() + 1) + hits.number, return_index=True)[1]
    return hits.take(first) if len(first) < len(hits.row) else hits


@_to_edges.register
def _(core: Rods, rows: Integers, edges: Edges, index: Integers, limit: Floats) -> Hits:
    normal, crossing = _common_normal(core, rows, edges, index)
    w = core.centre[rows] - edges.start[index]
    normal = np.where((dot(normal, w) >= 0.0)[:, None], normal, -normal)
    point, foot, meet = _crossing(core, rows, edges, index, normal, crossing)
    kept = meet & (dot(normal, w) <= limit[rows]) & _between(edges, index, normal)
    return _hits(core, rows, index, normal, point, foot, kept)


@_to_edges.register
def _(core: BoxEdges, rows: Integers, edges: Edges, index: Integers, limit: Floats) -> Hits:
    """Two sharp edges: the normal is from the ground into the box, against the normals of both faces that meet there."""
    normal, crossing = _common_normal(core, rows, edges, index)
    out = np.einsum("pij,pj->pi", core.outward[rows], normal)
    turned = out.sum(axis=1) > 0.0
    normal, out = np.where(turned[:, None], -normal, normal), np.where(turned[:, None], -out, out)
    point, foot, kept = _crossing(core, rows, edges, index, normal, crossing)
    gap = dot(normal, point - foot)
    kept &= (out <= TOUCH).all(axis=1) & (gap <= limit[rows]) & (gap >= -core.passage) & _between(edges, index, normal)
    kept &= core.inside.least_depth(rows, foot, core.outward[rows]) >= -gap - CAME_IN
    return _hits(core, rows, index, normal, point, foot, kept)


@_to_edges.register
def _(core: Flats, rows: Integers, edges: Edges, index: Integers, limit: Floats) -> Hits:
    return NO_HITS  # an edge that lies on a face crosses its sides, or ends on it


def _common_normal(core: Rods, rows: Integers, edges: Edges, index: Integers) -> tuple[Floats, Flags]:
    """Common normals of rods and edges, of either sign, and where there is one: parallel ones touch by their ends."""
    direction, half = edges.direction[index], core.half[rows]
    normal = cross(direction, half)
    size = np.sqrt(dot(normal, normal))
    crossing = size > 1e-12 * np.sqrt(dot(half, half))
    return normal / np.where(crossing, size, 1.0)[:, None], crossing


def _crossing(
    core: Rods, rows: Integers, edges: Edges, index: Integers, normal: Floats, crossing: Flags
) -> tuple[Floats, Floats, Flags]:
    """Where rods and edges cross, seen along the normal: points of both, and whether both are there."""
    start, direction, length = edges.start[index], edges.direction[index], edges.length[index]
    half, centre = core.half[rows], core.centre[rows]
    place = -dot(cross(centre - start, direction), normal) / np.where(crossing, dot(cross(half, direction), normal), 1.0)
    point = centre + place[:, None] * half
    along = dot(point - start, direction)
    foot = start + along[:, None] * direction
    return point, foot, crossing & (np.abs(place) < 1.0) & (along >= -TOUCH) & (along <= length + TOUCH)


# --- vertices -----------------------------------------------------------------------------------------------


def to_vertices(core: Core, rows: Integers, vertices: Vertices, index: Integers, limit: Floats) -> Hits:
    """Cores and vertices: normals in the cone of the vertex."""
    held = core.distance(rows, vertices.position[index]) <= limit[rows]
    if not held.all():
        rows, index = rows[held], index[held]
    return _to_vertices(core, rows, vertices, index) if len(rows) else NO_HITS


def _rise(vertices: Vertices, index: Integers, normal: Floats) -> Floats:
    """How much the steepest edge of a vertex rises along its normal: at most zero for a normal of its cone."""
    count = vertices.count[index]
    begin = np.cumsum(count) - count
    rows = np.repeat(np.arange(len(index)), count)
    edges = np.arange(len(rows)) + np.repeat(vertices.first[index] - begin, count)
    rise = np.maximum.reduceat(dot(vertices.directions[edges], normal[rows]), begin)
    # A pit has such normals too, on the inside.
    inside = ~vertices.is_border[index] & (dot(vertices.outward[index], normal) <= 0.0)
    return np.where(inside | np.isnan(rise), np.inf, rise)


@singledispatch
def _to_vertices(core: Core, rows: Integers, vertices: Vertices, index: Integers) -> Hits:
    raise NotImplementedError(f"no closest points for {type(core).__name__}")


@_to_vertices.register
def _(core: Balls, rows: Integers, vertices: Vertices, index: Integers) -> Hits:
    point, foot = core.centre[rows], vertices.position[index]
    normal, _ = direction_of(point - foot, vertices.outward[index])
    kept = _rise(vertices, index, normal) <= TOUCH
    if core.guard is not None:
        kept &= dot(normal, core.guard[rows]) >= 0.0
    return _hits(core, rows, index, normal, point, foot, kept)


@_to_vertices.register
def _(core: Discs, rows: Integers, vertices: Vertices, index: Integers) -> Hits:
    """The rim where the vertex is outside of it or in the plane of the disc, else the flat side."""
    centre, axis, foot = core.centre[rows], core.axis[rows], vertices.position[index]
    w = foot - centre
    height = dot(w, axis)
    w = w - height[:, None] * axis
    distance = np.sqrt(dot(w, w))
    out, _ = direction_of(w, across(axis))
    rim = centre + core.radius * out
    level = (np.abs(height) <= LEVEL) & (distance >= (1.0 - DEEPEST) * core.radius)
    apart, _ = direction_of(rim - foot, -out)
    by_rim = np.where(level[:, None], -out, apart)
    above = np.where((height > 0.0)[:, None], -axis, axis)
    rise = _rise(vertices, index, by_rim)
    over = distance < core.radius
    if not over.any():
        return _hits(core, rows, index, by_rim, rim, foot, rise <= TOUCH)
    near_side = _rise(vertices, index, above)
    come_through = ~vertices.is_border[index] & (np.abs(height) <= core.passage)
    far_side = np.where(come_through, _rise(vertices, index, -above), np.inf)
    on_rim = (rise <= TOUCH) & (~over | (level & (rise <= np.minimum(near_side, far_side))))
    on_side = ~on_rim & over & (np.minimum(near_side, far_side) <= TOUCH)
    side = np.where((near_side <= TOUCH)[:, None], above, -above)
    normal = np.where(on_rim[:, None], by_rim, side)
    point = np.where(on_rim[:, None], rim, centre + w)
    return _hits(core, rows, index, normal, point, foot, on_rim | on_side)


@_to_vertices.register
def _(core: Rods, rows: Integers, vertices: Vertices, index: Integers) -> Hits:
    half, centre, foot = core.half[rows], core.centre[rows], vertices.position[index]
    place = dot(foot - centre, half) / dot(half, half)
    point = centre + place[:, None] * half
    normal, _ = direction_of(point - foot, vertices.outward[index])
    return _hits(core, rows, index, normal, point, foot, (np.abs(place) < 1.0) & (_rise(vertices, index, normal) <= TOUCH))


@_to_vertices.register
def _(core: BoxEdges, rows: Integers, vertices: Vertices, index: Integers) -> Hits:
    return NO_HITS  # a vertex that has come to an edge of a box is on one of its faces, or its edges cross that


@_to_vertices.register
def _(core: Flats, rows: Integers, vertices: Vertices, index: Integers) -> Hits:
    """The face above the vertex, with its own normal."""
    foot, out = vertices.position[index], core.outward[rows]
    w = foot - core.centre[rows]
    gap = dot(w, out)
    spans = core.spans[rows]
    along = np.abs(np.einsum("pij,pj->pi", spans, w)) < (spans**2).sum(axis=2)
    kept = along.all(axis=1) & (gap >= -core.passage) & (_rise(vertices, index, -out) <= TOUCH)
    kept &= core.inside.least_depth(rows, foot, out[:, None]) >= -gap - CAME_IN
    return _hits(core, rows, index, -out, foot - gap[:, None] * out, foot, kept)


# --- helpers ------------------------------------------------------------------------------------------------


def direction_of(difference: Floats, otherwise: Floats) -> tuple[Floats, Floats]:
    """Unit vectors along differences, and their lengths; other ones where there is no difference."""
    distance = np.sqrt(dot(difference, difference))
    none = distance <= CLOSE
    unit = difference / np.where(none, 1.0, distance)[:, None]
    return (np.where(none[:, None], otherwise, unit) if none.any() else unit), distance


def join(parts: list[Hits]) -> Hits:
    """All hits of several lists."""
    parts = [part for part in parts if len(part.row)]
    if len(parts) < 2:
        return parts[0] if parts else NO_HITS
    return Hits(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
