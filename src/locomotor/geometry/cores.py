"""Cores of shapes in the world, many at once: points, discs and segments, each with a margin around it.

A shape in n poses gives rows: one a pose for balls and discs, two more for a capsule (its ends are balls); for a box eight
corners, twelve edges and six faces.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import singledispatch
from itertools import product
from typing import Any, Self

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ContactKindError
from locomotor.geometry.shapes import BOX_EDGES, BOX_FACES, FLAT_DISC, Ball, Box, Capsule, Disc, Shape, across
from locomotor.typing import Floats, Integers

Rows = Integers | slice


def dot(a: Floats, b: Floats) -> Floats:
    """Scalar products of two stacks of vectors, row by row."""
    return np.einsum("ij,ij->i", a, b)


def cross(a: Floats, b: Floats) -> Floats:
    """Vector products row by row; several times quicker than numpy's for a few rows."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    a0, a1, a2 = a[:, 0], a[:, 1], a[:, 2]
    b0, b1, b2 = b[:, 0], b[:, 1], b[:, 2]
    found[:, 0] = a1 * b2 - a2 * b1
    found[:, 1] = a2 * b0 - a0 * b2
    found[:, 2] = a0 * b1 - a1 * b0
    return found


@dataclass(frozen=True, eq=False)
class Core:
    """Base: k rows. `owner` is the number of the pose, `part` that of the piece of the shape."""

    owner: Integers
    part: Integers
    margin: float
    centre: Floats
    """k x 3, in the world."""

    @property
    def low(self) -> Floats:
        """Lower corners of the boxes that hold the cores."""
        return self.centre - self.extent

    @property
    def high(self) -> Floats:
        """Upper corners of the boxes that hold the cores."""
        return self.centre + self.extent

    @property
    def extent(self) -> Floats:
        """Half of the size of those boxes."""
        return np.zeros((1, 3))

    @property
    def size(self) -> float:
        """Radius of the balls about the centres that hold the cores."""
        return 0.0

    @property
    def passage(self) -> float:
        """How far a feature that has come through a thin core is still looked for on its other side."""
        return 0.0

    def take(self, rows: Integers) -> Self:
        """The cores of some rows."""
        chosen: dict[str, Any] = {}
        for entry in fields(self):
            part = getattr(self, entry.name)
            if isinstance(part, np.ndarray):
                chosen[entry.name] = part[rows]
        return replace(self, **chosen)

    def distance(self, rows: Rows, points: Floats) -> Floats:
        """Distances of points from the cores of those rows."""
        raise NotImplementedError

    def lowest(self, rows: Rows, normal: Floats) -> Floats:
        """Points of the cores farthest against unit normals."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Balls(Core):
    """Cores that are points: balls, and ends of capsules."""

    guard: Floats | None = None
    """For the ends of a capsule the vector to the other end: its side is not the end's."""

    def distance(self, rows: Rows, points: Floats) -> Floats:
        """Distances of points from the cores."""
        w = points - self.centre[rows]
        return np.sqrt(dot(w, w))

    def lowest(self, rows: Rows, normal: Floats) -> Floats:
        """Points of the cores farthest against the normals: the cores themselves."""
        return self.centre[rows]


@dataclass(frozen=True, eq=False)
class Discs(Core):
    """Full discs, all of one radius."""

    axis: Floats
    radius: float

    @property
    def extent(self) -> Floats:
        """A disc reaches radius sqrt(1 - a_i²) along axis i."""
        return self.radius * np.sqrt(np.maximum(1.0 - self.axis**2, 0.0))

    @property
    def size(self) -> float:
        """Radius of the disc."""
        return self.radius

    @property
    def passage(self) -> float:
        """Some hundredths of the radius: a step too far, not a wheel on the other side."""
        return 0.05 * self.radius

    def distance(self, rows: Rows, points: Floats) -> Floats:
        """Distances of points from the full discs."""
        w = points - self.centre[rows]
        height = (w * self.axis[rows]).sum(axis=1)
        squared = height * height
        beyond = np.maximum(np.sqrt(np.maximum(dot(w, w) - squared, 0.0)) - self.radius, 0.0)
        return np.sqrt(squared + beyond * beyond)

    def lowest(self, rows: Rows, normal: Floats) -> Floats:
        """The lowest point of the rim, O - h u/|u| with u = N - (N.a) a; any of the rim where the disc lies flat."""
        axis = self.axis[rows]
        u = normal - dot(normal, axis)[:, None] * axis
        length = np.sqrt(dot(u, u))
        if length.min(initial=1.0) <= FLAT_DISC:
            flat = length <= FLAT_DISC
            u[flat], length[flat] = across(axis[flat]), 1.0
        return self.centre[rows] - (self.radius / length)[:, None] * u


