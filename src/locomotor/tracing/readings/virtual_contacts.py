"""Contacts in the second derivation (`virtual_power`): the velocities that they keep at zero, kind by kind."""

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import casadi

from locomotor.model import (
    RollingDisc,
    RollingEllipsoid,
    RollingSphere,
    RollingTorus,
    Skate,
    SlidingPoint,
    SlidingSphere,
    StickingPoint,
    evaluate,
)
from locomotor.tracing.readings.child_poses import refuse
from locomotor.tracing.readings.placed_world import Placed


@singledispatch
def blocked(contact: Any, normal: Any, world: Placed) -> Iterator[Any]:
    """Velocities along the blocked directions, as functions of coordinates and velocities."""
    refuse("contact", contact)


def _carried(world: Placed, body: str, centre: Any, arm: Any) -> Any:
    """Velocity of the matter at an arm from a point of a body."""
    return world.velocity(body, centre) + casadi.cross(world.spin(body), arm)


def _rim(contact: RollingDisc | RollingTorus, normal: Any, world: Placed) -> tuple[Any, Any]:
    """From the centre to the lowest point of the rim, as a unit vector, and the centre."""
    R, _ = world.poses[contact.body]
    axle = R @ casadi.SX(evaluate(contact.axis, world.values))
    down = -(normal - casadi.dot(normal, axle) * axle)
    return down / casadi.norm_2(down), evaluate(contact.centre, world.values)


@blocked.register
def _(contact: RollingDisc, normal: Any, world: Placed) -> Iterator[Any]:
    down, centre = _rim(contact, normal, world)
    yield _carried(world, contact.body, centre, evaluate(contact.radius, world.values) * down)


@blocked.register
def _(contact: RollingTorus, normal: Any, world: Placed) -> Iterator[Any]:
    down, centre = _rim(contact, normal, world)
    tube = evaluate(contact.tube, world.values)
    yield _carried(world, contact.body, centre, evaluate(contact.radius, world.values) * down - tube * normal)


@blocked.register
def _(contact: RollingSphere, normal: Any, world: Placed) -> Iterator[Any]:
    centre = evaluate(contact.centre, world.values)
    yield _carried(world, contact.body, centre, -evaluate(contact.radius, world.values) * normal)


@blocked.register
def _(contact: RollingEllipsoid, normal: Any, world: Placed) -> Iterator[Any]:
    centre, half = evaluate(contact.centre, world.values), casadi.SX(evaluate(contact.half_axes, world.values))
    R, _ = world.poses[contact.body]
    scaled = half * (R.T @ normal)
    yield _carried(world, contact.body, centre, -(R @ (half * scaled)) / casadi.norm_2(scaled))


@blocked.register
def _(contact: SlidingSphere, normal: Any, world: Placed) -> Iterator[Any]:
    centre = evaluate(contact.centre, world.values)
    yield casadi.dot(normal, world.velocity(contact.body, centre))


@blocked.register
def _(contact: StickingPoint, normal: Any, world: Placed) -> Iterator[Any]:
    yield world.velocity(contact.body, evaluate(contact.at, world.values))


@blocked.register
def _(contact: SlidingPoint, normal: Any, world: Placed) -> Iterator[Any]:
    yield casadi.dot(normal, world.velocity(contact.body, evaluate(contact.at, world.values)))


@blocked.register
def _(contact: Skate, normal: Any, world: Placed) -> Iterator[Any]:
    R, _ = world.poses[contact.body]
    across = casadi.cross(normal, R @ casadi.SX(evaluate(contact.heading, world.values)))
    velocity = world.velocity(contact.body, evaluate(contact.at, world.values))
    yield casadi.dot(across / casadi.norm_2(across), velocity)
    yield casadi.dot(normal, velocity)
