"""Conservative motions integrated apart from the library: a runner on a spring (SLIP), and two masses on springs."""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

Array = Any
PRECISE: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12, "method": "DOP853"}


def next_apex(
    height: float, speed: float, *, stiffness: float, angle: float, mass: float, rest: float, g: float = 9.81
) -> tuple[float, float]:
    """Height of the next apex of a point mass on a massless leg of 1 m, and the time to it (Blickhan 1989).

    The leg lands at the angle of attack, pushes with stiffness * (rest - length) and lets go at a length of 1 m.
    """
    fall = np.sqrt(2.0 * (height - np.sin(angle)) / g)

    def motion(_: float, y: Array) -> Array:
        length = np.hypot(y[0], y[1])
        push = stiffness * (rest - length) / (mass * length)
        return [y[2], y[3], push * y[0], push * y[1] - g]

    def leaves(_: float, y: Array) -> float:
        return float(np.hypot(y[0], y[1]) - 1.0)

    leaves.terminal, leaves.direction = True, 1.0  # type: ignore[attr-defined]
    start = [-np.cos(angle), np.sin(angle), speed, -g * fall]
    found = solve_ivp(motion, (0.0, 1.0), start, events=leaves, **PRECISE)
    _, y, _, rise = found.y[:, -1]
    return float(y + rise**2 / (2.0 * g)), float(fall + found.t[-1] + rise / g)


def running(speed: float, bracket: tuple[float, float], **leg: float) -> tuple[float, float]:
    """Height at the apex and duration of the step that repeats at this speed."""
    height = float(brentq(lambda y: next_apex(y, speed, **leg)[0] - y, *bracket, xtol=1e-12))
    return height, next_apex(height, speed, **leg)[1]


def normal_mode(energy: float, cubic: float, guess: tuple[float, float]) -> tuple[Array, float]:
    """Extreme positions (a, b) and period of a nonlinear normal mode of two unit masses, springs of 1 and one of cubic a^3.

    From rest at (a, b) both masses come through zero together after a quarter of the period.
    """

    def motion(_: float, y: Array) -> Array:
        a, b = y[:2]
        return [y[2], y[3], -a - (a - b) - cubic * a**3, -b - (b - a)]

    def passes(_: float, y: Array) -> float:
        return float(y[0])

    passes.terminal, passes.direction = True, -1.0  # type: ignore[attr-defined]

    def quarter(ab: Array) -> Any:
        return solve_ivp(motion, (0.0, 10.0), [ab[0], ab[1], 0.0, 0.0], events=passes, **PRECISE)

    def equations(ab: Array) -> Array:
        stored = 0.5 * (ab[0] ** 2 + ab[1] ** 2 + (ab[0] - ab[1]) ** 2) + 0.25 * cubic * ab[0] ** 4
        return [quarter(ab).y[1, -1], stored - energy]

    found = fsolve(equations, guess, xtol=1e-12)
    return found, 4.0 * float(quarter(found).t[-1])
