"""Instants at which a law of time may break, found in the formula itself.

A formula is smooth except where a condition in it changes: the argument of `abs` and `sign`, the difference of what `min`,
`max` and `less` compare, a denominator, the base of a root. These are followed on a grid, inner ones first, and each break
found refines the grid for the outer ones, so that no kink is too narrow once its centre is known.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from locomotor.model import Expression
from locomotor.model.expressions import Call, Number, apply
from locomotor.typing import Flags, Vector

GRID, FINEST = 4096, 400_000
"""Places at which conditions are looked at, at least and at most."""
BISECTIONS = 60
FLAT = 1e-12
"""A condition this small at several places in a row is zero there, and does not change: round-off has no breaks."""
MOST = 500
"""Breaks found for one condition of an imposed motion; a motion that breaks more often is refused for one of the first."""


def breaks(law: Expression, name: str, values: Mapping[str, float], start: float, end: float) -> Vector:
    """Instants between start and end, both included, at which a condition within the law changes, in order."""
    return roots_of(conditions_of(law, name), name, values, start, end, most=MOST)


def roots_of(
    conditions: Sequence[Expression],
    name: str,
    values: Mapping[str, float],
    start: float,
    end: float,
    *,
    spacing: float = 0.0,
    most: int = FINEST,
) -> Vector:
    """Where conditions change sign between start and end, both included, in order.

    The grid is at least as fine as `spacing`. Between two places of the same sign there may be two roots, around an extremum:
    there the derivative is followed to its zero, and the condition looked at.
    """
    wanted = (end - start) / spacing if spacing > 0.0 else 0.0
    grid = np.linspace(start, end, int(min(max(GRID, np.ceil(wanted)), FINEST)) + 1)
    found = np.zeros(0)
    for condition in conditions:
        roots = _roots(condition, name, values, grid, most)
        found = np.union1d(found, roots)
        around = np.concatenate([roots, *(roots + side * apart(roots) for side in (-1.0, 1.0))])
        grid = np.union1d(grid, around[(around >= start) & (around <= end)])
    return found


def apart(times: Vector) -> Vector:
    """How far to the side of an instant a law is looked at."""
    return np.asarray(1e-9 * np.maximum(1.0, np.abs(times)))


def values_of(law: Expression, name: str, values: Mapping[str, float], times: Vector) -> Vector:
    """The law at many instants, without warnings."""
    with np.errstate(all="ignore"):
        found = law.evaluate({**values, name: times})
    return np.broadcast_to(np.asarray(found, dtype=float), times.shape)


def conditions_of(law: Expression, name: str) -> list[Expression]:
    """What must change sign for the law to break, inner conditions first."""
    found: dict[Expression, None] = {}

    def visit(node: Expression, _: tuple[None, ...]) -> None:
        if isinstance(node, Call) and name in node.names:
            for condition in _of(node):
                if name in condition.names:
                    found.setdefault(condition)

    law.fold(visit)
    return list(found)


def _of(node: Call) -> tuple[Expression, ...]:
    a = node.arguments
    match node.function:
        case "abs" | "sign" | "sqrt" | "log" | "atan2":
            return (a[0],)
        case "min" | "max" | "less":
            return (a[0] - a[1],)
        case "div":
            return (a[1],)
        case "tan":
            return (apply("cos", a[0]),)
        case "asin" | "acos":
            return (1.0 - a[0], 1.0 + a[0])
        case "pow":
            whole = isinstance(a[1], Number) and a[1].value.is_integer()
            return () if whole else (a[0],)
    return ()


def _roots(condition: Expression, name: str, values: Mapping[str, float], grid: Vector, most: int) -> Vector:
    at = values_of(condition, name, values, grid)
    slope = condition.derivative(name)
    if name not in slope.names:  # linear: where it is zero is known
        rate = float(values_of(slope, name, values, grid[:1])[0])
        root = grid[0] - at[0] / rate if rate else np.nan
        return np.array([root]) if grid[0] <= root <= grid[-1] else np.zeros(0)
    summits = _between(slope, name, values, grid, values_of(slope, name, values, grid), _same_sign(at) & ~_flat(at)[1])
    if len(summits):
        grid = np.union1d(grid, summits)
        at = values_of(condition, name, values, grid)
    places, between = _flat(at)
    exact = grid[(at == 0.0) & ~places]
    return np.union1d(exact, _between(condition, name, values, grid, at, ~between))[:most]


def _flat(at: Vector) -> tuple[Flags, Flags]:
    """Places, and intervals between two, that are zero with their neighbours."""
    small = np.concatenate([[True], np.abs(at) <= FLAT, [True]])
    places = small[:-2] & small[1:-1] & small[2:]
    return places, places[:-1] & places[1:]


def _same_sign(at: Vector) -> Flags:
    return np.asarray(np.sign(at[1:]) * np.sign(at[:-1]) > 0.0)


def _between(function: Expression, name: str, values: Mapping[str, float], grid: Vector, at: Vector, where: Flags) -> Vector:
    """Changes of sign between places of a grid, of those asked for, by bisection to round-off."""
    places = np.flatnonzero((np.signbit(at[1:]) != np.signbit(at[:-1])) & where)
    places = places[(at[places] != 0.0) & (at[places + 1] != 0.0) & np.isfinite(at[places] + at[places + 1])]
    low, high, sign = grid[places], grid[places + 1], np.sign(at[places])
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        before = np.sign(values_of(function, name, values, middle)) == sign
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.asarray(0.5 * (low + high))
