"""Conditions between bodies that are all free: closures, contacts that always touch, constraints by formula, and rotors.

Each is a function of time, of the poses and twists of its bodies and of numbers: gap, drift, bias and rows (`FreeBodies`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.constraints import contacts_at, formulas_at
from locomotor.mechanics.loops import Flow
from locomotor.mechanics.maximal import imposing, rates_of, refuse_folded, unfold
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import Closure, Constraint, Contact, Coupling, Free, Joint, Motion, System, evaluate
from locomotor.names import WORLD
from locomotor.tracing.contacts.switching import moving_rows
from locomotor.tracing.core import Traced
from locomotor.tracing.readings import FreeBodies, closure_data, closure_kernel, closure_key
from locomotor.typing import Vector


@dataclass(frozen=True, eq=False)
class OfClosure:
    """A joint of the tree, an imposed motion, or a loop."""

    system: System
    closure: Closure
    OF_TREE = False
    told = ()
    slack = 0.0

    @property
    def bodies(self) -> tuple[str, ...]:
        """Bodies by name, the world among them."""
        return tuple(getattr(self.closure, name) for name in self.closure.BODIES)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows; conditions on positions that have no row of their own come last."""
        return (*self.closure.row_names, *(name for name, _ in self.closure.extra_positions))

    @property
    def key(self) -> tuple[Any, ...]:
        """Conditions with the same key have the same function."""
        return closure_key(self.closure, self.system.parameters.values)

    @property
    def data(self) -> Vector:
        """The numbers that its function takes."""
        return closure_data(self.closure, self.system.parameters.values)

    def kernel(self) -> Traced:
        """Its function."""
        return closure_kernel(self.closure, self.system.parameters.values)


@dataclass(frozen=True, eq=False)
class OfRotor(OfClosure):
    """A rotor that runs at the rate of its joint: it holds nothing, and takes the effort that speeds it up.

    With s its rate, inertia s_dot = -lambda and the row J v_dot - s_dot = -bias: its inverse inertia is added to A.
    """

    inertia: float

    @property
    def slack(self) -> float:  # type: ignore[override]
        """What the rotor gives way by, for a unit effort."""
        return 1.0 / self.inertia


