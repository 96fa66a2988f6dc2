"""Families of cycles along a parameter: one panel a quantity, stable parts drawn through, unstable ones dashed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from locomotor.viewing.style import COLOURS, WIDTH, head, legend_above, new_figure, save, styled, words


def plot_families(
    families: Mapping[str, tuple[Any, Mapping[str, Any], Any]],
    x: str,
    path: str | Path | None = None,
    *,
    title: str | None = None,
) -> Figure:
    """Each family is (values of the parameter, quantities by name, whether stable), in the order of its curve."""
    names = list(next(iter(families.values()))[1])
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 0.6 + 2.0 * len(names)))
        axes = np.atleast_1d(figure.subplots(len(names), 1, sharex=True))
        for axis, name in zip(axes, names, strict=True):
            for colour, (label, (across, quantities, stable)) in zip(COLOURS, families.items(), strict=False):
                values, sure = np.asarray(quantities[name], dtype=float), np.asarray(stable, dtype=bool)
                # A part begins where the one before ends, so that no gap is left between them.
                solid, dashed = (part | np.append(part[1:], False) for part in (sure, ~sure))
                axis.plot(across, np.where(solid, values, np.nan), color=colour, label=f"{label}, stable")
                loose = {"linestyle": "--", "linewidth": 1.0, "label": f"{label}, unstable"}
                axis.plot(across, np.where(dashed, values, np.nan), color=colour, **loose)
            axis.set_ylabel(words(name))
            axis.margins(x=0.01)
        legend_above(axes[0])
        axes[-1].set_xlabel(x)
        figure.align_ylabels()
        head(figure, title or "")
        return save(figure, path)
