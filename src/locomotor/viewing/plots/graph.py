"""States of a run whose contacts open and close, as a graph: sets of closed contacts, and events between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.figures import Trial
from locomotor.simulation import Run
from locomotor.viewing.plots.contact_colours import Closed, colour_of, name_of, stretches
from locomotor.viewing.plots.modes import switching_contacts
from locomotor.viewing.plots.style import ALARM, WIDTH, head, new_figure, save, styled, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAME = 1e-9
"""Events nearer than this (s) happen at once."""
MOST_TIMES = 4
SHRINK = 24.0
"""Distance of arrows from the middle of a state, points."""
WIDE, HIGH = 1.7, 1.5
"""Distances of the middles of states (inches): half of that across, and from one number of closed contacts to the next."""
MARGIN = 1.5
BEND = 0.3
"""How far an arrow is bent where another one leads back, as a share of its length."""


@dataclass
class Way:
    """An arrow: from where to where, what happens, and when."""

    origin: Closed
    target: Closed
    what: str
    times: list[float] = field(default_factory=list)


def ways(run: Run) -> list[Way]:
    """Every way from one state to the next, in the order of its first use; a bounce leads back to its own state."""
    found: dict[tuple[Closed, Closed, str], Way] = {}
    parts = list(stretches(run))
    for (part, before), (_, after) in pairwise(parts):
        now = float(run.time[part][-1])
        events = dict.fromkeys(words(event.name) for event in run.events if abs(event.time - now) <= SAME)
        if events or before != after:
            what = ", ".join(events)
            found.setdefault((before, after, what), Way(before, after, what)).times.append(now)
    return list(found.values())


def plot_graph(run: Run, path: str | Path | None = None, *, title: str | None = None, tried: Sequence[Trial] = ()) -> Figure:
    """The graph: states by the number of their closed contacts, arrows numbered in order; dashed what was tried and refused."""
    contacts = switching_contacts(run)
    known = dict.fromkeys(closed for _, closed in stretches(run))
    order = {name: k for k, name in enumerate(contacts)}
    refused = [tuple(sorted(trial.closed, key=order.__getitem__)) for trial in tried]
    places = _places([*known, *(state for state in refused if state not in known)], contacts)
    with styled():
        across, up = np.array(list(places.values())).T
        half = max(0.5 * WIDTH, 0.5 * float(np.ptp(across)) + MARGIN)
        figure = new_figure(path, figsize=(2.0 * half, float(np.ptp(up)) + 1.6))
        axis = figure.subplots()
        axis.set_axis_off()
        # One unit is one inch, more or less: what follows is placed by its size on paper.
        axis.set_aspect("equal")
        axis.set_xlim(-half, half)
        axis.set_ylim(up.min() - 0.6, up.max() + 0.5)
        first = next(iter(known))
        for closed, place in places.items():
            _state(axis, place, name_of(closed, contacts), colour_of(closed, contacts), closed == first, closed in known)
        found = ways(run)
        pairs = {(way.origin, way.target) for way in found}
        loops = [way for way in found if way.origin == way.target]
        for k, way in enumerate(found, 1):
            told = f"{k}  {way.what}\n{_instants(way.times)}"
            if way.origin == way.target:
                _loop(axis, places[way.origin], told, loops.index(way))
            else:
                bend = BEND if (way.target, way.origin) in pairs else 0.0
                _arrow(axis, places[way.origin], places[way.target], told.replace(", ", "\n", way.what.count(", ")), bend)
        for trial, state in zip(tried, refused, strict=True):
            before = next((closed for part, closed in stretches(run) if abs(run.time[part][-1] - trial.time) <= SAME), state)
            bend = BEND if {(before, state), (state, before)} & pairs else 0.0
            _arrow(axis, places[before], places[state], f"tried and refused:\n{trial.why}", bend, ALARM, "--")
        axis.text(0.0, 0.0, "closed contacts; heavy frame: at the start", transform=axis.transAxes, fontsize=7, color="#5b6770")
        head(figure, f"{words(run.name)}, states" if title is None else title)
        return save(figure, path)


def _places(states: Sequence[Closed], contacts: Sequence[str]) -> dict[Closed, tuple[float, float]]:
    """States with more closed contacts above; beside each other in the order of the contacts."""
    found: dict[Closed, tuple[float, float]] = {}
    for count in range(len(contacts) + 1):
        row = sorted((state for state in states if len(state) == count), key=lambda state: [contacts.index(c) for c in state])
        for k, state in enumerate(row):
            found[state] = (WIDE * (2 * k - len(row) + 1), HIGH * count)
    return {state: found[state] for state in states}


def _state(axis: Any, place: tuple[float, float], text: str, colour: str, first: bool, reached: bool) -> None:
    box = {
        "boxstyle": "round,pad=0.55",
        "facecolor": "white",
        "edgecolor": colour if reached else ALARM,
        "linewidth": 2.4 if first else 1.2,
        "linestyle": "-" if reached else "--",
    }
    axis.text(*place, text, ha="center", va="center", fontsize=9, bbox=box, zorder=3)


def _arrow(
    axis: Any, origin: tuple[float, float], target: tuple[float, float], text: str, bend: float,
    colour: str = "#4a5259", look: str = "-",
) -> None:  # fmt: skip
    """An arrow bent to its left, so that the way back does not lie on it, with its words over its middle."""
    from matplotlib.patches import FancyArrowPatch

    shape = f"arc3,rad={-bend}"
    style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11, "linewidth": 1.1, "color": colour, "linestyle": look}
    axis.add_patch(FancyArrowPatch(origin, target, connectionstyle=shape, shrinkA=SHRINK, shrinkB=SHRINK, zorder=2, **style))
    a, b = np.array(origin), np.array(target)
    left = np.array([-(b - a)[1], (b - a)[0]])
    middle = 0.5 * (a + b) + 0.5 * bend * left
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    axis.text(*middle, text, ha="center", va="center", fontsize=7, color=colour, bbox=box, zorder=4)


def _loop(axis: Any, place: tuple[float, float], text: str, k: int) -> None:
    """An arrow from a state to itself: to the right of it, then to the left."""
    from matplotlib.patches import FancyArrowPatch

    x, y = place
    sign = 1.0 if k % 2 == 0 else -1.0
    up = 0.3 * (k // 2)
    ends = ((x + sign * 0.3, y + 0.12 + up), (x + sign * 0.3, y - 0.12 - up))
    style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 10, "linewidth": 1.1, "color": "#4a5259", "zorder": 2}
    axis.add_patch(FancyArrowPatch(*ends, connectionstyle=f"arc3,rad={-sign * 1.8}", shrinkA=0, shrinkB=0, **style))
    axis.text(x + sign * 0.6, y + up, text, ha="left" if sign > 0 else "right", va="center", fontsize=7, color="#4a5259")


def _instants(times: Sequence[float]) -> str:
    shown = ", ".join(f"{time:.3g}" for time in times[:MOST_TIMES])
    return f"{shown}{' ...' if len(times) > MOST_TIMES else ''} s"
