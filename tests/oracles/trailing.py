"""A chain of modules drawn by its head, written on its own: each has an axle under its centre and hitches at its ends.

A hitch moves as the rear end of the module before it. The axle does not slip sideways, so that the hitch turns the module by
its sideways velocity over half a module, and nothing else does.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Vector = NDArray[np.float64]


def trail(
    times: Vector, speed: Callable[[float], float], yaw_rate: Callable[[float], float], yaws: Vector, length: float
) -> Vector:
    """Centres (times, modules, 2) of a chain whose modules start at these yaws, with the head at the origin."""
    half, modules = 0.5 * length, len(yaws)

    def rates(t: float, s: Vector) -> Vector:
        now = s[2:]
        along = np.stack([np.cos(now), np.sin(now)], axis=-1)
        across = np.stack([-np.sin(now), np.cos(now)], axis=-1)
        head = speed(t) * along[0]
        turns = [yaw_rate(t)]
        rear = head - half * turns[0] * across[0]
        for k in range(1, modules):
            turns.append(float(across[k] @ rear) / half)
            rear = float(along[k] @ rear) * along[k] - half * turns[k] * across[k]
        return np.concatenate([head, turns])

    span = (float(times[0]), float(times[-1]))
    done = solve_ivp(rates, span, np.concatenate([[0.0, 0.0], yaws]), t_eval=times, method="DOP853", rtol=1e-11, atol=1e-12)
    found = done.y[2:]
    along = np.stack([np.cos(found), np.sin(found)], axis=-1)  # modules, times, 2
    centres = [done.y[:2].T]
    for k in range(1, modules):
        centres.append(centres[-1] - half * along[k - 1] - half * along[k])
    return np.stack(centres, axis=1)
