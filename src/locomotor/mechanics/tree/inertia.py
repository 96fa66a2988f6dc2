"""Inertia of one rigid body about the origin of its frame, in the ten-number form that composes cheaply."""

from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.typing import Array


@dataclass(frozen=True)
class RigidInertia:
    """Mass m, first moment m c and inertia I about the frame's origin.

    As a 6x6 matrix on twists (linear first): M = [[m 1, -hat(mc)], [hat(mc), I]].
    """

    mass: Any
    moment: Array
    inertia: Array

    @classmethod
    def zero(cls) -> "RigidInertia":
        """Inertia of a massless frame."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @classmethod
    def about_centre(cls, mass: Any, com: Array, inertia: Array) -> "RigidInertia":
        """From the inertia about the centre of mass: I = I_G - m hat(c) hat(c) (parallel axes)."""
        c = ops.skew(com)
        return cls(mass, mass * com, inertia - mass * (c @ c))

    def __add__(self, other: Any) -> Any:
        """Inertia of two bodies fixed together in one frame; with a general form, a general form."""
        if isinstance(other, SpatialForm):
            return SpatialForm.of(self) + other
        return RigidInertia(self.mass + other.mass, self.moment + other.moment, self.inertia + other.inertia)

    def moved_to_parent(self, g: SE3) -> "RigidInertia":
        """The same inertia in the parent frame, g = pose of this frame in the parent.

        With d = R (mc): moment' = d + m p and I' = R I R^T - hat(p) hat(d) - hat(d) hat(p) - m hat(p)^2.
        """
        R, p = g.rotation, g.translation
        d = R @ self.moment
        turned = symmetric_congruence(R, self.inertia)
        e = d + (0.5 * self.mass) * p
        pe = [p[i] * e[i] for i in range(3)]
        upper = [
            [
                turned[i, j] + (2.0 * (pe[i - 1] + pe[i - 2]) if i == j else -(p[i] * e[j] + e[i] * p[j])) if j >= i else None
                for j in range(3)
            ]
            for i in range(3)
        ]
        return RigidInertia(self.mass, d + self.mass * p, symmetric(upper))

    def apply(self, twist: Array) -> Array:
        """Momentum wrench M twist (or the inertial wrench of an acceleration)."""
        V, W = twist[0:3], twist[3:6]
        return ops.concat(self.mass * V + ops.cross(W, self.moment), ops.cross(self.moment, V) + self.inertia @ W)

    def velocity_wrench(self, omega: Array) -> Array:
        """Inertial wrench at zero classical acceleration: (w x (w x mc), w x I w)."""
        return ops.concat(ops.cross(omega, ops.cross(omega, self.moment)), ops.cross(omega, self.inertia @ omega))

    def matrix(self) -> Array:
        """The 6x6 matrix."""
        hat = ops.skew(self.moment)
        return ops.block([[self.mass * np.eye(3), -hat], [hat, self.inertia]])


@dataclass(frozen=True)
class SpatialForm:
    """Symmetric 6x6 form on twists, in blocks [[A, B], [B^T, D]]: an articulated inertia, an added mass, a drag."""

    A: Array
    B: Array
    D: Array

    @classmethod
    def of(cls, inertia: "RigidInertia | SpatialForm") -> "SpatialForm":
        """A rigid inertia in general form."""
        if isinstance(inertia, SpatialForm):
            return inertia
        return cls(inertia.mass * np.eye(3), -ops.skew(inertia.moment), inertia.inertia)

    @classmethod
    def from_matrix(cls, matrix: Array) -> "SpatialForm":
        """From a symmetric 6x6 matrix."""
        return cls(matrix[0:3, 0:3], matrix[0:3, 3:6], matrix[3:6, 3:6])

    def __add__(self, other: "SpatialForm | RigidInertia") -> "SpatialForm":
        """Sum of two forms given in one frame."""
        more = SpatialForm.of(other)
        return SpatialForm(self.A + more.A, self.B + more.B, self.D + more.D)

    def apply(self, x: Array) -> Array:
        """The form times a twist or an acceleration: a wrench."""
        a, w = x[0:3], x[3:6]
        return ops.concat(self.A @ a + self.B @ w, self.B.T @ a + self.D @ w)

    def moved_to_parent(self, g: SE3) -> "SpatialForm":
        """The same inertia in the parent frame: Ad(g^-1)^T I Ad(g^-1)."""
        R, p = g.rotation, g.translation
        A = symmetric_congruence(R, self.A)
        rotated = R @ self.B @ R.T
        D = symmetric_congruence(R, self.D)
        hat = ops.skew(p)
        B = rotated - A @ hat
        shift = hat @ B - rotated.T @ hat
        return SpatialForm(A, B, symmetric([[D[i, j] + shift[i, j] if j >= i else None for j in range(3)] for i in range(3)]))


def symmetric(upper: list[list[Any]]) -> Array:
    """Symmetric matrix from its upper triangle, so that mirrored entries are one shared value."""
    n = len(upper)
    return ops.matrix([[upper[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)])


def symmetric_congruence(R: Array, A: Array) -> Array:
    """R A R^T for symmetric A, computing the upper triangle only."""
    T = R @ A
    n = A.shape[0]
    upper = [
        [sum((T[i, k] * R[j, k] for k in range(1, n)), T[i, 0] * R[j, 0]) if j >= i else None for j in range(n)]
        for i in range(n)
    ]
    return symmetric(upper)