@dataclass(frozen=True, eq=False)
class Rods(Core):
    """Segments, their ends apart: `half` goes from the centre to the end."""

    half: Floats

    @property
    def extent(self) -> Floats:
        """Half sizes of the boxes that hold the segments."""
        return np.abs(self.half)

    @property
    def size(self) -> float:
        """Half of the length of the segment."""
        return float(np.sqrt(dot(self.half, self.half).max(initial=0.0)))

    def distance(self, rows: Rows, points: Floats) -> Floats:
        """Distances of points from the segments."""
        half = np.broadcast_to(self.half[rows], points.shape)
        w = points - self.centre[rows]
        along = np.clip(dot(w, half) / dot(half, half), -1.0, 1.0)
        w = w - along[:, None] * half
        return np.sqrt(dot(w, w))

    def lowest(self, rows: Rows, normal: Floats) -> Floats:
        """The end of each segment farther against the normal."""
        half = self.half[rows]
        return self.centre[rows] - np.sign(dot(normal, half))[:, None] * half


@dataclass(frozen=True, eq=False)
class BoxEdges(Rods):
    """Edges of boxes, which are sharp: what crosses one has come in through one of its two faces."""

    outward: Floats
    """k x 2 x 3: outward normals of both faces."""
    inside: Inside

    @property
    def passage(self) -> float:
        """How deep a crossing is looked for inside of the box."""
        return self.inside.passage

    def take(self, rows: Integers) -> Self:
        """The edges of some rows."""
        return replace(super().take(rows), inside=self.inside.take(rows))


@dataclass(frozen=True, eq=False)
class Flats(Core):
    """Faces of boxes: rectangles about their centres."""

    outward: Floats
    spans: Floats
    """k x 2 x 3: from the centre of the face to the middle of two of its sides."""
    inside: Inside

    @property
    def extent(self) -> Floats:
        """Along each axis the sum over both spans."""
        return np.abs(self.spans).sum(axis=1)

    @property
    def size(self) -> float:
        """Half of the longest diagonal."""
        return float(np.sqrt((self.spans**2).sum(axis=(1, 2)).max(initial=0.0)))

    @property
    def passage(self) -> float:
        """How deep a corner of the ground is looked for inside of the box."""
        return self.inside.passage

    def take(self, rows: Integers) -> Self:
        """The rectangles of some rows."""
        return replace(super().take(rows), inside=self.inside.take(rows))

    def distance(self, rows: Rows, points: Floats) -> Floats:
        """Distances of points from the rectangles."""
        w = points - self.centre[rows]
        for k in range(2):
            span = np.broadcast_to(self.spans[rows, k], w.shape)
            w = w - np.clip(dot(w, span) / dot(span, span), -1.0, 1.0)[:, None] * span
        return np.sqrt(dot(w, w))

    def lowest(self, rows: Rows, normal: Floats) -> Floats:
        """The corner of each rectangle farthest against the normal."""
        point = self.centre[rows]
        for k in range(2):
            span = np.broadcast_to(self.spans[rows, k], normal.shape)
            point = point - np.sign(dot(normal, span))[:, None] * span
        return point


@dataclass(frozen=True, eq=False)
class Inside:
    """The boxes that edges and faces belong to, row by row: how deep a point is inside, seen from each face."""

    centre: Floats
    axes: Floats
    """k x 3 x 3: the axes of the boxes, in rows."""
    half: Floats

    @property
    def passage(self) -> float:
        """A quarter of the least thickness on either side of the middle."""
        return 0.25 * float(self.half.min(initial=np.inf))

    def take(self, rows: Integers) -> Inside:
        """The boxes of some rows."""
        return Inside(self.centre[rows], self.axes[rows], self.half)

    def least_depth(self, rows: Integers, points: Floats, but: Floats) -> Floats:
        """Depth of points below the nearest face, those apart whose outward normals are in `but` (k x j x 3)."""
        local = np.einsum("pij,pj->pi", self.axes[rows], points - self.centre[rows])
        depth = np.stack((self.half - local, self.half + local), axis=1)  # of the faces at + and at - of each axis
        out = np.einsum("pij,pkj->pki", self.axes[rows], but)
        own = np.stack(((out > 0.5).any(axis=1), (out < -0.5).any(axis=1)), axis=1)
        return np.asarray(np.where(own, np.inf, depth).min(axis=(1, 2)))


# --- placing ------------------------------------------------------------------------------------------------


