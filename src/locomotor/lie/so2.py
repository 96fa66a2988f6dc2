"""Rotations of the plane, SO(2)."""

from __future__ import annotations

from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.lie.ops import Array


@dataclass(frozen=True, eq=False)
class SO2:
    """A rotation ``R_a_b``: the axes of frame ``b`` seen from frame ``a``, so that ``p_a = R_a_b p_b``.

    Tangent: the angle, a vector of one entry (a bare scalar is taken too), positive from x to y.
    """

    matrix: Array

    tangent_size: ClassVar[int] = 1
    matrix_size: ClassVar[int] = 2

    # --- factories ------------------------------------------------------------------------------------------

    @staticmethod
    def identity() -> SO2:
        """Return the element ``e`` with ``e @ g = g @ e = g``."""
        return SO2(ops.eye(2))

    @staticmethod
    def from_matrix(matrix: Array) -> SO2:
        """Return the element of an orthogonal 2x2 matrix of determinant one."""
        return SO2(matrix)

    # --- accessors ------------------------------------------------------------------------------------------

    def as_matrix(self) -> Array:
        """Return the 2x2 matrix ``R``."""
        return self.matrix

    # --- algebra --------------------------------------------------------------------------------------------

    @staticmethod
    def hat(xi: Array) -> Array:
        """Return the skew matrix ``[[0, -theta], [theta, 0]]`` of a tangent."""
        (theta,) = ops.entries(xi)
        return ops.matrix([[0.0, -theta], [theta, 0.0]])

    @staticmethod
    def vee(matrix: Array) -> Array:
        """Return the tangent of a skew matrix: ``vee(hat(xi)) = xi``."""
        return ops.vector(matrix[1, 0])

    @staticmethod
    def ad(xi: Array) -> Array:
        """Return the matrix of the bracket: ``hat(ad(a) b) = hat(a) hat(b) - hat(b) hat(a)``; here zero."""
        return ops.zeros(1, 1)

    # --- exponential ----------------------------------------------------------------------------------------

    @staticmethod
    def exp(xi: Array) -> SO2:
        """Return the matrix exponential of ``hat(xi)``: ``[[cos, -sin], [sin, cos]]``."""
        (theta,) = ops.entries(xi)
        c, s = ops.cos(theta), ops.sin(theta)
        return SO2(ops.matrix([[c, -s], [s, c]]))

    def log(self) -> Array:
        """Return the angle in ``[-pi, pi]`` with ``exp(xi) = self``."""
        return ops.vector(ops.atan2(self.matrix[1, 0], self.matrix[0, 0]))

    @staticmethod
    def dexp(xi: Array) -> Array:
        """Return the body differential: ``d/dt exp(xi) = exp(xi) hat(dexp(xi) xi_dot)``; here one."""
        return ops.eye(1)

    @staticmethod
    def dexp_inv(xi: Array) -> Array:
        """Return the inverse of :meth:`dexp`: ``xi_dot = dexp_inv(xi) omega`` integrates ``g_0 exp(xi)``."""
        return ops.eye(1)

    # --- group ----------------------------------------------------------------------------------------------

    def __matmul__(self, other: SO2) -> SO2:
        """Compose: ``R_a_c = R_a_b @ R_b_c``."""
        return SO2(self.matrix @ other.matrix)

    def inverse(self) -> SO2:
        """Return the element with ``g @ g.inverse() = identity``."""
        return SO2(self.matrix.T)

    def act(self, point: Array) -> Array:
        """Return the point seen from the parent frame: ``p_a = R_a_b p_b``."""
        return self.matrix @ point

    def Ad(self) -> Array:
        """Return the adjoint: ``g @ exp(xi) = exp(Ad(g) xi) @ g``; here one."""
        return ops.eye(1)
