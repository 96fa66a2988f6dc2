"""A sweep as a picture: a heat map over two axes, a curve over one, one panel a measure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.errors import ViewingError
from locomotor.viewing.plots.style import COLOURS, QUIET, WIDTH, head, new_figure, save, styled, unit_text, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_MEASURES = 6
"""Panels of one picture."""
MOST_LETTERS, MOST_WORDS = 3, 40
"""Letters of a name that tells nothing, and of a meaning that fits beside an axis."""


def plot_sweep(found: Any, path: str | Path | None = None, *, title: str = "") -> Figure:
    """Draw the measures of a sweep (`xarray.Dataset`) over its one or two axes; points that failed are left white."""
    axes = [str(name) for name in found["status"].dims]
    if len(axes) not in (1, 2):
        raise ViewingError(f"a sweep over {len(axes)} axes is not drawn; give one for a curve, two for a heat map")
    names = [str(name) for name in found.data_vars if name != "status" and found[name].dims == found["status"].dims]
    names = names[:MOST_MEASURES]
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 0.6 + (2.1 if len(axes) == 1 else 3.4) * max(1, len(names))))
        panels = np.atleast_1d(figure.subplots(max(1, len(names)), 1, sharex=True))
        for axis, name in zip(panels, names, strict=False):
            values = np.where(found["status"].values == 0, found[name].values.astype(float), np.nan)
            x = found[axes[0]].values
            axis.set_title(str(found[name].attrs.get("description", "")), fontsize=8, color=QUIET)
            if len(axes) == 1:
                axis.plot(x, values, marker="." if len(x) < 60 else "", color=COLOURS[0])
                axis.set_ylabel(_label(found, name))
                if _answers(values):
                    axis.set_yticks([0.0, 1.0])
                continue
            y = found[axes[1]].values
            _draw_map(figure, axis, (x, y, values.T), _label(found, name))
            axis.set_ylabel(_axis_label(found, axes[1]))
        panels[-1].set_xlabel(_axis_label(found, axes[0]))
        head(figure, title)
        return save(figure, path)


def _draw_map(figure: Figure, axis: Any, field: tuple[Any, Any, Any], label: str) -> None:
    """One measure as colours: two of them where it answers yes or no, with the line of zero where it changes sign."""
    from matplotlib.colors import ListedColormap

    x, y, values = field
    if _answers(values):
        look = {"cmap": ListedColormap(["#e7eaec", COLOURS[0]]), "vmin": 0.0, "vmax": 1.0}
        image = axis.pcolormesh(x, y, values, shading="nearest", rasterized=True, **look)
        bar = figure.colorbar(image, ax=axis, label=label, ticks=[0.25, 0.75])
        bar.ax.set_yticklabels(["0", "1"])
        return
    image = axis.pcolormesh(x, y, values, shading="nearest", cmap="viridis", rasterized=True)
    bar = figure.colorbar(image, ax=axis, label=label)
    if np.nanmin(values, initial=np.inf) < 0.0 < np.nanmax(values, initial=-np.inf) and min(values.shape) > 1:
        axis.contour(x, y, values, levels=[0.0], colors="white", linewidths=1.0)
        bar.ax.axhline(0.0, color="white", linewidth=1.0)  # tells which value the line in the map is


def _answers(values: Any) -> bool:
    """Whether a measure says yes (1) or no (0) at every point where it says something."""
    finite = values[np.isfinite(values)]
    return bool(finite.size) and bool(np.isin(finite, (0.0, 1.0)).all())


def _axis_label(found: Any, name: str) -> str:
    """Name and unit of a varied value; before a name of a letter or two, what it is: `trail c (m)`."""
    meaning = str(found[name].attrs.get("description", ""))
    told = len(name) <= MOST_LETTERS and 0 < len(meaning) <= MOST_WORDS
    return f"{meaning} {_label(found, name)}" if told else _label(found, name)


def _label(found: Any, name: str) -> str:
    """Name and unit of a coordinate or a measure."""
    unit = unit_text(str(found[name].attrs.get("units", "")))
    return f"{words(name)} ({unit})" if unit else words(name)
