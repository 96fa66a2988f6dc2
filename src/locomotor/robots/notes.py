"""Notes told as a warning."""

from __future__ import annotations

from collections.abc import Sequence

from locomotor.robots.parts import Note

SHOWN = 6
"""Notes that a warning tells; the rest is counted."""


class RobotWarning(UserWarning):
    """What is lost between a robot's file and a system, either way."""


def told_in_words(file: str, first: str, notes: Sequence[Note]) -> str:
    """The text of a warning."""
    more = f"\n  and {len(notes) - SHOWN} more" if len(notes) > SHOWN else ""
    return f"{file}: {first}:" + "".join(f"\n  {note}" for note in notes[:SHOWN]) + more
