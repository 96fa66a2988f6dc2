"""Where a shape can touch a ground: candidates with gap, normal, points and frame, nearest first; and the least gap.

Two rules choose among the features. `complete` keeps every face, edge and vertex that can touch, so that a wheel may rest
on the road and against a kerb at once. `source` is that of spec 000-ch3-4 section 2.4 and Appendix D: one candidate for each
part of the shape, and any face before edges and vertices, however near they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor.errors import NotFiniteError, QuantityError, UnknownNameError
from locomotor.lie import SE3
from locomotor.mechanics.terrain import source_rule
from locomotor.mechanics.terrain.broad_phase import near
from locomotor.mechanics.terrain.closest import TOUCH, Hits, join, to_edges, to_faces, to_vertices
from locomotor.mechanics.terrain.cores import Core, dot, place
from locomotor.mechanics.terrain.features import Surface, surface_of
from locomotor.mechanics.terrain.inside import deepest
from locomotor.mechanics.terrain.shapes import Shape
from locomotor.model import Plane, Terrain
from locomotor.model.names import suggestion

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Ground = Plane | Terrain | Surface
Values = Mapping[str, float]

KINDS = ("face", "edge", "vertex")
RULES = ("complete", "source")
REACH = 0.1
"""Candidates up to this gap (m) are listed, and the nearest one in any case."""
SAME_PLACE, SAME_NORMAL = 1e-7, 1e-6
"""Candidates of one part nearer to each other (m, rad) are one contact, found from both sides of a border."""


class Feature(NamedTuple):
    """A feature of a ground: its kind and number. Coplanar neighbours are one face, edges in one line one edge."""

    kind: str
    index: int


@dataclass(frozen=True, eq=False)
class Candidate:
    """A pair of pre-contact points, in the world."""

    feature: Feature
    part: int
    """Of the shape: end 0 or 1 of a capsule, 2 its side; a corner of a box, 0 to 7; 0 for other shapes."""
    gap: float
    """N . (C - C'), negative where shape and obstacle overlap; its rate is N . v(C)."""
    normal: Floats
    """N, unit, from the obstacle to the shape."""
    point: Floats
    """C, on the shape."""
    foot: Floats
    """C', on the obstacle."""
    heading: Floats = field(repr=False)

    @property
    def frame(self) -> Floats:
        """Contact frame with columns (N, T, B), B = N x T; T is the direction in which a wheel rolls."""
        tangent = self.heading - (self.heading @ self.normal) * self.normal
        tangent = tangent / np.linalg.norm(tangent)
        return np.column_stack((self.normal, tangent, np.cross(self.normal, tangent)))


def query(
    ground: Ground,
    shape: Shape,
    pose: SE3,
    *,
    reach: float = REACH,
    rule: str = "complete",
    values: Values | None = None,
) -> tuple[Candidate, ...]:
    """Candidates of a shape on a body at a pose, nearest first: those with a gap up to `reach`, and the nearest at least.

    `values` are those of the parameters, where the ground is a plane that depends on some.
    """
    surface = _surface(ground, values)
    rotations, translations = _poses(pose.rotation, pose.translation)
    found = _search(surface, shape, rotations, translations, _checked_reach(reach), _checked_rule(rule))
    gap, kind = found.hits.gap, found.kind
    listed = gap <= max(reach, float(gap.min()))
    order = np.lexsort((kind, gap))
    candidates: list[Candidate] = []
    for i in order[listed[order]].tolist():
        normal, foot = found.hits.normal[i], found.hits.foot[i]
        part = int(found.part[i])
        if any(_same(other, part, normal, foot) for other in candidates):
            continue
        feature = Feature(KINDS[kind[i]], found.feature(surface, i))
        heading = shape.heading_in(pose, normal)
        candidates.append(Candidate(feature, part, float(gap[i]), normal, found.hits.point[i], foot, heading))
    return tuple(candidates)


def _same(other: Candidate, part: int, normal: Floats, foot: Floats) -> bool:
    """Whether a candidate is one already listed."""
    return (
        other.part == part
        and float(np.abs(other.foot - foot).max()) <= SAME_PLACE
        and float(np.abs(other.normal - normal).max()) <= SAME_NORMAL
    )


def gap(
    ground: Ground, shape: Shape, pose: SE3, *, rule: str = "complete", values: Values | None = None
) -> float:
    """The least gap (m) of a shape on a body at a pose: defined everywhere, negative where they overlap."""
    return float(gaps(ground, shape, *_poses(pose.rotation, pose.translation), rule=rule, values=values)[0])


def gaps(
    ground: Ground,
    shape: Shape,
    rotations: ArrayLike,
    translations: ArrayLike,
    *,
    rule: str = "complete",
    values: Values | None = None,
) -> Floats:
    """The least gaps of a shape at n poses of its body: rotations n x 3 x 3, translations n x 3."""
    R, p = _poses(rotations, translations)
    found = _search(_surface(ground, values), shape, R, p, -np.inf, _checked_rule(rule))
    least = np.full(len(R), np.inf)
    np.minimum.at(least, found.owner, found.hits.gap)
    return least


# --- reading ------------------------------------------------------------------------------------------------


def _surface(ground: Ground, values: Values | None) -> Surface:
    return ground if isinstance(ground, Surface) else surface_of(ground, values)


def _poses(rotations: ArrayLike, translations: ArrayLike) -> tuple[Floats, Floats]:
    R, p = np.asarray(rotations, dtype=float), np.asarray(translations, dtype=float)
    R, p = R.reshape(-1, 3, 3), p.reshape(-1, 3)
    if len(R) != len(p):
        raise QuantityError(f"there are {len(R)} rotations and {len(p)} translations; give as many of both")
    if not (np.isfinite(R).all() and np.isfinite(p).all()):
        raise NotFiniteError("a pose is not finite: the motion has blown up before its gap was asked for")
    return R, p


def _checked_rule(rule: str) -> str:
    if rule not in RULES:
        raise UnknownNameError(f"no rule for contacts is named {rule!r}: {suggestion(rule, RULES)}")
    return rule


def _checked_reach(reach: float) -> float:
    if not reach >= 0.0:
        raise QuantityError(f"the reach is {reach!r} m; give a number that is not negative")
    return float(reach)


# --- searching ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Found:
    """Hits of all kinds and cores; `hits.row` is of no use any more."""

    hits: Hits
    kind: Integers
    owner: Integers
    part: Integers
    depth: Floats
    """Distance of the centre of the core from the plane through the foot: negative on the inside of a face."""

    def feature(self, surface: Surface, i: int) -> int:
        index = self.hits.index[i]
        kind = self.kind[i]
        if kind == 0:
            return int(surface.faces.patch[index])
        return int(surface.edges.chain[index]) if kind == 1 else int(index)

    def __getitem__(self, chosen: Integers | NDArray[np.bool_]) -> _Found:
        hits = Hits(*(part[chosen] for part in self.hits))
        return _Found(hits, self.kind[chosen], self.owner[chosen], self.part[chosen], self.depth[chosen])


def _search(surface: Surface, shape: Shape, R: Floats, p: Floats, reach: float, rule: str) -> _Found:
    cores = place(shape, R, p)
    pieces = [piece for core in cores for piece in _pieces(surface, core, reach, rule)]
    found = _joined(pieces)
    found = _visible(surface, found)
    missing = np.setdiff1d(np.arange(len(R)), found.owner) if len(R) > 1 or not len(found.owner) else ()
    if len(missing):
        pieces = [_piece(core, 0, deepest(surface, core, missing)) for core in cores]
        found = _joined([_Found(found.hits, found.kind, found.owner, found.part, found.depth), *pieces])
    return found


def _pieces(surface: Surface, core: Core, reach: float, rule: str) -> Iterator[_Found]:
    if rule == "source":
        for kind, hits in enumerate(source_rule.hits(surface, core)):
            yield _piece(core, kind, hits)
        return
    rows, triangles, limit = near(surface.tree, core, reach + core.margin)
    yield _piece(core, 0, to_faces(core, rows, surface.faces, triangles, limit))
    for kind, table in ((1, surface.triangle_edges), (2, surface.triangle_vertices)):
        index = table[triangles]
        pair, place_ = np.nonzero(index >= 0)
        if pair.size:
            features = index[pair, place_]
            if kind == 1:
                yield _piece(core, 1, to_edges(core, rows[pair], surface.edges, features, limit))
            else:
                yield _piece(core, 2, to_vertices(core, rows[pair], surface.vertices, features, limit))


def _piece(core: Core, kind: int, hits: Hits) -> _Found:
    depth = dot(hits.normal, core.centre[hits.row] - hits.foot)
    return _Found(hits, np.full(len(hits.row), kind), core.owner[hits.row], core.part[hits.row], depth)


def _joined(pieces: list[_Found]) -> _Found:
    return _Found(
        join([piece.hits for piece in pieces]),
        *(
            np.concatenate([getattr(piece, name) for piece in pieces])
            for name in ("kind", "owner", "part", "depth")
        ),
    )


def _visible(surface: Surface, found: _Found) -> _Found:
    """Without the faces that hide behind others: the underside of a slab under a wheel on top of it.

    A face B that the centre of the core is behind of is left out if a face, edge or vertex A of the same part, less deep, lies wholly
    behind the plane of B: then the surface is convex between them, and the way out is through A.
    """
    behind = np.flatnonzero((found.kind == 0) & (found.depth < -TOUCH))
    if not behind.size:
        return found
    kept = np.ones(len(found.kind), dtype=bool)
    for b in behind.tolist():
        normal, depth = found.hits.normal[b], found.depth[b]
        rivals = (found.owner == found.owner[b]) & (found.part == found.part[b])
        rivals &= (found.depth > depth) & (np.abs(found.depth) < -depth)
        for a in np.flatnonzero(rivals).tolist():
            heights = (_points(surface, int(found.kind[a]), int(found.hits.index[a])) - found.hits.foot[b]) @ normal
            if float(heights.max()) <= TOUCH:
                kept[b] = False
                break
    return found if kept.all() else found[kept]


def _points(surface: Surface, kind: int, index: int) -> Floats:
    if kind == 0:
        return surface.faces.corners[index]
    if kind == 1:
        edges = surface.edges
        return np.stack((edges.start[index], edges.start[index] + edges.length[index] * edges.direction[index]))
    return surface.vertices.position[index][None]


