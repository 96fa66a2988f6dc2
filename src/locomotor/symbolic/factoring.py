"""From normal forms to expressions as one would write them: common factors in front, the most frequent ones taken out first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import gcd
from typing import Any

from locomotor.symbolic.counting import operations
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.normal_form import Angle, Form, Terms, Workshop

Factors = dict[Any, int]


class Writer:
    """Writes forms as SymPy expressions; `generators` are the symbols and atoms by number."""

    def __init__(self, workshop: Workshop, generators: Sequence[Any]) -> None:
        self._sp = sympy_library()
        self._workshop = workshop
        self._generators = generators
        self._turns: dict[tuple[bool, Angle], Any] = {}
        self._titles: dict[Any, str] = {}

    def written(self, form: Form) -> Any:
        """The form as an expression: under one fraction bar, or as a sum of fractions where that is shorter."""
        ways = [self._under_one_bar(form)]
        pieces = self._workshop.apart(form)
        if len(pieces) > 1:
            ways.append(self._sp.Add(*(self._under_one_bar(piece) for piece in pieces)))
        if not form.below and _divides_some(form.top):
            ways.append(self._sum(form.top, together=False))
        return min(ways, key=lambda way: operations([way]))

    def _under_one_bar(self, form: Form) -> Any:
        sp = self._sp
        top = self._sum(form.top)
        if not form.below:
            return top
        bottom = [sp.Pow(self._sum(self._workshop.bottoms[key]), power) for key, power in form.below.items()]
        if top.is_Mul:  # one fraction bar under everything
            return sp.Mul(*top.args, *(1 / factor for factor in bottom))
        return sp.Mul(top, *(1 / factor for factor in bottom))

    def _sum(self, terms: Terms, together: bool = True) -> Any:
        split = [(value, self._factors(monomial, sine, angle)) for (monomial, sine, angle), value in terms.items()]
        return self._nested(split, together)

    def _factors(self, monomial: tuple[tuple[int, int], ...], sine: bool, angle: Angle) -> Factors:
        found: Factors = {self._generators[g]: power for g, power in monomial}
        if angle:
            found[self._turned(sine, angle)] = 1
        return found

    def _turned(self, sine: bool, angle: Angle) -> Any:
        if (sine, angle) not in self._turns:
            sp = self._sp
            total = sp.Add(*(self._number(factor) * self._generators[g] for g, factor in angle))
            self._turns[sine, angle] = (sp.sin if sine else sp.cos)(total)
        return self._turns[sine, angle]

    def _title(self, factor: Any) -> str:
        """The text of a factor, made once: it breaks ties, so that the same system is written the same way every time."""
        if factor not in self._titles:
            self._titles[factor] = str(factor)
        return self._titles[factor]

    def _number(self, value: Fraction) -> Any:
        """Simple fractions stay fractions, others become decimals again."""
        return exact(self._sp, value)

    def _nested(self, terms: list[tuple[Fraction, Factors]], together: bool = True) -> Any:
        """A sum with what is shared in front, and so on inside; `together`: what divides any of its terms is below all."""
        sp = self._sp
        if not terms:
            return sp.Integer(0)
        if len(terms) == 1:
            return self._product(terms[0][0], terms[0][1])
        shared = _shared(terms, self._title, together)
        scale = _scale([value for value, _ in terms])
        if not shared and abs(scale) != 1 and len({abs(value) for value, _ in terms}) > 1:
            scale = Fraction(1)  # a number in front of a bracket would be multiplied in again
        if shared or scale != 1:
            inner = [(value / scale, _without(factors, shared)) for value, factors in terms]
            return self._product(scale, shared, self._nested(inner, together))
        counts: Counter[Any] = Counter(f for _, factors in terms for f, power in factors.items() if power > 0)
        best = max(counts, key=lambda f: (counts[f], not f.is_Function, _reversed(self._title(f))), default=None)
        if best is None or counts[best] < 2:
            return sp.Add(*(self._product(value, factors) for value, factors in terms))
        inside = [(value, factors) for value, factors in terms if factors.get(best, 0) > 0]
        outside = [(value, factors) for value, factors in terms if factors.get(best, 0) <= 0]
        return sp.Add(self._nested(inside, together), self._nested(outside, together))

    def _product(self, value: Fraction, factors: Mapping[Any, int], *others: Any) -> Any:
        sp = self._sp
        powers = [sp.Pow(factor, power) for factor, power in factors.items()]
        number = self._number(value)
        if not powers and len(others) == 1 and others[0].is_Add:
            # SymPy would multiply a lone number into the bracket.
            return -others[0] if number == -1 else sp.Mul(number, others[0], evaluate=False) if number != 1 else others[0]
        return sp.Mul(number, *powers, *others)


def exact(sp: Any, value: Fraction) -> Any:
    """A number as a fraction where that is short, as a fraction of pi where it is one, as a decimal otherwise."""
    if value.denominator <= 64 and abs(value.numerator) < 10**6:
        return sp.Rational(value.numerator, value.denominator)
    turns = Fraction(float(value) / math.pi).limit_denominator(LONGEST_TURN)
    if 0 < abs(turns.numerator) <= LONGEST_TURN and abs(float(turns) * math.pi - float(value)) <= ROUNDED * abs(float(value)):
        return sp.Rational(turns.numerator, turns.denominator) * sp.pi
    return sp.Float(float(value))


LONGEST_TURN = 36
"""Largest numerator and denominator of fractions of pi that are recognised: steps of five degrees."""
ROUNDED = 4e-16
"""Relative difference of two roundings of one number."""


def with_exact_numbers(sp: Any, expression: Any) -> Any:
    """An expression whose decimals are short fractions, or fractions of pi, where they are that."""
    given = expression.atoms(sp.Float)
    return expression.xreplace({number: exact(sp, Fraction(repr(float(number)))) for number in given})


def _divides_some(terms: Terms) -> bool:
    """Whether some terms are divided by what others are not."""
    below = [{g: power for g, power in monomial if power < 0} for monomial, _, _ in terms]
    return any(each != below[0] for each in below)


def _shared(terms: list[tuple[Fraction, Factors]], title: Callable[[Any], str], together: bool) -> Factors:
    """Factors that all terms have; `together`: and denominators that any has."""
    everything = {f for _, factors in terms for f in factors}
    powers = {f: [factors.get(f, 0) for _, factors in terms] for f in everything}
    least = {f: min(found) if together or min(found) > 0 else min(max(found), 0) for f, found in powers.items()}
    return dict(sorted(((f, power) for f, power in least.items() if power), key=lambda item: title(item[0])))


def _without(factors: Factors, shared: Factors) -> Factors:
    left = {f: power - shared.get(f, 0) for f, power in factors.items()}
    left.update({f: -power for f, power in shared.items() if f not in factors})
    return {f: power for f, power in left.items() if power}


def _scale(values: list[Fraction]) -> Fraction:
    """A number that all have in common, with their sign where they share it."""
    size = Fraction(reduce(gcd, (abs(v.numerator) for v in values)), reduce(_multiple, (v.denominator for v in values)))
    if size.denominator > 64 or size.numerator > 10**6:
        size = Fraction(1)
    return -size if all(value < 0 for value in values) else size


def _multiple(a: int, b: int) -> int:
    return a * b // gcd(a, b)


def _reversed(name: str) -> tuple[int, ...]:
    return tuple(-ord(letter) for letter in name)
