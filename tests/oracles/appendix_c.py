"""Mauny 2018, appendix C: the bicycle in flight, on one wheel and on both, as printed, in its axes (up, forward, left).

C.1 prints every entry of the free mass matrix. Its "M2" is M22, and M17 and M27, which it prints as zero, are not.
"""

from dataclasses import dataclass
from math import cos, sin
from typing import Any

import numpy as np

from oracles.thesis_bicycle import Geometry

Array = Any


@dataclass(frozen=True)
class Masses:
    """Masses of frame, fork, front and rear wheel, centres and inertias about these, in the axes of each body.

    Frame: x up, y forward, z to the left. Fork: x ahead of the steering axis, z along it. Wheels: z along the axle.
    """

    m: tuple[float, float, float, float]
    x0: float
    y0: float
    x1: float
    z1: float
    I0: Array
    I1: Array
    I2xx: float
    I2zz: float
    I3xx: float
    I3zz: float

    @classmethod
    def of(cls, p: Any) -> "Masses":
        """From the names of Meijaard et al., whose axes are x forward, z down; the fork is turned by its tilt."""
        offset = p["rF"] * np.tan(p["lam"]) - p["c"]
        up, forward = -p["zH"] - p["rF"], p["xH"] - (p["w"] - offset)
        s, c = np.sin(p["lam"]), np.cos(p["lam"])
        ahead, along = np.array([s, c, 0.0]), np.array([c, -s, 0.0])
        fork = np.array([[p["IHzz"], -p["IHxz"], 0.0], [-p["IHxz"], p["IHxx"], 0.0], [0.0, 0.0, p["IHyy"]]])
        turn = np.array([ahead, [0.0, 0.0, 1.0], along])
        frame = np.array([[p["IBzz"], -p["IBxz"], 0.0], [-p["IBxz"], p["IBxx"], 0.0], [0.0, 0.0, p["IByy"]]])
        return cls(
            m=(p["mB"], p["mH"], p["mF"], p["mR"]),
            x0=-p["zB"] - p["rR"],
            y0=p["xB"],
            x1=float(ahead[:2] @ [up, forward]),
            z1=float(along[:2] @ [up, forward]),
            I0=frame,
            I1=turn @ fork @ turn.T,
            I2xx=p["IFxx"],
            I2zz=p["IFyy"],
            I3xx=p["IRxx"],
            I3zz=p["IRyy"],
        )


