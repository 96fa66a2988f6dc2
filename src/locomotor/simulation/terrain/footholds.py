"""Contacts on terrain during a run: what each stands on, and what it is near to.

The gap to a terrain is looked up, not compiled. Closed contacts stand on planes or sharp supports that are parameters of the
compiled model (`footing`); everything else about a terrain happens here and in `watch`, on the places of bodies.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.geometry import Candidate, Feature, Tracker
from locomotor.lie import SE3, ops
from locomotor.model import slide_names
from locomotor.model.contacts import slip_names, tip_names, turn_names
from locomotor.simulation.terrain.chords import (
    border_of,
    ends_of_chord,
    is_rim,
    middle_of_chord,
    off_edge,
    other_end,
    renamed,
    twins,
    until_they_meet,
)
from locomotor.simulation.terrain.footing import PINNED, Footing, Rough
from locomotor.simulation.terrain.stepping_on import footing, on_point
from locomotor.typing import Vector

TRANSFER = 1e-6
"""Gap (m) and normal speed (m/s) up to which a contact whose support ends goes over to the next part of the terrain."""


SAME_PLACE, SAME_NORMAL = 1e-6, 1e-5
"""What is as near as this (m, rad) to where a contact stands is its border: it is not entered, but taken over later."""

BENEATH = 1e-6
"""So deep (m) edges and corners of a face may be in the side that lies on it: it lies on all of them, but for drift."""


class Place(NamedTuple):
    """A body in the world: rotation, position, velocity of its origin and angular velocity, in world axes."""

    rotation: Vector
    position: Vector
    velocity: Vector
    omega: Vector

    @property
    def pose(self) -> SE3:
        """The pose of the body in the world."""
        return SE3(self.rotation, self.position)

    def speed(self, point: Vector, normal: Vector) -> float:
        """Velocity along a normal of the material point that is at a place in the world."""
        return float(normal @ (self.velocity + ops.cross(self.omega, point - self.position)))


def place_of(row: Vector) -> Place:
    """A place from the output of `tracing.contacts.places`."""
    return Place(row[0:9].reshape(3, 3), row[9:12], row[12:15], row[15:18])


@dataclass(frozen=True, eq=False)
class Footholds:
    """What the contacts on terrain stand on at an instant; slots that are not named are free. A change makes another."""

    roughs: tuple[Rough, ...] = ()
    footings: Mapping[str, Footing] = field(default_factory=dict)
    levels: Mapping[tuple[str, Feature], float] = field(default_factory=dict)
    """Gaps that count as zero: of parts of the terrain that a contact has entered by round-off or drift."""
    _trackers: dict[str, Tracker] = field(default_factory=dict)
    """Of each contact, what answers its queries; it remembers where it was asked last, which changes no answer."""
    slips: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Contacts that slip, on terrain or not, and the direction in which they do, in world axes."""
    turns: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Contacts that roll against a resistance, and the direction about which they do, in world axes."""
    guided: frozenset[str] = frozenset()
    """Those that slip in the direction noted, whatever their velocity (see `events.guide`)."""
    braced: frozenset[str] = frozenset()
    """Those that stick although the forces of their mode leave the cone, for other forces, the same in sum, do not."""
    slides: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Joints with dry friction that slide, and where to along their velocities: 1 or -1, first, or a unit vector."""
    led: frozenset[str] = frozenset()
    """Ball joints among them that slide so whatever their velocity (see `events.ball_guide`)."""
    sides: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Wheels that lie on their side, on terrain or not, and those that rise from it: the unit direction, in body axes, from the
    centre to the point of the rim over which they tip; none of those that lie."""

    @cached_property
    def owners(self) -> dict[str, Rough]:
        """The contact of each slot."""
        return {slot: rough for rough in self.roughs for slot in rough.slots}

    def values(self) -> dict[str, float]:
        """Parameters of all supports, and of directions of slip."""
        found = {name: value for slot, entry in self.footings.items() for name, value in entry.values(slot).items()}
        for contact, direction in self.slips.items():
            found.update(zip(slip_names(contact), (*direction, float(contact in self.guided)), strict=True))
        for contact, direction in self.turns.items():
            found.update(zip(turn_names(contact), direction, strict=True))
        for friction, direction in self.slides.items():
            found.update(zip(slide_names(friction), (*direction, float(friction in self.led)), strict=True))
        for contact, towards in self.sides.items():
            found.update(zip(tip_names(contact) if towards else (), towards, strict=True))
        return found

    def on_sides(self, sides: Mapping[str, tuple[float, ...]]) -> Footholds:
        """Footholds with other wheels that touch with their sides."""
        return self if sides == self.sides else replace(self, sides=sides)

    def sliding(self, slides: Mapping[str, tuple[float, float, float]], led: frozenset[str] = frozenset()) -> Footholds:
        """Footholds with other joints that slide, and other ball joints among them that are led."""
        return self if slides == self.slides and led == self.led else replace(self, slides=slides, led=led)

    def turning(self, turns: Mapping[str, tuple[float, float, float]]) -> Footholds:
        """Footholds with other contacts that roll."""
        return self if turns == self.turns else replace(self, turns=turns)

    def slipping(self, slips: Mapping[str, tuple[float, float, float]], guided: frozenset[str] = frozenset()) -> Footholds:
        """Footholds with other contacts that slip."""
        return self if slips == self.slips and guided == self.guided else replace(self, slips=slips, guided=guided)

    def bracing(self, braced: frozenset[str]) -> Footholds:
        """Footholds with other contacts that are braced."""
        return self if braced == self.braced else replace(self, braced=braced)

    def keep(self, closed: frozenset[str]) -> Footholds:
        """Without the slots that are not closed."""
        if not closed.issuperset(self.sides):
            return self.on_sides({name: towards for name, towards in self.sides.items() if name in closed}).keep(closed)
        if not closed.issuperset(self.braced):
            return self.bracing(self.braced & closed).keep(closed)
        if not closed.issuperset(self.slips):
            return self.slipping({name: d for name, d in self.slips.items() if name in closed}, self.guided & closed).keep(
                closed
            )
        if not closed.issuperset(self.turns):
            return self.turning({name: d for name, d in self.turns.items() if name in closed}).keep(closed)
        if closed.issuperset(self.footings):
            return self
        return self.standing_on(renamed({slot: entry for slot, entry in self.footings.items() if slot in closed}))

    def standing_on(self, footings: Mapping[str, Footing]) -> Footholds:
        """Footholds of the same contacts on other parts of the terrain."""
        return replace(self, footings=footings)

    def renoted(self, places: Mapping[str, Place]) -> Footholds:
        """With the points noted again at which straight edges and faces of bodies are held, since these may slip."""
        if not any(entry.kind in PINNED and entry.slides for entry in self.footings.values()):
            return self
        return self.standing_on({slot: e.renoted(places[e.rough.name].pose) for slot, e in self.footings.items()})

    def stands_on(self, rough: Rough) -> dict[Feature, str]:
        """Parts of the terrain that a contact stands on, and the slot for each."""
        return {self.footings[slot].feature: slot for slot in rough.slots if slot in self.footings}

    def tracker(self, rough: Rough) -> Tracker:
        """Queries of a contact against its terrain, at one pose after the other."""
        if rough.name not in self._trackers:
            self._trackers[rough.name] = rough.tracker()
        return self._trackers[rough.name]

    def candidates(self, rough: Rough, place: Place) -> tuple[Candidate, ...]:
        """Parts of the terrain within reach, nearest first, by the rule of the source only one; then other ends of chords."""
        return (*self.tracker(rough).query(place.pose), *self.other_ends(rough, place))

    def other_ends(self, rough: Rough, place: Place) -> list[Candidate]:
        """Where a disc could touch edges on which it stands with one end of a chord."""
        standing = {feature: self.footings[slot] for feature, slot in self.stands_on(rough).items()}
        return twins(standing, place.pose) if standing and rough.rule != "source" else []

    @cached_property
    def has_chords(self) -> bool:
        """Whether a disc stands with both ends of a chord on an edge."""
        return any(is_rim(entry) and entry.feature.part for entry in self.footings.values())

    def until_ends_meet(self, places: Mapping[str, Place]) -> float:
        """Time (s) in which the first two ends of a chord come together."""
        return min(self._meetings(places).values(), default=math.inf)

    def ends_meeting(self, places: Mapping[str, Place], within: float) -> tuple[str, ...]:
        """Slots at the first ends of chords whose ends come together within some time (s)."""
        return tuple(slot for slot, time in self._meetings(places).items() if time < within)

    def _meetings(self, places: Mapping[str, Place]) -> dict[str, float]:
        """Times in which the ends of chords come together, by the slot at their first end."""
        found = {}
        for slot, entry in self.footings.items():
            if is_rim(entry) and entry.feature.part == 0 and other_end(entry.feature) in self.stands_on(entry.rough):
                place = places[entry.rough.name]
                found[slot] = until_they_meet(entry, place.pose, place.velocity, place.omega)
        return found

    def open_candidates(self, rough: Rough, place: Place) -> list[Candidate]:
        """Features that the contact does not stand on, and that are not merely the border of what it stands on."""
        known = self.stands_on(rough)
        found = [c for c in self.candidates(rough, place) if c.feature not in known]
        for slot in known.values():
            point, normal = self.footings[slot].at(place.pose)
            found = [
                c for c in found if np.abs(c.point - point).max() > SAME_PLACE or np.abs(c.normal - normal).max() > SAME_NORMAL
            ]
        return found

    def take(self, rough: Rough, candidate: Candidate, place: Place) -> tuple[Footholds, str | None]:
        """With a free slot on a candidate, and which; None where there is none left."""
        known = self.stands_on(rough).get(candidate.feature)
        if known is not None:
            return self, known
        free = next((slot for slot in rough.slots if slot not in self.footings), None)
        if free is None:
            return self, None
        return self.standing_on({**self.footings, free: footing(rough, candidate, place.pose)}), free

    def with_levels(self, places: Mapping[str, Place]) -> Footholds:
        """With note taken of what has been entered by round-off or drift."""
        levels = {}
        for rough in self.roughs:
            for candidate in self.candidates(rough, places[rough.name]):
                if candidate.gap < 0.0:
                    levels[rough.name, candidate.feature] = candidate.gap
        return replace(self, levels=levels)

    def without_levels_left(self, places: Mapping[str, Place]) -> Footholds:
        """What has been left no longer counts as touched."""
        entered = self.with_levels(places).levels
        return replace(self, levels={key: self.levels[key] for key in entered if key in self.levels})

    def level(self, rough: Rough, feature: Feature) -> float:
        """The gap to a part of the terrain that counts as zero."""
        noted = self.levels.get((rough.name, feature), 0.0)
        return min(noted, -BENEATH) if self.sides and feature in self._lain_on.get(rough.name, ()) else noted

    def levels_of(self, rough: Rough) -> dict[Feature, float]:
        """Such gaps of a contact, where they are not zero."""
        noted = {feature: level for (name, feature), level in self.levels.items() if name == rough.name}
        return noted | {feature: self.level(rough, feature) for feature in self._lain_on.get(rough.name, ())}

    @cached_property
    def _lain_on(self) -> dict[str, frozenset[Feature]]:
        """Of each contact, edges and corners of the face that its side lies on: they are part of that, and not touched."""
        lying = [self.footings[slot] for slot, side in self.sides.items() if side == () and slot in self.footings]
        return {entry.rough.name: border_of(entry.rough.surface, entry.feature.number) for entry in lying}

    def approaching(self, places: Mapping[str, Place], near: float, speed: float) -> Iterator[tuple[Rough, Candidate]]:
        """Parts of the terrain that open contacts touch and move into."""
        for rough in self.roughs:
            place = places[rough.name]
            for candidate in self.open_candidates(rough, place):
                touches = abs(candidate.gap - self.level(rough, candidate.feature)) <= near
                if touches and place.speed(candidate.point, candidate.normal) < -speed:
                    yield rough, candidate

    def touched(self, rough: Rough, place: Place, near: float, speed: float) -> list[Candidate]:
        """What a contact touches and does not leave; the nearest in any case."""
        found = sorted(self.open_candidates(rough, place), key=lambda c: c.gap - self.level(rough, c.feature))
        return [
            c
            for k, c in enumerate(found)
            if k == 0 or (c.gap - self.level(rough, c.feature) <= near and place.speed(c.point, c.normal) <= speed)
        ]

    def transfer(self, slot: str, place: Place) -> tuple[Footholds, Feature | None]:
        """With a slot whose support has ended on the next part of the terrain that it touches and does not leave, and which."""
        rough = self.owners[slot]
        known = self.stands_on(rough)
        for candidate in self.tracker(rough).query(place.pose, distinct=False):
            if candidate.feature in known or (rough.is_point(candidate.part) and candidate.feature.kind != "face"):
                continue
            if abs(candidate.gap) <= TRANSFER and abs(place.speed(candidate.point, candidate.normal)) <= TRANSFER:
                moved = footing(rough, candidate, place.pose)
                return self.standing_on({**self.footings, slot: moved}), candidate.feature
        return self, None

    def ends_joined(self, slot: str, place: Place) -> tuple[Footholds, str, str]:
        """With the middle of a chord in place of both its ends, of which a slot has one: who stands there, and who is free.

        As long as a chord is short its ends push as one: either has half of the force, or else it would have let go.
        """
        rough, mine = self.owners[slot], self.footings[slot]
        other = self.stands_on(rough)[other_end(mine.feature)]
        stays, goes = (slot, other) if mine.feature.part == 0 else (other, slot)
        joined = on_point(rough, middle_of_chord(self.footings[stays], place.pose), place.pose)
        left = {name: entry for name, entry in self.footings.items() if name != goes}
        return self.standing_on({**left, stays: joined}), stays, goes

    def ends_parted(self, slot: str, place: Place) -> tuple[Footholds, tuple[str, ...]]:
        """With the ends of a chord in place of the one point at which a side stood on an edge, and their slots."""
        rough, taken = self.owners[slot], list[str]()
        holds = self.standing_on({name: entry for name, entry in self.footings.items() if name != slot})
        for end in ends_of_chord(self.footings[slot], place.pose):
            holds, one = holds.take(rough, end, place)
            taken += [one] if one is not None else []
        return holds, tuple(taken)

    def over_border(self, slot: str, place: Place, force: Vector) -> tuple[Footholds, tuple[str, ...]]:
        """With a side that lies no longer on its face but on the ends of the chord above the edge that the force has come to.

        And the slots of these; none where the face ends at a corner, or at nothing that could be touched.
        """
        rough, lain = self.owners[slot], self.footings[slot]
        holds = self.standing_on({name: entry for name, entry in self.footings.items() if name != slot})
        holds = holds.on_sides({name: side for name, side in self.sides.items() if name != slot})
        normal = lain.vectors["normal"]
        edges = [
            c
            for c in self.tracker(rough).query(place.pose, distinct=False)
            if c.feature.kind == "edge" and abs(c.gap) <= TRANSFER and float(c.normal @ normal) > 1.0 - SAME_NORMAL
        ]
        taken: list[str] = []
        for edge in sorted(edges, key=lambda c: off_edge(rough.surface, c.feature.number, force))[:1]:
            holds, first = holds.take(rough, edge, place)
            taken += [first] if first is not None else []
            for twin in holds.other_ends(rough, place):
                holds, other = holds.take(rough, twin, place)
                taken += [other] if other is not None else []
        return holds, tuple(taken)
