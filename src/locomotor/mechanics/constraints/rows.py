"""Velocity constraints: C(q, t) v = b(q, t), with bias C_dot v - b_dot, and the holonomic conditions behind some of them.

A rolling or sticking contact blocks the velocity of the material point under it in three directions; a sliding point
blocks the normal only, a skate the normal and its lateral direction. Rows are written in the axes of a reference body:
the root of the tree, for which they are the rows A eta + B r_dot = 0 of Mauny 2018, (2.29), or, far out on a long
chain, a body nearer by (see `substructure`). The bias is the inertial acceleration that the blocked velocity has at
v_dot = 0; it is exact on C v = 0, which is where constraints are enforced.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.lie import SE3, ops
from locomotor.mechanics.constraints.contact_geometry import Touch
from locomotor.mechanics.constraints.formula_rows import FormulaRow
from locomotor.mechanics.constraints.patch import ARM, patch_shares
from locomotor.mechanics.constraints.standpoint import Accelerations, Standpoint
from locomotor.mechanics.loops import LoopRow, common_carrier
from locomotor.mechanics.tree import Kinematics, Row, Substructure, point_jacobian, turning_jacobian
from locomotor.model import Contact, evaluate
from locomotor.model.contacts import NORMAL, Slipping
from locomotor.typing import Array

AT_REST = 1e-11
"""A contact that slips less fast (m/s) has no direction of its own: what is left of sticking is round-off."""


@dataclass(frozen=True, eq=False)
class ContactRows:
    """The rows that one contact adds to the constraints, at one instant."""

    contact: Contact
    body: int
    touch: Touch
    plane: Any
    """The ground of the contact: a `Plane`, or a `Support` on a terrain."""
    level: Array
    """Normal of the ground in the axes of what carries it, towards the free side."""
    labels: tuple[str, ...]
    kinematics: Kinematics
    substructure: Substructure
    seen: Standpoint
    """The body of the contact, as the ground sees it."""
    apart: Any = None
    """The gap, where it is no height above a plane that stands still."""

    @property
    def name(self) -> str:
        """Name of the contact."""
        return self.contact.name

    @property
    def up(self) -> Array:
        """Normal of the ground in world axes."""
        return self.level

    @cached_property
    def in_reference(self) -> SE3:
        """Pose of the body in the reference body, whose axes the rows are written in."""
        return self.substructure.pose_in_reference(self.kinematics, self.body)

    @property
    def reference(self) -> int:
        """Index of the reference body."""
        return self.substructure.reference[self.body]

    @cached_property
    def sparse(self) -> list[Row]:
        """Rows over the velocities, and over the auxiliary twists of the substructure."""
        columns = self.substructure.point_columns(self.kinematics, self.body, self.touch.point)
        if self.touch.directions is None:
            found = [{j: column[axis] for j, column in columns.items()} for axis in range(3)]
            if not self.spins:
                return found
            about = self.arm * (self.in_reference.rotation @ self.normal)
            turning = self.substructure.turning_columns(self.kinematics, self.body)
            return [*found, {j: ops.dot(about, column) for j, column in turning.items()}]
        blocked = [self.in_reference.rotation @ d for _, d, _ in self.touch.directions]
        return [{j: ops.dot(d, column) for j, column in columns.items()} for d in blocked]

    @cached_property
    def jacobian(self) -> Array:
        """3 x nv: velocity of the material contact point, in root axes."""
        return point_jacobian(self.kinematics, self.body, self.touch.point)

    @cached_property
    def rows(self) -> Array:
        """The rows as a matrix over all velocities, in root axes."""
        if self.touch.directions is None:
            return ops.block([[self.jacobian], [ops.columns(self.spin_row).T]]) if self.spins else self.jacobian
        R = self.kinematics.poses_in_root[self.body].rotation
        return ops.columns(*(self.jacobian.T @ (R @ d) for _, d, _ in self.touch.directions)).T

    @cached_property
    def bias(self) -> Array:
        """Rate of (rows v) at v_dot = 0, in the axes of the reference."""
        return self._bias(self.in_reference)

    @cached_property
    def root_bias(self) -> Array:
        """C_dot v in root axes: what belongs beside `rows`."""
        return self._bias(self.kinematics.poses_in_root[self.body])

    def _bias(self, axes: SE3) -> Array:
        acceleration = self.point_acceleration(self.kinematics.free_accelerations)
        if self.touch.directions is None:
            found = axes.rotation @ acceleration
            return ops.concat(found, ops.vector(self.spin_rate(self.kinematics.free_accelerations))) if self.spins else found
        return ops.vector(*(ops.dot(d, acceleration) + ops.dot(d_dot, self.velocity) for _, d, d_dot in self.touch.directions))

    def point_acceleration(self, accelerations: Accelerations) -> Array:
        """Rate of the velocity of whatever is at the contact point, in body axes, from the accelerations of the bodies."""
        a, w_dot = self.seen.acceleration(accelerations)
        return a + ops.cross(w_dot, self.touch.point) + ops.cross(self.seen.omega, self.touch.drift)

    @cached_property
    def velocity(self) -> Array:
        """Velocity of the material point under the contact relative to the ground, in body axes."""
        return self.seen.velocity + ops.cross(self.seen.omega, self.touch.point)

    @cached_property
    def normal(self) -> Array:
        """Normal of the ground, in body axes."""
        return self.kinematics.poses[self.body].rotation.T @ self.up

    @property
    def gap_rate(self) -> Any:
        """Rate of the gap."""
        return ops.dot(self.normal, self.velocity)

    def gap_acceleration(self, accelerations: Accelerations) -> Any:
        """Second derivative of the gap, from the classical accelerations of the bodies."""
        found = ops.dot(self.normal, self.point_acceleration(accelerations))
        return found if self.touch.turning is None else found + ops.dot(self.touch.turning, self.velocity)

    @cached_property
    def slip(self) -> Array:
        """Velocity in the blocked directions: zero as long as the constraint holds."""
        if self.touch.directions is None:
            found = self.in_reference.rotation @ self.velocity
            return ops.concat(found, ops.vector(self.spin)) if self.spins else found
        return ops.vector(*(ops.dot(d, self.velocity) for _, d, _ in self.touch.directions))

    # -- turning on the ground, at the arm of friction --------------------------------------------------------------------

    @property
    def spins(self) -> bool:
        """Whether a row blocks turning about the normal."""
        return self.contact.pivots and not self.slips

    @cached_property
    def arm(self) -> Any:
        """Arm of friction on the spot (m), of a contact that touches with a patch."""
        return ARM * self.contact.law.patch_at(self.kinematics.instant.values)

    @cached_property
    def turning_jacobian(self) -> Array:
        """3 x nv: angular velocity of the body relative to its ground, in root axes."""
        return turning_jacobian(self.kinematics, self.body)

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
        """Its rate, from the classical accelerations of the bodies."""
        found = ops.dot(self.normal, self.seen.acceleration(accelerations)[1])
        turning = self.touch.turning
        return self.arm * (found if turning is None else found + ops.dot(turning, self.seen.omega))

    # -- along the ground ----------------------------------------------------------------------------------------------

    @property
    def slips(self) -> bool:
        """Whether the contact is held as one that slips."""
        return isinstance(self.contact, Slipping)

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

    @cached_property
    def slip_direction(self) -> Array:
        """Unit direction of the slip in body axes, of a contact that slips.

        From rest it is the one that the contact is told (`Slipping.towards`). That one also decides the sign, so that a step
        which passes through zero slip goes on smoothly: where that is, is an event of its own.
        """
        assert isinstance(self.contact, Slipping)
        told = self.kinematics.poses[self.body].rotation.T @ evaluate(self.contact.towards, self.kinematics.instant.values)
        s = self.slip_velocity
        speed = ops.norm(s)
        sense = ops.if_else(ops.less(ops.dot(s, told), 0.0), -1.0, 1.0)
        own = ops.if_else(ops.less(speed, AT_REST), told, (sense / ops.fmax(speed, AT_REST)) * s)
        return ops.if_else(ops.less(0.5, evaluate(self.contact.guided, self.kinematics.instant.values)), told, own)

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
        """The same as a generalised force over all velocities."""
        to_root = self.kinematics.poses_in_root[self.body].rotation
        if not self.contact.pivots:
            return self.jacobian.T @ (to_root @ self.friction)
        return self.jacobian.T @ (to_root @ self.along(self.friction)) + ops.dot(self.normal, self.friction) * self.spin_row

    def twisting(self, multipliers: Array) -> Any:
        """Torque of friction about the normal over its arm (N), from the multipliers of this contact; zero without a patch."""
        if self.spins:
            return multipliers[3]
        return multipliers[0] * ops.dot(self.normal, self.friction) if self.contact.pivots else 0.0

    def force(self, multipliers: Array) -> Array:
        """Force of the ground in world axes, from the multipliers of this contact; those of three rows are in root axes."""
        if self.touch.directions is None:
            return self.kinematics.links[self.kinematics.roots[self.body]].pose.rotation @ multipliers[0:3]
        R = self.kinematics.poses[self.body].rotation
        force = sum((multipliers[k] * (R @ d) for k, (_, d, _) in enumerate(self.touch.directions)), np.zeros(3))
        return force + multipliers[self.labels.index(NORMAL)] * (R @ self.along(self.friction)) if self.slips else force

    @cached_property
    def position(self) -> Array:
        """Contact point in the world."""
        return self.kinematics.poses[self.body].act(self.touch.point)

    @cached_property
    def gap(self) -> Any:
        """Height of the contact point above the ground."""
        if self.apart is not None:
            return self.apart
        offset = self.position - evaluate(self.plane.point, self.kinematics.instant.values)
        return ops.dot(self.up, offset)

    @cached_property
    def normal_row(self) -> Array:
        """Row of the gap's rate: gap_dot = n . v(contact point), since the point wanders in the plane."""
        root = self.kinematics.links[self.kinematics.roots[self.body]].pose
        return self.jacobian.T @ (root.rotation.T @ self.up)


