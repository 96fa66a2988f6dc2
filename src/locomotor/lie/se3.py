"""Rigid motions of space, SE(3)."""

from __future__ import annotations

from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.lie import ops, small_angle
from locomotor.lie.ops import Array
from locomotor.lie.so3 import SO3


@dataclass(frozen=True, eq=False)
class SE3:
    """A pose ``g_a_b = (R, p)``: frame ``b`` seen from frame ``a``, so that ``p_a = R p_b + p``.

    Tangent: the twist ``xi = (V, Omega)`` (6), linear first; as a body velocity ``g_dot = g hat(xi)``.
    A wrench ``(F, N)`` has the same order and its power is ``F . V + N . Omega``.
    """

    rotation: Array
    translation: Array

    tangent_size: ClassVar[int] = 6
    matrix_size: ClassVar[int] = 4

    # --- factories ------------------------------------------------------------------------------------------

    @staticmethod
    def identity() -> SE3:
        """Return the element ``e`` with ``e @ g = g @ e = g``."""
        return SE3(ops.eye(3), ops.zeros(3))

    @staticmethod
    def from_matrix(matrix: Array) -> SE3:
        """Return the element of a homogeneous 4x4 matrix ``[[R, p], [0, 1]]``."""
        return SE3(matrix[0:3, 0:3], ops.vector(matrix[0, 3], matrix[1, 3], matrix[2, 3]))

    # --- accessors ------------------------------------------------------------------------------------------

    def as_matrix(self) -> Array:
        """Return the homogeneous 4x4 matrix ``[[R, p], [0, 1]]``."""
        return ops.block([[self.rotation, self.translation], [ops.zeros(1, 3), ops.eye(1)]])

    # --- algebra --------------------------------------------------------------------------------------------

    @staticmethod
    def hat(xi: Array) -> Array:
        """Return the 4x4 matrix ``[[hat(Omega), V], [0, 0]]`` of a twist."""
        return ops.block([[ops.skew(xi[3:6]), xi[0:3]], [ops.zeros(1, 3), ops.zeros(1, 1)]])

    @staticmethod
    def vee(matrix: Array) -> Array:
        """Return the twist of such a matrix: ``vee(hat(xi)) = xi``."""
        return ops.vector(matrix[0, 3], matrix[1, 3], matrix[2, 3], matrix[2, 1], matrix[0, 2], matrix[1, 0])

    @staticmethod
    def ad(xi: Array) -> Array:
        """Return the matrix of the bracket: ``hat(ad(a) b) = hat(a) hat(b) - hat(b) hat(a)``."""
        V, Omega = ops.skew(xi[0:3]), ops.skew(xi[3:6])
        return ops.block([[Omega, V], [ops.zeros(3, 3), Omega]])

    # --- exponential ----------------------------------------------------------------------------------------

    @staticmethod
    def exp(xi: Array) -> SE3:
        """Return the matrix exponential of ``hat(xi)``: a screw motion, ``(exp(Omega), dexp(-Omega) V)``."""
        V, Omega = xi[0:3], xi[3:6]
        return SE3(SO3.exp(Omega).matrix, SO3.dexp(-Omega) @ V)

    def log(self) -> Array:
        """Return the twist ``xi`` of least rotation with ``exp(xi) = self``."""
        Omega = SO3(self.rotation).log()
        return ops.concat(SO3.dexp_inv(-Omega) @ self.translation, Omega)

    @staticmethod
    def dexp(xi: Array) -> Array:
        """Return the body differential: ``d/dt exp(xi) = exp(xi) hat(dexp(xi) xi_dot)``.

        A twist is the dual vector ``Omega + epsilon V``, so the blocks of ``dexp`` are the one of SO(3) and
        its derivative along ``V`` (principle of transference): ``[[J(Omega), DJ(Omega) V], [0, J(Omega)]]``.
        """
        V, Omega = xi[0:3], xi[3:6]
        x, x_rate = ops.dot(Omega, Omega), 2.0 * ops.dot(Omega, V)
        b, c, db, dc = small_angle.dexp_coefficients(x)
        W, U = ops.skew(Omega), ops.skew(V)
        J = ops.eye(3) - b * W + c * (W @ W)
        DJ = c * (W @ U + U @ W) - b * U + x_rate * (dc * (W @ W) - db * W)
        return ops.block([[J, DJ], [ops.zeros(3, 3), J]])

    @staticmethod
    def dexp_inv(xi: Array) -> Array:
        """Return the inverse of :meth:`dexp`: ``xi_dot = dexp_inv(xi) eta`` integrates ``g_0 exp(xi)``."""
        V, Omega = xi[0:3], xi[3:6]
        x, x_rate = ops.dot(Omega, Omega), 2.0 * ops.dot(Omega, V)
        e, de = small_angle.dexp_inv_coefficients(x)
        W, U = ops.skew(Omega), ops.skew(V)
        J = ops.eye(3) + 0.5 * W + e * (W @ W)
        DJ = 0.5 * U + e * (W @ U + U @ W) + (x_rate * de) * (W @ W)
        return ops.block([[J, DJ], [ops.zeros(3, 3), J]])

    # --- group ----------------------------------------------------------------------------------------------

    def __matmul__(self, other: SE3) -> SE3:
        """Compose: ``g_a_c = g_a_b @ g_b_c``."""
        return SE3(self.rotation @ other.rotation, self.translation + self.rotation @ other.translation)

    def inverse(self) -> SE3:
        """Return the element with ``g @ g.inverse() = identity``."""
        return SE3(self.rotation.T, -(self.rotation.T @ self.translation))

    def act(self, point: Array) -> Array:
        """Return the point seen from the parent frame: ``p_a = R p_b + p``."""
        return self.rotation @ point + self.translation

    def Ad(self) -> Array:
        """Return the adjoint ``[[R, hat(p) R], [0, R]]``: ``g @ exp(xi) = exp(Ad(g) xi) @ g``.

        It carries a twist from the child frame to the parent frame: ``eta_a = Ad(g_a_b) eta_b``.
        """
        R = self.rotation
        return ops.block([[R, ops.skew(self.translation) @ R], [ops.zeros(3, 3), R]])

    # --- products with the adjoint, without forming it ------------------------------------------------------

    def twist_to_child(self, eta: Array) -> Array:
        """Return ``Ad(g)^-1 eta``: ``eta_b`` from ``eta_a``, as ``(R^T (V + Omega x p), R^T Omega)``."""
        V, Omega = eta[0:3], eta[3:6]
        to_child = self.rotation.T
        return ops.concat(to_child @ (V + ops.cross(Omega, self.translation)), to_child @ Omega)

    def wrench_to_parent(self, wrench: Array) -> Array:
        """Return ``Ad(g)^-T f``: ``f_a`` from ``f_b``, as ``(R F, R N + p x R F)``; power is unchanged."""
        F = self.rotation @ wrench[0:3]
        return ops.concat(F, self.rotation @ wrench[3:6] + ops.cross(self.translation, F))
