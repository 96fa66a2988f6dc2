"""Integrals over the samples of a run, whose motion may be interrupted: an event has two samples, before and after it."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from locomotor.simulation.records.spline import spline_integral
from locomotor.typing import Vector

SAME = 1e-12
"""Samples nearer to each other than this, relative to the time, are those of one instant."""


def pieces(time: Vector) -> Iterator[slice]:
    """Parts of a run between events."""
    apart = np.diff(time) > SAME * np.maximum(1.0, np.abs(time[1:]))
    bounds = [0, *(int(k) + 1 for k in np.flatnonzero(~apart)), len(time)]
    for first, last in pairwise(bounds):
        if last > first:
            yield slice(first, last)


def integral(time: Vector, values: Vector) -> Vector:
    """Integral from the start to each sample, of order 4 between events: that of cubic splines."""
    if len(time) < 2 or not np.any(values):
        return np.zeros(len(time))
    if not np.isfinite(values).all():
        return np.full(len(time), np.nan)
    found = np.zeros(len(time))
    done = 0.0
    for piece in pieces(time):
        t = time[piece]
        if len(t) > 1:
            found[piece] = done + spline_integral(t, values[piece])
        else:
            found[piece] = done
        done = float(found[piece][-1])
    return found


def coarser_integral(time: Vector, values: Vector) -> Vector:
    """The same from every second sample of each part: what its error may be seen by."""
    chosen: list[int] = []
    for piece in pieces(time):
        places = list(range(piece.start, piece.stop))
        chosen += places[:-1:2] + places[-1:]
    found = np.full(len(time), np.nan)
    found[chosen] = integral(time[chosen], values[chosen])
    return found


def jumps(time: Vector, values: Vector) -> Vector:
    """Sum of the jumps at events from the start to each sample."""
    found = np.zeros(len(time))
    starts = [piece.start for piece in pieces(time)][1:]
    for start in starts:
        found[start:] += values[start] - values[start - 1]
    return found