@dataclass(frozen=True, eq=False)
class CarriedRows(ContactRows):
    """The rows of a contact whose ground another body carries: velocities are relative, and forces act on both bodies."""

    carrier: int = -1
    """The body that carries the ground."""

    @property
    def reference(self) -> int:
        """The root of the contact's own body: rows that speak of two bodies are not cut into pieces."""
        return self.kinematics.roots[self.body]

    @cached_property
    def in_reference(self) -> SE3:
        """Pose of the body in its root."""
        return self.kinematics.poses_in_root[self.body]

    @cached_property
    def jacobian(self) -> Array:
        """3 x nv: velocity of the material contact point relative to that of the carrier, in root axes of the body."""
        nearest = common_carrier(self.kinematics, self.body, self.carrier)
        own = point_jacobian(self.kinematics, self.body, self.touch.point, nearest)
        other = point_jacobian(self.kinematics, self.carrier, self.seen.pose.act(self.touch.point), nearest)
        return own - other if nearest >= 0 else own - self._between @ other  # with the same root, or two

    @cached_property
    def turning_jacobian(self) -> Array:
        """3 x nv: angular velocity relative to the carrier, in root axes of the body."""
        nearest = common_carrier(self.kinematics, self.body, self.carrier)
        own = turning_jacobian(self.kinematics, self.body, nearest)
        other = turning_jacobian(self.kinematics, self.carrier, nearest)
        return own - other if nearest >= 0 else own - self._between @ other

    @cached_property
    def _between(self) -> Array:
        """From the root axes of the carrier to those of the body."""
        links, roots = self.kinematics.links, self.kinematics.roots
        return links[roots[self.body]].pose.rotation.T @ links[roots[self.carrier]].pose.rotation

    @cached_property
    def sparse(self) -> list[Row]:
        """Rows over the velocities."""
        dense, n = self.rows, int(self.rows.shape[1])
        return [{j: dense[k, j] for j in range(n) if not ops.is_zero(dense[k, j])} for k in range(int(dense.shape[0]))]

    @cached_property
    def normal(self) -> Array:
        """Normal of the ground, in body axes."""
        return self.seen.pose.rotation.T @ self.level

    @cached_property
    def up(self) -> Array:  # type: ignore[override]
        """Normal of the ground in world axes."""
        return self.kinematics.poses[self.carrier].rotation @ self.level


