"""Queries of a shape that moves on: what is around it is looked up once, and again when it has moved away.

With D the distance of the centre from the ground where the surroundings were taken, the gap after a way w of the centre is
at most D + w. So all triangles within size + max(reach, D + room) + room of that place are enough as long as w <= room.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from locomotor.geometry.broad_phase import Tree, build_tree, near
from locomotor.geometry.cores import Balls
from locomotor.geometry.features import Surface
from locomotor.geometry.inside import nearest_triangles
from locomotor.geometry.pairs import search
from locomotor.geometry.query import KINDS, REACH, Candidate, Feature, Ground, Values, as_surface, gap, query
from locomotor.geometry.shapes import Shape
from locomotor.lie import SE3
from locomotor.typing import Floats, Integers

BORDER = 1e-13
"""Rounding (m) of the place of a border."""
MOST_TRIANGLES = 1000
"""Surroundings of more triangles are not worth keeping: high above a fine terrain the tree is quicker."""


class Contacting(NamedTuple):
    """A shape and a feature: gap, common normal, C on the shape and C' on the feature."""

    gap: float
    normal: Floats
    point: Floats
    foot: Floats


class Tracker:
    """Candidates and gaps of one shape over one ground, for poses near the previous ones.

    The answers are those of `query` and `gap`; only the time differs. `room` (m) is the way after which the
    surroundings are taken anew.
    """

    def __init__(
        self,
        ground: Ground,
        shape: Shape,
        *,
        reach: float = REACH,
        rule: str = "complete",
        room: float | None = None,
        values: Values | None = None,
    ) -> None:
        self.surface = as_surface(ground, values)
        self.shape = shape
        self.reach = reach
        self.rule = rule
        self.room = max(0.5 * shape.size, reach) if room is None else room
        self._centre: Floats | None = None
        self._near = self.surface

    def query(self, pose: SE3, distinct: bool = True) -> tuple[Candidate, ...]:
        """Where the shape at `pose` can touch; see `query`."""
        return query(self.around(pose), self.shape, pose, reach=self.reach, rule=self.rule, distinct=distinct)

    def gap(self, pose: SE3) -> float:
        """Least distance of the shape at `pose`; see `gap`."""
        return gap(self.around(pose), self.shape, pose, rule=self.rule)

    def find(self, feature: Feature, pose: SE3, strict: bool = False) -> Contacting | None:
        """Where the shape and one feature would touch; None where they cannot, the feature being out of reach included.

        Strictly seen a face ends at its border, not a little beyond it.
        """
        R, p = pose.rotation[None], pose.translation[None]
        around = self.around(pose)
        found = search(around, self.shape, R, p, self.reach, self.rule)
        kind = KINDS.index(feature.kind)
        order = np.flatnonzero((found.kind == kind) & (found.part == feature.part))
        if self.rule == "source":  # the one that the rule chooses, or none
            order = np.intersect1d(order, np.lexsort((found.kind, found.hits.gap, found.part != feature.part))[:1])
        for i in order.tolist():
            if found.feature(around, i) != feature.number:
                continue
            if not (strict and kind == 0 and self._beyond(int(found.hits.number[i]), found.hits.foot[i])):
                return Contacting(float(found.hits.gap[i]), found.hits.normal[i], found.hits.point[i], found.hits.foot[i])
        return None

    def _beyond(self, triangle: int, foot: Floats) -> bool:
        faces = self.surface.faces
        return bool((faces.sides[triangle] @ foot < faces.bounds[triangle] - BORDER).any())

    def around(self, pose: SE3) -> Surface:
        """What of the ground may be near."""
        # By the rule of the source a far face goes before a near edge: it needs the whole ground.
        if self.rule == "source" or len(self.surface.tree.levels) == 1:
            return self.surface
        centre = self.shape.centre_in(pose)
        if self._centre is None or not np.linalg.norm(centre - self._centre) <= self.room:
            self._centre, self._near = centre, self._taken(centre)
        return self._near

    def _taken(self, centre: Floats) -> Surface:
        distance = float(nearest_triangles(self.surface, centre[None])[0][0])
        radius = self.shape.size + max(self.reach, distance + self.room) + self.room
        triangles = triangles_near(self.surface, centre, radius)
        return self.surface if len(triangles) > MOST_TRIANGLES else part_of(self.surface, triangles)


def triangles_near(surface: Surface, centre: Floats, radius: float) -> Integers:
    """Triangles whose boxes are within a radius of a point, and the nearest one in any case."""
    here = Balls(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), 0.0, centre[None])
    return near(surface.tree, here, radius)[1]


def part_of(surface: Surface, triangles: Integers) -> Surface:
    """A surface of which only some triangles are looked at."""
    corners = surface.faces.corners[triangles]
    tree = build_tree(corners.min(axis=1), corners.max(axis=1), corners[:, 0])
    return replace(surface, tree=Tree(tree.levels, triangles[tree.order]))
