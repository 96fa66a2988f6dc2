"""What acts on the system besides inertia: gravity, wrenches on bodies, and generalised forces on joints."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.lie import ops
from locomotor.mechanics.loads.compliance import normal_force
from locomotor.mechanics.tree import Instant, Kinematics
from locomotor.model import (
    AddedMass,
    BodyForce,
    BodyTorque,
    CompliantContact,
    FluidDrag,
    Force,
    Gravity,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    PointDamper,
    PointSpring,
    SlidingFriction,
    Torque,
    evaluate,
)
from locomotor.model.expressions import Expression
from locomotor.model.forces import Load, sliding_effort
from locomotor.typing import Array

AT_REST = 1e-22
"""Square of an angular velocity (rad²/s²) below which a ball joint has no direction of its own: what is left is round-off."""

STRAIGHT = 1e-24
"""The same of what is across the direction that is noted for one: it slides straight along that direction."""


@dataclass(eq=False)
class Applied:
    """Sum of all applied forces, in the three forms the recursions take."""

    kinematics: Kinematics
    gravity: Array = field(default_factory=lambda: np.zeros(3))
    wrenches: dict[int, Array] = field(default_factory=dict)
    generalised: list[Any] = field(default_factory=list)
    loads: Mapping[str, Load] = field(default_factory=dict)
    """Forces between the bodies of joints whose friction follows them, by the name of the friction."""

    def on_joint(self, joint: str, force: Any) -> None:
        """Add a generalised force on a one-degree joint, or on a pin of another; a torque on a ball joint, in child axes."""
        places = self.kinematics.instant.system.layout.rubbed(joint)
        for k, place in enumerate(places):
            self.generalised[place] = self.generalised[place] + (force if len(places) == 1 else force[k])

    def on_body(self, body: str, wrench: Array) -> None:
        """Add a wrench about the body's origin, in body axes."""
        index = self.kinematics.index(body)
        self.wrenches[index] = self.wrenches[index] + wrench if index in self.wrenches else wrench

    def at_point(self, body: str, point: Array, force_world: Array) -> None:
        """Add a force in world axes at a point of a body; forces on the world are nobody's concern."""
        if body == "world":
            return
        force = self.kinematics.poses[self.kinematics.index(body)].rotation.T @ force_world
        self.on_body(body, ops.concat(force, ops.cross(point, force)))

    def forces(self) -> Array:
        """Generalised forces as a vector."""
        return ops.vector(*self.generalised) if self.generalised else np.zeros(0)


def applied_forces(kinematics: Kinematics, without: Collection[Force] = (), loads: Mapping[str, Load] | None = None) -> Applied:
    """Collect every force and torque law of the system; torques of imposed joints are unknown and left out.

    Forces in `without` are left out too, and friction that follows a load where `loads` does not have it.
    """
    instant = kinematics.instant
    found = Applied(kinematics, generalised=[0.0] * instant.system.layout.nv, loads=loads or {})
    for force in instant.system.forces:
        if force not in without:
            act(force, found)
    for i in range(len(kinematics.links)):
        damp(i, found)
    for joint in instant.system.joints:
        if isinstance(joint.drive, Torque) and joint.nv == 1:
            torque = evaluate(joint.drive.law, instant.names)
            if not ops.is_zero(torque):
                found.on_joint(joint.name, torque)
    return found


def damp(i: int, found: Applied) -> None:
    """Add what damps the own motion of a soft body."""
    link, instant = found.kinematics.links[i], found.kinematics.instant
    if link.soft is not None:
        forces = link.soft.damping(instant.q[link.own_q], instant.v[link.own], instant.values)
        if forces is not None:
            for k, place in enumerate(range(link.own.start, link.own.stop)):
                found.generalised[place] = found.generalised[place] + forces[k]


@singledispatch
def act(force: Any, found: Applied) -> None:
    """Add one force to the sum."""
    raise ModelError(
        f"{force.label}: how a {type(force).__name__} acts is not known; register a function of it with "
        "`locomotor.mechanics.loads.act`, in the module that defines it"
    )


@act.register
def _(force: Gravity, found: Applied) -> None:
    found.gravity = found.gravity + evaluate(force.acceleration, found.kinematics.instant.values)


@act.register
def _(force: JointSpring, found: Applied) -> None:
    names = found.kinematics.instant.names
    stretch = names[force.joint] - evaluate(force.rest, names)
    found.on_joint(force.joint, -(evaluate(force.stiffness, names) * stretch))


@act.register
def _(force: JointDamper, found: Applied) -> None:
    instant = found.kinematics.instant
    found.on_joint(force.joint, -(evaluate(force.damping, instant.names) * rate_of(force.joint, instant)))


@singledispatch
def resists(force: Any, instant: Instant) -> Iterator[tuple[int, Any]]:
    """Velocities that a force resists each by itself, and by how much per unit: places and coefficients; none unless known."""
    yield from ()


@resists.register
def _(force: JointDamper, instant: Instant) -> Iterator[tuple[int, Any]]:
    coefficient = evaluate(force.damping, instant.names)
    for place in instant.system.layout.rubbed(force.joint):
        yield place, coefficient


@resists.register
def _(force: JointForce, instant: Instant) -> Iterator[tuple[int, Any]]:
    yield from _resistance_of(force.law, force.joint, instant)


def drives_resist(instant: Instant) -> Iterator[tuple[int, Any]]:
    """The same of the laws of torques on joints."""
    for joint in instant.system.joints:
        if isinstance(joint.drive, Torque) and joint.nv == 1:
            yield from _resistance_of(joint.drive.law, joint.name, instant)


