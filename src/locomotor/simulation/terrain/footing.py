"""What a contact on a terrain stands on: one face, edge or corner, held as numbers for a compiled model.

A wheel may touch several parts of a terrain at once, so that each such contact has some slots, each a contact of its own with a
support of its own: a plane, or the sharp supports of `model.contacts.support`. Which support it is decides the model that is
compiled; where it is are parameters of that model. Of a capsule or a box what touches is a piece (see `pieces`): where that
is in the body are parameters too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache, singledispatch

import numpy as np

from locomotor.codegen import TerrainSearch
from locomotor.dataclass import dataclass, replace
from locomotor.errors import ContactKindError
from locomotor.geometry import Ball, Box, Capsule, Disc, Feature, Shape, Surface, Tracker, shape_of, surface_of
from locomotor.lie import SE3, ops
from locomotor.mechanics.constraints import RimOnEdge, across_rim, nearest_along, nearest_on_circle, supported
from locomotor.model import Contact, RollingTorus, System, Terrain
from locomotor.simulation.terrain.compiled import CompiledTracker, search_of
from locomotor.tracing.contacts import support_names as names
from locomotor.typing import Vector

SLOTS = 4
"""Parts of a terrain that one contact may touch at once."""
SLOTS_OF_SOLID = 12
"""The same of a body of several parts: a box on its four corners with as many edges across kerbs, and some more."""
VECTORS: dict[str, tuple[str, ...]] = {
    "face": ("point", "normal"),
    "ridge": ("point", "direction", "tangent", "at"),
    "rim": ("point", "direction", "tangent", "axis", "centre", "at"),
    "rail": ("point", "direction", "towards"),
    "tip": ("point", "inward", "at"),
    "knob": ("point",),
    "piece on face": ("point", "normal", "at"),
    "piece on rail": ("point", "direction", "towards", "at"),
    "piece on knob": ("point", "at"),
}
"""Kinds of supports and the vectors each is given by, those of a pinned point included."""
PINNED = ("ridge", "rim", "tip")
"""Kinds that hold one point of the body, unless it slides."""
ON_RIM = 0.999
"""Share of its radius at which a point of a disc counts as one of its rim."""
REACH = 1e-3
"""What is farther away than this (m) is not about to touch; the nearest part is known in any case."""


@dataclass(frozen=True, eq=False)
class Rough:
    """A contact whose ground is a terrain, with its shape and that terrain's surface."""

    contact: Contact
    slots: tuple[str, ...]
    shape: Shape
    surface: Surface
    rule: str

    @property
    def name(self) -> str:
        """Name of the contact."""
        return self.contact.name

    def is_point(self, part: int) -> bool:
        """Whether what touches is a mere point, which slides off an edge and never stands on it."""
        piece = self.shape.piece(part)
        return isinstance(piece, Ball) and piece.radius == 0.0

    def tracker(self) -> Tracker:
        """Queries of the contact against its terrain, along a motion."""
        if self.search is not None:
            return CompiledTracker(self.surface, self.shape, self.search, REACH, self.rule)
        return Tracker(self.surface, self.shape, reach=REACH, rule=self.rule)

    @cached_property
    def search(self) -> TerrainSearch | None:
        """The search in machine code, where there is one."""
        return search_of(self.surface, self.shape, self.rule)


def rough_contacts(system: System, values: Mapping[str, float]) -> tuple[Rough, ...]:
    """The contacts of a system that are on a terrain."""
    grounds = {ground.name: ground for ground in system.grounds if isinstance(ground, Terrain)}
    taken = {contact.name for contact in system.contacts} | {entry.name for entry in system.constraints}
    found = []
    for contact in system.contacts:
        if contact.ground in grounds:
            terrain = grounds[contact.ground]
            shape = shape_of(contact, values)
            _check_rest(contact, shape)
            count = SLOTS if shape.parts == 1 else SLOTS_OF_SOLID
            others = [f"{contact.name}_{k}" for k in range(2, 2 + count + len(taken)) if f"{contact.name}_{k}" not in taken]
            slots = (contact.name, *others[: count - 1])
            found.append(Rough(contact, slots, shape, surface_of(terrain), terrain.rule))
    return tuple(found)


def _check_rest(contact: Contact, shape: Shape) -> None:
    """Refuse a round contact of a kind that nothing says of how it rests on edges, before a run comes to one."""
    if shape.margin and supported.dispatch(type(contact)) is supported.dispatch(object):
        raise ContactKindError(
            f"{contact.label}: its ground {contact.ground!r} is a Terrain, and nothing says how a {type(contact).__name__} "
            "rests on edges and corners; register `supported` of locomotor.mechanics.constraints for it, or give it a Plane as "
            "its ground"
        )


