"""Even functions of an angle: against 40 digits, across the switch of branches, and under differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi
import numpy as np
import pytest
import sympy

from locomotor.lie import ops, small_angle

pytestmark = pytest.mark.filterwarnings("error")

EDGE = small_angle.SERIES_BELOW
POINTS = [
    0.0,
    1e-30,
    1e-14,
    1e-7,
    1e-3,
    0.3,
    np.nextafter(EDGE, 0.0),
    EDGE,
    1.7,
    4.0,
    9.0,
    float(np.pi**2),
    30.0,
]

# Absolute, for functions of order one at zero and decreasing: a few roundings at 1.1e-16.
TOLERANCE = 1e-15

# A quotient of Stumpff functions grows towards its pole at 4 pi^2 = 39.5; relative, then.
QUOTIENT_TOLERANCE = 1e-13


def exact_stumpff(k: int, x: float) -> float:
    """From the defining series, in exact rational arithmetic, to far below the last digit of a double."""
    terms = [(-sympy.Rational(x)) ** i / sympy.factorial(k + 2 * i) for i in range(60)]
    return float(sum(terms))


@pytest.mark.parametrize("x", POINTS)
def test_stumpff_functions_to_the_last_digit(x: float) -> None:
    expected = [exact_stumpff(k, x) for k in range(len(small_angle.stumpff(x)))]
    np.testing.assert_allclose(small_angle.stumpff(x), expected, rtol=0, atol=TOLERANCE)
    assert small_angle.sinc(x) == small_angle.stumpff(x)[1]


@pytest.mark.parametrize("x", [0.09, 2.0, 7.0])
def test_stumpff_functions_are_the_trigonometric_ones(x: float) -> None:
    theta = np.sqrt(x)
    c = small_angle.stumpff(x)
    named = [
        np.cos(theta),
        np.sin(theta) / theta,
        (1 - np.cos(theta)) / x,
        (theta - np.sin(theta)) / theta**3,
    ]
    np.testing.assert_allclose(c[:4], named, rtol=1e-13)  # the closed forms lose some digits at 0.09


@pytest.mark.parametrize("x", [x for x in POINTS if x > 1e-8])
def test_dexp_inv_coefficient_is_the_cotangent_form(x: float) -> None:
    half = sympy.sqrt(sympy.Rational(x)) / 2
    expected = float(((1 - half * sympy.cot(half)) / sympy.Rational(x)).evalf(40))
    e, _ = small_angle.dexp_inv_coefficients(x)
    assert e == pytest.approx(expected, rel=QUOTIENT_TOLERANCE)


def test_values_at_zero() -> None:
    np.testing.assert_allclose(small_angle.dexp_coefficients(0.0), [1 / 2, 1 / 6, -1 / 24, -1 / 120], rtol=1e-15)
    np.testing.assert_allclose(small_angle.dexp_inv_coefficients(0.0), [1 / 12, 1 / 720], rtol=1e-14)


@pytest.mark.parametrize("x", POINTS)
def test_rates_are_the_derivatives(x: float) -> None:
    """CasADi differentiates the coefficients; at x = 0 and beside the switch too."""
    s = ops.symbols("x", 1)
    b, c, db, dc = small_angle.dexp_coefficients(s)
    e, de = small_angle.dexp_inv_coefficients(s)
    rates = casadi.vertcat(db, dc, de)
    derivatives = casadi.jacobian(casadi.vertcat(b, c, e), s)
    values = [v.full().ravel() for v in casadi.Function("f", [s], [rates, derivatives])(x)]
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values[0], values[1], rtol=QUOTIENT_TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("angle", [0.0, 1e-160, 1e-8, 1e-3, 0.0996, 0.0997, 0.5, 1.0, 1.5, np.pi / 2])
def test_half_angle_over_sine(angle: float) -> None:
    s, c = np.sin(angle), np.cos(angle)
    expected = angle / s if s else 1.0
    for length in (1.0, 1.001):  # the angle does not depend on the length of the quaternion; the ratio does
        ratio = small_angle.half_angle_over_sine((length * s) ** 2, length * c)
        # At a quarter turn cos is 6e-17, not zero: the same rounding on both sides.
        assert ratio == pytest.approx(expected / length, rel=1e-15)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "stumpff": lambda x: casadi.vertcat(*small_angle.stumpff(x)),
    "dexp_coefficients": lambda x: casadi.vertcat(*small_angle.dexp_coefficients(x)),
    "dexp_inv_coefficients": lambda x: casadi.vertcat(*small_angle.dexp_inv_coefficients(x)),
    "half_angle_over_sine": lambda x: small_angle.half_angle_over_sine(x, ops.sqrt(1.0 - x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_third_derivatives_stay_finite_at_zero(name: str) -> None:
    """Zero angle is where every run starts: nothing the branch not taken does may leak as 0 * inf."""
    x = ops.symbols("x", 1)
    value = FUNCTIONS[name](x)
    for _ in range(3):
        value = casadi.jacobian(value, x)
        assert np.isfinite(casadi.Function("f", [x], [value])(0.0).full()).all()


@pytest.mark.parametrize("x", [0.0, 1e-300, 0.5, EDGE, 30.0, 1e200])
def test_both_branches_are_finite(x: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only the result: the branch not taken too, or 0 * inf appears in a derivative or another target."""

    def checked(condition: bool, a: float, b: float) -> float:
        assert np.isfinite(a) and np.isfinite(b)
        return a if condition else b

    monkeypatch.setattr(ops, "if_else", checked)
    small_angle.stumpff(x)
    small_angle.half_angle_over_sine(min(x, 1.0), np.sqrt(1.0 - min(x, 1.0)))
