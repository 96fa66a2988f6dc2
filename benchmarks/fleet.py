"""The systems whose batches are measured: each compiled for a target, with a start, inputs if it needs any, and a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from ride import START
from systems import humanoid, random_states

from locomotor import catalogue
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.catalogue.snakeboard import SNAKEBOARD_GAITS
from locomotor.model import System
from locomotor.simulation import CompiledSystem, compile_system
from locomotor.simulation.stepping.time_stepping import compile_stepping

Floats = NDArray[np.float64]

CLIMBING = {"yaw": 0.9965 * np.pi, "yaw_rate": 6.825}
"""On the fastest gait of the climbing robot, as one of its scenarios finds it."""


@dataclass(frozen=True)
class Member:
    """A system, how its contacts are treated, and how it starts."""

    name: str
    make: Callable[[], System]
    step: float
    contacts: str = ""
    """"" where none opens; else "events" or "time-stepping"."""
    start: Mapping[str, float] = field(default_factory=dict)
    closed: tuple[str, ...] | None = None
    about: str = ""
    least: tuple[float, float] | None = None
    """Billion steps a second that a device should make, in float64 and float32, where there is a target."""

    def compile(self, target: str, precision: str = "float64") -> CompiledSystem:
        """Compiled for a target."""
        if self.contacts:
            return compile_stepping(self.make(), self.contacts, target=target, precision=precision)
        return compile_system(self.make(), target=target, precision=precision)

    def state(self) -> Floats:
        """Where it starts."""
        if self.contacts:
            return compile_stepping(self.make(), self.contacts).start(self.start, closed=self.closed)
        if self.make is humanoid:
            return np.concatenate([rows[0] for rows in random_states(self.make(), 1)])
        return compile_system(self.make()).start(self.start)


def snakeboard() -> System:
    """The snakeboard in its gait `drive`."""
    return catalogue.snakeboard().with_motions(SNAKEBOARD_GAITS["drive"])


def sliding_box() -> System:
    """A box that slides down a slope steeper than its friction holds."""
    return catalogue.tumbling_box(friction=0.3, slope=0.4)


def stopping_box() -> System:
    """A box on level ground whose friction stops it."""
    return catalogue.tumbling_box(friction=0.5)


def airborne_bicycle() -> System:
    """The bicycle whose wheels may leave the ground."""
    return catalogue.bicycle("meijaard2007", contacts="unilateral")


BICYCLE = Member("bicycle", lambda: catalogue.bicycle("meijaard2007"), 0.005, start=START)
BOX = (0.15, 0.35)
TREE = Member("tree of 20 joints", humanoid, 0.001, about="free base and four limbs of 5", least=(2.5 * 0.046, 2.5 * 0.094))
FLEET = (
    BICYCLE,
    Member("snakeboard", snakeboard, 0.01, about="gait drive"),
    TREE,
    Member("compass walker", catalogue.compass_walker, 0.01, "events", GARCIA_CYCLE, ("foot_a",), "an event a step"),
    Member("ROCR", catalogue.rocr, 0.002, "events", CLIMBING, about="its fastest gait; an event a step"),
    Member("box with friction", sliding_box, 0.002, "time-stepping", about="8 vertices, sliding; 12 sweeps", least=BOX),
    Member(
        "box that stops",
        stopping_box,
        0.002,
        "time-stepping",
        {"speed": 0.5},
        about="8 vertices, at rest after 0.1 s",
        least=BOX,
    ),
    Member(
        "bicycle, unilateral", airborne_bicycle, 0.005, "time-stepping", START, ("rear", "front"), "wheels may leave the ground"
    ),
    Member("soft snake", catalogue.soft_snake, 0.001, "time-stepping", about="a rod of 3 strains on 4 keels, slithering"),
    Member("sidewinder", catalogue.sidewinder, 0.001, "time-stepping", about="a rod of 7 strains that touches at 5 places"),
)
