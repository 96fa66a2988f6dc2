"""Ends: expressions of channels that must stay positive; where one becomes negative the motion is over, as by a fall."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from locomotor import checks
from locomotor.errors import DuplicateNameError, ExpressionError, InvalidNameError, QuantityError
from locomotor.model.expressions import Expression, as_quantity

Ends: TypeAlias = "tuple[tuple[str, Expression], ...]"
EndsLike: TypeAlias = "Mapping[str, str | Expression] | Iterable[tuple[str, str | Expression]]"
EXAMPLE = 'such as {"fallen": "1.2 - abs(roll)"}'


def read_ends(given: EndsLike) -> Ends:
    """Ends in order, from a mapping or pairs of name and expression."""
    remedy = f"give expressions by name, {EXAMPLE}"
    listed = given.items() if isinstance(given, Mapping) else given
    pairs = [
        checks.entries(pair, "an entry of ends", remedy, QuantityError)
        for pair in checks.entries(listed, "ends", remedy, QuantityError)
    ]
    if any(len(pair) != 2 for pair in pairs):
        raise QuantityError(f"ends is {checks.shown(given)}; {remedy}")
    found: dict[str, Expression] = {}
    for name, law in pairs:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InvalidNameError(f"ends: the name {checks.shown(name)} is no line of text; say how it ends, {EXAMPLE}")
        if name in found:
            raise DuplicateNameError(f"ends gives {name!r} twice; keep one")
        try:
            expression = as_quantity(law, f"end {name!r}")
        except (ExpressionError, QuantityError) as error:
            raise type(error)(f"end {name!r} must be positive as long as the run goes on, {EXAMPLE}: {error}") from None
        if not isinstance(expression, Expression):
            raise QuantityError(f"end {name!r} is always {expression!r}; give an expression of channels, {EXAMPLE}")
        found[name] = expression
    return tuple(found.items())
