"""The continuous Newton-Euler equations of a rod, integrated along it: what an exact rod is compared with.

Boyer, Porez and Khalil, Macro-continuous computed torque algorithm for a three-dimensional eel-like robot, IEEE T-RO 22, 2006;
Reissner's rod in twists, linear part first, components and rates of components in axes of the section:

    g' = g xi,      eta' = -ad_xi eta + xi_dot,      eta_dot' = -ad_xi eta_dot - ad_xi_dot eta + xi_ddot,
    M eta_dot - ad_eta^T M eta = Lambda' - ad_xi^T Lambda + f,        Lambda the wrench of what lies beyond on what lies before.

Everything is solved with an adaptive integrator of high order: no nodes, no exponential, no quadrature of the library.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

Array = Any
ACCURACY = 1e-12


def hat(w: Array) -> Array:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def ad(x: Array) -> Array:
    return np.block([[hat(x[3:]), hat(x[:3])], [np.zeros((3, 3)), hat(x[3:])]])


def Ad(R: Array, p: Array) -> Array:
    """Adjoint of a pose: twists from child to parent."""
    return np.block([[R, hat(p) @ R], [np.zeros((3, 3)), R]])


@dataclass(frozen=True)
class Rod:
    """A rod in motion: strain twist and its rates as functions of the arc length, inertia per length, gravity (world axes)."""

    length: float
    inertia: Array
    xi: Callable[[float], Array]
    xi_dot: Callable[[float], Array]
    xi_ddot: Callable[[float], Array]
    gravity: Array
    breaks: tuple[float, ...] = ()
    """Arc lengths at which strains jump."""

    def _along(self, slope: Callable[[float, Array], Array], start: Array, backward: bool = False) -> tuple[Array, list[Any]]:
        """Solve an equation along the rod, piece by piece; the last value and the pieces' solutions, from the root outwards."""
        ends = [0.0, *self.breaks, self.length]
        pieces = list(pairwise(ends))
        found, y = [], start
        for a, b in reversed(pieces) if backward else pieces:
            inside = 1e-12 * self.length
            span = (b - inside, a + inside) if backward else (a + inside, b - inside)
            solution = solve_ivp(slope, span, y, method="DOP853", rtol=ACCURACY, atol=ACCURACY, dense_output=True)
            y = solution.y[:, -1]
            found.append((a, b, solution.sol))
        return y, found[::-1] if backward else found

    @staticmethod
    def _at(pieces: list[Any], X: float) -> Array:
        for _, b, solution in pieces:
            if b >= X:
                return solution(X)
        return pieces[-1][2](X)

    def outward(self, R: Array, p: Array, eta: Array, eta_dot: Array) -> list[Any]:
        """Pose, twist and its rate along the rod, from those of the first section."""

        def slope(X: float, y: Array) -> Array:
            rotation = y[:9].reshape(3, 3)
            x, x_dot, x_ddot = self.xi(X), self.xi_dot(X), self.xi_ddot(X)
            twist, rate = y[12:18], y[18:24]
            return np.concatenate(
                [
                    (rotation @ hat(x[3:])).ravel(),
                    rotation @ x[:3],
                    -ad(x) @ twist + x_dot,
                    -ad(x) @ rate - ad(x_dot) @ twist + x_ddot,
                ]
            )

        return self._along(slope, np.concatenate([np.ravel(R), p, eta, eta_dot]))[1]

    def load(self, y: Array) -> Array:
        """M eta_dot - ad_eta^T M eta - weight of a slice."""
        rotation, twist, rate = y[:9].reshape(3, 3), y[12:18], y[18:24]
        weight = self.inertia @ np.concatenate([rotation.T @ self.gravity, np.zeros(3)])
        return self.inertia @ rate - ad(twist).T @ (self.inertia @ twist) - weight

    def inverse(
        self, R: Array, p: Array, eta: Array, eta_dot: Array, stress: Callable[[float], Array], B: Callable[[float], Array]
    ) -> tuple[Array, Array]:
        """Wrench on the first section, and forces on strain coordinates with the matrix B, that the motion needs."""
        pieces = self.outward(R, p, eta, eta_dot)
        n = B(0.0).shape[1]

        def slope(X: float, y: Array) -> Array:
            wrench = y[:6]
            inside = ad(self.xi(X)).T @ wrench + self.load(self._at(pieces, X))
            return np.concatenate([inside, -B(X).T @ (stress(X) - wrench)])

        end, _ = self._along(slope, np.zeros(6 + n), backward=True)
        return -end[:6], end[6:]

    def free_head(self, R: Array, p: Array, eta: Array) -> tuple[Array, Array]:
        """Acceleration of the first section of a rod that nothing holds, and the wrench left at its far end, which must vanish.

        Composite inertia M+ and force F+ of the whole, then Lambda from the head, where it is zero, to the tip.
        """
        bias = self.outward(R, p, eta, np.zeros(6))

        def gather(X: float, y: Array) -> Array:
            state = self._at(bias, X)
            to_here = np.linalg.inv(Ad(R.T @ state[:9].reshape(3, 3), R.T @ (state[9:12] - p)))
            return np.concatenate([(to_here.T @ self.inertia @ to_here).ravel(), -to_here.T @ self.load(state)])

        total, _ = self._along(gather, np.zeros(42))
        eta_dot = np.linalg.solve(total[:36].reshape(6, 6), total[36:])
        motion = self.outward(R, p, eta, eta_dot)
        left, _ = self._along(lambda X, y: ad(self.xi(X)).T @ y + self.load(self._at(motion, X)), np.zeros(6))
        return eta_dot, left
