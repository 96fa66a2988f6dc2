"""Marks of events on curves against time: lines with names where there are few, ticks with a legend where there are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.simulation import Event, Run
from locomotor.viewing.plots.style import ALARM, COLOURS, QUIET, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 14
"""Events that are named one by one."""
MOST_LINES = 200
"""Events that get a tick; of more, evenly chosen ones."""
APART = 0.022
"""Smallest distance between two names, as a share of the time shown."""
TICK = 0.06
"""Length of a tick, as a share of the panel."""
MOST_NAMES = 6
KINDS = {"impact": COLOURS[1], "lift-off": COLOURS[2], "rest": COLOURS[3], "grip": COLOURS[0], "release": COLOURS[4]}


def mark_events(figure: Figure, axes: Any, run: Run) -> None:
    """A line or tick through all panels at each event; the time axis is that of the run."""
    events = [event for event in run.events if run.time[0] <= event.time <= run.time[-1]]
    if not events:
        return
    if len(events) <= FEW:
        _name_each(axes, run, events)
    else:
        _tick_all(figure, axes, events)


def colour_of(event: Event) -> str:
    """Colour of an event: by the kind of what a contact does, an alarm where the run ended."""
    return ALARM if event.name == "end" else KINDS.get(event.kind, QUIET)


def _name_each(axes: Any, run: Run, events: Sequence[Event]) -> None:
    span = max(float(run.time[-1] - run.time[0]), 1e-300)
    at, words_at = -np.inf, ""
    groups: list[tuple[float, str, str]] = []
    for event in events:
        # Names of events that come together share one label.
        if event.time - at < APART * span and groups:
            words_at = words_at if words(event.name) in words_at else f"{words_at}, {words(event.name)}"
            groups[-1] = (groups[-1][0], words_at, groups[-1][2])
        else:
            at, words_at = event.time, words(event.name)
            groups.append((at, words_at, colour_of(event)))
        for axis in axes:
            axis.axvline(event.time, color=colour_of(event), linewidth=0.8, linestyle=(0, (4, 2)), alpha=0.75, zorder=1)
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
    for time, told, colour in groups:
        look = {"color": colour, "fontsize": 6.5, "rotation": 90, "va": "top", "ha": "left", "bbox": box, "zorder": 3}
        place = {"xycoords": axes[0].get_xaxis_transform(), "textcoords": "offset points"}
        axes[0].annotate(told, (time, 1.0), (2.0, -2.0), **place, **look)


def _tick_all(figure: Figure, axes: Any, events: Sequence[Event]) -> None:
    names = Counter(event.name for event in events)
    colours = {event.name: colour_of(event) for event in events}
    chosen = np.unique(np.linspace(0, len(events) - 1, min(len(events), MOST_LINES)).astype(int))
    handles: dict[str, Any] = {}
    for name in names:
        times = [events[k].time for k in chosen if events[k].name == name]
        if not times:
            continue
        for axis in axes:
            look = {"transform": axis.get_xaxis_transform(), "color": colours[name], "linewidth": 0.8, "zorder": 1}
            handles[name] = axis.vlines(times, 1.0 - TICK, 1.0, **look)
    shown = dict(list(handles.items())[:MOST_NAMES])
    labels = [f"{words(name)} ({names[name]}x)" for name in shown]
    if len(handles) > len(shown):
        labels[-1] += f" and {len(handles) - len(shown)} more kinds"
    figure.legend(list(shown.values()), labels, loc="outside lower right", ncols=min(3, len(shown)), title="ticks: events",
                  title_fontsize=8, alignment="left")  # fmt: skip
