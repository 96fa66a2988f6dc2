"""What acts on the bodies and joints of a tree besides gravity, as a function of all coordinates and velocities."""

from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, forward
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem


def applied_wrenches(traced: TracedSystem) -> Traced:
    """Function of (time, coordinates, velocities, inputs, parameters): wrenches in body axes, and efforts of joints."""
    system = traced.system
    layout = system.layout
    time, _, inputs, parameters = traced.arguments
    q, v = casadi.SX.sym("q", layout.nq), casadi.SX.sym("v", layout.nv)
    applied = applied_forces(forward(Instant(system, q, v, time, inputs, traced.values(parameters))))
    wrenches: list[Any] = [applied.wrenches.get(i, np.zeros(6)) for i in range(len(system.bodies))]
    outputs = [
        (Port("wrenches", tuple(Field(f"{b.name}_{k}") for b in system.bodies for k in range(6))), ops.concat(*wrenches)),
        (Port("efforts", tuple(Field(f"{s.name}_effort") for s in layout.velocities)), applied.forces()),
    ]
    arguments = [
        (traced.ports[0], time),
        (Port("coordinates", tuple(Field(s.name, s.unit) for s in layout.coordinates)), q),
        (Port("velocities", tuple(Field(s.name, s.unit) for s in layout.velocities)), v),
        (traced.input_port, inputs),
        (traced.parameter_port, parameters),
    ]
    return Traced.build(f"{system.name}_applied", arguments, outputs, "what acts on bodies and joints")
