"""Drawing figures that are declared beside a scenario (`simulation.figure`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import figures as declared
from locomotor.analysis import eigenvalue_curves
from locomotor.errors import ArgumentError
from locomotor.simulation import Events, Run
from locomotor.viewing.plots.contours import plot_contours
from locomotor.viewing.plots.eigenvalues import plot_eigenvalues
from locomotor.viewing.plots.energy import plot_energy
from locomotor.viewing.plots.events import plot_events
from locomotor.viewing.plots.families import plot_families
from locomotor.viewing.plots.forces import plot_forces
from locomotor.viewing.plots.graph import plot_graph
from locomotor.viewing.plots.path import plot_path
from locomotor.viewing.plots.plane import plot_plane
from locomotor.viewing.plots.plot import plot_channels
from locomotor.viewing.plots.poses import plot_poses
from locomotor.viewing.plots.style import WIDTH, axis_label, head, legend_above, new_figure, save, styled, thin, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rerun = Callable[..., Run]
"""The scenario's run with other settings."""


def draw(figure: declared.FigureOf, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    """Draw a declared figure of a run (None for a figure that needs none)."""
    if run is not None and figure.until is not None:
        run = shorten(run, figure.until)
    return render(figure, run, rerun, path)


def shorten(run: Run, until: float) -> Run:
    """The run up to an instant."""
    n = int(np.searchsorted(run.time, until * (1 + 1e-12), side="right"))
    if n >= len(run):
        return run
    events = Events(event for event in run.events if event.time <= until)
    return replace(run, time=run.time[:n], channels={name: v[:n] for name, v in run.channels.items()}, events=events)


# Kinds are named where they are registered: to read them off the annotations, matplotlib would have to be loaded.
@singledispatch
def render(figure: Any, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    """Draw one kind of figure."""
    raise NotImplementedError(f"no drawing is known for a figure of the kind {type(figure).__name__}")


def _title(figure: declared.FigureOf) -> str | None:
    return figure.title or None


def _needed(run: Run | None) -> Run:
    if run is None:
        raise ArgumentError("this figure shows a run, and none is given")
    return run


@render.register(declared.Curves)
def _(figure: declared.Curves, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    looks: dict[str, Any] = {"title": _title(figure), "levels": figure.levels, "by_contact": figure.by_contact}
    return plot_channels(_needed(run), figure.channels, path, **looks)


@render.register(declared.PhasePlane)
def _(figure: declared.PhasePlane, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    return plot_plane(_needed(run), figure.x, figure.y, path, title=_title(figure), by_contact=figure.by_contact)


@render.register(declared.Path)
def _(figure: declared.Path, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    looks: dict[str, Any] = {"every": figure.every, "title": _title(figure), "by_contact": figure.by_contact}
    return plot_path(_needed(run), figure.view, path, **looks)


@render.register(declared.Energies)
def _(figure: declared.Energies, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    return plot_energy(_needed(run), path, title=_title(figure))


@render.register(declared.Contacts)
def _(figure: declared.Contacts, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    return plot_events(_needed(run), path, title=_title(figure))


@render.register(declared.StateGraph)
def _(figure: declared.StateGraph, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    shown = _needed(run)
    return plot_graph(shown, path, title=_title(figure), tried=figure.tried(shown) if figure.tried else ())


@render.register(declared.Forces)
def _(figure: declared.Forces, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    return plot_forces(_needed(run), path, title=_title(figure))


@render.register(declared.Eigenvalues)
def _(figure: declared.Eigenvalues, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    values = np.linspace(figure.low, figure.high, figure.count)
    curves = eigenvalue_curves(figure.system(), {figure.against: values})
    return plot_eigenvalues(curves, path, title=_title(figure), marks=figure.names)


@render.register(declared.Contours)
def _(figure: declared.Contours, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    across, up = np.array(figure.across), np.array(figure.up)
    quantities = figure.compute(across, up)
    return plot_contours(across, up, quantities, figure.x, figure.y, path, title=_title(figure), levels=figure.levels)


@render.register(declared.Families)
def _(figure: declared.Families, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    return plot_families(figure.compute(), figure.x, path, title=_title(figure))


@render.register(declared.Lines)
def _(figure: declared.Lines, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    with styled():
        made = new_figure(path, figsize=(WIDTH, 0.7 * WIDTH))
        axis = made.subplots()
        for name, (across, up) in figure.compute().items():
            looks: dict[str, Any] = {"linestyle": "--", "linewidth": 1.0} if name in figure.dashed else {}
            axis.plot(across, up, label=name, **looks)
        axis.set_xlabel(figure.x)
        axis.set_ylabel(figure.y)
        axis.margins(x=0.01)
        legend_above(axis)
        head(made, figure.title)
        return save(made, path)


@render.register(declared.Poses)
def _(figure: declared.Poses, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    return plot_poses(figure.compute(), figure.view, path, title=_title(figure))


@render.register(declared.Variations)
def _(figure: declared.Variations, run: Run | None, rerun: Rerun | None, path: str | Path | None) -> Figure:
    if rerun is None:
        raise ArgumentError("this figure compares variations of a run, and no way to run again is given")
    runs = {label: rerun(**settings) for label, settings in figure.runs.items()}
    if figure.until is not None:
        runs = {label: shorten(other, figure.until) for label, other in runs.items()}
    first_label, first = next(iter(runs.items()))
    with styled():
        made = new_figure(path, figsize=(WIDTH, 0.7 + 1.7 * len(figure.channels)))
        axes = np.atleast_1d(made.subplots(len(figure.channels), 1, sharex=True))
        for axis, name in zip(axes, figure.channels, strict=True):
            for k, (label, other) in enumerate(runs.items()):
                if not figure.difference:
                    axis.plot(*thin(other.time, other[name]), label=label)
                elif k:
                    n = min(len(first), len(other))
                    gap = np.abs(other[name][:n] - first[name][:n])
                    shown = np.where(gap > 0.0, gap, np.nan)
                    axis.semilogy(*thin(other.time[:n], shown), label=f"{label} less {first_label}", linewidth=0.9)
            axis.set_ylabel(axis_label(first, name).replace(" $", "\n$", 1))
            axis.margins(x=0.01)
        legend_above(axes[0])
        axes[-1].set_xlabel(axis_label(first, "time"))
        made.align_ylabels()
        head(made, _title(figure) or words(first.name))
        return save(made, path)
