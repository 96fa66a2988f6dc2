"""Closed forms of Mauny's thesis (2018, chapter 2 and appendices A, B) for the bicycle, misprints corrected.

Everything here is in the thesis's axes (s, n, a) = (up, forward, left), which are (z, x, y) of ours, and in its names:
joints 1 steer, 2 front wheel, 3 rear wheel; velocities (V, Omega, r_dot). Numbers in brackets are those of the thesis,
equation numbers those of Mauny 2018.
"""

from dataclasses import dataclass
from math import atan2, cos, pi, sin, sqrt, tan
from typing import Any

import numpy as np

Array = Any

TO_THESIS = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Components (s, n, a) from our (x, y, z)."""
VELOCITIES = np.block(
    [
        [TO_THESIS, np.zeros((3, 6))],
        [np.zeros((3, 3)), TO_THESIS, np.zeros((3, 3))],
        [np.zeros((3, 6)), np.eye(3)],
    ]
)
"""The thesis's nine velocities from ours."""


def angle(sine: float, cosine: float) -> float:
    """atan2 in [0, 2 pi), where contact angles live."""
    return atan2(sine, cosine) % (2.0 * pi)


@dataclass(frozen=True)
class Geometry:
    """The five lengths and angles of section 1.3, and everything about the contacts that follows from them."""

    l1: float
    l2: float
    mu: float
    h2: float
    h3: float

    @classmethod
    def of(cls, p: Any) -> "Geometry":
        """From the names of Meijaard et al. (section 6.2)."""
        offset = p["rF"] * tan(p["lam"]) - p["c"]
        return cls(l1=p["w"] - offset, l2=offset, mu=p["lam"], h2=p["rF"], h3=p["rR"])

    # -- contact model, section 2 ---------------------------------------------------------------------

    def fork(self, r1: float) -> tuple[Array, Array]:
        """(2.14): R*, p*, pose of the fork's axes at the front hub."""
        sm, cm, s1, c1 = sin(self.mu), cos(self.mu), sin(r1), cos(r1)
        R = np.array([[sm * c1, -sm * s1, cm], [cm * c1, -cm * s1, -sm], [s1, c1, 0.0]])
        l1, l2 = self.l1, self.l2
        p = [self.h2 - self.h3 + l2 * sm * cm * (c1 - 1.0), l1 + l2 * (c1 * cm**2 + sm**2), l2 * cm * s1]
        return R, np.array(p)

    def angles(self, R: Array, r1: float) -> tuple[float, float, float, float, float]:
        """alpha_0, alpha_1, phi_0, phi_1, psi: (2.20)-(2.24), with phi_1 and psi corrected."""
        sm, cm, s1, c1 = sin(self.mu), cos(self.mu), sin(r1), cos(r1)
        R11, R12, R13 = R[0]
        lean = c1 * (sm * R11 + cm * R12) + s1 * R13
        alpha0 = angle(-R12, -R11)
        alpha1 = angle(-lean, R12 * sm - R11 * cm)
        phi0 = atan2(-R13, sqrt(R11**2 + R12**2))
        phi1 = atan2(sm * s1 * R11 + cm * s1 * R12 - c1 * R13, sqrt(lean**2 + (cm * R11 - sm * R12) ** 2))
        return alpha0, alpha1, phi0, phi1, atan2(-R[1, 2], R[2, 2])

    def alpha1_of_angles(self, alpha0: float, phi0: float, r1: float) -> float:
        """(2.27), corrected."""
        return angle(cos(r1) * sin(alpha0 + self.mu) + sin(r1) * tan(phi0), cos(alpha0 + self.mu))

    def altitude_difference(self, phi0: float, alpha0: float, r1: float, alpha1: float) -> float:
        """(2.26), corrected: height of the front contact above the rear one."""
        N0 = np.array([-cos(phi0) * cos(alpha0), -cos(phi0) * sin(alpha0), -sin(phi0)])
        R, p = self.fork(r1)
        return float(N0 @ (R @ self.rho1(alpha1) + p - self.rho0(alpha0)))

    def rho0(self, alpha0: float) -> Array:
        """(2.15)."""
        return self.h3 * np.array([cos(alpha0), sin(alpha0), 0.0])

    def rho1(self, alpha1: float) -> Array:
        """(2.16)."""
        return self.h2 * np.array([sin(alpha1), 0.0, cos(alpha1)])

    def alpha_rates(self, R: Array, r1: float, omega: Array, r1_dot: float) -> tuple[float, float]:
        """(2.31)-(2.33)."""
        sm, cm, s1, c1 = sin(self.mu), cos(self.mu), sin(r1), cos(r1)
        (R11, R12, R13), (W1, W2, W3) = R[0], omega
        a0, b0 = -R12, -R11
        a1, b1 = -c1 * (R11 * sm + R12 * cm) - s1 * R13, R12 * sm - R11 * cm
        a0d, b0d = R11 * W3 - R13 * W1, R13 * W2 - R12 * W3
        a1d = r1_dot * s1 * (R11 * sm + R12 * cm) - s1 * (R11 * W2 - R12 * W1) - r1_dot * c1 * R13
        a1d += c1 * sm * b0d + c1 * cm * a0d
        b1d = (R13 * W1 - R11 * W3) * sm - (R12 * W3 - R13 * W2) * cm
        return (a0d * b0 - b0d * a0) / (a0**2 + b0**2), (a1d * b1 - b1d * a1) / (a1**2 + b1**2)

    def pitch(self, phi0: float, r1: float) -> float:
        """pi - alpha_0 from lean and steer: the root nearest to zero of the quartic of section 2.4."""
        _, p = self.fork(r1)
        c, s, h2 = cos(phi0), sin(phi0), self.h2
        P1, P2, P3 = c * p[0], -c * p[1], self.h3 * c - s * p[2]
        W1, W2, W3 = -sin(r1) * c * sin(self.mu), sin(r1) * c * cos(self.mu), -cos(r1) * s
        A, B, C = P1**2 + (h2 * W1) ** 2, 2 * (P1 * P2 + h2**2 * W1 * W2), P2**2 + (h2 * W2) ** 2
        D, E = 2 * (P1 * P3 + h2**2 * W1 * W3), 2 * (P2 * P3 + h2**2 * W2 * W3)
        F = P3**2 + (h2 * W3) ** 2 - h2**2
        roots = np.roots([A - D + F, 2 * E - 2 * B, 4 * C - 2 * A + 2 * F, 2 * B + 2 * E, A + D + F])
        real = roots[np.abs(roots.imag) < 1e-9].real
        return float(2.0 * np.arctan(real[np.argmin(np.abs(real))]))

    # -- constraints and kernel, section 3 -------------------------------------------------------------

    def rows(self, alpha0: float, alpha1: float, r1: float) -> Array:
        """(A, B) of (2.30): front rows 1-3, rear rows 4-6."""
        sm, cm, s1, c1 = sin(self.mu), cos(self.mu), sin(r1), cos(r1)
        sa, ca, h2, h3, l1, l2 = sin(alpha1), cos(alpha1), self.h2, self.h3, self.l1, self.l2
        k = l2 * cm + h2 * sa
        A26 = (sa * c1 * h2 + (l2 * c1 - l2) * cm) * sm + ca * h2 * cm - h3 + h2
        A34 = (sa * c1 * h2 + (l2 * c1 - l2) * cm) * cm - ca * h2 * sm + l2 + l1
        A15 = l2 * s1 * cm + sa * s1 * h2
        A56, A64 = h3 * cos(alpha0), h3 * sin(alpha0)
        B1 = (-sm * s1 * k, -cm * s1 * k, c1 * k)
        B2 = (h2 * (c1 * ca * sm - sa * cm), h2 * (c1 * ca * cm + sa * sm), h2 * s1 * ca)
        return np.array(
            [
                [1, 0, 0, 0, A15, -A34, B1[0], B2[0], 0],
                [0, 1, 0, -A15, 0, A26, B1[1], B2[1], 0],
                [0, 0, 1, A34, -A26, 0, B1[2], B2[2], 0],
                [1, 0, 0, 0, 0, -A64, 0, 0, -h3 * sin(alpha0)],
                [0, 1, 0, 0, 0, A56, 0, 0, h3 * cos(alpha0)],
                [0, 0, 1, A64, -A56, 0, 0, 0, 0],
            ]
        )

    def kernel_as_printed(self, alpha0: float, alpha1: float, r1: float) -> Array:
        """Appendix B: divides by B12, which vanishes at the nominal pose (section 3.4)."""
        a = self.rows(alpha0, alpha1, r1)
        A15, A16, A24, A26, A34, A35 = a[0, 4], a[0, 5], a[1, 3], a[1, 5], a[2, 3], a[2, 4]
        (B11, B12), (B21, B22), (B31, B32) = a[0, 6:8], a[1, 6:8], a[2, 6:8]
        T16, T19, T26, T29, T34, T35 = -a[3, 5], -a[3, 8], -a[4, 5], -a[4, 8], -a[5, 3], -a[5, 4]
        T45, T47, T48 = -(A35 + T35) / (T34 + A34), -B31 / (T34 + A34), -B32 / (T34 + A34)
        T85, T86, T87, T89 = -A15 / B12, -(A16 + T16) / B12, -B11 / B12, -T19 / B12
        t = A24 * T48 + B22
        delta = t * T86 + T26 + A26
        H65 = -(A24 * T45 + t * T85) / delta
        H67 = -(B21 + A24 * T47 + t * T87) / delta
        H69 = -(T29 + t * T89) / delta
        row6 = np.array([H65, H67, H69])
        row1, row2 = T16 * row6 + [0, 0, T19], T26 * row6 + [0, 0, T29]
        row8 = T86 * row6 + [T85, T87, T89]
        row4 = T48 * row8 + [T45, T47, 0]
        row3 = T34 * row4 + [T35, 0, 0]
        return np.array([row1, row2, row3, row4, [1, 0, 0], row6, [0, 1, 0], row8, [0, 0, 1]])

    def kernel(
        self, alpha0: float, alpha1: float, r1: float, rates: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> tuple[Array, Array]:
        """H without singularity (section 3.5), and H_dot for the rates of alpha_0, alpha_1, r_1 (section 3.6)."""
        e0, e1, e2 = rates
        sm, cm, s1, c1, h2, h3 = sin(self.mu), cos(self.mu), sin(r1), cos(r1), self.h2, self.h3
        s = np.array([sm * c1, cm * c1, s1])
        n = np.array([-sm * s1, -cm * s1, c1])
        a = np.array([cm, -sm, 0.0])
        sa, ca = sin(alpha1), cos(alpha1)
        k = self.l2 * cm + h2 * sa
        C0 = self.rho0(alpha0)
        d = np.array([h2 - h3, self.l1, 0.0]) + k * s + (h2 * ca - self.l2 * sm) * a - C0
        b1, b2, b3 = k * n, h2 * (ca * s - sa * a), h3 * np.array([-sin(alpha0), cos(alpha0), 0.0])
        N = d @ b2
        rho7, rho9 = -d @ b1 / N, d @ b3 / N
        c7, c9 = b1 + rho7 * b2, -b3 + rho9 * b2

        C0d, dd, b3d = e0 * b3, e1 * b2 + e2 * b1 - e0 * b3, -e0 * C0
        b1d = h2 * ca * e1 * n - e2 * k * s
        b2d = h2 * (-sa * e1 * s + ca * e2 * n - ca * e1 * a)
        Nd = dd @ b2 + d @ b2d
        rho7d, rho9d = -(dd @ b1 + d @ b1d + rho7 * Nd) / N, (dd @ b3 + d @ b3d - rho9 * Nd) / N
        c7d, c9d = b1d + rho7d * b2 + rho7 * b2d, -b3d + rho9d * b2 + rho9 * b2d

        W = [np.array([d[0] / d[1], 1.0, d[2] / d[1]])] + [np.array([-c[2], 0.0, c[0]]) / d[1] for c in (c7, c9)]
        turned = [(dd[0], dd[2]), (-c7d[2], c7d[0]), (-c9d[2], c9d[0])]
        H, H_dot = np.zeros((9, 3)), np.zeros((9, 3))
        for j, (w, (x, z)) in enumerate(zip(W, turned, strict=True)):
            wd = np.array([(x - w[0] * dd[1]) / d[1], 0.0, (z - w[2] * dd[1]) / d[1]])
            last = 1.0 if j == 2 else 0.0
            H[:3, j], H_dot[:3, j] = -np.cross(w, C0) - last * b3, -np.cross(wd, C0) - np.cross(w, C0d) - last * b3d
            H[3:6, j], H_dot[3:6, j] = w, wd
        H[6], H[7], H[8] = (0, 1, 0), (0, rho7, rho9), (0, 0, 1)
        H_dot[7] = (0, rho7d, rho9d)
        return H, H_dot
