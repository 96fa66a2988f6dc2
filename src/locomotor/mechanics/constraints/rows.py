"""Velocity constraints: C(q, t) v = b(q, t), with bias C_dot v - b_dot, and the holonomic conditions behind some of them.

A rolling or sticking contact blocks the velocity of the material point under it in three directions; a sliding point
blocks the normal only, a skate the normal and its lateral direction. Rows are written in the axes of a reference body:
the root of the tree, for which they are the rows A eta + B r_dot = 0 of Mauny 2018, (2.29), or, far out on a long
chain, a body nearer by (see `substructure`). The bias is the inertial acceleration that the blocked velocity has at
v_dot = 0; it is exact on C v = 0, which is where constraints are enforced.
"""

from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.constraints.formula_rows import FormulaRow
from locomotor.mechanics.constraints.rubbing import RubbingRows
from locomotor.mechanics.loops import LoopRow, common_carrier
from locomotor.mechanics.tree import Kinematics, Row, Substructure, point_jacobian, turning_jacobian
from locomotor.model.contacts import NORMAL
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class ContactRows(RubbingRows):
    """The rows that one contact adds to the constraints, at one instant."""

    @cached_property
    def sparse(self) -> list[Row]:
        """Rows over the velocities, and over the auxiliary twists of the substructure."""
        columns = self.substructure.point_columns(self.kinematics, self.body, self.touch.point)
        if self.touch.directions is None:
            found = [{j: column[axis] for j, column in columns.items()} for axis in range(3)]
            return [*found, *self._sparse_turning]
        blocked = [self.in_reference.rotation @ d for _, d, _ in self.touch.directions]
        return [*({j: ops.dot(d, column) for j, column in columns.items()} for d in blocked), *self._sparse_turning]

    @property
    def _sparse_turning(self) -> list[Row]:
        """Those of them that keep it from turning."""
        if not self.turning_rows:
            return []
        turning = self.substructure.turning_columns(self.kinematics, self.body)
        axes = [self.in_reference.rotation @ d for d, _ in self.turning_rows]
        return [{j: ops.dot(axis, column) for j, column in turning.items()} for axis in axes]

    @cached_property
    def rows(self) -> Array:
        """The rows as a matrix over all velocities, in root axes."""
        if self.touch.directions is None:
            if not self.turning_rows:
                return self.jacobian
            R = self.kinematics.poses_in_root[self.body].rotation
            return ops.block(
                [[self.jacobian], [ops.columns(*(self.turning_jacobian.T @ (R @ d) for d, _ in self.turning_rows)).T]]
            )
        R = self.kinematics.poses_in_root[self.body].rotation
        blocked = [self.jacobian.T @ (R @ d) for _, d, _ in self.touch.directions]
        return ops.columns(*blocked, *(self.turning_jacobian.T @ (R @ d) for d, _ in self.turning_rows)).T

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
            if not self.turning_rows:
                return found
            return ops.concat(found, ops.vector(*self.turning_rates(self.kinematics.free_accelerations)))
        found = [ops.dot(d, acceleration) + ops.dot(d_dot, self.velocity) for _, d, d_dot in self.touch.directions]
        return ops.vector(*found, *(self.turning_rates(self.kinematics.free_accelerations) if self.turning_rows else ()))

    @cached_property
    def slip(self) -> Array:
        """Velocity in the blocked directions: zero as long as the constraint holds."""
        if self.touch.directions is None:
            found = self.in_reference.rotation @ self.velocity
            if not self.turning_rows:
                return found
            return ops.concat(found, ops.vector(*(ops.dot(d, self.seen.omega) for d, _ in self.turning_rows)))
        found = [ops.dot(d, self.velocity) for _, d, _ in self.touch.directions]
        return ops.vector(*found, *(ops.dot(d, self.seen.omega) for d, _ in self.turning_rows))

    def moment(self, multipliers: Array) -> Array:
        """Moment that keeps it from rolling, in world axes, from the multipliers of this contact; zero where nothing does."""
        if not self.rests:
            return np.zeros(3)
        R, k = self.kinematics.poses[self.body].rotation, len(self.labels) - 2
        return multipliers[k] * (R @ self.tangents[0]) + multipliers[k + 1] * (R @ self.tangents[1])

    def couple(self, multipliers: Array) -> Array:
        """Moment of the ground about the contact point in world axes: of rows that keep it from turning, and of what rubs."""
        first = len(self.labels) - len(self.turning_rows)
        found = sum((multipliers[first + k] * d for k, (d, _) in enumerate(self.turning_rows)), np.zeros(3))
        if self.rubs:
            normal = multipliers[self.labels.index(NORMAL)] if self.touch.directions is not None else self._normal(multipliers)
            if self.slips and self.contact.pivots:
                found = found + (normal * ops.dot(self.normal, self.friction) * self.arm) * self.normal
            if self.turns:
                found = found + normal * self.resistance
        return self.kinematics.poses[self.body].rotation @ found

    def _normal(self, multipliers: Array) -> Any:
        """Normal force, from multipliers in root axes."""
        return ops.dot(self.kinematics.poses[self.body].rotation @ self.normal, self.force(multipliers))

    def normal_among(self, forces: list[Any], first: int) -> Any:
        """Normal force, from the forces of all rows in the axes of the reference, of which its own begin at `first`."""
        if self.touch.directions is not None:
            return forces[first + self.labels.index(NORMAL)]
        return ops.dot(self.in_reference.rotation @ self.normal, ops.vector(*forces[first : first + 3]))

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
