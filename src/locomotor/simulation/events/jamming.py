"""Towards Painlevé's border: a normal force on a contact that slips, with its friction, pushes less and less, then not at all.

The push (`mechanics.sliding`) is what the normal force is divided by, so that the force grows without bound where it vanishes:
no step may lead across that. Steps are cut where a push would lose more than a part of itself, so that they become shorter and
shorter, each as good as any; what comes first, the end of the force, of the slip, or of the push, is seen in between.
"""

import math
from collections.abc import Iterator

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events import endings
from locomotor.simulation.events.contact_events import LITTLE
from locomotor.simulation.events.friction_events import along_noted, with_slip_noted
from locomotor.simulation.events.kinds import OfContact, Search, Trigger, length_to, length_to_zero, respond, watcher
from locomotor.simulation.events.moment import Change
from locomotor.simulation.events.plan import TIME_TOLERANCE, EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.slip import STOPPED
from locomotor.simulation.status import Outcome
from locomotor.typing import Flags, Integers, Vector

WATCHED = 0.5
"""Of a push below this, 1 being that without friction, it is asked where it goes."""
LOSES = 0.125
"""The part of itself that such a push may lose in a step; the error of a step that integrates its inverse is 2e-6 then."""
DROPS = 0.5
"""A push that falls below this part of itself in a step, whatever it seemed to do at its beginning, was not followed."""
JAMMED = 1e-9
"""A push below this is none."""
ALMOST = 0.95
"""Of the step in which a push would lose its part so much is taken."""


@dataclass(frozen=True)
class PushWanes(OfContact):
    """The push of a contact that slips loses much of itself within a step, which is cut for that; nothing else happens."""

    COLLIDES = False
    EXACT = True

    length: float
    """Of the step that is short enough."""


@dataclass(frozen=True)
class PushEnds(OfContact):
    """There is next to nothing left of the push of a contact that slips: no further step is possible."""

    COLLIDES = False
    EXACT = True


@dataclass(frozen=True)
class Jams(OfContact):
    """A slip has turned within a step, and where it goes to now a normal force with its friction does not push."""

    ORDER = 4


@watcher
def _jamming(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, Trigger]]:
    slipping = search.mode.slipping
    if not len(slipping):
        return
    # A slip that friction drives into the ground may have a force too: its push is negative, and must not vanish either.
    push = seen.push[:, slipping]
    sense = np.where(push[:-1] < 0.0, -1.0, 1.0)
    before, later, lengths = sense * push[:-1], sense * push[1:], search.lengths[:, None]
    low = (before < WATCHED) | ~(later >= WATCHED)
    if not low.any():
        return
    rates = np.empty_like(before)
    rates[1:] = (push[1:-1] - push[:-2]) / lengths[:-1]
    rates[0] = _rates(search, float(times[0]), states[0], float(lengths[0, 0]), slipping) if low[0].any() else 0.0
    wanes = low & ~(before + lengths * sense * rates >= (1.0 - LOSES) * before)
    drops = low & ~wanes & ~(later >= DROPS * before)
    for column, i in enumerate(slipping.tolist()):
        yield from _first(search, times, states, i, wanes[:, column], drops[:, column], along_noted(search, seen, i)[1:] < 0.0)


def _first(
    search: Search, times: Vector, states: Vector, i: int, wanes: Flags, drops: Flags, turned: Flags
) -> Iterator[tuple[int, Trigger]]:
    """The first step of one contact that must not be taken as it is."""
    amiss = wanes | drops
    if not amiss.any():
        return
    k = int(amiss.argmax())
    if turned[k] and not wanes[k]:  # friction is another one beyond the end of the slip
        if not search.at(float(times[k]), states[k], float(search.lengths[k])).push[i] > 0.0:
            yield k + 1, Jams(i)
        return
    yield k + 1, cut(search, float(times[k]), states[k], float(search.lengths[k]), i)


def _rates(search: Search, t: float, x: Vector, h: float, slipping: Integers) -> Vector:
    """Rates of the pushes at a state (1/s), from a small part of a step."""
    little = h / LITTLE
    return np.asarray((search.at(t, x, little).push - search.probe.look(t, x).push)[slipping] / little)


def cut(search: Search, t: float, x: Vector, h: float, contact: int) -> PushWanes | PushEnds:
    """How long a step may be in which the push of a contact wanes."""
    push = float(search.probe.look(t, x).push[contact])
    if not abs(push) > JAMMED:
        return PushEnds(contact)
    sense, push = math.copysign(1.0, push), abs(push)

    def left(length: float) -> float:
        return sense * float(search.at(t, x, length).push[contact])

    # A part of the step so small that the push is followed over it tells where it goes.
    little = h / LITTLE
    while not (1.0 - LOSES) * push <= (then := left(little)) <= (1.0 + LOSES) * push:
        little /= LITTLE
        if little < TIME_TOLERANCE:
            return PushEnds(contact)
    length = min(0.5 * h, ALMOST * LOSES * push * little / (push - then) if then < push else h)
    while length > little and not left(length) >= (1.0 - LOSES) * push:
        length *= 0.5
    return PushWanes(contact, max(length, little))


@length_to.register
def _(trigger: PushWanes, search: Search, t: float, x: Vector, h: float) -> float:
    return trigger.length


@respond.register
def _(trigger: PushWanes, plan: EventPlan, change: Change) -> Change:
    return change


@length_to.register
def _(trigger: PushEnds, search: Search, t: float, x: Vector, h: float) -> float:
    return 0.0


@respond.register
def _(trigger: PushEnds, plan: EventPlan, change: Change) -> Change:
    return change.stopping(Outcome.INCONSISTENT, endings.jams(plan.modes, plan.modes.names[trigger.contact]))


@length_to.register
def _(trigger: Jams, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_zero(search, t, x, h, lambda seen: seen.push[trigger.contact])


@respond.register
def _(trigger: Jams, plan: EventPlan, change: Change) -> Change:
    slip, name = change.now.look(plan).slip[trigger.contact], plan.modes.names[trigger.contact]
    if float(slip @ np.asarray(change.now.holds.slips[name])) < 0.0 and float(np.linalg.norm(slip)) > STOPPED:
        # Friction was taken the other way: where it slips to now nothing may jam.
        return with_slip_noted(plan, change, trigger.contact)
    return replace(change, opening=change.opening | {trigger.contact})
