"""The equations of motion a second time, by the principle of virtual power, for comparison with the recursions.

Only where bodies are is written down, joint by joint, as plain matrices in the world; velocities, angular velocities, what is
left of accelerations, rows of contacts and generalised forces all follow from it by differentiation (Jourdain): over all bodies
and forces,

    sum m (dV/dv)^T (V_dot - g) + (dW/dv)^T (I W_dot + W x I W)  =  sum (d velocity/dv)^T force  +  C^T lambda.

Nothing of `mechanics` is used: no recursion, no twist in body axes of its own making, no contact geometry, no kernel.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, singledispatch
from typing import Any

import casadi
import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.model import (
    AddedMass,
    BodyForce,
    BodyTorque,
    CompliantContact,
    Coupling,
    FluidDrag,
    Gravity,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    Plane,
    PointDamper,
    PointSpring,
    RollingDisc,
    RollingEllipsoid,
    RollingSphere,
    RollingTorus,
    Skate,
    SlidingPoint,
    SlidingSphere,
    StickingPoint,
    System,
    Torque,
    VelocityConstraint,
    evaluate,
)
from locomotor.model.forces import sliding_bound
from locomotor.names import WORLD
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.readings.child_poses import ORIGIN, pose, rates, refuse
from locomotor.tracing.readings.held_loops import Seen, held
from locomotor.tracing.system import TracedSystem

Pair = tuple[Any, Any]
"""A force and the velocity on which it works."""


def virtual_power(traced: TracedSystem) -> Traced:
    """Function of (time, coordinates, velocities, inputs, parameters): mass, force, rows, row_bias, slip, energy and applied.

    M v_dot = force + C^T lambda and C v_dot + row_bias = 0; slip is C v - b, energy kinetic, applied what forces other than
    gravity and drives contribute to force. Imposed joints are as any other.
    """
    system = traced.system
    for body in system.bodies:
        if body.coordinates:
            raise ModelError(f"certify: body {body.name!r} is soft, and the second derivation knows rigid bodies only")
    layout = system.layout
    time, _, inputs, parameters = traced.arguments
    q = casadi.SX.sym("q", layout.nq) if layout.nq else casadi.SX(0, 1)
    v = casadi.SX.sym("v", layout.nv) if layout.nv else casadi.SX(0, 1)
    world = World(system, time, q, v, inputs, traced.values(parameters))
    rows = world.slips
    n = layout.nv
    C = casadi.jacobian(rows, v) if rows.numel() else casadi.SX(0, n)
    bias = world.rate(rows) + casadi.jacobian(rows, time) if rows.numel() else casadi.SX(0, 1)
    outputs = [
        (part_port("mass", (n, n)), world.mass),
        (part_port("force", (n,)), world.force),
        (part_port("rows", (C.shape[0], n)), C if rows.numel() else np.zeros(0)),
        (part_port("row_bias", (C.shape[0],)), bias if rows.numel() else np.zeros(0)),
        (part_port("slip", (C.shape[0],)), rows if rows.numel() else np.zeros(0)),
        (part_port("energy", (1,)), world.energy),
        (part_port("applied", (n,)), world.pushed(system.forces)),
    ]
    return Traced.build(
        f"{system.name}_virtual_power", world_arguments(traced, q, v), outputs, "equations of motion by virtual power"
    )


def fluid_forces(traced: TracedSystem) -> tuple[str, ...]:
    """Names of the forces that are inertia of a fluid."""
    system, layout = traced.system, traced.system.layout
    time, _, inputs, parameters = traced.arguments
    q, v = casadi.SX.sym("q", layout.nq), casadi.SX.sym("v", layout.nv)
    world = World(system, time, q, v, inputs, traced.values(parameters))
    return tuple(force.name for force in system.forces if moves(force, world))


def world_arguments(traced: TracedSystem, q: Any, v: Any) -> list[tuple[Port, Any]]:
    """Time, all coordinates, all velocities, inputs and parameters, as ports."""
    layout = traced.system.layout
    time, _, inputs, parameters = traced.arguments
    named = [
        (Port("coordinates", tuple(Field(s.name, s.unit) for s in layout.coordinates)), q),
        (Port("velocities", tuple(Field(s.name, s.unit) for s in layout.velocities)), v),
    ]
    return [(traced.ports[0], time), *named, (traced.input_port, inputs), (traced.parameter_port, parameters)]


def part_port(name: str, shape: tuple[int, ...]) -> Port:
    """A matrix as a port, its entries numbered."""
    count = int(np.prod(shape))
    return Port(name, tuple(Field(f"{name}_{k}") for k in range(count)), shape)


@dataclass(frozen=True, eq=False)
class World:
    """Everything in the axes of the world, from positions alone."""

    system: System
    time: Any
    q: Any
    v: Any
    inputs: Any
    values: dict[str, Any]

    @cached_property
    def names(self) -> dict[str, Any]:
        """What laws may speak of."""
        layout = self.system.layout
        found = {**self.values, "t": self.time}
        found |= {s.name: self.q[i] for i, s in enumerate(layout.coordinates)}
        found |= {s.name: self.v[i] for i, s in enumerate(layout.velocities)}
        return found | {s.name: self.inputs[i] for i, s in enumerate(layout.inputs)}

    @cached_property
    def poses(self) -> dict[str, tuple[Any, Any]]:
        """Rotation and origin of every body."""
        found: dict[str, tuple[Any, Any]] = {"world": (casadi.SX.eye(3), casadi.SX.zeros(3))}
        for joint in self.system.joints:
            placed = joint.placement(self.values)
            R, p = found[joint.parent]
            R, p = R @ casadi.SX(placed.rotation), p + R @ casadi.SX(placed.translation)
            own, moved = pose(joint, self.q[self.system.layout.q[joint.name]], self.values)
            found[joint.child] = (R @ own, p + R @ moved)
        return found

    @cached_property
    def q_dot(self) -> Any:
        """Rates of the coordinates."""
        layout = self.system.layout
        parts = [rates(j, self.q[layout.q[j.name]], self.v[layout.v[j.name]]) for j in self.system.joints if j.nq]
        return casadi.vertcat(*parts) if parts else casadi.SX(0, 1)

    def rate(self, expression: Any) -> Any:
        """Derivative in time at constant velocities."""
        return casadi.jtimes(casadi.SX(expression), self.q, self.q_dot)

    def point(self, body: str, at: Any) -> Any:
        """A point of a body."""
        R, p = self.poses[body]
        return p + R @ casadi.SX(at)

    def velocity(self, body: str, at: Any) -> Any:
        """Velocity of a point fixed to a body."""
        return self.rate(self.point(body, at)) if body != "world" else casadi.SX.zeros(3)

    def spin(self, body: str) -> Any:
        """Angular velocity: the vector of R_dot R^T."""
        R, _ = self.poses[body]
        W = casadi.reshape(self.rate(casadi.vec(R)), 3, 3) @ R.T
        return 0.5 * casadi.vertcat(W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1])

    @cached_property
    def _bodies(self) -> list[tuple[Any, Any, Any, Any]]:
        """Mass, inertia in the world, velocity of the centre and angular velocity of every body with mass."""
        found = []
        for body in self.system.bodies:
            inertia: Any = getattr(body, "inertia", None)
            if inertia is None:
                continue
            R, _ = self.poses[body.name]
            com = evaluate(body.com, self.values)  # type: ignore[union-attr]
            own = casadi.SX(evaluate(inertia, self.values))
            mass = evaluate(body.mass, self.values)  # type: ignore[union-attr]
            found.append((mass, R @ own @ R.T, self.velocity(body.name, com), self.spin(body.name)))
        return found

    @cached_property
    def mass(self) -> Any:
        """Mass matrix M."""
        total = casadi.SX.zeros(self.v.numel(), self.v.numel())
        for m, inertia, V, W in self._bodies:
            J, A = casadi.jacobian(V, self.v), casadi.jacobian(W, self.v)
            total = total + m * (J.T @ J) + A.T @ inertia @ A
        for place, rotor in self._rotors:
            total[place, place] += rotor
        for matrix, twist in self._fluid:
            T = casadi.jacobian(twist, self.v)
            total = total + T.T @ matrix @ T
        return total

    @cached_property
    def _rotors(self) -> list[tuple[int, Any]]:
        """What turns with a joint alone: its place and inertia."""
        turning = [joint for joint in self.system.joints if joint.rotor_inertia != 0.0]
        return [(self.system.layout.v[j.name].start, evaluate(j.rotor_inertia, self.values)) for j in turning]

    @cached_property
    def _fluid(self) -> list[tuple[Any, Any]]:
        """Inertia of the fluid that bodies move with them, and their twists in body axes."""
        return [pair for force in self.system.forces for pair in moves(force, self)]

    @cached_property
    def energy(self) -> Any:
        """Kinetic energy."""
        found = sum((0.5 * m * casadi.dot(V, V) + 0.5 * casadi.dot(W, J @ W) for m, J, V, W in self._bodies), casadi.SX(0))
        found = found + sum((0.5 * rotor * self.v[place] ** 2 for place, rotor in self._rotors), casadi.SX(0))
        return found + sum((0.5 * casadi.dot(twist, matrix @ twist) for matrix, twist in self._fluid), casadi.SX(0))

    def pairs(self, forces: Sequence[Any]) -> list[Pair]:
        """Pushes of some forces, gravity left out, and of the drives, each with the velocity it works on."""
        pairs: list[Pair] = []
        for force in forces:
            if not isinstance(force, Gravity):
                pairs += works(force, self)
        for joint in self.system.joints:
            if isinstance(joint.drive, Torque) and joint.nv == 1:
                place = self.system.layout.v[joint.name].start
                pairs.append((evaluate(joint.drive.law, self.names), self.v[place]))
        return pairs

    def pushed(self, forces: Sequence[Any]) -> Any:
        """Generalised forces: each push projected on its velocity."""
        total = casadi.SX.zeros(self.v.numel())
        for push, velocity in self.pairs(forces):
            total = total + casadi.jacobian(velocity, self.v).T @ casadi.SX(push)
        return total

    @cached_property
    def gravity(self) -> Any:
        """Acceleration of free fall."""
        given = [force.acceleration for force in self.system.forces if isinstance(force, Gravity)]
        return sum((casadi.SX(evaluate(each, self.values)) for each in given), casadi.SX.zeros(3))

    @cached_property
    def force(self) -> Any:
        """Everything applied, less what accelerations at constant velocities need."""
        total = self.pushed(self.system.forces)
        for m, inertia, V, W in self._bodies:
            total = total - casadi.jacobian(V, self.v).T @ (m * (self.rate(V) - self.gravity))
            total = total - casadi.jacobian(W, self.v).T @ (inertia @ self.rate(W) + casadi.cross(W, inertia @ W))
        return total

    def _value(self, quantity: Any) -> Any:
        return evaluate(quantity, self.names)

    @cached_property
    def slips(self) -> Any:
        """What constraints keep at zero: velocities of contact points along blocked directions, and formulas."""
        found: list[Any] = []
        for contact in self.system.contacts:
            ground = next(g for g in self.system.grounds if g.name == contact.ground)
            if not isinstance(ground, Plane) or ground.body != WORLD:
                refuse("ground", ground)
            if contact.pivots or contact.resists:
                refuse("contact with a patch or a rolling resistance", contact)
            normal = casadi.SX(evaluate(ground.normal, self.values))
            found += list(blocked(contact, normal, self))
        for constraint in self.system.constraints:
            if isinstance(constraint, Coupling):
                found.append(self.rate(evaluate(constraint.position, self.names)))
            elif isinstance(constraint, VelocityConstraint):
                pairs = zip(constraint.velocities, constraint.coefficients, strict=True)
                total = sum((evaluate(c, self.names) * self.names[name] for name, c in pairs), casadi.SX(0))
                found.append(total - evaluate(constraint.equals, self.names))
            else:
                refuse("constraint", constraint)
        for closure in self.system.loops:
            seen = Seen(closure, self.point, lambda body, d: self.poses[body][0] @ casadi.SX(d), self._value)
            for position in held(closure, seen):
                found.append(self.rate(position) + casadi.jacobian(position, self.time))
        return casadi.vertcat(*found) if found else casadi.SX(0, 1)


# -- contacts: velocities that they keep at zero -----------------------------------------------------------------------


@singledispatch
def blocked(contact: Any, normal: Any, world: World) -> Iterator[Any]:
    """Velocities along the blocked directions, as functions of coordinates and velocities."""
    refuse("contact", contact)


def _carried(world: World, body: str, centre: Any, arm: Any) -> Any:
    """Velocity of the matter at an arm from a point of a body."""
    return world.velocity(body, centre) + casadi.cross(world.spin(body), arm)


def _rim(contact: RollingDisc | RollingTorus, normal: Any, world: World) -> tuple[Any, Any]:
    """From the centre to the lowest point of the rim, as a unit vector, and the centre."""
    R, _ = world.poses[contact.body]
    axle = R @ casadi.SX(evaluate(contact.axis, world.values))
    down = -(normal - casadi.dot(normal, axle) * axle)
    return down / casadi.norm_2(down), evaluate(contact.centre, world.values)


@blocked.register
def _(contact: RollingDisc, normal: Any, world: World) -> Iterator[Any]:
    down, centre = _rim(contact, normal, world)
    yield _carried(world, contact.body, centre, evaluate(contact.radius, world.values) * down)


@blocked.register
def _(contact: RollingTorus, normal: Any, world: World) -> Iterator[Any]:
    down, centre = _rim(contact, normal, world)
    tube = evaluate(contact.tube, world.values)
    yield _carried(world, contact.body, centre, evaluate(contact.radius, world.values) * down - tube * normal)


@blocked.register
def _(contact: RollingSphere, normal: Any, world: World) -> Iterator[Any]:
    centre = evaluate(contact.centre, world.values)
    yield _carried(world, contact.body, centre, -evaluate(contact.radius, world.values) * normal)


@blocked.register
def _(contact: RollingEllipsoid, normal: Any, world: World) -> Iterator[Any]:
    centre, half = evaluate(contact.centre, world.values), casadi.SX(evaluate(contact.half_axes, world.values))
    R, _ = world.poses[contact.body]
    scaled = half * (R.T @ normal)
    yield _carried(world, contact.body, centre, -(R @ (half * scaled)) / casadi.norm_2(scaled))


@blocked.register
def _(contact: SlidingSphere, normal: Any, world: World) -> Iterator[Any]:
    centre = evaluate(contact.centre, world.values)
    yield casadi.dot(normal, world.velocity(contact.body, centre))


@blocked.register
def _(contact: StickingPoint, normal: Any, world: World) -> Iterator[Any]:
    yield world.velocity(contact.body, evaluate(contact.at, world.values))


@blocked.register
def _(contact: SlidingPoint, normal: Any, world: World) -> Iterator[Any]:
    yield casadi.dot(normal, world.velocity(contact.body, evaluate(contact.at, world.values)))


@blocked.register
def _(contact: Skate, normal: Any, world: World) -> Iterator[Any]:
    R, _ = world.poses[contact.body]
    across = casadi.cross(normal, R @ casadi.SX(evaluate(contact.heading, world.values)))
    velocity = world.velocity(contact.body, evaluate(contact.at, world.values))
    yield casadi.dot(across / casadi.norm_2(across), velocity)
    yield casadi.dot(normal, velocity)


# -- fluids: what they weigh --------------------------------------------------------------------------------------------


@singledispatch
def moves(force: Any, world: World) -> list[tuple[Any, Any]]:
    """Matrices of inertia of a fluid that a force adds, each with the velocities it belongs to."""
    return []


@moves.register
def _(force: AddedMass, world: World) -> list[tuple[Any, Any]]:
    return [(casadi.SX(evaluate(force.matrix, world.values)), _twist(force.body, world))]


# -- forces: what they push, and the velocity they work on -------------------------------------------------------------


@singledispatch
def works(force: Any, world: World) -> list[Pair]:
    """Pairs of a force and the velocity on which it works."""
    refuse("force", force)


def _joint_pair(name: str, push: Any, world: World) -> list[Pair]:
    return [(push, world.v[world.system.layout.v[name].start])]


@works.register
def _(force: JointSpring, world: World) -> list[Pair]:
    stretch = world.names[force.joint] - evaluate(force.rest, world.names)
    return _joint_pair(force.joint, -evaluate(force.stiffness, world.names) * stretch, world)


@works.register
def _(force: JointDamper, world: World) -> list[Pair]:
    rate = world.v[world.system.layout.v[force.joint].start]
    return _joint_pair(force.joint, -evaluate(force.damping, world.names) * rate, world)


@works.register
def _(force: JointForce, world: World) -> list[Pair]:
    return _joint_pair(force.joint, evaluate(force.law, world.names), world)


@works.register
def _(force: JointFriction, world: World) -> list[Pair]:
    rate = world.v[world.system.layout.v[force.joint].start]
    dry = casadi.if_else(rate > 0, -1.0, casadi.if_else(rate < 0, 1.0, 0.0)) * sliding_bound(force, world.names)
    return _joint_pair(force.joint, dry - evaluate(force.viscous, world.names) * rate, world)


@works.register
def _(force: BodyForce, world: World) -> list[Pair]:
    push = casadi.SX(evaluate(force.components, world.names))
    if force.frame != "world":
        push = world.poses[force.body][0] @ push
    return [(push, world.velocity(force.body, evaluate(force.at, world.names)))]


@works.register
def _(force: BodyTorque, world: World) -> list[Pair]:
    push = casadi.SX(evaluate(force.components, world.names))
    if force.frame != "world":
        push = world.poses[force.body][0] @ push
    return [(push, world.spin(force.body))]


def _twist(body: str, world: World) -> Any:
    """Velocity of the origin and angular velocity of a body, along its axes."""
    R, _ = world.poses[body]
    return casadi.vertcat(R.T @ world.velocity(body, ORIGIN), R.T @ world.spin(body))


@works.register
def _(force: FluidDrag, world: World) -> list[Pair]:
    twist = _twist(force.body, world)
    return [(-(casadi.SX(evaluate(force.matrix, world.names)) @ twist), twist)]


@works.register
def _(force: AddedMass, world: World) -> list[Pair]:
    """What the momentum of the fluid needs at constant velocities: p' on the origin, l' + V x p about it (Kirchhoff)."""
    R, _ = world.poses[force.body]
    momentum = casadi.SX(evaluate(force.matrix, world.values)) @ _twist(force.body, world)
    p, about = R @ momentum[0:3], R @ momentum[3:6]
    V, W = world.velocity(force.body, ORIGIN), world.spin(force.body)
    return [(-world.rate(p), V), (-(world.rate(about) + casadi.cross(V, p)), W)]


@works.register
def _(force: CompliantContact, world: World) -> list[Pair]:
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


def ends_of(force: PointSpring | PointDamper, world: World) -> tuple[Any, Any]:
    """The length between two points, and its rate."""
    a, b = evaluate(force.at_a, world.values), evaluate(force.at_b, world.values)
    length = casadi.norm_2(world.point(force.body_b, b) - world.point(force.body_a, a))
    return length, world.rate(length)


@works.register
def _(force: PointSpring, world: World) -> list[Pair]:
    length, rate = ends_of(force, world)
    return [(-evaluate(force.stiffness, world.names) * (length - evaluate(force.length, world.names)), rate)]


@works.register
def _(force: PointDamper, world: World) -> list[Pair]:
    _, rate = ends_of(force, world)
    return [(-evaluate(force.damping, world.names) * rate, rate)]
