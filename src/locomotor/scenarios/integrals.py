"""Integrals over the samples of a smooth run, in numpy alone: scipy's splines take longer to load than most runs to make."""

import numpy as np

from locomotor.typing import Vector

DEGREE = 7
"""Of the polynomials: with the steps of the scenarios they err less than the motion."""


def integral(time: Vector, values: Vector) -> float:
    """Integral over the time, of polynomials of degree 7 through eight samples that follow each other."""
    count, total = len(time), 0.0
    for k in range(0, count - 1, DEGREE):
        last = min(k + DEGREE, count - 1)
        first = max(0, last - DEGREE)
        middle, half = 0.5 * (time[first] + time[last]), 0.5 * (time[last] - time[first])
        places = (time[first : last + 1] - middle) / half
        powers = np.arange(1, last - first + 2)
        begin, end = (time[k] - middle) / half, (time[last] - middle) / half
        factors = np.linalg.solve(np.vander(places, increasing=True), values[first : last + 1])
        total += half * float(factors @ ((end**powers - begin**powers) / powers))
    return total
