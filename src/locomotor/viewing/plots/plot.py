"""Curves of channels against time, and the one door to every kind of plot of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import checks
from locomotor.checks import shown
from locomotor.errors import UnknownNameError
from locomotor.names import suggestion
from locomotor.simulation import Run
from locomotor.viewing.plots.contact_colours import colour_of, keys, stretches
from locomotor.viewing.plots.energy import plot_energy
from locomotor.viewing.plots.event_marks import mark_events
from locomotor.viewing.plots.events import plot_events
from locomotor.viewing.plots.forces import plot_forces
from locomotor.viewing.plots.graph import plot_graph
from locomotor.viewing.plots.modes import plot_modes, switching_contacts
from locomotor.viewing.plots.path import VIEWS, plot_path
from locomotor.viewing.plots.plane import plot_plane
from locomotor.viewing.plots.style import (
    WIDTH,
    axis_label,
    curve_label,
    head,
    legend_above,
    new_figure,
    save,
    styled,
    thin,
    unit_text,
    words,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL_HEIGHT = 1.55
MOST_CURVES = 8
"""More curves than this in one panel cannot be told apart."""
FLATTENED = 0.08
"""A curve that would use less of the height than this gets a panel of its own."""


@checks.door(
    names=checks.names,
    title=checks.optional(checks.text),
    levels=checks.optional(checks.numbers_by_name),
    by_contact=checks.flag,
)
def plot_channels(
    run: Run,
    names: Sequence[str] = (),
    path: str | Path | None = None,
    *,
    title: str | None = None,
    levels: Mapping[str, float] | None = None,
    by_contact: bool = False,
) -> Figure:
    """Curves against time: one panel for each unit, in the order of the names; without names, what moves.

    `levels` are dotted lines at a value of a channel. With `by_contact` colours tell which contacts are closed, and each
    channel has a panel of its own.
    """
    chosen = list(names) or default_channels(run)
    for name in chosen:
        run[name]  # raises, with the nearest name, for an unknown one
    panels = [[name] for name in chosen] if by_contact else by_unit(run, chosen)
    with styled():
        height = 0.6 + PANEL_HEIGHT * max(1, len(panels)) + (0.5 if by_contact else 0.0)  # the legend stands below
        figure = new_figure(path, figsize=(WIDTH, height))
        axes = np.atleast_1d(figure.subplots(len(panels), 1, sharex=True))
        for axis, members in zip(axes, panels, strict=True):
            if by_contact:
                draw_stretches(axis, run, members[0])
            else:
                draw_panel(axis, run, members, levels or {})
        if by_contact:
            figure.legend(*keys(run), loc="outside lower right", ncols=3)
        else:
            mark_events(figure, axes, run)
        axes[-1].set_xlabel(axis_label(run, "time"))
        head(figure, words(run.name) if title is None else title)
        figure.align_ylabels()
        return save(figure, path)


def default_channels(run: Run) -> list[str]:
    """The independent velocities and the angles that tell the motion; of a run from a file, whatever moves."""
    velocities, angles, coordinates = (list(run.group(group)) for group in ("velocities", "angles", "coordinates"))
    if run.system is not None and run.system.independent:
        velocities = [*velocities[:1], *(name for name in run.system.independent if name in run)]
    # Angles of joints say more of a motion than where on the ground it takes place.
    coordinates.sort(key=lambda name: run.about[name].unit != "rad")
    names = dict.fromkeys([*velocities, *(n for n in angles if not n.endswith("_contact_angle")), *coordinates])
    found = [name for name in names if _tells(run, name)]
    return found[:MOST_CURVES] or list(run.channels)[:MOST_CURVES]


def _tells(run: Run, name: str) -> bool:
    """Whether a channel changes, and is neither part of a quaternion nor the count of a wheel's turns."""
    span = float(np.ptp(run[name]))
    turning = run.about[name].unit == "rad" and span > 4.0 * np.pi
    return run.about[name].unit not in ("", "1") and span > 1e-9 and not turning


