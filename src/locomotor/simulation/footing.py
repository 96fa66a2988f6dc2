"""What a contact on a terrain stands on: one face, edge or corner, held as numbers for a compiled model.

A wheel may touch several parts of a terrain at once, so that each such contact has some slots, each a contact of its own with a
support of its own: a plane, or the sharp supports of `model.support`. Which support it is decides the model that is compiled;
where it is are parameters of that model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from locomotor.lie import SE3
from locomotor.mechanics.support import nearest_on_circle
from locomotor.mechanics.terrain import Ball, Candidate, Disc, Feature, Shape, Surface, Tracker, shape_of, surface_of
from locomotor.model import Contact, Parameter, Plane, RollingTorus, StickingPoint, Terrain
from locomotor.model.support import Knob, Rail, Ridge, Support, Tip
from locomotor.model.system import System

Vector = NDArray[np.float64]

SLOTS = 4
"""Parts of a terrain that one contact may touch at once."""
VECTORS: dict[str, tuple[str, ...]] = {
    "face": ("point", "normal"),
    "ridge": ("point", "direction", "tangent", "at"),
    "rail": ("point", "direction", "towards"),
    "tip": ("point", "inward", "at"),
    "knob": ("point",),
}
"""Kinds of supports and the vectors each is given by, those of a pinned point included."""
ON_RIM = 0.999
"""Share of its radius at which a point of a disc counts as one of its rim."""
ALONG = 1e-6
"""Sine of the angle between rim and edge below which a disc rolls along the edge, as on a plane."""
REACH = 1e-3
"""What is farther away than this (m) is not about to touch; the nearest part is known in any case."""


@dataclass(frozen=True, eq=False)
class Rough:
    """A contact on a terrain."""

    contact: Contact
    slots: tuple[str, ...]
    shape: Shape
    surface: Surface
    rule: str

    @property
    def name(self) -> str:
        """Name of the contact."""
        return self.contact.name

    @property
    def is_point(self) -> bool:
        """Whether what touches is a mere point, which slides off an edge and never stands on it."""
        return isinstance(self.shape, Ball) and self.shape.radius == 0.0

    def tracker(self) -> Tracker:
        """Queries along a motion."""
        return Tracker(self.surface, self.shape, reach=REACH, rule=self.rule)


def rough_contacts(system: System, values: Mapping[str, float]) -> tuple[Rough, ...]:
    """The contacts of a system that are on a terrain."""
    grounds = {ground.name: ground for ground in system.grounds if isinstance(ground, Terrain)}
    taken = {contact.name for contact in system.contacts} | {entry.name for entry in system.constraints}
    found = []
    for contact in system.contacts:
        if contact.ground in grounds:
            terrain = grounds[contact.ground]
            others = [f"{contact.name}_{k}" for k in range(2, 2 + SLOTS + len(taken)) if f"{contact.name}_{k}" not in taken]
            slots = (contact.name, *others[: SLOTS - 1])
            found.append(Rough(contact, slots, shape_of(contact, values), surface_of(terrain), terrain.rule))
    return tuple(found)


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

    def at(self, pose: SE3) -> tuple[Vector, Vector]:
        """Contact point and normal in the world, with the body at a pose."""
        R, vectors = np.asarray(pose.rotation), self.vectors
        if self.kind == "face":
            return self.rough.shape.lowest(vectors["normal"], pose), vectors["normal"]
        if self.kind in ("rail", "knob"):
            return self._on_rail(pose)
        if self.kind == "tip":
            return np.asarray(pose.act(vectors["at"])), R @ vectors["inward"]
        across = np.cross(vectors["direction"], R @ vectors["tangent"])
        return np.asarray(pose.act(vectors["at"])), across / np.linalg.norm(across)

    def gap(self, pose: SE3) -> float:
        """Height of the contact point above the support."""
        point, normal = self.at(pose)
        return float(normal @ (point - self.vectors["point"]))

    def _on_rail(self, pose: SE3) -> tuple[Vector, Vector]:
        shape, R, e = self.rough.shape, np.asarray(pose.rotation), self.vectors.get("direction", np.zeros(3))
        core = shape.centre_in(pose)
        if isinstance(shape, Disc):
            offset = R.T @ (core - self.vectors["point"])
            towards = R.T @ self.vectors["towards"]
            core = core + R @ np.asarray(nearest_on_circle(self._tyre, towards, R.T @ e, offset, {}), dtype=float)
        w = core - self.vectors["point"]
        w = w - (w @ e) * e
        normal = w / np.linalg.norm(w)
        margin = shape.tube if isinstance(shape, Disc) else shape.radius  # type: ignore[attr-defined]
        return core - margin * normal, normal

    @cached_property
    def _tyre(self) -> RollingTorus:
        shape = self.rough.shape
        assert isinstance(shape, Disc)
        return RollingTorus("tyre", "body", tuple(shape.centre), tuple(shape.axis), shape.radius, shape.tube)


def footing(rough: Rough, candidate: Candidate, pose: SE3) -> Footing:
    """What a contact stands on when it touches as a candidate says."""
    feature, R = candidate.feature, np.asarray(pose.rotation)
    at = R.T @ (candidate.point - np.asarray(pose.translation))
    face = Footing(rough, feature, "face", {"point": candidate.foot, "normal": candidate.normal})
    if feature.kind == "face" or rough.is_point:
        return face
    tip = Footing(rough, feature, "tip", {"point": candidate.foot, "inward": R.T @ candidate.normal, "at": at})
    if feature.kind == "vertex":
        return Footing(rough, feature, "knob", {"point": candidate.foot}) if rough.contact.SLIDES else tip
    edge = {"point": candidate.foot, "direction": rough.surface.edges.direction[feature.number]}
    shape = rough.shape
    if not isinstance(shape, Disc):
        return Footing(rough, feature, "rail", {**edge, "towards": -candidate.normal})
    radial = at + shape.tube * (R.T @ candidate.normal) - shape.centre
    radial = radial - (radial @ shape.axis) * shape.axis
    size = float(np.linalg.norm(radial))
    if size < ON_RIM * shape.radius:
        return tip  # the flat side of the wheel leans against the edge
    if shape.tube:
        return Footing(rough, feature, "rail", {**edge, "towards": R @ (radial / size)})
    tangent = np.cross(shape.axis, radial / size)
    across = np.cross(edge["direction"], R @ tangent)
    if np.linalg.norm(across) < ALONG:
        return face
    # Direction x tangent shall point into the disc.
    inward = np.copysign(1.0, across @ candidate.normal)
    return Footing(rough, feature, "ridge", {**edge, "tangent": inward * tangent, "at": at})


# -- slots in a system ----------------------------------------------------------------------------------------


def names(slot: str, vector: str) -> tuple[str, str, str]:
    """Names of the parameters that hold a vector of a slot's support."""
    x, y, z = (f"{slot}_support_{vector}_{axis}" for axis in "xyz")
    return x, y, z