@dataclass(frozen=True, eq=False)
class ConstraintSet:
    """All constraints of a system at one instant."""

    kinematics: Kinematics
    contacts: tuple[ContactRows, ...]
    formulas: tuple[FormulaRow, ...]
    loops: tuple[LoopRow, ...]
    positions: tuple[LoopRow, ...]
    """Conditions of loops on the configuration that have no row of their own: the gap of bodies that roll on each other."""
    substructure: Substructure

    def __len__(self) -> int:
        """Number of contacts, formulas and rows of loops."""
        return len(self.contacts) + len(self.singles)

    @property
    def singles(self) -> tuple[FormulaRow | LoopRow, ...]:
        """The rows that stand alone, after those of the contacts: of formulas, then of loops."""
        return (*self.formulas, *self.loops)

    @property
    def labels(self) -> list[str]:
        """Names of the rows, auxiliary ones left out."""
        found = [f"{contact.name} {label}" for contact in self.contacts for label in contact.labels]
        return found + [single.name for single in self.singles]

    @property
    def together(self) -> list[list[int]]:
        """Rows that are best eliminated at once: those of one closure that measure the same."""
        found: dict[tuple[str, str], list[int]] = {}
        first = len(self.labels) - len(self.loops)
        for k, loop in enumerate(self.loops):
            found.setdefault((loop.closure.name, loop.measure), []).append(first + k)
        return list(found.values())

    @cached_property
    def sparse(self) -> list[Row]:
        """Every row: of the contacts, of formulas and loops, and those that define the auxiliary twists."""
        found = [row for contact in self.contacts for row in contact.sparse]
        found += [single.row for single in self.singles]
        return found + self.substructure.defining_rows(self.kinematics)

    @cached_property
    def right(self) -> dict[int, Any]:
        """Right-hand sides b by row, of the rows that have one: no contact does."""
        start = len(self.labels) - len(self.singles)
        return {start + k: single.right for k, single in enumerate(self.singles) if not ops.is_zero(single.right)}

    @cached_property
    def bias(self) -> Array:
        """C_dot v - b_dot, row by row; zero for the auxiliary rows."""
        parts = [contact.bias for contact in self.contacts]
        parts += [ops.vector(single.bias) for single in self.singles]
        return ops.concat(*parts, np.zeros(6 * len(self.substructure.cuts)))

    @cached_property
    def matrix(self) -> Array:
        """C as one matrix over all velocities, in root axes, without auxiliary rows."""
        blocks = [contact.rows for contact in self.contacts]
        blocks += [ops.columns(single.normal_row).T for single in self.singles]
        return ops.block([[block] for block in blocks])

    @cached_property
    def root_bias(self) -> Array:
        """C_dot v - b_dot beside `matrix`."""
        parts = [contact.root_bias for contact in self.contacts]
        return ops.concat(*parts, *(ops.vector(single.bias) for single in self.singles))

    @cached_property
    def slip(self) -> Array:
        """C v - b, row by row, auxiliary rows left out: zero as long as the constraints hold."""
        parts = [contact.slip for contact in self.contacts]
        parts += [single.slip for single in self.singles]
        return ops.concat(*parts) if parts else np.zeros(0)

    @property
    def conditions(self) -> tuple[ContactRows | FormulaRow | LoopRow, ...]:
        """What must vanish on the configuration: gaps of the contacts, positions of the couplings and of the loops."""
        return (*self.contacts, *(single for single in self.singles if single.is_holonomic), *self.positions)
