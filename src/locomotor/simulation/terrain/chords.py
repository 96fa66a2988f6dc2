"""Discs that lie along an edge: the edge runs beneath a chord of the flat side, and touches the rim at both of its ends.

A search finds the nearer end. Once the disc stands on that one, the other is known from it: it comes down where the disc and
the edge become parallel. Each end is a contact of its own, as the two edges of a box are that lies across a kerb.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from locomotor.dataclass import replace
from locomotor.geometry import Candidate, Disc, Feature, Surface, cross
from locomotor.lie import SE3
from locomotor.simulation.terrain.footing import Footing
from locomotor.typing import Flags, Vector

TURNED = 0.5
"""|a . e| of the axis of a disc and an edge above which no chord of it is beneath the other end."""
SHORTEST = 0.01
"""Half the length of a chord, in radii, below which its ends are one."""
SLACK = 1e-12
"""An edge is taken to reach farther by this (m)."""


class End(NamedTuple):
    """An end of a chord at some places of a disc: as the hits of a search, and whether the edge is beneath it at all."""

    gap: Vector
    normal: Vector
    point: Vector
    foot: Vector
    there: Flags


def is_rim(footing: Footing) -> bool:
    """Whether a contact stands on an edge with the rim of a thin disc."""
    return footing.kind == "rim" and isinstance(footing.rough.shape, Disc)


def other_end(feature: Feature) -> Feature:
    """The name of an edge for the other end of a chord: the one that is stood upon first is part 0."""
    return feature._replace(part=1 - feature.part)


@lru_cache(maxsize=256)
def _extent(surface: Surface, number: int) -> tuple[Vector, Vector, float]:
    """Begin, direction and length of a straight edge, which may be several in one line."""
    edges = surface.edges
    direction = edges.direction[number]
    own = np.flatnonzero(edges.chain == edges.chain[number])
    ends = np.concatenate([edges.start[own], edges.start[own] + edges.length[own, None] * edges.direction[own]])
    along = (ends - edges.start[number]) @ direction
    return edges.start[number] + along.min() * direction, direction, float(along.max() - along.min())


def off_edge(surface: Surface, number: int, point: Vector) -> float:
    """Distance (m) of a point from the line of a straight edge."""
    start, e, _ = _extent(surface, number)
    away = point - start
    return float(np.linalg.norm(away - (away @ e) * e))


@lru_cache(maxsize=256)
def border_of(surface: Surface, patch: int) -> frozenset[Feature]:
    """Edges and corners of a flat piece of a terrain, as a disc may touch them."""
    own = np.flatnonzero(surface.faces.patch == patch)
    edges = surface.edges.chain[np.unique(surface.edge_of[own][surface.edge_of[own] >= 0])]
    corners = np.unique(surface.vertex_of[own][surface.vertex_of[own] >= 0])
    ends = {Feature("edge", int(number), part) for number in edges for part in (0, 1)}
    return frozenset(ends | {Feature("vertex", int(number), 0) for number in corners})


def end_of_chord(shape: Disc, surface: Surface, number: int, places: tuple[Vector, Vector], end: float, side: float) -> End:
    """An end of the chord above an edge, 1 along it or -1, seen from a side of the disc, 1 along its axis or -1.

    `places` are rotations (n, 3, 3) and translations (n, 3) of the body.
    """
    start, e, length = _extent(surface, number)
    R, p = places
    centre, axis, r = p + R @ shape.centre, R @ shape.axis, shape.radius
    k = cross(np.broadcast_to(e, axis.shape), axis)
    size = np.sqrt((k * k).sum(axis=1))
    k = k / np.maximum(size, 1e-12)[:, None]
    x = ((start - centre) * k).sum(axis=1)
    half = np.sqrt(np.maximum(r * r - x * x, 0.0))
    out = x[:, None] * k + (end * half)[:, None] * cross(axis, k)
    point = centre + out
    normal = (out @ e)[:, None] * axis - (axis @ e)[:, None] * out  # across edge and rim: e x (a x u)
    normal = normal / np.maximum(np.sqrt((normal * normal).sum(axis=1)), 1e-300)[:, None]
    normal = np.where((normal * axis).sum(axis=1) * side < 0.0, -1.0, 1.0)[:, None] * normal
    along = (point - start) @ e
    foot = start + along[:, None] * e
    there = (np.abs(axis @ e) < TURNED) & (half > SHORTEST * r) & (along >= -SLACK) & (along <= length + SLACK)
    return End(((point - foot) * normal).sum(axis=1), normal, point, foot, there)


def end_at(footing: Footing, pose: SE3) -> tuple[float, float]:
    """With which end of the chord a rim stands on its edge, and on which side of the disc that is; both 1 or -1."""
    shape = footing.rough.shape
    point, normal = footing.at(pose)
    axis = np.asarray(pose.rotation) @ shape.axis  # type: ignore[attr-defined]
    end = float((point - shape.centre_in(pose)) @ footing.vectors["direction"])
    return float(np.copysign(1.0, end)), float(np.copysign(1.0, normal @ axis))


def ends_along(footing: Footing, places: tuple[Vector, Vector], first: SE3, other: bool) -> End:
    """The end of the chord with which a rim stands on its edge, or the other one, at some places from a first one on."""
    end, side = end_at(footing, first)
    shape, surface = footing.rough.shape, footing.rough.surface
    assert isinstance(shape, Disc)
    return end_of_chord(shape, surface, footing.feature.number, places, -end if other else end, side)


def twins(footings: Mapping[Feature, Footing], pose: SE3) -> list[Candidate]:
    """Where the other ends of chords could touch on whose first end a disc stands."""
    found = []
    for feature, footing in footings.items():
        if not is_rim(footing) or other_end(feature) in footings:
            continue
        one = ends_along(footing, (np.asarray(pose.rotation)[None], np.asarray(pose.translation)[None]), pose, True)
        if one.there[0]:
            heading = footing.rough.shape.heading_in(pose, one.normal[0])
            where = one.normal[0], one.point[0], one.foot[0], heading
            found.append(Candidate(other_end(feature), 0, float(one.gap[0]), *where))
    return found


def renamed(footings: Mapping[str, Footing]) -> Mapping[str, Footing]:
    """With the end of a chord as the first one of its edge where the first has lifted."""
    known = {(entry.rough.name, entry.feature) for entry in footings.values()}
    lone = {
        slot: entry
        for slot, entry in footings.items()
        if is_rim(entry) and entry.feature.part == 1 and (entry.rough.name, other_end(entry.feature)) not in known
    }
    return {**footings, **{slot: replace(entry, feature=other_end(entry.feature)) for slot, entry in lone.items()}}
