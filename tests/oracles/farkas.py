"""Force and torque of a disc that slides and spins under even pressure, by elliptic integrals; and its motion by them."""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipe, ellipk


def farkas(eps):
    """Force and torque of a disc of radius 1 for mu N = 1 (Farkas et al. 2003, (4) and (5)), eps = v/(omega R)."""
    if eps <= 1.0:
        m = eps**2
        force = 4.0 / (3.0 * math.pi * eps) * ((m + 1.0) * ellipe(m) + (m - 1.0) * ellipk(m))
        return force, 4.0 / (9.0 * math.pi) * ((4.0 - 2.0 * m) * ellipe(m) + (m - 1.0) * ellipk(m))
    m, square = eps**-2, eps**2
    force = 4.0 / (3.0 * math.pi) * ((square + 1.0) * ellipe(m) - (square - 1.0) * ellipk(m))
    torque = (4.0 - 2.0 * square) * ellipe(m) + (2.0 * square - 5.0 + 3.0 * m) * ellipk(m)
    return force, 4.0 / (9.0 * math.pi) * eps * torque


def _braked(friction, radius, gravity):
    def brakes(_, state):
        force, torque = farkas(state[0] / (radius * state[1]))
        return [-friction * gravity * force, -2.0 * friction * gravity / radius * torque]

    return brakes


def slowed(speed, rate, duration, friction, radius, gravity):
    """Speed and rate of a uniform disc after some time, integrated to round-off."""
    brakes = _braked(friction, radius, gravity)
    return np.array(solve_ivp(brakes, (0.0, duration), [speed, rate], method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1])


def stops(speed, rate, friction, radius, gravity):
    """When such a disc has all but stopped: a microsecond before it does."""

    def slow(_, state):
        return state[0] - 1e-6

    slow.terminal = True
    brakes = _braked(friction, radius, gravity)
    return solve_ivp(brakes, (0.0, 100.0), [speed, rate], rtol=1e-10, atol=1e-13, events=slow).t[-1]
