"""Changes of mode, with pivots that are safe where the motion goes on; and of pivots alone, where those in use fail."""

import math
from collections.abc import Mapping

import numpy as np

from locomotor.dataclass import replace
from locomotor.errors import ModelError
from locomotor.mechanics import FLAT
from locomotor.simulation.events.collisions import places_at, rows_at, unyielding
from locomotor.simulation.events.endings import NoModeError, VelocitiesLostError, lies_flat, singular
from locomotor.simulation.events.modes import Closed, Mode
from locomotor.simulation.events.moment import Change, Moment, entering
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Whole
from locomotor.simulation.events.slip import Slip, by_velocity, slides_by_velocity, turns_by_velocity
from locomotor.simulation.events.stances import Stance, stances_of
from locomotor.simulation.singular import COMFORTABLE, SUSPECT
from locomotor.simulation.status import Outcome, repivoted
from locomotor.typing import Vector

SAME_VELOCITY = 1e-5
"""Velocities that a change of mode leaves alone agree to this (m/s, rad/s), relative to the largest if that is more than one:
a contact that walks on to the next part of a terrain may change them by `footholds.TRANSFER`."""


def switch(
    plan: EventPlan,
    change: Change,
    closed: Closed,
    whole: Whole,
    v: Vector,
    stances: Mapping[str, Stance] | None = None,
    slides: Slip | None = None,
) -> Change:
    """Continue in another mode, with velocities that may have jumped, and that the mode must be able to hold.

    Contacts that may slip do so where these velocities say so; the others that stay closed are held as they were. Where
    `stances` are given, all are held as these say. Joints with dry friction slide as `slides` tells, or by their rates.
    """
    moved, now = replace(whole, v=v), change.now
    if plan.modes.rubs and slides is None:
        slides = slides_by_velocity(plan.modes, now.holds.slides, now.mode.closed | closed, v)
        closed = closed.difference(slides) | plan.modes.rubbing.difference(slides)
        now = replace(now, holds=now.holds.sliding(slides))
    if now.holds.footings:
        now = replace(now, holds=now.holds.renoted(places_at(plan.modes, whole.q, v)))
    if stances is None and (plan.modes.has_friction or now.holds.sides or now.mode.stances):
        rows = rows_at(plan.modes, whole.q, now.holds, now.time)
        slips, turns = by_velocity(plan.modes, rows, closed, v), turns_by_velocity(plan.modes, rows, closed, v)
        now = replace(now, holds=now.holds.slipping(slips).turning(turns))
        stances = stances_of(plan.modes.switching, slips, turns, now.holds.sides)
    mode = _mode_at(plan, now, closed, moved, now.mode.stances if stances is None else stances)
    if not _keeps(plan, now, mode, moved):
        other = other_pivots(plan, now, mode, moved, whole.q)
        if other is None or not _keeps(plan, now, other, moved):
            if flat := _lying(plan, now):
                raise NoModeError(lies_flat(plan.modes, flat))
            raise VelocitiesLostError(sorted({plan.modes.contact_of[name] for name in closed}))
        mode = other
    return change.into(entering(plan, replace(now, stuck=-math.inf), mode, mode.state_of(whole.q, v, whole.own)))


def _lying(plan: EventPlan, now: Moment) -> list[str]:
    """Closed wheels that all but lie flat at a moment: round-off of their velocities is as large as these there."""
    if not now.mode.wheels:
        return []
    steep = now.look(plan).pivots[-now.mode.wheels :]
    return [name for name, value in zip(now.mode.wheel_names, steep, strict=True) if value < FLAT]


def _mode_at(plan: EventPlan, now: Moment, closed: Closed, whole: Whole, stances: Mapping[str, Stance]) -> Mode:
    """The mode with some contacts closed, with pivots that are safe at a state."""
    try:
        mode = plan.modes.mode(closed, footings=now.holds.footings, hint=whole.q, time=now.time, stances=stances)
    except ModelError:
        raise VelocitiesLostError(sorted({plan.modes.contact_of[name] for name in closed})) from None
    state = mode.state_of(whole.q, whole.v, whole.own)
    if plan.probe_on(mode, now.holds).ease(now.time, state) < SUSPECT:
        return other_pivots(plan, now, mode, whole, whole.q) or mode
    return mode


