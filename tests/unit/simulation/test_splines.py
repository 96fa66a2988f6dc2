"""Our splines are scipy's: the same knots, the same end conditions, to round-off."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from locomotor.simulation.records.quadrature import integral
from locomotor.simulation.records.spline import second_derivatives, spline_integral, tridiagonal


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 9, 64, 1001])
@pytest.mark.parametrize("even", [True, False])
def test_integrals_are_those_of_scipy(count: int, even: bool, rng: np.random.Generator) -> None:
    # Steps that differ by 1:1000 occur where an event cuts one.
    h = np.full(count - 1, 0.01) if even else 10.0 ** rng.uniform(-3.0, 0.0, count - 1)
    x = 3.0 + np.concatenate([[0.0], np.cumsum(h)])
    y = np.sin(3.0 * x) + 0.1 * rng.normal(size=count)
    theirs = CubicSpline(x, y)
    primitive = theirs.antiderivative()
    # Both solve the same system with a dominant diagonal: round-off of some hundred operations on numbers of size 1 to 1e6.
    scale = np.abs(y).max() * (x[-1] - x[0])
    np.testing.assert_allclose(spline_integral(x, y), primitive(x) - primitive(x[0]), rtol=0.0, atol=1e-12 * scale)
    if count > 3:
        curved = theirs(x, 2)
        np.testing.assert_allclose(second_derivatives(h, np.diff(y) / h), curved, atol=1e-9 * np.abs(curved).max(), rtol=0.0)


def test_a_cubic_is_integrated_exactly() -> None:
    x = np.array([0.0, 0.1, 0.5, 0.6, 1.0, 2.0])
    assert spline_integral(x, x**3 - 2.0 * x)[-1] == pytest.approx(2.0**4 / 4.0 - 2.0**2, abs=1e-14)


def test_tridiagonal_systems_of_every_small_size(rng: np.random.Generator) -> None:
    for n in range(1, 20):
        below, above = rng.uniform(-1.0, 1.0, (2, n))
        below[0] = above[-1] = 0.0
        middle = 2.5 + rng.uniform(0.0, 1.0, n)
        right = rng.normal(size=n)
        matrix = np.diag(middle) + np.diag(below[1:], -1) + np.diag(above[:-1], 1)
        np.testing.assert_allclose(tridiagonal(below, middle, above, right), np.linalg.solve(matrix, right), atol=1e-14)


def test_parts_between_events_are_joined() -> None:
    time = np.concatenate([np.linspace(0.0, 1.0, 11), np.linspace(1.0, 2.0, 21)])
    values = np.where(np.arange(32) < 11, time**2, 5.0)
    assert integral(time, values)[-1] == pytest.approx(1.0 / 3.0 + 5.0, abs=1e-13)
