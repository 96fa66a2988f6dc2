"""Rotations of space, SO(3)."""

from __future__ import annotations

from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.lie import ops, quaternion, small_angle
from locomotor.lie.ops import Array, Scalar


@dataclass(frozen=True, eq=False)
class SO3:
    """A rotation ``R_a_b``: the axes of frame ``b`` seen from frame ``a``, so that ``p_a = R_a_b p_b``.

    Tangent: the rotation vector ``Omega`` (3), a body angular velocity, ``R_dot = R hat(Omega)``.
    """

    matrix: Array

    tangent_size: ClassVar[int] = 3
    matrix_size: ClassVar[int] = 3

    # --- factories ------------------------------------------------------------------------------------------

    @staticmethod
    def identity() -> SO3:
        """Return the element ``e`` with ``e @ g = g @ e = g``."""
        return SO3(ops.eye(3))

    @staticmethod
    def from_matrix(matrix: Array) -> SO3:
        """Return the element of an orthogonal 3x3 matrix of determinant one."""
        return SO3(matrix)

    @staticmethod
    def from_quaternion(q: Array) -> SO3:
        """Return the rotation of a unit quaternion, scalar first."""
        return SO3(quaternion.to_matrix(q))

    @staticmethod
    def about(axis: Array, angle: Scalar) -> SO3:
        """Return ``exp(angle * axis)`` for a unit ``axis``, without series: the turn of a hinge.

        Entries are arranged so that the zeros and ones of an axis along x, y or z leave no operation behind.
        """
        x, y, z = ops.entries(axis)
        c, s = ops.cos(angle), ops.sin(angle)
        v = 1.0 - c
        return SO3(
            ops.matrix(
                [
                    [x * x + c * (1.0 - x * x), x * y * v - z * s, x * z * v + y * s],
                    [x * y * v + z * s, y * y + c * (1.0 - y * y), y * z * v - x * s],
                    [x * z * v - y * s, y * z * v + x * s, z * z + c * (1.0 - z * z)],
                ]
            )
        )

    # --- accessors ------------------------------------------------------------------------------------------

    def as_matrix(self) -> Array:
        """Return the 3x3 matrix ``R``."""
        return self.matrix

    def as_quaternion(self) -> Array:
        """Return the unit quaternion of the rotation, scalar first and not negative."""
        return quaternion.from_matrix(self.matrix)

    # --- algebra --------------------------------------------------------------------------------------------

    @staticmethod
    def hat(xi: Array) -> Array:
        """Return the skew matrix of a tangent: ``hat(a) @ b = a x b``."""
        return ops.skew(xi)

    @staticmethod
    def vee(matrix: Array) -> Array:
        """Return the tangent of a skew matrix: ``vee(hat(xi)) = xi``."""
        return ops.vector(matrix[2, 1], matrix[0, 2], matrix[1, 0])

    @staticmethod
    def ad(xi: Array) -> Array:
        """Return the matrix of the bracket: ``hat(ad(a) b) = hat(a) hat(b) - hat(b) hat(a)``."""
        return ops.skew(xi)

    # --- exponential ----------------------------------------------------------------------------------------

    @staticmethod
    def exp(xi: Array) -> SO3:
        """Return the matrix exponential of ``hat(xi)`` (Rodrigues): ``1 + c_1 hat(xi) + c_2 hat(xi)^2``."""
        hat = ops.skew(xi)
        c = small_angle.stumpff(ops.dot(xi, xi))
        return SO3(ops.eye(3) + c[1] * hat + c[2] * (hat @ hat))

    def log(self) -> Array:
        """Return the shortest rotation vector ``xi`` with ``exp(xi) = self``, of length at most pi.

        It goes through the quaternion, well conditioned near a half turn, where ``R - R^T`` vanishes.
        """
        return quaternion.log(quaternion.from_matrix(self.matrix))

    @staticmethod
    def dexp(xi: Array) -> Array:
        """Return the body differential: ``d/dt exp(xi) = exp(xi) hat(dexp(xi) xi_dot)``."""
        b, c, _, _ = small_angle.dexp_coefficients(ops.dot(xi, xi))
        hat = ops.skew(xi)
        return ops.eye(3) - b * hat + c * (hat @ hat)

    @staticmethod
    def dexp_inv(xi: Array) -> Array:
        """Return the inverse of :meth:`dexp`: ``xi_dot = dexp_inv(xi) Omega`` integrates ``g_0 exp(xi)``."""
        e, _ = small_angle.dexp_inv_coefficients(ops.dot(xi, xi))
        hat = ops.skew(xi)
        return ops.eye(3) + 0.5 * hat + e * (hat @ hat)

    # --- group ----------------------------------------------------------------------------------------------

    def __matmul__(self, other: SO3) -> SO3:
        """Compose: ``R_a_c = R_a_b @ R_b_c``."""
        return SO3(self.matrix @ other.matrix)

    def inverse(self) -> SO3:
        """Return the element with ``g @ g.inverse() = identity``."""
        return SO3(self.matrix.T)

    def act(self, point: Array) -> Array:
        """Return the point seen from the parent frame: ``p_a = R_a_b p_b``."""
        return self.matrix @ point

    def Ad(self) -> Array:
        """Return the adjoint: ``g @ exp(xi) = exp(Ad(g) xi) @ g``; here ``R`` itself."""
        return self.matrix