@dataclass(frozen=True, eq=False)
class OfContact:
    """A contact that touches: the normal first, then the directions along the ground that it blocks, then turning."""

    system: System
    contact: Contact
    told: tuple[str, ...] = ()
    """Parameters that a run tells, its numbers: where a contact on a terrain stands."""
    OF_TREE = False
    slack = 0.0

    @property
    def bodies(self) -> tuple[str, ...]:
        """The body that carries the ground, or the world, and the one that touches it."""
        return self.system.ground(self.contact.ground).body, self.contact.body

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows; those of a patch that does not spin, and of what does not roll, come last."""
        along = range(1, len(self.contact.blocks))
        return (f"{self.contact.name}_normal", *(f"{self.contact.name}_along_{k}" for k in along))

    @property
    def key(self) -> tuple[Any, ...]:
        """No other contact has its function: shapes and grounds are part of it."""
        return "contact", self.contact.name

    @property
    def data(self) -> Vector:
        """Room for what a run tells; its own numbers are in the function."""
        return np.zeros(len(self.told))

    def kernel(self) -> Traced:
        """Its function: the rows of the contact on bodies that hang on free joints."""
        system = self.system
        values: dict[str, Any] = dict(system.parameters.values)
        free = FreeBodies.named(2, len(self.told))
        values |= {name: free.data[k] for k, name in enumerate(self.told)}
        chosen = [(k, name) for k, name in enumerate(self.bodies) if name != WORLD]
        alone = System(
            "free",
            [body for _, name in chosen for body in system.bodies if body.name == name],
            [Free(name=f"free_{k}", parent=WORLD, child=name) for k, name in chosen],
            contacts=(self.contact,),
            grounds=(system.ground(self.contact.ground),),
            parameters=tuple(system.parameters[name] for name in system.parameters),
        )
        q = ops.concat(*(free.poses[k] for k, _ in chosen))
        v = ops.concat(*(free.twists[k] for k, _ in chosen))
        kinematics = forward(Instant(alone, q, v, free.time, np.zeros(0), values))
        (row,) = contacts_at(kinematics, [self.contact])
        rows, bias, *_ = moving_rows(row, kinematics.accelerations(None), None if self.told else values, False)
        count, blocks = int(rows.shape[0]), [np.zeros((int(rows.shape[0]), 6)) for _ in range(2)]
        for at, (k, _) in enumerate(chosen):
            blocks[k] = rows[:, 6 * at : 6 * at + 6]
        whole = ops.block([blocks])
        entries = ops.vector(*(whole[i, j] for i in range(count) for j in range(12)))
        held = 0.0 if self.contact.law.grips else row.gap  # a grip holds wherever it is
        gap = ops.vector(held, *([0.0] * (count - 1)))
        return free.built(self.contact.name, gap, ops.vector(*([0.0] * count)), bias, entries)


@dataclass(frozen=True, eq=False)
class OfFormula:
    """A constraint by a formula of coordinates and velocities of the tree, which are its numbers."""

    system: System
    constraint: Constraint
    OF_TREE = True
    told = ()
    slack = 0.0

    @property
    def _joints(self) -> list[Any]:
        """Joints whose rates it speaks of."""
        layout = self.system.layout
        instant = Instant(self.system, self.system.nominal_pose(), np.zeros(layout.nv))
        rows = formulas_at(instant, [self.constraint])
        named = {layout.index_v(name) for row in rows for name in row.coefficients}
        return [joint for joint in self.system.joints if named & set(range(layout.nv)[layout.v[joint.name]])]

    @property
    def bodies(self) -> tuple[str, ...]:
        """Parents and children of these joints."""
        return tuple(dict.fromkeys(name for joint in self._joints for name in (joint.parent, joint.child)))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return self.constraint.row_names

    @property
    def key(self) -> tuple[Any, ...]:
        """No other has its function."""
        return "formula", self.constraint.name

    @property
    def data(self) -> Vector:
        """Room for the coordinates and velocities of the tree."""
        return np.zeros(self.system.layout.nq + self.system.layout.nv)

    def kernel(self) -> Traced:
        """Its function: the row over rates of joints, each of them a flow over the twists of two bodies."""
        system, layout, values, names = self.system, self.system.layout, dict(self.system.parameters.values), self.bodies
        free = FreeBodies.named(len(names), layout.nq + layout.nv)
        q, v = free.data[: layout.nq], free.data[layout.nq :]
        instant = Instant(system, q, v, free.time, np.zeros(len(system.inputs)), values)
        bodies = dict(zip(names, free.bodies, strict=True))
        flows = {
            j: flow
            for joint in self._joints
            for j, flow in zip(
                range(layout.nv)[layout.v[joint.name]],
                rates_of(joint, bodies[joint.parent], bodies[joint.child], values),
                strict=True,
            )
        }
        gaps, drifts, biases, entries = [], [], [], []
        for row in formulas_at(instant, [self.constraint]):
            total = Flow({}, 0.0, 0.0, row.bias)
            for j in sorted(row.row):
                total = total + flows[j].scaled(row.row[j])
            gaps.append(row.gap if isinstance(self.constraint, Coupling) else 0.0)
            drifts.append(-row.right if not ops.is_zero(row.right) else 0.0)
            biases.append(total.bias)
            entries += [total.row.get(j, 0.0) for j in range(6 * len(names))]
        return free.built(self.constraint.name, *(ops.vector(*each) for each in (gaps, drifts, biases, entries)))


Condition = OfClosure | OfContact | OfFormula


def free_conditions(system: System, told: Sequence[str] = ()) -> tuple[Sequence[Condition], int]:
    """All that holds the bodies of a system when they are free, and how many of it are joints: those come first.

    Parameters that are `told` are known when the conditions are evaluated.
    """
    refuse_folded(system)
    values = system.parameters.values
    joints = [OfClosure(system, closure) for closure in unfold(system)]
    others: list[Condition] = [_imposed(system, joint) for joint in system.imposed]
    others += [OfClosure(system, closure) for closure in system.loops]
    others += [OfContact(system, contact, _of_ground(system, contact, told)) for contact in system.contacts]
    others += [OfFormula(system, constraint) for constraint in system.constraints]
    others += [_rotor(system, joint) for joint in system.joints if float(evaluate(joint.rotor_inertia, values)) > 0.0]
    return [*joints, *others], len(joints)


def _imposed(system: System, joint: Joint) -> OfClosure:
    assert isinstance(joint.drive, Motion)
    return OfClosure(system, imposing(joint, f"{joint.name}_motion", joint.drive.law, system.parameters.values))


def _rotor(system: System, joint: Joint) -> OfRotor:
    values = system.parameters.values
    inertia = float(evaluate(joint.rotor_inertia, values))
    return OfRotor(system, imposing(joint, f"{joint.name}_rotor", 0.0, values), inertia)


def _of_ground(system: System, contact: Contact, told: Sequence[str]) -> tuple[str, ...]:
    """Those of the parameters that say where a contact touches, and what stands below it."""
    parts = (contact, system.ground(contact.ground))
    named = {name for part in parts for _, expression in part.expressions(laws=False) for name in expression.names}
    return tuple(name for name in told if name in named)
