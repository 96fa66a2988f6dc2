"""Motions of contacts along a direction that was noted for them, slip or rolling: where they come to rest or turn away."""

from collections.abc import Callable
from typing import Any

import numpy as np

from locomotor.simulation.events.kinds import Search
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.slip import REST, STOPPED
from locomotor.simulation.roots import ROUND_OFF, root_between
from locomotor.typing import Vector

TURNED = 0.5
"""Cosine of the angle by which a motion may turn before its direction is noted anew."""
BRIEFLY = 24
"""Times that a step is halved in search of a motion that begins and ends within it."""


def rest_and_turn(along: Vector, motion: Vector, rate: Vector) -> tuple[int | None, int | None]:
    """Samples, from 1 on, by which a motion (samples x 3) has come to rest and has turned away; None where it does not.

    `along` is its part along the noted direction, which is negative beyond rest, and `rate` how it changes.
    """
    speed = np.linalg.norm(motion, axis=-1)
    slows = (motion[1:] * rate[1:]).sum(axis=-1) < 0.0
    fades = (speed[1:] < STOPPED) & (speed[:-1] >= STOPPED) & slows
    rests = ((along[1:] < -REST) & (along[:-1] >= -REST)) | fades
    turns = (speed[1:] > REST) & (along[1:] >= 0.0) & (along[1:] < TURNED * speed[1:])
    return _first(rests), _first(turns)


def _first(where: Any) -> int | None:
    found = np.flatnonzero(where)
    return int(found[0]) + 1 if len(found) else None


def length_to_rest(search: Search, t: float, x: Vector, h: float, along: Callable[[Seen], Vector]) -> float:
    """Length of the step, up to h, after which the part along the noted direction vanishes.

    A motion that begins at the start of the step and ends within it has no such part at either: where it has one is sought
    between them.
    """

    def after(length: float) -> float:
        return float(along(search.at(t, x, length)))

    if after(h) >= 0.0:
        return h  # it fades away
    first = 0.0
    if float(along(search.probe.look(t, x))) <= 0.0:
        first = next((h * 0.5**k for k in range(1, BRIEFLY) if after(h * 0.5**k) > 0.0), 0.0)
        if first == 0.0:
            return 0.0
        h = 2.0 * first
    return root_between(after, first, h, xtol=ROUND_OFF)
