"""What rubs at a contact: its slip along the ground, its spin about the normal, its rolling, and what acts against them."""

from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.constraints.patch import ARM, patch_shares
from locomotor.mechanics.constraints.standpoint import Accelerations
from locomotor.mechanics.constraints.touching import TouchingRows
from locomotor.model import evaluate
from locomotor.model.contacts import NORMAL
from locomotor.names import WORLD
from locomotor.typing import Array

AT_REST = 1e-11
"""A contact that slips less fast (m/s) has no direction of its own: what is left of sticking is round-off."""


@dataclass(frozen=True, eq=False)
class RubbingRows(TouchingRows):
    """A contact that may slip, spin and roll on its ground."""

    # -- along the ground ----------------------------------------------------------------------------------------------

    @property
    def slips(self) -> bool:
        """Whether the contact is held as one that slips."""
        return self.contact.slip is not None

    def along(self, vector: Array) -> Array:
        """The part of a vector (body axes) along those directions of the ground in which friction acts."""
        rubs = self.touch.rubs
        if rubs is None and self.touch.directions is not None and not self.slips:
            rubs = tuple((d, d_dot) for label, d, d_dot in self.touch.directions if label != NORMAL)
        if rubs is None:
            return vector - ops.dot(self.normal, vector) * self.normal
        return sum((ops.dot(d, vector) * d for d, _ in rubs), np.zeros(3))

    @cached_property
    def slip_velocity(self) -> Array:
        """Velocity of the material point along the ground, in body axes; where friction resists turning, the spin along n."""
        found = self.along(self.velocity)
        return found + self.spin * self.normal if self.contact.pivots else found

    def slip_rate(self, accelerations: Accelerations) -> Array:
        """Rate of the slip velocity in world axes, written in body axes, from the classical accelerations of the bodies.

        Where the directions of friction turn (a skate), their turning is left out of what is along them.
        """
        rate = self.along(self.point_acceleration(accelerations))
        for label, d, d_dot in self.touch.directions or ():
            if label != NORMAL:
                rate = rate + ops.dot(d_dot, self.velocity) * d
        for d, d_dot in self.touch.rubs or ():
            rate = rate + ops.dot(d_dot, self.velocity) * d
        return rate + self.spin_rate(accelerations) * self.normal if self.contact.pivots else rate

    @property
    def _turns(self) -> bool:
        """Whether what is along the ground turns on the way: a ground that bends or moves, friction across a keel."""
        return self.touch.turning is not None or self.touch.rubs is not None or getattr(self.plane, "body", WORLD) != WORLD

    @cached_property
    def slip_direction(self) -> Array:
        """Unit direction of the slip in body axes, of a contact that slips.

        From rest it is the one that the contact is told (`Contact.slip`). That one also decides the sign, so that a step
        which passes through zero slip goes on smoothly: where that is, is an event of its own.
        """
        assert self.contact.slip is not None
        towards, guided = self.contact.slip
        told = self.kinematics.poses[self.body].rotation.T @ evaluate(towards, self.kinematics.instant.values)
        if self._turns and not self.contact.pivots:
            told = self.along(told)
            told = told / ops.fmax(ops.norm(told), AT_REST)
        s = self.slip_velocity
        speed = ops.norm(s)
        sense = ops.if_else(ops.less(ops.dot(s, told), 0.0), -1.0, 1.0)
        own = ops.if_else(ops.less(speed, AT_REST), told, (sense / ops.fmax(speed, AT_REST)) * s)
        return ops.if_else(ops.less(0.5, evaluate(guided, self.kinematics.instant.values)), told, own)

    # -- turning about the normal, at the arm of friction --------------------------------------------------------------

    @property
    def spins(self) -> bool:
        """Whether a row blocks turning about the normal."""
        return self.contact.pivots and not self.slips

    @cached_property
    def arm(self) -> Any:
        """Arm of friction on the spot (m), of a contact that touches with a patch."""
        return ARM * self.contact.law.patch_at(self.kinematics.instant.values)

    @cached_property
    def spin_row(self) -> Array:
        """Row of `spin`."""
        about = self.arm * (self.kinematics.poses_in_root[self.body].rotation @ self.normal)
        return self.turning_jacobian.T @ about

    @cached_property
    def spin(self) -> Any:
        """Velocity of turning about the normal, at the arm of friction."""
        return self.arm * ops.dot(self.normal, self.seen.omega)

    def spin_rate(self, accelerations: Accelerations) -> Any:
        """Rate of `spin`, from the classical accelerations of the bodies."""
        found = ops.dot(self.normal, self.seen.acceleration(accelerations)[1])
        turning = self.touch.turning
        return self.arm * (found if turning is None else found + ops.dot(turning, self.seen.omega))

    # -- rolling, where it is resisted ---------------------------------------------------------------------------------

    @property
    def turns(self) -> bool:
        """Whether a moment acts against its rolling."""
        return self.contact.resists and self.contact.turns_about is not None

    @property
    def rests(self) -> bool:
        """Whether rows block its rolling."""
        return self.contact.resists and not self.turns

    @property
    def rubs(self) -> bool:
        """Whether something acts on it in proportion to its normal force."""
        return self.slips or self.turns

    @cached_property
    def tangents(self) -> tuple[Array, Array]:
        """Two unit directions along the ground, in body axes; with a normal that turns they turn as little as can be.

        Of a wheel that lies on its side they are fixed in the body: so what they keep from turning is the same while it spins.
        """
        if self.contact.lies_across is not None:
            return _across(evaluate(self.contact.lies_across, self.kinematics.instant.values))
        first, second = _across(self.level)
        to_body = self.seen.pose.rotation.T
        return to_body @ first, to_body @ second

    @cached_property
    def turning_rows(self) -> list[tuple[Array, Array | None]]:
        """Axes, in body axes, about which it is kept from turning, and how the ground sees them turn."""
        found: list[tuple[Array, Array | None]] = []
        turning = self.touch.turning
        if self.spins:
            found.append((self.arm * self.normal, None if turning is None else self.arm * turning))
        if self.rests:
            found += [(d, None if turning is None else -ops.dot(d, turning) * self.normal) for d in self.tangents]
        return found

    def turning_rates(self, accelerations: Accelerations) -> list[Any]:
        """Rates of the velocities about these axes."""
        w_dot, omega = self.seen.acceleration(accelerations)[1], self.seen.omega
        return [
            ops.dot(d, w_dot) if d_dot is None else ops.dot(d, w_dot) + ops.dot(d_dot, omega) for d, d_dot in self.turning_rows
        ]

    @cached_property
    def turn(self) -> Array:
        """Angular velocity of rolling: that along the ground, in body axes."""
        return self.seen.omega - ops.dot(self.normal, self.seen.omega) * self.normal

    def turn_rate(self, accelerations: Accelerations) -> Array:
        """Rate of `turn` along the ground."""
        w_dot = self.seen.acceleration(accelerations)[1]
        found = w_dot - ops.dot(self.normal, w_dot) * self.normal
        turning = self.touch.turning
        return found if turning is None else found - ops.dot(self.normal, self.seen.omega) * turning

    @cached_property
    def resistance(self) -> Array:
        """Moment against rolling for a unit normal force, in body axes; as with a slip, what it is told decides the sign."""
        values = self.kinematics.instant.values
        told = self.kinematics.poses[self.body].rotation.T @ evaluate(self.contact.turns_about, values)
        w = self.turn
        speed = ops.norm(w)
        sense = ops.if_else(ops.less(ops.dot(w, told), 0.0), -1.0, 1.0)
        e = ops.if_else(ops.less(speed, AT_REST), told, (sense / ops.fmax(speed, AT_REST)) * w)
        return -self.contact.law.resistance_at(values) * e

    # -- what acts in proportion to the normal force -------------------------------------------------------------------

    @cached_property
    def friction(self) -> Array:
        """Force of friction for a unit normal force, in body axes, of a contact that slips: -mu e.

        Of a patch the part along the normal is the torque about it, over the arm of friction.
        """
        values = self.kinematics.instant.values
        mu, e = self.contact.law.sliding_at(values, ops.norm(self.slip_velocity)), self.slip_direction
        if not self.contact.pivots:
            return -mu * e
        about = ops.dot(self.normal, e)
        along = e - about * self.normal
        slide, spin = patch_shares(ops.dot(along, along), about * about)
        return -mu * (slide * along + (spin * about) * self.normal)

    @cached_property
    def friction_column(self) -> Array:
        """`friction`, and the moment against rolling, as a generalised force over all velocities."""
        to_root = self.kinematics.poses_in_root[self.body].rotation
        parts = []
        if self.slips and self.contact.pivots:
            parts.append(self.jacobian.T @ (to_root @ self.along(self.friction)))
            parts.append(ops.dot(self.normal, self.friction) * self.spin_row)
        elif self.slips:
            parts.append(self.jacobian.T @ (to_root @ self.friction))
        if self.turns:
            parts.append(self.turning_jacobian.T @ (to_root @ self.resistance))
        return sum(parts[1:], parts[0])

    @property
    def friction_power(self) -> Any:
        """Power of what acts in proportion to the normal force, for a unit normal force."""
        found = ops.dot(self.friction, self.slip_velocity) if self.slips else 0.0
        return found + ops.dot(self.resistance, self.turn) if self.turns else found


def _across(n: Array) -> tuple[Array, Array]:
    """Two unit directions across a unit one and each other."""
    across = ops.if_else(ops.less(ops.fabs(n[0]), 0.9), 1.0, 0.0)
    axis = ops.vector(across, 1.0 - across, 0.0)
    along = axis - ops.dot(axis, n) * n
    first = (1.0 / ops.norm(along)) * along
    return first, ops.cross(n, first)
