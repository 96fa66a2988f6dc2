"""Gait geometry: the vector fields of a connection and its curvature over two joints, one row a velocity of the base."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.analysis import GaitGeometry
from locomotor.model import Motion
from locomotor.names import latex_of
from locomotor.viewing.plots.style import COLOURS, WIDTH, head, new_figure, save, styled, unit_text, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ARROWS = 13
"""Arrows along each side."""
LEVELS = 11
FLAT = 1e-9
"""A surface smaller than this, relative to the largest of the figure, is drawn as flat: it is round-off."""


def plot_gait_geometry(
    geometry: GaitGeometry,
    path: str | Path | None = None,
    *,
    gait: Mapping[str, Any] | None = None,
    period: float = 2.0 * np.pi,
    title: str | None = None,
) -> Figure:
    """Left the rows of -A as arrows, right the curvature as labelled level lines; `gait` (laws of t) is drawn as a loop.

    A gait moves the base, to first order, by the line integral of the arrows along it; a small closed one by the integral of
    the curvature over the area that it goes round counter-clockwise. Velocities that no shape produces are left out.
    """
    shown = _moving(geometry)
    largest = _largest(geometry.curvature)
    margins = [0.5 * float(np.ptp(grid)) / ARROWS for grid in (geometry.first, geometry.second)]
    loop = None if gait is None else _loop(geometry, gait, period)
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 0.5 + 2.65 * len(shown)))
        axes = figure.subplots(len(shown), 2, sharex=True, sharey=True, squeeze=False)
        for k, (arrows, surface) in zip(shown, axes, strict=True):
            _draw_field(arrows, geometry, k)
            _draw_curvature(figure, surface, geometry, k, largest)
            for axis in (arrows, surface):
                if loop is not None:
                    axis.plot(*loop, color=COLOURS[1], linewidth=1.6)
                # Half an arrow more on every side.
                axis.set_xlim(geometry.first[0] - margins[0], geometry.first[-1] + margins[0])
                axis.set_ylim(geometry.second[0] - margins[1], geometry.second[-1] + margins[1])
                axis.set_xlabel(_joint_label(geometry, 0))
                axis.set_ylabel(_joint_label(geometry, 1))
                axis.grid(False)
                axis.set_aspect("equal")
                axis.label_outer()
        system = geometry.connection.system.name
        head(figure, f"{words(system)}: {geometry.connection.kind} connection" if title is None else title)
        return save(figure, path)


def _moving(geometry: GaitGeometry) -> list[int]:
    """Velocities of the base that are not zero all over; all of them if none is."""
    sizes = [
        max(_largest(values[k]) for values in (geometry.field, geometry.curvature)) for k in range(len(geometry.base_names))
    ]
    return [k for k, size in enumerate(sizes) if size > FLAT * max(sizes)] or list(range(len(sizes)))


def _draw_field(axis: Any, geometry: GaitGeometry, k: int) -> None:
    """Arrows of one row of -A, their lengths relative to the longest."""
    pick = _thin(len(geometry.first))
    x, y = np.meshgrid(geometry.first[pick], geometry.second[pick], indexing="ij")
    u, v = (geometry.field[k, i][np.ix_(pick, pick)] for i in (0, 1))
    lengths = np.hypot(u, v)
    longest = _limit(lengths)
    axis.set_title(f"{_base(geometry, k)}", fontsize=9)
    if longest <= FLAT * _largest(geometry.field):
        _say_zero(axis)
        return
    step = float(geometry.first[pick[1]] - geometry.first[pick[0]])
    look = {"color": COLOURS[0], "width": 0.005, "pivot": "mid", "zorder": 3}
    shorter = np.minimum(1.0, longest / np.maximum(lengths, 1e-300))
    axis.quiver(x, y, shorter * u, shorter * v, angles="xy", scale_units="xy", scale=1.1 * longest / step, **look)
    what = "arrows cut at" if (shorter < 1.0).any() else "longest arrow"
    label = f"{what} {longest:.2g} {_unit(geometry, k, 1)}".strip()
    axis.set_title(label, loc="right", fontsize=7, color="#4a5259")


def _draw_curvature(figure: Any, axis: Any, geometry: GaitGeometry, k: int, largest: float) -> None:
    """Level lines of one surface over its colours: one hue up, another down, white where it is zero."""
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.ticker import MaxNLocator

    values = geometry.curvature[k].T
    axis.set_title("curvature", fontsize=9)
    _mark_singular(axis, geometry)
    size = _limit(values)
    if size <= FLAT * max(largest, 1e-300):
        _say_zero(axis)
        return
    beyond = "both" if size < _largest(values) else "neither"
    steps = MaxNLocator(LEVELS, symmetric=True).tick_values(-1.02 * size, 1.02 * size)
    colours = axis.contourf(
        geometry.first,
        geometry.second,
        values,
        levels=steps,
        cmap="RdBu_r",
        norm=TwoSlopeNorm(0.0, float(steps[0]), float(steps[-1])),
        alpha=0.85,
        extend=beyond,
    )
    if float(np.nanmax(values) - np.nanmin(values)) > FLAT * size:
        lines = axis.contour(geometry.first, geometry.second, values, levels=steps, colors="#22282d", linewidths=0.5)
        axis.clabel(lines, fontsize=6, fmt="%g", inline_spacing=2)
    else:
        _say(axis, f"{float(np.nanmean(values)):.3g} {_unit(geometry, k, 2)}")
    bar = figure.colorbar(colours, ax=axis, shrink=0.85, pad=0.02)
    bar.ax.tick_params(labelsize=7)
    bar.set_label(_unit(geometry, k, 2), fontsize=7)


def _largest(values: Any) -> float:
    """The largest size, singular shapes left out."""
    return float(np.abs(values)[np.isfinite(values)].max(initial=0.0))


def _limit(values: Any) -> float:
    """The size to draw up to: the largest, unless a singular shape nearby dwarfs everything else."""
    sizes = np.abs(values)[np.isfinite(values)]
    largest, usual = _largest(values), float(np.percentile(sizes, 90)) if sizes.size else 0.0
    return 2.0 * usual if largest > 4.0 * usual > 0.0 else largest


def _mark_singular(axis: Any, geometry: GaitGeometry) -> None:
    """A cross at every point of the grid where the constraints lose a rank, and what it means."""
    x, y = np.meshgrid(geometry.first, geometry.second, indexing="ij")
    missing = np.isnan(geometry.curvature).any(axis=0)
    if missing.any():
        axis.plot(x[missing], y[missing], "x", color="#22282d", markersize=3, markeredgewidth=0.6, zorder=4)
        axis.set_title("crosses: singular shapes", loc="right", fontsize=7, color="#4a5259")


def _say_zero(axis: Any) -> None:
    _say(axis, "zero")


def _say(axis: Any, text: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8}
    axis.text(0.5, 0.5, text, transform=axis.transAxes, ha="center", va="center", color="#4a5259", bbox=box)


def _thin(count: int) -> list[int]:
    """Evenly spaced indices, about ARROWS of them, around the middle."""
    stride = max(1, -(-(count - 1) // (ARROWS - 1)))
    return list(range(((count - 1) % stride) // 2, count, stride))


def _loop(geometry: GaitGeometry, gait: Mapping[str, Any], period: float) -> tuple[Any, Any]:
    """The gait as a curve in the plane of the two joints."""
    values = {**geometry.connection.system.parameters.values, "t": np.linspace(0.0, period, 400)}
    laws = [gait[name] if isinstance(gait[name], Motion) else Motion(gait[name]) for name in geometry.joints]
    first, second = (np.broadcast_to(law.position.evaluate(values), (400,)) for law in laws)
    return first, second


# -- words --------------------------------------------------------------------------------------------


def _base(geometry: GaitGeometry, k: int) -> str:
    symbols = {s.name: s for s in geometry.connection.system.layout.velocities}
    name = geometry.base_names[k]
    return f"{words(name)} ${symbols[name].latex}$"


def _joint_label(geometry: GaitGeometry, i: int) -> str:
    symbols = {s.name: s for s in geometry.connection.system.layout.coordinates}
    symbol = symbols[geometry.joints[i]]
    sign = "" if symbol.latex == latex_of(symbol.name) else f" ${symbol.latex}$"
    return f"{words(symbol.name)}{sign} ({unit_text(symbol.unit)})"


def _unit(geometry: GaitGeometry, k: int, power: int) -> str:
    """Unit of the base's displacement per joint angle, to a power."""
    system = geometry.connection.system
    velocities = {s.name: s.unit for s in system.layout.velocities}
    coordinates = {s.name: s.unit for s in system.layout.coordinates}
    first, second = (coordinates[name] for name in geometry.joints)
    above = velocities[geometry.base_names[k]].removesuffix("/s")
    if power == 1:
        return unit_text(f"{above}/{first}")
    return unit_text(f"{above}/{first}^2" if first == second else f"{above}/({first} {second})")
