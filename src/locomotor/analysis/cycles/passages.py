"""Going from one passage of a section to the next: the event-driven loop, driven step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch

import numpy as np

from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.sections import AtEvent, Crossing, SectionKind
from locomotor.dataclass import dataclass
from locomotor.errors import SectionError
from locomotor.simulation.events import (
    SOON,
    Change,
    EventPlan,
    Grid,
    GripChanges,
    Mode,
    Moment,
    Rounds,
    Segment,
    Stretch,
    Trail,
    advance,
    beginning,
    first_moment,
    handle,
    is_under_way,
    judged,
    locate,
)
from locomotor.simulation.inputs import switch_instants
from locomotor.typing import Floats

Arrival = tuple[Mode, float, Floats]
"""Mode, instant and state of a passage."""
AGAIN = 1e-9
"""An event sooner after the start is that of the section itself (s)."""


@dataclass(frozen=True, eq=False)
class Route:
    """A motion up to a passage of a section, or as far as it came."""

    plan: EventPlan
    trail: Trail
    place: Arrival | None = None
    """Mode, instant and state of the passage; None where there was none."""


@dataclass(frozen=True, eq=False)
class Way:
    """What stays the same on the way to a passage."""

    kernels: Kernels
    plan: EventPlan

    @property
    def start(self) -> float:
        """Instant (s) at which the motion begins."""
        return self.plan.grid.start


@singledispatch
def within(section: object, way: Way, stretch: Stretch, missing: int) -> tuple[int, Stretch | None]:
    """Passages within a stretch, and where the last that is missing is among them the stretch up to there.

    Registered on the kinds of sections that a motion passes between events.
    """
    return 0, None


@singledispatch
def at_instant(section: object, way: Way, change: Change, trail: Trail, missing: int) -> tuple[int, Arrival | None]:
    """Passages in what happens at one instant, and where the last that is missing is among them its place.

    Registered on the kinds of sections that lie at events.
    """
    return 0, None


@singledispatch
def changes_before(section: object, chain: Sequence[Segment]) -> Sequence[Segment] | None:
    """Of the segments that follow each other at one instant those up to the passage; None where a passage is at no event.

    Registered on the kinds of sections that lie at events.
    """
    return None


def drive(
    kernels: Kernels,
    step: float,
    mode: Mode,
    start: float,
    end: float,
    state: Floats,
    parameters: Floats,
    section: SectionKind | None = None,
    passages: int = 1,
) -> Route:
    """To the given passage of the section, or without one to `end` and through whatever is scheduled then."""
    modes = kernels.modes.with_values(dict(zip(kernels.modes.free, parameters.tolist(), strict=True)))
    stops = switch_instants(modes.system, modes.controller, start, end) if section is None else ()
    plan = EventPlan(modes, Grid(start, end, step, stops), kernels.inputs, every_step=True)
    way = Way(kernels, plan)
    holds = None
    if mode.supports:
        (holds,) = kernels.holds(mode, np.array([start]), state[None], parameters[None])
    trail = beginning(plan, mode, state, holds)
    missing, rounds = passages, Rounds()
    while is_under_way(plan, trail):
        rounds = rounds.then(plan, trail.now)
        trail = rounds.judge(plan, trail, trail.triggers)
        if not trail.goes_on:
            break
        stretch = locate(plan, advance(plan, trail.now))
        met, cut = within(section, way, stretch, missing)
        if cut is not None:
            return Route(plan, trail.along(cut), (cut.end.mode, cut.end.time, cut.end.state))
        missing -= met
        trail = trail.along(stretch)
        if not stretch.triggers:
            continue
        change = handle(plan, trail.now, stretch.triggers)
        if change.now.holds.sides:
            raise SectionError(
                f"contact {min(change.now.holds.sides)!r} comes to lie on its side, where it has no derivative here; start it "
                "so that it stays upright"
            )
        trail = judged(plan, trail.then(change))
        met, place = at_instant(section, way, change, trail, missing)
        if place is not None:
            return Route(plan, trail, place)
        missing -= met
    if section is None and trail.goes_on:
        trail = _through_schedule(plan, trail)
        last = trail.segments[-1]
        return Route(plan, trail, (last.mode, float(last.times[-1]), last.states[-1]))
    return Route(plan, trail)


def _through_schedule(plan: EventPlan, trail: Trail) -> Trail:
    """With the grips changed that change just after the end."""
    last, end = trail.segments[-1], plan.grid.end
    entries = enumerate(plan.modes.switching)
    changed = [i for i, c in entries if c.law.grips and plan.gripping(c, end + SOON) != (c.name in last.mode.closed)]
    if not changed:
        return trail
    moment = first_moment(plan, last.mode, float(last.times[-1]), last.states[-1], trail.now.holds)
    return trail.then(handle(plan, moment, [GripChanges(i) for i in changed]))


# -- sections at events ---------------------------------------------------------------------------------------


@at_instant.register
def _(section: AtEvent, way: Way, change: Change, trail: Trail, missing: int) -> tuple[int, Arrival | None]:
    met = _counted(section, change, way.start + AGAIN)
    if section.is_before and met and len(_before_change(section, _at_once(trail))) == len(_at_once(trail)):
        return 0, None  # nothing let go of what was held: a slip turned round, or began with an impact
    return met, _place_at(section, trail) if met >= missing else None


def _counted(section: AtEvent, change: Change, begin: float) -> int:
    """Passages in what happens at one instant; the event that the start lies on is none."""
    wanted = (event for event in change.told if event.kind == section.kind and section.contact in ("", event.contact))
    return len({event.time for event in wanted if event.time > begin})


def _place_at(section: AtEvent, trail: Trail) -> Arrival:
    """Just after an event, or just before a contact lets go."""
    last = trail.segments[-1]
    if section.is_before:
        last = _before_change(section, _at_once(trail))[-1]
    return last.mode, float(last.times[-1]), last.states[-1]


@changes_before.register
def _(section: AtEvent, chain: Sequence[Segment]) -> Sequence[Segment]:
    return _before_change(section, chain) if section.is_before else chain


def _at_once(trail: Trail) -> list[Segment]:
    """The segments that meet at the instant that a trail has come to."""
    return [segment for segment in trail.segments if segment.times[-1] == trail.segments[-1].times[0]]


def _before_change(section: AtEvent, chain: Sequence[Segment]) -> Sequence[Segment]:
    """The segments of a chain up to the last with the contact of the section still held; all where it was not let go."""
    for k in range(len(chain) - 2, -1, -1):
        old, new = chain[k].mode, chain[k + 1].mode
        gone = _lifted(old, new) if section.kind == "lift-off" else _loosened(old, new)
        if (section.contact in gone) if section.contact else gone:
            return chain[: k + 1]
    return chain


def _lifted(old: Mode, new: Mode) -> set[str]:
    """Contacts that a change of mode opens."""
    return set(old.closed - new.closed - old.frictions.keys())


def _loosened(old: Mode, new: Mode) -> set[str]:
    """Contacts, and frictions of joints, that begin to slip."""
    joints = {old.frictions[name] for name in old.closed - new.closed if name in old.frictions}
    return joints | ((new.stances.keys() & old.closed) - old.stances.keys())


# -- sections where an expression changes its sign ------------------------------------------------------------


@within.register
def _(section: Crossing, way: Way, stretch: Stretch, missing: int) -> tuple[int, Stretch | None]:
    crossed = _crossed(section, way, stretch)
    return len(crossed), _up_to_crossing(section, way, stretch, crossed[missing - 1]) if len(crossed) >= missing else None


def _crossed(section: Crossing, way: Way, stretch: Stretch) -> list[int]:
    """Samples of a stretch, its start being number 0, after each of which the expression becomes positive."""
    if not len(stretch.times):
        return []
    times = np.concatenate([[stretch.start.time], stretch.times])
    states = np.concatenate([stretch.start.state[None], stretch.states])
    values = _values(section, way, stretch.start, times, states)
    if times[0] == way.start and abs(values[0]) < 1e-9 * (1.0 + np.abs(values).max()):
        values[0] = 0.0  # the start lies on the section: that is no passage
    return [int(k) for k in np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))]


def _values(section: Crossing, way: Way, now: Moment, times: Floats, states: Floats) -> Floats:
    return section.direction * way.kernels.cross(now.mode, section.expression, times, states, now.parameters)["crossing"][:, 0]


def _up_to_crossing(section: Crossing, way: Way, stretch: Stretch, k: int) -> Stretch:
    """The stretch up to the crossing after its sample k."""
    from scipy.optimize import brentq

    now = stretch.start
    t, x = (now.time, now.state) if k == 0 else (float(stretch.times[k - 1]), stretch.states[k - 1])
    probe, h = now.probe(way.plan), float(stretch.times[k]) - t

    def value(length: float) -> float:
        there = probe.after(t, x, length)[None]
        return float(_values(section, way, now, np.array([t + length]), there)[0])

    length = float(brentq(value, 0.0, h, xtol=1e-14))
    end = replace(now, time=t + length, state=probe.after(t, x, length))
    times, states = np.append(stretch.times[:k], end.time), np.concatenate([stretch.states[:k], end.state[None]])
    return Stretch(now, times, states, end)
