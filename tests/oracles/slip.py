"""Running on a spring, written on its own: a point mass, a leg without mass, free fall in closed form, SciPy for the stance."""

import numpy as np
from scipy.integrate import solve_ivp

MASS, STIFFNESS, LENGTH, GRAVITY = 80.0, 20e3, 1.0, 9.81


def run_on_a_spring(
    duration: float, height: float, speed: float, angle: float, preload: float
) -> tuple[int, list[float], float]:
    """Landings, heights of the apexes and mean speed; `preload` is how much longer the spring is than the leg, as a share."""
    t, x, y, vx, vy = 0.0, 0.0, height, speed, 0.0
    landings, apexes = 0, []
    touch = LENGTH * np.sin(angle)
    while True:
        if vy > 0.0 and t + vy / GRAVITY <= duration:
            apexes.append(y + vy**2 / (2.0 * GRAVITY))
        fall = (vy + np.sqrt(vy**2 + 2.0 * GRAVITY * (y - touch))) / GRAVITY
        if t + fall > duration:
            return landings, apexes, (x + vx * (duration - t)) / duration
        t, x, y, vy = t + fall, x + vx * fall, touch, vy - GRAVITY * fall
        landings += 1
        foot = x + LENGTH * np.cos(angle)

        def stance(_: float, s: np.ndarray, foot: float = foot) -> list[float]:
            across, up = s[0] - foot, s[1]
            length = np.hypot(across, up)
            pull = STIFFNESS * (LENGTH * (1.0 + preload) - length) / MASS
            return [s[2], s[3], pull * across / length, pull * up / length - GRAVITY]

        def leaves(_: float, s: np.ndarray, foot: float = foot) -> float:
            return float(np.hypot(s[0] - foot, s[1]) - LENGTH)

        leaves.terminal, leaves.direction = True, 1  # type: ignore[attr-defined]
        done = solve_ivp(stance, (t, duration), [x, y, vx, vy], events=leaves, method="DOP853", rtol=1e-12, atol=1e-13)
        t, (x, y, vx, vy) = float(done.t[-1]), done.y[:, -1]
        if not len(done.t_events[0]):
            return landings, apexes, x / duration
