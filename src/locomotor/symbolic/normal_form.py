"""A normal form for expressions of mechanics: sums of monomials times a sine or cosine of a sum of angles, over such sums.

Products of sines and cosines become sines and cosines of sums, so that everything that cancels does (sin^2 + cos^2 is 1 by
itself), and two expressions that are equal look the same. Everything that has no place in it (a root, an arctangent) is an
atom. Numbers are exact fractions: nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import field
from fractions import Fraction
from typing import TypeAlias

from locomotor.dataclass import dataclass

Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""(generator, exponent), ordered by generator; exponents may be negative."""
Angle: TypeAlias = tuple[tuple[int, Fraction], ...]
"""(generator, factor): a sum of angles, its first factor positive; () is the angle zero."""
Term: TypeAlias = tuple[Monomial, bool, Angle]
"""A monomial times the sine (True) or cosine (False) of an angle."""
Terms: TypeAlias = dict[Term, Fraction]

ONE: Term = ((), False, ())
HALF = Fraction(1, 2)
NOTHING = (Fraction(0), Fraction(0))
LONGEST = 160
"""Terms of a sum beyond which no normal form is made: the tape is shorter."""
EFFORT = 30_000
"""Products of terms that one workshop makes for one expression before it gives up."""


class TooLongError(Exception):
    """The normal form would be longer than anyone wants to read."""


@dataclass(eq=False)
class Form:
    """numerator / product of the denominators, each a sum that is no monomial, by number in the workshop."""

    top: Terms
    below: dict[int, int] = field(default_factory=dict)

    def is_plain(self) -> bool:
        """Whether nothing is divided by but monomials."""
        return not self.below


