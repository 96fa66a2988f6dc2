"""The field of a slender body: stretch, bending in two planes, twist, and the shortening that bending brings.

With u, v, w the displacement of the axis and t the angle of twist, the point (x, y, z) of the undeformed body is at

    (x + u - y v' - z w' - (1/2) int_0^x (v'^2 + w'^2),  y + v - z t,  z + w + y t)

(Belkhiri 2013, (4.3)-(4.8), with rotary inertia kept; the last term of x only where stiffening is asked for).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import SoftBodyError
from locomotor.model.expressions import known
from locomotor.model.soft.field import Integrals, Monomial, Place
from locomotor.model.soft.mode_shapes import Shapes, Triple
from locomotor.model.soft.section import CrossSection
from locomotor.typing import Floats

NOISE = 1e-13
"""Sums that cancel to this share of their terms are zero: shapes that are orthogonal."""
KINDS = ("stretch", "y", "z", "twist")
"""Kinds of deformation, in the order of their coordinates."""

Entry = tuple[int, int, int, Any]
"""Component of the displacement; factor 1, y or z by its number; power of the length; value along s."""


@dataclass(frozen=True, eq=False)
class Slender:
    """Shapes of each kind, with their place among the coordinates."""

    shapes: Mapping[str, Shapes]
    shortening: bool

    @property
    def count(self) -> int:
        """Number of the body's own coordinates."""
        return sum(len(found) for found in self.shapes.values())

    @property
    def owners(self) -> tuple[tuple[str, int], ...]:
        """Kind and number within it of each coordinate."""
        return tuple((kind, k) for kind in KINDS for k in range(len(self.shapes[kind])))

    @property
    def monomials(self) -> tuple[Monomial, ...]:
        """1, each coordinate, and the products that shorten the axis."""
        pairs: list[Monomial] = []
        if self.shortening:
            kinds = [kind for kind, _ in self.owners]
            n = len(kinds)
            pairs = [(i, j) for i in range(n) for j in range(i, n) if kinds[i] == kinds[j] and kinds[i] in ("y", "z")]
        return ((), *((i,) for i in range(self.count)), *pairs)

    def entries(self, s: Any) -> list[list[Entry]]:
        """For each monomial the entries of its displacement at the places s (an array, a number or a symbol)."""
        at = {kind: self.shapes[kind].at(s) for kind in KINDS}
        shorter = {kind: self._shortened(kind, s) for kind in ("y", "z")} if self.shortening else {}
        found: list[list[Entry]] = []
        for monomial in self.monomials:
            if not monomial:
                found.append([(0, 0, 1, s), (1, 1, 0, 1.0 + 0.0 * s), (2, 2, 0, 1.0 + 0.0 * s)])
            elif len(monomial) == 1:
                kind, k = self.owners[monomial[0]]
                found.append(_linear(kind, at[kind][k]))
            else:
                (kind, a), (_, b) = (self.owners[i] for i in monomial)
                share = -0.5 if a == b else -1.0
                found.append([(0, 0, -1, share * shorter[kind][a, b])])
        return found

    def _shortened(self, kind: str, s: Any) -> dict[tuple[int, int], Any]:
        """int_0^s phi_a' phi_b' ds for a <= b, by Gauss on [0, s]."""
        n = len(self.shapes[kind])
        points, weights = gauss(12 + 2 * n)
        total: dict[tuple[int, int], Any] = {(a, b): 0.0 * s for a in range(n) for b in range(a, n)}
        for point, weight in zip(points, weights, strict=True):
            slopes = [slope for _, slope, _ in self.shapes[kind].at(s * point)]
            for a, b in total:
                total[a, b] = total[a, b] + weight * (slopes[a] * slopes[b])
        return {pair: s * value for pair, value in total.items()}

    def place(self, length: Any, point: Sequence[Any]) -> Place:
        """The field at a material point of the undeformed body (numbers or symbols)."""
        s = point[0] / length
        factors = (1.0, point[1], point[2])
        columns = []
        for entries in self.entries(s):
            column: list[Any] = [0.0, 0.0, 0.0]
            for component, factor, power, value in entries:
                scaled = value if power == 0 else value * length if power == 1 else value / length
                column[component] = column[component] + factors[factor] * scaled
            columns.append(tuple(column))
        turns: list[tuple[Any, Any, Any]] = []
        at = {kind: self.shapes[kind].at(s) for kind in KINDS}
        for kind, k in self.owners:
            value, slope, _ = at[kind][k]
            slope = slope / length
            turns.append(
                {"twist": (value, 0.0, 0.0), "z": (0.0, -slope, 0.0), "y": (0.0, 0.0, slope)}.get(kind, (0.0, 0.0, 0.0))
            )
        return Place(tuple(columns), tuple(turns))


def _linear(kind: str, shape: Triple) -> list[Entry]:
    value, slope, _ = shape
    if kind == "stretch":
        return [(0, 0, 0, value)]
    if kind == "y":
        return [(1, 0, 0, value), (0, 1, -1, -slope)]
    if kind == "z":
        return [(2, 0, 0, value), (0, 2, -1, -slope)]
    return [(2, 1, 0, value), (1, 2, 0, -value)]


@cache
def gauss(count: int) -> tuple[Floats, Floats]:
    """Points and weights of Gauss on [0, 1]."""
    points, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * (points + 1.0), 0.5 * weights


