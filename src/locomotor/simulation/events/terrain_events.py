"""Events of contacts on terrain: a part of it that is touched, a support that ends; they land, walk on, or lose the ground."""

from collections.abc import Callable, Iterator

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.geometry import Feature
from locomotor.simulation.events.chord_events import joined
from locomotor.simulation.events.collisions import rows_at
from locomotor.simulation.events.contact_events import touching_length, while_taking_part
from locomotor.simulation.events.friction import Decision, enter
from locomotor.simulation.events.kinds import OfContact, Search, Trigger, length_to, respond, watcher
from locomotor.simulation.events.modes import Mode
from locomotor.simulation.events.moment import Change, Moment, tell, without_impulse
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import APPROACHES, EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.slip import by_velocity
from locomotor.simulation.roots import ROUND_OFF, root_between
from locomotor.simulation.status import Event
from locomotor.simulation.terrain import (
    TOUCH,
    Place,
    Rough,
    entries,
    gap_and_rate,
    gaps_of,
    is_one,
    is_rim,
    is_short,
    length_to_end,
    nearest_part,
    other_end,
    place_of,
)
from locomotor.typing import Vector

SUNK = 1e-3
"""An open contact that is deeper than this (m) in its ground passes through it."""


@dataclass(frozen=True)
class TerrainTouched(OfContact):
    """A contact enters a part of its terrain; it is named by the number of its first slot."""

    ORDER = 3
    FIRST_ONLY = True

    def is_gated(self, mode: Mode) -> bool:
        """Whether the contact takes part only while a condition holds."""
        return mode.switching[self.contact].law.is_gated


@dataclass(frozen=True)
class TerrainBrushed(TerrainTouched):
    """A contact may enter a feature of the terrain within a step and leave it again."""

    PERHAPS = True


@dataclass(frozen=True)
class SupportEnds(OfContact):
    """The part of the terrain ends that a contact stands on."""

    ORDER = 1
    FIRST_ONLY = True

    feature: Feature


KINDS: dict[str, Callable[[int, Feature], Trigger]] = {
    "touch": lambda i, feature: TerrainTouched(i),
    "graze": lambda i, feature: TerrainBrushed(i),
    "end": SupportEnds,
}
"""The event of each kind of entry (see `terrain.entries`)."""


@watcher
def _on_terrain(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, Trigger]]:
    if not search.holds.roughs:
        return
    places = search.probe.places(times, states)
    names = [entry.name for entry in search.mode.switching]
    for rough in search.holds.roughs:
        for entry in entries(search.holds, rough, places[rough.name], search.lengths):
            yield entry.sample, KINDS[entry.what](names.index(rough.name), entry.feature)


# -- within a step --------------------------------------------------------------------------------------------


def _placed(trigger: OfContact, search: Search, t: float, x: Vector) -> tuple[Rough, Callable[[float], Place]]:
    """The contact of an event, and where its body is after a step of some length."""
    name = search.mode.switching[trigger.contact].name
    rough = next(entry for entry in search.holds.roughs if entry.name == name)

    def at(s: float) -> Place:
        rows = search.probe.places(np.array([t + s]), search.probe.after(t, x, s)[None])
        return place_of(rows[name][0])

    return rough, at


@length_to.register
def _(trigger: SupportEnds, search: Search, t: float, x: Vector, h: float) -> float:
    rough, at = _placed(trigger, search, t, x)
    return length_to_end(search.holds, rough, trigger.feature, at, h)


@length_to.register
def _(trigger: TerrainTouched, search: Search, t: float, x: Vector, h: float) -> float | None:
    rough, at = _placed(trigger, search, t, x)

    def gap_at(s: float) -> tuple[float, float]:
        return gap_and_rate(search.holds, rough, at(s))

    def gap_to_same(s: float) -> float:
        # What was touched may rise while another part comes down beside it.
        return gap_and_rate(search.holds, rough, at(s), nearest_part(search.holds, rough, at(0.0)))[0]

    gap, rate = gap_at(0.0)
    if trigger.PERHAPS:
        if gap_at(h)[1] <= 0.0 or rate >= 0.0:
            return None
        h = root_between(lambda s: gap_at(s)[1], 0.0, h, xtol=ROUND_OFF)
        if gap_at(h)[0] >= -TOUCH:
            return None
    return while_taking_part(trigger, search, t, x, touching_length(gap_at, gap, rate, 0.0, h, gap_to_same))


