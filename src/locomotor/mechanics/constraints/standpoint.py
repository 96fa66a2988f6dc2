"""A body as its ground sees it: pose, twist and accelerations relative to the ground, which may itself be carried by a body.

Everything about a contact is written in the axes of its body, with rates as the ground sees them. On a ground that stands still
these are the inertial ones (docs/theory.md (C7)). Seen from a body B that carries the ground, with (R, p) the pose of the
contact's body in B, V, W and a, W_dot the twist and the classical accelerations of each in its own axes (of B turned by R^T),

    W_rel = W - W_B,          V_rel = V - (V_B + W_B x p),
    a_rel = a - (a_B + W_B_dot x p + W_B x (W_B x p)) - 2 W_B x V_rel,      W_rel_dot = W_dot - W_B_dot - W_B x W_rel.
"""

from collections.abc import Sequence
from functools import cached_property

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.loops import common_carrier
from locomotor.mechanics.tree import Kinematics
from locomotor.typing import Array

Accelerations = Sequence[tuple[Array, Array]]
"""Classical accelerations (a, W_dot) of all bodies, each in its own axes."""


@dataclass(frozen=True, eq=False)
class Standpoint:
    """A body seen from a ground that stands still in the world."""

    kinematics: Kinematics
    body: int

    @property
    def pose(self) -> SE3:
        """Pose of the body, as the ground sees it."""
        return self.kinematics.poses[self.body]

    @property
    def omega(self) -> Array:
        """Angular velocity of the body as seen from here, in its own axes."""
        return self.kinematics.omega[self.body]

    @property
    def velocity(self) -> Array:
        """Velocity of its origin, in its axes."""
        return self.kinematics.velocity[self.body]

    def acceleration(self, accelerations: Accelerations) -> tuple[Array, Array]:
        """Accelerations of the body as seen from here, from those of all bodies."""
        return accelerations[self.body]


@dataclass(frozen=True, eq=False)
class FromBody(Standpoint):
    """A body seen from a ground that another one carries."""

    carrier: int

    @cached_property
    def _nearest(self) -> int:
        """The body that carries both; -1 for the world."""
        return common_carrier(self.kinematics, self.body, self.carrier)

    def _below(self, body: int) -> SE3:
        """Pose of a body in the one that carries both: nothing farther in enters."""
        found = SE3.identity()
        while body != self._nearest:
            found = self.kinematics.links[body].pose @ found
            body = self.kinematics.links[body].parent
        return found

    @cached_property
    def pose(self) -> SE3:  # type: ignore[override]
        """Pose of the body in the carrier."""
        return self._below(self.carrier).inverse() @ self._below(self.body)

    @cached_property
    def _carried(self) -> tuple[Array, Array]:
        """Angular velocity of the carrier, and the velocity that its point at the body's origin has, in axes of the body."""
        omega = self.kinematics.omega[self.carrier]
        back = self.pose.rotation.T
        return back @ omega, back @ (self.kinematics.velocity[self.carrier] + ops.cross(omega, self.pose.translation))

    @cached_property
    def omega(self) -> Array:  # type: ignore[override]
        """Relative angular velocity."""
        return self.kinematics.omega[self.body] - self._carried[0]

    @cached_property
    def velocity(self) -> Array:  # type: ignore[override]
        """Relative velocity of the origin."""
        return self.kinematics.velocity[self.body] - self._carried[1]

    def acceleration(self, accelerations: Accelerations) -> tuple[Array, Array]:
        """Relative accelerations, as the carrier sees them."""
        (a, w_dot), (a_B, w_B_dot) = accelerations[self.body], accelerations[self.carrier]
        omega, p, back = self.kinematics.omega[self.carrier], self.pose.translation, self.pose.rotation.T
        turned = self._carried[0]
        there = a_B + ops.cross(w_B_dot, p) + ops.cross(omega, ops.cross(omega, p))
        linear = a - back @ there - 2.0 * ops.cross(turned, self.velocity)
        return linear, w_dot - back @ w_B_dot - ops.cross(turned, self.omega)
