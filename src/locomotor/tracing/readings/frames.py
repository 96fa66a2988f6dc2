"""Where every body is: poses as a traced function of the coordinates, for pictures."""

from collections.abc import Mapping
from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import System
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem

ENTRIES = tuple(f"r{i}{j}" for i in "xyz" for j in "xyz") + ("x", "y", "z")
"""The rotation matrix, row by row, then the position of the origin."""


def body_poses(system: System, free: tuple[str, ...] = ()) -> Traced:
    """Function of (coordinates, parameters): one row a body, in the order of `system.bodies`, with the `ENTRIES`.

    `free` names the parameters that stay arguments; the others are constants.
    """
    layout = system.layout
    coordinates = casadi.SX.sym("coordinates", layout.nq)
    parameters = casadi.SX.sym("parameters", len(free))
    values: Mapping[str, Any] = {
        **system.parameters.values,
        **{name: parameters[i] for i, name in enumerate(free)},
    }
    poses = forward(Instant(system, coordinates, np.zeros(layout.nv), parameters=values)).poses
    rows = [ops.concat(*(pose.rotation[i, :].T if i < 3 else pose.translation for i in range(4))) for pose in poses]
    fields = tuple(Field(f"{body.name}_{entry}") for body in system.bodies for entry in ENTRIES)
    inputs = [
        (Port("coordinates", tuple(Field(s.name, s.unit, s.latex, s.description) for s in layout.coordinates)), coordinates),
        (Port("parameters", tuple(Field(name, system.parameters[name].unit) for name in free)), parameters),
    ]
    outputs = [(Port("poses", fields, (len(poses), len(ENTRIES))), ops.concat(*rows) if rows else np.zeros(0))]
    return Traced.build(f"{system.name}_poses", inputs, outputs, "pose of every body")


def placed_bodies(traced: TracedSystem) -> Traced:
    """The same rows as a function of time, state, inputs and parameters."""
    time, state, _, parameters = traced.arguments
    values = traced.values(parameters)
    system = traced.system
    q = traced.full_coordinates(time, state, values)
    poses = forward(Instant(system, q, np.zeros(system.layout.nv), parameters=values)).poses
    rows = [ops.concat(*(pose.rotation[i, :].T if i < 3 else pose.translation for i in range(4))) for pose in poses]
    fields = tuple(Field(f"{body.name}_{entry}") for body in system.bodies for entry in ENTRIES)
    port = Port("poses", fields, (len(poses), len(ENTRIES)))
    return traced.build("poses", [(port, ops.concat(*rows))], "pose of every body")
