"""Discs that lie along an edge: the edge runs beneath a chord of the flat side, and touches the rim at both of its ends.

A search finds the nearer end. Once the disc stands on that one, the other is known from it: it comes down where the disc and
the edge become parallel. Each end is a contact of its own, as the two edges of a box are that lies across a kerb.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from locomotor.dataclass import replace
from locomotor.geometry import Candidate, Disc, Feature, Surface, cross
from locomotor.lie import SE3, ops
from locomotor.simulation.terrain.footing import Footing
from locomotor.typing import Flags, Vector

TURNED = 0.5
"""|a . e| of the axis of a disc and an edge above which no chord of it is beneath the other end."""
SHORTEST = 0.01
"""Half the length of a chord, in radii, below which its ends are one."""
PARTED = 0.1
"""Half the length of a chord, in radii, from which a side that touches an edge with one point does so with both its ends."""
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


def until_they_meet(footing: Footing, pose: SE3, velocity: Vector, omega: Vector) -> float:
    """Time (s) in which both ends of a chord on which a disc stands come together as it moves now; infinite where they do not.

    The square of half its length, r^2 - x^2 with the distance x of the edge from the centre, goes to zero like a straight line.
    """
    shape, (start, e, _) = footing.rough.shape, _extent(footing.rough.surface, footing.feature.number)
    assert isinstance(shape, Disc)
    R = np.asarray(pose.rotation)
    arm, axis = R @ shape.centre, R @ shape.axis
    across = ops.cross(e, axis)
    size = float(np.linalg.norm(across))
    k, turn = across / size, ops.cross(e, ops.cross(omega, axis)) / size
    away = start - shape.centre_in(pose)
    x = float(away @ k)
    x_dot = float(away @ (turn - (turn @ k) * k) - (velocity + ops.cross(omega, arm)) @ k)
    return max(shape.radius**2 - x * x, 0.0) / (2.0 * x * x_dot) if x * x_dot > 0.0 else math.inf


def is_one(footing: Footing) -> bool:
    """Whether the side of a thin disc stands on an edge with one point."""
    return footing.kind == "tip" and footing.feature.kind == "edge" and footing.slides and _is_thin(footing)


def _is_thin(footing: Footing) -> bool:
    shape = footing.rough.shape
    return isinstance(shape, Disc) and not shape.tube


def parts_by(footing: Footing, places: tuple[Vector, Vector]) -> Vector:
    """How far (m^2) the square of half the chord above an edge is beyond what parts its ends, at some places of a disc."""
    return _squares(footing, places) - (PARTED * footing.rough.shape.radius) ** 2  # type: ignore[attr-defined]


def is_short(footing: Footing, pose: SE3) -> bool:
    """Whether the ends of the chord above an edge are one."""
    square = float(_squares(footing, (np.asarray(pose.rotation)[None], np.asarray(pose.translation)[None]))[0])
    return square <= (SHORTEST * footing.rough.shape.radius) ** 2  # type: ignore[attr-defined]


def _squares(footing: Footing, places: tuple[Vector, Vector]) -> Vector:
    """The square of half the length of the chord above an edge, negative beside the disc, at some of its places."""
    shape, (start, e, _) = footing.rough.shape, _extent(footing.rough.surface, footing.feature.number)
    assert isinstance(shape, Disc)
    R, p = places
    across = cross(np.broadcast_to(e, p.shape), R @ shape.axis)
    k = across / np.maximum(np.sqrt((across * across).sum(axis=1)), 1e-12)[:, None]
    x = ((start - p - R @ shape.centre) * k).sum(axis=1)
    return np.asarray(shape.radius**2 - x * x)


def ends_of_chord(footing: Footing, pose: SE3) -> list[Candidate]:
    """Both ends of the chord above an edge on which a side stands with one point; fewer where the edge is not beneath them."""
    shape, feature = footing.rough.shape, footing.feature
    assert isinstance(shape, Disc)
    place, found = (np.asarray(pose.rotation)[None], np.asarray(pose.translation)[None]), []
    side = float(np.copysign(1.0, footing.at(pose)[1] @ (place[0][0] @ shape.axis)))
    for part, end in enumerate((1.0, -1.0)):
        one = end_of_chord(shape, footing.rough.surface, feature.number, place, end, side)
        if one.there[0]:
            where = one.normal[0], one.point[0], one.foot[0], shape.heading_in(pose, one.normal[0])
            found.append(Candidate(feature._replace(part=part), 0, float(one.gap[0]), *where))
    return found


def middle_of_chord(footing: Footing, pose: SE3) -> Candidate:
    """The middle of the chord above an edge, as if the side of the disc touched with that point alone."""
    shape, feature = footing.rough.shape, footing.feature._replace(part=0)
    assert isinstance(shape, Disc)
    start, e, _ = _extent(footing.rough.surface, feature.number)
    centre, axis = shape.centre_in(pose), np.asarray(pose.rotation) @ shape.axis
    across = ops.cross(e, axis)
    k = across / np.linalg.norm(across)
    point = centre + ((start - centre) @ k) * k
    foot = start + ((point - start) @ e) * e
    normal = end_at(footing, pose)[1] * axis
    return Candidate(feature, 0, float((point - foot) @ normal), normal, point, foot, shape.heading_in(pose, normal))


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
