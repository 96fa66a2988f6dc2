"""Which triangles may be near: a wide tree of boxes over the triangles, searched for many bodies at once.

Triangles are put in the order of a space-filling curve (Morton 1966) and grouped by WIDTH, the groups grouped again,
so that 100,000 triangles make four levels. A level is searched with a few array operations: a box is kept if it is
nearer than `reach`, or than some vertex already seen, which bounds the least distance from above. The latter finds the nearest
triangle however far away it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

WIDTH = 16
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

    low: Floats
    high: Floats
    point: Floats


@dataclass(frozen=True, eq=False)
class Tree:
    """Levels from the coarsest to the triangles themselves, which are in the order of the curve."""

    levels: tuple[Level, ...]
    order: Integers


def build_tree(low: Floats, high: Floats, point: Floats) -> Tree:
    """The tree over boxes with corners `low` and `high` (m x 3), each holding a `point` of the surface."""
    order = _curve_order(low, high) if len(low) > WIDTH else np.arange(len(low))
    levels = [Level(low[order], high[order], point[order])]
    while len(levels[0].low) > WIDTH:
        below = levels[0]
        starts = np.arange(0, len(below.low), WIDTH)
        levels.insert(
            0,
            Level(
                np.minimum.reduceat(below.low, starts),
                np.maximum.reduceat(below.high, starts),
                below.point[np.minimum(starts + WIDTH // 2, len(below.low) - 1)],
            ),
        )
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
    low, high = bodies.low, bodies.high
    k = len(low)
    top = len(tree.levels[0].low)
    rows = np.repeat(np.arange(k), top) if k > 1 else np.zeros(top, dtype=np.int64)
    nodes = np.tile(np.arange(top), k) if k > 1 else np.arange(top)
    best = np.full(k, np.inf)
    for depth, level in enumerate(tree.levels):
        if depth:
            nodes = (nodes[:, None] * WIDTH + np.arange(WIDTH)).reshape(-1)
            rows = np.repeat(rows, WIDTH)
            inside = nodes < len(level.low)
            if not inside.all():
                nodes, rows = nodes[inside], rows[inside]
        best = np.minimum(best, _least(rows, bodies.distance(rows if k > 1 else slice(None), level.point[nodes]), k))
        limit = np.maximum(best, reach) * SLACK
        apart = np.maximum(level.low[nodes] - high[rows], low[rows] - level.high[nodes])
        np.maximum(apart, 0.0, out=apart)
        kept = np.einsum("ij,ij->i", apart, apart) <= (limit * limit)[rows]
        rows, nodes = rows[kept], nodes[kept]
    return rows, tree.order[nodes], limit


def _least(rows: Integers, values: Floats, k: int) -> Floats:
    """Least value of every body; the rows are in order and every body has one."""
    if k == 1:
        return values.min(keepdims=True)
    return np.minimum.reduceat(values, np.flatnonzero(np.diff(rows, prepend=-1)))
