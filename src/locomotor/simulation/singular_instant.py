"""When a run that ends at a singular shape would have been there.

The steps next to such a shape are not to be trusted: the velocities that follow from the independent ones grow as the pivot
vanishes. The motion itself is smooth, and so is the pivot p(t) that passes zero (the smallest of several is not). Steps at a
distance from it are made again, and the instant is the zero of the polynomial through this pivot.
"""

import math

import numpy as np

from locomotor.mechanics import WATCH
from locomotor.simulation.ends import Roll
from locomotor.simulation.singular import COMFORTABLE, Piece, margins, pivots
from locomotor.simulation.status import Event
from locomotor.typing import Vector

AWAY = 0.1
"""Pivots at least this large, relative to the largest of the stretch that is looked at, belong to steps that are trusted."""
STEPS = 64
MOST_STEPS = 4096
POINTS = 12
"""Through so many points the polynomial goes at most, and it needs at least FEWEST of them."""
FEWEST = 4


def instant(piece: Piece, end_time: float, roll: Roll, step: float) -> float | None:
    """The instant near the end of a run at which the pivots of a piece vanish; None where its steps do not tell."""
    all_margins = margins(piece, slice(None))
    far = np.flatnonzero(all_margins >= 2.0 * COMFORTABLE)
    first = int(far[-1]) if len(far) else 0
    t, x = float(piece.times[first]), piece.states[first]
    span = end_time - t
    if not span > 0.0:
        return None
    count = min(max(STEPS, math.ceil(span / step) if math.isfinite(step) else STEPS), MOST_STEPS)
    states = roll(t, x, count, span / count)
    times = t + span / count * np.arange(len(states), dtype=np.float64)
    sizes = pivots(piece, times, states) + WATCH
    whole = np.flatnonzero(np.isfinite(sizes).all(axis=1))
    found = vanishing(times, sizes[:, int(sizes[whole[-1]].argmin())]) if len(whole) else None
    return None if found is None or found > end_time + 0.5 * span else found


def vanishing(times: Vector, sizes: Vector) -> float | None:
    """Where a size that shrinks vanishes, seen from where it is large; None where it does not shrink steadily."""
    small = np.flatnonzero(~(sizes >= AWAY * np.nan_to_num(sizes, nan=0.0).max(initial=0.0)))
    last = int(small[0]) if len(small) else len(sizes)
    begin = last - 1
    while begin > 0 and sizes[begin - 1] > sizes[begin]:
        begin -= 1
    places = np.unique(np.linspace(begin, last - 1, POINTS).round().astype(int)) if last else np.zeros(0, int)
    if len(places) < FEWEST:
        return None
    found, shorter = (_zero(times[chosen], sizes[chosen]) for chosen in (places, places[1:]))
    span = float(times[places[-1]] - times[places[0]])
    return found if found is not None and shorter is not None and abs(found - shorter) < 1e-3 * span else None


def _zero(times: Vector, sizes: Vector) -> float | None:
    """The first zero, behind the last of some instants, of the polynomial through the sizes at all of them."""
    polynomial = np.polynomial.Chebyshev.fit(times, sizes, len(times) - 1)
    roots = [float(root.real) for root in polynomial.roots() if abs(root.imag) < 1e-9 and root.real > times[-1]]
    return min(roots, default=None)


def singular(time: float) -> Event:
    """The event of a singular shape."""
    words = "the constraints no longer determine the motion; it may go on along more than one branch"
    return Event(time, "singular", words, kind="singular")
