"""Forces in the second derivation (`virtual_power`): what they push, the velocity they work on, and the fluid that they add."""

from functools import singledispatch
from typing import Any

import casadi

from locomotor.errors import ModelError
from locomotor.model import (
    AddedMass,
    BodyForce,
    BodyTorque,
    CompliantContact,
    FluidDrag,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    Plane,
    PointDamper,
    PointSpring,
    evaluate,
)
from locomotor.model.forces import sliding_bound
from locomotor.tracing.readings.child_poses import ORIGIN, refuse
from locomotor.tracing.readings.placed_world import Placed

Pair = tuple[Any, Any]
"""A force and the velocity on which it works."""


# -- fluids: what they weigh --------------------------------------------------------------------------------------------


@singledispatch
def moves(force: Any, world: Placed) -> list[tuple[Any, Any]]:
    """Matrices of inertia of a fluid that a force adds, each with the velocities it belongs to."""
    return []


@moves.register
def _(force: AddedMass, world: Placed) -> list[tuple[Any, Any]]:
    return [(casadi.SX(evaluate(force.matrix, world.values)), _twist(force.body, world))]


# -- forces: what they push, and the velocity they work on -------------------------------------------------------------


@singledispatch
def works(force: Any, world: Placed) -> list[Pair]:
    """Pairs of a force and the velocity on which it works."""
    refuse("force", force)


def _joint_pair(name: str, push: Any, world: Placed) -> list[Pair]:
    return [(push, world.v[world.system.layout.pushed(name)])]


@works.register
def _(force: JointSpring, world: Placed) -> list[Pair]:
    stretch = world.names[force.joint] - evaluate(force.rest, world.names)
    return _joint_pair(force.joint, -evaluate(force.stiffness, world.names) * stretch, world)


@works.register
def _(force: JointDamper, world: Placed) -> list[Pair]:
    rates = [world.v[place] for place in world.system.layout.rubbed(force.joint)]
    return [(-evaluate(force.damping, world.names) * rate, rate) for rate in rates]


@works.register
def _(force: JointForce, world: Placed) -> list[Pair]:
    return _joint_pair(force.joint, evaluate(force.law, world.names), world)


@works.register
def _(force: JointFriction, world: Placed) -> list[Pair]:
    if force.follows_load:
        raise ModelError(
            f"certify: {force.label} follows the load of its joint, and virtual power does not know the forces of joints; "
            "certify a system without it"
        )
    rates = [world.v[place] for place in world.system.layout.rubbed(force.joint)]
    bound, viscous = sliding_bound(force, world.names), evaluate(force.viscous, world.names)
    size = casadi.sqrt(sum(rate**2 for rate in rates))
    return [(casadi.if_else(size > 0, -bound / size, 0.0) * rate - viscous * rate, rate) for rate in rates]


@works.register
def _(force: BodyForce, world: Placed) -> list[Pair]:
    push = casadi.SX(evaluate(force.components, world.names))
    if force.frame != "world":
        push = world.poses[force.body][0] @ push
    return [(push, world.velocity(force.body, evaluate(force.at, world.names)))]


@works.register
def _(force: BodyTorque, world: Placed) -> list[Pair]:
    push = casadi.SX(evaluate(force.components, world.names))
    if force.frame != "world":
        push = world.poses[force.body][0] @ push
    return [(push, world.spin(force.body))]


def _twist(body: str, world: Placed) -> Any:
    """Velocity of the origin and angular velocity of a body, along its axes."""
    R, _ = world.poses[body]
    return casadi.vertcat(R.T @ world.velocity(body, ORIGIN), R.T @ world.spin(body))


@works.register
def _(force: FluidDrag, world: Placed) -> list[Pair]:
    twist = _twist(force.body, world)
    return [(-(casadi.SX(evaluate(force.matrix, world.names)) @ twist), twist)]


@works.register
def _(force: AddedMass, world: Placed) -> list[Pair]:
    """What the momentum of the fluid needs at constant velocities: p' on the origin, l' + V x p about it (Kirchhoff)."""
    R, _ = world.poses[force.body]
    momentum = casadi.SX(evaluate(force.matrix, world.values)) @ _twist(force.body, world)
    p, about = R @ momentum[0:3], R @ momentum[3:6]
    V, W = world.velocity(force.body, ORIGIN), world.spin(force.body)
    return [(-world.rate(p), V), (-(world.rate(about) + casadi.cross(V, p)), W)]


@works.register
def _(force: CompliantContact, world: Placed) -> list[Pair]:
    """It works on the gap: K d^n (1 + a d_dot) for the depth d, a from the restitution, never a pull."""
    ground = next(g for g in world.system.grounds if g.name == force.ground)
    if not isinstance(ground, Plane):
        refuse("ground", ground)
    normal = casadi.SX(evaluate(ground.normal, world.values))
    centre = world.point(force.body, evaluate(force.at, world.values))
    gap = casadi.dot(normal, centre - casadi.SX(evaluate(ground.point, world.values)))
    radius = evaluate(force.radius, world.values)
    if force.axis is None:
        gap = gap - radius
    else:
        axle = world.poses[force.body][0] @ casadi.SX(evaluate(force.axis, world.values))
        gap = gap - radius * casadi.norm_2(normal - casadi.dot(normal, axle) * axle)
    rate = world.rate(gap)
    e, speed = evaluate(force.restitution, world.names), evaluate(force.speed, world.names)
    damping = {"hunt-crossley": 1.5 * (1 - e), "lankarani-nikravesh": 0.75 * (1 - e**2)}[force.damping] / speed
    depth = casadi.fmax(-gap, 0)
    push = evaluate(force.stiffness, world.names) * depth ** evaluate(force.exponent, world.names) * (1 - damping * rate)
    return [(casadi.fmax(push, 0), rate)]


def ends_of(force: PointSpring | PointDamper, world: Placed) -> tuple[Any, Any]:
    """The length between two points, and its rate."""
    a, b = evaluate(force.at_a, world.values), evaluate(force.at_b, world.values)
    length = casadi.norm_2(world.point(force.body_b, b) - world.point(force.body_a, a))
    return length, world.rate(length)


@works.register
def _(force: PointSpring, world: Placed) -> list[Pair]:
    length, rate = ends_of(force, world)
    return [(-evaluate(force.stiffness, world.names) * (length - evaluate(force.length, world.names)), rate)]


@works.register
def _(force: PointDamper, world: Placed) -> list[Pair]:
    _, rate = ends_of(force, world)
    return [(-evaluate(force.damping, world.names) * rate, rate)]
