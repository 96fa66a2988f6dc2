"""Contacts that open and close: when they are closed, gaps, impulses, and the energy that impacts take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locomotor import checks
from locomotor.simulation import Run
from locomotor.viewing.plots.modes import ROW, draw_modes, switching_contacts
from locomotor.viewing.plots.style import COLOURS, QUIET, WIDTH, axis_label, head, new_figure, save, styled, thin, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = 1e-6
"""Smallest range of the energy that is shown, relative to it."""


@checks.door(title=checks.optional(checks.text))
def plot_events(run: Run, path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """Strips while closed; gaps; normal impulses; total energy. Colours are those of the strips."""
    contacts = switching_contacts(run)
    strip = 0.15 + ROW * len(contacts)
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 4.9 + strip))
        modes, gaps, impulses, energy = figure.subplots(4, 1, sharex=True, height_ratios=(strip, 1.9, 1.2, 1.2))
        draw_modes(modes, run, contacts)
        for k, name in enumerate(contacts):
            colour = COLOURS[k % len(COLOURS)]
            gaps.plot(*thin(run.time, run[f"{name}_gap"]), label=words(name), color=colour, linewidth=1.1)
            hits = [event for event in run.events.of(name) if any(event.impulse)]
            if hits:
                times, values = [event.time for event in hits], [event.impulse[0] for event in hits]
                impulses.vlines(times, 0.0, values, color=colour)
                impulses.plot(times, values, "o", color=colour, markersize=3.5)
            for event in run.events.of(name, "lift-off"):
                gaps.axvline(event.time, color=QUIET, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)
        gaps.set_ylabel("gap (m)")
        impulses.axhline(0.0, color=QUIET, linewidth=0.7)
        impulses.set_ylabel("normal\nimpulse (N s)")
        energy.plot(*thin(run.time, run.energy), color="#22282d")
        energy.set_ylabel("energy\n$T + U$ (J)")
        energy.ticklabel_format(axis="y", useOffset=False)
        middle = float(run.energy.mean())
        least = LEAST * max(1.0, abs(middle))
        if float(np.ptp(run.energy)) < least:  # what changes by round-off is a straight line
            energy.set_ylim(middle - least, middle + least)
        energy.set_xlabel(axis_label(run, "time"))
        energy.margins(x=0.01)
        figure.align_ylabels([gaps, impulses, energy])
        head(figure, f"{words(run.name)}, contacts" if title is None else title)
        return save(figure, path)
