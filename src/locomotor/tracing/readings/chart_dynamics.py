"""The equations of motion in chart coordinates, for steady motions and linearisation."""

from typing import Any

import casadi
import numpy as np

from locomotor.errors import ArgumentError, SteadyMotionError
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.chart import chart_rate, chart_symbols, coordinates_from_chart
from locomotor.mechanics.tree import root_spins, tangent_rate
from locomotor.model import VelocityConstraint
from locomotor.model.expressions import free_names
from locomotor.names import TIME
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem

PAIRS = (("speed", "heave_speed"), ("roll_rate", "yaw_rate"))
"""Velocities of a free root that a turn about its y axis mixes."""


def lean_axes(traced: TracedSystem, pitch: Any) -> Any:
    """Matrix S from the reduced velocities to those in lean axes: turned back by the pitch of a root that is a round one.

    A disc that rolls steadily spins about its own axle, and its velocity in its own axes turns with it; in lean axes, which do
    not spin, it stays constant. The identity for any other root, and for reduced velocities that a turn about y would leave.
    """
    names = traced.reduction.names
    S = casadi.SX.eye(len(names)) if isinstance(pitch, casadi.SX) else np.eye(len(names))
    pairs = [pair for pair in PAIRS if set(pair) & set(names)]
    if not root_spins(traced.system) or not all(set(pair) <= set(names) for pair in pairs):
        return S
    for x, z in ((names.index(a), names.index(b)) for a, b in pairs):
        S[x, x] = S[z, z] = ops.cos(pitch)
        S[x, z], S[z, x] = ops.sin(pitch), -ops.sin(pitch)
    return S


def chart_dynamics(traced: TracedSystem) -> Traced:
    """Function of (time, chart, velocity, inputs, parameters).

    The velocities taken, their rates and the mass matrix are in `lean_axes`, `velocities` in the system's own.
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
    given = casadi.SX.sym("velocity", len(reduction.free))
    names = [symbol.name for symbol in symbols]
    spins = root_spins(system)
    S = lean_axes(traced, chart[names.index("pitch")]) if spins else casadi.SX.eye(len(reduction.free))
    v_r = S.T @ given if spins else given
    timed = [(c.name, c.laws) for c in system.constraints if isinstance(c, VelocityConstraint)]
    for name, laws in (*timed, *((closure.name, closure.laws) for closure in system.loops)):
        if TIME in free_names(laws):
            raise SteadyMotionError(
                f"{system.name}: the constraint {name!r} depends on time, so that there is no steady motion; leave "
                "it out, give it a right-hand side without t, or look for a cycle (lm.find_cycle)"
            )
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
    acceleration, mass = motion.v_r_dot, motion.reduced_mass
    if spins:  # d/dt (S v_r) = S v_r_dot + S_dot v_r, and S depends on the pitch alone
        at = names.index("pitch")
        by_pitch = casadi.reshape(casadi.jacobian(casadi.vec(S), chart[at]), S.shape)
        acceleration = S @ casadi.SX(acceleration) + rates[at] * (by_pitch @ v_r)
        mass = S @ casadi.SX(mass) @ S.T
    n = reduction.names
    outputs: list[tuple[Port, Any]] = [
        (Port("chart_rate", tuple(Field(f"{s.name}_rate", f"{s.unit}/s") for s in symbols)), rates),
        (Port("acceleration", tuple(Field(f"{name}_dot") for name in n)), acceleration),
        (Port("velocities", tuple(Field(s.name, s.unit) for s in layout.velocities)), motion.v),
        (Port("gaps", tuple(Field(f"{c.name}_gap", "m") for c in motion.constraints.conditions)), _gaps(motion)),
        (Port("mass", tuple(Field(f"{a}_{b}") for a in n for b in n), (len(n), len(n))), mass),
    ]
    arguments = [
        (traced.ports[0], time),
        (Port("chart", tuple(Field(s.name, s.unit, s.latex, s.description) for s in symbols)), chart),
        (Port("velocity", tuple(Field(name) for name in n)), given),
        (traced.input_port, inputs),
        (traced.parameter_port, parameters),
    ]
    return Traced.build(f"{system.name}_chart_dynamics", arguments, outputs, "equations of motion in chart coordinates")


def _gaps(motion: ReducedMotion) -> Any:
    gaps = [condition.gap for condition in motion.constraints.conditions]
    return ops.vector(*gaps) if gaps else np.zeros(0)
