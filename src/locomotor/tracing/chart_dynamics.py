"""The equations of motion in chart coordinates, for steady motions and linearisation."""

from typing import Any

import casadi
import numpy as np

from locomotor.errors import ArgumentError
from locomotor.lie import ops
from locomotor.mechanics.chart import chart_rate, chart_symbols, coordinates_from_chart
from locomotor.mechanics.joints import tangent_rate
from locomotor.mechanics.reduced import ReducedMotion
from locomotor.tracing._trace import TracedSystem
from locomotor.tracing.signature import Field, Port
from locomotor.tracing.traced import Traced


def chart_dynamics(traced: TracedSystem) -> Traced:
    """Function of (time, chart, velocity, inputs, parameters).

    Returns the rates of the chart coordinates (`chart_rate`) and of the reduced velocities (`acceleration`), all
    velocities (`velocities`), the gaps of the contacts and the reduced mass matrix (`mass`).
    """
    system, reduction = traced.system, traced.reduction
    if traced.controller is not None:
        raise ArgumentError("chart_dynamics describes the open loop; trace the system without its controller")
    layout = system.layout
    symbols = chart_symbols(system)
    time, _, inputs, parameters = traced.arguments
    chart = casadi.SX.sym("chart", len(symbols))
    v_r = casadi.SX.sym("velocity", len(reduction.free))
    values = traced.values(parameters)
    q = traced.with_imposed(coordinates_from_chart(system, chart), time, values)
    motion = ReducedMotion(reduction, q, v_r, time, inputs, values)
    tangent = [
        tangent_rate(joint, q[layout.q[joint.name]], motion.v[layout.v[joint.name]], values)
        for joint in system.joints
        if joint.nv
    ]
    tangent += [motion.v[layout.v[body.name]] for body in system.bodies if body.coordinates]
    rates = chart_rate(system, chart, ops.concat(*tangent))
    n = reduction.names
    outputs: list[tuple[Port, Any]] = [
        (Port("chart_rate", tuple(Field(f"{s.name}_rate", f"{s.unit}/s") for s in symbols)), rates),
        (Port("acceleration", tuple(Field(f"{name}_dot") for name in n)), motion.v_r_dot),
        (Port("velocities", tuple(Field(s.name, s.unit) for s in layout.velocities)), motion.v),
        (Port("gaps", tuple(Field(f"{c.name}_gap", "m") for c in motion.constraints.conditions)), _gaps(motion)),
        (Port("mass", tuple(Field(f"{a}_{b}") for a in n for b in n), (len(n), len(n))), motion.reduced_mass),
    ]
    arguments = [
        (traced.ports[0], time),
        (Port("chart", tuple(Field(s.name, s.unit, s.latex, s.description) for s in symbols)), chart),
        (Port("velocity", tuple(Field(name) for name in n)), v_r),
        (traced.input_port, inputs),
        (traced.parameter_port, parameters),
    ]
    return Traced.build(f"{system.name}_chart_dynamics", arguments, outputs, "equations of motion in chart coordinates")


def _gaps(motion: ReducedMotion) -> Any:
    gaps = [condition.gap for condition in motion.constraints.conditions]
    return ops.vector(*gaps) if gaps else np.zeros(0)
