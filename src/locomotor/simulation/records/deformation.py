"""Whether soft bodies stayed within what is assumed of them: small angles where displacements are linear, positive lengths."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from locomotor.model import Body, System
from locomotor.simulation.records.run import Run

LARGE = 0.5
"""Angle (rad) beyond which terms of second order, that are left out, are more than a tenth of what is kept."""


def bent_too_far(run: Run) -> Iterator[str]:
    """In words, each body that has bent or twisted more than its kind can tell."""
    for body, names in _soft(run.system) if run.system is not None else ():
        if all(name in run.channels for name in names):
            samples = np.stack([run[name] for name in names], axis=-1)
            turn, length = body.largest_turn(samples, run.parameters), body.least_length(samples)
            if not length > 0.0:
                yield (
                    f"{body.label} is pressed to {length:.3g} of its length: no rod turns inside out, and the motion is not to "
                    "be believed from there on: make it stiffer, load it less, or give it an energy that grows without end as "
                    "its stretch goes to -1"
                )
            if turn > LARGE:
                yield (
                    f"{body.label} bends or twists by {turn:.3g} rad; its displacements are those of small angles, and beyond "
                    f"{LARGE} rad the motion is not to be believed: make it stiffer, load it less, or take a rod"
                )


@lru_cache(maxsize=32)
def _soft(system: System) -> tuple[tuple[Body, tuple[str, ...]], ...]:
    """Bodies that deform, and the names of their coordinates."""
    named = ((body, tuple(symbol.name for symbol in body.coordinates)) for body in system.bodies if isinstance(body, Body))
    return tuple((body, names) for body, names in named if names)
