"""What acts on the bodies and joints of a tree besides gravity, as a function of all coordinates and velocities."""

from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.constraints import contacts_at
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, Kinematics, forward
from locomotor.model import Contact, System
from locomotor.names import WORLD
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem


def applied_wrenches(traced: TracedSystem) -> Traced:
    """Function of (time, coordinates, velocities, inputs, parameters): wrenches in body axes, and efforts of joints."""
    system, layout = traced.system, traced.system.layout
    kinematics, arguments = _everywhere(traced)
    applied = applied_forces(kinematics)
    wrenches: list[Any] = [applied.wrenches.get(i, np.zeros(6)) for i in range(len(system.bodies))]
    outputs = [
        (Port("wrenches", tuple(Field(f"{b.name}_{k}") for b in system.bodies for k in range(6))), ops.concat(*wrenches)),
        (Port("efforts", tuple(Field(f"{s.name}_effort") for s in layout.velocities)), applied.forces()),
    ]
    return Traced.build(f"{system.name}_applied", arguments, outputs, "what acts on bodies and joints")


def rubbing_contacts(system: System) -> list[Contact]:
    """Contacts on which something acts in proportion to their normal force: those that slip, or roll against a resistance."""
    return [c for c in system.contacts if c.slip is not None or (c.resists and c.turns_about is not None)]


def slip_wrenches(traced: TracedSystem) -> Traced:
    """The same of contacts that rub: what each does to all bodies by slipping and rolling, for a unit normal force."""
    system = traced.system
    kinematics, arguments = _everywhere(traced)
    slipping = rubbing_contacts(system)
    found: list[Any] = []
    for row in contacts_at(kinematics, slipping):
        wrenches: list[Any] = [np.zeros(6)] * len(system.bodies)
        i, below = row.body, system.ground(row.contact.ground).body
        push, turn = np.zeros(3), row.resistance if row.turns else np.zeros(3)
        if row.slips:
            push = row.along(row.friction) if row.contact.pivots else row.friction
            if row.contact.pivots:
                turn = turn + (ops.dot(row.normal, row.friction) * row.arm) * row.normal
        wrenches[i] = ops.concat(push, ops.cross(row.touch.point, push) + turn)
        if below != WORLD:  # what stands on a body pushes it back
            j, R = system.index(below), kinematics.poses[i].rotation
            force, couple, at = R @ push, R @ turn, kinematics.poses[i].act(row.touch.point)
            to_ground, arm = kinematics.poses[j].rotation.T, at - kinematics.poses[j].translation
            wrenches[j] = -ops.concat(to_ground @ force, to_ground @ (ops.cross(arm, force) + couple))
        found += wrenches
    fields = tuple(Field(f"{c.name}_{b.name}_{k}") for c in slipping for b in system.bodies for k in range(6))
    port = Port("wrenches", fields, (len(slipping), 6 * len(system.bodies)))
    return Traced.build(f"{system.name}_slips", arguments, [(port, ops.concat(*found))], "friction of contacts that slip")


def _everywhere(traced: TracedSystem) -> tuple[Kinematics, list[tuple[Port, Any]]]:
    """Kinematics at any coordinates and velocities, and the arguments on which they depend."""
    system, layout = traced.system, traced.system.layout
    time, _, inputs, parameters = traced.arguments
    q, v = casadi.SX.sym("q", layout.nq), casadi.SX.sym("v", layout.nv)
    arguments = [
        (traced.ports[0], time),
        (Port("coordinates", tuple(Field(s.name, s.unit) for s in layout.coordinates)), q),
        (Port("velocities", tuple(Field(s.name, s.unit) for s in layout.velocities)), v),
        (traced.input_port, inputs),
        (traced.parameter_port, parameters),
    ]
    return forward(Instant(system, q, v, time, inputs, traced.values(parameters))), arguments
