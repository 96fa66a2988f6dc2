"""What kind of formula a law is: a straight line, one held between limits, a polynomial. On numbers, with a proof by trial."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from locomotor.model import Expression
from locomotor.model.expressions import Call, Name, Number, as_expression
from locomotor.typing import Floats

TRIALS = 12
TOLERANCE = 1e-11


def value_of(law: Expression, names: Mapping[str, float]) -> float:
    """A formula on numbers; nan where it has no value."""
    try:
        with np.errstate(all="ignore"):
            return float(law.evaluate(dict(names)))
    except (ArithmeticError, ValueError):
        return math.nan


def straight_line(law: Expression, names: list[str], values: Mapping[str, float]) -> tuple[float, Floats] | None:
    """Constant and coefficients of a law that is affine in some names, or None where it is not, or speaks of others."""
    if not law.names <= {*names, *values}:
        return None
    rng = np.random.default_rng(0)

    def at(point: Floats) -> float:
        return value_of(law, {**values, **dict(zip(names, point, strict=True))})

    constant = at(np.zeros(len(names)))
    slopes = np.array([at(unit) - constant for unit in np.eye(len(names))])
    for _ in range(TRIALS):
        point = rng.uniform(-10.0, 10.0, len(names))
        size = 1.0 + abs(constant) + float(np.abs(slopes) @ np.abs(point))
        if not abs(at(point) - constant - slopes @ point) <= TOLERANCE * size:
            return None
    return constant, slopes


def polynomial(law: Expression, name: str, degree: int, values: Mapping[str, float]) -> Floats | None:
    """Coefficients of a law that is a polynomial of one name, or None."""
    if not law.names <= {name, *values}:
        return None
    found = []
    rate, factor = law, 1.0
    for k in range(degree + 1):
        found.append(value_of(rate, {**values, name: 0.0}) / factor)
        rate, factor = rate.derivative(name), factor * (k + 1)
    coefficients = np.array(found)
    for x in np.random.default_rng(0).uniform(-3.0, 3.0, TRIALS):
        powers = x ** np.arange(degree + 1)
        size = 1.0 + float(np.abs(coefficients) @ np.abs(powers))
        if not abs(value_of(law, {**values, name: x}) - coefficients @ powers) <= TOLERANCE * size:
            return None
    return coefficients


def unclamped(law: Expression) -> tuple[Expression, tuple[float, float] | None]:
    """A law min(max(x, low), high) as x and its limits, in whatever order it is written; any other as it is, with None."""
    outer = _one_side(law)
    inner = _one_side(outer[1]) if outer is not None else None
    if outer is None or inner is None or outer[0] == inner[0]:
        return law, None
    bounds = {outer[0]: outer[2], inner[0]: inner[2]}
    # Where the lower bound is above the upper one the order says which of them holds.
    return (law, None) if bounds["max"] > bounds["min"] else (inner[1], (bounds["max"], bounds["min"]))


def _one_side(law: Expression) -> tuple[str, Expression, float] | None:
    """A law min(x, bound) or max(x, bound) as its function, x and bound."""
    if isinstance(law, Call) and law.function in ("min", "max"):
        for x, bound in (law.arguments, law.arguments[::-1]):
            value = number(bound)
            if value is not None:
                return law.function, x, value
    return None


def number(term: Expression) -> float | None:
    """The number that a formula is, or None."""
    if isinstance(term, Number):
        return term.value
    if isinstance(term, Call) and term.function == "neg" and isinstance(term.arguments[0], Number):
        return -term.arguments[0].value
    return None


def free_inputs(law: Expression, inputs: set[str]) -> tuple[Expression, dict[str, tuple[float, float]]]:
    """The law with every input that is held between limits put in plainly, and those limits by input."""
    found: dict[str, tuple[float, float]] = {}

    def visit(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        made = Call(node.function, parts) if isinstance(node, Call) else node
        inside, limits = unclamped(made)
        if limits is not None and isinstance(inside, Name) and inside.name in inputs:
            found[inside.name] = limits
            return inside
        return made

    return as_expression(law).fold(visit), found
