"""The two ends of a chord on which a disc stands along an edge come together: from then on they are one support; or part.

A chord vanishes within an instant, like a square root, and with it what tells the rows of its ends from each other: no pivots
hold up to there. Where they fail, some hundredths of a millisecond before it, the middle of the chord takes the place of both.
"""

from collections.abc import Iterator

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events.endings import VelocitiesLostError
from locomotor.simulation.events.kinds import OfContact, Search, Trigger, length_to, respond, watcher
from locomotor.simulation.events.moment import Change, Moment
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.roots import ROUND_OFF, root_between
from locomotor.simulation.terrain import Footing, is_one, parts_by
from locomotor.typing import Vector

SOON = 1.0
"""Steps of the grid within which ends meet for which pivots fail."""


@dataclass(frozen=True)
class EndsMeet(OfContact):
    """Both ends of a chord are all but one; the number is that of the first."""

    ORDER = 2


def ends_meeting(plan: EventPlan, now: Moment, time: float, state: Vector) -> tuple[Trigger, ...]:
    """The chords whose ends come together where the steps of a moment fail."""
    if not now.holds.has_chords:
        return ()
    places = replace(now, time=time, state=state).places(plan)
    return tuple(EndsMeet(plan.modes.names.index(slot)) for slot in now.holds.ends_meeting(places, SOON * plan.grid.step))


@respond.register
def _(trigger: EndsMeet, plan: EventPlan, change: Change) -> Change:
    return joined(plan, change, plan.modes.names[trigger.contact])


def joined(plan: EventPlan, change: Change, slot: str) -> Change:
    """The change with one support in place of both ends of a chord."""
    now = change.now
    whole, rough = now.whole(plan), now.holds.owners[slot]
    holds, _, goes = now.holds.ends_joined(slot, now.places(plan)[rough.name])
    return switch(plan, change.at(replace(now, holds=holds)), now.mode.closed - {goes}, whole, whole.v)


# -- they part again ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EndsPart(OfContact):
    """A side that stands on an edge with one point has so much of itself above it that it does so with a chord."""

    ORDER = 2


def _ones(search: Search) -> Iterator[tuple[int, Footing]]:
    for i, entry in enumerate(search.mode.switching):
        footing = search.holds.footings.get(entry.name)
        if footing is not None and is_one(footing):
            yield i, footing


def _poses(search: Search, footing: Footing, times: Vector, states: Vector) -> tuple[Vector, Vector]:
    rows = search.probe.places(times, states)[footing.rough.name]
    return rows[:, 0:9].reshape(-1, 3, 3), rows[:, 9:12]


@watcher
def _parting(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, Trigger]]:
    for i, footing in _ones(search):
        parted = parts_by(footing, _poses(search, footing, times, states))[1:] > 0.0
        if parted.any():
            yield int(parted.argmax()) + 1, EndsPart(i)


@length_to.register
def _(trigger: EndsPart, search: Search, t: float, x: Vector, h: float) -> float:
    footing = search.holds.footings[search.mode.switching[trigger.contact].name]

    def left(s: float) -> float:
        state = search.probe.after(t, x, s)
        return -float(parts_by(footing, _poses(search, footing, np.array([t + s]), state[None]))[0])

    return root_between(left, 0.0, h, xtol=ROUND_OFF) if left(0.0) > 0.0 else 0.0


@respond.register
def _(trigger: EndsPart, plan: EventPlan, change: Change) -> Change:
    """Both ends stand on the edge; where the disc turns about its one point, one strikes it and the other lifts."""
    now, slot = change.now, plan.modes.names[trigger.contact]
    if slot not in now.holds.footings or not is_one(now.holds.footings[slot]):
        return change
    whole, place = now.whole(plan), now.places(plan)[now.holds.owners[slot].name]
    holds, ends = now.holds.ends_parted(slot, place)
    closed = now.mode.closed - {slot}
    try:
        return switch(plan, change.at(replace(now, holds=holds)), closed | frozenset(ends), whole, whole.v)
    except VelocitiesLostError:
        change = switch(plan, change, closed, whole, whole.v)
        striking = frozenset(plan.modes.names.index(name) for name in ends)
        return replace(change.at(replace(change.now, holds=holds)), closing=change.closing | striking)