class Workshop:
    """Sums, products, quotients, sines and cosines of forms; keeps what stands below fraction bars.

    `units` are generators (w, x, y, z) of unit quaternions: w^2 is written as 1 - x^2 - y^2 - z^2 wherever it appears, so that
    rotations multiplied by their transposes are one.
    """

    def __init__(self, units: Sequence[tuple[int, ...]] = ()) -> None:
        self._units = {unit[0]: unit[1:] for unit in units}
        self.bottoms: list[Terms] = []
        self._numbers: dict[Hashable, int] = {}
        self.effort = EFFORT

    # --- leaves ------------------------------------------------------------------------------------------------------

    def number(self, value: Fraction) -> Form:
        """A number."""
        return Form({ONE: value} if value else {})

    def generator(self, index: int) -> Form:
        """A symbol or an atom."""
        return Form({(((index, 1),), False, ()): Fraction(1)})

    # --- arithmetic --------------------------------------------------------------------------------------------------

    def add(self, a: Form, b: Form, sign: int = 1) -> Form:
        """a + b, or a - b."""
        below = {key: max(a.below.get(key, 0), b.below.get(key, 0)) for key in {*a.below, *b.below}}
        top = dict(self._raised(a, below))
        for term, value in self._raised(b, below).items():
            _gather(top, term, sign * value)
        return self._cancelled(top, below)

    def multiply(self, a: Form, b: Form) -> Form:
        """A product."""
        below = dict(a.below)
        for key, power in b.below.items():
            below[key] = below.get(key, 0) + power
        self.effort -= len(a.top) * len(b.top)
        if self.effort < 0:
            raise TooLongError("too many products of terms")
        return self._cancelled(self._product(a.top, b.top), below)

    def divide(self, a: Form, b: Form) -> Form:
        """A quotient."""
        if not b.top:
            raise TooLongError("a division by zero has no form")
        content, monomial, rest = _content(b.top)
        inverse = tuple((g, -power) for g, power in monomial)
        turned = Form(self._product(a.top, {(inverse, False, ()): 1 / content}), dict(a.below))
        for key, power in b.below.items():
            for _ in range(power):
                turned = self.multiply(turned, Form(self.bottoms[key]))
        if rest == {ONE: Fraction(1)}:
            return turned
        key = self._number_of(rest)
        below = dict(turned.below)
        below[key] = below.get(key, 0) + 1
        return self._cancelled(turned.top, below)

    def turned(self, a: Form, sine: bool) -> Form | None:
        """The sine or cosine of a form that is a sum of symbols with rational factors; None of any other."""
        if not a.is_plain():
            return None
        angle: list[tuple[int, Fraction]] = []
        for (monomial, _, inner), value in a.top.items():
            if inner or len(monomial) != 1 or monomial[0][1] != 1:
                return None
            angle.append((monomial[0][0], value))
        key, sign = _signed(tuple(sorted(angle)))
        if not key:
            return self.number(Fraction(0 if sine else 1))
        return Form({((), sine, key): Fraction(sign if sine else 1)})

    def apart(self, form: Form) -> list[Form]:
        """The form as a sum over smaller denominators, as far as terms with the same monomial have factors of them.

        One form, the whole, where none does: a/b + c/d is then shorter under one bar.
        """
        if not form.below:
            return [form]
        groups: dict[Monomial, Terms] = {}
        for term, value in form.top.items():
            groups.setdefault(term[0], {})[term] = value
        if len(groups) < 2:
            return [form]
        over: dict[tuple[tuple[int, int], ...], Terms] = {}
        for terms in groups.values():
            piece = self._cancelled(terms, form.below)
            together = over.setdefault(tuple(sorted(piece.below.items())), {})
            for term, value in piece.top.items():
                _gather(together, term, value)
        return [Form(terms, dict(below)) for below, terms in over.items() if terms]

    # --- internals ---------------------------------------------------------------------------------------------------

    def _raised(self, form: Form, below: dict[int, int]) -> Terms:
        """The numerator over other denominators."""
        top = form.top
        for key, power in below.items():
            for _ in range(power - form.below.get(key, 0)):
                top = self._product(top, self.bottoms[key])
        return top

    def _product(self, a: Terms, b: Terms) -> Terms:
        """The product of two sums, squares of the first parts of unit quaternions replaced."""
        given = product(a, b)
        if not self._units:
            return given
        found: Terms = {}
        waiting = list(given.items())
        while waiting:
            (monomial, sine, angle), value = waiting.pop()
            first = next((g for g, power in monomial if power >= 2 and g in self._units), None)
            if first is None:
                _gather(found, (monomial, sine, angle), value)
                continue
            less = _times(monomial, ((first, -2),))
            waiting.append(((less, sine, angle), value))
            waiting += [((_times(less, ((other, 2),)), sine, angle), -value) for other in self._units[first]]
        if len(found) > LONGEST:
            raise TooLongError(f"{len(found)} terms")
        return found

    def _number_of(self, rest: Terms) -> int:
        key = frozenset(rest.items())
        if key not in self._numbers:
            self._numbers[key] = len(self.bottoms)
            self.bottoms.append(rest)
        return self._numbers[key]

    def _cancelled(self, top: Terms, below: dict[int, int]) -> Form:
        """Without denominators that the numerator has as a factor, as far as that is seen at once."""
        left = {key: power for key, power in below.items() if power}
        if not top:
            return Form({})
        for key in list(left):
            while left.get(key):
                found = quotient(top, self.bottoms[key])
                if found is None:
                    break
                top, left[key] = found, left[key] - 1
            if not left[key]:
                del left[key]
        return Form(top, left)


def product(a: Terms, b: Terms) -> Terms:
    """The product of two sums."""
    if len(a) * len(b) > 4 * LONGEST:
        raise TooLongError(f"a product of {len(a)} and {len(b)} terms")
    found: Terms = {}
    for (left, sine_a, angle_a), x in a.items():
        for (right, sine_b, angle_b), y in b.items():
            monomial, value = _times(left, right), x * y
            for sine, angle, factor in _turned_product(sine_a, angle_a, sine_b, angle_b):
                _gather(found, (monomial, sine, angle), factor * value)
    if len(found) > LONGEST:
        raise TooLongError(f"{len(found)} terms")
    return found


