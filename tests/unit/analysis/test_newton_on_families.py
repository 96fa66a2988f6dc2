"""Newton's method for cycles that are not alone: what round-off says of the way along a family decides nothing."""

from typing import Any

import numpy as np
import pytest

from locomotor.analysis.cycles.poincare import Returned
from locomotor.analysis.cycles.shooting import newton

SLOPE = 2e-9
"""How the drift depends on the second unknown: the family is one but for round-off, and Newton's step along it far too long."""
SHRINKS = 0.4


class Curve:
    """P(a, b) = (b^2 + 0.4 (a - b^2), b), but for a drift: every point of a = b^2 is a cycle."""

    names = ("a", "b")

    def __init__(self, drift: float) -> None:
        self.drift = drift

    @staticmethod
    def difference(values: Any, unknowns: Any) -> Any:
        return values - unknowns

    def __call__(self, unknowns: Any, parameters: Any = None, *, tangent: bool = True) -> Returned:
        a, b = unknowns[0]
        values = np.array([[b**2 + SHRINKS * (a - b**2), b + self.drift - SLOPE * (b - 1.0)]])
        matrix = np.array([[[SHRINKS, 2.0 * (1.0 - SHRINKS) * b], [0.0, 1.0 - SLOPE]]])
        return Returned(values, values - unknowns, matrix, np.ones(1), np.zeros((1, 0)), np.ones(1, dtype=bool))


@pytest.mark.parametrize("apart", [1e-5, 3e-6])
@pytest.mark.parametrize("drift", [1e-11, 2e-11, 3e-11, 6e-11, 1.2e-10])
def test_a_point_of_a_family_is_closed_in_a_few_steps(drift: float, apart: float) -> None:
    """From a little beside the family. Along it lies a step of 0.005 to 0.06, whose square opens more than it closes.

    A drift of so little in a period, as of gaps that are held by their velocities, is far below the tolerance.
    """
    here: Any = Curve(drift)
    u, returned, used = newton(here, np.array([1.0 + apart, 1.0]), np.zeros(0), 1e-8, 40)
    assert np.abs(returned.residual).max() <= 1e-9 and used <= 8
    np.testing.assert_allclose(u[0], u[1] ** 2, atol=2e-9)
    assert abs(u[1] - 1.0) < 0.01