# -- what a slot stands on ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Footing:
    """A support: its kind, its numbers, and the part of the terrain it belongs to."""

    rough: Rough
    feature: Feature
    kind: str
    vectors: Mapping[str, Vector]

    def values(self, slot: str) -> dict[str, float]:
        """Parameters of a slot that stands on it."""
        return {
            name: float(number)
            for vector, numbers in self.vectors.items()
            for name, number in zip(names(slot, vector), numbers, strict=True)
        }

    @property
    def pins(self) -> bool:
        """Whether it holds one point of the body, on something sharp: such a contact sticks, whatever that takes."""
        return self.kind in PINNED and not self.slides

    @property
    def slides(self) -> bool:
        """Whether the contact point may wander in the body: over a face or along an edge, a disc's side or rim included."""
        contact = self.rough.contact
        return contact.slides or (contact.law.slips and wanders(self.rough.shape, self))

    def renoted(self, pose: SE3) -> Footing:
        """With the point of the body noted that it holds now, where that may have wandered."""
        if self.kind not in PINNED or not self.slides:
            return self
        R = np.asarray(pose.rotation)
        noted = {**self.vectors, "at": R.T @ (self.at(pose)[0] - np.asarray(pose.translation))}
        if self.kind == "rim":
            noted["tangent"] = rim_tangent(noted, float(np.sign(self.vectors["tangent"] @ rim_tangent(self.vectors, 1.0))))
        return replace(self, vectors=noted)

    def at(self, pose: SE3) -> tuple[Vector, Vector]:
        """Contact point and normal in the world, with the body at a pose."""
        R, vectors = np.asarray(pose.rotation), self.vectors
        if "normal" in vectors:
            return self._shape.lowest(vectors["normal"], pose), vectors["normal"]
        if "inward" not in vectors and "tangent" not in vectors:
            return self._on_rail(pose)
        at, slides = np.asarray(pose.act(vectors["at"])), self.slides
        if self.kind == "tip":
            normal = R @ vectors["inward"]
            away = vectors["point"] - at
            return (at + away - (away @ normal) * normal if slides else at), normal
        if self.kind == "rim" and slides:
            centre = np.asarray(pose.act(vectors["centre"]))
            noted = R @ (vectors["at"] - vectors["centre"])
            rim = (R @ vectors["axis"], vectors["direction"], centre - vectors["point"], noted, R @ vectors["tangent"])
            out, normal = across_rim(RimOnEdge(*rim))
            return centre + float(np.linalg.norm(noted)) * out, normal
        tangent = R @ vectors["tangent"]
        across = ops.cross(vectors["direction"], tangent)
        along = tangent * nearest_along(at - vectors["point"], tangent, vectors["direction"]) if slides else 0.0
        return at + along, across / np.linalg.norm(across)

    @cached_property
    def _shape(self) -> Shape:
        """What touches: of a body of several parts its piece."""
        shape = self.rough.shape
        return Ball(self.vectors["at"], shape.margin) if self.kind.startswith("piece") else shape

    def gap(self, pose: SE3) -> float:
        """Height of the contact point above the support."""
        point, normal = self.at(pose)
        return float(normal @ (point - self.vectors["point"]))

    def _on_rail(self, pose: SE3) -> tuple[Vector, Vector]:
        shape, e = self._shape, self.vectors.get("direction", np.zeros(3))
        core = _core_near(shape, self.vectors, e, pose)
        w = core - self.vectors["point"]
        w = w - (w @ e) * e
        normal = w / np.linalg.norm(w)
        return core - shape.margin * normal, normal


def rim_tangent(disc: Mapping[str, Vector], sign: float) -> Vector:
    """Tangent of the rim of a disc where it touches, in body axes, of a sign."""
    radial = disc["at"] - disc["centre"]
    return np.asarray(sign * ops.cross(disc["axis"], radial / np.linalg.norm(radial)))


@singledispatch
def wanders(shape: Shape, footing: Footing) -> bool:
    """Whether what slips on something sharp does so with the straight edges and flat faces of a shape, or its rim."""
    return False


@wanders.register
def _(shape: Box, footing: Footing) -> bool:
    return True


@wanders.register
def _(shape: Disc, footing: Footing) -> bool:
    """A corner may wander over the side of a disc, and so does an edge; on its rim a corner stays."""
    return footing.kind == "rim" or footing.feature.kind == "edge" or _within_rim(shape, footing.vectors["at"])


def _within_rim(shape: Disc, at: Vector) -> bool:
    """Whether a point of a disc, in body axes, lies on its flat side."""
    radial = at - shape.centre
    return float(np.linalg.norm(radial - (radial @ shape.axis) * shape.axis)) < ON_RIM * shape.radius


@singledispatch
def _core_near(shape: Shape, vectors: Mapping[str, Vector], direction: Vector, pose: SE3) -> Vector:
    """The point of a shape's core that is nearest to an edge along `direction`, or to a corner."""
    return shape.centre_in(pose)


@_core_near.register
def _(shape: Capsule, vectors: Mapping[str, Vector], direction: Vector, pose: SE3) -> Vector:
    core, axis = shape.centre_in(pose), shape.axis_in(pose)
    return np.asarray(core + axis * nearest_along(core - vectors["point"], axis, direction))


@_core_near.register
def _(shape: Disc, vectors: Mapping[str, Vector], direction: Vector, pose: SE3) -> Vector:
    core, R = shape.centre_in(pose), np.asarray(pose.rotation)
    offset, towards = R.T @ (core - vectors["point"]), R.T @ vectors["towards"]
    return np.asarray(core + R @ np.asarray(nearest_on_circle(_tyre(shape), towards, R.T @ direction, offset, {}), dtype=float))


@lru_cache(maxsize=16)
def _tyre(shape: Disc) -> RollingTorus:
    return RollingTorus("tyre", "body", tuple(shape.centre), tuple(shape.axis), shape.radius, shape.tube)
