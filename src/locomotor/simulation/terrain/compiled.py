"""Queries of a terrain in machine code, for runs with events; where there is no compiler, `geometry.Tracker` answers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from locomotor.codegen import TerrainSearch
from locomotor.geometry import (
    KINDS,
    Candidate,
    Contacting,
    Feature,
    Shape,
    Surface,
    Tables,
    Tracker,
    shape_numbers,
    tables_of,
)
from locomotor.lie import SE3

MOST_TRIANGLES = 256
"""By the rule of the source machine code looks at every triangle: of more of them the tree of boxes is quicker."""


@lru_cache(maxsize=32)
def _tables(surface: Surface, rule: str) -> Tables:
    return tables_of(surface, rule)


def search_of(surface: Surface, shape: Shape, rule: str) -> TerrainSearch | None:
    """The search of a shape over a terrain in machine code; None where Python searches.

    That is without a compiler, by the rule of the source on a large terrain, and for a shape that says nothing to machine code.
    """
    unknown = shape_numbers.dispatch(type(shape)) is shape_numbers.dispatch(object)
    if unknown or (rule == "source" and len(surface.tree.order) > MOST_TRIANGLES):
        return None
    search = TerrainSearch(*_tables(surface, rule), *shape_numbers(shape))
    return search if search.works else None


class CompiledTracker(Tracker):
    """A `Tracker` that asks machine code."""

    def __init__(self, surface: Surface, shape: Shape, search: TerrainSearch, reach: float, rule: str) -> None:
        super().__init__(surface, shape, reach=reach, rule=rule)
        self._search = search

    def query(self, pose: SE3, distinct: bool = True) -> tuple[Candidate, ...]:
        """Where the shape at `pose` can touch; see `geometry.query`."""
        found = self._search(pose.rotation, pose.translation, self.reach, distinct)
        candidates = []
        for i in range(len(found.gap)):
            normal, part = found.normal[i], int(found.part[i])
            feature = self._feature(int(found.kind[i]), int(found.number[i]), part)
            heading = self.shape.heading_in(pose, normal)
            candidates.append(Candidate(feature, part, float(found.gap[i]), normal, found.point[i], found.foot[i], heading))
        return tuple(candidates)

    def gap(self, pose: SE3) -> float:
        """Least distance of the shape at `pose`."""
        return float(self._search(pose.rotation, pose.translation, 0.0).gap[0])

    def find(self, feature: Feature, pose: SE3, strict: bool = False) -> Contacting | None:
        """Where the shape and one feature would touch; what is not within reach is looked for in the readable way."""
        source = self.rule == "source"  # of each part there is one, however far
        found = self._search(pose.rotation, pose.translation, np.inf if source else self.reach, source)
        kind = KINDS.index(feature.kind)
        for i in np.flatnonzero((found.kind == kind) & (found.part == feature.part)).tolist():
            number = int(found.number[i])
            if self._feature(kind, number, feature.part) != feature:
                continue
            if not (strict and kind == 0 and self._beyond(number, found.foot[i])):
                return Contacting(float(found.gap[i]), found.normal[i], found.point[i], found.foot[i])
        return None if source else super().find(feature, pose, strict)

    def _feature(self, kind: int, number: int, part: int) -> Feature:
        """Flat pieces and straight edges have the number of their first triangle or edge."""
        surface = self.surface
        if kind == 0:
            number = int(surface.faces.patch[number])
        elif kind == 1:
            number = int(surface.edges.chain[number])
        return Feature(KINDS[kind], number, part)