def parameter_names(slot: str, kind: str) -> tuple[str, ...]:
    """Names of all parameters of a slot's support."""
    return tuple(name for vector in VECTORS[kind] for name in names(slot, vector))


def stand_on(rough: Rough, slot: str, kind: str) -> tuple[Contact, Plane | Support]:
    """A slot's contact and its support, both given by parameters."""
    where = f"{slot}_support"
    given = {vector: names(slot, vector) for vector in VECTORS[kind]}
    contact = replace(rough.contact, name=slot, ground=where)
    if kind == "face":
        return contact, Plane(where, normal=given["normal"], point=given["point"])
    if kind == "rail":
        return contact, Rail(where, given["point"], given["direction"], given["towards"])
    if kind == "knob":
        return contact, Knob(where, given["point"])
    pinned = StickingPoint(slot, contact.body, at=given["at"], ground=where, law=contact.law)
    if kind == "tip":
        return pinned, Tip(where, given["point"], given["inward"])
    return pinned, Ridge(where, given["point"], given["direction"], given["tangent"])


def standing(system: System, roughs: tuple[Rough, ...], footings: Mapping[str, Footing]) -> System:
    """The system with its contacts on terrain replaced by the slots that stand on something."""
    contacts: list[Contact] = []
    supports: list[Plane | Support] = []
    by_name = {rough.name: rough for rough in roughs}
    for contact in system.contacts:
        if contact.name not in by_name:
            contacts.append(contact)
            continue
        rough = by_name[contact.name]
        for slot in rough.slots:
            if slot in footings:
                replaced, support = stand_on(rough, slot, footings[slot].kind)
                contacts.append(replaced)
                supports.append(support)
    values = {name: value for slot, footing in footings.items() for name, value in footing.values(slot).items()}
    added = [Parameter(name, value, description="of the ground that is touched") for name, value in values.items()]
    return system.replace(
        contacts=tuple(contacts),
        grounds=(*system.grounds, *supports),
        parameters=(*(system.parameters[name] for name in system.parameters), *added),
    )
