"""Everything that the reduced model says beside the right-hand side (`step.py`): forces of the constraints, imposed torques.

docs/theory.md (M1); Mauny 2018, (2.6)-(2.12): C^T lambda = M v_dot + h - tau, tau_m = (M v_dot + h - tau - C^T lambda)_m.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.lie import ops
from locomotor.mechanics.constraints import ConstraintSet, ContactRows
from locomotor.mechanics.joint_loads import Bearing, Seat, following, joint_wrenches, loads_of
from locomotor.mechanics.loads import Applied, applied_forces, rate_of, way
from locomotor.mechanics.sliding import row_forces
from locomotor.mechanics.step import Step, vector_of
from locomotor.mechanics.tree import Kinematics, inverse_dynamics
from locomotor.model import JointFriction, Revolute, Spherical, evaluate
from locomotor.model.forces import Load
from locomotor.typing import Array

FLAT = 1e-6
"""A wheel lies flat when the squared sine of its angle to the ground is below this (a milliradian)."""
FLAT_IN_SHORT_STEPS = 1e-14
"""The same of a wheel that may leave the ground: event-driven runs shorten their steps with that angle, down to this."""
WATCH = 1e-3
"""A pivot may shrink to this fraction of its nominal size before a run stops to choose others."""
WATCH_SLIP = 0.2
"""The same of the normal of a contact that slips: of a body that spins as it slips, velocities in its own axes lose as many
digits as the pivot, and others are at hand."""

WITHOUT_FORCES = (
    "kinematics_at_rest", "elimination", "H_r", "imposed", "driven", "v", "kinematics", "constraints", "known_acceleration",
)  # fmt: skip
"""Lines of a step that no force changes."""


@dataclass(frozen=True, eq=False)
class ReducedMotion(Step):
    """A step, and everything else that the reduced model says at its state: constraint forces, imposed torques, pivots."""

    static: tuple[tuple[int, Any], ...] = ()
    """Prescribed multipliers of over-determined contacts: (row, value) pairs, as many as there are internal forces."""

    pushed: tuple[tuple[str, Any], ...] | None = None
    """Efforts on joints in the place of all friction that follows their loads; None where that is to be found."""

    @cached_property
    def applied(self) -> Applied:
        """tau: gravity, springs, dampers, drives and inputs, and friction."""
        found = applied_forces(self.kinematics, loads=self.loads)
        for joint, effort in self.pushed or ():
            found.on_joint(joint, effort)
        return found

    @cached_property
    def loads(self) -> dict[str, Load]:
        """Loads of the joints whose friction follows them, by the names of the frictions."""
        frictions = following(self.reduction.system) if self.pushed is None else ()
        if not frictions:
            return {}
        instant, indices = self.kinematics.instant, [self._link(force) for force in frictions]
        ways = [way(force, rate_of(force.joint, instant), instant.names) for force in frictions]
        balls = [isinstance(instant.system.joints[i], Spherical) for i in indices]
        alone = self._with_efforts(()).joint_wrenches
        units = [towards if ball else 1.0 for towards, ball in zip(ways, balls, strict=True)]
        pushed = [self._with_efforts(((f.joint, unit),)).joint_wrenches for f, unit in zip(frictions, units, strict=True)]
        adds = [[other - own for other, own in zip(each, alone, strict=True)] for each in pushed]
        return loads_of([self.bearing(force, towards, alone, adds) for force, towards in zip(frictions, ways, strict=True)])

    def _with_efforts(self, pushed: tuple[tuple[str, Any], ...]) -> "ReducedMotion":
        """The same motion with efforts in the place of friction; what does not depend on forces is shared."""
        other: ReducedMotion = replace(self, pushed=pushed)
        shared = [*WITHOUT_FORCES, *(["reduced_mass"] if len(self.constraints) and self.reduction.free else [])]
        other.__dict__.update({name: getattr(self, name) for name in shared})
        return other

    def _link(self, force: JointFriction) -> int:
        """Index of the body that a joint with friction moves."""
        return self.reduction.system.joints.index(self.reduction.system.joint(force.joint))

    @cached_property
    def joint_wrenches(self) -> list[Array]:
        """What the parent of every joint does to the child, in axes of the child."""
        multipliers = self.multipliers if len(self.constraints) else np.zeros(0)
        return joint_wrenches(self.kinematics, self.v_dot, self.applied, self.constraints, multipliers)

    def wrenches_with(self, v_r_dot: Array) -> list[Array]:
        """What the parent of every joint does to the child, with accelerations of the reduced velocities that are given."""
        v_dot = self.H_r @ v_r_dot
        v_dot = v_dot if self.known_acceleration is None else v_dot + self.known_acceleration
        return self._borne(v_dot, self.applied, self.kinematics, self.constraints)

    def impulses_by(self, jump: Array, wrenches: Mapping[int, Array], efforts: Array) -> list[Array]:
        """The same of impulses, on bodies, in their axes, and on joints, which make all velocities jump."""
        at_rest, rows = self.kinematics_at_rest, self._rows
        made = Applied(at_rest, wrenches=dict(wrenches), generalised=ops.entries(efforts))
        nothing = Applied(at_rest, generalised=[0.0] * self._nv)
        still = self._borne(np.zeros(self._nv), nothing, at_rest, rows)  # what bends or is in a fluid has forces at rest
        return [a - b for a, b in zip(self._borne(jump, made, at_rest, rows), still, strict=True)]

    def _borne(self, v_dot: Array, applied: Applied, kinematics: Kinematics, constraints: ConstraintSet) -> list[Array]:
        multipliers: Array = np.zeros(0)
        if len(constraints):
            unbalanced = inverse_dynamics(kinematics, v_dot, applied.gravity, applied.wrenches) - applied.forces()
            by_column = {j: unbalanced[j] for j in range(self._nv)}
            forces = row_forces(self.elimination, len(constraints.labels), by_column, {})
            multipliers = self._in_root_axes(ops.vector(*forces[: len(constraints.labels)]))
        return joint_wrenches(kinematics, v_dot, applied, constraints, multipliers)

    def bearing(self, force: JointFriction, towards: Any, wrenches: list[Array], answers: Sequence[list[Array]]) -> Bearing:
        """A joint whose friction follows its load: what its joints bear, and what each of some changes adds to that."""
        joints, i = self.reduction.system.joints, self._link(force)
        alone, adds, names = wrenches[i], tuple(answer[i] for answer in answers), self.kinematics.instant.names
        if isinstance(joints[i], Spherical):
            return Seat(force, np.zeros(3), 1.0, alone, adds, names)
        column = self.kinematics.links[i].columns[0][1]
        axis = column[3:6, 0] if isinstance(joints[i], Revolute) else column[0:3, 0]
        return Bearing(force, axis, towards, alone, adds, names)

    @cached_property
    def kernel(self) -> Array:
        """H: columns for the reduced velocities, then for the imposed ones."""
        return self.elimination.kernel(self.reduction.system.layout.nv, self.reduction.pivots.independent)

    @cached_property
    def H_m(self) -> Array:
        """Columns of the kernel for the imposed velocities."""
        return self.elimination.kernel(self.reduction.system.layout.nv, self.reduction.imposed)

    @property
    def contacts(self) -> tuple[ContactRows, ...]:
        """The constraints that are contacts."""
        return self.constraints.contacts

    @cached_property
    def v_dot(self) -> Array:
        """Accelerations of all velocities."""
        found = self.H_r @ self.v_r_dot if self.reduction.free else np.zeros(self.reduction.system.layout.nv)
        return found if self.known_acceleration is None else found + self.known_acceleration

    @cached_property
    def unbalanced(self) -> Array:
        """M v_dot + h - tau: carried by the constraints and the imposed joints."""
        needed = inverse_dynamics(self.kinematics, self.v_dot, self.applied.gravity, self.applied.wrenches)
        found = needed - self.applied.forces()
        return found if self.sliding is None else found - self.sliding.force

    @cached_property
    def imposed_torques(self) -> Array:
        """Torques that the imposed motions need: what is unbalanced there beside the constraint forces, -B_a^T lambda.

        That is Belkhiri 2013, (3.33), with the sign of lambda_stat corrected.
        """
        if not self.reduction.imposed:
            return np.zeros(0)
        if not len(self.constraints):
            applied = self.applied.forces()
            return ops.vector(*(self.tree_dynamics[1][i] - applied[i] for i in self.reduction.imposed))
        rest = self.elimination.without(self._unbalanced_by_column, dict(enumerate(self._forces_of_all_rows)))
        return ops.vector(*(rest[i] for i in self.reduction.imposed))

    @cached_property
    def static_torques(self) -> Array:
        """The part of the imposed torques that only balances lambda_stat: tau_stat = -B_a^T lambda_stat."""
        imposed = self.reduction.imposed
        if not imposed or not self.static:
            return np.zeros(len(imposed))
        # Both sets carry the same load, so that the difference moves nothing, auxiliary rows included.
        static = {i: a - b for i, (a, b) in enumerate(zip(self._forces_of_all_rows, self._least_of_all_rows, strict=True))}
        rest = self.elimination.without({}, static)
        return ops.vector(*(rest.get(i, 0.0) for i in imposed))

    @cached_property
    def row_forces(self) -> Array:
        """Constraint force of every row, in the axes the rows are written in: C^T lambda = M v_dot + h - tau.

        Where the contacts over-determine the motion, lambda is known up to internal forces that move nothing
        (lambda_stat of Belkhiri 2013, (3.32)): by default the smallest lambda is taken, and `static` may prescribe
        rows instead.
        """
        return ops.vector(*self._forces_of_all_rows[: len(self.constraints.labels)])

    @cached_property
    def static_row_forces(self) -> Array:
        """lambda_stat: by how much the prescribed forces differ from the smallest ones, lambda_kin; zero by default."""
        rows = len(self.constraints.labels)
        if not self.static:
            return np.zeros(rows)
        return self.row_forces - ops.vector(*self._least_of_all_rows[:rows])

    @cached_property
    def _unbalanced_by_column(self) -> dict[int, Any]:
        return {j: self.unbalanced[j] for j in range(self.reduction.system.layout.nv)}

    @cached_property
    def _forces_of_all_rows(self) -> list[Any]:
        """Row forces with those of the rows that define auxiliary twists after them."""
        if not self.static:
            return self._least_of_all_rows
        values = {**self._values, "t": self.time}
        return self._forces({row: evaluate(value, values) for row, value in self.static})

    @cached_property
    def _least_of_all_rows(self) -> list[Any]:
        return self._forces({})

    def _forces(self, prescribed: Mapping[int, Any]) -> list[Any]:
        """The smallest row forces beside prescribed ones."""
        return row_forces(self.elimination, len(self.constraints.labels), self._unbalanced_by_column, prescribed)

    @cached_property
    def multipliers(self) -> Array:
        """Constraint forces lambda, contact after contact and then formula by formula and loop by loop, in root axes."""
        return self._in_root_axes(self.row_forces)

    @cached_property
    def static_multipliers(self) -> Array:
        """Multipliers lambda_stat of the static part, in the order of `multipliers`."""
        return self._in_root_axes(self.static_row_forces)

    def _in_root_axes(self, forces: Array) -> Array:
        parts: list[Array] = []
        start = 0
        for contact in self.contacts:
            part = forces[start : start + len(contact.labels)]
            start += len(contact.labels)
            if contact.touch.directions is None and contact.reference != self.kinematics.roots[contact.body]:
                turned = self.kinematics.poses_in_root[contact.reference].rotation @ part[0:3]
                part = ops.concat(turned, part[3:]) if contact.turning_rows else turned
            parts.append(part)
        if self.constraints.singles:  # an empty part of a single number is not an empty vector in CasADi
            parts.append(forces[start : start + len(self.constraints.singles)])
        return ops.concat(*parts)

    @cached_property
    def watched_steps(self) -> tuple[int, ...]:
        """Elimination steps whose pivots vary."""
        values = self.elimination.pivot_values
        return tuple(i for i, value in enumerate(values) if ops.is_symbolic(value) and not _is_number(value))

    @cached_property
    def wheels(self) -> tuple[ContactRows, ...]:
        """Contacts that have no contact point where their wheel lies flat."""
        return tuple(contact for contact in self.contacts if contact.touch.steepness is not None)

    @cached_property
    def _rows_that_slip(self) -> frozenset[int]:
        found, first = set(), 0
        for contact in self.contacts:
            if contact.slips:
                found.add(first)
            first += len(contact.labels)
        return frozenset(found)

    @cached_property
    def watched_pivots(self) -> Array:
        """Positive while every pivot keeps its sign and a safe size, and then while no wheel lies flat."""
        pivots, values = self.reduction.pivots, self.elimination.pivot_values
        slipping = self._rows_that_slip
        safe = [
            values[i] * (pivots.signs[i] / pivots.sizes[i]) - (WATCH_SLIP if pivots.steps[i][0] in slipping else WATCH)
            for i in self.watched_steps
        ]
        return vector_of([*safe, *(_above_flat(wheel) for wheel in self.wheels)])


def _above_flat(wheel: ContactRows) -> Any:
    return wheel.touch.steepness - (FLAT_IN_SHORT_STEPS if wheel.contact.law.switches else FLAT)


def _is_number(value: Any) -> bool:
    return bool(getattr(value, "is_constant", lambda: False)())