def _keeps(plan: EventPlan, now: Moment, mode: Mode, whole: Whole) -> bool:
    """Whether a mode allows the velocities of a state.

    Where rows depend on each other in a pose, but not around it, an impact may leave more motion than the mode has. An
    imposed motion that has yielded to an impact takes its velocity back, so that nothing can be said.
    """
    system = plan.modes.system
    if len(unyielding(system)) < len(system.imposed):
        return True
    found = plan.probe_on(mode, now.holds).whole(now.time, mode.state_of(whole.q, whole.v, whole.own)).v
    largest = max(1.0, float(np.abs(whole.v).max(initial=0.0)))
    return float(np.abs(found - whole.v).max(initial=0.0)) <= SAME_VELOCITY * largest


def other_pivots(plan: EventPlan, now: Moment, than: Mode, whole: Whole, pose: Vector) -> Mode | None:
    """A mode with pivots that are comfortable at a state and at a pose: one made before, or one made around the pose."""
    if not (np.isfinite(whole.q).all() and np.isfinite(whole.v).all() and np.isfinite(pose).all()):
        return None
    footings = now.holds.footings
    for mode in plan.modes.variants(than, footings):
        states = (mode.state_of(q, whole.v, whole.own) for q in (whole.q, pose))
        probe = plan.probe_on(mode, now.holds)
        if mode is not than and all(probe.ease(now.time, x) >= COMFORTABLE for x in states):
            return mode
    try:
        return plan.modes.mode(than.closed, about=pose, footings=footings, time=now.time, stances=than.stances)
    except ModelError:
        return None  # no pivots are safe there: the pose itself is singular


def safer_pivots(plan: EventPlan, now: Moment, end: float, state: Vector, least: float = SUSPECT) -> Mode | None:
    """A mode to go on in, if there is one, where the pivots in use are all but zero, below the `least`, at a state ahead.

    An event may lie where they vanish: two points of a sledge that come to one face are then on one line with it.
    """
    probe = now.probe(plan)
    if now.time <= now.stuck or probe.ease(end, state) >= least:
        return None
    whole, ahead = now.whole(plan), probe.whole(end, state)
    mode = other_pivots(plan, now, now.mode, whole, ahead.q)
    if mode is None or mode is now.mode:
        return None
    first = mode.state_of(whole.q, whole.v, whole.own)
    last = mode.state_of(ahead.q, whole.v, whole.own)
    other = plan.probe_on(mode, now.holds)
    return None if any(other.ease(*each) < least for each in ((now.time, first), (end, last))) else mode


def with_pivots_of(plan: EventPlan, change: Change, mode: Mode, back: tuple[float, Vector] | None = None) -> Change:
    """Go on with other pivots, from the same state or from one to go back to."""
    now = change.now
    time, state = (now.time, now.state) if back is None else back
    there = replace(now, time=time, state=state, stuck=now.time, chunk=now.mode.handful)
    whole = there.whole(plan)
    return change.into(entering(plan, there, mode, mode.state_of(whole.q, whole.v, whole.own))).telling(repivoted(time))


def back_to_comfort(plan: EventPlan, change: Change, failing: Vector) -> Change:
    """Go back to the last step with comfortable pivots, and choose others around the state where they failed.

    The run is over where there are no others, or where going back has not helped before.
    """
    now, words = change.now, singular(plan.modes, change.now.mode.closed)
    if now.time <= now.stuck:
        return change.stopping(Outcome.SINGULAR, words)
    pose = now.probe(plan).whole(now.time, failing).q
    time, state = now.secure
    back = replace(now, time=time, state=state, stuck=now.time)
    whole = back.whole(plan)
    mode = other_pivots(plan, back, now.mode, whole, pose)
    if mode is None:
        return change.at(back).stopping(Outcome.SINGULAR, words)
    return change.into(entering(plan, back, mode, mode.state_of(whole.q, whole.v, whole.own))).telling(repivoted(time))
