"""Quantities: plain numbers or expressions, alone or in vectors and matrices, and their evaluation.

Every physical number of a model is a `Quantity`. Texts are parsed, arrays become nested tuples, so that
descriptions are immutable and compare by content. `evaluate` turns a quantity, a vector or a matrix of them
into scalars and arrays of any kind (numbers, CasADi, SymPy) through `lie.ops`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from locomotor.checks import shown
from locomotor.errors import NotFiniteError, QuantityError
from locomotor.lie import ops
from locomotor.model.expressions.parsing import parse
from locomotor.model.expressions.terms import Call, Expression, Name, Number, apply, as_expression

__all__ = [
    "Call", "Expression", "MatrixLike", "Name", "Number", "Quantity", "QuantityLike", "VectorLike", "apply",
    "as_expression", "as_list", "as_matrix", "as_quantity", "as_vector", "evaluate", "expressions", "finite",
    "free_names", "is_nested", "known", "number", "parse", "show_numbers",
]  # fmt: skip

Quantity: TypeAlias = float | Expression
QuantityLike: TypeAlias = float | Expression | str
VectorLike: TypeAlias = "Sequence[QuantityLike] | np.ndarray[Any, Any]"
MatrixLike: TypeAlias = "Sequence[VectorLike] | np.ndarray[Any, Any]"


# --- reading ------------------------------------------------------------------------------------------------


def as_quantity(value: object, what: str = "value") -> Quantity:
    """A finite float, or an expression with free names.

    Texts are parsed and expressions without names evaluated; `what` names the value in the error message.
    """
    if isinstance(value, str):
        value = parse(value)
    if isinstance(value, Expression):
        if value.is_condition:
            raise QuantityError(f"{what} is the condition '{value}'; give a number or an expression")
        if value.names:
            return value
        return number(value, {}, what)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise QuantityError(f"{what} is {shown(value)}; give a number, an expression or its text")
    try:
        return finite(float(value), what)
    except OverflowError:
        raise NotFiniteError(f"{what} is {shown(value)}, too large for a number; give a smaller one") from None


def as_vector(value: object, what: str = "vector", length: int = 3) -> tuple[Quantity, ...]:
    """A tuple of `length` quantities from a list, tuple or array."""
    entries = as_list(value)
    if entries is None or len(entries) != length:
        raise QuantityError(f"{what} is {shown(value)}; give {length} numbers or expressions")
    return tuple(as_quantity(entry, f"{what}, entry {i}") for i, entry in enumerate(entries))


def as_matrix(value: object, what: str = "matrix", size: int = 3) -> tuple[tuple[Quantity, ...], ...]:
    """A square tuple of tuples of quantities from nested lists, tuples or an array."""
    rows = as_list(value)
    if rows is None or len(rows) != size:
        raise QuantityError(f"{what} is {shown(value)}; give {size} rows of {size} numbers or expressions")
    return tuple(as_vector(row, f"{what}, row {i}", size) for i, row in enumerate(rows))


def is_nested(value: object) -> bool:
    """Whether `value` is a sequence of sequences: a matrix rather than a vector."""
    entries = as_list(value)
    return bool(entries) and as_list(entries[0]) is not None  # type: ignore[index]


def as_list(value: object) -> list[Any] | None:
    """The entries of a list, tuple or array; None for a scalar or a text."""
    if isinstance(value, np.ndarray):
        return list(value) if value.ndim else None
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else None


def finite(value: float, what: str, origin: str = "") -> float:
    """`value` if it is finite; else `NotFiniteError`."""
    if math.isfinite(value):
        return value
    raise NotFiniteError(f"{what} is {value!r}{origin}; give a finite number")


# --- evaluating ---------------------------------------------------------------------------------------------


def evaluate(value: Any, values: Mapping[str, Any]) -> Any:
    """The scalar, vector (`ops.vector`) or matrix (`ops.matrix`) of a quantity or nested tuple of quantities.

    `values` maps names to scalars of any kind; whatever holds no expression comes out as plain floats.
    """
    if not isinstance(value, tuple):
        return _scalar(value, values)
    if value and isinstance(value[0], tuple):
        return ops.matrix([[_scalar(entry, values) for entry in row] for row in value])
    return ops.vector(*(_scalar(entry, values) for entry in value))


def number(value: Quantity, values: Mapping[str, float], what: str) -> float:
    """The finite number of a quantity; `what` names it in the error."""
    if not isinstance(value, Expression):
        return finite(float(value), what)
    try:
        with np.errstate(all="ignore"):  # what numpy would warn of becomes the error below
            result = float(value.evaluate(values))
    except NotFiniteError as error:
        raise NotFiniteError(f"{what}: {error}; give a finite number") from None
    except (TypeError, OverflowError):
        raise QuantityError(f"{what}: '{value}' is no real number; give real numbers") from None
    return result if math.isfinite(result) else finite(result, what, f" (from '{value}')")


def _scalar(value: Any, values: Mapping[str, Any]) -> Any:
    return value.evaluate(values) if isinstance(value, Expression) else float(value)


def expressions(value: object) -> Iterator[Expression]:
    """Every expression within a quantity or nested tuple."""
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, tuple):
        for entry in value:
            yield from expressions(entry)


def free_names(value: object) -> frozenset[str]:
    """The names that a quantity or nested tuple of quantities depends on."""
    return frozenset().union(*(expression.names for expression in expressions(value)))


def known(value: Any, values: Mapping[str, float]) -> Any:
    """Like `evaluate` with floats, or None while some name has no value yet."""
    return evaluate(value, values) if free_names(value) <= values.keys() else None


def show_numbers(numbers: Iterable[float]) -> str:
    """Numbers as a tuple with enough digits to be copied back into a model."""
    return "(" + ", ".join(repr(float(number)) for number in numbers) + ")"
