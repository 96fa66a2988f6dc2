"""Integrals over the samples of a smooth run, in numpy alone: scipy's splines take longer to load than most runs to make."""

import numpy as np

from locomotor.typing import Vector

POINTS = 8
"""Samples around an interval through which a polynomial is laid."""


def integral(time: Vector, values: Vector) -> float:
    """Integral over the time: over each interval, of the polynomial through the eight samples around it."""
    count = min(POINTS, len(time))
    first = np.clip(np.arange(len(time) - 1) - count // 2 + 1, 0, len(time) - count)
    near = first[:, None] + np.arange(count)
    half = 0.5 * np.diff(time)
    places = (time[near] - (time[:-1] + half)[:, None]) / half[:, None]  # the interval is from -1 to 1
    powers = np.arange(count)
    factors = np.linalg.solve(places[:, :, None] ** powers, values[near][:, :, None])[:, :, 0]
    return float(half @ (factors @ ((1.0 + (-1.0) ** powers) / (powers + 1.0))))
