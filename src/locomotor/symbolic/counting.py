"""How many operations a reader of an expression would carry out: one for every sign between numbers and every function.

Signs of single terms are free, as they are on a tape; so is every sine or cosine after the first of the same angle.
"""

from collections.abc import Iterable
from typing import Any


def operations(expressions: Iterable[Any]) -> int:
    """Operations of some expressions together, each function of the same argument counted once."""
    return counted(expressions, set())


def counted(expressions: Iterable[Any], seen: set[Any]) -> int:
    """Operations of further expressions, where the functions in `seen` were counted before."""
    return sum(_count(expression, seen) for expression in expressions)


def _count(expression: Any, seen: set[Any]) -> int:
    if not expression.args:
        return 0
    if expression.is_Function:
        if expression in seen:
            return 0
        seen.add(expression)
        return 1 + sum(_count(argument, seen) for argument in expression.args)
    inner = sum(_count(argument, seen) for argument in expression.args)
    if expression.is_Add:
        return inner + len(expression.args) - 1
    if expression.is_Mul:
        return inner + _factors(expression) - 1
    if expression.is_Pow:
        return _count(expression.base, seen) + _power(expression.exp)
    return inner + 1


def _factors(expression: Any) -> int:
    """Factors of a product: a fraction p/q counts by the parts that are printed, a sign not at all."""
    number = expression.args[0]
    if not number.is_Rational:
        return len(expression.args)
    printed = (abs(number.p) != 1) + (number.q != 1)
    return max(1, len(expression.args) - 1 + printed)


def _power(exponent: Any) -> int:
    if exponent.is_Integer:
        return max(abs(int(exponent)) - 1, 0)
    if exponent.is_Rational and exponent.q == 2:  # a root, and its powers
        return abs(int(exponent.p))
    return 1
