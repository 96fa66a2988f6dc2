"""One stretch of a rod: from the strain twist along it to the pose of its end, its differential and its rates.

With g' = g hat(xi) along the rod, the pose of the end of a stretch of length h in its beginning is exp(Omega), where

    Omega = m_0 + [m_0, m_1] + O(h^5),      m_0 = int xi dX,      m_1 = (1/h) int (X - X_middle) xi dX

(W. Magnus 1954, with moments in place of points of collocation: S. Blanes, F. Casas, J. A. Oteo and J. Ros, The Magnus
expansion and some of its applications, 2009). Where the strain is constant exp(h xi) is exact, and so is everything of first
order in the bending of a straight rod, because brackets of its strain without load with itself vanish. What follows here is
the exact differential of that map, so that energies and momenta of the discrete rod balance whatever the length of the
stretches.

Twists are dual vectors, angular part + epsilon linear part (principle of transference): a formula of SO(3), written with dual
products, is that of SE(3).
"""

from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops, small_angle
from locomotor.mechanics.tree import bracket
from locomotor.typing import Array

Dual = tuple[Any, Any]


def _dot(x: Array, y: Array) -> Dual:
    """Scalar product of dual vectors."""
    return ops.dot(x[3:6], y[3:6]), ops.dot(x[3:6], y[0:3]) + ops.dot(x[0:3], y[3:6])


def _times(a: Dual, x: Array) -> Array:
    """Dual number times dual vector."""
    return ops.concat(a[0] * x[0:3] + a[1] * x[3:6], a[0] * x[3:6])


def _product(a: Dual, b: Dual) -> Dual:
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0]


@dataclass(frozen=True, eq=False)
class Turn:
    """The map Omega -> exp(Omega) at one point: pose, differential and the rate of the differential."""

    omega: Array
    pose: SE3
    b: Dual
    c: Dual
    db: Dual
    dc: Dual

    @classmethod
    def at(cls, omega: Array) -> "Turn":
        """The turn of a twist Omega."""
        square, mixed = _dot(omega, omega)
        s = small_angle.stumpff(square)
        # c_k' = (k c_{k+2} - c_{k+1}) / 2, twice for the rate of the differential
        rate = [0.5 * (k * s[k + 2] - s[k + 1]) for k in range(6)]
        second = [0.5 * (k * rate[k + 2] - rate[k + 1]) for k in range(4)]
        V, W = omega[0:3], omega[3:6]
        hat = ops.skew(W)
        hat_hat = hat @ hat
        pose = SE3(ops.eye(3) + s[1] * hat + s[2] * hat_hat, V + s[2] * (hat @ V) + s[3] * (hat_hat @ V))
        return cls(
            omega,
            pose,
            (s[2], rate[2] * mixed),
            (s[3], rate[3] * mixed),
            (rate[2], second[2] * mixed),
            (rate[3], second[3] * mixed),
        )

    def differential(self, rate: Array) -> Array:
        """Twist of the end relative to the beginning, in axes of the end, for Omega_dot = rate (T of docs/theory.md)."""
        once = bracket(self.omega, rate)
        return rate - _times(self.b, once) + _times(self.c, bracket(self.omega, once))

    def change(self, rate: Array) -> Array:
        """How that twist changes while Omega_dot stays as it is."""
        once = bracket(self.omega, rate)
        twice = bracket(self.omega, once)
        turning = _dot(self.omega, rate)
        growth = (2.0 * turning[0], 2.0 * turning[1])
        return (
            _times(_product(self.dc, growth), twice)
            - _times(_product(self.db, growth), once)
            + _times(self.c, bracket(rate, once))
        )