def by_unit(run: Run, names: Sequence[str]) -> list[list[str]]:
    """Names sharing a unit share a panel, unless they are too many or one would flatten the other."""
    panels: dict[tuple[str, int], list[str]] = {}
    for name in names:
        part = 0
        while True:
            members = panels.setdefault((run.about[name].unit if name in run.about else "s", part), [])
            if len(members) < MOST_CURVES and all(_comparable(run, name, other) for other in members):
                members.append(name)
                break
            part += 1
    return list(panels.values())


def _comparable(run: Run, one: str, other: str) -> bool:
    """Whether two curves can share a scale: neither becomes a flat line by the other's range."""
    a, b = (v[np.isfinite(v)] for v in (run[one], run[other]))
    if not (a.size and b.size):
        return True
    together = max(float(a.max()), float(b.max())) - min(float(a.min()), float(b.min()))
    still = [float(np.ptp(v)) < 1e-9 * max(together, 1e-300) for v in (a, b)]
    return any(still) or min(float(np.ptp(a)), float(np.ptp(b))) > FLATTENED * together


def draw_stretches(axis: Any, run: Run, name: str) -> None:
    """One channel, its colour that of the contacts that are closed; jumps at events are left open."""
    contacts = switching_contacts(run)
    for part, closed in stretches(run):
        axis.plot(*thin(run.time[part], run[name][part]), color=colour_of(closed, contacts))
    axis.set_ylabel(axis_label(run, name).replace(" $", "\n$", 1))
    axis.margins(x=0.01)
    axis.ticklabel_format(axis="y", useOffset=False)


def draw_panel(axis: Any, run: Run, names: Sequence[str], levels: Mapping[str, float]) -> None:
    """One panel: its curves, and what it measures."""
    for name in names:
        (line,) = axis.plot(*thin(run.time, run[name]), label=curve_label(run, name))
        if name in levels:
            axis.axhline(levels[name], color=line.get_color(), linewidth=0.9, linestyle=":")
    if len(names) == 1:
        axis.set_ylabel(axis_label(run, names[0]).replace(" $", "\n$", 1))
    else:
        unit = unit_text(run.about[names[0]].unit)
        axis.set_ylabel(unit)
        legend_above(axis)
    axis.margins(x=0.01)
    axis.ticklabel_format(axis="y", useOffset=False)


# -- every kind of plot -----------------------------------------------------------------------------------------------


def plot_run(run: Run, names: Sequence[str], kind: str, path: str | Path | None = None, **options: Any) -> Figure:
    """Draw the kind of plot that is asked for."""
    if kind not in KINDS:
        raise UnknownNameError(f"no kind of plot is named {shown(kind)}: {suggestion(kind, KINDS)}")
    return KINDS[kind](run, names, path, **options)


def _plane(run: Run, names: Sequence[str], path: str | Path | None, **options: Any) -> Figure:
    if len(names) != 2:
        raise UnknownNameError(f"a phase plane needs two channels, {len(names)} are named; give x and y")
    return plot_plane(run, names[0], names[1], path, **options)


def _view(view: str) -> Callable[..., Figure]:
    return lambda run, names, path, **options: plot_path(run, view, path, **options)


def _of_the_run(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """A kind that names no channels: it shows the whole run."""
    return lambda run, names, path, **options: draw(run, path, **options)


KINDS: Mapping[str, Callable[..., Figure]] = {
    "curves": plot_channels,
    "plane": _plane,
    **{view: _view(view) for view in VIEWS},
    "energy": _of_the_run(plot_energy),
    "forces": _of_the_run(plot_forces),
    "events": _of_the_run(plot_events),
    "modes": _of_the_run(plot_modes),
    "graph": _of_the_run(plot_graph),
}
"""Every kind of plot by its name: a function of the run, the channels that are named, the place of a file, and its options."""
