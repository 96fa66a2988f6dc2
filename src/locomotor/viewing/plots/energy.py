"""Energies of a run, and what they leave unexplained."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locomotor import checks
from locomotor.simulation import Run
from locomotor.simulation.records import impact_work, work_done
from locomotor.viewing.plots.style import QUIET, WIDTH, axis_label, head, legend_above, new_figure, save, styled, thin, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@checks.door(title=checks.optional(checks.text))
def plot_energy(run: Run, path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """Change of kinetic, potential and total energy with the work done; below, what does not balance."""
    work = work_done(run)
    rest = np.abs(run.energy - run.energy[0] - work - impact_work(run))
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 3.9))
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        kinetic, potential = run["kinetic_energy"], run["potential_energy"]
        above.plot(*thin(run.time, kinetic - kinetic[0]), label="kinetic $T$")
        above.plot(*thin(run.time, potential - potential[0]), label="potential $U$")
        above.plot(*thin(run.time, run.energy - run.energy[0]), label="total $T + U$", color="#22282d")
        if np.any(work):
            above.plot(*thin(run.time, work), label="work done $W$", linestyle="--")
        above.set_ylabel("change (J)")
        legend_above(above)
        floor = 1e-3 * np.finfo(float).eps * max(float(np.abs(run.energy).max()), 1e-300)
        below.semilogy(*thin(run.time, np.maximum(rest, floor)), color=QUIET, linewidth=0.8)
        below.set_ylabel("imbalance (J)\n$|\\Delta(T + U) - W|$")
        below.set_xlabel(axis_label(run, "time"))
        below.margins(x=0.01)
        figure.align_ylabels()
        total = f"energy ({run.energy[0]:.6g} J at the start)"
        head(figure, f"{words(run.name)}, {total}" if title is None else title)
        return save(figure, path)
