"""All pairs of a shape and a ground that can touch, at many poses: broad phase, closest points, what is hidden left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.geometry import source_rule
from locomotor.geometry.broad_phase import SLACK, near
from locomotor.geometry.closest import Hits, join, to_edges, to_faces, to_vertices
from locomotor.geometry.cores import BoxEdges, Core, Flats, place
from locomotor.geometry.features import Surface
from locomotor.geometry.inside import deepest, nearest_triangles
from locomotor.geometry.shapes import Shape
from locomotor.typing import Flags, Floats, Integers

FACE, EDGE, VERTEX = 0, 1, 2
SHALLOW = 1e-7
"""Faces entered by less (m) are not in doubt."""
ALIKE = 0.999
"""Nearer means nearer by more than a thousandth."""


@dataclass(frozen=True, eq=False)
class Found:
    """Hits of all kinds and cores."""

    hits: Hits
    kind: Integers
    owner: Integers
    """Number of the pose that a hit belongs to."""
    part: Integers

    def feature(self, surface: Surface, i: int) -> int:
        """Number of the feature of hit i: flat pieces and straight edges have that of their first triangle or edge."""
        number = self.hits.number[i]
        if self.kind[i] == FACE:
            return int(surface.faces.patch[number])
        return int(surface.edges.chain[number] if self.kind[i] == EDGE else number)

    def take(self, chosen: Integers | Flags) -> Found:
        """Some of the hits."""
        return Found(self.hits.take(chosen), self.kind[chosen], self.owner[chosen], self.part[chosen])


def search(surface: Surface, shape: Shape, rotations: Floats, translations: Floats, reach: float, rule: str) -> Found:
    """Everything within `reach` of the shape at each pose, and something in any case."""
    cores = place(shape, rotations, translations)
    found = _joined([piece for core in cores for piece in _pieces(surface, core, reach, rule)])
    found = _visible(surface, found)
    n = len(rotations)
    if n > 1 or not len(found.owner):
        missing = np.flatnonzero(np.bincount(found.owner, minlength=n) == 0)
        if missing.size:
            whole = [core for core in cores if _stands_for_body(core)]
            found = _joined([found, *(_piece(core, FACE, deepest(surface, core, missing)) for core in whole)])
    return found


def _stands_for_body(core: Core) -> bool:
    """Whether a core says where a body is that can touch nothing; the corners of a box do so for its edges and faces."""
    return not isinstance(core, BoxEdges | Flats)


def _pieces(surface: Surface, core: Core, reach: float, rule: str) -> Iterator[Found]:
    if rule == "source":
        for kind, hits in enumerate(source_rule.hits(surface, core)):
            yield _piece(core, kind, hits)
        return
    reach = max(reach + core.margin, core.passage)
    rows, triangles, limit = near(surface.tree, core, reach)
    faces, rows, triangles = to_faces(core, rows, surface.faces, triangles, limit)
    yield _piece(core, FACE, faces)
    if len(faces.row):  # nothing beyond the nearest face is asked for, except within reach
        least = limit.copy()
        np.minimum.at(least, faces.row, np.abs(faces.gap + core.margin) * SLACK)
        limit = np.maximum(least, reach)
    pair, number = _looked_after(surface.triangle_edges, triangles)
    if pair.size:
        yield _piece(core, EDGE, to_edges(core, rows[pair], surface.edges, number, limit))
    pair, number = _looked_after(surface.triangle_vertices, triangles)
    if pair.size:
        yield _piece(core, VERTEX, to_vertices(core, rows[pair], surface.vertices, number, limit))


def _looked_after(table: Integers, triangles: Integers) -> tuple[Integers, Integers]:
    number = table[triangles]
    pair, corner = np.nonzero(number >= 0)
    return pair, number[pair, corner]


def _piece(core: Core, kind: int, hits: Hits) -> Found:
    return Found(hits, np.full(len(hits.row), kind), core.owner[hits.row], core.part[hits.row])


def _joined(pieces: list[Found]) -> Found:
    pieces = [piece for piece in pieces if len(piece.kind)] or pieces[:1]
    if len(pieces) == 1:
        return pieces[0]
    return Found(
        join([piece.hits for piece in pieces]),
        np.concatenate([piece.kind for piece in pieces]),
        np.concatenate([piece.owner for piece in pieces]),
        np.concatenate([piece.part for piece in pieces]),
    )


def _visible(surface: Surface, found: Found) -> Found:
    """Without the faces that hide behind others: the underside of a slab under a wheel on top of it.

    A point C that is behind the face B by |gap| has not come in through B if some other flat piece is nearer to it, and the
    body has a candidate there, less deep: that is the way it came, and the way out.
    """
    behind = np.flatnonzero((found.kind == FACE) & (found.hits.gap < -SHALLOW))
    if not behind.size:
        return found
    distance, triangle = nearest_triangles(surface, found.hits.point[behind])
    doubtful = np.flatnonzero(distance < -ALIKE * found.hits.gap[behind])
    hidden = [
        i
        for i, t in zip(behind[doubtful].tolist(), triangle[doubtful].tolist(), strict=True)
        if _explained(surface, found, i, t)
    ]
    if not hidden:
        return found
    kept = np.ones(len(found.kind), dtype=bool)
    kept[hidden] = False
    return found.take(kept)


def _explained(surface: Surface, found: Found, i: int, triangle: int) -> bool:
    """Whether a candidate of the same part, less deep than hit i, is on the flat piece of that triangle or at its border."""
    patch = surface.faces.patch[triangle]
    rivals = (found.owner == found.owner[i]) & (found.part == found.part[i]) & (found.hits.gap > found.hits.gap[i])
    for j in np.flatnonzero(rivals).tolist():
        kind, number = found.kind[j], found.hits.number[j]
        if kind == FACE:
            explained = surface.faces.patch[number] == patch
        elif kind == EDGE:
            explained = bool((surface.edges.patches[number] == patch).any())
        else:
            explained = bool((surface.vertex_of[triangle] == number).any())
        if explained:
            return True
    return False
