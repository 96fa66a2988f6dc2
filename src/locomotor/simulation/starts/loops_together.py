"""Loops of many instances closed at once, each along the way of `assembly.closed_loops`: on the branch of the nominal pose.

Steps are those of Newton's method without damping; an instance that would need some is left to be started alone. Gaps without
loops are closed by another iteration (`Starts._close_gaps`): as many coordinates move there as there are gaps, chosen once, so
that a start of a batch has the digits of one alone; loops have more of them, and take the smallest step, if it is nearer.
"""

from collections.abc import Callable

import numpy as np

from locomotor.simulation.starts.assembly import BIT, CLOSED, MOST_BITS
from locomotor.typing import Flags, Vector

MET = 1e-12
"""Conditions (m, rad) this small are met: a few round-offs."""
ITERATIONS = 40
LONGEST = 0.5
"""Longest step (rad, m), as in `mechanics.chart.assemble`."""

Look = Callable[[Vector, Vector], Vector]
"""Chart coordinates and free parameters of some instances -> their conditions, or the derivatives of these by the chart."""


def close_together(gaps: Look, slopes: Look, nominal: Vector, wanted: Vector, movable: list[int], free: Vector) -> Flags:
    """Move `wanted` (instances x chart), in place, until loops and gaps are closed; which instances have come there."""
    fixed = [i for i in range(wanted.shape[1]) if i not in movable]
    straight = _open(gaps(wanted, free)) <= CLOSED
    theta = np.tile(nominal, (len(wanted), 1))
    everything = list(range(len(nominal)))
    good = straight | _newton(gaps, slopes, theta, everything, free, ~straight)
    begin = theta[:, fixed]
    far = wanted[:, fixed] - begin
    longest = np.abs(far).max(axis=1, initial=0.0)
    size = np.maximum(np.minimum(BIT / np.maximum(longest, BIT), 1.0), 1.0 / MOST_BITS)
    done = np.where(straight, 1.0, 0.0)
    while (under_way := good & (done < 1.0)).any():
        done = np.where(under_way, np.minimum(done + size, 1.0), done)
        there = np.where(done[:, None] < 1.0, begin + done[:, None] * far, wanted[:, fixed])
        theta[:, fixed] = np.where(under_way[:, None], there, theta[:, fixed])
        good &= ~under_way | _newton(gaps, slopes, theta, movable, free, under_way)
    wanted[~straight] = theta[~straight]
    return good


def _open(left: Vector) -> Vector:
    return np.asarray(np.nan_to_num(np.abs(left), nan=np.inf).max(axis=1, initial=0.0))


def _newton(gaps: Look, slopes: Look, theta: Vector, moving: list[int], free: Vector, which: Flags) -> Flags:
    """The smallest steps that close some instances, in place; which of them are closed."""
    rows = np.flatnonzero(which)
    closed = np.zeros(len(theta), dtype=bool)
    left = gaps(theta[rows], free[rows])
    for _ in range(ITERATIONS):
        met = _open(left) <= MET
        closed[rows[met]] = True
        rows, left = rows[~met], left[~met]
        if not len(rows) or not moving:
            break
        slope = np.nan_to_num(slopes(theta[rows], free[rows])[:, :, moving])
        step = -np.einsum("bij,bj->bi", np.linalg.pinv(slope, rcond=1e-9), left)
        longest = np.abs(step).max(axis=1, keepdims=True, initial=0.0)
        step *= np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))
        tried = theta[rows]
        tried[:, moving] += step
        rest = gaps(tried, free[rows])
        better = np.linalg.norm(rest, axis=1) < np.linalg.norm(left, axis=1)
        closed[rows[~better]] = _open(left[~better]) <= CLOSED
        rows, left = rows[better], rest[better]
        theta[rows] = tried[better]
    closed[rows] |= _open(left) <= CLOSED if len(rows) else False
    return closed
