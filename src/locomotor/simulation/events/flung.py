"""Steps that are no motion: across a slip that all but vanishes, or that turns to where a normal force does not push, the
acceleration of a contact has a pole, and a step whose stages come near it is flung anywhere.

A step is taken for a motion where two of half its length come to about the same; otherwise it is cut until they do.
"""

from collections.abc import Iterator

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.simulation.events.kinds import Search, Trigger, length_to, respond, watcher
from locomotor.simulation.events.moment import Change
from locomotor.simulation.events.plan import TIME_TOLERANCE, EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.search import Located
from locomotor.typing import Vector

MISSED = 0.5
"""Two halves of a step and the whole may differ by so much of what changes in it."""
LEAST = 1e-9
"""Differences below this share of a state, or of one, are no matter."""
SUDDEN = 4.0
"""A slip may be flung that changes by so many times what its rates at both ends of a step make of it, or whose rate grows so
many times."""


@dataclass(frozen=True)
class StepCut(Trigger):
    """A step is cut, being none as long as it was; nothing else happens."""

    COLLIDES = False
    EXACT = True

    length: float


@watcher
def _flung(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, StepCut]]:
    slipping = search.mode.slipping
    if not len(slipping):
        return
    slip, lengths = seen.slip[:, slipping], search.lengths[:, None]
    changes, rates = np.linalg.norm(slip[1:] - slip[:-1], axis=-1), np.linalg.norm(seen.slip_rate[:, slipping], axis=-1)
    calm = (changes <= SUDDEN * lengths * (rates[:-1] + rates[1:]) + LEAST) & (rates[1:] <= SUDDEN * rates[:-1])
    for k in np.flatnonzero(~calm.all(axis=1)).tolist():
        t, x, h = float(times[k]), states[k], float(search.lengths[k])
        if not is_followed(search, t, x, h, states[k + 1]) and (length := followed_length(search, t, x, h)) is not None:
            yield k + 1, StepCut(length)
            return


@np.errstate(all="ignore")  # a step that is flung may come anywhere
def is_followed(search: Search, t: float, x: Vector, h: float, state: Vector) -> bool:
    """Whether a step to a state is a motion."""
    half = search.probe.after(t, x, 0.5 * h)
    twice = search.probe.after(t + 0.5 * h, half, 0.5 * h)
    moved, size = float(np.abs(twice - x).max(initial=0.0)), max(1.0, float(np.abs(x).max(initial=0.0)))
    return bool(float(np.abs(twice - state).max(initial=0.0)) <= MISSED * moved + LEAST * size and moved < np.inf)


def followed_length(search: Search, t: float, x: Vector, h: float) -> float | None:
    """Length of a shorter step that is a motion; None where there is none."""
    while (h := 0.5 * h) > TIME_TOLERANCE:
        if is_followed(search, t, x, h, search.probe.after(t, x, h)):
            return h
    return None


def followed(search: Search, t: float, x: Vector, found: Located) -> Located:
    """An event as it was located; what is before it, where friction has flung the step to it."""
    length, state, _ = found
    if not len(search.mode.slipping) or is_followed(search, t, x, length, state):
        return found
    shorter = followed_length(search, t, x, length)
    return found if shorter is None else (shorter, search.probe.after(t, x, shorter), [StepCut(shorter)])


@length_to.register
def _(trigger: StepCut, search: Search, t: float, x: Vector, h: float) -> float:
    return trigger.length


@respond.register
def _(trigger: StepCut, plan: EventPlan, change: Change) -> Change:
    return change
