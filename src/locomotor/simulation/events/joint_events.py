"""Events of dry friction in joints: it is exhausted, or a slide comes to rest."""

from collections.abc import Iterator

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events.friction import EXHAUSTED
from locomotor.simulation.events.joint_friction import STILL
from locomotor.simulation.events.kinds import OfContact, Search, exhausted, length_to, length_to_zero, respond, watcher
from locomotor.simulation.events.moment import Change, entering
from locomotor.simulation.events.noted import length_to_rest, rest_and_turn
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.slip import STOPPED, direction
from locomotor.typing import Vector


@dataclass(frozen=True)
class JointYields(OfContact):
    """The effort that holds a joint becomes larger than its friction."""

    ORDER = 4


@watcher
def _yielding(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, JointYields]]:
    for sample, i in exhausted(search.mode.sticking, seen.friction_left, EXHAUSTED, seen.reaction):
        yield sample, JointYields(i)


@length_to.register
def _(trigger: JointYields, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_zero(search, t, x, h, lambda seen: seen.friction_left[trigger.contact])


@respond.register
def _(trigger: JointYields, plan: EventPlan, change: Change) -> Change:
    return replace(change, loosened=change.loosened | {trigger.contact})


@dataclass(frozen=True)
class SlideEnds(OfContact):
    """The rate of a joint that slides passes through zero."""

    ORDER = 4


@dataclass(frozen=True)
class SlideTurns(OfContact):
    """A ball joint slides in another direction than was noted for it; nothing else happens."""

    COLLIDES = False


def _along(search: Search, seen: Seen, i: int) -> Vector:
    """The rate in the direction of the slide: negative beyond zero."""
    return np.asarray(seen.slip[..., i, :] @ np.asarray(search.holds.slides.get(search.mode.switching[i].name, STILL)))


@watcher
def _ending(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, OfContact]]:
    for i in search.mode.sliding.tolist():
        rests, turns = rest_and_turn(_along(search, seen, i), seen.slip[:, i], seen.slip_rate[:, i])
        if rests is not None:
            yield rests, SlideEnds(i)
        if turns is not None:
            yield turns, SlideTurns(i)


@length_to.register
def _(trigger: SlideEnds, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_rest(search, t, x, h, lambda seen: _along(search, seen, trigger.contact))


@respond.register
def _(trigger: SlideEnds, plan: EventPlan, change: Change) -> Change:
    i = trigger.contact
    if i in change.now.mode.spinning and float(np.linalg.norm(change.now.look(plan).slip[i])) > STOPPED:
        return _noted(plan, change, i)  # it only turns, within one step
    return replace(change, halted=change.halted | {i})


@respond.register
def _(trigger: SlideTurns, plan: EventPlan, change: Change) -> Change:
    return _noted(plan, change, trigger.contact)


def _noted(plan: EventPlan, change: Change, contact: int) -> Change:
    """With the direction of a slide noted as it is now."""
    now = change.now
    rates = now.look(plan).slip[contact]
    towards = direction(rates / max(float(np.linalg.norm(rates)), 1e-300))
    holds = now.holds.sliding({**now.holds.slides, plan.modes.names[contact]: towards}, now.holds.led)
    return change.into(entering(plan, replace(now, holds=holds), now.mode, now.state))
