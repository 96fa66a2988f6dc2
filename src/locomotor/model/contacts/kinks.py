"""Kinks of a height z = h(x, y): places where its slope jumps, on which no ball rolls as on a surface that bends.

Formulas decide by the sign of something: of u in abs(u), of a - b in min(a, b) and in conditions a < b. Along lines across the
surface, wherever that sign changes, slopes on both sides are compared.
"""

from collections.abc import Mapping

import numpy as np

from locomotor.errors import NotFiniteError
from locomotor.model.expressions import Call, Expression, known
from locomotor.typing import Floats

LINES = 7
"""Lines across the surface in each direction; those of an odd number go through its origin."""
POINTS = 101
BESIDE = 1e-7
"""Share of the extent between two sides of a place."""
JUMP = 1e-4
"""Difference of two slopes, relative to them and at least to 1, that is no bend between the two sides."""


def kink(law: Expression, values: Mapping[str, float], extent: float) -> tuple[float, float] | None:
    """A place within the extent at which the slope of a height jumps; None where none is found, or parameters are not known."""
    slopes = law.derivative("x"), law.derivative("y")
    deciders = _deciders(law)
    if known(law, {**values, "x": 0.0, "y": 0.0}) is None:
        return None
    if not np.isfinite(_at(slopes, 0.0, 0.0, 0, values)).all():
        return 0.0, 0.0  # the tip of a cone
    along = np.linspace(-extent, extent, POINTS) + 1e-3 * extent / POINTS  # beside the origin, where formulas often change
    for across in np.linspace(-extent, extent, LINES):
        for direction in (0, 1):
            for decider in deciders:
                for low, high in _changes(decider, along, across, direction, values):
                    first, second = (_at(slopes, place, across, direction, values) for place in (low, high))
                    if not np.abs(first - second).max() <= JUMP * max(1.0, float(np.abs(first).max())):
                        return (low, float(across)) if direction == 0 else (float(across), low)
    return None


def _deciders(law: Expression) -> list[Expression]:
    """What a formula looks at the sign of, where the place enters."""
    found: list[Expression] = []

    def visit(node: Expression, _: tuple[None, ...]) -> None:
        if isinstance(node, Call) and {"x", "y"} & node.names:
            if node.function in ("abs", "sign"):
                found.append(node.arguments[0])
            elif node.function in ("min", "max", "less"):
                found.append(node.arguments[0] - node.arguments[1])

    law.fold(visit)
    return found


def _changes(
    decider: Expression, along: Floats, across: float, direction: int, values: Mapping[str, float]
) -> list[tuple[float, float]]:
    """Pairs of places along a line, close to each other, between which a sign changes."""

    def sign(place: float) -> bool:
        return bool(_at((decider,), place, across, direction, values)[0] > 0.0)

    signs = [sign(place) for place in along]
    found = []
    for k in range(len(along) - 1):
        if signs[k] == signs[k + 1]:
            continue
        low, high = float(along[k]), float(along[k + 1])
        while high - low > BESIDE * (along[-1] - along[0]):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if sign(middle) == signs[k] else (low, middle)
        found.append((low, high))
    return found


def _at(laws: tuple[Expression, ...], place: float, across: float, direction: int, values: Mapping[str, float]) -> Floats:
    x, y = (place, float(across)) if direction == 0 else (float(across), place)
    found = []
    for law in laws:
        try:
            with np.errstate(all="ignore"):
                found.append(float(law.evaluate({**values, "x": x, "y": y})))
        except NotFiniteError:
            found.append(np.nan)
    return np.array(found)
