"""Plots of a limit cycle: its orbit, its Poincaré map near the fixed point, its Floquet multipliers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import checks
from locomotor.analysis import Cycle
from locomotor.errors import UnknownNameError, ViewingError
from locomotor.names import suggestion
from locomotor.simulation import Run
from locomotor.simulation.records import pieces
from locomotor.typing import Vector
from locomotor.viewing.plots.plot import KINDS as RUN_KINDS
from locomotor.viewing.plots.plot import plot_run
from locomotor.viewing.plots.style import (
    ALARM,
    COLOURS,
    QUIET,
    STABLE,
    WIDTH,
    axis_label,
    head,
    new_figure,
    save,
    styled,
    thin,
    words,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PLANES = 6
TINY = 1e-4
"""Multipliers smaller than this are told as such."""
MOST_NAMED = 6
"""Multipliers whose value is written beside them."""
PASSAGES = 12
AWAY = 0.02
"""First distance of a start from the cycle, relative to 1 + |value|."""
NEARER = 4
"""Distances that are tried, each a quarter of the one before."""
SCANNED = 41
"""Points of a return map of one unknown."""


def _title(cycle: Cycle, what: str, title: str | None) -> str:
    return f"{words(cycle.system.name)}, {what}" if title is None else title


# -- orbit ------------------------------------------------------------------------------------------------------------


@checks.door(names=checks.names, title=checks.optional(checks.text))
def plot_orbit(cycle: Cycle, names: Sequence[str] = (), path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """One period in the planes of coordinates and their rates; jumps dashed, the section marked.

    `names` are coordinates; by default those that are unknown on the section or whose rate is.
    """
    run = cycle.run
    planes = _planes(cycle, run, names)
    columns = min(len(planes), 2)
    rows = -(-len(planes) // columns)
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 0.5 + 2.7 * rows * (1.0 if columns == 2 else 1.25)))
        axes = np.atleast_1d(figure.subplots(rows, columns, squeeze=False)).ravel()
        for axis, (x, y) in zip(axes, planes, strict=False):
            _draw_orbit(axis, run, x, y)
        for axis in axes[len(planes) :]:
            axis.set_axis_off()
        told = cycle.stability
        head(figure, _title(cycle, f"{told} cycle of {cycle.period:.5g} s", title))
        return save(figure, path)


def _planes(cycle: Cycle, run: Run, names: Sequence[str]) -> list[tuple[str, str]]:
    for name in names:
        run[name]  # raises, with the nearest name, for an unknown one
        if _rate(name) not in run:
            raise UnknownNameError(f"{name!r} has no rate among the channels; plot two channels with kind='plane'")
    chosen = list(names) or list(dict.fromkeys(name.removesuffix("_rate") for name in cycle.unknowns))
    planes = [(name, _rate(name)) for name in chosen if name in run and _rate(name) in run]
    if not planes:
        # Nothing is unknown but speeds, or nothing at all: what advances, against its rate.
        planes = [(name, _rate(name)) for name in cycle.displacement if _rate(name) in run]
    if not planes:
        known = [name for name in cycle.unknowns if name in run]
        planes = [(known[0], known[1])] if len(known) > 1 else [("time", (known or list(run.channels))[0])]
    return planes[:MOST_PLANES]


def _rate(name: str) -> str:
    return f"{name}_rate"


def _draw_orbit(axis: Any, run: Run, x: str, y: str) -> None:
    last: tuple[float, float] | None = None
    for piece in pieces(run.time):
        across, up = run[x][piece], run[y][piece]
        if last is not None:
            axis.plot([last[0], across[0]], [last[1], up[0]], color=COLOURS[1], linewidth=1.0, linestyle=(0, (3, 2)))
        axis.plot(*thin(across, up), color=COLOURS[0])
        last = float(across[-1]), float(up[-1])
    axis.plot(run[x][0], run[y][0], "o", color="#22282d", markersize=4.5, label="section", zorder=4)
    if last is not None and np.hypot(last[0] - run[x][0], last[1] - run[y][0]) > 1e-6:
        axis.plot(*last, "o", color="#22282d", markerfacecolor="white", markersize=4.5, label="after a period", zorder=3)
    axis.set_xlabel(axis_label(run, x))
    axis.set_ylabel(axis_label(run, y))
    axis.legend(loc="best", handlelength=1.0)


# -- multipliers ------------------------------------------------------------------------------------------------------


@checks.door(title=checks.optional(checks.text))
def plot_multipliers(cycle: Cycle, path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """Floquet multipliers in the complex plane, with the unit circle."""
    from matplotlib.patches import Circle

    values = np.asarray(cycle.multipliers)
    finite = values[np.isfinite(values)]
    reach = 1.18 * max(1.0, float(np.abs(finite).max(initial=0.0)))
    with styled():
        figure = new_figure(path, figsize=(0.68 * WIDTH, 0.68 * WIDTH))
        axis = figure.subplots()
        axis.add_patch(Circle((0.0, 0.0), 1.0, facecolor=STABLE, alpha=0.10, edgecolor="none"))
        axis.add_patch(Circle((0.0, 0.0), 1.0, facecolor="none", edgecolor=STABLE, linewidth=1.2))
        axis.axhline(0.0, color=QUIET, linewidth=0.7)
        axis.axvline(0.0, color=QUIET, linewidth=0.7)
        taken: list[complex] = []
        for k, value in enumerate(finite):
            colour = COLOURS[0] if abs(value) < 1.0 else ALARM
            axis.plot(value.real, value.imag, "o", color=colour, markersize=6.0, zorder=3)
            if k < MOST_NAMED and value.imag >= -1e-12:
                # Above its point and above the numbers of its neighbours; a thin line says whose it is.
                above = 6 + 11 * sum(abs(value - other) < 0.25 * reach for other in taken)
                line = {"arrowstyle": "-", "linewidth": 0.5, "color": colour, "shrinkA": 0.0, "shrinkB": 2.0}
                look: dict[str, Any] = {"fontsize": 8, "ha": "center", "color": colour, "arrowprops": line}
                told = f"{abs(value):.4f}" if abs(value) >= TINY else f"< {TINY:g}"
                axis.annotate(told, (value.real, value.imag), (0, above), textcoords="offset points", **look)
                taken.append(value)
        axis.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="real part", ylabel="imaginary part")
        told = "no unknowns, hence no multipliers" if not len(values) else "Floquet multipliers and their sizes"
        head(figure, _title(cycle, told, title))
        return save(figure, path)


# -- the map ----------------------------------------------------------------------------------------------------------


@checks.door(
    names=checks.names, title=checks.optional(checks.text), away=checks.positive, passages=partial(checks.whole, least=1)
)
def plot_poincare(
    cycle: Cycle,
    names: Sequence[str] = (),
    path: str | Path | None = None,
    *,
    away: float = AWAY,
    passages: int = PASSAGES,
    title: str | None = None,
) -> Figure:
    """Passages of motions that start near the cycle.

    With one unknown: the return map, the line on which values come back, and one motion as a staircase. With more: the passages
    of several motions in the plane of two of them (`names`, or the first two), which come to the cycle if it is stable.
    `away` is the first distance, relative to 1 + |value|; motions that do not come back from there start nearer.
    """
    known = cycle.unknowns
    if not known:
        raise ViewingError(f"{cycle.system.name}: nothing is unknown on its section, so that there is no map to draw")
    for name in names:
        if name not in known:
            raise UnknownNameError(f"{name!r} is not unknown on the section: {suggestion(name, known)}")
    with styled():
        square = 0.72 * WIDTH
        figure = new_figure(path, figsize=(square, square if len(known) == 1 else 0.9 * square))
        axis = figure.subplots()
        if len(known) == 1:
            _draw_return_map(axis, cycle, away, passages)
        else:
            pair = [known.index(name) for name in (*names, *(n for n in known if n not in names))[:2]]
            _draw_passages(axis, cycle, pair, away, passages)
        axis.legend(loc="best")
        head(figure, _title(cycle, f"passages of {cycle.section}", title))
        return save(figure, path)


def follow(cycle: Cycle, start: Vector, passages: int) -> Vector:
    """Unknowns of a motion at one passage after the other, as long as it comes back: (passages, unknowns)."""
    found = [np.asarray(start, dtype=float)]
    for _ in range(passages):
        returned = cycle.map(found[-1][None], cycle.parameters[None], tangent=False)
        if not returned.good[0]:
            break
        found.append(found[-1] + returned.residual[0])
    return np.array(found)


def _draw_return_map(axis: Any, cycle: Cycle, away: float, passages: int) -> None:
    value = float(cycle.values[0])
    half = 4.0 * away * (1.0 + abs(value))
    across = np.linspace(value - half, value + half, SCANNED)
    returned = cycle.map(across[:, None], np.broadcast_to(cycle.parameters, (SCANNED, len(cycle.parameters))), tangent=False)
    up = np.where(returned.good, across + returned.residual[:, 0], np.nan)
    axis.plot(across, across, color=QUIET, linewidth=0.9, label="comes back")
    axis.plot(across, up, color=COLOURS[0], label="next passage")
    path = follow(cycle, np.array([value + 0.75 * half]), passages)[:, 0]
    stairs = np.repeat(path, 2)[:-1], np.append(path[0], np.repeat(path[1:], 2))
    axis.plot(*stairs, color=COLOURS[1], linewidth=1.0, label="a motion")
    axis.plot(value, value, "o", color="#22282d", markersize=5.0, label="cycle")
    label = _label(cycle, 0)
    axis.set(xlim=(across[0], across[-1]), xlabel=label, ylabel=f"{label}, next passage")


def _draw_passages(axis: Any, cycle: Cycle, pair: Sequence[int], away: float, passages: int) -> None:
    values = cycle.values
    i, j = pair
    for _ in range(NEARER):
        size = away * (1.0 + np.abs(values))
        starts = [values + size * step for step in _around(i, j, len(values))]
        paths = [follow(cycle, start, passages) for start in starts]
        if all(len(points) > passages for points in paths):
            break
        away *= 0.25
    for k, points in enumerate(paths):
        colour = COLOURS[k % len(COLOURS)]
        axis.plot(points[:, i], points[:, j], color=colour, linewidth=0.6, alpha=0.5)
        axis.scatter(points[:, i], points[:, j], s=26.0 / (1.0 + 0.35 * np.arange(len(points))), color=colour, linewidth=0.0)
    axis.plot(values[i], values[j], "+", color="#22282d", markersize=11.0, markeredgewidth=1.4, label="cycle")
    axis.plot([], [], "o", color=QUIET, markersize=4.0, label="passages, later ones smaller")
    reach = 6.0 * size
    low, high = axis.get_xlim(), axis.get_ylim()
    # A motion that runs away must not make the rest of the picture small.
    axis.set_xlim(max(low[0], values[i] - reach[i]), min(low[1], values[i] + reach[i]))
    axis.set_ylim(max(high[0], values[j] - reach[j]), min(high[1], values[j] + reach[j]))
    axis.set(xlabel=_label(cycle, i), ylabel=_label(cycle, j))


def _around(i: int, j: int, n: int) -> list[Vector]:
    """Four directions in the plane of two unknowns."""
    return [sign * np.eye(n)[k] for sign in (1.0, -1.0) for k in (i, j)]


def _label(cycle: Cycle, k: int) -> str:
    run, name = cycle.run, cycle.unknowns[k]
    return axis_label(run, name) if name in run else words(name)


# -- every kind of plot -----------------------------------------------------------------------------------------------


def plot_cycle(cycle: Cycle, names: Sequence[str], kind: str, path: str | Path | None = None, **options: Any) -> Figure:
    """A plot of a cycle by its kind; the kinds of a run show one period."""
    if kind not in KINDS and kind not in RUN_KINDS:
        raise UnknownNameError(f"no kind of plot is named {kind!r}: {suggestion(kind, (*KINDS, *RUN_KINDS))}")
    return KINDS[kind](cycle, names, path, **options) if kind in KINDS else plot_run(cycle.run, names, kind, path, **options)


KINDS: Mapping[str, Callable[..., Figure]] = {
    "orbit": plot_orbit,
    "multipliers": lambda cycle, names, path, **options: plot_multipliers(cycle, path, **options),
    "poincare": plot_poincare,
}
"""Kinds of plots that a cycle has besides those of a run: functions of the cycle, the names given, the file, and options."""
