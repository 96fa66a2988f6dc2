"""Families of cycles along a parameter: one panel a quantity, stable parts drawn through, unstable ones dashed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import checks
from locomotor.analysis import Cycle, Family
from locomotor.errors import UnknownNameError
from locomotor.names import suggestion
from locomotor.viewing.plots.style import (
    ALARM,
    COLOURS,
    QUIET,
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

MARKS = {"fold": "s", "branch": "D", "flip": "^", "torus": "o"}
MOST_PANELS = 4
STILL = 1e-9
"""A quantity that changes by less than this along a family is not worth a panel."""


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
                draw_branch(axis, across, quantities[name], stable, colour, f"{label}, ")
            axis.set_ylabel(words(name))
            axis.margins(x=0.01)
        legend_above(axes[0])
        axes[-1].set_xlabel(x)
        figure.align_ylabels()
        head(figure, title or "")
        return save(figure, path)


def draw_branch(axis: Any, across: Any, values: Any, stable: Any, colour: str, label: str = "") -> None:
    """Draw one quantity along a family, unstable parts apart."""
    across, values = np.asarray(across, dtype=float), np.asarray(values, dtype=float)
    sure = np.asarray(stable, dtype=bool)
    # Where a change of stability is not known to be, a part begins half-way, so that neither claims a cycle of the other.
    at = np.flatnonzero(sure[1:] != sure[:-1])
    middle = [0.5 * (one[at] + one[at + 1]) for one in (across, values)]
    draw_parts(axis, np.insert(across, at + 1, middle[0]), np.insert(values, at + 1, middle[1]),
               np.insert(sure.astype(float), at + 1, np.nan), colour, label)  # fmt: skip


def draw_parts(axis: Any, across: Any, values: Any, stable: Any, colour: str, label: str = "") -> None:
    """Parts of a curve, stable (1) or not (0); a point of both (nan), where that changes, ends one and begins the other."""
    sure = np.asarray(stable, dtype=float)
    axis.plot(across, np.where(sure == 0.0, np.nan, values), color=colour, label=f"{label}stable")
    loose = {"linestyle": "--", "linewidth": 1.0, "label": f"{label}unstable"}
    axis.plot(across, np.where(sure == 1.0, np.nan, values), color=colour, **loose)


def with_changes(family: Family) -> tuple[Any, tuple[Cycle, ...], Any]:
    """Values, cycles and stability (1, 0, nan where it changes) of a family, each change put where the curve passes it."""
    known = [(float(value), cycle) for value, cycle in zip(family.values, family.cycles, strict=True)]
    stable = family.stable.astype(float)
    points = np.array([_place(value, cycle) for value, cycle in known])
    scale = np.maximum(np.ptp(points, axis=0), 1e-300)
    for change in reversed(family.changes) if len(known) > 1 else ():
        here = _place(change.value, change.cycle)
        away = np.linalg.norm((points - here) / scale, axis=1)
        # The neighbours between which it is no detour.
        k = int(np.argmin(away[:-1] + away[1:] - np.linalg.norm(np.diff(points / scale, axis=0), axis=1)))
        known.insert(k + 1, (change.value, change.cycle))
        points = np.insert(points, k + 1, here, axis=0)
        stable = np.insert(stable, k + 1, stable[k] if stable[k] == stable[k + 1] else np.nan)
    return points[:, 0], tuple(cycle for _, cycle in known), stable


def _place(value: float, cycle: Cycle) -> Any:
    return np.array([value, *(cycle.start[name] for name in cycle.unknowns)])


@checks.door(names=checks.names, title=checks.optional(checks.text))
def plot_family(
    family: Family, names: Sequence[str] = (), path: str | Path | None = None, *, title: str | None = None
) -> Figure:
    """Quantities of a family (by default what is unknown, mean rates and the period), and the sizes of its multipliers.

    Where the stability changes is marked by its kind: fold, branch, flip or torus.
    """
    known = quantities(family.cycles)
    for name in names:
        if name not in known:
            raise UnknownNameError(f"a family has no quantity {name!r}: {suggestion(name, known)}")
    chosen = list(names) or worth_seeing(known)
    across, cycles, sure = with_changes(family)
    drawn = quantities(cycles)
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 0.8 + 1.7 * (len(chosen) + 1)))
        axes = figure.subplots(len(chosen) + 1, 1, sharex=True)
        for axis, name in zip(axes, chosen, strict=False):
            draw_parts(axis, across, drawn[name], sure, COLOURS[0])
            for change in family.changes:
                value = quantities((change.cycle,))[name][0]
                axis.plot(change.value, value, MARKS.get(change.kind, "o"), color=ALARM, markersize=5.0, zorder=4)
            axis.set_ylabel(quantity_label(family.cycles[0], name))
        _draw_sizes(axes[-1], family)
        for kind in dict.fromkeys(change.kind for change in family.changes):
            axes[0].plot([], [], MARKS.get(kind, "o"), color=ALARM, markersize=5.0, label=kind)
        legend_above(axes[0], columns=6)
        axes[-1].set_xlabel(parameter_label(family.cycles[0], family.parameter))
        figure.align_ylabels()
        name = words(family.cycles[0].system.name)
        head(figure, f"{name}, cycles along {words(family.parameter)}" if title is None else title)
        return save(figure, path)


def plot_scan(
    values: Sequence[float], found: Sequence[Sequence[Cycle]], parameter: str, path: str | Path | None = None,
    *, title: str | None = None,
) -> Figure:  # fmt: skip
    """Every cycle found for each value of a parameter as a point: full where stable, open where not."""
    cycles = [cycle for group in found for cycle in group]
    across = np.array([value for value, group in zip(values, found, strict=True) for _ in group])
    if not cycles:
        raise UnknownNameError(f"no cycle was found along {parameter!r}; scan other starting values")
    known = quantities(cycles)
    chosen, stable = worth_seeing(known), np.array([cycle.stable for cycle in cycles])
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 0.8 + 1.9 * len(chosen)))
        axes = np.atleast_1d(figure.subplots(len(chosen), 1, sharex=True))
        for axis, name in zip(axes, chosen, strict=True):
            y = np.asarray(known[name])
            axis.plot(across[stable], y[stable], "o", color=COLOURS[0], markersize=3.5, label="stable")
            look = {"color": COLOURS[1], "markerfacecolor": "none", "markersize": 3.5, "label": "unstable"}
            axis.plot(across[~stable], y[~stable], "o", **look)
            axis.set_ylabel(quantity_label(cycles[0], name))
        legend_above(axes[0])
        axes[-1].set_xlabel(parameter_label(cycles[0], parameter))
        axes[-1].set_xlim(min(values), max(values))
        figure.align_ylabels()
        head(figure, f"{words(cycles[0].system.name)}, all cycles found" if title is None else title)
        return save(figure, path)


# -- quantities -------------------------------------------------------------------------------------------------------


def quantities(cycles: Sequence[Cycle]) -> dict[str, list[float]]:
    """What may be drawn of cycles: unknowns, the mean rate of what advances, the period."""
    first = cycles[0]
    found = {name: [cycle.start[name] for cycle in cycles] for name in first.unknowns}
    found |= {f"mean rate of {name}": [cycle.rates[name] for cycle in cycles] for name in first.displacement}
    return found | {"period": [cycle.period for cycle in cycles]}


def worth_seeing(known: Mapping[str, Sequence[float]]) -> list[str]:
    """The first few that change; the first one if none does."""
    moving = [name for name, values in known.items() if np.ptp(values) > STILL * (1.0 + float(np.abs(values).max()))]
    return (moving or list(known))[:MOST_PANELS]


def quantity_label(cycle: Cycle, name: str) -> str:
    """A quantity with its unit."""
    layout = cycle.system.layout
    units = {symbol.name: symbol.unit for symbol in (*layout.coordinates, *layout.velocities)}
    of = name.removeprefix("mean rate of ")
    unit = "s" if name == "period" else unit_text(units.get(of, ""))
    unit = f"{unit}/s" if of != name and unit else unit
    return f"{words(name)}\n({unit})" if unit else words(name)


def parameter_label(cycle: Cycle, name: str) -> str:
    """A parameter with its meaning and unit."""
    parameter = next(p for p in cycle.system.parameters.parameters if p.name == name)
    unit = f" ({unit_text(parameter.unit)})" if unit_text(parameter.unit) else ""
    return f"{parameter.description or words(name)}{unit}"


def _draw_sizes(axis: Any, family: Family) -> None:
    sizes = np.abs(np.array([cycle.multipliers for cycle in family.cycles]))
    for k in range(sizes.shape[1]):
        axis.plot(family.values, sizes[:, k], color=COLOURS[k % len(COLOURS)], linewidth=1.1)
    axis.axhline(1.0, color=QUIET, linewidth=0.9, linestyle=(0, (4, 2)))
    for change in family.changes:
        axis.plot(change.value, 1.0, MARKS.get(change.kind, "o"), color=ALARM, markersize=5.0, zorder=4)
    axis.set_ylabel("sizes of\nmultipliers")
    axis.set_ylim(bottom=0.0, top=min(float(np.nanmax(sizes, initial=1.0)) * 1.05 + 0.05, 4.0))
