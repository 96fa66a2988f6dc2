"""Ground reactions: what each contact carries, and what it holds sideways."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locomotor import checks
from locomotor.errors import UnknownNameError
from locomotor.simulation import Run
from locomotor.viewing.plots.style import WIDTH, axis_label, head, legend_above, new_figure, save, styled, thin, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@checks.door(title=checks.optional(checks.text))
def plot_forces(run: Run, path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """Vertical and horizontal ground reactions of every contact."""
    if not run.forces:
        raise UnknownNameError(f"{run.name}: no contact, hence no ground reaction to draw")
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 3.7))
        above, below = figure.subplots(2, 1, sharex=True)
        for name, force in run.forces.items():
            above.plot(*thin(run.time, force[:, 2]), label=words(name))
            below.plot(*thin(run.time, np.hypot(force[:, 0], force[:, 1])))
        above.set_ylabel("vertical (N)")
        below.set_ylabel("horizontal (N)")
        below.set_xlabel(axis_label(run, "time"))
        below.margins(x=0.01)
        legend_above(above)
        figure.align_ylabels()
        head(figure, f"{words(run.name)}, forces of the ground" if title is None else title)
        return save(figure, path)