def _resistance_of(law: Any, joint: str, instant: Instant) -> Iterator[tuple[int, Any]]:
    """By how much a law resists the rate of its joint, where it is a formula of that."""
    layout = instant.system.layout
    for place in layout.rubbed(joint):
        rate = layout.velocities[place].name
        if isinstance(law, Expression) and rate in law.names:
            yield place, -evaluate(law.derivative(rate), instant.names)


@act.register
def _(force: JointForce, found: Applied) -> None:
    found.on_joint(force.joint, evaluate(force.law, found.kinematics.instant.names))


@act.register
def _(force: JointFriction, found: Applied) -> None:
    instant = found.kinematics.instant
    rate = rate_of(force.joint, instant)
    towards = way(force, rate, instant.names)
    found.on_joint(force.joint, sliding_effort(force, towards, rate, instant.names, found.loads.get(force.name)))


def rate_of(joint: str, instant: Instant) -> Any:
    """Rate of a joint of one degree of freedom, or of a pin; of a ball joint its angular velocity in child axes."""
    first, *others = (instant.v[place] for place in instant.system.layout.rubbed(joint))
    return ops.vector(first, *others) if others else first


@singledispatch
def way(force: JointFriction, rate: Any, names: Mapping[str, Any]) -> Any:
    """Where a joint with friction slides to: 1 or -1, of a ball joint a unit vector; 0 where it rests."""
    if len(ops.entries(rate)) == 1:
        return ops.sign(rate)
    square = ops.dot(rate, rate)
    return ops.if_else(ops.less(square, AT_REST), 0.0, 1.0 / ops.sqrt(ops.fmax(square, AT_REST))) * rate


@way.register
def _(force: SlidingFriction, rate: Any, names: Mapping[str, Any]) -> Any:
    """As it is told; a ball joint that moves slides along its velocity, in the sense that it is told.

    So a step which passes through rest goes on smoothly: where that is, is an event of its own.
    """
    told = evaluate(force.towards, names)
    if len(ops.entries(rate)) == 1:
        return told[0]
    along, square, guided = ops.dot(rate, told), ops.dot(rate, rate), evaluate(force.guided, names)
    aside = rate - along * told
    own = (ops.if_else(ops.less(along, 0.0), -1.0, 1.0) / ops.sqrt(ops.fmax(square, AT_REST))) * rate
    # What is aside by round-off must not grow where the rate passes zero; derivatives ask for what it would do.
    straight = ops.logic_and(ops.less(ops.dot(aside, aside), STRAIGHT), ops.less(-0.5, guided))
    return ops.if_else(
        ops.less(0.5, guided), told, ops.if_else(straight, told, ops.if_else(ops.less(square, AT_REST), told, own))
    )


@act.register
def _(force: BodyForce, found: Applied) -> None:
    names = found.kinematics.instant.names
    point, components = evaluate(force.at, names), evaluate(force.components, names)
    if force.frame == "world":
        found.at_point(force.body, point, components)
    else:
        found.on_body(force.body, ops.concat(components, ops.cross(point, components)))


@act.register
def _(force: BodyTorque, found: Applied) -> None:
    components = evaluate(force.components, found.kinematics.instant.names)
    if force.frame == "world":
        components = found.kinematics.poses[found.kinematics.index(force.body)].rotation.T @ components
    found.on_body(force.body, ops.concat(np.zeros(3), components))


@act.register
def _(force: AddedMass, found: Applied) -> None:
    """The inertia of the fluid is part of the bodies' inertia (see `kinematics`)."""


@act.register
def _(force: FluidDrag, found: Applied) -> None:
    kinematics = found.kinematics
    i = kinematics.index(force.body)
    twist = ops.concat(kinematics.velocity[i], kinematics.omega[i])
    found.on_body(force.body, -(evaluate(force.matrix, kinematics.instant.names) @ twist))


@act.register
def _(force: PointSpring, found: Applied) -> None:
    line, length = span(force, found.kinematics)
    names = found.kinematics.instant.names
    tension = evaluate(force.stiffness, names) * (length - evaluate(force.length, names))
    _pull(force, found, (tension / length) * line)


@act.register
def _(force: PointDamper, found: Applied) -> None:
    line, length = span(force, found.kinematics)
    names = found.kinematics.instant.names
    closing = _velocity(force.body_b, force.at_b, found.kinematics) - _velocity(force.body_a, force.at_a, found.kinematics)
    rate = ops.dot(line, closing) / length
    _pull(force, found, (evaluate(force.damping, names) * rate / length) * line)


@act.register
def _(force: CompliantContact, found: Applied) -> None:
    rows, pushes = normal_force(force, found.kinematics)
    found.at_point(force.body, rows.touch.point, pushes * rows.up)


def span(force: PointSpring | PointDamper, kinematics: Kinematics) -> tuple[Array, Any]:
    """Vector from end a to end b in the world, and its length."""
    line = _position(force.body_b, force.at_b, kinematics) - _position(force.body_a, force.at_a, kinematics)
    return line, ops.norm(line)


def _pull(force: PointSpring | PointDamper, found: Applied, tension: Array) -> None:
    values = found.kinematics.instant.values
    found.at_point(force.body_a, evaluate(force.at_a, values), tension)
    found.at_point(force.body_b, evaluate(force.at_b, values), -tension)


def _position(body: str, at: Any, kinematics: Kinematics) -> Array:
    point = evaluate(at, kinematics.instant.values)
    return point if body == "world" else kinematics.poses[kinematics.index(body)].act(point)


def _velocity(body: str, at: Any, kinematics: Kinematics) -> Array:
    if body == "world":
        return np.zeros(3)
    i = kinematics.index(body)
    point = evaluate(at, kinematics.instant.values)
    return kinematics.poses[i].rotation @ (kinematics.velocity[i] + ops.cross(kinematics.omega[i], point))
