"""The equations of motion linearised about one motion whose state may hold symbols: closed matrices of parameters.

With r the deviations of the coordinates that the contacts leave independent, and v those of the reduced velocities,

    M v_dot + D v + K r = N u,      r_dot = E r + J v.

The motion itself is given, not looked for; that it is steady is for the caller to see: the force left over is an output too.
"""

from collections.abc import Mapping
from typing import Any

import casadi
import numpy as np

from locomotor.errors import ModelError
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.chart import chart_rate, chart_symbols, coordinates_from_chart
from locomotor.mechanics.tree import tangent_rate
from locomotor.model import evaluate
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem

NOTICEABLE = 1e-9
"""Slopes above this share of the largest are not zero."""


def linear_parts(
    traced: TracedSystem, about: Mapping[str, Any], symbols: tuple[str, ...], sample: Mapping[str, float]
) -> tuple[Traced, tuple[str, ...]]:
    """Function of (symbols, parameters), and the names of the coordinates that are left independent.

    `about` gives chart coordinates and reduced velocities by name, as quantities of parameters and of `symbols`; what is not
    given has its nominal value or is zero. `sample` are numbers for the symbols, by which coordinates are chosen.
    """
    system, reduction = traced.system, traced.reduction
    layout = system.layout
    time, _, inputs, parameters = traced.arguments
    values = traced.values(parameters)
    free = casadi.SX.sym("symbols", len(symbols)) if symbols else casadi.SX(0, 1)
    names = {**values, **{name: free[i] for i, name in enumerate(symbols)}}
    places = chart_symbols(system)
    chart = casadi.SX.sym("chart", len(places))
    v_r = casadi.SX.sym("velocity", len(reduction.free))
    q = traced.with_imposed(coordinates_from_chart(system, chart), time, values)
    motion = ReducedMotion(reduction, q, v_r, time, inputs, values)
    tangent = [
        tangent_rate(joint, q[layout.q[joint.name]], motion.v[layout.v[joint.name]], values)
        for joint in system.joints
        if joint.nv
    ]
    rates = casadi.SX(chart_rate(system, chart, ops.concat(*tangent)))
    force = casadi.SX(-(motion.H_r.T @ motion.bias))
    gaps = casadi.vertcat(*(condition.gap for condition in motion.constraints.conditions)) if len(motion.constraints) else None
    nominal = dict(system.nominal)
    at_chart = casadi.vertcat(*(casadi.SX(evaluate(about.get(s.name, nominal.get(s.name, 0.0)), names)) for s in places))
    at_velocity = casadi.vertcat(*(casadi.SX(evaluate(about.get(name, 0.0), names)) for name in reduction.names))

    def here(expression: Any) -> Any:
        old = [chart, v_r, inputs, time]
        new = [at_chart, at_velocity, casadi.SX.zeros(inputs.shape), casadi.SX(0)]
        return casadi.substitute([casadi.SX(expression)], old, new)[0]

    def numbers(expression: Any) -> Any:
        given = [sample[name] for name in symbols]
        return np.array(casadi.Function("f", [free, parameters], [here(expression)])(given, elsewhere(traced)), dtype=float)

    moving = _essential(force, rates, gaps, chart, numbers)
    independent, Z = _independent(gaps, chart, moving, here, numbers)
    picked = [moving[i] for i in independent]
    n, m, k = len(reduction.free), len(picked), len(layout.inputs)

    def slope(expression: Any, by: Any) -> Any:
        return here(casadi.jacobian(casadi.SX(expression), by))

    def columns(matrix: Any) -> Any:
        return matrix[:, moving] @ Z

    outputs = [
        (_port("mass", (n, n)), here(motion.reduced_mass)),
        (_port("damping", (n, n)), -slope(force, v_r)),
        (_port("stiffness", (n, m)), -columns(slope(force, chart)) if m else np.zeros(0)),
        (_port("input_force", (n, k)), slope(force, inputs) if k else np.zeros(0)),
        (_port("rate_of_coordinates", (m, m)), columns(slope(rates[picked], chart)) if m else np.zeros(0)),
        (_port("rate_of_velocities", (m, n)), slope(rates[picked], v_r) if m else np.zeros(0)),
        (_port("unbalanced", (n,)), here(force)),
    ]
    port = Port("symbols", tuple(Field(name, "", name) for name in symbols))
    built = Traced.build(f"{system.name}_linear", [(port, free), (traced.parameter_port, parameters)], outputs, "linearised")
    return built, tuple(places[i].name for i in picked)


def elsewhere(traced: TracedSystem) -> Any:
    """Values of the free parameters a little off the default ones: what vanishes there too vanishes for all."""
    values = traced.default_parameters
    turns = np.sin(1.0 + 2.0 * np.arange(len(values)))
    return values * (1.0 + 0.02 * turns) + np.where(values == 0.0, 0.02 * turns, 0.0)


def _essential(force: Any, rates: Any, gaps: Any, chart: Any, numbers: Any) -> list[int]:
    """Coordinates on which forces or gaps depend, and those on which the rates of these depend; the others are ignorable."""
    slopes = numbers(casadi.jacobian(force if gaps is None else casadi.vertcat(force, gaps), chart))
    limit = NOTICEABLE * max(1.0, float(np.abs(slopes).max(initial=0.0)))
    found = np.abs(slopes).max(axis=0, initial=0.0) > limit
    moved = np.abs(numbers(casadi.jacobian(rates, chart))) > limit
    while (further := found | moved[found].any(axis=0)).sum() > found.sum():
        found = further
    return [int(i) for i in np.flatnonzero(found)]


def _independent(gaps: Any, chart: Any, moving: list[int], here: Any, numbers: Any) -> tuple[list[int], Any]:
    """Which of the moving coordinates the gaps leave independent, and Z with d(all) = Z d(independent)."""
    count = len(moving)
    if gaps is None or not count:
        return list(range(count)), casadi.SX.eye(count)
    slope = here(casadi.jacobian(gaps, chart))[:, moving]
    rest, rows, dependent = numbers(casadi.jacobian(gaps, chart))[:, moving], [], []
    for i in range(rest.shape[0]):
        j = int(np.abs(rest[i]).argmax())
        if abs(rest[i, j]) <= NOTICEABLE:
            continue
        rows.append(i)
        dependent.append(j)
        for other in range(i + 1, rest.shape[0]):
            rest[other] = rest[other] - rest[other, j] / rest[i, j] * rest[i]
    independent = [j for j in range(count) if j not in dependent]
    if len(rows) > 4:
        raise ModelError(f"linearised: {len(rows)} gaps tie coordinates together, too many for a closed form; use lm.linearise")
    Z = casadi.SX(count, len(independent))
    for column, j in enumerate(independent):
        Z[j, column] = 1
    if dependent and independent:
        Z[dependent, :] = -casadi.inv_minor(slope[rows, dependent]) @ slope[rows, independent]
    return independent, Z


def _port(name: str, shape: tuple[int, ...]) -> Port:
    count = int(np.prod(shape))
    return Port(name, tuple(Field(f"{name}_{k}") for k in range(count)), shape)
