"""How a run ended, as a sentence with a remedy; and what happened on the way."""

from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """Ways in which a run ends."""

    COMPLETED = "the run reached its end"
    SINGULAR = "the constraints became singular and no other pivots are safe there"
    NOT_FINITE = "the state became infinite or not a number"
    STEP_TOO_SMALL = "the adaptive step became too small"
    CHATTERING = "events follow each other without end"
    UNFINISHED = "the run is not finished"


@dataclass(frozen=True)
class Status:
    """Outcome of a run, when, and what to do about it."""

    outcome: Outcome
    time: float
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether the run reached its end."""
        return self.outcome is Outcome.COMPLETED

    def __str__(self) -> str:
        """The sentence."""
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
    """For a contact: "impact", "lift-off", "rest" (bounces that ended), "grip" or "release"."""
    impulse: tuple[float, ...] = ()
    """Normal and tangential components of the contact's impulse (N s)."""
    energy_before: float = 0.0
    energy_after: float = 0.0

    @property
    def energy_lost(self) -> float:
        """Energy lost in the event (J)."""
        return self.energy_before - self.energy_after
