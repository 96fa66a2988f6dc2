"""All that is known at one instant of an event-driven run, and what happens there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events.collisions import places_at
from locomotor.simulation.events.modes import Mode
from locomotor.simulation.events.plan import TIME_TOLERANCE, EventPlan
from locomotor.simulation.events.probe import Probe, Seen, Whole
from locomotor.simulation.status import MADE_ENERGY, Event, Outcome
from locomotor.simulation.terrain import Footholds, Place
from locomotor.typing import Vector

Found = TypeVar("Found")
FIRST_CHUNK, LONGEST_CHUNK = 16, 2048
"""Steps taken before the event functions are looked at: few where slips fade, more and more where nothing happens."""
SPARE = 1.1
"""Steps are taken up to so many times the time in which a gap would close: how it accelerates may change on the way."""
QUARTER = 4
"""So small a part of a handful of steps is taken in any case: it costs nothing beside looking at it."""
GAINED = 1e-9
"""A law that gains more than this share of the energy is told; less is round-off."""
LETS_GO = ("lift-off", "release", "crossing", "slips", "sticks", "rolls", "starts", "stops", "lies", "tips")
"""Events of contacts that leave the velocities as they are."""


@dataclass(frozen=True, eq=False)
class Moment:
    """All that is known at one instant. What goes on from it makes another; its arrays are read-only."""

    time: float
    state: Vector
    mode: Mode
    holds: Footholds
    """What the contacts on terrain stand on."""
    parameters: Vector
    """Values of the free parameters of the mode, those of what its contacts stood on when it was entered included."""
    levels: Vector
    """Gaps that count as zero: a contact that has just opened may be inside by round-off or drift."""
    entered: Vector
    """Gaps at the beginning of the present mode."""
    secure: tuple[float, Vector]
    """Instant and state after the last step with comfortable pivots, or of the entry: where to go back to when they fail."""
    chunk: int = FIRST_CHUNK
    """Steps to take before the event functions are looked at."""
    ahead: int = LONGEST_CHUNK
    """Steps until a gap is likely to close: those after it would be taken in vain."""
    wander: float = 0.0
    """The largest squared rate at which the radius of a wheel to its contact point turns (rad²/s²)."""
    rests: tuple[float, ...] = ()
    """Instants ahead at which bounces come to an end, which get a sample each."""
    struck: tuple[float, float] = (-math.inf, -math.inf)
    """Instants of the last two impacts."""
    stilled: tuple[float, frozenset[str]] = (-math.inf, frozenset())
    """Where slips last came to rest and friction held them, and whose."""
    stuck: float = -math.inf
    """Where the last change of pivots took place."""
    stiff: int = 0
    """Into how many implicit steps one of the grid is divided where friction of a patch holds its slide far faster than
    anything changes; zero where steps are explicit."""

    def whole(self, plan: EventPlan) -> Whole:
        """Coordinates, velocities and energy of the complete system at this instant."""
        return self._once("whole", plan, lambda: self.probe(plan).whole(self.time, self.state))

    def probe(self, plan: EventPlan) -> Probe:
        """The functions of the mode at this moment."""
        probe = self._once("probe", plan, lambda: plan.probe(self.mode, self.parameters))
        return self._once("stiff probe", plan, probe.stiffly) if self.stiff else probe

    def look(self, plan: EventPlan) -> Seen:
        """Values of the event functions at this moment."""
        return self._once("look", plan, lambda: self.probe(plan).look(self.time, self.state))

    def places(self, plan: EventPlan) -> dict[str, Place]:
        """Poses of the bodies that may touch a terrain, the angles of their wheels included."""
        whole = self.whole(plan)
        return self._once("places", plan, lambda: places_at(plan.modes, whole.q, whole.v))

    def _once(self, what: str, plan: EventPlan, find: Callable[[], Found]) -> Found:
        """What several ask for; it belongs to this moment, and a moment made of this one finds its own."""
        kept = vars(self).setdefault("_found", {})
        known = kept.get(what)
        if known is None or known[0] is not plan:
            known = kept[what] = (plan, find())
        return known[1]

    def last_impact(self) -> float:
        """The last instant before this one at which something struck."""
        return self.struck[1] if self.struck[1] < self.time else self.struck[0]


def first_moment(plan: EventPlan, mode: Mode, time: float, state: Vector, holds: Footholds | None = None) -> Moment:
    """A moment with nothing before it."""
    none, state = np.zeros(0), np.array(state, dtype=float)
    holds = Footholds(plan.modes.roughs) if holds is None else holds
    blank = Moment(time, state, mode, holds, none, none, none, (time, state), chunk=mode.handful)
    return entering(plan, blank, mode, state)


def entering(plan: EventPlan, now: Moment, mode: Mode, state: Vector) -> Moment:
    """Go on in a mode: the one place where it changes, so that nothing which belongs to another mode outlives it.

    Slots that are not closed in it stand on nothing: what one stood on would else be taken for ground that it cannot enter.
    """
    parameters = plan.parameters(mode, now.holds)
    probe, time = plan.probe(mode, parameters), now.time
    seen = probe.look(time, state)
    holds, gap = now.holds.keep(mode.closed), seen.gap
    if holds.roughs:
        whole = probe.whole(time, state)
        holds = holds.with_levels(places_at(plan.modes, whole.q, whole.v))
    levels = np.where(plan.modes.gated, 0.0, np.minimum(gap, 0.0))
    for array in (state, gap, levels):
        array.setflags(write=False)
    ahead = steps_to_touch(mode, seen, plan.grid.step)
    now = replace(now, levels=levels, entered=gap, secure=(time, state), ahead=ahead)
    wander = float(seen.wander.max(initial=0.0))
    return replace(now, state=state, mode=mode, holds=holds, parameters=parameters, wander=wander)


def steps_to_touch(mode: Mode, seen: Seen, h: float) -> int:
    """Steps until the first open gap would close with its acceleration, and some more; many if none would."""
    soonest = math.inf
    gaps, rates, pulls = seen.gap.tolist(), seen.gap_rate.tolist(), seen.gap_acceleration.tolist()
    for i in mode.open.tolist():
        gap, rate, pull = max(gaps[i], 0.0), rates[i], -pulls[i]
        under = rate * rate + 2.0 * gap * pull
        if rate > 0.0 and pull > 0.0:
            soonest = min(soonest, (rate + math.sqrt(under)) / pull)
        elif gap > 0.0 and under >= 0.0 and (fall := math.sqrt(under) - rate) > 0.0:
            soonest = min(soonest, 2.0 * gap / fall)
    fewest = mode.handful // QUARTER
    return max(fewest, min(LONGEST_CHUNK, int(SPARE * soonest / h) + 2)) if soonest < LONGEST_CHUNK * h else LONGEST_CHUNK


# -- changes --------------------------------------------------------------------------------------------------

Told = tuple[str, str, tuple[float, ...], tuple[float, ...]]
"""Of an event: the contact or slot, the kind, its impulse in its own axes and in those of the world."""
NO_IMPULSE = (0.0, 0.0, 0.0)


def without_impulse(name: str, kind: str) -> Told:
    """What is told of a contact that lets go."""
    return name, kind, NO_IMPULSE, NO_IMPULSE


@dataclass(frozen=True, eq=False)
class Change:
    """What has happened at one instant so far: modes entered one after the other, and events that are told."""

    now: Moment
    entered: tuple[Moment, ...] = ()
    """Every moment at which a mode was entered, in order: this is how far the state has come."""
    told: tuple[Event, ...] = ()
    closing: frozenset[int] = frozenset()
    """Contacts that have come to their ground, and are to collide."""
    opening: frozenset[int] = frozenset()
    """Contacts whose force has vanished, and which may open."""
    yielding: frozenset[int] = frozenset()
    """Contacts whose friction is exhausted, and which are to slip."""
    stopped: frozenset[int] = frozenset()
    """Contacts whose slip has come to rest, and which may stick."""
    loosened: frozenset[int] = frozenset()
    """Joints whose dry friction is exhausted, and which are to slide."""
    halted: frozenset[int] = frozenset()
    """Joints whose slide has come to rest, and which may stick."""
    leaning: frozenset[str] = frozenset()
    """Joints at rest whose friction pulls as hard as it can, while others hold them where they are."""
    outcome: Outcome = Outcome.COMPLETED
    detail: str = ""
    """Of a run that ends here: what to do about it."""
    end: str = ""
    """Of a run that has reached one of its ends: which."""

    @property
    def goes_on(self) -> bool:
        """Whether there is a motion from here."""
        return self.outcome is Outcome.COMPLETED

    def into(self, moment: Moment) -> Change:
        """The change after another mode has been entered."""
        return replace(self, now=moment, entered=(*self.entered, moment))

    def at(self, moment: Moment) -> Change:
        """The change in the same mode, with something else known of it."""
        return replace(self, now=moment)

    def telling(self, *events: Event) -> Change:
        """The change with more events for the record."""
        return replace(self, told=(*self.told, *events))

    def stopping(self, outcome: Outcome, detail: str = "", end: str = "") -> Change:
        """The change after which the run is over."""
        return replace(self, outcome=outcome, detail=detail, end=end)


def tell(
    plan: EventPlan,
    change: Change,
    told: list[Told],
    before: float,
    delays: Mapping[str, float] | None = None,
    note: str = "",
    lost: float = 0.0,
) -> Change:
    """Record events of contacts at this instant, those of contacts that come to rest when they do.

    `before` is the energy before, `lost` what the impact itself takes (see `collisions.Aftermath`).
    """
    modes, now = plan.modes, change.now
    after = now.whole(plan).energy
    instant = plan.grid.at(now.time)
    events, rests, struck = [], now.rests, now.struck
    for name, kind, own, world in told:
        time = min(instant + (delays or {}).get(name, 0.0), plan.grid.end)
        time = time if time > instant + TIME_TOLERANCE else instant
        if kind == "rest":
            rests = (*rests, time)
        if kind == "impact" and time > struck[1]:
            struck = (struck[1], time)
        contact = modes.contact_of.get(name, name)
        work = after - before + lost if modes.system.imposed else 0.0
        events.append(event_of(contact, kind, time, (own, world), (before, after, work), note))
    return change.at(replace(now, rests=rests, struck=struck)).telling(*events)


def event_of(
    contact: str,
    kind: str,
    time: float,
    impulses: tuple[tuple[float, ...], tuple[float, ...]],
    energies: tuple[float, float, float],
    note: str = "",
) -> Event:
    """An event for the record: impulse in its own axes and in those of the world; energies before and after, and work.

    The work is that of imposed motions; what only lets go has none, and leaves energies as they are.
    """
    own, world = impulses
    before, after, work = energies
    name = f"{contact} {kind}"
    if kind in LETS_GO:
        return Event(time, name, note, contact, kind, own, world, after, after, 0.0)
    said = f"normal impulse {own[0]:.6g} N s, energy lost {before - after + work:.6g} J"
    if work:
        said += f", work of imposed motions {work:.6g} J"
    if before - after + work < -GAINED * max(abs(before), abs(after)):
        said += f"; {MADE_ENERGY}"
    return Event(time, name, said, contact, kind, own, world, before, after, work)
