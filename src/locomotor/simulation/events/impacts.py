"""Collisions and openings at an instant of an event-driven run: who takes part, who opens, and who comes to rest."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from locomotor.dataclass import replace
from locomotor.simulation.events import endings
from locomotor.simulation.events.collisions import Rows, collide, places_at, releases, rows_at
from locomotor.simulation.events.friction import settle_with_friction
from locomotor.simulation.events.joint_friction import settle_joints
from locomotor.simulation.events.lying import laid, struck
from locomotor.simulation.events.modes import Closed, Modes
from locomotor.simulation.events.moment import Change, Moment, tell, without_impulse
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import APPROACHES, NEAR, EventPlan
from locomotor.simulation.events.probe import Seen, Whole
from locomotor.simulation.status import Outcome
from locomotor.simulation.terrain import TOUCH, Footing

BRIEF = 1e-7
"""Bounces that last less than this and become shorter are summed: the contact comes to rest when their series ends (s)."""
PULLS = 1e-10
"""A force pulls when it is negative by more than this share of the largest force around."""
MOST_SETTLED = 10
"""Rounds in which contacts and joints with friction are settled in turn."""
MOMENT = 1e-7
"""Over this (s) the acceleration of a contact that has bounced off a terrain is taken."""


# -- collisions -----------------------------------------------------------------------------------------------


def approaching(plan: EventPlan, change: Change) -> Change:
    """With the open contacts to collide that touch the ground and move into it."""
    now, modes = change.now, plan.modes
    seen, holds = now.look(plan), now.holds
    if holds.roughs:
        allowed = {name for name, condition in zip(modes.names, seen.condition, strict=True) if condition > 0.0}
        places = now.places(plan)
        for rough, candidate in list(holds.approaching(places, plan.near, APPROACHES)):
            if rough.name in allowed:
                holds, _ = holds.take(rough, candidate, places[rough.name])
    closing = {i for i, name in enumerate(modes.names) if name in holds.footings and name not in now.mode.closed}
    for i in now.mode.open.tolist():
        touches = abs(seen.gap[i] - now.levels[i]) <= plan.near
        if touches and seen.gap_rate[i] < -APPROACHES and seen.condition[i] > 0.0:
            closing.add(i)
    return replace(change, now=replace(now, holds=holds), closing=change.closing | closing)


def impact(plan: EventPlan, change: Change) -> Change:
    """A collision of those that are closing: new velocities, the contacts that stay closed, and who comes to rest."""
    change, modes = laid(plan, change), plan.modes
    closing = sorted({*change.closing, *_drawn_in(plan, change.now, change.closing)})
    whole = change.now.whole(plan)
    now, rows, result = struck(plan, change.now, whole, closing)
    change = change.at(now)
    if not result.consistent and np.array_equal(result.velocity, whole.v):
        return inconsistent(modes, change, change.closing)
    before = replace(change, closing=frozenset())
    after = switch(plan, before, result.closed, whole, result.velocity)
    resting = _coming_to_rest(plan, after.now, rows, whole, closing, now.holds.footings)
    if resting:
        result = collide(modes, rows, whole.v, now.mode.closed, closing, list(resting))
        after = switch(plan, before, result.closed, whole, result.velocity)
    names, told = modes.names, []
    for name, own, world in result.impulses:
        took_part = name in names and names.index(name) in closing
        rest = name in names and names.index(name) in resting
        if took_part or rest or any(own):
            grip = took_part and modes.switching[names.index(name)].law.grips
            told.append((name, "grip" if grip else "rest" if rest else "impact", own, world))
    # The colliding contacts first.
    told.sort(key=lambda entry: entry[0] not in {names[i] for i in closing})
    after = tell(plan, after, told, whole.energy, {names[i]: delay for i, delay in resting.items()}, lost=result.energy_lost)
    opened = _opened(modes, now.mode.closed, after.now.mode.closed)
    return tell(plan, after, [without_impulse(name, "lift-off") for name in opened], whole.energy)


def _drawn_in(plan: EventPlan, now: Moment, closing: Iterable[int]) -> set[int]:
    """Open contacts that touch and lie still, and whose law gives them a share of the approach of a closing one."""
    modes = plan.modes
    hit = {modes.contact_of[modes.names[i]] for i in closing}
    wanted = [i for i, entry in enumerate(modes.switching) if hit.intersection(entry.law.others)]
    if not wanted:
        return set()
    seen = now.look(plan)
    return {
        i
        for i in wanted
        if modes.names[i] not in now.mode.closed
        and abs(seen.gap[i] - now.levels[i]) <= plan.near
        and seen.gap_rate[i] <= APPROACHES
        and seen.condition[i] > 0.0
    }


def _opened(modes: Modes, before: Closed, after: Closed) -> list[str]:
    """Contacts that were closed before an impact and are open now; one on a terrain may only stand on something else.

    Joints that an impact lets slide tell so themselves.
    """
    standing = {modes.contact_of[name] for name in after}
    left = before - after - modes.rubbing
    gone = {modes.contact_of[name]: name for name in left if modes.contact_of[name] not in standing}
    return sorted(gone.values())


# -- rest -----------------------------------------------------------------------------------------------------


def _coming_to_rest(
    plan: EventPlan, now: Moment, rows: Rows, before: Whole, closing: Sequence[int], touched: Mapping[str, Footing]
) -> dict[int, float]:
    """Contacts that touch, open, whose next bounces are brief and shrink, and the time until the last of them.

    Bounces of duration 2 u/a, each r times the one before, last 2 u/(a (1 - r)) together: u is the speed after this
    impact, a the acceleration towards the ground. Of a contact that has bounced r = u/u-; of one that another's impact
    has lifted (a block that rocks) r is the ratio of its coming flight to the last one. `touched` is what contacts on
    terrain have bounced off.
    """
    seen, last, owners = now.look(plan), now.last_impact(), now.holds.owners
    found: dict[int, float] = {}
    for i in now.mode.open.tolist():
        name = plan.modes.names[i]
        if seen.condition[i] <= 0.0:
            continue
        speed, pull = float(seen.gap_rate[i]), -float(seen.gap_acceleration[i])
        if name in owners:
            if name not in touched:
                continue
            speed, pull = _leaving(plan, now, touched[name])
        elif abs(seen.gap[i] - now.levels[i]) > NEAR:
            continue
        if speed < 0.0 or pull <= 0.0:
            continue
        approach = -float(rows.switching[i][0] @ before.v)
        flight = 2.0 * speed / pull
        ratio = speed / approach if i in closing and approach > 0.0 else flight / (now.time - last)
        if ratio < 1.0 and flight < _brief(plan, pull, ratio):
            found[i] = flight / (1.0 - ratio)
    return found


def _leaving(plan: EventPlan, now: Moment, left: Footing) -> tuple[float, float]:
    """Normal speed of a contact that has just left a part of the terrain, and its acceleration back towards it."""
    probe, speeds = now.probe(plan), []
    for t, x in ((now.time, now.state), (now.time + MOMENT, probe.after(now.time, now.state, MOMENT))):
        whole = probe.whole(t, x)
        place = places_at(plan.modes, whole.q, whole.v)[left.rough.name]
        speeds.append(place.speed(*left.at(place.pose)))
    return speeds[0], (speeds[0] - speeds[1]) / MOMENT


def _brief(plan: EventPlan, pull: float, ratio: float) -> float:
    """Duration (s) below which bounces are summed.

    The sources' scheme sees a touch when a gap is negative by `TOUCH`. With what is won by falling so far bounces become
    no shorter than sqrt(8 TOUCH / a) r / sqrt(1 - r²): twice as much still counts as brief.
    """
    if plan.scheme == "exact":
        return BRIEF
    return max(BRIEF, 2.0 * math.sqrt(8.0 * TOUCH / (pull * (1.0 - ratio * ratio))))


# -- openings -------------------------------------------------------------------------------------------------


def settle(plan: EventPlan, change: Change) -> Change:
    """Open the contacts that would have to pull, and let joints with dry friction stick or slide, until both fit."""
    change = _settle_contacts(plan, change)
    for _ in range(MOST_SETTLED if plan.modes.rubs else 0):
        before = change.now
        change = settle_joints(plan, change)
        if not change.goes_on or change.now.mode is before.mode:
            break
        change = _settle_contacts(plan, change)
    return change


def _settle_contacts(plan: EventPlan, change: Change) -> Change:
    """Open the contacts that would have to pull: the largest set that pushes stays, and the rest separates."""
    if plan.modes.has_friction or change.now.holds.sides:
        return settle_with_friction(plan, change)
    now, closed = change.now, change.now.mode.closed
    seen = now.look(plan)
    if not change.opening and not _pulls(now, seen):
        return change
    whole = now.whole(plan)
    rows = rows_at(plan.modes, whole.q, now.holds, now.time)
    freed, consistent = releases(plan.modes, rows, closed, seen, change.opening)
    if not consistent:
        return inconsistent(plan.modes, change, [i for i, name in enumerate(plan.modes.names) if name in closed])
    if freed:
        change = switch(plan, change, closed - freed, whole, whole.v)
        change = tell(plan, change, [without_impulse(name, "lift-off") for name in sorted(freed)], whole.energy)
    return replace(change, opening=frozenset())


def _pulls(now: Moment, seen: Seen) -> bool:
    """Whether a closed one-sided contact would have to pull harder than it can."""
    least = -PULLS * float(np.abs(seen.normal_force).max(initial=0.0))
    return bool((seen.hold[now.mode.pushing] < least).any())


def inconsistent(modes: Modes, change: Change, contacts: Iterable[int]) -> Change:
    """The run is over: some contacts can neither be closed nor open."""
    return change.stopping(Outcome.INCONSISTENT, endings.inconsistent(modes, [modes.names[i] for i in sorted(contacts)]))
