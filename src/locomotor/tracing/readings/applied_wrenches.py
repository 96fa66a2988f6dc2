"""What acts on the bodies and joints of a tree besides gravity, as a function of all coordinates and velocities."""

from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.constraints import contacts_at
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, Kinematics, forward
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


def slip_wrenches(traced: TracedSystem) -> Traced:
    """The same of contacts that slip: the wrenches of the friction of each on all bodies, for a unit normal force."""
    system = traced.system
    kinematics, arguments = _everywhere(traced)
    slipping = [contact for contact in system.contacts if contact.slip is not None]
    found: list[Any] = []
    for row in contacts_at(kinematics, slipping):
        wrenches: list[Any] = [np.zeros(6)] * len(system.bodies)
        i, below = row.body, system.ground(row.contact.ground).body
        wrenches[i] = ops.concat(row.friction, ops.cross(row.touch.point, row.friction))
        if below != WORLD:  # what stands on a body pushes it back
            j = system.index(below)
            force, at = kinematics.poses[i].rotation @ row.friction, kinematics.poses[i].act(row.touch.point)
            to_ground, arm = kinematics.poses[j].rotation.T, at - kinematics.poses[j].translation
            wrenches[j] = -ops.concat(to_ground @ force, to_ground @ ops.cross(arm, force))
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
