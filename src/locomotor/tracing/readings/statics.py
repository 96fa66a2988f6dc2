"""Forces on a system at rest, in chart coordinates: what vanishes in an equilibrium."""

from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.chart import chart_rate, chart_symbols, coordinates_from_chart
from locomotor.mechanics.tree import inverse_dynamics, tangent_rate
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem


def static_forces(traced: TracedSystem) -> Traced:
    """Function of (time, chart, inputs, parameters) for a system at rest.

    Returns the forces along the reduced velocities that would have to hold it (`forces`), the gaps of what is closed (`gaps`),
    and the rates of the chart coordinates per unit of each reduced velocity (`moves`).
    """
    system, reduction = traced.system, traced.reduction
    layout = system.layout
    symbols = chart_symbols(system)
    time, _, inputs, parameters = traced.arguments
    chart = casadi.SX.sym("chart", len(symbols))
    values = traced.values(parameters)
    q = traced.with_imposed(coordinates_from_chart(system, chart), time, values)
    n = reduction.names
    rest = ReducedMotion(reduction, q, np.zeros(len(n)), time, inputs, values)
    kinematics, applied = rest.kinematics_at_rest, rest.applied
    needed = inverse_dynamics(kinematics, None, applied.gravity, applied.wrenches) - applied.forces()
    forces = rest.H_r.T @ needed if n else np.zeros(0)
    v_r = casadi.SX.sym("velocity", len(n))
    v = rest.H_r @ v_r if n else np.zeros(layout.nv)
    tangent = [
        tangent_rate(joint, q[layout.q[joint.name]], v[layout.v[joint.name]], values) for joint in system.joints if joint.nv
    ]
    tangent += [v[layout.v[body.name]] for body in system.bodies if body.coordinates]
    rates = casadi.SX(chart_rate(system, chart, ops.concat(*tangent)))
    moves = casadi.jacobian(rates, v_r)
    gaps = [condition.gap for condition in rest.constraints.conditions]
    outputs: list[tuple[Port, Any]] = [
        (Port("forces", tuple(Field(f"{name}_force") for name in n)), forces),
        (
            Port("gaps", tuple(Field(f"{c.name}_gap", "m") for c in rest.constraints.conditions)),
            ops.vector(*gaps) if gaps else np.zeros(0),
        ),
        (Port("moves", tuple(Field(f"{s.name}_{name}") for s in symbols for name in n), (len(symbols), len(n))), moves),
    ]
    arguments = [
        (traced.ports[0], time),
        (Port("chart", tuple(Field(s.name, s.unit, s.latex, s.description) for s in symbols)), chart),
        (traced.input_port, inputs),
        (traced.parameter_port, parameters),
    ]
    return Traced.build(
        f"{system.name}_static_forces", arguments, outputs, "forces on the system at rest, in chart coordinates"
    )
