"""Kinetic and potential energy."""

from functools import singledispatch
from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.loads.compliance import elastic_energy, elastic_power
from locomotor.mechanics.loads.forces import span
from locomotor.mechanics.tree import Kinematics, rotors
from locomotor.model import CompliantContact, Gravity, JointSpring, PointSpring, evaluate


def kinetic_energy(kinematics: Kinematics) -> Any:
    """T = 1/2 v^T M v, summed body by body."""
    total: Any = 0.0
    v = kinematics.instant.v
    for link, omega, velocity in zip(kinematics.links, kinematics.omega, kinematics.velocity, strict=True):
        twist = ops.concat(velocity, omega)
        total = total + 0.5 * ops.dot(twist, link.total.apply(twist))
        if link.soft is not None:
            e_dot = v[link.own]
            coupling, mass = link.coupling(kinematics.instant), link.own_mass(kinematics.instant)
            total = total + ops.dot(e_dot, coupling.T @ twist + 0.5 * (mass @ e_dot))
    for place, rotor in rotors(kinematics):
        total = total + 0.5 * rotor * v[place] * v[place]
    return total


def potential_energy(kinematics: Kinematics) -> Any:
    """Energy of gravity (zero at the world's origin) and of everything elastic."""
    total: Any = 0.0
    for force in kinematics.instant.system.forces:
        total = total + stored(force, kinematics)
    for link in kinematics.links:
        if link.soft is not None:
            total = total + link.soft.elastic_energy(kinematics.instant.q[link.own_q], kinematics.instant.values)
    return total


@singledispatch
def stored(force: Any, kinematics: Kinematics) -> Any:
    """Potential energy of one force: zero unless the force has one."""
    return 0.0


@stored.register
def _(force: Gravity, kinematics: Kinematics) -> Any:
    gravity = evaluate(force.acceleration, kinematics.instant.values)
    total: Any = 0.0
    for link, pose in zip(kinematics.links, kinematics.poses, strict=True):
        moment = link.inertia.mass * pose.translation + pose.rotation @ link.inertia.moment
        total = total - ops.dot(gravity, moment)
    return total


@stored.register
def _(force: JointSpring, kinematics: Kinematics) -> Any:
    names = kinematics.instant.names
    stretch = names[force.joint] - evaluate(force.rest, names)
    return 0.5 * evaluate(force.stiffness, names) * stretch * stretch


@stored.register
def _(force: PointSpring, kinematics: Kinematics) -> Any:
    _, length = span(force, kinematics)
    names = kinematics.instant.names
    stretch = length - evaluate(force.length, names)
    return 0.5 * evaluate(force.stiffness, names) * stretch * stretch


@stored.register
def _(force: CompliantContact, kinematics: Kinematics) -> Any:
    return elastic_energy(force, kinematics)


@singledispatch
def storing(force: Any, kinematics: Kinematics) -> Any:
    """Rate of the potential energy (W) of a force that has one and loses energy as well: the rest of its power is work.

    A force with a potential that nothing is registered for here is conservative: all of its power becomes potential energy.
    """
    return 0.0


@storing.register
def _(force: CompliantContact, kinematics: Kinematics) -> Any:
    return elastic_power(force, kinematics)


def answers(function: Any, force: Any) -> bool:
    """Whether something of its own is registered for a kind of force."""
    return function.dispatch(type(force)) is not function.dispatch(object)
