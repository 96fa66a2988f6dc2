"""Level lines of quantities over two values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.viewing.plots.style import WIDTH, head, new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 2


def plot_contours(
    across: Any,
    up: Any,
    quantities: Mapping[str, Any],
    x: str,
    y: str,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    levels: int = 13,
) -> Figure:
    """One panel a quantity: labelled level lines over its colours."""
    from matplotlib.ticker import MaxNLocator

    rows = -(-len(quantities) // COLUMNS)
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 0.4 + 2.7 * rows))
        axes = np.atleast_1d(figure.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)).ravel()
        for axis, (name, values) in zip(axes, quantities.items(), strict=False):
            steps = MaxNLocator(levels).tick_values(float(np.nanmin(values)), float(np.nanmax(values)))
            axis.contourf(across, up, values, levels=steps, cmap="YlGnBu", alpha=0.85)
            lines = axis.contour(across, up, values, levels=steps, colors="#22282d", linewidths=0.6)
            axis.clabel(lines, fontsize=6, fmt="%g", inline_spacing=2)
            axis.set_title(name, fontsize=9)
            axis.grid(False)
        for axis in axes[len(quantities) :]:
            axis.set_visible(False)
        for k, axis in enumerate(axes[: len(quantities)]):
            axis.set_xlabel(x)
            axis.set_ylabel(y)
            axis.label_outer()
            if k + COLUMNS >= len(quantities):  # the lowest of its column
                axis.tick_params(labelbottom=True)
                axis.set_xlabel(x)
        head(figure, title or "")
        return save(figure, path)
