"""A sweep as a picture: a heat map over two axes, a curve over one, one panel a measure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.errors import ViewingError
from locomotor.viewing.plots.style import COLOURS, WIDTH, head, new_figure, save, styled, unit_text, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_MEASURES = 6
"""Panels of one picture."""


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
            if len(axes) == 1:
                axis.plot(x, values, marker="." if len(x) < 60 else "", color=COLOURS[0])
                axis.set_ylabel(_label(found, name))
                continue
            y = found[axes[1]].values
            image = axis.pcolormesh(x, y, values.T, shading="nearest", cmap="viridis", rasterized=True)
            figure.colorbar(image, ax=axis, label=_label(found, name))
            if np.nanmin(values, initial=np.inf) < 0.0 < np.nanmax(values, initial=-np.inf) and min(values.shape) > 1:
                axis.contour(x, y, values.T, levels=[0.0], colors="white", linewidths=1.0)
            axis.set_ylabel(_label(found, axes[1]))
        panels[-1].set_xlabel(_label(found, axes[0]))
        head(figure, title)
        return save(figure, path)


def _label(found: Any, name: str) -> str:
    """Name and unit of a coordinate or a measure."""
    unit = unit_text(str(found[name].attrs.get("units", "")))
    return f"{words(name)} ({unit})" if unit else words(name)
