"""The rule of the source: faces before edges before vertices, triangle by triangle.

Mauny (2018), appendix D, with normalised normals and signed gaps. For each triangle the lowest point of
the body along its normal is projected on its plane. If that falls outside, the edge nearest to it is tried, with the
normal from the edge to the centre of the body, and if that fails too the three corners. The least gap of all faces is chosen;
only where there is no face at all, the least of the rest. So the gap of a wheel that rolls off a ramp jumps, and the contact
opens.

For a disc that is not normal to an edge these are not the nearest points; `closest` has those.
"""

from __future__ import annotations

import numpy as np

from locomotor.geometry.broad_phase import near
from locomotor.geometry.closest import TOUCH, Hits, direction_of, join, to_faces
from locomotor.geometry.cores import Core, Flats, Rods, dot
from locomotor.geometry.features import Surface
from locomotor.typing import Flags, Floats, Integers


def hits(surface: Surface, core: Core) -> tuple[Hits, Hits, Hits]:
    """Faces, edges and vertices by the rule; edges and vertices only for rows without a face."""
    if isinstance(core, Rods | Flats):
        return join([]), join([]), join([])
    faces = _faces(surface, core)
    without = np.ones(len(core.centre), dtype=bool)
    without[faces.row] = False
    if not without.any():
        return faces, join([]), join([])
    rows, triangles, _ = near(surface.tree, core, 0.0)
    chosen = without[rows]
    rows, triangles = rows[chosen], triangles[chosen]
    edges, done = _edges(surface, core, rows, triangles)
    rest = ~done
    vertices = _vertices(surface, core, rows[rest], triangles[rest])
    return faces, edges, vertices


def _faces(surface: Surface, core: Core) -> Hits:
    """Faces over which the body is, in front of them: the nearest at least, however far it is."""
    found: list[Hits] = []
    rows, reach = np.arange(len(core.centre)), 0.0
    while rows.size:
        some = core.take(rows)
        pairs, triangles, limit = near(surface.tree, some, reach)
        hits, _, _ = to_faces(some, pairs, surface.faces, triangles, np.full(len(rows), np.inf))
        if not _is_point(core):
            hits = hits.take(dot(hits.normal, some.centre[hits.row] - hits.foot) >= -max(TOUCH, core.margin))
        least = np.full(len(rows), np.inf)
        np.minimum.at(least, hits.row, np.abs(hits.gap + core.margin))
        # Faces not looked at are farther than the limit.
        done = (least <= limit) | (np.bincount(pairs, minlength=len(rows)) == len(surface.tree.order))
        hits = hits.take(done[hits.row])
        found.append(hits._replace(row=rows[hits.row]))
        wanted = np.where(np.isfinite(least), least, 4.0 * limit)[~done]
        rows, reach = rows[~done], float(wanted.max(initial=0.0)) + TOUCH
    return join(found)


def _is_point(core: Core) -> bool:
    """Whether the body is a mere point, which is behind every face that it has entered."""
    return core.margin == 0.0 and not core.extent.any()


def _edges(surface: Surface, core: Core, rows: Integers, triangles: Integers) -> tuple[Hits, Flags]:
    """The nearest edge of each triangle where the projection is on it, and for which pairs that is so."""
    faces = surface.faces
    normal = faces.normal[triangles]
    low = core.lowest(rows, normal)
    projected = low - (dot(normal, low) - faces.offset[triangles])[:, None] * normal
    outside = faces.bounds[triangles] - np.einsum("pij,pj->pi", faces.sides[triangles], projected)
    index = surface.edge_of[triangles, outside.argmax(axis=1)]
    known = index >= 0
    at = index[known]
    start, direction = surface.edges.start[at], surface.edges.direction[at]
    away = core.centre[rows[known]] - start
    away = away - dot(away, direction)[:, None] * direction
    normal, _ = direction_of(away, surface.edges.outward[at])
    point = core.lowest(rows[known], normal)
    along = dot(point - start, direction)
    foot = start + along[:, None] * direction
    on_edge = (along >= -TOUCH) & (along <= surface.edges.length[at] + TOUCH)
    done = np.zeros(len(rows), dtype=bool)
    done[np.flatnonzero(known)[on_edge]] = True
    return _made(core, rows[known][on_edge], at[on_edge], normal[on_edge], point[on_edge], foot[on_edge]), done


def _vertices(surface: Surface, core: Core, rows: Integers, triangles: Integers) -> Hits:
    index = surface.vertex_of[triangles]
    pair, place = np.nonzero(index >= 0)
    rows, at = rows[pair], index[pair, place]
    foot = surface.vertices.position[at]
    normal, _ = direction_of(core.centre[rows] - foot, surface.vertices.outward[at])
    return _made(core, rows, at, normal, core.lowest(rows, normal), foot)


def _made(core: Core, rows: Integers, index: Integers, normal: Floats, point: Floats, foot: Floats) -> Hits:
    gap = dot(normal, point - foot) - core.margin
    return Hits(rows, index, gap, normal, point - core.margin * normal, foot)