# -- what they change -----------------------------------------------------------------------------------------


@respond.register
def _(trigger: TerrainTouched, plan: EventPlan, change: Change) -> Change:
    """Let slots stand on the parts of the terrain that are touched."""
    names, holds = plan.modes.names, change.now.holds
    rough = holds.owners[names[trigger.contact]]
    place = change.now.places(plan)[rough.name]
    landed: set[int] = set()
    for candidate in holds.touched(rough, place, plan.near, APPROACHES):
        holds, slot = holds.take(rough, candidate, place)
        landed |= {names.index(slot)} if slot is not None else set()
    for candidate in holds.other_ends(rough, place):
        near = abs(candidate.gap - holds.level(rough, candidate.feature)) <= plan.near
        if near and place.speed(candidate.point, candidate.normal) <= APPROACHES:
            holds, slot = holds.take(rough, candidate, place)
            landed |= {names.index(slot)} if slot is not None else set()
    return replace(change, now=replace(change.now, holds=holds), closing=change.closing | landed)


@respond.register
def _(trigger: SupportEnds, plan: EventPlan, change: Change) -> Change:
    """The contact goes over to the next part of the terrain, or loses the ground."""
    now = change.now
    rough = now.holds.owners[plan.modes.names[trigger.contact]]
    stands = now.holds.stands_on(rough)
    slot = stands.get(trigger.feature)
    if slot is None:
        # Of two ends of a chord that end at one instant the second is the first once that has gone.
        slot = stands.get(other_end(trigger.feature))
        if slot is None or not is_rim(now.holds.footings[slot]):
            return change
    place, stood = now.places(plan)[rough.name], now.holds.footings[slot]
    if is_rim(stood) and other_end(stood.feature) in stands and is_short(stood, place.pose):
        return joined(plan, change, slot)
    if is_one(stood) and now.holds.tracker(rough).find(stood.feature, place.pose, strict=True) is not None:
        return change  # the other end of the chord that has become one
    whole = now.whole(plan)
    holds, following = now.holds.transfer(slot, place)
    change = change.at(replace(now, holds=holds))
    if following is None:
        change = switch(plan, change, now.mode.closed - {slot}, whole, whole.v)
        note = f"{_said(trigger.feature)} ends"
        return tell(plan, change, [without_impulse(slot, "lift-off")], whole.energy, note=note)
    rows = rows_at(plan.modes, whole.q, holds, now.time)
    slips = by_velocity(plan.modes, rows, now.mode.closed, whole.v, now.mode.closed.difference(holds.slips))
    change = enter(plan, change, Decision(now.mode.closed, slips, holds.braced), whole, whole.v)
    passed = f"from {_said(trigger.feature)} to {_said(following)}"
    return tell(plan, change, [without_impulse(slot, "crossing")], whole.energy, note=passed)


def without_idle_crossings(told: tuple[Event, ...]) -> tuple[Event, ...]:
    """Of a contact that loses the ground at once, on coming to an edge, only that is told."""
    gone = {event.contact for event in told if event.kind == "lift-off"}
    return tuple(event for event in told if event.kind != "crossing" or event.contact not in gone)


def _said(feature: Feature) -> str:
    return f"{feature.kind} {feature.number}"


# -- what was overlooked --------------------------------------------------------------------------------------


def first_sunk(plan: EventPlan, now: Moment, gap: Vector, times: Vector, states: Vector) -> tuple[int, int] | None:
    """The first sample at which an open contact is inside its ground, and which; None if there is none at the last.

    A body of several parts is looked at as a whole, whether it stands with some of them or not.

    Every entry is an event, so that this finds what was overlooked. It asks the terrain itself and trusts no bookkeeping.
    """
    holds, names, probe = now.holds, plan.modes.names, now.probe(plan)
    depths = {i: gap[:, i] for i in now.mode.solid}
    for rough in holds.roughs:
        stands = not now.mode.closed.isdisjoint(rough.slots)
        if rough.contact.law.is_gated or (stands and rough.shape.parts == 1):
            continue
        last = probe.places(times[-1:], states[-1:])[rough.name]
        if holds.tracker(rough).gap(place_of(last[0]).pose) < -SUNK:
            depths[names.index(rough.name)] = gaps_of(rough, probe.places(times, states)[rough.name])
    deep = [(int(np.argmax(depth < -SUNK)), i) for i, depth in depths.items() if (depth < -SUNK).any()]
    return min(deep, default=None)
