"""A four-bar linkage by one angle: the loop in closed form, Lagrange's equation of one coordinate, another integrator."""

from typing import Any

import casadi
import numpy as np
from scipy.integrate import solve_ivp


def angles(crank: Any, a: float, b: float, c: float, d: float) -> tuple[Any, Any]:
    """Angles of coupler and rocker (absolute, positive downwards as that of the crank), rocker above: the law of cosines.

    From the end of the crank to the far pivot is a vector of length r at angle delta; the triangle r, b, c is solved for.
    """
    x, z = d - a * np.cos(crank), a * np.sin(crank)  # z downwards: towards the pivot it is against that of the crank
    r = np.sqrt(x * x + z * z)
    delta = np.arctan2(-z, x)
    at_crank = np.arccos((r * r + b * b - c * c) / (2 * r * b))
    coupler = delta - at_crank  # upwards is negative
    end = a * np.exp(1j * crank) + b * np.exp(1j * coupler)
    rocker = np.angle(end - d)
    return coupler, rocker


class Minimal:
    """J(phi) phi_dd + J'/2 phi_d² + U' = 0, with J and U from the positions of the bars alone."""

    def __init__(self, a: float, b: float, c: float, d: float, rho: float, g: float, thick: float) -> None:
        phi = casadi.SX.sym("phi")
        x, z = d - a * casadi.cos(phi), -a * casadi.sin(phi)
        r = casadi.sqrt(x * x + z * z)
        beta = casadi.atan2(z, x) - casadi.acos((r * r + b * b - c * c) / (2 * r * b))
        ex = a * casadi.cos(phi) + b * casadi.cos(beta) - d
        ez = a * casadi.sin(phi) + b * casadi.sin(beta)
        psi = casadi.atan2(ez, ex)
        pin = casadi.vertcat(a * casadi.cos(phi), a * casadi.sin(phi))
        bars = [
            (a, phi, a / 2 * casadi.vertcat(casadi.cos(phi), casadi.sin(phi))),
            (b, beta, pin + b / 2 * casadi.vertcat(casadi.cos(beta), casadi.sin(beta))),
            (c, psi, casadi.vertcat(d, 0) + c / 2 * casadi.vertcat(casadi.cos(psi), casadi.sin(psi))),
        ]
        J, U = casadi.SX(0), casadi.SX(0)
        for length, angle, centre in bars:
            m = rho * length
            slope = casadi.jacobian(centre, phi)
            J += m * casadi.dot(slope, slope) + m * length**2 / 12 * casadi.jacobian(angle, phi) ** 2
            U += -m * g * centre[1]  # downwards
        self.inertia = casadi.Function("J", [phi], [J])
        self.parts = casadi.Function("parts", [phi], [J, casadi.jacobian(J, phi), casadi.jacobian(U, phi)])

    def acceleration(self, phi: float, phi_dot: float) -> float:
        """phi_dd."""
        J, dJ, dU = (float(x) for x in self.parts(phi))
        return (-0.5 * dJ * phi_dot**2 - dU) / J

    def run(self, phi: float, phi_dot: float, times: Any) -> Any:
        """phi and phi_dot at some times."""
        found = solve_ivp(
            lambda t, y: [y[1], self.acceleration(y[0], y[1])],
            (0.0, times[-1]),
            [phi, phi_dot],
            t_eval=times,
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
        )
        return found.y
