"""Instants at which a law of time may break, found in the formula itself.

A formula is smooth except where a condition in it changes: the argument of `abs` and `sign`, the difference of what `min`,
`max` and `less` compare, a denominator, the base of a root. These are followed on a grid, inner ones first, and each break
found refines the grid for the outer ones, so that no kink is too narrow once its centre is known.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from locomotor.model import Expression
from locomotor.model.expression import Call, Number, apply

Vector = NDArray[np.float64]

GRID = 4096
BISECTIONS = 60
MOST = 500
"""Breaks found for one condition; a law that breaks more often is refused for one of the first."""


def breaks(law: Expression, name: str, values: Mapping[str, float], start: float, end: float) -> Vector:
    """Instants between start and end, both included, at which a condition within the law changes, in order."""
    grid = np.linspace(start, end, GRID + 1)
    found = np.zeros(0)
    for condition in _conditions(law, name):
        roots = _roots(condition, name, values, grid)
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


def _conditions(law: Expression, name: str) -> list[Expression]:
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


def _roots(condition: Expression, name: str, values: Mapping[str, float], grid: Vector) -> Vector:
    at = values_of(condition, name, values, grid)
    exact = grid[at == 0.0][:MOST]
    places = np.flatnonzero(np.signbit(at[1:]) != np.signbit(at[:-1]))
    places = places[(at[places] != 0.0) & (at[places + 1] != 0.0) & np.isfinite(at[places] + at[places + 1])][:MOST]
    low, high, sign = grid[places], grid[places + 1], np.sign(at[places])
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        before = np.sign(values_of(condition, name, values, middle)) == sign
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.union1d(exact, 0.5 * (low + high))
