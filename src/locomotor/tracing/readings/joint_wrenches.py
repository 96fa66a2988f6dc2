"""Wrenches of joints from the motion and the loads that a run records: Newton and Euler from the tips to the base.

A joint carries what the bodies beyond it need for their motion, less what acts on them from elsewhere: weight, forces, contacts
with grounds, loops (docs/theory.md (N2)). Forces of contacts, multipliers and imposed torques come from the record, so that
nothing of the modes that a run went through is asked.
"""

from collections.abc import Mapping
from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics import closure_wrenches
from locomotor.mechanics.constraints import formulas_at
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, Kinematics, body_wrenches, forward, inverse_dynamics, mass_matrix
from locomotor.model import System, effort_names, frictions_of
from locomotor.names import WORLD
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.observation import twisting_contacts

TWIST = 6


def recorded_loads(system: System) -> tuple[str, ...]:
    """Names of the channels that hold forces of contacts and their points, multipliers, and imposed torques."""
    contacts = [f"{c.name}_{what}_{axis}" for c in system.contacts for what in ("force", "point") for axis in "xyz"]
    contacts += [f"{c.name}_moment_{axis}" for c in twisting_contacts(system) for axis in "xyz"]
    formulas = [f"{c.name}_multiplier" for c in system.constraints]
    loops = [f"{name}_multiplier" for closure in system.loops for name in closure.row_names]
    frictions = [name for force in frictions_of(system) for name in effort_names(system, force)]
    return (*contacts, *formulas, *loops, *frictions, *(f"{joint.name}_drive_torque" for joint in system.imposed))


def joint_wrenches(system: System) -> Traced:
    """Function of (time, coordinates, velocities, inputs, recorded): for each joint, what its parent does to its child.

    Six numbers a joint, force and moment about the origin of the child in its axes; then the rotations of all bodies.
    """
    layout, names = system.layout, recorded_loads(system)
    time = casadi.SX.sym("time")
    q, v, u, loads = (casadi.SX.sym(name, n) for name, n in (
        ("q", layout.nq), ("v", layout.nv), ("u", len(layout.inputs)), ("loads", len(names))
    ))  # fmt: skip
    kinematics = forward(Instant(system, q, v, time, u, dict(system.parameters.values)))
    gravity, wrenches, efforts = _loads(kinematics, {name: loads[i] for i, name in enumerate(names)})
    v_dot = None
    if layout.nv:
        unbalanced = efforts - inverse_dynamics(kinematics, None, gravity, wrenches)
        v_dot = ops.solve_spd(mass_matrix(kinematics), unbalanced)
    carried, _ = body_wrenches(kinematics, v_dot, gravity, wrenches)
    for i in reversed(range(len(carried))):
        link = kinematics.links[i]
        if link.parent >= 0:
            carried[link.parent] = carried[link.parent] + link.pose.wrench_to_parent(carried[i])
    n = len(system.joints)
    turns = [casadi.reshape(casadi.SX(pose.rotation).T, 9, 1) for pose in kinematics.poses]
    wrench_port = Port("wrenches", tuple(Field(f"{j.name}_{k}") for j in system.joints for k in range(TWIST)), (n, TWIST))
    turn_port = Port("rotations", tuple(Field(f"{b.name}_R{k}") for b in system.bodies for k in range(9)), (n, 9))
    outputs = [(wrench_port, ops.concat(*carried)), (turn_port, casadi.vertcat(*turns))]
    ports = (
        ("coordinates", [s.name for s in layout.coordinates], q),
        ("velocities", [s.name for s in layout.velocities], v),
        ("inputs", [s.name for s in layout.inputs], u),
        ("recorded", list(names), loads),
    )
    inputs = [(Port("time", (Field("t", "s"),)), time)]
    inputs += [(Port(port, tuple(Field(name) for name in fields)), symbol) for port, fields, symbol in ports]
    return Traced.build(f"{system.name}_joint_wrenches", inputs, outputs, "wrenches of joints")


def _loads(kinematics: Kinematics, loads: Mapping[str, Any]) -> tuple[Any, dict[int, Any], Any]:
    """Gravity, wrenches on bodies in body axes, and efforts on velocities."""
    system = kinematics.instant.system
    dry = frictions_of(system)  # whether a joint sticks is known to the record only
    applied = applied_forces(kinematics, without=dry)
    wrenches, efforts = dict(applied.wrenches), applied.forces()
    twisting = {contact.name for contact in twisting_contacts(system)}
    for contact in system.contacts:
        i = system.index(contact.body)
        push, point = (ops.vector(*(loads[f"{contact.name}_{what}_{a}"] for a in "xyz")) for what in ("force", "point"))
        twist = ops.vector(*(loads[f"{contact.name}_moment_{a}"] for a in "xyz")) if contact.name in twisting else np.zeros(3)
        _push(kinematics, wrenches, i, push, point, twist)
        below = system.ground(contact.ground).body
        if below != WORLD:  # what stands on a body pushes it back
            _push(kinematics, wrenches, system.index(below), -push, point, -twist)
    for row in formulas_at(kinematics.instant, system.constraints):
        efforts = efforts + loads[f"{row.name}_multiplier"] * row.normal_row
    unit = np.eye(system.layout.nv)
    for force in dry:
        for name, place in zip(effort_names(system, force), system.layout.rubbed(force.joint), strict=True):
            efforts = efforts + loads[name] * unit[place]
    for joint in system.imposed:
        efforts = efforts + loads[f"{joint.name}_drive_torque"] * unit[system.layout.v[joint.name].start]
    for closure in system.loops:
        known = {name: loads[f"{name}_multiplier"] for name in closure.row_names}
        for i, wrench in closure_wrenches(kinematics, closure, known).items():
            _add(wrenches, i, wrench)
    return applied.gravity, wrenches, efforts


def _push(kinematics: Kinematics, wrenches: dict[int, Any], i: int, push: Any, point: Any, twist: Any) -> None:
    """A force in world axes at a point of the world, and a moment, on a body."""
    R, p = kinematics.poses[i].rotation, kinematics.poses[i].translation
    _add(wrenches, i, ops.concat(R.T @ push, R.T @ (ops.cross(point - p, push) + twist)))


def _add(wrenches: dict[int, Any], i: int, wrench: Any) -> None:
    wrenches[i] = wrenches[i] + wrench if i in wrenches else wrench
