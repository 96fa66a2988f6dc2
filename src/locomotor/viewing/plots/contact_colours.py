"""Colours that tell which contacts are closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from locomotor.simulation import Run
from locomotor.simulation.records import pieces
from locomotor.viewing.plots.modes import switching_contacts
from locomotor.viewing.plots.style import COLOURS, QUIET, words

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

Closed = tuple[str, ...]


def stretches(run: Run) -> Iterator[tuple[slice, Closed]]:
    """Parts of a run between events, and the contacts that are closed in each; parts that last for no time are left out."""
    contacts = switching_contacts(run)
    for part in pieces(run.time):
        if run.time[part][-1] > run.time[part][0]:
            yield part, tuple(name for name in contacts if run[f"{name}_closed"][part][0] > 0.0)


def colour_of(closed: Closed, contacts: Sequence[str]) -> str:
    """The colour of a contact that is closed alone; another one for several, a quiet one for none."""
    if len(closed) == 1:
        return COLOURS[list(contacts).index(closed[0]) % len(COLOURS)]
    return COLOURS[(len(contacts) + 1) % len(COLOURS)] if closed else QUIET


def name_of(closed: Closed, contacts: Sequence[str]) -> str:
    """Name of a set of closed contacts, in words."""
    if not closed:
        return "none"
    if len(closed) == len(contacts) > 2:
        return "all"
    return " and ".join(words(name) for name in closed)


def keys(run: Run) -> tuple[list[Line2D], list[str]]:
    """Handles and labels of a legend: each set of contacts that is closed at some time."""
    from matplotlib.lines import Line2D

    contacts = switching_contacts(run)
    found = dict.fromkeys(closed for _, closed in stretches(run))
    handles = [Line2D([], [], color=colour_of(closed, contacts), linewidth=1.6) for closed in found]
    return handles, [f"{name_of(closed, contacts)} closed" for closed in found]
