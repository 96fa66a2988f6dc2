"""Kinds of events: each is a small frozen class, and says by registration how it is seen, located and answered.

A new kind is one class and up to three functions, wherever they are defined:

    @dataclass(frozen=True)
    class Slips(Trigger): ...

    @watcher                                   # samples by which it has come to pass
    def slipping(search, seen, times, states): yield k, Slips(...)

    @length_to.register                        # when, within a step; the end of the step where nothing is registered
    def _(trigger: Slips, search, t, x, h): ...

    @respond.register                          # what it changes
    def _(trigger: Slips, plan, change): return switch(...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, singledispatch
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.simulation.events.modes import Mode
from locomotor.simulation.events.moment import Change
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Probe, Seen
from locomotor.simulation.roots import ROUND_OFF, after_change, root_between
from locomotor.simulation.terrain import Footholds
from locomotor.typing import Integers, Vector


@dataclass(frozen=True)
class Trigger:
    """Something that happens at an instant of an event-driven run. Equal ones are the same event."""

    ORDER: ClassVar[int] = 0
    """Of several at one instant those with lower numbers are answered first."""
    COLLIDES: ClassVar[bool] = True
    """Whether contacts may collide and open by it, so that something must come of it."""
    PERHAPS: ClassVar[bool] = False
    """Whether the event may turn out to be none when it is located."""
    EXACT: ClassVar[bool] = False
    """Whether every scheme locates it to round-off: a slip that ends a little early has not ended."""
    FIRST_ONLY: ClassVar[bool] = False
    """Whether its watcher names only the first: one that turns out to be none has to be looked for again from there."""

    @property
    def contacts(self) -> tuple[int, ...]:
        """Numbers of the switching contacts concerned."""
        return ()

    def is_gated(self, mode: Mode) -> bool:
        """Whether it is a touch of a contact that takes part only while a condition holds."""
        return False


@dataclass(frozen=True)
class OfContact(Trigger):
    """An event of one switching contact, by its number."""

    contact: int

    @property
    def contacts(self) -> tuple[int, ...]:
        """The number of the contact, as a tuple."""
        return (self.contact,)


@dataclass(frozen=True, eq=False)
class Search:
    """A piece of motion in one mode to be searched for events.

    `levels` are the gaps that count as zero: that of a contact which has just opened may be negative by round-off or drift.
    Once it is positive, it comes down to zero.
    """

    probe: Probe
    levels: Vector
    lengths: Vector
    """Of the steps from each sample to the next (s)."""
    holds: Footholds

    @property
    def mode(self) -> Mode:
        """The mode in which the motion was integrated."""
        return self.probe.mode

    def levels_along(self, gaps: Vector) -> Vector:
        """The levels that hold from each of some samples on, from their gaps: both samples x contacts."""
        risen = np.maximum.accumulate(gaps > 0.0, axis=0)
        return np.where(risen, 0.0, self.levels)

    def at(self, t: float, x: Vector, length: float) -> Seen:
        """Event functions after a step of some length."""
        return self.probe.look(t + length, self.probe.after(t, x, length))

    def crossings(self, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, list[Trigger]]]:
        """Samples, from 1 on, by which events have come to pass, and which ones, as every watcher sees them."""
        found: dict[int, list[Trigger]] = {}
        for watch in WATCHERS:
            for k, trigger in watch(self, seen, times, states):
                found.setdefault(k, []).append(trigger)
        for k in sorted(found):
            yield k, found[k]


Watcher = Callable[[Search, Seen, Vector, Vector], Iterator[tuple[int, Trigger]]]
WATCHERS: list[Watcher] = []
"""Everybody who looks for events among samples: (search, event functions, times, states) -> (sample from 1 on, event)."""


def watcher(function: Watcher) -> Watcher:
    """Register somebody who looks for events."""
    WATCHERS.append(function)
    return function


@singledispatch
def length_to(trigger: Trigger, search: Search, t: float, x: Vector, h: float) -> float | None:
    """Length of the step from a state to an event that comes to pass within a step of length h; None if it is none."""
    return h


@singledispatch
def reading_of(trigger: Trigger, search: Search, seen: Seen) -> float | None:
    """What is positive before an event and not after it; None where nothing says so, and each is located by itself."""
    return None


@singledispatch
def respond(trigger: Trigger, plan: EventPlan, change: Change) -> Change:
    """What an event adds to what has happened at its instant so far.

    A contact that is to collide or to open is only named, in `closing` or `opening`: what comes of it is decided for all of
    them together.
    """
    name = type(trigger).__name__
    raise ModelError(f"event {name}: nothing says what happens then; register a function with kinds.respond.register")


# -- readings of contacts that must not fall below zero --------------------------------------------------------


LARGEST = float(np.finfo(np.float64).max)


def largest_so_far(readings: Vector) -> Vector:
    """Before each sample but the first, the largest size of some readings (samples x ...): what comes later may be anything."""
    sizes = np.fmax.reduce(np.abs(readings).reshape(len(readings), -1), axis=1, initial=0.0)
    return np.asarray(np.maximum.accumulate(np.minimum(sizes, LARGEST))[:-1, None])


def first_samples(contacts: Integers, amiss: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """(sample, contact) where each contact is amiss for the first time; `amiss` has the samples from the second on."""
    if amiss.any():
        for i, where in zip(contacts.tolist(), amiss.T, strict=True):
            if where.any():
                yield int(where.argmax()) + 1, i


def exhausted(contacts: Integers, readings: Vector, share: float, sizes: Vector) -> Iterator[tuple[int, int]]:
    """(sample, contact) where a reading of each contact first falls below zero by a share of the largest size so far."""
    if len(contacts):
        yield from first_samples(contacts, readings[1:, contacts] < -share * largest_so_far(sizes))


JUMPS = 1e-6
"""A reading that is not below this part of its change over the step, where it should vanish, jumps there."""


def length_to_zero(search: Search, t: float, x: Vector, h: float, reading: Callable[[Seen], float]) -> float:
    """Length of the step, up to h, after which a reading vanishes; zero where it is not positive to begin with."""
    first = float(reading(search.probe.look(t, x)))
    if not first > 0.0:
        return 0.0

    @cache
    def value(s: float) -> float:
        return float(reading(search.at(t, x, s)))

    if value(h) > 0.0:
        return h  # a force that jumps by round-off of the state, or of the instant, has its change at the very end
    found = root_between(value, 0.0, h, xtol=ROUND_OFF)
    # At the end of a step a clock may jump, which the next step begins with.
    if h - found <= 8.0 * ROUND_OFF or (left := value(found)) <= 0.0 or left <= JUMPS * (first - value(h)):
        return found
    # A force that jumps with the state takes the reading through zero at once: what happens is seen just after that.
    return after_change(lambda s: value(s) > 0.0, h)
