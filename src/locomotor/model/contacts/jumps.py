"""Where a coefficient jumps with the speed of a slip."""

from collections.abc import Callable

import numpy as np

SPEEDS = np.geomspace(1e-5, 1e2, 351)
"""Speeds of a slip (m/s) between which jumps are looked for."""
SMALL = 1e-3
"""Changes of the coefficient between two of these speeds that are no jump worth a search."""
CLOSE = 1e-9
"""A change that is left within this share of a speed is a jump: friction that is smooth there could not be followed either."""


def jump_of(coefficient: Callable[[float], float | None]) -> tuple[float, float, float] | None:
    """The speed at which a coefficient jumps, and what it is just below and above; None where none is found."""
    values = [coefficient(float(speed)) for speed in SPEEDS]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return None  # it has parameters without a value
    changes = np.abs(np.diff(numbers))
    for k in np.flatnonzero(changes > SMALL * (float(np.abs(numbers).max()) or 1.0)).tolist():
        low, high = float(SPEEDS[k]), float(SPEEDS[k + 1])
        below, above = numbers[k], numbers[k + 1]
        # A smooth change is halved with each step, at least in the end; one that is not is a jump, in the half that keeps it.
        while high - low > CLOSE * high and abs(above - below) > 0.5 * changes[k]:
            middle = 0.5 * (low + high)
            between = coefficient(middle)
            if between is None:
                return None
            low, high, below, above = (
                (low, middle, below, between) if abs(between - below) > abs(above - between) else (middle, high, between, above)
            )
        if abs(above - below) > 0.5 * changes[k]:
            return 0.5 * (low + high), below, above
    return None
