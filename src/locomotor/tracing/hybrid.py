"""What an event-driven simulation needs besides the dynamics of a mode: event functions, and the data of impacts."""

from collections.abc import Sequence
from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.constraints import ContactRows, contacts_at
from locomotor.mechanics.kinematics import Instant, forward
from locomotor.mechanics.mass_matrix import mass_matrix
from locomotor.mechanics.reduced import ReducedMotion
from locomotor.model import Contact, System
from locomotor.tracing._trace import TracedSystem
from locomotor.tracing.signature import Field, Port
from locomotor.tracing.traced import Traced

Array = Any


def event_functions(mode: TracedSystem, contacts: Sequence[Contact]) -> Traced:
    """For every contact that may open or close: normal force (zero when open), gap, its rate and its acceleration."""
    motion = mode.motion
    active = {contact.name for contact in mode.system.contacts}
    accelerations = motion.kinematics.accelerations(motion.v_dot)
    rows = contacts_at(motion.kinematics, contacts)
    forces = _normal_forces(motion)
    columns = {
        "normal_force": [forces[row.name] if row.name in active else 0.0 for row in rows],
        "gap": [row.gap for row in rows],
        "gap_rate": [row.gap_rate for row in rows],
        "gap_acceleration": [row.gap_acceleration(accelerations) for row in rows],
    }
    units = {"normal_force": "N", "gap": "m", "gap_rate": "m/s", "gap_acceleration": "m/s^2"}
    outputs = [
        (Port(kind, tuple(Field(f"{row.name}_{kind}", units[kind]) for row in rows)), ops.vector(*values))
        for kind, values in columns.items()
    ]
    return mode.build("events", outputs, "event functions")


def _normal_forces(motion: ReducedMotion) -> dict[str, Any]:
    found: dict[str, Any] = {}
    start = 0
    for row in motion.contacts:
        part = motion.multipliers[start : start + len(row.labels)]
        start += len(row.labels)
        if row.touch.directions is None:
            axes = motion.kinematics.poses_in_root[row.body].rotation
            found[row.name] = ops.dot(part, axes @ row.normal)
        else:
            found[row.name] = part[row.labels.index("normal")]
    return found


def impact_data(system: System, contacts: Sequence[Contact], free: tuple[str, ...] = ()) -> Traced:
    """Mass matrix, rows of the contacts in world axes with normals, and rows of the constraints that persist.

    A function of time, all coordinates and the free parameters.
    """
    layout = system.layout
    q = casadi.SX.sym("coordinates", layout.nq)
    parameters = casadi.SX.sym("parameters", len(free))
    values: dict[str, Any] = dict(system.parameters.values)
    values.update({name: parameters[i] for i, name in enumerate(free)})
    kinematics = forward(Instant(system, q, np.zeros(layout.nv), parameters=values))
    rows = contacts_at(kinematics, contacts)
    names = [symbol.name for symbol in layout.velocities]
    outputs: list[tuple[Port, Any]] = [(_matrix("mass", names, names), mass_matrix(kinematics))]
    for row in rows:
        axes = kinematics.links[kinematics.roots[row.body]].pose.rotation
        outputs.append((_matrix(f"{row.name}_rows", ["x", "y", "z"], names), axes @ row.jacobian))
        outputs.append((Port(f"{row.name}_normal", _axes("n")), kinematics.poses[row.body].rotation @ row.normal))
        outputs.append((Port(f"{row.name}_point", _axes("p")), row.position))
    inputs = [
        (Port("coordinates", tuple(Field(s.name, s.unit) for s in layout.coordinates)), q),
        (Port("parameters", tuple(Field(name) for name in free)), parameters),
    ]
    return Traced.build(f"{system.name}_impact", inputs, outputs, "data of an impact")


def _axes(prefix: str) -> tuple[Field, ...]:
    return tuple(Field(f"{prefix}{axis}") for axis in "xyz")


def _matrix(name: str, rows: Sequence[str], columns: Sequence[str]) -> Port:
    return Port(name, tuple(Field(f"{a}_{b}") for a in rows for b in columns), (len(rows), len(columns)))


def blocked_directions(row: ContactRows) -> bool:
    """Whether the contact blocks all three directions."""
    return row.touch.directions is None
