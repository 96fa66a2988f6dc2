"""A slender body as many point masses whose places are written out: what the integrals of `AssumedModes` must sum up to.

Slices stand at points of Gauss; each is four masses with the mass, moments and second moments of its section. Shapes,
displacements and accelerations are computed here again, from their textbook forms.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

Array = Any

ROOTS = (1.875104068711961, 4.694091132974175)


@cache
def clamped_free(k: int, s: float) -> tuple[float, float]:
    """A bending shape and its slope by s, one at the end (Blevins 1979, table 8-1)."""
    b = ROOTS[k]
    c = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
    value = np.cosh(b * s) - np.cos(b * s) - c * (np.sinh(b * s) - np.sin(b * s))
    slope = b * (np.sinh(b * s) + np.sin(b * s) - c * (np.cosh(b * s) - np.cos(b * s)))
    end = np.cosh(b) - np.cos(b) - c * (np.sinh(b) - np.sin(b))
    return value / end, slope / end


def fixed_free(s: float) -> float:
    """The first shape of twist and of stretch."""
    return float(np.sin(0.5 * np.pi * s))


@cache
def shortened(i: int, j: int, s: float) -> float:
    """int_0^s of the product of two slopes."""
    points, weights = np.polynomial.legendre.leggauss(40)
    places = 0.5 * s * (points + 1.0)
    return float(sum(0.5 * s * w * clamped_free(i, x)[1] * clamped_free(j, x)[1] for x, w in zip(places, weights, strict=True)))


@dataclass
class Points:
    """Point masses of a body with coordinates (stretch, y1, y2, z1, twist), and their places, rates and accelerations."""

    length: float
    mass: Any
    """Of s: mass per length, moments (2), second moments (3)."""
    shortening: bool = False

    def __post_init__(self) -> None:
        points, weights = np.polynomial.legendre.leggauss(40)
        self.cloud: list[tuple[float, float, float, float]] = []
        for s, w in zip(0.5 * (points + 1.0), 0.5 * weights, strict=True):
            m, (y, z), (yy, zz, yz) = self.mass(s)
            centre = np.array([y, z]) / m
            spread = np.array([[yy, yz], [yz, zz]]) / m - np.outer(centre, centre)
            values, vectors = np.linalg.eigh(spread)
            for k in range(2):
                arm = vectors[:, k] * np.sqrt(2.0 * max(values[k], 0.0))
                for sign in (1.0, -1.0):
                    self.cloud.append((w * self.length * m / 4.0, s, *(centre + sign * arm)))

    def field(self, e: Array, s: float, y: float, z: float) -> tuple[Array, Array, Array]:
        """Place r(e), its derivatives by e (3 x 5), and its second derivatives (3 x 5 x 5)."""
        L = self.length
        (v1, a1), (v2, a2), t = clamped_free(0, s), clamped_free(1, s), fixed_free(s)
        place = np.array([L * s, y, z])
        slope = np.array(
            [[t, -y * a1 / L, -y * a2 / L, -z * a1 / L, 0.0], [0.0, v1, v2, 0.0, -z * t], [0.0, 0.0, 0.0, v1, y * t]]
        )
        bend = np.zeros((3, 5, 5))
        if self.shortening:
            for i, a in ((1, 0), (2, 1)):
                for j, b in ((1, 0), (2, 1)):
                    bend[0, i, j] = -shortened(a, b, s) / L
            bend[0, 3, 3] = -shortened(0, 0, s) / L
        return place + slope @ e + 0.5 * bend @ e @ e, slope + bend @ e, bend

    def inertial(
        self, e: Array, e_dot: Array, e_ddot: Array, omega: Array, a: Array, w_dot: Array, coriolis: float = 2.0
    ) -> Array:
        """int (f, r x f, r_i . f) dm with f the true acceleration, from the second derivative of R(t) r(t).

        R(t) = R (1 + W t + (W' + W²) t²/2 + ...) and r(t) = r + r' t + r'' t²/2: the product of the two series has W r' in its
        square, and the acceleration is twice that. `coriolis` is that factor, which the source prints as one.
        """
        total = np.zeros(11)
        W, W_dot = skew(omega), skew(w_dot)
        for m, s, y, z in self.cloud:
            r, slope, bend = self.field(e, s, y, z)
            rate, bent = slope @ e_dot, bend @ e_dot @ e_dot
            f = a + (W_dot + W @ W) @ r + coriolis * W @ rate + slope @ e_ddot + bent
            total += m * np.concatenate([f, np.cross(r, f), slope.T @ f])
        return total

    def kinetic(self, e: Array, e_dot: Array, velocity: Array, omega: Array) -> float:
        """Kinetic energy."""
        total = 0.0
        for m, s, y, z in self.cloud:
            r, slope, _ = self.field(e, s, y, z)
            total += 0.5 * m * float(np.sum((velocity + np.cross(omega, r) + slope @ e_dot) ** 2))
        return total


def skew(x: Array) -> Array:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
