"""The record of an event-driven run on its way: an immutable chain of stretches of motion and of what happened between."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events.kinds import Trigger
from locomotor.simulation.events.modes import Mode
from locomotor.simulation.events.moment import Change, Moment
from locomotor.simulation.status import Event, Outcome
from locomotor.typing import Vector

RECENT = 4096
"""Events that a trail has at hand."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Motion in one mode from a moment up to where something happens, or up to where it was looked at."""

    start: Moment
    times: Vector
    """Instants of the samples that are recorded, the start not among them."""
    states: Vector
    end: Moment
    triggers: tuple[Trigger, ...] = ()
    """What happens at the end; empty where the motion just goes on."""


@dataclass(frozen=True, eq=False)
class Segment:
    """Part of a run in one mode."""

    mode: Mode
    times: Vector
    states: Vector
    parameters: Vector
    """Values of the parameters left free, those of what its contacts on terrain stand on included."""
    passing: bool = False
    """Whether it lasted for no time: one of several changes at the same instant."""
    triggers: tuple[Trigger, ...] = ()
    """What set off the changes at its end."""

    @property
    def samples(self) -> tuple[Vector, Vector]:
        """All samples: instants, and states one a row."""
        return self.times, self.states


@dataclass(frozen=True, eq=False, repr=False)
class Trail:
    """What has happened up to a moment. Going on makes a longer trail, which shares this one and leaves it as it is."""

    now: Moment
    times: Vector
    """Samples that this link adds to the segment under way, or with which a segment begins."""
    states: Vector
    begins: bool
    told: tuple[Event, ...] = ()
    past: Trail | None = None
    count: int = 0
    """Number of events recorded so far."""
    recent: tuple[Event, ...] = ()
    """The last of them, in the order in which they were told."""
    outcome: Outcome = Outcome.COMPLETED
    detail: str = ""
    """Of a run that ends early: what to do about it."""
    end: str = ""
    """Of a run that has reached one of its ends: which."""
    triggers: tuple[Trigger, ...] = ()
    """What happens at the end of the stretch that this link adds."""

    @classmethod
    def starting(cls, moment: Moment) -> Trail:
        """The first moment of a run."""
        return cls(moment, np.array([moment.time]), moment.state[None], True)

    @property
    def goes_on(self) -> bool:
        """Whether nothing has ended the run."""
        return self.outcome is Outcome.COMPLETED

    def along(self, stretch: Stretch) -> Trail:
        """The trail with a stretch of motion added."""
        return Trail(
            stretch.end,
            stretch.times,
            stretch.states,
            False,
            past=self,
            count=self.count,
            recent=self.recent,
            triggers=stretch.triggers,
        )

    def then(self, change: Change) -> Trail:
        """The trail with everything added that happens at its end; a change that lies earlier takes back what came after it."""
        trail = self if change.now.time >= self.now.time else self._back_to(change.now.time)
        if any(any(event.impulse) for event in change.told):
            trail = trail._up_to_now()
        for moment in change.entered:
            trail = Trail(moment, np.array([moment.time]), moment.state[None], True, past=trail)
        if change.told and not change.entered:
            trail = Trail(change.now, np.zeros(0), np.zeros((0, len(change.now.state))), False, past=trail)
        return replace(
            trail,
            now=change.now,
            told=change.told or trail.told,
            count=self.count + len(change.told),
            recent=(*self.recent, *change.told)[-RECENT:] if change.told else self.recent,
            outcome=change.outcome,
            detail=change.detail,
            end=change.end,
        )

    def stopping(self, outcome: Outcome, detail: str = "") -> Trail:
        """The trail of a run that is over."""
        return replace(self, outcome=outcome, detail=detail)

    def _up_to_now(self) -> Trail:
        """With a sample at its very end: steps that were shortened on the way to an impact are recorded nowhere else."""
        last = next(link.times[-1] for link in self.links() if len(link.times))
        if last >= self.now.time:
            return self
        return Trail(self.now, np.array([self.now.time]), self.now.state[None], False, past=self, triggers=self.triggers)

    def _back_to(self, time: float) -> Trail:
        """Without the samples of the segment under way that are later; nothing is told within a segment."""
        link = self
        while link.past is not None and not link.begins and not (len(link.times) and link.times[0] <= time):
            link = link.past
        kept = int(np.searchsorted(link.times, time, side="right"))
        return replace(link, times=link.times[:kept], states=link.states[:kept])

    # -- reading --------------------------------------------------------------------------------------

    def links(self) -> Iterator[Trail]:
        """The links, the last one first."""
        link: Trail | None = self
        while link is not None:
            yield link
            link = link.past

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All that is told, in the order of time."""
        told = [event for link in reversed(list(self.links())) for event in link.told]
        return tuple(sorted(told, key=lambda event: event.time))

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The motion, one segment for each mode that was entered."""
        groups: list[list[Trail]] = []
        for link in reversed(list(self.links())):
            if link.begins:
                groups.append([])
            groups[-1].append(link)
        found = [
            Segment(
                group[0].now.mode,
                np.concatenate([link.times for link in group]),
                np.concatenate([link.states for link in group]),
                group[0].now.parameters,
                triggers=next((link.triggers for link in reversed(group) if link.triggers), ()),
            )
            for group in groups
        ]
        for k in range(1, len(found) - 1):
            if len(found[k].times) == 1 and found[k].times[0] == found[k + 1].times[0]:
                found[k] = replace(found[k], passing=True)
        return tuple(found)
