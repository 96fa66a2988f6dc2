"""Turning by increments: what two increments of rotation leave out because rotations do not commute.

The rotation over a step is not the integral of the angular velocity: with A- the increment of the step before and A that of
this one, in body axes, the rotation vector of this step is A + (1/12) A- x A up to terms of fourth order (Edwards 1971 for
strapdown navigation). With exact increments this raises the order of the attitude from two to four.
"""

from typing import Any

from locomotor.lie import ops
from locomotor.typing import Array


def corrected_increment(before: Array, now: Array) -> Any:
    """Rotation vector of a step, from the increments of the angular velocity over it and over the step before."""
    return now + (1.0 / 12.0) * ops.cross(before, now)
