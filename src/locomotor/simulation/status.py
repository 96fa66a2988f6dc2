"""How a run ended, as a sentence with a remedy; and what happened on the way."""

from enum import Enum
from typing import Any, SupportsIndex, overload

from locomotor.dataclass import dataclass

HOLLOW = "is not rounder than the hollow it is in, and touches at more places than one; make it smaller, or the surface flatter"
"""What is wrong with a ball in a hollow that is more curved than it."""
NARROW, LOST_TOUCH = 0.2, 1e-4
"""A ball that fits so closely into a hollow (1 less radius times curvature), and is so far (m) off its surface, has met a
second side of it: as it comes to fit, its point of contact runs ever faster, and a step may lead past the place itself."""


BRACED = "kept from slipping by others: how they share the force along the ground is not determined"
"""Told of a contact that sticks although the smallest forces which do the same are not within its cone."""


class Outcome(Enum):
    """Ways in which a run ends."""

    COMPLETED = "the run reached its end"
    ENDED = "one of the ends was reached"
    INCOMPATIBLE = "the motion violates the constraints"
    SINGULAR = "the constraints became singular and no other pivots are safe there"
    WRONG = "the motion went wrong"
    NOT_FINITE = "the state became infinite or not a number"
    UNSOLVED = "the implicit step did not converge"
    STEP_TOO_SMALL = "the adaptive step became too small"
    STIFF = "the system is too stiff for the adaptive steps"
    CHATTERING = "events follow each other without end"
    SUNK = "a contact passes through its ground"
    INCONSISTENT = "no set of closed contacts pushes while the others separate"
    UNDECIDED = "closed contacts can go on in several ways"
    UNFINISHED = "the run is not finished"


@dataclass(frozen=True)
class Status:
    """Outcome of a run, when, and what to do about it."""

    outcome: Outcome
    time: float
    detail: str = ""
    end: str = ""
    """Which of the ends was reached, such as "fallen", or was about to be by a run that stopped for another reason; empty where
    none was."""
    near: str = ""
    """Of an end that was about to be reached: how near it was."""

    @property
    def completed(self) -> bool:
        """Whether the run lasted as long as was asked for."""
        return self.outcome is Outcome.COMPLETED

    @property
    def ok(self) -> bool:
        """Whether nothing went wrong: the run lasted as long as was asked for, or until one of its ends, as a fall."""
        return self.outcome in (Outcome.COMPLETED, Outcome.ENDED)

    def __str__(self) -> str:
        """The status as a sentence."""
        if self.outcome is Outcome.ENDED:
            return f"{self.end} at t = {self.time:.6g} s" + (f" ({self.detail})" if self.detail else "")
        if self.end:
            why = f"{self.outcome.value}; {self.detail}" if self.detail else self.outcome.value
            return f"almost {self.end} at t = {self.time:.6g} s ({self.near}): {why}"
        text = f"{self.outcome.value} (t = {self.time:.6g} s)"
        return f"{text}: {self.detail}" if self.detail else text


@dataclass(frozen=True)
class Event:
    """Something that happened at an instant of a run."""

    time: float
    name: str
    description: str = ""
    contact: str = ""
    """The contact concerned, if any."""
    kind: str = ""
    """For a contact: "impact", "lift-off", "rest" (bounces that came to an end), "grip" or "release"; else "repivot" (other
    velocities are taken as independent from here on), "singular" (where constraints no longer determine the motion: in reduced
    coordinates the run ends there), "branch" (a loop goes on in the other way of its assembly) or "end"."""
    impulse: tuple[float, ...] = ()
    """Normal and tangential components of the contact's impulse (N s)."""
    impulse_vector: tuple[float, ...] = ()
    """The same impulse on the system in world axes (N s); zero for a coupling, whose impulse is internal."""
    energy_before: float = 0.0
    energy_after: float = 0.0
    work: float = 0.0
    """Work done on the system by imposed motions during the event (J): by a motor that keeps its speed, or takes it back."""

    @property
    def energy_lost(self) -> float:
        """Energy lost in the event (J), what imposed motions have put in included."""
        return self.energy_before - self.energy_after + self.work


MADE_ENERGY = "the law has made energy, as componentwise laws can"
"""What is said of an impact after which there is more energy than before."""


def repivoted(time: float) -> Event:
    """The event of a change of pivots."""
    return Event(time, "repivot", "other velocities were taken as independent", kind="repivot")


COLUMNS = ("time (s)", "event", "normal, tangential impulse (N s)", "energy lost (J)")


class Events(tuple[Event, ...]):
    """The events of a run in order: a tuple that prints as a table.

    Contacts that share an impact have an event each, and each gives the energy that the impact as a whole has lost.
    """

    __slots__ = ()

    @overload
    def __getitem__(self, place: SupportsIndex) -> Event: ...
    @overload
    def __getitem__(self, place: slice) -> "Events": ...
    def __getitem__(self, place: Any) -> Any:
        """An event, or a part of the table."""
        found = super().__getitem__(place)
        return Events(found) if isinstance(place, slice) else found

    def of(self, contact: str = "", kind: str = "") -> "Events":
        """The events of a contact, or of a kind, or of both."""
        return Events(e for e in self if (not contact or e.contact == contact) and (not kind or e.kind == kind))

    @property
    def times(self) -> list[float]:
        """Instants of the events (s)."""
        return [event.time for event in self]

    @property
    def energy_lost(self) -> float:
        """Energy lost in all of them (J), that of each instant counted once."""
        losses = {(event.time, event.energy_before): event.energy_lost for event in self if event.contact}
        return sum(losses.values())

    @property
    def work(self) -> float:
        """Work of imposed motions in all of them (J), that of each instant counted once."""
        done = {(event.time, event.energy_before): event.work for event in self if event.contact}
        return sum(done.values())

    def rows(self) -> list[tuple[str, str, str, str]]:
        """The table without its head, as texts."""
        found = []
        for event in self:
            impulse = ", ".join(f"{value:.6g}" for value in event.impulse) if any(event.impulse) else ""
            lost = f"{event.energy_lost:.6g}" if event.contact else ""
            found.append((f"{event.time:.9g}", event.name, impulse, lost))
        return found

    def __str__(self) -> str:
        """The events as a table."""
        table = [COLUMNS, *self.rows()]
        widths = [max(len(row[k]) for row in table) for k in range(len(COLUMNS))]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        """The table, or nothing to tell."""
        return str(self) if self else "no events"
