"""The equations of motion by Lagrange: energies as functions of coordinates and their rates, and nothing but their derivatives.

    d/dt dT/dx_dot - dT/dx = -dV/dx - dR/dx_dot + Q + C^T lambda

for the coordinates x, the potential V of gravity and springs, Rayleigh's function R of dampers, and given forces Q. Where
velocities v are no rates (angular velocities beside quaternions), x_dot = B(x) v and every equation is projected on B: of the
multipliers, those that keep quaternions at unit length go with it. Only where bodies are is written down (`virtual_power`).
"""

from functools import cached_property, singledispatch
from typing import Any

import casadi

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.model import Body, Force, Gravity, JointDamper, JointSpring, PointDamper, PointSpring, evaluate
from locomotor.tracing.core import Traced
from locomotor.tracing.readings.virtual_forces import ends_of
from locomotor.tracing.readings.virtual_power import World, fluid_forces, part_port, world_arguments
from locomotor.tracing.system import TracedSystem


@dataclass(frozen=True, eq=False)
class Rated(World):
    """The same world, with the rates of the coordinates as symbols of their own."""

    x_dot: Any = None

    @cached_property
    def q_dot(self) -> Any:
        """Rates of the coordinates, as given."""
        return self.x_dot

    @cached_property
    def potential(self) -> Any:
        """V of gravity, of what bends, and of every force that has one."""
        found = self.strain_energy
        for masses, places in self.points:
            found = found - casadi.dot(casadi.kron(casadi.DM(masses), self.gravity), places)
        for body in self.system.bodies:
            if isinstance(body, Body) and body.name not in self.soft:
                mass, com, _ = body.mass_properties(self.values)
                found = found - mass * casadi.dot(self.gravity, self.point(body.name, com))
        return found + sum((stored(force, self) for force in self.system.forces), casadi.SX(0))


@singledispatch
def stored(force: Force, world: World) -> Any:
    """The potential of a force; zero where it has none."""
    return casadi.SX(0)


@stored.register
def _(force: JointSpring, world: World) -> Any:
    stretch = world.names[force.joint] - evaluate(force.rest, world.names)
    return 0.5 * evaluate(force.stiffness, world.names) * stretch**2


@stored.register
def _(force: PointSpring, world: World) -> Any:
    length, _ = ends_of(force, world)
    return 0.5 * evaluate(force.stiffness, world.names) * (length - evaluate(force.length, world.names)) ** 2


@singledispatch
def dissipated(force: Force, world: World) -> Any:
    """Rayleigh's function of a force, half the power that it takes; zero where it has none."""
    return casadi.SX(0)


@dissipated.register
def _(force: JointDamper, world: World) -> Any:
    rates = [world.v[place] for place in world.system.layout.rubbed(force.joint)]
    return 0.5 * evaluate(force.damping, world.names) * sum(rate**2 for rate in rates)


@dissipated.register
def _(force: PointDamper, world: World) -> Any:
    _, rate = ends_of(force, world)
    return 0.5 * evaluate(force.damping, world.names) * rate**2


def is_by_function(force: Force) -> bool:
    """Whether V or R give all of a force: gravity, and kinds that `stored` or `dissipated` is registered for."""
    known = (function.dispatch(type(force)) is not function.dispatch(object) for function in (stored, dissipated))
    return isinstance(force, Gravity) or any(known)


def lagrange(traced: TracedSystem, *, given: str = "work") -> Traced:
    """Function of (time, coordinates, velocities, inputs, parameters): mass, force, energy, potential and momentum dT/dv.

    Given forces come from their virtual "work", each projected on the velocity it works on; or by differentiating their
    "power" by the velocities, which holds only where no force depends on a velocity (it would count twice) and is refused
    elsewhere.
    """
    system, layout = traced.system, traced.system.layout
    time, _, inputs, parameters = traced.arguments
    q = casadi.SX.sym("q", layout.nq) if layout.nq else casadi.SX(0, 1)
    x_dot = casadi.SX.sym("x_dot", layout.nq) if layout.nq else casadi.SX(0, 1)
    v = casadi.SX.sym("v", layout.nv) if layout.nv else casadi.SX(0, 1)
    values = traced.values(parameters)
    world = World(system, time, q, v, inputs, values)
    rated = Rated(system, time, q, _rates_of_scalars(system, x_dot), inputs, values, x_dot)
    if fluid_forces(traced):
        raise ModelError(
            f"Lagrange: force {fluid_forces(traced)[0]!r} is added mass, momentum of a fluid in body axes; take another way, "
            "or leave it out"
        )
    T, V = rated.energy, rated.potential
    momentum = casadi.gradient(T, x_dot)
    B, acceleration = casadi.jacobian(world.q_dot, v), world.rate(world.q_dot)
    inner = casadi.gradient(T - V, q) - casadi.jacobian(momentum, q) @ x_dot - casadi.jacobian(momentum, x_dot) @ acceleration
    mass, inner, momentum, T = casadi.substitute([casadi.jacobian(momentum, x_dot), inner, momentum, T], [x_dot], [world.q_dot])
    R = sum((dissipated(force, world) for force in system.forces), world.lost)
    rest = tuple(force for force in system.forces if not is_by_function(force))
    Q = world.pushed(rest) if given == "work" else _by_power(world, rest)
    n = layout.nv
    outputs = [
        (part_port("mass", (n, n)), B.T @ mass @ B),
        (part_port("force", (n,)), B.T @ inner - casadi.gradient(R, v) + Q),
        (part_port("energy", (1,)), T),
        (part_port("potential", (1,)), V),
        (part_port("momentum", (n,)), B.T @ momentum),
    ]
    return Traced.build(f"{system.name}_lagrange", world_arguments(traced, q, v), outputs, "equations of motion by Lagrange")


def _rates_of_scalars(system: Any, x_dot: Any) -> Any:
    """What stands for v in T: only inertia that turns with a single joint asks for it, whose velocity is its rate."""
    found = casadi.SX.zeros(system.layout.nv)
    for joint in system.joints:
        if joint.nq == joint.nv == 1:
            found[system.layout.v[joint.name]] = x_dot[system.layout.q[joint.name]]
    return found


def _by_power(world: World, forces: tuple[Force, ...]) -> Any:
    """dP/dv of the power P of given forces and drives, none of which may depend on a velocity."""
    power = casadi.SX(0)
    for push, velocity in world.pairs(forces):
        if casadi.depends_on(casadi.SX(push), world.v):
            raise ModelError(
                "Lagrange: a force or a drive depends on velocities, so that the derivative of its power by a velocity counts "
                "it more than once; take given='work'"
            )
        power = power + casadi.dot(casadi.SX(push), velocity)
    return casadi.gradient(power, world.v)
