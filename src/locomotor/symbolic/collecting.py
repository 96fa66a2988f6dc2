"""Any SymPy expression of sums, products, quotients, powers, sines and cosines in normal form, written short."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import Any

from locomotor.symbolic.counting import operations
from locomotor.symbolic.factoring import Writer
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.normal_form import Form, TooLongError, Workshop


def collected(expression: Any) -> Any:
    """The expression with products of sines collected and common factors taken out, where that is shorter."""
    found = [expression]
    for collects in (True, False):
        try:
            found.append(_Reader(collects).written(expression))
        except TooLongError:
            continue
    return min(reversed(found), key=lambda way: operations([way]))


def is_zero(expression: Any) -> bool:
    """Whether the normal form of an expression is zero: decides it for polynomials in symbols, sines and cosines."""
    return bool(_Reader(True).written(expression) == 0)


class _Reader:
    def __init__(self, collects: bool) -> None:
        self._sp = sympy_library()
        self._collects = collects
        self._workshop = Workshop()
        self._generators: list[Any] = []
        self._places: dict[Any, int] = {}
        self._writer = Writer(self._workshop, self._generators)

    def written(self, expression: Any) -> Any:
        return self._writer.written(self._form(self._sp.sympify(expression)))

    def _form(self, thing: Any) -> Form:
        shop = self._workshop
        if thing.is_Rational:
            return shop.number(Fraction(int(thing.p), int(thing.q)))
        if thing.is_Float:
            return shop.number(Fraction(repr(float(thing))))
        if thing.is_Add:
            return reduce(shop.add, self._forms(thing.args))
        if thing.is_Mul:
            return reduce(shop.multiply, self._forms(thing.args))
        if thing.is_Pow and thing.exp.is_Integer:
            base = self._form(thing.base)
            power = reduce(shop.multiply, [base] * abs(int(thing.exp)))
            return power if thing.exp > 0 else shop.divide(shop.number(Fraction(1)), power)
        if self._collects and thing.func in (self._sp.sin, self._sp.cos):
            turned = shop.turned(self._form(thing.args[0]), thing.func is self._sp.sin)
            if turned is not None:
                return turned
        if thing not in self._places:
            self._places[thing] = len(self._generators)
            self._generators.append(thing)
        return shop.generator(self._places[thing])

    def _forms(self, things: Iterable[Any]) -> list[Form]:
        return [self._form(thing) for thing in things]
