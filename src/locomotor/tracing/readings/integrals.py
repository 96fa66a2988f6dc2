"""What may stay constant along a motion: energies, momenta of coordinates, momenta of the whole; and the rate of each."""

from typing import Any

import casadi

from locomotor.model import Body
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.readings.equation_parts import equation_parts
from locomotor.tracing.readings.lagrange import lagrange
from locomotor.tracing.readings.virtual_power import World, part_port, world_arguments
from locomotor.tracing.system import TracedSystem


def candidates(traced: TracedSystem) -> tuple[Traced, tuple[Field, ...]]:
    """Function of (time, coordinates, velocities, inputs, parameters, accelerations): value, rate and size of each.

    `size` is the sum of the terms of a rate, to which round-off is relative. Fields say what they are: T + V, T_2 - T_0 + V,
    the momenta dT/dv of velocities, and those of the whole system in the world, angular ones about its origin.
    """
    system, layout = traced.system, traced.system.layout
    time, _, inputs, parameters = traced.arguments
    function = lagrange(traced)
    q, v = casadi.SX.sym("q", layout.nq), casadi.SX.sym("v", layout.nv)
    v_dot = casadi.SX.sym("v_dot", layout.nv)
    parts = dict(zip((p.name for p in function.outputs), function.function(time, q, v, inputs, parameters), strict=True))
    T, V, momentum = (parts[name] for name in ("energy", "potential", "momentum"))
    world = World(system, time, q, v, inputs, traced.values(parameters))
    rates = world.q_dot
    linear, angular = _whole(world)
    driven = _driven(traced, q, v)
    fields = [Field("energy", "J", "", "T + V"), Field("generalised energy", "J", "", "T_2 - T_0 + V (Painlevé)")]
    values = [T + V, T + V - casadi.dot(momentum, driven)]
    for k, symbol in enumerate(layout.velocities):
        fields.append(Field(f"momentum of {symbol.name}", _momentum_unit(symbol.unit), "", f"dT/d({symbol.name})"))
        values.append(momentum[k])
    for name, unit, found in (("linear momentum", "kg m/s", linear), ("angular momentum", "kg m^2/s", angular)):
        fields += [Field(f"{name} {axis}", unit, "", f"{name} of the whole along {axis}") for axis in "xyz"]
        values += [found[k] for k in range(3)]
    value = casadi.vertcat(*values)
    n = len(fields)
    by_q, by_v = casadi.jacobian(value, q), casadi.jacobian(value, v)
    terms = casadi.horzcat(
        by_q * casadi.repmat(rates.T, n, 1), by_v * casadi.repmat(v_dot.T, n, 1), casadi.jacobian(value, time)
    )
    outputs = [
        (part_port("value", (n,)), value),
        (part_port("rate", (n,)), casadi.sum2(terms)),
        (part_port("size", (n,)), casadi.sum2(casadi.fabs(terms))),
    ]
    more = (Port("accelerations", tuple(Field(f"{s.name}_dot") for s in layout.velocities)), v_dot)
    arguments = [*world_arguments(traced, q, v), more]
    return Traced.build(f"{system.name}_integrals", arguments, outputs, "what may stay constant"), tuple(fields)


def _momentum_unit(unit: str) -> str:
    return "kg m/s" if unit == "m/s" else "kg m^2/s"


def _driven(traced: TracedSystem, q: Any, v: Any) -> Any:
    """The part of the velocities that imposed motions and moving constraints cause."""
    parts = equation_parts(traced)
    time, _, inputs, parameters = traced.arguments
    given = (time, q, v, casadi.SX.zeros(len(traced.reduction.imposed)), casadi.SX.zeros(v.numel()), inputs, parameters)
    found = dict(zip((port.name for port in parts.outputs), parts.function(*given), strict=True))["driven"]
    return found if found.numel() else casadi.SX.zeros(v.numel())


def _whole(world: World) -> tuple[Any, Any]:
    """Linear momentum, and angular momentum about the origin of the world."""
    p, L = casadi.SX.zeros(3), casadi.SX.zeros(3)
    for masses, places in world.points:
        for k, mass in enumerate(masses.tolist()):
            push = mass * world.rate(places[3 * k : 3 * k + 3])
            p, L = p + push, L + casadi.cross(places[3 * k : 3 * k + 3], push)
    for body in world.system.bodies:
        if not isinstance(body, Body) or body.name in world.soft:
            continue
        R, _ = world.poses[body.name]
        mass, com, inertia = body.mass_properties(world.values)
        inertia = casadi.SX(inertia)
        push = mass * world.velocity(body.name, com)
        p, L = p + push, L + R @ inertia @ R.T @ world.spin(body.name) + casadi.cross(world.point(body.name, com), push)
    return p, L
