"""Moments against rolling in an impact: what resists rolling by the moment r N does so by r L_N while an impulse L_N lasts.

    |m| <= r L_N,  and at its bound against w+ if that is not 0          (docs/theory.md (Q8))

w+ is the turning along the ground after the impact. The moments and the impulses of the contacts depend on each other: each is
found with the other given, in turn, until neither changes.
"""

from collections.abc import Callable, Sequence

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.typing import Vector

ROUNDS = 500
"""Turns that are taken. Moments are small beside the impulses that they follow: a few dozen do."""
SETTLED = 1e-14
"""Moments that change by less than this share are found."""
HALVINGS = 200


@dataclass(frozen=True, eq=False)
class Resistance:
    """What resists rolling among the rows of an impact: two rows, the row of its normal, and its arm (m)."""

    rows: tuple[int, int]
    normal: int
    arm: float


def with_moments(
    W: Vector, free: Vector, resisting: Sequence[Resistance], contacts: Callable[[Vector], Vector | None]
) -> Vector | None:
    """Impulses of all rows; `contacts` finds those of the contacts from velocities without them, or None."""
    moments = np.zeros(len(free))
    for _ in range(ROUNDS):
        impulses = contacts(free + W @ moments)
        if impulses is None:
            return None
        before = moments.copy()
        for one in resisting:
            rows = list(one.rows)
            turning = free[rows] + W[rows] @ (impulses + moments) - W[np.ix_(rows, rows)] @ moments[rows]
            moments[rows] = braking_moment(W[np.ix_(rows, rows)], turning, one.arm * max(float(impulses[one.normal]), 0.0))
        if np.abs(moments - before).max() <= SETTLED * max(np.abs(moments).max(), 1e-300):
            return np.asarray(impulses + moments)
    return None


def braking_moment(W: Vector, w: Vector, bound: float) -> Vector:
    """The moment m, within a bound, that stops a turning w + W m, or brakes it by all it has."""
    values, vectors = np.linalg.eigh(W)
    values, along = np.maximum(values, 0.0), vectors.T @ w
    able = values > 1e-12 * values.max(initial=0.0)
    if bound == 0.0 or not able.any():
        return np.zeros(len(w))
    stops = np.where(able, -along / np.where(able, values, 1.0), 0.0)
    if float(np.linalg.norm(stops)) <= bound:
        return np.asarray(vectors @ stops)
    # (W + s) m = -w with s = |w+|/|m| grows shorter with s.
    low, high = 0.0, float(np.linalg.norm(along)) / bound
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        long = float(np.linalg.norm(np.where(able, along / (values + middle), 0.0))) > bound
        low, high = (middle, high) if long else (low, middle)
        if high - low <= 1e-16 * high:
            break
    return np.asarray(vectors @ np.where(able, -along / (values + high), 0.0))
