"""Events of friction: it is exhausted, a slip comes to rest, or turns away from where it was."""

from collections.abc import Iterator

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events.friction import EXHAUSTED, clinging_alone, settle_with_friction, tell_stances
from locomotor.simulation.events.guide import guided
from locomotor.simulation.events.kinds import (
    OfContact,
    Search,
    Trigger,
    exhausted,
    first_samples,
    length_to,
    length_to_zero,
    reading_of,
    respond,
    watcher,
)
from locomotor.simulation.events.moment import Change, entering
from locomotor.simulation.events.noted import length_to_rest, rest_and_turn
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.slip import STOPPED
from locomotor.typing import Vector

MOVED = 1e-8
"""A contact that sticks and yet moves along the ground faster than this (m/s) is driven."""


# -- friction is exhausted ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FrictionExhausted(OfContact):
    """The force along the ground of a contact that sticks leaves its cone."""

    ORDER = 4
    EXACT = True


@watcher
def _exhausted(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, FrictionExhausted]]:
    clinging = clinging_alone(search.mode, search.holds.braced)
    for sample, i in exhausted(clinging, seen.friction_left, EXHAUSTED, seen.reaction):
        yield sample, FrictionExhausted(i)


@length_to.register
def _(trigger: FrictionExhausted, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_zero(search, t, x, h, lambda seen: seen.friction_left[trigger.contact])


@reading_of.register
def _(trigger: FrictionExhausted, search: Search, seen: Seen) -> float:
    return float(seen.friction_left[trigger.contact])


@respond.register
def _(trigger: FrictionExhausted, plan: EventPlan, change: Change) -> Change:
    return replace(change, yielding=change.yielding | {trigger.contact})


# -- it is driven off ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DrivenOff(OfContact):
    """An imposed motion takes a contact away that was at rest, whatever friction has."""

    ORDER = 4
    EXACT = True


@watcher
def _driven_off(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, DrivenOff]]:
    clinging = search.mode.clinging
    if len(clinging):
        for sample, i in first_samples(clinging, np.abs(seen.slip[1:, clinging]).max(axis=-1) > MOVED):
            yield sample, DrivenOff(i)


@length_to.register
def _(trigger: DrivenOff, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_zero(search, t, x, h, lambda seen: MOVED - float(np.abs(seen.slip[trigger.contact]).max()))


@respond.register
def _(trigger: DrivenOff, plan: EventPlan, change: Change) -> Change:
    whole = change.now.whole(plan)
    return switch(plan, change, change.now.mode.closed, whole, whole.v)


# -- friction is exhausted, and others make up for it ----------------------------------------------------------


@dataclass(frozen=True)
class BracesAgain(Trigger):
    """Some contacts stick because others have force to spare: whether that lasts is asked after every step."""

    COLLIDES = False


@respond.register
def _(trigger: BracesAgain, plan: EventPlan, change: Change) -> Change:
    now, seen = change.now, change.now.look(plan)
    names, force = plan.modes.names, float(np.abs(seen.reaction).max(initial=0.0))
    braced = [i for i in now.mode.clinging.tolist() if names[i] in now.holds.braced]
    lacking = frozenset(i for i in braced if seen.friction_left[i] < -EXHAUSTED * force)
    alone = replace(now, holds=now.holds.bracing(frozenset(names[i] for i in lacking)))
    settled = settle_with_friction(plan, replace(change, now=alone, yielding=lacking))
    return guided(plan, tell_stances(plan, now, settled)) if settled.goes_on else settled


# -- a slip comes to rest -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SlipEnds(OfContact):
    """The slip of a contact passes through zero."""

    ORDER = 4
    EXACT = True


def along_noted(search: Search, seen: Seen, i: int) -> Vector:
    """Slip along the direction that it was noted to have: negative beyond zero."""
    return np.asarray(seen.slip[..., i, :] @ np.asarray(search.holds.slips[search.mode.switching[i].name]))


@watcher
def _ending(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, OfContact]]:
    for i in search.mode.slipping.tolist():
        rests, turns = rest_and_turn(along_noted(search, seen, i), seen.slip[:, i], seen.slip_rate[:, i])
        if rests is not None:
            yield rests, SlipEnds(i)
        if turns is not None and search.mode.switching[i].name not in search.holds.guided:
            yield turns, SlipTurns(i)


@length_to.register
def _(trigger: SlipEnds, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_rest(search, t, x, h, lambda seen: along_noted(search, seen, trigger.contact))


@reading_of.register
def _(trigger: SlipEnds, search: Search, seen: Seen) -> float:
    return float(along_noted(search, seen, trigger.contact))


@respond.register
def _(trigger: SlipEnds, plan: EventPlan, change: Change) -> Change:
    guided = plan.modes.names[trigger.contact] in change.now.holds.guided
    if not guided and np.linalg.norm(change.now.look(plan).slip[trigger.contact]) > STOPPED:
        return with_slip_noted(plan, change, trigger.contact)  # it only turns, within one step
    return replace(change, stopped=change.stopped | {trigger.contact})


@dataclass(frozen=True)
class SlipTurns(OfContact):
    """The slip of a contact has turned away from the direction that was noted for it; nothing else happens."""

    COLLIDES = False


@respond.register
def _(trigger: SlipTurns, plan: EventPlan, change: Change) -> Change:
    return with_slip_noted(plan, change, trigger.contact)


def with_slip_noted(plan: EventPlan, change: Change, contact: int) -> Change:
    """With the direction of a slip noted as it is now."""
    now = change.now
    slip = now.look(plan).slip[contact]
    x, y, z = slip / float(np.linalg.norm(slip))
    name = plan.modes.names[contact]
    holds = now.holds.slipping({**now.holds.slips, name: (float(x), float(y), float(z))}, now.holds.guided)
    return change.into(entering(plan, replace(now, holds=holds), now.mode, now.state))
