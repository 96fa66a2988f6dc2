"""Commands of a ride: which key was pressed or let go when, and when the balance was switched."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.errors import ViewingError
from locomotor.model import Riding
from locomotor.names import suggestion

BALANCE = "balance"
"""The name by which commands switch the balance."""
MOST = 2000
"""Commands of one motion."""


@dataclass(frozen=True)
class Command:
    """From an instant on, `time` seconds after the start, a handle is deflected by -1 to 1, or the balance is 0 or 1."""

    time: float
    handle: str
    value: float


@dataclass(frozen=True)
class Ride:
    """Commands in the order of time, given to the handles of a system."""

    riding: Riding
    commands: tuple[Command, ...]

    @property
    def begin(self) -> float:
        """When somebody takes hold of it."""
        return self.commands[0].time

    def value(self, handle: str, time: float) -> float:
        """The deflection of a handle at an instant; zero before it is touched."""
        own = [command for command in self.commands if command.handle == handle]
        place = bisect_right([command.time for command in own], time + 1e-9)
        return own[place - 1].value if place else 0.0


def read_commands(given: Any, riding: Riding | None) -> Ride | None:
    """A ride from data; None where nothing was commanded. An error tells what is wrong."""
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) > MOST:
        raise ViewingError(f"commands: give a list of at most {MOST} of them")
    if not given:
        return None
    if riding is None:
        raise ViewingError("nothing is declared to ride this system by; give lm.view(..., riding=lm.Riding(...))")
    known = [handle.name for handle in riding.held] + ([BALANCE] if riding.balance else [])
    found = []
    for entry in given:
        try:
            command = Command(float(entry["time"]), str(entry["handle"]), float(entry["value"]))
        except (TypeError, KeyError, ValueError):
            raise ViewingError(f"{entry!r} is no command; give time, handle and value") from None
        if command.handle not in known:
            raise ViewingError(f"there is no handle {command.handle!r}: {suggestion(command.handle, known)}")
        if not (math.isfinite(command.time) and -1.0 <= command.value <= 1.0):
            raise ViewingError(f"a command of {command.value!r} at {command.time!r} s; give a finite time, and -1 to 1")
        found.append(command)
    return Ride(riding, tuple(sorted(found, key=lambda command: command.time)))