def _gather(found: Terms, key: Term, value: Fraction) -> None:
    """One term more of a sum."""
    total = found.get(key, 0) + value
    if total:
        found[key] = total
    else:
        found.pop(key, None)


def quotient(top: Terms, bottom: Terms) -> Terms | None:
    """top / bottom where that is a sum again, as far as it is seen: by a multiple, or by a single sine or cosine."""
    if len(bottom) == 1:
        ((monomial, sine, angle),) = bottom
        return None if monomial or not angle else _by_turn(top, sine, angle)
    if len(top) == len(bottom):
        factor, monomial, rest = _content(top)
        if rest == bottom:
            return {(monomial, False, ()): factor}
    return None


Waves: TypeAlias = dict[tuple[Monomial, Angle], dict[Fraction, tuple[Fraction, Fraction]]]
"""Complex amplitudes (real, imaginary) of exp(i (rest + n angle)), by monomial and rest, then by n."""


def _by_turn(top: Terms, sine: bool, angle: Angle) -> Terms | None:
    """Quotient by cos(angle) or sin(angle), by polynomial division in z = exp(i angle): they are (z + 1/z)/2, (z - 1/z)/2i."""
    if not _vanishes(top, sine, angle):
        return None
    waves: Waves = {}
    for (monomial, is_sine, inner), value in top.items():
        half = value / 2
        for sign in (1, -1):
            amplitude = (Fraction(0), -sign * half) if is_sine else (half, Fraction(0))
            _add_wave(waves, monomial, tuple((g, sign * f) for g, f in inner), angle, amplitude)
    second = Fraction(-1 if sine else 1)
    found: dict[tuple[Monomial, Angle], tuple[Fraction, Fraction]] = {}
    for (monomial, rest), amplitudes in waves.items():
        left = {n: a for n, a in amplitudes.items() if a != NOTHING}
        while left:
            n = max(left)
            real, imaginary = left.pop(n)
            if n - 2 < min(amplitudes):
                return None
            # z^n / (z + s/z) has z^(n - 1) in front; what it takes from z^(n - 2) is s times that.
            place = _moved(rest, angle, n - 1)
            old = found.get((monomial, place), NOTHING)
            found[monomial, place] = (old[0] + real, old[1] + imaginary)
            below = left.get(n - 2, NOTHING)
            changed = (below[0] - second * real, below[1] - second * imaginary)
            if changed == NOTHING:
                left.pop(n - 2, None)
            else:
                left[n - 2] = changed
    return _real(found, sine)


def _vanishes(top: Terms, sine: bool, angle: Angle) -> bool:
    """Whether a sum is zero, on floats, at values where sin(angle) or cos(angle) is: most are not, which is seen soon."""
    (first, factor), *others = angle
    values: dict[int, float] = {}

    def value(g: int) -> float:
        return values.setdefault(g, math.sin(12.9898 * (g + 1)) * 2.0 + 0.3)

    rest = sum(float(f) * value(g) for g, f in others)
    values[first] = ((0.0 if sine else 0.5 * math.pi) - rest) / float(factor)
    total = size = 0.0
    for (monomial, is_sine, inner), number in top.items():
        phase = sum(float(f) * value(g) for g, f in inner)
        term = float(number) * (math.sin(phase) if is_sine else math.cos(phase))
        for g, power in monomial:
            term *= value(g) ** power
        total, size = total + term, size + abs(term)
    return abs(total) <= 1e-9 * size


def _add_wave(waves: Waves, monomial: Monomial, inner: Angle, angle: Angle, amplitude: tuple[Fraction, Fraction]) -> None:
    generator, factor = angle[0]
    n = Fraction(dict(inner).get(generator, 0)) / factor
    group = waves.setdefault((monomial, _moved(inner, angle, -n)), {})
    old = group.get(n, NOTHING)
    group[n] = (old[0] + amplitude[0], old[1] + amplitude[1])


