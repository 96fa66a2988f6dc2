"""Queries of a shape that moves on: what is around it is looked up once, and again when it has moved away.

With D the distance of the centre from the ground where the surroundings were taken, the gap after a way w of the centre is
at most D + w. So all triangles within size + max(reach, D + room) + room of that place are enough as long as w <= room.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from locomotor.lie import SE3
from locomotor.mechanics.terrain.broad_phase import Tree, build_tree, near
from locomotor.mechanics.terrain.cores import Balls
from locomotor.mechanics.terrain.features import Surface
from locomotor.mechanics.terrain.inside import nearest_triangles
from locomotor.mechanics.terrain.query import REACH, Candidate, Ground, Values, as_surface, gap, query
from locomotor.mechanics.terrain.shapes import Shape

Floats = NDArray[np.float64]

MOST_TRIANGLES = 1000
"""Surroundings of more triangles are not worth keeping: high above a fine terrain the tree is quicker."""


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

    def query(self, pose: SE3) -> tuple[Candidate, ...]:
        """As `query`."""
        return query(self._around(pose), self.shape, pose, reach=self.reach, rule=self.rule)

    def gap(self, pose: SE3) -> float:
        """As `gap`."""
        return gap(self._around(pose), self.shape, pose, rule=self.rule)

    def _around(self, pose: SE3) -> Surface:
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
        here = Balls(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), 0.0, centre[None])
        triangles = near(self.surface.tree, here, radius)[1]
        if len(triangles) > MOST_TRIANGLES:
            return self.surface
        corners = self.surface.faces.corners[triangles]
        tree = build_tree(corners.min(axis=1), corners.max(axis=1), corners[:, 0])
        return replace(self.surface, tree=Tree(tree.levels, triangles[tree.order]))
