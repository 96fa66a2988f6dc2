"""Eigenvalues along a value of the motion: every mode followed, stable bands shaded, limits marked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.analysis import EigenvalueCurves
from locomotor.viewing.plots.style import (
    COLOURS,
    STABLE,
    WIDTH,
    head,
    legend_above,
    new_figure,
    save,
    styled,
    unit_text,
    words,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLOSE = 1e-9
FAST = 3.0
"""Modes that decay faster than so many times the largest frequency or growth are cut off."""
HEADROOM = 0.11
"""Part of the height that the words of a stable band take."""


def plot_eigenvalues(
    curves: EigenvalueCurves,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    marks: Mapping[str, float] | None = None,
    limits: tuple[float, float] | None = None,
    band: bool | None = None,
) -> Figure:
    """Real parts (solid) and frequencies (dashed) of all modes; `marks` are further values worth a line.

    Where parameters have uncertainties, 95 % of the real parts that they lead to lie in a shaded `band`.
    """
    uncertain = any(p.uncertainty > 0.0 for p in curves.system.parameters.parameters)
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 4.2))
        axis = figure.subplots()
        for low, high in curves.stable_bands:
            axis.axvspan(low, high, color=STABLE, alpha=0.12, linewidth=0)
            middle = f"stable\n{low:.4g} to {high:.4g}"
            axis.text(0.5 * (low + high), 0.985, middle, transform=axis.get_xaxis_transform(), ha="center", va="top",
                      color=STABLE, fontsize=8)  # fmt: skip
        for value in curves.crossings:
            axis.axvline(value, color=STABLE, linewidth=0.7)
        for label, value in (marks or {}).items():
            axis.axvline(value, color=COLOURS[1], linewidth=0.7, linestyle=":")
            axis.text(value, 0.02, f" {label}", transform=axis.get_xaxis_transform(), rotation=90, fontsize=7)
        axis.axhline(0.0, color="#22282d", linewidth=0.7)
        if band or (band is None and uncertain):
            _draw_band(axis, curves)
        _draw_modes(axis, curves)
        symbol = next((s for s in curves.system.layout.velocities if s.name == curves.name), None)
        unit = unit_text(symbol.unit) if symbol else ""
        axis.set_xlabel(words(curves.name) + (f" ${symbol.latex}$" if symbol else "") + (f" ({unit})" if unit else ""))
        axis.set_ylabel("eigenvalues (1/s)")
        axis.set_xlim(float(curves.values[0]), float(curves.values[-1]))
        axis.set_ylim(*(limits or _limits(curves)))
        axis.plot([], [], color="#22282d", label="real part")
        axis.plot([], [], color="#22282d", linestyle="--", label="frequency, |imaginary part|")
        legend_above(axis)
        head(figure, f"{words(curves.system.name)}: stability" if title is None else title)
        return save(figure, path)


def _draw_band(axis: Any, curves: EigenvalueCurves) -> None:
    """Where the real parts are that the uncertainty of the parameters allows."""
    low, high = curves.band().real()
    for k in range(low.shape[1]):
        axis.fill_between(curves.values, low[:, k], high[:, k], color=COLOURS[k % len(COLOURS)], alpha=0.3, linewidth=0)
    axis.fill_between([], [], [], color="#22282d", alpha=0.3, label="95 % of real parts")


def _draw_modes(axis: Any, curves: EigenvalueCurves) -> None:
    """One colour a mode; a pair of conjugates is one mode while it is a pair. The legend has the names of modes."""
    values = curves.eigenvalues
    for name in dict.fromkeys(name for name in curves.mode_names if name):
        k = curves.mode_names.index(name)
        axis.plot([], [], color=COLOURS[k % len(COLOURS)], linewidth=2.2, label=name)
    for k in range(values.shape[1]):
        mode = values[:, k]
        # The lower half of a pair repeats the upper one.
        real = np.where(mode.imag >= -CLOSE, mode.real, np.nan)
        frequency = np.where(mode.imag > CLOSE, mode.imag, np.nan)
        colour = COLOURS[k % len(COLOURS)]
        axis.plot(curves.values, real, color=colour)
        axis.plot(curves.values, frequency, color=colour, linestyle="--", linewidth=1.0)


def _limits(curves: EigenvalueCurves) -> tuple[float, float]:
    """Heights that keep what happens near zero visible, whatever fast mode there is."""
    imaginary = np.abs(curves.eigenvalues.imag).max()
    real = curves.eigenvalues.real
    highest = float(max(real.max(), imaginary))
    top = max(1.15 * highest, 1e-3)
    low = max(float(real.min()) * 1.05, -FAST * top)
    if curves.stable_bands:  # the words of a band stand above all curves
        top = max(top, (highest - HEADROOM * low) / (1.0 - HEADROOM))
    return low, top
