"""Paths from above or from the side, with the system drawn at regular intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import checks
from locomotor.errors import UnknownNameError, ViewingError
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.simulation import Run
from locomotor.typing import Floats
from locomotor.viewing.plots.contact_colours import colour_of, keys, stretches
from locomotor.viewing.plots.ground_lines import ground_lines
from locomotor.viewing.plots.modes import switching_contacts
from locomotor.viewing.plots.outline import outline, placed, poses, reach
from locomotor.viewing.plots.style import (
    COLOURS,
    QUIET,
    WIDTH,
    head,
    legend_above,
    new_figure,
    save,
    styled,
    thin_path,
    words,
)
from locomotor.viewing.scene import drawn as with_pieces

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VIEWS = {"top": (0, 1), "side": (0, 2)}
"""World axes across and up the page."""
MOST_SNAPSHOTS = 60
LEAST = 0.1
"""Width of the page (m) at least, for a system that is drawn as a point and stays where it is."""
LINES: dict[str, dict[str, Any]] = {
    "wheel": {"color": "#22282d", "linewidth": 0.9},
    "spoke": {"color": QUIET, "linewidth": 0.5},
    "link": {"color": COLOURS[0], "linewidth": 1.0, "solid_capstyle": "round"},
    "mass": {"color": COLOURS[0], "marker": "o", "markersize": 1.8, "linestyle": ""},
    "point": {"color": "#22282d", "marker": ".", "markersize": 3.0, "linestyle": ""},
}


@checks.door(every=checks.optional(checks.positive), title=checks.optional(checks.text), by_contact=checks.flag)
def plot_path(
    run: Run,
    view: str = "top",
    path: str | Path | None = None,
    *,
    every: float | None = None,
    title: str | None = None,
    system: System | None = None,
    by_contact: bool = False,
) -> Figure:
    """Traces of the contact points (of the root where there are none) and the system every so many seconds.

    With `by_contact` the colour of the system tells which contacts are closed.
    """
    if view not in VIEWS:
        raise UnknownNameError(f"no view is named {view!r}: {suggestion(view, VIEWS)}")
    across, up = VIEWS[view]
    drawn = run.system if system is None else system
    traces = ground_traces(run)
    shots = _snapshots(run, drawn, every) if drawn is not None else []
    if not traces and not shots:
        raise ViewingError(f"{run.name}: no contact, no position and no system is known, hence no path to draw")
    size = (reach(drawn) if drawn is not None else 0.0) or LEAST
    low, high = _extent([*traces.values(), *(points for shot in shots for _, points in shot)], across, up, size)
    with styled():
        span = high - low
        height = 1.15 + 0.88 * WIDTH * float(span[1] / span[0])
        figure = new_figure(path, figsize=(WIDTH, float(np.clip(height, 1.6, 6.5))))
        axis = figure.subplots()
        _draw_traces(axis, traces, across, up, by_contact)
        if drawn is not None:
            _draw_grounds(axis, drawn, view, traces)
        colours = _shot_colours(run, drawn, every) if by_contact and drawn is not None else []
        for i, shot in enumerate(shots):
            fade = 0.35 + 0.65 * (i + 1) / len(shots)
            for kind, points in shot:
                look = {**LINES[kind], "color": colours[i]} if colours else LINES[kind]
                axis.plot(points[:, across], points[:, up], alpha=fade, zorder=2, **look)
        if by_contact:
            figure.legend(*keys(run), loc="outside lower right", ncols=3)
        axis.set_xlim(low[0], high[0])
        axis.set_ylim(low[1], high[1])
        axis.set_aspect("equal")
        axis.set_xlabel(f"${'xyz'[across]}$ (m)")
        axis.set_ylabel(f"${'xyz'[up]}$ (m)")
        head(figure, f"{words(run.name)}, {view} view" if title is None else title)
        return save(figure, path)


def ground_traces(run: Run) -> dict[str, Floats]:
    """Paths of the contact points, or of the origin where there is no contact: name -> (samples, 3)."""
    if run.contact_points:
        return dict(run.contact_points)
    if "x" not in run and "y" not in run:
        return {}
    return {"origin": np.stack([run[axis] if axis in run else np.zeros(len(run)) for axis in "xyz"], axis=-1)}


def _draw_grounds(axis: Any, system: System, view: str, traces: Mapping[str, Floats]) -> None:
    """The ground: in a side view cut along the middle of the path."""
    across, up = VIEWS[view]
    beside = np.concatenate([points[:, 1] for points in traces.values()]) if traces else np.zeros(1)
    middle = float(np.nanmedian(beside)) if np.isfinite(beside).any() else 0.0
    for line in ground_lines(system, view, middle):
        axis.plot(line[:, across], line[:, up], color="#4a5259", linewidth=1.1 if view == "side" else 0.7, zorder=0.5)


def _draw_traces(axis: Any, traces: Mapping[str, Floats], across: int, up: int, quiet: bool = False) -> None:
    """The traces, each in a colour; quiet ones where colours mean something else."""
    for k, (name, points) in enumerate(traces.items()):
        x, y = thin_path(points[:, across], points[:, up])
        colour = QUIET if quiet else COLOURS[(k + 1) % len(COLOURS)]
        axis.plot(x, y, color=colour, linewidth=1.0, label=words(name), zorder=1)
    if len(traces) > 1 and not quiet:
        legend_above(axis)


def _extent(parts: Sequence[Floats], across: int, up: int, least: float) -> tuple[Floats, Floats]:
    """Corners of the page, with a margin; never so flat or thin that nothing is seen, and at least as wide as the system."""
    everything = np.concatenate([points[:, [across, up]] for points in parts])
    everything = everything[np.isfinite(everything).all(axis=1)]
    low, high = everything.min(axis=0), everything.max(axis=0)
    margin = 0.03 * float((high - low).max()) + 1e-6
    width = float((high - low).max())
    room = np.maximum(0.0, (0.12 * width if width > least else least) - (high - low)) / 2
    return low - margin - room, high + margin + room


def _snapshots(run: Run, system: System, every: float | None) -> list[list[tuple[str, Floats]]]:
    """Lines of the system in the world, at regular intervals."""
    pieced = with_pieces(system)
    lines = outline(pieced)
    return [placed(lines, poses(run, pieced, sample)) for sample in _shot_samples(run, every)]


def _shot_samples(run: Run, every: float | None) -> list[int]:
    duration = float(run.time[-1] - run.time[0])
    step = max(every or duration / 12, duration / MOST_SNAPSHOTS, 1e-9)
    instants = np.arange(run.time[0], run.time[-1] + 1e-9 * duration, step)
    return [int(np.abs(run.time - instant).argmin()) for instant in instants]


def _shot_colours(run: Run, system: System, every: float | None) -> list[str]:
    """Colour of each snapshot: that of the contacts closed just before it."""
    contacts, parts = switching_contacts(run), list(stretches(run))
    samples = _shot_samples(run, every)
    return [colour_of(next((c for part, c in parts if part.start <= k < part.stop), parts[-1][1]), contacts) for k in samples]
