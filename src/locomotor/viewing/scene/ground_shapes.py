"""Round grounds as shapes: what a body carries for others to touch is seen on it, where it has no shapes of its own."""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.model import Ball, Bar, Block, Box, Capsule, Mesh, Shape, Sphere, Surface, System, as_quantity, evaluate

Values = Mapping[str, float]
DRAWN = 32
"""Squares along each side of a surface that is drawn."""


def ground_shapes(system: System, body: str) -> tuple[Shape, ...]:
    """Shapes of the round grounds that a body, or the world, carries."""
    values = system.parameters.values
    return tuple(shape for ground in system.grounds if ground.body == body for shape in shapes_of(ground, values))


@singledispatch
def shapes_of(ground: Any, values: Values) -> tuple[Shape, ...]:
    """The shapes by which a ground is seen; a plane is drawn otherwise, and of a bowl or a tube one sees the inside."""
    return ()


@shapes_of.register
def _(ground: Ball, values: Values) -> tuple[Shape, ...]:
    return () if ground.inside else (Sphere(ground.radius, at=ground.centre),)


@shapes_of.register
def _(ground: Bar, values: Values) -> tuple[Shape, ...]:
    return () if ground.inside else (Capsule(ground.start, ground.end, ground.radius),)


@shapes_of.register
def _(ground: Block, values: Values) -> tuple[Shape, ...]:
    return (Box(tuple(2.0 * as_quantity(half, ground.label) for half in ground.half_sizes), at=ground.centre),)


@shapes_of.register
def _(ground: Surface, values: Values) -> tuple[Shape, ...]:
    places = np.linspace(-ground.extent, ground.extent, DRAWN + 1)
    vertices = [(float(x), float(y), float(evaluate(ground.law, {**values, "x": x, "y": y}))) for y in places for x in places]
    corners = [j * (DRAWN + 1) + i for j in range(DRAWN) for i in range(DRAWN)]
    triangles = [t for k in corners for t in ((k, k + 1, k + DRAWN + 2), (k, k + DRAWN + 2, k + DRAWN + 1))]
    return (Mesh(vertices=vertices, triangles=triangles),)
