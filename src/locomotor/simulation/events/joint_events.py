"""Events of dry friction in joints: it is exhausted, or a slide comes to rest."""

from collections.abc import Iterator

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events.friction import EXHAUSTED
from locomotor.simulation.events.kinds import OfContact, Search, exhausted, length_to, length_to_zero, respond, watcher
from locomotor.simulation.events.moment import Change
from locomotor.simulation.events.noted import length_to_rest, rest_and_turn
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen
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


def _along(search: Search, seen: Seen, i: int) -> Vector:
    """The rate in the direction of the slide: negative beyond zero."""
    return np.asarray(seen.slip[..., i, 0] * search.holds.slides.get(search.mode.switching[i].name, 0.0))


@watcher
def _ending(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, SlideEnds]]:
    for i in search.mode.sliding.tolist():
        rests, _ = rest_and_turn(_along(search, seen, i), seen.slip[:, i], seen.slip_rate[:, i])
        if rests is not None:
            yield rests, SlideEnds(i)


@length_to.register
def _(trigger: SlideEnds, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_rest(search, t, x, h, lambda seen: _along(search, seen, trigger.contact))


@respond.register
def _(trigger: SlideEnds, plan: EventPlan, change: Change) -> Change:
    return replace(change, halted=change.halted | {trigger.contact})
