"""The equations of motion a second time, by the principle of virtual power, for comparison with the recursions.

Only where bodies are is written down, joint by joint, as plain matrices in the world; velocities, angular velocities, what is
left of accelerations, rows of contacts and generalised forces all follow from it by differentiation (Jourdain): over all bodies
and forces,

    sum m (dV/dv)^T (V_dot - g) + (dW/dv)^T (I W_dot + W x I W)  =  sum (d velocity/dv)^T force  +  C^T lambda.

Nothing of `mechanics` is used: no recursion, no twist in body axes of its own making, no contact geometry, no kernel.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import Body, Coupling, Gravity, Plane, Torque, VelocityConstraint, evaluate
from locomotor.names import WORLD
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.readings.child_poses import refuse
from locomotor.tracing.readings.passed_turning import kept
from locomotor.tracing.readings.placed_world import Placed
from locomotor.tracing.readings.soft_points import cloud, lost, strained
from locomotor.tracing.readings.virtual_contacts import blocked
from locomotor.tracing.readings.virtual_forces import Pair, moves, works
from locomotor.tracing.system import TracedSystem
from locomotor.typing import Floats


def virtual_power(traced: TracedSystem) -> Traced:
    """Function of (time, coordinates, velocities, inputs, parameters): mass, force, rows, row_bias, slip, energy and applied.

    M v_dot = force + C^T lambda and C v_dot + row_bias = 0; slip is C v - b, energy kinetic, applied what forces other than
    gravity and drives contribute to force. Imposed joints are as any other.
    """
    system = traced.system
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
class World(Placed):
    """Mass matrix, forces and rows of constraints, each by differentiating what is placed in the world."""

    @cached_property
    def _bodies(self) -> list[tuple[Any, Any, Any, Any]]:
        """Mass, inertia in the world, velocity of the centre and angular velocity of every body with mass."""
        found = []
        for body in self.system.bodies:
            if isinstance(body, Body) and body.name not in self.soft:
                R, _ = self.poses[body.name]
                mass, com, inertia = body.mass_properties(self.values)
                found.append((mass, R @ casadi.SX(inertia) @ R.T, self.velocity(body.name, com), self.spin(body.name)))
        return found

    @cached_property
    def points(self) -> list[tuple[Floats, Any]]:
        """Masses of the points of every soft body, and their places, one below the other."""
        found = []
        for name, body in self.soft.items():
            masses, places = cloud(body, self.own(name), self.values)
            R, p = self.poses[name]
            found.append((masses, casadi.vec(R @ places + casadi.repmat(p, 1, len(masses)))))
        return found

    @cached_property
    def _clouds(self) -> list[tuple[Any, Any]]:
        """The mass of each component and its velocity, of the points of every soft body."""
        return [(casadi.DM(np.repeat(masses, 3)), self.rate(places)) for masses, places in self.points]

    @cached_property
    def strain_energy(self) -> Any:
        """What soft bodies store."""
        return sum((strained(body, self.own(name), self.values) for name, body in self.soft.items()), casadi.SX(0))

    @cached_property
    def lost(self) -> Any:
        """Rayleigh's function of what damps soft bodies."""
        place = self.system.layout.v
        each = (lost(body, self.own(name), self.v[place[name]], self.values) for name, body in self.soft.items())
        return sum(each, casadi.SX(0))

    @cached_property
    def mass(self) -> Any:
        """Mass matrix M."""
        total = casadi.SX.zeros(self.v.numel(), self.v.numel())
        for m, inertia, V, W in self._bodies:
            J, A = casadi.jacobian(V, self.v), casadi.jacobian(W, self.v)
            total = total + m * (J.T @ J) + A.T @ inertia @ A
        for m, V in self._clouds:
            J = casadi.jacobian(V, self.v)
            total = total + J.T @ (casadi.repmat(m, 1, self.v.numel()) * J)
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
        found = found + sum((0.5 * casadi.dot(m, V * V) for m, V in self._clouds), casadi.SX(0))
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
        for m, V in self._clouds:
            fallen = self.rate(V) - casadi.repmat(self.gravity, V.numel() // 3, 1)
            total = total - casadi.jacobian(V, self.v).T @ (m * fallen)
        if self.soft:
            total = total - casadi.gradient(self.rate(self.strain_energy) + self.lost, self.v)
        return total

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
            found += kept(closure, self)
        return casadi.vertcat(*found) if found else casadi.SX(0, 1)