def mass_matrix(g: Geometry, b: Masses, r1: float) -> Array:
    """C.1, with the three corrections."""
    (m0, m1, m2, m3), x0, y0, x1, z1 = b.m, b.x0, b.y0, b.x1, b.z1
    l1, l2, h2, h3 = g.l1, g.l2, g.h2, g.h3
    s, c, sr, cr = sin(g.mu), cos(g.mu), sin(r1), cos(r1)
    s2m, c3m, s2r = sin(2 * g.mu), cos(3 * g.mu), sin(2 * r1)
    I0xx, I0yy, I0zz, I0xy = b.I0[0, 0], b.I0[1, 1], b.I0[2, 2], b.I0[0, 1]
    I1xx, I1yy, I1zz, I1zx = b.I1[0, 0], b.I1[1, 1], b.I1[2, 2], b.I1[0, 2]
    I2xx, I2zz, I3xx, I3zz = b.I2xx, b.I2zz, b.I3xx, b.I3zz
    M15 = sr * x1 * m1 + c * sr * l2 * m2
    M16 = -y0 * m0 + (-l1 - c * cr * x1 + s * z1) * m1 + (-l1 - c**2 * cr * l2 + c**2 * l2 - l2) * m2
    M26 = x0 * m0 + (h2 - h3 + s * cr * x1 + c * z1) * m1 + (s2m * cr * l2 - s2m * l2 + 2 * h2 - 2 * h3) * m2 / 2
    M37 = cr * x1 * m1 + c * cr * l2 * m2
    M44 = (
        y0**2 * m0
        + (l1**2 - 2 * s * z1 * (l1 + c * cr * x1) + 2 * c * cr * x1 * l1 - (s * cr - 1) * (s * cr + 1) * x1**2 + s**2 * z1**2)
        * m1
        + (
            l1**2
            + s**2 * l2 * (2 * l1 - l2)
            - 2 * (s - 1) * (s + 1) * cr * l2 * (l1 + s**2 * l2)
            + (s - 1) * s**2 * (s + 1) * cr**2 * l2**2
            + s**4 * l2**2
            + l2**2
        )
        * m2
        + I0xx
        + s**2 * cr**2 * I1xx
        - s**2 * (cr - 1) * (cr + 1) * I1yy
        - (s - 1) * (s + 1) * I1zz
        + 2 * c * s * cr * I1zx
        + (s**2 * cr**2 - s**2 + 1) * I2xx
        - s**2 * (cr - 1) * (cr + 1) * I2zz
        + I3xx
    )
    M45 = (
        -y0 * x0 * m0
        + (
            -h2 * l1
            + h3 * l1
            - s * cr * x1 * l1
            - c * z1 * l1
            - c * cr * x1 * h2
            + s * z1 * h2
            + c * cr * x1 * h3
            - s * z1 * h3
            - c * s * cr**2 * x1**2
            + 2 * s**2 * cr * z1 * x1
            - cr * z1 * x1
            + c * s * z1**2
        )
        * m1
        - (c * s * cr * l2 - c * s * l2 + h2 - h3) * (l1 - s**2 * cr * l2 + cr * l2 + s**2 * l2) * m2
        + I0xy
        + c * s * cr**2 * I1xx
        - c * s * (cr - 1) * (cr + 1) * I1yy
        - c * s * I1zz
        - (2 * s**2 - 1) * cr * I1zx
        + c * s * (cr - 1) * (cr + 1) * I2xx
        - c * s * (cr - 1) * (cr + 1) * I2zz
    )
    M46 = (
        -sr * x1 * (h2 - h3 + s * cr * x1 + c * z1) * m1
        - c * sr * l2 * (c * s * cr * l2 - c * s * l2 + h2 - h3) * m2
        + s * cr * sr * (I1xx - I1yy + I2xx - I2zz)
        + c * sr * I1zx
    )
    M47 = (
        x1 * (cr * l1 + c * x1 - s * cr * z1) * m1
        + c * l2 * (cr * l1 + s**2 * cr * l2 + c**2 * l2) * m2
        + c * I1zz
        + s * cr * I1zx
        + c * I2xx
    )
    M55 = (
        x0**2 * m0
        + (
            h2**2
            + 2 * c * z1 * (h2 - h3 + s * cr * x1)
            + 2 * s * cr * x1 * (h2 - h3)
            - 2 * h3 * h2
            + h3**2
            - (c * cr - 1) * (c * cr + 1) * x1**2
            + c**2 * z1**2
        )
        * m1
        + (
            -(c**4) * cr**2 * l2**2
            + 2 * c**4 * cr * l2**2
            - 2 * c**2 * cr * l2**2
            - c**4 * l2**2
            + 2 * c**2 * l2**2
            + 2 * c * s * cr * h2 * l2
            - 2 * c * s * h2 * l2
            - 2 * c * s * cr * h3 * l2
            + 2 * c * s * h3 * l2
            + h2**2
            - 2 * h3 * h2
            + h3**2
        )
        * m2
        + I0yy
        + c**2 * cr**2 * I1xx
        - c**2 * (cr - 1) * (cr + 1) * I1yy
        - (c - 1) * (c + 1) * I1zz
        - 2 * c * s * cr * I1zx
        + (c**2 * cr**2 - c**2 + 1) * I2xx
        - c**2 * (cr - 1) * (cr + 1) * I2zz
        + I3xx
    )
    M56 = (
        -x1 * (2 * sr * l1 + c * s2r * x1 - 2 * s * sr * z1) * m1 / 2
        - l2 * (8 * c * sr * l1 + c3m * s2r * l2 + 3 * c * s2r * l2 - 2 * c3m * sr * l2 + 2 * c * sr * l2) * m2 / 8
        + c * s2r * (I1xx - I1yy + I2xx - I2zz) / 2
        - s * sr * I1zx
    )
    M57 = (
        -x1 * (cr * h2 - cr * h3 + s * x1 + c * cr * z1) * m1
        + c * l2 * (c * s * cr * l2 - c * s * l2 - cr * h2 + cr * h3) * m2
        - s * I1zz
        + c * cr * I1zx
        - s * I2xx
    )
    M66 = (
        (x0**2 + y0**2) * m0
        + (
            l1**2
            - 2 * z1 * (s * l1 - c * h2 + c * h3)
            + 2 * cr * x1 * (c * l1 + s * h2 - s * h3)
            + h2**2
            - 2 * h3 * h2
            + h3**2
            + cr**2 * x1**2
            + z1**2
        )
        * m1
        + (
            l1**2
            + 2 * c * cr * l2 * (c * l1 + s * h2 - s * h3)
            - c**2 * l2 * (2 * l1 + l2)
            + 2 * l2 * l1
            + c**2 * cr**2 * l2**2
            + l2**2
            - s2m * (h2 - h3) * l2
            + h2**2
            - 2 * h3 * h2
            + h3**2
        )
        * m2
        + I0zz
        - (cr - 1) * (cr + 1) * I1xx
        + cr**2 * I1yy
        - (cr - 1) * (cr + 1) * I2xx
        + cr**2 * I2zz
        + I3zz
    )
    M67 = sr * x1 * (s * l1 - c * h2 + c * h3 - z1) * m1 + c * sr * l2 * (s * l1 + s * l2 - c * h2 + c * h3) * m2 + sr * I1zx
    M77 = x1**2 * m1 + c**2 * l2**2 * m2 + I1zz + I2xx
    moment = sr * (x1 * m1 + c * l2 * m2)
    total = m0 + m1 + m2 + m3
    upper = {(1, 1): total, (2, 2): total, (3, 3): total, (1, 5): M15, (2, 4): -M15, (1, 6): M16, (3, 4): -M16}
    upper |= {(2, 6): M26, (3, 5): -M26, (3, 7): M37, (4, 4): M44, (4, 5): M45, (4, 6): M46, (4, 7): M47}
    upper |= {(4, 8): -s * sr * I2zz, (5, 5): M55, (5, 6): M56, (5, 7): M57, (5, 8): -c * sr * I2zz, (6, 6): M66}
    upper |= {(6, 7): M67, (6, 8): cr * I2zz, (6, 9): I3zz, (7, 7): M77, (8, 8): I2zz, (9, 9): I3zz}
    upper |= {(1, 7): -s * moment, (2, 7): -c * moment}
    found = np.zeros((9, 9))
    for (i, j), value in upper.items():
        found[i - 1, j - 1] = found[j - 1, i - 1] = value
    return found


def one_wheel(g: Geometry, wheel: str, alpha0: float, alpha1: float, r1: float) -> tuple[Array, Array]:
    """C.2 (front) and C.3 (rear): the rows of one wheel, and their kernel with the columns (Omega, r_dot)."""
    rows = g.rows(alpha0, alpha1, r1)[0:3] if wheel == "front" else g.rows(alpha0, alpha1, r1)[3:6]
    return rows, np.vstack([-rows[:, 3:], np.eye(6)])
