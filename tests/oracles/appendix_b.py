"""Appendix B of Belkhiri 2013: free dynamics of its bicycle in closed form, (B.11), (B.12), (B.13) corrected.

Axes are the thesis's: x up, y forward, z left. Joints are in its order (r_2, r_1, r_3): front wheel, steer, rear wheel.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from oracles.mobile_recursions import hat

Array = Any

TO_OURS = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
"""Components in (up, forward, left) to components in (forward, left, up)."""


@dataclass(frozen=True)
class FreeBicycle:
    """curly M, M^T (6 x 3), m (3 x 3), f (6), Q (3) and the wrench of gravity, at one state."""

    locked: Array
    coupling: Array
    m: Array
    f: Array
    Q: Array
    weight: Array


def free_bicycle(
    p: dict[str, float], r1: float, rates: Array, V: Array, W: Array, fall: Array, hub: float = 0.0
) -> FreeBicycle:
    """The matrices; `rates` are (r_2_dot, r_1_dot, r_3_dot), `fall` the acceleration of free fall in body axes.

    `hub` is the height of the hubs above the origin: zero as printed.
    """
    mw, Jw, Iw, l2, l3, alpha = (p[k] for k in ("m_w", "J_w", "I_w", "l2", "l3", "alpha"))
    s1, c1, sa, ca = np.sin(r1), np.cos(r1), np.sin(alpha), np.cos(alpha)
    mass = 2.0 * mw + p["m0"]
    ms = np.array([p["mX0"] + 2.0 * mw * hub, mw * (l2 - l3) + p["mY0"], p["mZ0"]])
    axle = np.array([-sa * s1, -ca * s1, c1])
    axle_slope = np.array([-sa * c1, -ca * c1, -s1])
    steer = np.array([ca, -sa, 0.0])
    I0 = np.array([[p["XX0"], p["XY0"], p["XZ0"]], [p["XY0"], p["YY0"], p["YZ0"]], [p["XZ0"], p["YZ0"], p["ZZ0"]]])
    inertia = I0 + mw * (l2**2 + l3**2) * np.diag([1.0, 0.0, 1.0]) + np.diag([Iw, Iw, Jw])
    inertia = inertia + Iw * np.eye(3) + (Jw - Iw) * np.outer(axle, axle)
    inertia = inertia + 2.0 * mw * hub**2 * np.diag([0.0, 1.0, 1.0])
    inertia[0, 1] -= mw * hub * (l2 - l3)
    inertia[1, 0] -= mw * hub * (l2 - l3)
    slope = (Jw - Iw) * (np.outer(axle_slope, axle) + np.outer(axle, axle_slope))
    angular = np.stack([Jw * axle, Iw * steer, Jw * np.array([0.0, 0.0, 1.0])], axis=1)
    r2_dot, r1_dot, _ = rates
    beta = sa * c1 * W[0] + ca * c1 * W[1] + s1 * W[2]
    f_linear = -(mass * np.cross(W, V) + np.cross(W, np.cross(W, ms)))
    f_angular = -(
        np.cross(ms, np.cross(W, V))
        + np.cross(W, inertia @ W + angular @ rates)
        + slope @ W * r1_dot
        - Jw * np.array([sa * c1, ca * c1, s1]) * r1_dot * r2_dot
    )
    return FreeBicycle(
        locked=np.block([[mass * np.eye(3), -hat(ms)], [hat(ms), inertia]]),
        coupling=np.concatenate([np.zeros((3, 3)), angular]),
        m=np.diag([Jw, Iw, Jw]),
        f=np.concatenate([f_linear, f_angular]),
        Q=np.array([Jw * beta * r1_dot, 0.5 * W @ slope @ W - Jw * beta * r2_dot, 0.0]),
        weight=np.concatenate([mass * fall, np.cross(ms, fall)]),
    )
