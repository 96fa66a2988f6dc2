"""Which triangles may be near: a wide tree of boxes over the triangles, searched for many bodies at once.

Triangles are put in the order of a space-filling curve (Morton 1966) and grouped by WIDTH, the groups grouped again,
so that 100,000 triangles make four levels. A level is searched with a few array operations: a box is kept if it is
nearer than `reach`, or than some vertex already seen, which bounds the least distance from above. The latter finds the nearest
triangle however far away it is.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.typing import Floats, Integers

WIDTH = 16
CHILDREN = np.arange(WIDTH)
BITS = 12
"""Cells of the curve along each axis: 2^BITS."""
SLACK = 1.0 + 1e-9
"""Boxes at the very limit stay, whatever the rounding."""


class Bodies(Protocol):
    """What the search needs to know of the bodies, k of them."""

    @property
    def low(self) -> Floats:
        """k x 3: lower corners of their boxes."""

    @property
    def high(self) -> Floats:
        """k x 3: upper corners."""

    def distance(self, rows: Integers | slice, points: Floats) -> Floats:
        """Distances of the points from the bodies of those rows."""


@dataclass(frozen=True, eq=False)
class Level:
    """Boxes, each with one point of the surface inside it; box i holds the boxes WIDTH i ... of the next level."""

    sides: Floats
    """k x 6: lower corner, and upper corner with the opposite sign."""
    point: Floats

    @property
    def low(self) -> Floats:
        """Lower corners of the boxes of a level."""
        return self.sides[:, 0:3]

    @property
    def high(self) -> Floats:
        """Upper corners of the boxes of a level."""
        return -self.sides[:, 3:6]


@dataclass(frozen=True, eq=False)
class Tree:
    """Levels from the coarsest to the triangles themselves, which are in the order of the curve."""

    levels: tuple[Level, ...]
    order: Integers


def build_tree(low: Floats, high: Floats, point: Floats) -> Tree:
    """The tree over boxes with corners `low` and `high` (m x 3), each holding a `point` of the surface."""
    order = _curve_order(low, high) if len(low) > WIDTH else np.arange(len(low))
    levels = [Level(np.concatenate((low, -high), axis=1)[order], point[order])]
    while len(levels[0].point) > WIDTH:
        below = levels[0]
        starts = np.arange(0, len(below.point), WIDTH)
        inside = np.minimum(starts + WIDTH // 2, len(below.point) - 1)
        levels.insert(0, Level(np.minimum.reduceat(below.sides, starts), below.point[inside]))
    return Tree(tuple(levels), order)


def _curve_order(low: Floats, high: Floats) -> Integers:
    centre = 0.5 * (low + high)
    origin = centre.min(axis=0)
    extent = float((centre - origin).max()) or 1.0
    cell = ((centre - origin) * ((2**BITS - 1) / extent)).astype(np.int64)
    code = np.zeros(len(cell), dtype=np.int64)
    for bit in range(BITS):
        for axis in range(3):
            code |= ((cell[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")


def near(tree: Tree, bodies: Bodies, reach: float) -> tuple[Integers, Integers, Floats]:
    """Pairs (body, triangle) not farther than `reach` by their boxes, the nearest triangle always among them.

    Pairs are in the order of the bodies. The third answer is the distance of each body up to which nothing is missing.
    """
    sides = np.concatenate((bodies.high, -bodies.low), axis=1)
    k = len(sides)
    nodes = np.arange(len(tree.levels[0].point))
    rows: Integers | slice = slice(None)  # of one body all pairs are its own
    if k > 1:
        rows, nodes = np.repeat(np.arange(k), len(nodes)), np.tile(nodes, k)
    best = np.full(k, np.inf)
    for depth, level in enumerate(tree.levels):
        if depth:
            nodes = (nodes[:, None] * WIDTH + CHILDREN).reshape(-1)
            inside = nodes < len(level.point)
            nodes = nodes[inside]
            if not isinstance(rows, slice):
                rows = np.repeat(rows, WIDTH)[inside]
        best = np.minimum(best, _least(rows, bodies.distance(rows, level.point.take(nodes, axis=0))))
        limit = np.maximum(best, reach) * SLACK
        # Along an axis at most one of the two differences is positive.
        apart = level.sides.take(nodes, axis=0) - sides[rows]
        np.maximum(apart, 0.0, out=apart)
        kept = np.einsum("ij,ij->i", apart, apart) <= (limit * limit)[rows]
        nodes = nodes[kept]
        if not isinstance(rows, slice):
            rows = rows[kept]
    if isinstance(rows, slice):
        rows = np.zeros(len(nodes), dtype=np.int64)
    return rows, tree.order[nodes], limit


def _least(rows: Integers | slice, values: Floats) -> Floats:
    """Least value of every body; the rows are in order and every body has one."""
    if isinstance(rows, slice):
        return values.min(keepdims=True)
    return np.minimum.reduceat(values, np.flatnonzero(np.diff(rows, prepend=-1)))
