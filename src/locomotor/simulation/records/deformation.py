"""Whether soft bodies stayed within what is assumed of them: displacements that are linear in small angles."""

from collections.abc import Iterator

import numpy as np

from locomotor.model import Body
from locomotor.simulation.records.run import Run

LARGE = 0.5
"""Angle (rad) beyond which terms of second order, that are left out, are more than a tenth of what is kept."""


def bent_too_far(run: Run) -> Iterator[str]:
    """In words, each body that has bent or twisted more than its kind can tell."""
    for body in run.system.bodies if run.system is not None else ():
        names = [symbol.name for symbol in body.coordinates]
        if isinstance(body, Body) and names and all(name in run for name in names):
            turn = body.largest_turn(np.stack([run[name] for name in names], axis=-1), run.parameters)
            if turn > LARGE:
                yield (
                    f"{body.label} bends or twists by {turn:.3g} rad; its displacements are those of small angles, and beyond "
                    f"{LARGE} rad the motion is not to be believed: make it stiffer, load it less, or take a rod"
                )
