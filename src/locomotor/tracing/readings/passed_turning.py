"""What closures that pass turning on keep at zero, a second time: velocities of matter in the world (see `virtual_power`)."""

from functools import singledispatch
from typing import Any

import casadi

from locomotor.model import Belt, Gear, RackAndPinion, RollingCylinders, RollingSpheres, evaluate
from locomotor.tracing.readings.held_loops import Seen, held
from locomotor.tracing.readings.placed_world import Placed


@singledispatch
def kept(closure: Any, world: Placed) -> list[Any]:
    """Velocities that a closure keeps at zero; of most kinds the rates of positions."""
    seen = Seen(closure, world.point, lambda body, d: _turned(world, body, d), lambda quantity: evaluate(quantity, world.names))
    return [world.rate(position) + casadi.jacobian(position, world.time) for position in held(closure, seen)]


def _turned(world: Placed, body: str, direction: Any) -> Any:
    return world.poses[body][0] @ casadi.SX(direction)


def _axis(closure: Any, body: str, side: str, world: Placed) -> Any:
    return _turned(world, body, evaluate(getattr(closure, f"axis_{side}"), world.names))


def _matter(world: Placed, body: str, place: Any) -> Any:
    """Velocity of the matter of a body at a place of the world."""
    if body == "world":
        return casadi.SX.zeros(3)
    _, origin = world.poses[body]
    return world.rate(origin) + casadi.cross(world.spin(body), place - origin)


def _wheels(closure: Gear | Belt, world: Placed) -> list[Any]:
    """Rates of both wheels about axes of their carrier, as somebody on it sees them."""
    frame = world.spin(closure.carrier)
    bodies = (("a", closure.body_a), ("b", closure.body_b))
    return [casadi.dot(world.spin(body) - frame, _axis(closure, closure.carrier, side, world)) for side, body in bodies]


@kept.register
def _(closure: Gear, world: Placed) -> list[Any]:
    first, second = _wheels(closure, world)
    return [second - evaluate(closure.ratio, world.names) * first]


@kept.register
def _(closure: Belt, world: Placed) -> list[Any]:
    first, second = _wheels(closure, world)
    run_a, run_b = evaluate(closure.radius_a, world.names) * first, evaluate(closure.radius_b, world.names) * second
    return [run_b + run_a if closure.crossed else run_b - run_a]


@kept.register
def _(closure: RackAndPinion, world: Placed) -> list[Any]:
    centre = world.point(closure.body_b, evaluate(closure.at_b, world.names))
    seen = _matter(world, closure.body_b, centre) - _matter(world, closure.body_a, centre)
    turning = casadi.dot(world.spin(closure.body_b) - world.spin(closure.body_a), _axis(closure, closure.body_b, "b", world))
    along = casadi.dot(seen, _axis(closure, closure.body_a, "a", world))
    return [along - evaluate(closure.radius, world.names) * turning]


def _centres(closure: RollingSpheres | RollingCylinders, world: Placed) -> tuple[Any, Any]:
    a, b = (world.point(getattr(closure, f"body_{s}"), evaluate(getattr(closure, f"at_{s}"), world.names)) for s in "ab")
    return a, b


def _slip(closure: RollingSpheres | RollingCylinders, place: Any, world: Placed) -> Any:
    return _matter(world, closure.body_b, place) - _matter(world, closure.body_a, place)


@kept.register
def _(closure: RollingSpheres, world: Placed) -> list[Any]:
    a, b = _centres(closure, world)
    place = a + evaluate(closure.radius_a, world.names) * (b - a) / casadi.norm_2(b - a)
    return [_slip(closure, place, world)]


@kept.register
def _(closure: RollingCylinders, world: Placed) -> list[Any]:
    """The axes keep their distance, and the rims do not slide on each other across the axis."""
    a, b = _centres(closure, world)
    axis = _axis(closure, closure.body_a, "a", world)
    across = (b - a) - axis * casadi.dot(axis, b - a)
    distance = casadi.norm_2(across)
    normal = across / distance
    slip = _slip(closure, a + evaluate(closure.radius_a, world.names) * normal, world)
    return [world.rate(distance), casadi.dot(slip, casadi.cross(axis, normal))]
