"""Forces along rods in the second derivation (`virtual_power`): what they push, and the velocity they work on."""

from itertools import pairwise
from typing import Any

import casadi

from locomotor.model import ALONG, DistributedForce, Tendon, evaluate
from locomotor.model.expressions import Expression
from locomotor.tracing.readings.placed_world import Placed
from locomotor.tracing.readings.soft_points import gauss, sections, strain
from locomotor.tracing.readings.virtual_forces import Pair, works


@works.register
def _(force: DistributedForce, world: Placed) -> list[Pair]:
    """At every section its share of the load on the velocity there, and of the couple on the angular velocity."""
    rod = world.soft[force.body]
    length = evaluate(rod.length, world.values)
    R_w, p_w = world.poses[force.body]
    found: list[Pair] = []
    for s, weight, (R_s, p_s) in sections(rod, world.own(force.body), world.values):
        if not weight:
            continue
        R = R_w @ R_s
        names = {**world.names, ALONG: s}
        push, couple = (weight * length * casadi.SX(evaluate(each, names)) for each in (force.components, force.couple))
        if force.frame != "world":
            push, couple = R @ push, R @ couple
        found += [(push, world.rate(p_w + R_w @ p_s)), (couple, world.spin_of(R))]
    return found


@works.register
def _(force: Tendon, world: Placed) -> list[Pair]:
    """It works on its length, the integral of |Gamma + K x d + d'| along the rod, d being where it lies in a section."""
    rod, e = world.soft[force.body], world.own(force.body)
    assert rod.points is not None
    size = evaluate(rod.length, world.values)
    start, end = float(force.start), float(force.end)  # type: ignore[arg-type]
    length = casadi.SX(0)
    place = casadi.SX.sym("s")
    for a, b in pairwise([start, *(each for each in rod.breaks if start < each < end), end]):
        for s, weight in gauss(a, b, rod.points):
            at = casadi.vertcat(0, *(_value(each, {**world.names, ALONG: place}) for each in force.at))
            d, slope = casadi.substitute([at, casadi.jacobian(at, place)], [place], [casadi.SX(s)])
            xi = casadi.SX(rod.free_strain(s, world.values)) + strain(rod, s, e)
            length = length + weight * size * casadi.norm_2(xi[0:3] + casadi.cross(xi[3:6], d) + slope / size)
    return [(-evaluate(force.tension, world.names), world.rate(length))]


def _value(value: Any, names: Any) -> Any:
    return value.evaluate(names) if isinstance(value, Expression) else value
