"""Phase planes: one channel against another, time as colour."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import checks
from locomotor.simulation import Run
from locomotor.viewing.plots.contact_colours import colour_of, keys, stretches
from locomotor.viewing.plots.modes import switching_contacts
from locomotor.viewing.plots.style import axis_label, head, new_figure, save, styled, thin_path, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDE = 4.6


@checks.door(title=checks.optional(checks.text), by_contact=checks.flag)
def plot_plane(
    run: Run, x: str, y: str, path: str | Path | None = None, *, title: str | None = None, by_contact: bool = False
) -> Figure:
    """The curve (x, y), light where it begins and dark where it ends; a ring at the start, a dot at the end.

    With `by_contact` colours tell which contacts are closed, and jumps at events are left open.
    """
    across, up = thin_path(run[x], run[y])
    with styled():
        figure = new_figure(path, figsize=(SIDE + 0.7, SIDE))
        axis = figure.subplots()
        if by_contact:
            contacts = switching_contacts(run)
            for part, closed in stretches(run):
                axis.plot(*thin_path(run[x][part], run[y][part]), color=colour_of(closed, contacts))
            figure.legend(*keys(run), loc="outside lower right", ncols=3)
        else:
            _by_time(figure, axis, run, across, up)
        axis.plot(across[0], up[0], "o", color="#22282d", markerfacecolor="white", markersize=5, zorder=3)
        axis.plot(across[-1], up[-1], "o", color="#22282d", markersize=4, zorder=3)
        axis.autoscale()
        axis.set_xlabel(axis_label(run, x))
        axis.set_ylabel(axis_label(run, y))
        head(figure, words(run.name) if title is None else title)
        return save(figure, path)


def _by_time(figure: Figure, axis: Any, run: Run, across: Any, up: Any) -> None:
    from matplotlib.collections import LineCollection

    time, _ = thin_path(run.time, run.time)
    corners = np.stack([across, up], axis=-1)
    line = LineCollection(np.stack([corners[:-1], corners[1:]], axis=1), cmap="viridis_r", linewidth=1.4)  # type: ignore[arg-type]
    line.set_array(time[:-1])
    axis.add_collection(line)
    bar = figure.colorbar(line, ax=axis, pad=0.02, aspect=40)
    bar.set_label(axis_label(run, "time"))
    bar.outline.set_visible(False)  # type: ignore[operator]
