"""Shapes that a slender body deforms in: functions of the place s from 0 to 1 along it, with two derivatives.

Each is one at the end of the body, so that its coordinate is the deflection or the angle there ("pinned-pinned": one at the
top of the wave nearest to the start). Functions run on numbers, arrays and symbols.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import NotFiniteError, SoftBodyError
from locomotor.lie import ops
from locomotor.model.expressions import Expression, as_list, as_quantity
from locomotor.model.soft.section import ALONG
from locomotor.names import suggestion

FAMILIES = ("clamped-free", "polynomial", "free-free", "pinned-pinned")
"""Ready families of shapes: those of uniform beams, and polynomials, which suit any ends."""
MOST = 40
"""More shapes than this of one kind are refused: nothing slender moves in so short waves."""

Triple = tuple[Any, Any, Any]


@dataclass(frozen=True)
class Shapes:
    """Shapes of one kind of deformation; `at(place)` gives value, first and second derivative of each, by s."""

    functions: tuple[Callable[[Any], Triple], ...]

    def __len__(self) -> int:
        return len(self.functions)

    def at(self, place: Any) -> list[Triple]:
        """Value and two derivatives of each shape."""
        return [function(place) for function in self.functions]


def shapes(given: int | tuple[Expression | float, ...], family: str, bent: bool) -> Shapes:
    """A number of shapes of a family, or formulas of s."""
    if isinstance(given, tuple):
        return Shapes(tuple(_formula(each) for each in given))
    return Shapes(tuple(_member(family, bent, k) for k in range(1, given + 1)))


def read_shapes_of(given: Any, what: str, clamped: bool) -> int | tuple[Any, ...]:
    """A number of shapes or a list of formulas, checked: they leave the clamped end where it is, and are no multiples."""
    formulas = as_list(given) if not isinstance(given, str) else None
    if formulas is None:
        if isinstance(given, str | Expression):
            raise SoftBodyError(f"{what} is {checks.shown(given)}; give a number of shapes, or a list of formulas of {ALONG}")
        return checks.whole(given, what, most=MOST, error=SoftBodyError)
    found = tuple(as_quantity(each, what) for each in formulas)
    for each in found:
        names = each.names if isinstance(each, Expression) else frozenset()
        if names != {ALONG}:
            raise SoftBodyError(
                f"{what}: '{each}' is no shape; write a formula of {ALONG}, which runs from 0 to 1 along the body"
            )
    return found


def read_family(given: Any, what: str) -> str:
    """The name of a family."""
    if not isinstance(given, str) or given not in FAMILIES:
        named = suggestion(given, FAMILIES) if isinstance(given, str) else f"one of {', '.join(FAMILIES)}"
        raise SoftBodyError(
            f"{what} is {checks.shown(given)}: {named}; shapes of your own are lists of formulas, bending_z=['s**2', 's**3']"
        )
    return given


def roots(free: bool, count: int) -> list[float]:
    """Roots b of cos b cosh b = -1 (clamped-free) or 1 (free-free): the frequencies of a beam are b² sqrt(EI/(m L⁴))."""
    sign = -1.0 if free else 1.0
    found = []
    for k in range(1, count + 1):
        b = (k + 0.5) * math.pi if free else (k - 0.5) * math.pi
        for _ in range(50):
            value, slope = math.cos(b) + sign / math.cosh(b), -math.sin(b) - sign * math.tanh(b) / math.cosh(b)
            b -= value / slope
        found.append(b)
    return found


# -- one shape each --------------------------------------------------------------------------------------------------


@cache
def _member(family: str, bent: bool, k: int) -> Callable[[Any], Triple]:
    if family == "polynomial":
        return _polynomial(k, 2 if bent else 1)
    if not bent:
        rate = k * math.pi if family == "free-free" else (k - 0.5) * math.pi
        return _wave(rate, family == "free-free", (-1.0) ** (k if family == "free-free" else k + 1))
    if family == "pinned-pinned":
        return _wave(k * math.pi, False, 1.0)
    return _beam(roots(family == "free-free", k)[-1], family == "free-free")


def _wave(rate: float, even: bool, sign: float) -> Callable[[Any], Triple]:
    """sin or cos of rate s, with a sign."""

    def value(s: Any) -> Triple:
        sine, cosine = sign * ops.sin(rate * s), sign * ops.cos(rate * s)
        wave, slope = (cosine, -rate * sine) if even else (sine, rate * cosine)
        return wave, slope, -(rate * rate) * wave

    return value


def _beam(b: float, free: bool) -> Callable[[Any], Triple]:
    """cosh b s -+ cos b s - c (sinh b s -+ sin b s), one at the end: upper signs clamped at the start, lower ones free.

    Written in decaying exponentials, cosh - c sinh = grows e^(b (s - 1)) + decays e^(-b s): the usual form loses all digits
    of the tenth shape.
    """
    sine, cosine, small = math.sin(b), math.cos(b), math.exp(-b)
    sign = 1.0 if free else -1.0
    # c = (cosh - cos)/(sinh - sin) for free ends, (cosh + cos)/(sinh + sin) for a clamped start
    bottom = 0.5 * (1.0 - small * small) - sign * sine * small  # (sinh -+ sin) e^-b
    over = (-small + sign * (cosine - sine)) / bottom  # (1 - c) e^b
    c = 1.0 - over * small
    grows, decays = 0.5 * over, 0.5 * (1.0 + c)

    def value(s: Any) -> Triple:
        up, down = grows * ops.exp(b * s - b), decays * ops.exp(-b * s)
        wave, turn = ops.cos(b * s) - c * ops.sin(b * s), -ops.sin(b * s) - c * ops.cos(b * s)
        return (
            up + down + sign * wave,
            b * (up - down + sign * turn),
            b * b * (up + down - sign * wave),
        )

    end = value(1.0)[0]
    return lambda s: tuple(each / end for each in value(s))  # type: ignore[return-value]


def _polynomial(k: int, power: int) -> Callable[[Any], Triple]:
    """s^power times the Jacobi polynomial P(0, b) of 2 s - 1, b = 2 power: orthogonal on the length, one at the end.

    By its recurrence (DLMF 18.9.1), which keeps all digits where powers of s would lose them.
    """
    b = float(2 * power)

    def value(s: Any) -> Triple:
        x = 2.0 * s - 1.0
        last: Triple = (0.0 * s, 0.0 * s, 0.0 * s)
        now: Triple = (1.0 + 0.0 * s, 0.0 * s, 0.0 * s)
        for n in range(k - 1):
            if n == 0:
                scale, slope, older = 1.0, 0.5 * (b + 2.0), 0.0
                offset = -0.5 * b
            else:
                scale = 2.0 * (n + 1) * (n + 1 + b) * (2 * n + b)
                offset = -(2 * n + b + 1) * b * b
                slope = (2 * n + b + 1) * (2 * n + b) * (2 * n + b + 2)
                older = 2.0 * n * (n + b) * (2 * n + b + 2)
            line = (offset + slope * x) / scale
            # derivatives by s: the line has the slope 2 slope/scale
            rise, older = 2.0 * slope / scale, older / scale
            found = (
                line * now[0] - older * last[0],
                line * now[1] + rise * now[0] - older * last[1],
                line * now[2] + 2.0 * rise * now[1] - older * last[2],
            )
            last, now = now, found
        p, dp, ddp = now
        if power == 1:
            return s * p, p + s * dp, 2.0 * dp + s * ddp
        return s * s * p, 2.0 * s * p + s * s * dp, 2.0 * p + 4.0 * s * dp + s * s * ddp

    end = value(1.0)[0]
    return lambda s: tuple(each / end for each in value(s))  # type: ignore[return-value]


def _formula(given: Any) -> Callable[[Any], Triple]:
    formula = given
    first = formula.derivative(ALONG)
    second = first.derivative(ALONG)

    def value(s: Any) -> Triple:
        return tuple(each.evaluate({ALONG: s}) + 0.0 * s for each in (formula, first, second))  # type: ignore[return-value]

    return value


def check_independent(found: Shapes, what: str, clamped: bool, bent: bool) -> None:
    """Refuse shapes of the user that no mass could make unit, that are combinations of each other, or that leave the clamp."""
    points, weights = np.polynomial.legendre.leggauss(48)
    places = 0.5 * (points + 1.0)
    values = np.array([np.broadcast_to(triple[0], places.shape) for triple in found.at(places)], dtype=float)
    if not len(values):
        raise SoftBodyError(f"{what}: no shape is given; give a number of shapes, or formulas in {ALONG}, or leave it out")
    gram = (values * weights) @ values.T
    size = np.sqrt(np.diag(gram))
    if not np.isfinite(gram).all() or not (size > 0.0).all():
        raise SoftBodyError(f"{what}: a shape is zero or not finite along the body; its mass cannot be made one. Leave it out")
    if len(size) and np.linalg.eigvalsh(gram / np.outer(size, size))[0] < 1e-13:
        raise SoftBodyError(
            f"{what}: a shape is a combination of the others, so that no mass matrix of them is regular; leave it out"
        )
    try:
        with np.errstate(all="ignore"):
            start = np.array([[float(each) for each in triple] for triple in found.at(0.0)])
    except NotFiniteError as error:
        raise SoftBodyError(
            f"{what}: a shape, its slope or its curvature has no finite value at s = 0 ({error}); give one that is smooth from "
            "s = 0 to 1"
        ) from None
    ends = np.abs(start[:, : 2 if bent else 1]).max(axis=0)
    if clamped and (ends > 1e-9).any():
        raise SoftBodyError(
            f"{what}: a shape has the value {ends[0]:.3g}{f' and the slope {ends[1]:.3g}' if bent else ''} at s = 0, where "
            "the body is clamped to its frame; both must be zero there"
        )
