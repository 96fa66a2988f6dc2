"""A surface and a shape as plain arrays, as `codegen/runtime/terrain.h` reads them."""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from locomotor.errors import ContactKindError
from locomotor.geometry.features import Surface
from locomotor.geometry.shapes import Ball, Box, Capsule, Disc, Shape
from locomotor.typing import Floats

BALL, DISC, CAPSULE, BOX = range(4)
"""Kinds of shapes, as in the header."""
COUNTS, LEVELS, SOURCE, HEAD = 8, 16, 24, 25
"""Where the counts of the boxes of each level begin in the head of the indices, where the levels do, where the rule is, and its
length."""


class Tables(NamedTuple):
    """What a terrain is made of: numbers, and indices whose head says where each part begins."""

    numbers: Floats
    rows: NDArray[np.int32]


def tables_of(surface: Surface, rule: str = "complete") -> Tables:
    """The arrays of a surface, searched by a rule (see `query`); triangles are in the order of its tree."""
    faces, edges, vertices, tree = surface.faces, surface.edges, surface.vertices, surface.tree
    order = tree.order
    m, k, n = len(order), len(edges.length), len(vertices.first)
    numbers = [
        np.concatenate(
            (
                faces.normal[order],
                faces.offset[order, None],
                faces.sides[order].reshape(m, 9),
                faces.bounds[order],
                faces.corners[order].reshape(m, 9),
            ),
            axis=1,
        ),
        np.concatenate(
            (
                edges.start,
                edges.direction,
                edges.length[:, None],
                edges.inward.reshape(k, 6),
                edges.normals.reshape(k, 6),
                edges.outward,
            ),
            axis=1,
        ),
        np.concatenate((vertices.position, vertices.outward), axis=1).reshape(n, 6),
        vertices.directions,
        *(np.concatenate((level.sides, level.point), axis=1) for level in tree.levels),
    ]
    rows = [
        np.column_stack(
            (
                order,
                faces.patch[order],
                surface.triangle_edges[order],
                surface.triangle_vertices[order],
                surface.vertex_of[order],
                surface.edge_of[order],
            )
        ),
        np.column_stack((edges.is_border, edges.patches)),
        np.column_stack((vertices.first, vertices.count, vertices.is_border)),
    ]
    begins = np.cumsum([0, *(part.size for part in numbers)])
    head = np.zeros(HEAD, dtype=np.int64)
    head[0], head[SOURCE] = len(tree.levels), rule == "source"
    head[1:5] = begins[:4]
    head[5:8] = HEAD + np.cumsum([0, *(part.size for part in rows)])[:3]
    for depth, level in enumerate(tree.levels):
        head[COUNTS + depth], head[LEVELS + depth] = len(level.point), begins[4 + depth]
    flat = np.concatenate([head, *(part.reshape(-1) for part in rows)])
    return Tables(np.concatenate([part.reshape(-1) for part in numbers]), np.ascontiguousarray(flat, dtype=np.int32))


@singledispatch
def shape_numbers(shape: Shape) -> tuple[int, Floats]:
    """The kind of a shape and its numbers."""
    raise ContactKindError(
        f"a body of the shape {type(shape).__name__} has no closest points in compiled code; register `shape_numbers` of "
        "locomotor.geometry for it, or give it a Plane as its ground"
    )


@shape_numbers.register
def _(shape: Ball) -> tuple[int, Floats]:
    return BALL, np.array([*shape.centre, shape.radius])


@shape_numbers.register
def _(shape: Disc) -> tuple[int, Floats]:
    return DISC, np.array([*shape.centre, *shape.axis, shape.radius, shape.tube])


@shape_numbers.register
def _(shape: Capsule) -> tuple[int, Floats]:
    return CAPSULE, np.array([*shape.start, *shape.end, shape.radius])


@shape_numbers.register
def _(shape: Box) -> tuple[int, Floats]:
    return BOX, np.array([*shape.centre, *shape.half])


def shape_from(kind: int, numbers: Floats) -> Shape:
    """The shape with these numbers."""
    if kind == BALL:
        return Ball(numbers[:3], float(numbers[3]))
    if kind == DISC:
        return Disc(numbers[:3], numbers[3:6], float(numbers[6]), float(numbers[7]))
    if kind == CAPSULE:
        return Capsule(numbers[:3], numbers[3:6], float(numbers[6]))
    return Box(numbers[:3], numbers[3:6])
