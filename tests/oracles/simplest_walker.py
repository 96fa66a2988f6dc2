"""The simplest walker with feet of no mass at all, as its source has it: integrated apart from the library.

M. Garcia, A. Chatterjee, A. Ruina, M. Coleman, The simplest walking model: stability, complexity, and scaling, J. Biomech. Eng.
120 (1998), equations (1) to (3): theta is the angle of the leg that stands, phi that of the other against it,

    theta'' = sin(theta - slope),    phi'' = theta'' + theta'^2 sin(phi) - cos(theta - slope) sin(phi),

and where phi = 2 theta < 0 the heel strikes: theta+ = -theta, theta'+ = cos(2 theta) theta', phi+ = -2 theta,
phi'+ = cos(2 theta) (1 - cos(2 theta)) theta'.
"""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

Array = Any


def step(theta: float, rate: float, slope: float) -> tuple[Array, float]:
    """(theta, theta') just after the next heelstrike from those just after one, and how long it took."""

    def motion(_: float, y: Array) -> Array:
        bent = np.sin(y[0] - slope)
        return [y[1], bent, y[3], bent + (y[1] ** 2 - np.cos(y[0] - slope)) * np.sin(y[2])]

    def strike(_: float, y: Array) -> float:
        return float(y[2] - 2.0 * y[0])

    start = [theta, rate, 2.0 * theta, (1.0 - np.cos(2.0 * theta)) * rate]
    found = solve_ivp(motion, (0.0, 6.0), start, events=strike, rtol=1e-12, atol=1e-13, method="DOP853")
    # The foot passes through the ground in mid-swing; it strikes with the leg that stands behind.
    k = next(k for k, y in enumerate(found.y_events[0]) if y[0] < -0.05)
    a, w = found.y_events[0][k][:2]
    return np.array([-a, np.cos(2.0 * a) * w]), float(found.t_events[0][k])


def gait(slope: float, guess: tuple[float, float]) -> tuple[Array, float, Array]:
    """The gait near a guess: (theta, theta') after a heelstrike, the time of a step, and the two multipliers."""
    values = fsolve(lambda u: step(u[0], u[1], slope)[0] - u, guess, xtol=1e-12)
    h = 1e-5
    columns = [(step(*(values + d), slope)[0] - step(*(values - d), slope)[0]) / (2.0 * h) for d in h * np.eye(2)]
    return values, step(*values, slope)[1], np.linalg.eigvals(np.array(columns).T)
