"""Fluid that sections of a soft body move with them: inertia at sites that the deformation carries along.

On a rigid body the added mass of a wing is one constant form. On a soft body every section has its own, constant in the axes of
its site, whose twist is that of the body and the own rates together, eta_s = Ad(g^-1) eta + Phi e_dot. It acts like a massless
body there: with P = M_s eta_s its momentum, by Kirchhoff's equations

    wrench_s = M_s eta_s' + (W x P, W x Pi + V x P),      eta_s' = Ad(g^-1) eta' + [eta_s, Phi e_dot] + Phi' e_dot + Phi e_ddot,

which reaches the body as a wrench at the site and its own coordinates by Phi^T: docs/theory.md (W4). It has no weight.
"""

from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.tree.flexibility import Flexibility
from locomotor.mechanics.tree.inertia import SpatialForm
from locomotor.typing import Array, SymbolicValues


def bracket(x: Array, y: Array) -> Array:
    """Lie bracket of twists, linear part first."""
    return ops.concat(
        ops.cross(x[3:6], y[0:3]) + ops.cross(x[0:3], y[3:6]),
        ops.cross(x[3:6], y[3:6]),
    )


def fluid_wrench(form: SpatialForm, twist: Array, rate: Array) -> Array:
    """Rate of the momentum of a fluid (Kirchhoff), in axes that move with `twist`, whose components change at `rate`."""
    return form.apply(rate) + fluid_turning(form, twist)


def fluid_turning(form: SpatialForm, twist: Array) -> Array:
    """What the turning of the axes makes of the momentum: -ad^T(M eta)."""
    V, W = twist[0:3], twist[3:6]
    P = form.apply(twist)
    return ops.concat(ops.cross(W, P[0:3]), ops.cross(W, P[3:6]) + ops.cross(V, P[0:3]))


@dataclass(frozen=True, eq=False)
class WetSection:
    """One section of a soft body and the fluid that it moves."""

    force: str
    """Name of the force that it belongs to."""
    form: SpatialForm
    """Inertia of the fluid about the site, in its axes."""
    placement: SE3
    """Pose of the site on the body without load."""
    soft: Flexibility
    e: Array
    e_dot: Array
    values: SymbolicValues

    @cached_property
    def site(self) -> SE3:
        """Pose of the site in the body."""
        return self.soft.site(self.placement, self.e, self.values)

    @cached_property
    def columns(self) -> Array:
        """Twist of the site per own rate, in axes of the site."""
        return self.soft.site_columns(self.placement, self.e, self.values)

    @cached_property
    def loaded(self) -> Array:
        """Momentum at the site per own rate (6 x n)."""
        return ops.columns(*(self.form.apply(self.columns[:, k]) for k in range(self.columns.shape[1])))

    @property
    def on_body(self) -> SpatialForm:
        """Inertia about the origin of the body."""
        return self.form.moved_to_parent(self.site)

    @property
    def coupling(self) -> Array:
        """Wrench on the body per own acceleration (6 x n)."""
        return ops.columns(*(self.site.wrench_to_parent(self.loaded[:, k]) for k in range(self.columns.shape[1])))

    @property
    def own_mass(self) -> Array:
        """What it adds to the mass matrix of the own coordinates."""
        return self.columns.T @ self.loaded

    def twist(self, body: Array) -> Array:
        """Twist of the site for the twist of its body."""
        return self.site.twist_to_child(body) + self.columns @ self.e_dot

    def wrench(self, body: Array, rate: Array, own_rate: Array | None) -> Array:
        """Rate of its momentum, about the site: for twist of the body, rate of its components, and own accelerations."""
        twist, own = self.twist(body), self.columns @ self.e_dot
        change: Any = self.site.twist_to_child(rate) + bracket(twist, own)
        change = change + self.soft.site_bias(self.placement, self.e, self.e_dot, self.values)
        if own_rate is not None:
            change = change + self.columns @ own_rate
        return fluid_wrench(self.form, twist, change)
