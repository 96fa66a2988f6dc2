"""Friction of joints that follows their load, in maximal coordinates: what a joint bears is lambda of its own rows.

The same equations as in coordinates of the tree (docs/theory.md (Q9)), with forces between bodies from another source.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.mechanics import Bearing, Seat, following, loads_of
from locomotor.mechanics.loads import rate_of, way
from locomotor.mechanics.tree import Instant
from locomotor.model import JointFriction, Spherical, System, evaluate
from locomotor.model.forces import load_bound
from locomotor.simulation.maximal.efforts import Efforts
from locomotor.simulation.maximal.graph import Graph, Places
from locomotor.typing import Floats, Vector


@dataclass(frozen=True, eq=False)
class Bearings:
    """The joints of a system whose friction follows their load."""

    system: System
    graph: Graph
    applied: Efforts

    @cached_property
    def _frictions(self) -> tuple[JointFriction, ...]:
        return following(self.system)

    def __bool__(self) -> bool:
        """Whether there are some."""
        return bool(self._frictions)

    @cached_property
    def _links(self) -> list[int]:
        """Of each the joint, by its number, which is that of its child."""
        numbers = {joint.name: i for i, joint in enumerate(self.system.joints)}
        return [numbers[self.system.joint_with(force.joint).name] for force in self._frictions]

    @cached_property
    def _rows(self) -> list[Places]:
        """Of each the rows that hold its joint."""
        return [self.graph.rows_of_joint(self.system.joints[i].name) for i in self._links]

    def _ways(self, instant: Instant) -> list[Any]:
        """Of each where it slides to."""
        return [way(force, rate_of(force.joint, instant), instant.names) for force in self._frictions]

    def pushes(self, time: float, state: Floats) -> list[Floats]:
        """Of each the wrenches on all bodies of a unit effort; of a ball, which has no axis, along its way."""
        instant, found = self.applied.instant(time, state), []
        for i, towards in zip(self._links, self._ways(instant), strict=True):
            ball = isinstance(self.system.joints[i], Spherical)
            found.append(self.applied.of_joint(state, instant.q, i, np.asarray(towards if ball else 1.0, dtype=float)))
        return found

    def efforts(self, time: float, state: Floats, J: Any, multipliers: Vector, answers: Sequence[Vector]) -> list[float]:
        """Of each the effort that fits its load; `answers` are what each unit effort adds to lambda."""
        instant = self.applied.instant(time, state)
        ways = self._ways(instant)
        seats: list[Bearing] = []
        for force, i, rows, towards in zip(self._frictions, self._links, self._rows, ways, strict=True):
            held = J[rows, 6 * i : 6 * i + 6].T
            alone, *adds = (held @ each[rows] for each in (multipliers, *answers))
            joint: Any = self.system.joints[i]
            if isinstance(joint, Spherical):
                seats.append(Seat(force, np.zeros(3), 1.0, alone, tuple(adds), instant.names))
                continue
            axis = np.asarray(evaluate(joint.axis, instant.values), dtype=float)
            seats.append(Bearing(force, axis, towards, alone, tuple(adds), instant.names))
        loads = loads_of(seats)
        slides = [seat.towards for seat in seats]
        return [
            -float(s * load_bound(force, force.mu, instant.names, loads[force.name]))
            for s, force in zip(slides, self._frictions, strict=True)
        ]
