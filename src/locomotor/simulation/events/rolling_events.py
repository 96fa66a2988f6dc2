"""Events of rolling resistance: what lies still begins to roll, what rolls stops, or turns about another direction."""

from collections.abc import Iterator

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events.friction import EXHAUSTED
from locomotor.simulation.events.kinds import (
    OfContact,
    Search,
    exhausted,
    length_to,
    length_to_zero,
    respond,
    watcher,
)
from locomotor.simulation.events.lying import lies, tipped
from locomotor.simulation.events.moment import Change, entering, tell, without_impulse
from locomotor.simulation.events.noted import length_to_rest, rest_and_turn
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.slip import STOPPED, Slip
from locomotor.simulation.events.stances import slipping_among, stances_of
from locomotor.typing import Vector

# -- resistance is exhausted ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RollingBegins(OfContact):
    """The moment that keeps a contact from rolling becomes larger than its resistance."""

    ORDER = 5


@watcher
def _beginning(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, RollingBegins]]:
    for sample, i in exhausted(search.mode.resting, seen.rolling_left, EXHAUSTED, seen.moment):
        yield sample, RollingBegins(i)


@length_to.register
def _(trigger: RollingBegins, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_zero(search, t, x, h, lambda seen: seen.rolling_left[trigger.contact])


@respond.register
def _(trigger: RollingBegins, plan: EventPlan, change: Change) -> Change:
    found = _begun(plan, change, trigger.contact)
    if lies(change.now, trigger.contact):
        return found
    name = plan.modes.names[trigger.contact]
    return tell(plan, found, [without_impulse(name, "starts")], found.now.whole(plan).energy)


def _begun(plan: EventPlan, change: Change, contact: int) -> Change:
    """The change after a contact has begun to roll, against the moment that kept it from it; what lies on its side tips."""
    if lies(change.now, contact):
        return tipped(plan, change, contact)
    moment = change.now.look(plan).moment[contact]
    return _rolling(plan, change, {**change.now.holds.turns, plan.modes.names[contact]: _unit(-moment)})


def _unit(vector: Vector) -> tuple[float, float, float]:
    x, y, z = vector / max(float(np.linalg.norm(vector)), 1e-300)
    return float(x), float(y), float(z)


def _rolling(plan: EventPlan, change: Change, turns: Slip) -> Change:
    """The change with these contacts rolling, and no others."""
    now = change.now
    whole = now.whole(plan)
    stances = stances_of(plan.modes.switching, sorted(slipping_among(now.mode.stances)), turns, now.holds.sides)
    return switch(plan, change.at(replace(now, holds=now.holds.turning(turns))), now.mode.closed, whole, whole.v, stances)


def with_turns(plan: EventPlan, change: Change) -> Change:
    """The change with contacts rolling that slip and do not roll yet, where friction turns them on against their resistance."""
    slipping = frozenset(change.now.mode.slipping.tolist())
    for i in change.now.mode.resting.tolist():
        if i in slipping and change.goes_on and _is_exhausted(change.now.look(plan), i):
            change = _begun(plan, change, i)
    return change


def _is_exhausted(seen: Seen, contact: int) -> bool:
    """Whether the moment that keeps a contact from rolling is larger than its resistance."""
    return bool(seen.rolling_left[contact] < -EXHAUSTED * float(np.abs(seen.moment).max(initial=0.0)))


# -- rolling stops, or turns ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RollingEnds(OfContact):
    """The rolling of a contact passes through zero."""

    ORDER = 5


@dataclass(frozen=True)
class RollingTurns(OfContact):
    """A contact rolls about another direction than was noted for it; nothing else happens."""

    COLLIDES = False


def _along(search: Search, seen: Seen, i: int) -> Vector:
    """Turning about the direction that was noted: negative beyond zero."""
    noted = search.holds.turns.get(search.mode.switching[i].name, (0.0, 0.0, 0.0))
    return np.asarray(seen.turn[..., i, :] @ np.asarray(noted))


@watcher
def _ending(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, OfContact]]:
    for i in search.mode.turning.tolist():
        rests, turns = rest_and_turn(_along(search, seen, i), seen.turn[:, i], seen.turn_rate[:, i])
        if rests is not None:
            yield rests, RollingEnds(i)
        if turns is not None:
            yield turns, RollingTurns(i)


@length_to.register
def _(trigger: RollingEnds, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_rest(search, t, x, h, lambda seen: _along(search, seen, trigger.contact))


@respond.register
def _(trigger: RollingEnds, plan: EventPlan, change: Change) -> Change:
    i, now = trigger.contact, change.now
    name, seen = plan.modes.names[i], now.look(plan)
    if float(np.linalg.norm(seen.turn[i])) > STOPPED:
        return _noted(plan, change, i)  # it only turns, within one step
    before = dict(now.holds.turns)
    found = _rolling(plan, change, {other: d for other, d in before.items() if other != name})
    if _is_exhausted(found.now.look(plan), i):
        return _begun(plan, found, i)
    return tell(plan, found, [without_impulse(name, "stops")], found.now.whole(plan).energy)


@respond.register
def _(trigger: RollingTurns, plan: EventPlan, change: Change) -> Change:
    return _noted(plan, change, trigger.contact)


def _noted(plan: EventPlan, change: Change, contact: int) -> Change:
    """With the direction of rolling noted as it is now."""
    return _about(plan, change, plan.modes.names[contact], _unit(change.now.look(plan).turn[contact]))


def _about(plan: EventPlan, change: Change, name: str, direction: tuple[float, float, float]) -> Change:
    now = change.now
    holds = now.holds.turning({**now.holds.turns, name: direction})
    return change.into(entering(plan, replace(now, holds=holds), now.mode, now.state))