def _act(rotations: Floats, translations: Floats, point: Floats) -> Floats:
    return rotations @ point + translations


def _numbers(n: int, part: int = 0) -> tuple[Integers, Integers]:
    return np.arange(n), np.full(n, part)


@singledispatch
def place(shape: Shape, rotations: Floats, translations: Floats) -> tuple[Core, ...]:
    """The cores of a shape on bodies with the given rotations (n x 3 x 3) and positions (n x 3)."""
    raise ContactKindError(
        f"a body of the shape {type(shape).__name__} cannot touch a Terrain: nothing says which points of it are nearest to "
        "faces, edges and corners; give it a Plane as its ground, or a contact of another kind"
    )


@place.register
def _(shape: Ball, rotations: Floats, translations: Floats) -> tuple[Core, ...]:
    return (Balls(*_numbers(len(rotations)), shape.radius, _act(rotations, translations, shape.centre)),)


@place.register
def _(shape: Disc, rotations: Floats, translations: Floats) -> tuple[Core, ...]:
    centre, axis = _act(rotations, translations, shape.centre), rotations @ shape.axis
    return (Discs(*_numbers(len(rotations)), shape.tube, centre, axis, shape.radius),)


@place.register
def _(shape: Capsule, rotations: Floats, translations: Floats) -> tuple[Core, ...]:
    n = len(rotations)
    start, end = (_act(rotations, translations, point) for point in (shape.start, shape.end))
    half = 0.5 * (end - start)
    owner, _ = _numbers(n)
    ends = Balls(
        np.tile(owner, 2), np.repeat((0, 1), n), shape.radius, np.concatenate((start, end)), np.concatenate((half, -half))
    )
    return ends, Rods(*_numbers(n, 2), shape.radius, 0.5 * (start + end), half)


@place.register
def _(shape: Box, rotations: Floats, translations: Floats) -> tuple[Core, ...]:
    corners = np.concatenate([_act(rotations, translations, corner) for corner in shape.corners])
    n = len(rotations)
    balls = Balls(np.tile(np.arange(n), 8), np.repeat(np.arange(8), n), 0.0, corners)
    return balls, _box_edges(shape, rotations, translations), _box_faces(shape, rotations, translations)


def _box_edges(shape: Box, rotations: Floats, translations: Floats) -> BoxEdges:
    """Four edges along each axis in turn."""
    middles, halves, outward = [], [], []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for signs in product((-1.0, 1.0), repeat=2):
            faces = [sign * shape.rotation[:, k] for sign, k in zip(signs, others, strict=True)]
            middles.append(shape.centre + sum(shape.half[k] * face for k, face in zip(others, faces, strict=True)))
            halves.append(shape.half[axis] * shape.rotation[:, axis])
            outward.append(faces)
    owner, part = _tiled(len(rotations), BOX_EDGES, len(middles))
    centre = np.concatenate([_act(rotations, translations, middle) for middle in middles])
    half = np.concatenate([rotations @ each for each in halves])
    normals = np.concatenate([np.stack([rotations @ face for face in faces], axis=1) for faces in outward])
    inside = _inside(shape, rotations, translations, len(middles))
    return BoxEdges(owner, part, 0.0, centre, half, normals, inside)


def _box_faces(shape: Box, rotations: Floats, translations: Floats) -> Flats:
    centres, outward, spans = [], [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = sign * shape.rotation[:, axis]
            centres.append(shape.centre + shape.half[axis] * normal)
            outward.append(normal)
            spans.append([shape.half[k] * shape.rotation[:, k] for k in range(3) if k != axis])
    owner, part = _tiled(len(rotations), BOX_FACES, len(centres))
    centre = np.concatenate([_act(rotations, translations, each) for each in centres])
    normals = np.concatenate([rotations @ each for each in outward])
    sides = np.concatenate([np.stack([rotations @ span for span in pair], axis=1) for pair in spans])
    return Flats(owner, part, 0.0, centre, normals, sides, _inside(shape, rotations, translations, len(centres)))


def _tiled(n: int, first: int, count: int) -> tuple[Integers, Integers]:
    """Owners and parts of pieces that follow each other, each at n poses."""
    return np.tile(np.arange(n), count), np.repeat(np.arange(first, first + count), n)


def _inside(shape: Box, rotations: Floats, translations: Floats, count: int) -> Inside:
    centre = np.tile(_act(rotations, translations, shape.centre), (count, 1))
    axes = np.tile((rotations @ shape.rotation).transpose(0, 2, 1), (count, 1, 1))
    return Inside(centre, axes, shape.half)
