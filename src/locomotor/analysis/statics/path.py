"""A curve of equilibria along a load, by pseudo-arclength: through limit points, with the loads of buckling located.

The unknowns are (x, load) with R(x; load) = 0 and (x - x0, load - load0) . tangent = ds, x scaled by how far it moves per unit
of load at the beginning (H. B. Keller, Numerical solution of bifurcation and nonlinear eigenvalue problems, 1977).
"""

from collections.abc import Callable

import numpy as np

from locomotor.analysis.statics.balance import least_squares, newton
from locomotor.dataclass import dataclass
from locomotor.typing import Floats, Vector

FIRST, LEAST, MOST = 0.05, 1e-7, 0.25
"""First, smallest and largest step along the curve, as shares of the range of the load."""
GROWN = 0.1
"""Largest step as a share of how far the curve has come, where that is more: what buckles moves far more than at first."""
QUICK, SLOW = 3, 6
"""Corrections up to which a step was easy, and from which it was hard."""


@dataclass(frozen=True, eq=False)
class Point:
    """One equilibrium of a curve: unknowns, load as a share of its range, direction in which the curve runs on."""

    x: Vector
    load: float
    tangent: Vector


@dataclass(frozen=True, eq=False)
class LoadedEquations:
    """R(x; load) with its derivatives; the load runs from 0 to 1."""

    residual: Callable[[Vector, float], Vector]
    by_x: Callable[[Vector, float], Floats]
    by_load: Callable[[Vector, float], Vector]

    def scale(self, x: Vector) -> float:
        """How far x moves per unit of load."""
        moved = least_squares(self.by_x(x, 0.0), -self.by_load(x, 0.0))
        return max(float(np.linalg.norm(moved)), 1e-3 * (1.0 + float(np.linalg.norm(x))))


class Follower:
    """Goes along the curve of equilibria, step by step."""

    def __init__(self, equations: LoadedEquations, x: Vector) -> None:
        self._equations = equations
        self.scale = equations.scale(x)
        self.step = FIRST
        self._begin = x
        self.now = Point(x, 0.0, self._tangent(x, 0.0, np.concatenate([np.zeros_like(x), [1.0]])))

    def _slope(self, x: Vector, load: float) -> Floats:
        return np.hstack([self._equations.by_x(x, load) * self.scale, self._equations.by_load(x, load)[:, None]])

    def _tangent(self, x: Vector, load: float, along: Vector) -> Vector:
        """Unit vector of the kernel of the slope that points as `along` does."""
        slopes = self._slope(x, load)
        sizes = np.abs(slopes).max(axis=1, keepdims=True, initial=0.0)
        sizes[sizes == 0.0] = 1.0
        whole = np.vstack([slopes / sizes, along])
        right = np.concatenate([np.zeros(len(slopes)), [1.0]])
        found = least_squares(whole, right)
        return found / np.linalg.norm(found)

    def at(self, step: float) -> tuple[Point, int] | None:
        """The point of the curve a step ahead of the present one, and the corrections it took; None if it is not reached."""
        x, load, tangent = self.now.x, self.now.load, self.now.tangent
        start = np.concatenate([x / self.scale, [load]])
        guess = start + step * tangent

        def residual(y: Vector) -> Vector:
            return np.concatenate([self._equations.residual(self.scale * y[:-1], y[-1]), [tangent @ (y - start) - step]])

        def slope(y: Vector) -> Floats:
            return np.vstack([self._slope(self.scale * y[:-1], y[-1]), tangent])

        found = newton(residual, slope, guess, 12)
        if not found.found or np.linalg.norm(found.x - guess) > 0.5 * abs(step) + 1e-9:
            return None
        x, load = self.scale * found.x[:-1], float(found.x[-1])
        return Point(x, load, self._tangent(x, load, tangent)), found.steps

    def advance(self) -> Point | None:
        """Step on, by a length that suits the curve; None where it cannot be followed any further."""
        while self.step >= LEAST:
            made = self.at(self.step)
            # A curve that turns by more than a right angle in a step may be another one.
            if made is not None and made[0].tangent @ self.now.tangent > 0.5:
                self.now, corrections = made
                factor = 1.6 if corrections <= QUICK + 1 else 0.6 if corrections >= SLOW + 1 else 1.0
                come = float(np.linalg.norm(self.now.x - self._begin)) / self.scale
                self.step = min(self.step * factor, max(MOST, GROWN * come))
                return self.now
            self.step *= 0.4
        return None
