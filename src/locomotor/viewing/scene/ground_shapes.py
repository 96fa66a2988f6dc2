"""Round grounds as shapes: what a body carries for others to touch is seen on it, where it has no shapes of its own."""

from functools import singledispatch
from typing import Any

from locomotor.model import Ball, Bar, Block, Box, Capsule, Shape, Sphere, System, as_quantity


def ground_shapes(system: System, body: str) -> tuple[Shape, ...]:
    """Shapes of the round grounds that a body, or the world, carries."""
    return tuple(shape for ground in system.grounds if ground.body == body for shape in shapes_of(ground))


@singledispatch
def shapes_of(ground: Any) -> tuple[Shape, ...]:
    """The shapes by which a ground is seen; a plane is drawn otherwise, and of a bowl one sees the inside."""
    return ()


@shapes_of.register
def _(ground: Ball) -> tuple[Shape, ...]:
    return () if ground.inside else (Sphere(ground.radius, at=ground.centre),)


@shapes_of.register
def _(ground: Bar) -> tuple[Shape, ...]:
    return (Capsule(ground.start, ground.end, ground.radius),)


@shapes_of.register
def _(ground: Block) -> tuple[Shape, ...]:
    return (Box(tuple(2.0 * as_quantity(half, ground.label) for half in ground.half_sizes), at=ground.centre),)
