"""Rigid motions of the plane, SE(2)."""

from __future__ import annotations

from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.lie import ops, small_angle
from locomotor.lie.ops import Array
from locomotor.lie.so2 import SO2


@dataclass(frozen=True, eq=False)
class SE2:
    """A pose ``g_a_b = (R, p)``: frame ``b`` seen from frame ``a``, so that ``p_a = R p_b + p``.

    Tangent: the twist ``xi = (vx, vy, w)`` (3), linear first; as a body velocity ``g_dot = g hat(xi)``.
    """

    rotation: Array
    translation: Array

    tangent_size: ClassVar[int] = 3
    matrix_size: ClassVar[int] = 3

    # --- factories ------------------------------------------------------------------------------------------

    @staticmethod
    def identity() -> SE2:
        """Return the element ``e`` with ``e @ g = g @ e = g``."""
        return SE2(ops.eye(2), ops.zeros(2))

    @staticmethod
    def from_matrix(matrix: Array) -> SE2:
        """Return the element of a homogeneous 3x3 matrix ``[[R, p], [0, 1]]``."""
        return SE2(matrix[0:2, 0:2], ops.vector(matrix[0, 2], matrix[1, 2]))

    # --- accessors ------------------------------------------------------------------------------------------

    def as_matrix(self) -> Array:
        """Return the homogeneous 3x3 matrix ``[[R, p], [0, 1]]``."""
        return ops.block([[self.rotation, self.translation], [ops.zeros(1, 2), ops.eye(1)]])

    # --- algebra --------------------------------------------------------------------------------------------

    @staticmethod
    def hat(xi: Array) -> Array:
        """Return the 3x3 matrix ``[[0, -w, vx], [w, 0, vy], [0, 0, 0]]`` of a twist."""
        vx, vy, w = ops.entries(xi)
        return ops.matrix([[0.0, -w, vx], [w, 0.0, vy], [0.0, 0.0, 0.0]])

    @staticmethod
    def vee(matrix: Array) -> Array:
        """Return the twist of such a matrix: ``vee(hat(xi)) = xi``."""
        return ops.vector(matrix[0, 2], matrix[1, 2], matrix[1, 0])

    @staticmethod
    def ad(xi: Array) -> Array:
        """Return the matrix of the bracket: ``hat(ad(a) b) = hat(a) hat(b) - hat(b) hat(a)``."""
        vx, vy, w = ops.entries(xi)
        return ops.matrix([[0.0, -w, vy], [w, 0.0, -vx], [0.0, 0.0, 0.0]])

    # --- exponential ----------------------------------------------------------------------------------------

    @staticmethod
    def exp(xi: Array) -> SE2:
        """Return the matrix exponential of ``hat(xi)``: a turn about a fixed point, or a translation."""
        vx, vy, w = ops.entries(xi)
        c = small_angle.stumpff(w * w)
        forward, sideways = c[1], w * c[2]
        translation = ops.vector(forward * vx - sideways * vy, sideways * vx + forward * vy)
        return SE2(SO2.exp(w).matrix, translation)

    def log(self) -> Array:
        """Return the twist ``xi`` of least rotation with ``exp(xi) = self``."""
        (w,) = ops.entries(SO2(self.rotation).log())
        e, _ = small_angle.dexp_inv_coefficients(w * w)
        px, py = ops.entries(self.translation)
        forward, sideways = 1.0 - w * w * e, 0.5 * w
        return ops.vector(forward * px + sideways * py, forward * py - sideways * px, w)

    @staticmethod
    def dexp(xi: Array) -> Array:
        """Return the body differential: ``d/dt exp(xi) = exp(xi) hat(dexp(xi) xi_dot)``."""
        ad = SE2.ad(xi)
        b, c, _, _ = small_angle.dexp_coefficients(xi[2] * xi[2])  # ad^3 = -w^2 ad, as on SO(3)
        return ops.eye(3) - b * ad + c * (ad @ ad)

    @staticmethod
    def dexp_inv(xi: Array) -> Array:
        """Return the inverse of :meth:`dexp`: ``xi_dot = dexp_inv(xi) eta`` integrates ``g_0 exp(xi)``."""
        ad = SE2.ad(xi)
        e, _ = small_angle.dexp_inv_coefficients(xi[2] * xi[2])
        return ops.eye(3) + 0.5 * ad + e * (ad @ ad)

    # --- group ----------------------------------------------------------------------------------------------

    def __matmul__(self, other: SE2) -> SE2:
        """Compose: ``g_a_c = g_a_b @ g_b_c``."""
        return SE2(self.rotation @ other.rotation, self.translation + self.rotation @ other.translation)

    def inverse(self) -> SE2:
        """Return the element with ``g @ g.inverse() = identity``."""
        return SE2(self.rotation.T, -(self.rotation.T @ self.translation))

    def act(self, point: Array) -> Array:
        """Return the point seen from the parent frame: ``p_a = R p_b + p``."""
        return self.rotation @ point + self.translation

    def Ad(self) -> Array:
        """Return the adjoint: ``g @ exp(xi) = exp(Ad(g) xi) @ g``.

        It carries a twist from the child frame to the parent frame: ``eta_a = Ad(g_a_b) eta_b``.
        """
        px, py = ops.entries(self.translation)
        return ops.block([[self.rotation, ops.vector(py, -px)], [ops.zeros(1, 2), ops.eye(1)]])
