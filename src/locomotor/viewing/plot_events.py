"""Contacts that open and close: gaps and when they are closed, impulses, and the energy that impacts take."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from locomotor.errors import UnknownNameError
from locomotor.simulation import Run
from locomotor.simulation.quadrature import pieces
from locomotor.viewing.style import COLOURS, QUIET, WIDTH, axis_label, head, legend_above, new_figure, save, styled, thin, words


def plot_events(run: Run, path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """Gaps of the contacts, shaded while closed; normal impulses; total energy."""
    contacts = [name.removesuffix("_closed") for name in run.group("modes")]
    if not contacts:
        raise UnknownNameError(f"{run.name}: no contact of it opens or closes; plot its forces instead, kind='forces'")
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 5.2))
        gaps, impulses, energy = figure.subplots(3, 1, sharex=True, height_ratios=(2, 1.3, 1.3))
        for k, name in enumerate(contacts):
            colour = COLOURS[k % len(COLOURS)]
            gaps.plot(*thin(run.time, run[f"{name}_gap"]), label=words(name), color=colour)
            for first, last in _closed(run, name):
                gaps.axvspan(first, last, ymin=0.02 * k, ymax=0.02 * k + 0.02, color=colour, linewidth=0.0)
            hits = [event for event in run.events.of(name) if any(event.impulse)]
            if hits:
                times, values = [event.time for event in hits], [event.impulse[0] for event in hits]
                impulses.vlines(times, 0.0, values, color=colour)
                impulses.plot(times, values, "o", color=colour, markersize=3.5)
            for event in run.events.of(name, "lift-off"):
                gaps.axvline(event.time, color=QUIET, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)
        gaps.set_ylabel("gap (m)")
        legend_above(gaps)
        impulses.axhline(0.0, color=QUIET, linewidth=0.7)
        impulses.set_ylabel("normal\nimpulse (N s)")
        energy.plot(*thin(run.time, run.energy), color="#22282d")
        energy.set_ylabel("energy\n$T + U$ (J)")
        energy.set_xlabel(axis_label(run, "time"))
        energy.margins(x=0.01)
        figure.align_ylabels()
        head(figure, f"{words(run.name)}, contacts" if title is None else title)
        return save(figure, path)


def _closed(run: Run, contact: str) -> list[tuple[float, float]]:
    """Times during which a contact is closed, one after the other."""
    found: list[tuple[float, float]] = []
    for piece in pieces(run.time):
        if run[f"{contact}_closed"][piece][0] > 0.0:
            first, last = float(run.time[piece][0]), float(run.time[piece][-1])
            if found and np.isclose(found[-1][1], first, rtol=0.0, atol=1e-9):
                found[-1] = (found[-1][0], last)
            else:
                found.append((first, last))
    return found
