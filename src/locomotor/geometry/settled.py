"""What comes down together where a disc, or a face of a box, is level with what it touches: each point a contact of its own.

A search finds the nearest point of a shape to each face, edge and corner. Where a disc is level with one of them, others come
down within a step: both ends of a chord along an edge, and points all around its rim. Along an edge that is level with a face
of a box both ends of their common stretch do; corners of the box are found in any case. Event-driven runs follow them one by
one (`simulation/terrain/chords.py`); a step of a given length has to know them beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import NamedTuple

import numpy as np

from locomotor.geometry.broad_phase import near
from locomotor.geometry.closest import TOUCH
from locomotor.geometry.cores import Discs, Flats, Rows, place
from locomotor.geometry.features import Surface
from locomotor.geometry.query import DIGITS, KINDS, Candidate, Feature
from locomotor.geometry.shapes import Box, Disc, Shape
from locomotor.lie import SE3
from locomotor.typing import Floats

LEVEL = 0.1
"""A disc is level with what it touches up to the angle (its sine) at which its far side is within reach, and this at most:
above it rolls, on its lowest point."""
ALONG_A_CHORD = 0.9
"""|N . a| of the normal at an end of a chord and of the axis: of a shorter chord the rim is not level with the edge."""
SHORTEST_CHORD = 0.01
"""Half the length of a chord, in radii, below which its ends are one."""
SPREAD, ONE_WAY = 0.5, 0.999
"""Points nearer to each other (radii), with normals whose cosine is more than this, are one contact."""
STRETCH = 0.1
"""What an edge and a face of a box have in common is longer than this, in parts of the thinnest half of the box; ends nearer to
a candidate, in parts of its half along x, are that candidate."""
NO_WAY = 1e-13
"""Below this a span is across an edge."""

Stand = tuple[Floats, Floats, Floats]
"""Normal, point of the core, and foot."""


Standing = list[tuple[Candidate, float]]
"""Candidates, and for each 1 where a disc is level with it, else 0."""


@singledispatch
def settled(shape: Shape, surface: Surface, pose: SE3, found: Sequence[Candidate], reach: float) -> Standing:
    """Candidates of a shape and what comes down with them, nearest first."""
    return [(each, 0.0) for each in found]


@settled.register
def _(shape: Disc, surface: Surface, pose: SE3, found: Sequence[Candidate], reach: float) -> Standing:
    (core,) = place(shape, np.asarray(pose.rotation)[None], np.asarray(pose.translation)[None])
    assert isinstance(core, Discs)
    level = min(0.5 * reach / shape.radius, LEVEL) ** 2
    stands = [(each, float(each.gap <= reach and _is_level(core, each.normal, level))) for each in found]
    first = next((each for each, is_level in stands if is_level), None)
    if first is None:
        return stands
    low = (core.lowest(slice(None), first.normal[None])[0] - core.centre[0]) / shape.radius
    across = np.cross(core.axis[0], low)
    rim = (low, across, -low, -across)
    triangles = near(surface.tree, core, reach + shape.tube)[1]
    for triangle in triangles.tolist():
        for normal, point, foot in (*_on_face(surface, core, triangle, rim, level), *_on_edges(surface, core, triangle, level)):
            gap = float(normal @ (point - foot)) - shape.tube
            if -core.passage <= gap <= reach:
                there = normal, point - shape.tube * normal, foot, shape.heading_in(pose, normal)
                stands.append((Candidate(Feature("face", triangle), 0, gap, *there), 1.0))
    kept: Standing = []
    for stand in _in_order(stands):
        if not any(_are_one(stand, other, shape.radius) for other in kept):
            kept.append(stand)
    return kept


@settled.register
def _(shape: Box, surface: Surface, pose: SE3, found: Sequence[Candidate], reach: float) -> Standing:
    stands = [(each, 0.0) for each in found]
    if found[0].gap > reach:
        return stands
    R, p = np.asarray(pose.rotation)[None], np.asarray(pose.translation)[None]
    flats = place(shape, R, p)[2]
    assert isinstance(flats, Flats)
    hull = Hull(flats.inside.centre[0], np.abs(flats.inside.axes[0].T) @ flats.inside.half)
    for triangle in near(surface.tree, hull, reach)[1].tolist():
        for number in surface.triangle_edges[triangle].tolist():
            for face in range(len(flats.part)) if number >= 0 else ():
                for normal, point, foot in _along_face(surface, flats, face, number, shape):
                    gap = float(normal @ (point - foot))
                    if not -flats.passage <= gap <= reach or any(_is_there(normal, point, other, shape) for other, _ in stands):
                        continue
                    there = normal, point, foot, shape.heading_in(pose, normal)
                    stands.append((Candidate(Feature("edge", number), int(flats.part[face]), gap, *there), 0.0))
    return _in_order(stands)


class Hull(NamedTuple):
    """A box along the axes of the world that holds a box, as `near` asks for it."""

    centre: Floats
    extent: Floats

    @property
    def low(self) -> Floats:
        """Lower corner."""
        return (self.centre - self.extent)[None]

    @property
    def high(self) -> Floats:
        """Upper corner."""
        return (self.centre + self.extent)[None]

    def distance(self, rows: Rows, points: Floats) -> Floats:
        """No bound on what is near: only what is within reach is asked for."""
        return np.zeros(len(points))


def _in_order(stands: Standing) -> Standing:
    return sorted(stands, key=lambda stand: (round(stand[0].gap, DIGITS), KINDS.index(stand[0].feature.kind)))


def _is_there(normal: Floats, point: Floats, other: Candidate, shape: Box) -> bool:
    """Whether the end of a stretch is a candidate already."""
    near_it = np.linalg.norm(point - other.point) <= STRETCH * shape.half[0]
    return bool(near_it and normal @ other.normal >= ONE_WAY)


def _along_face(surface: Surface, flats: Flats, face: int, number: int, shape: Box) -> Iterator[Stand]:
    """Both ends of the stretch of an edge beneath a face of a box that is level with it."""
    edges, out, centre = surface.edges, flats.outward[face], flats.centre[face]
    start, e = edges.start[number], edges.direction[number]
    if (e @ out) ** 2 > LEVEL**2 or (edges.inward[number] @ -out > TOUCH).any():
        return
    low, high = 0.0, float(edges.length[number])
    for span in flats.spans[face]:
        size, at, speed = float(span @ span), float((start - centre) @ span), float(e @ span)
        if abs(speed) <= NO_WAY:
            low, high = (low, high) if abs(at) <= size else (0.0, -1.0)
            continue
        ends = sorted(((-size - at) / speed, (size - at) / speed))
        low, high = max(low, ends[0]), min(high, ends[1])
    if high - low < STRETCH * float(shape.half.min()):
        return
    for along in (low, high):
        foot = start + along * e
        yield -out, foot - ((foot - centre) @ out) * out, foot


def _is_level(core: Discs, normal: Floats, level: float) -> bool:
    across = normal - (normal @ core.axis[0]) * core.axis[0]
    return bool(across @ across <= level)


def _are_one(one: tuple[Candidate, float], other: tuple[Candidate, float], radius: float) -> bool:
    if not (one[1] and other[1] and one[0].normal @ other[0].normal >= ONE_WAY):
        return False
    return bool(np.linalg.norm(one[0].point - other[0].point) <= SPREAD * radius)


def _on_face(surface: Surface, core: Discs, triangle: int, rim: Sequence[Floats], level: float) -> Iterator[Stand]:
    """Points of the rim above a triangle that the disc is level with."""
    faces = surface.faces
    normal = faces.normal[triangle]
    if not _is_level(core, normal, level):
        return
    for out in rim:
        point = core.centre[0] + core.radius * out
        foot = point + (faces.offset[triangle] - normal @ point) * normal
        if (faces.sides[triangle] @ foot >= faces.bounds[triangle] - TOUCH).all():
            yield normal, point, foot


def _on_edges(surface: Surface, core: Discs, triangle: int, level: float) -> Iterator[Stand]:
    """Both ends of the chords above the edges that a triangle looks after."""
    edges, centre, axis, r = surface.edges, core.centre[0], core.axis[0], core.radius
    for number in surface.triangle_edges[triangle].tolist():
        if number < 0 or (axis @ edges.direction[number]) ** 2 > level:
            continue
        start, e = edges.start[number], edges.direction[number]
        tilt, k = float(axis @ e), np.cross(e, axis)
        k = k / np.linalg.norm(k)
        x = float((start - centre) @ k)
        half = float(np.sqrt(max(r * r - x * x, 0.0)))
        if half <= SHORTEST_CHORD * r:
            continue
        for end in (-half, half):
            out = x * k + end * np.cross(axis, k)
            normal = (out @ e) * axis - tilt * out  # across edge and rim: e x (a x u)
            normal = normal / np.copysign(np.linalg.norm(normal), normal @ edges.outward[number])
            along = float((centre + out - start) @ e)
            there = -TOUCH <= along <= edges.length[number] + TOUCH and (edges.inward[number] @ normal <= TOUCH).all()
            if there and abs(normal @ axis) >= ALONG_A_CHORD:
                yield normal, centre + out, start + along * e
