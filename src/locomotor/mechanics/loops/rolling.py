"""Closures that pass turning on: conditions on velocities, at whatever material points touch at this instant."""

import numpy as np

from locomotor.mechanics.loops.closing import Conditions, closing
from locomotor.mechanics.loops.jet import Flow, Jet
from locomotor.mechanics.loops.relative import Pair, Relative
from locomotor.model import Belt, Gear, RackAndPinion, RollingCylinders, RollingSpheres, evaluate


def _rates(closure: Gear | Belt, pair: Pair) -> tuple[Flow, Flow]:
    """Rates of both wheels about their axes, relative to the carrier."""
    carrier = pair.third or Relative()
    rates = []
    for body, axis in ((pair.a, closure.axis_a), (pair.b, closure.axis_b)):
        rates.append((body.spin - carrier.spin).dot(carrier.direction(evaluate(axis, pair.values))))
    return rates[0], rates[1]


@closing.register
def _(closure: Gear, pair: Pair) -> Conditions:
    first, second = _rates(closure, pair)
    return (second - first.scaled(evaluate(closure.ratio, pair.values)),)


@closing.register
def _(closure: Belt, pair: Pair) -> Conditions:
    first, second = _rates(closure, pair)
    r_a, r_b = evaluate(closure.radius_a, pair.values), evaluate(closure.radius_b, pair.values)
    return (second.scaled(r_b) - first.scaled(-r_a if closure.crossed else r_a),)


@closing.register
def _(closure: RackAndPinion, pair: Pair) -> Conditions:
    place = pair.b.point(evaluate(closure.at_b, pair.values))
    u = pair.a.direction(evaluate(closure.axis_a, pair.values))
    axis = pair.b.direction(evaluate(closure.axis_b, pair.values))
    along = (place.flow - pair.a.material(place)).dot(u)
    return (along - (pair.b.spin - pair.a.spin).dot(axis).scaled(evaluate(closure.radius, pair.values)),)


def _touching(closure: RollingSpheres | RollingCylinders, pair: Pair, d: Jet, start: Jet) -> tuple[Jet, Jet, Jet]:
    """How far the two are apart, the normal from a to b, and the point where they touch; d is from axis to axis."""
    r_a, r_b = evaluate(closure.radius_a, pair.values), evaluate(closure.radius_b, pair.values)
    distance = d.length()
    normal = d.times(distance.inverse())
    wanted = r_a - r_b if closure.inside else r_a + r_b
    gap = distance - Jet.still(wanted)
    return gap, normal, start + normal.scaled(r_a)


@closing.register
def _(closure: RollingSpheres, pair: Pair) -> Conditions:
    start = pair.a.point(evaluate(closure.at_a, pair.values))
    gap, _, place = _touching(closure, pair, pair.b.point(evaluate(closure.at_b, pair.values)) - start, start)
    slip = pair.b.material(place) - pair.a.material(place)
    return *(slip.dot(Jet.still(axis)) for axis in np.eye(3)), gap


@closing.register
def _(closure: RollingCylinders, pair: Pair) -> Conditions:
    u = pair.a.direction(evaluate(closure.axis_a, pair.values))
    start = pair.a.point(evaluate(closure.at_a, pair.values))
    d = pair.b.point(evaluate(closure.at_b, pair.values)) - start
    across = d - u.times(u.dot(d))
    gap, normal, place = _touching(closure, pair, across, start)
    slip = pair.b.material(place) - pair.a.material(place)
    return gap, slip.dot(u.cross(normal))