def _moved(rest: Angle, angle: Angle, n: Fraction) -> Angle:
    factors = dict(rest)
    for generator, factor in angle:
        factors[generator] = factors.get(generator, Fraction(0)) + n * factor
    return tuple(sorted((g, f) for g, f in factors.items() if f))


def _real(waves: dict[tuple[Monomial, Angle], tuple[Fraction, Fraction]], sine: bool) -> Terms:
    """Terms of a real sum of waves, times two for cos = (z + 1/z)/2, times 2i for sin = (z - 1/z)/2i."""
    found: Terms = {}
    for (monomial, place), (real, imaginary) in waves.items():
        a, b = (-2 * imaginary, 2 * real) if sine else (2 * real, 2 * imaginary)
        angle, sign = _signed(place)
        # (a + ib) exp(i sign angle); its conjugate is there too, so that only real parts are taken.
        for is_sine, value in ((False, a), (True, -sign * b)):
            if value and not (is_sine and not angle):
                _gather(found, (monomial, is_sine, angle), value)
    return found


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for generator, power in b:
        total = powers.get(generator, 0) + power
        if total:
            powers[generator] = total
        else:
            del powers[generator]
    return tuple(sorted(powers.items()))


def _turned_product(sine_a: bool, angle_a: Angle, sine_b: bool, angle_b: Angle) -> Iterable[tuple[bool, Angle, Fraction | int]]:
    """The product of two sines or cosines as a sum: (sine, angle, factor)."""
    if not angle_a or not angle_b:
        if (sine_a and not angle_a) or (sine_b and not angle_b):
            return ()
        return ((sine_b, angle_b, 1),) if not angle_a else ((sine_a, angle_a, 1),)
    total, sign_total = _sum(angle_a, angle_b, 1)
    difference, sign_difference = _sum(angle_a, angle_b, -1)
    if sine_a and sine_b:  # [cos(a - b) - cos(a + b)] / 2
        return ((False, difference, HALF), (False, total, -HALF))
    if not sine_a and not sine_b:
        return ((False, difference, HALF), (False, total, HALF))
    # sin a cos b = [sin(a + b) + sin(a - b)] / 2, cos a sin b = [sin(a + b) - sin(a - b)] / 2
    found = [(True, total, sign_total * HALF)] if total else []
    if difference:
        found.append((True, difference, sign_difference * (HALF if sine_a else -HALF)))
    return tuple(found)


def _sum(a: Angle, b: Angle, sign: int) -> tuple[Angle, int]:
    factors = dict(a)
    for generator, factor in b:
        total = factors.get(generator, 0) + sign * factor
        if total:
            factors[generator] = Fraction(total)
        else:
            del factors[generator]
    return _signed(tuple(sorted(factors.items())))


def _signed(angle: Angle) -> tuple[Angle, int]:
    """The angle with a positive first factor, and the sign taken out."""
    if angle and angle[0][1] < 0:
        return tuple((g, -f) for g, f in angle), -1
    return angle, 1


def _content(terms: Terms) -> tuple[Fraction, Monomial, Terms]:
    """A number and a monomial that all terms share, and the rest, whose first term has the factor one."""
    monomials = [dict(term[0]) for term in terms]
    shared = {g: min(m.get(g, 0) for m in monomials) for g in {g for m in monomials for g in m}}
    monomial = tuple(sorted((g, power) for g, power in shared.items() if power))
    inverse = tuple((g, -power) for g, power in monomial)
    first = min(terms, key=lambda term: (term[1], term[2], term[0]))
    factor = terms[first]
    return factor, monomial, {(_times(m, inverse), s, angle): value / factor for (m, s, angle), value in terms.items()}