def points_along(section: CrossSection, shapes_of_a_kind: int) -> tuple[Floats, Floats]:
    """Points and weights for integrals along the body.

    A section that varies may come to a point, as c sqrt(1 - s²) of a wing: points are crowded at the ends, s = t² (3 - 2 t),
    which makes such a root smooth.
    """
    if section.is_uniform:
        return gauss(24 + 4 * shapes_of_a_kind)
    t, weights = gauss(40 + 6 * shapes_of_a_kind)
    return t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) * weights


def slender_integrals(slender: Slender, section: CrossSection, length: Any, values: Mapping[str, Any]) -> Integrals:
    """All integrals of a slender body, of numbers or of symbols of parameters, as sums over points along it."""
    places, weights = points_along(section, max(len(each) for each in slender.shapes.values()))
    slices = _Slices(section, places, weights, values)
    entries = slender.entries(places)
    powers = {power: _power(length, power) for power in range(-3, 4)}
    first: dict[tuple[int, int], Any] = {}
    second: dict[tuple[int, int, int, int], Any] = {}
    for a, mine in enumerate(entries):
        for component, factor, power, value in mine:
            _add(first, (a, component), powers[power + 1], slices.over_mass(0, factor, value))
        for b, other in enumerate(entries[: a + 1]):
            for row, i, p, x in mine:
                for column, j, q, y in other:
                    _add(second, (a, b, row, column), powers[1 + p + q], slices.over_mass(i, j, x * y))
    second |= {(b, a, column, row): value for (a, b, row, column), value in second.items()}
    return Integrals(
        slender.monomials,
        length * slices.over_mass(0, 0, np.ones_like(places)),
        first,
        second,
        _stiffness(slender, slices, places, powers),
    )


STIFFNESS = {"stretch": ("EA", 1, -1), "y": ("EIz", 2, -3), "z": ("EIy", 2, -3), "twist": ("GJ", 1, -1)}
"""What resists a kind of deformation, which derivative of its shapes, and the power of the length."""


def _stiffness(slender: Slender, slices: _Slices, places: Floats, powers: Mapping[int, Any]) -> dict[tuple[int, int], Any]:
    found: dict[tuple[int, int], Any] = {}
    at = {kind: slender.shapes[kind].at(places) for kind in KINDS}
    for i, (kind, k) in enumerate(slender.owners):
        name, derivative, power = STIFFNESS[kind]
        for j, (other, number) in enumerate(slender.owners):
            if other == kind:
                product = at[kind][k][derivative] * at[kind][number][derivative]
                _add(found, (i, j), powers[power], slices.over_stiffness(name, product))
    return found


class _Slices:
    """Mass and stiffness of the slices at the points of Gauss, and sums over them."""

    def __init__(self, section: CrossSection, places: Floats, weights: Floats, values: Mapping[str, Any]) -> None:
        self.weights = weights
        # A uniform section is looked at once: what depends on parameters then stays one factor.
        self.found = [section.at(s, values) for s in (places[:1] if section.is_uniform else places)]

    def over_mass(self, i: int, j: int, value: Floats) -> Any:
        """int value y_i y_j dm/ds with y_0 = 1, y_1 = y, y_2 = z; the length is left out."""
        return self._sum([_moment(each, i, j) for each in self.found], value)

    def over_stiffness(self, name: str, value: Floats) -> Any:
        """int value k ds for a stiffness by name."""
        return self._sum([each.stiffness[name] for each in self.found], value)

    def _sum(self, factors: list[Any], value: Floats) -> Any:
        terms = self.weights * value
        if len(factors) == 1:
            total = float(terms.sum())
            return 0.0 if abs(total) <= NOISE * float(np.abs(terms).sum()) else factors[0] * total
        if all(isinstance(factor, float | int) for factor in factors):
            terms = terms * np.array(factors, dtype=float)
            total = float(terms.sum())
            return 0.0 if abs(total) <= NOISE * float(np.abs(terms).sum()) else total
        whole: Any = 0.0
        for factor, term in zip(factors, terms, strict=True):
            whole = whole + float(term) * factor
        return whole


def _moment(slice_at: Any, i: int, j: int) -> Any:
    y, z = slice_at.moment
    yy, zz, yz = slice_at.second
    return ((slice_at.mass, y, z), (y, yy, yz), (z, yz, zz))[i][j]


def _power(length: Any, power: int) -> Any:
    whole: Any = 1.0
    for _ in range(abs(power)):
        whole = whole * length
    return whole if power >= 0 else 1.0 / whole


def _add(found: dict[Any, Any], key: Any, scale: Any, value: Any) -> None:
    if isinstance(value, float) and value == 0.0:
        return
    found[key] = found[key] + scale * value if key in found else scale * value


def check_within(body: Any, at: Any, what: str, values: Mapping[str, float]) -> None:
    """Refuse a point beyond the ends of a body that is straight along x."""
    place, length = known(at[0], values), known(body.length, values)
    if place is not None and length is not None and not -1e-9 * length <= place <= (1.0 + 1e-9) * length:
        raise SoftBodyError(
            f"{what} is at x = {float(place)!r} m, and {body.label} goes from 0 to {float(length)!r} m along x; put it within"
        )
