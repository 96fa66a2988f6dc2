"""Which contacts are closed when: a strip a contact, with marks where it is hit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import checks
from locomotor.errors import UnknownNameError
from locomotor.simulation import Run
from locomotor.simulation.records import pieces
from locomotor.viewing.plots.style import COLOURS, WIDTH, axis_label, head, new_figure, save, styled, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW = 0.27
"""Height of a strip, inches."""
THICK = 0.62
"""Share of its row that a strip fills."""
SAME = 1e-9
"""Times nearer than this (s) are one."""


@checks.door(title=checks.optional(checks.text))
def plot_modes(run: Run, path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """Strips of all contacts that open and close, and below them the number that are closed."""
    contacts = switching_contacts(run)
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 1.5 + ROW * len(contacts)))
        strips, count = figure.subplots(2, 1, sharex=True, height_ratios=(max(2.0, len(contacts)), 1.6))
        draw_modes(strips, run, contacts)
        closed = sum((run[f"{name}_closed"] for name in contacts), np.zeros(len(run)))
        count.fill_between(run.time, closed, color="#22282d", alpha=0.18, linewidth=0.0)
        count.plot(run.time, closed, color="#22282d", linewidth=1.0)
        count.set_ylabel("closed")
        count.set_ylim(0.0, 1.15 * max(1.0, float(closed.max())))
        count.yaxis.get_major_locator().set_params(integer=True)
        count.set_xlabel(axis_label(run, "time"))
        count.margins(x=0.01)
        head(figure, f"{words(run.name)}, closed contacts" if title is None else title)
        return save(figure, path)


def switching_contacts(run: Run) -> list[str]:
    """Contacts of a run that open and close; a run without any is refused."""
    contacts = [name.removesuffix("_closed") for name in run.group("modes")]
    if not contacts:
        raise UnknownNameError(f"{run.name}: no contact of it opens or closes; plot its forces instead, kind='forces'")
    return contacts


def draw_modes(axis: Any, run: Run, contacts: Sequence[str]) -> None:
    """The strips: full while closed, a bar across at each impact."""
    for k, name in enumerate(contacts):
        colour = COLOURS[k % len(COLOURS)]
        spans = [(first, last - first) for first, last in closed_spans(run, name)]
        axis.broken_barh(spans, (k - 0.5 * THICK, THICK), color=colour, linewidth=0.0)
        hits = [event.time for event in run.events.of(name) if any(event.impulse)]
        axis.plot(hits, [k] * len(hits), "|", color="#22282d", markersize=9.0, markeredgewidth=1.1)
    axis.set_yticks(range(len(contacts)), [words(name) for name in contacts])
    axis.set_ylim(len(contacts) - 0.4, -0.6)
    axis.set_xlim(float(run.time[0]), float(run.time[-1]))
    axis.grid(False, axis="y")
    axis.tick_params(axis="y", length=0.0)


def closed_spans(run: Run, contact: str) -> list[tuple[float, float]]:
    """Times during which a contact is closed, one after the other."""
    found: list[tuple[float, float]] = []
    for piece in pieces(run.time):
        if run[f"{contact}_closed"][piece][0] > 0.0:
            first, last = float(run.time[piece][0]), float(run.time[piece][-1])
            if found and abs(found[-1][1] - first) <= SAME:
                found[-1] = (found[-1][0], last)
            else:
                found.append((first, last))
    return found
