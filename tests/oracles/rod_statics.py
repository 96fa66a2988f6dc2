"""Equilibria and frequencies of rods by shooting: Cosserat's equations integrated along the rod, apart from the library.

A rod clamped at its start carries a dead load F at its end. With no load along it the force F is the same everywhere:

    p' = R (e_1 + C^-1 R^T F),    R' = R hat(k_0 + D^-1 R^T m),    m' = -p' x F,    m(l) = 0,

m in world axes, C and D stiffnesses against stretch and shear, and against twist and bending. The unknown is m(0).
"""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

from oracles.continuous_rod import hat

Array = Any


def tip_under_load(
    length: float, D: Array, force: Array, *, C: Array | None = None, bent: Array = (0.0, 0.0, 0.0), R0: Array | None = None
) -> tuple[Array, Array]:
    """Place and rotation of the end; C is None for a rod that neither stretches nor shears."""
    F, k_0, start = np.asarray(force, dtype=float), np.asarray(bent, dtype=float), np.eye(3) if R0 is None else R0
    soft = np.zeros(3) if C is None else 1.0 / np.asarray(C, dtype=float)

    def slope(_: float, y: Array, load: float) -> Array:
        R, m = y[3:12].reshape(3, 3), y[12:15]
        ahead = R @ (np.array([1.0, 0.0, 0.0]) + soft * (R.T @ (load * F)))
        turned = R @ hat(k_0 + (R.T @ m) / np.asarray(D, dtype=float))
        return np.concatenate([ahead, turned.ravel(), -np.cross(ahead, load * F)])

    def end(m: Array, load: float) -> Array:
        y = np.concatenate([np.zeros(3), start.ravel(), m])
        return solve_ivp(slope, (0.0, length), y, args=(load,), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]

    moment = np.zeros(3)
    for load in np.linspace(0.1, 1.0, 10):
        moment = root(lambda m, load=load: end(m, load)[12:15], moment, tol=1e-11).x
    found = end(moment, 1.0)
    assert np.abs(found[12:15]).max() < 1e-7 * max(1.0, float(np.abs(moment).max()))
    return found[0:3], found[3:12].reshape(3, 3)


def spinning_frequencies(spin: float, guesses: Array) -> Array:
    """Out-of-plane frequencies of a clamped beam (length, mass and stiffness one) that spins: (w'' )'' - (T w')' = omega² w
    with T = spin² (1 - x²)/2.
    """

    def miss(omega: float) -> float:
        def slope(x: float, y: Array) -> Array:
            w = y.reshape(4, 2)  # deflection, slope, moment w'', shear w''' - T w'
            T = 0.5 * spin**2 * (1.0 - x * x)
            return np.array([w[1], w[2], w[3] + T * w[1], omega**2 * w[0]]).ravel()

        first = np.zeros((4, 2))
        first[2, 0] = first[3, 1] = 1.0
        last = solve_ivp(slope, (0.0, 1.0), first.ravel(), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1].reshape(4, 2)
        return float(np.linalg.det(last[2:]))

    return np.array([brentq(miss, 0.98 * each, 1.02 * each, xtol=1e-11) for each in guesses])
