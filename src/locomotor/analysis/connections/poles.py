"""Where a path meets a pole: zeros of a size along it, those between the instants of a survey included.

A size (of the smallest singular value) is never negative, and where the constraints lose a rank it touches zero: like |t - t0|
where a determinant changes sign, like (t - t0)^2 where it does not. No survey hits such an instant, so each dip that may reach
zero is followed to its bottom.
"""

from collections.abc import Callable

import numpy as np

from locomotor.typing import Floats

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
SHRINKINGS = 90
"""A bracket of a survey shrinks to round-off: 0.618^90 is 1e-19."""
STEEPNESS = 2.0
"""A dip reaches zero between two instants only if its value is below its change to a neighbour; this leaves room for curves."""


def lowest(size: Callable[[Floats], Floats], times: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Instants of the dips of a size that may reach zero, in order, and the sizes there.

    `sizes` are those at the `times` of a survey, and `size(times)` gives further ones. Without any such dip the lowest instant
    of the survey is returned.
    """
    padded = np.concatenate([[np.inf], sizes, [np.inf]])
    before, after = padded[:-2], padded[2:]
    dips = np.flatnonzero((sizes <= before) & (sizes <= after))
    edges = np.concatenate([[0.0], np.abs(np.diff(sizes)), [0.0]])
    slopes = np.maximum(edges[:-1], edges[1:])[dips]
    dips = dips[sizes[dips] <= STEEPNESS * slopes]
    if not dips.size:
        at = int(sizes.argmin())
        return times[[at]], sizes[[at]]
    low, high = times[np.maximum(dips - 1, 0)], times[np.minimum(dips + 1, len(times) - 1)]
    found, found_sizes = _bottom(size, low, high)
    # The survey's own instants count too: a bracket with two dips leads to one of them.
    better = sizes[dips] < found_sizes
    return np.where(better, times[dips], found), np.minimum(sizes[dips], found_sizes)


def _bottom(size: Callable[[Floats], Floats], low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Golden-section search in many brackets at once (J. Kiefer, Sequential minimax search for a maximum, 1953)."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = size(left), size(right)
    for _ in range(SHRINKINGS):
        lower = at_left <= at_right
        low, high = np.where(lower, low, left), np.where(lower, right, high)
        kept, at_kept = np.where(lower, left, right), np.where(lower, at_left, at_right)
        new = np.where(lower, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        at_new = size(new)
        left, at_left = np.where(lower, new, kept), np.where(lower, at_new, at_kept)
        right, at_right = np.where(lower, kept, new), np.where(lower, at_kept, at_new)
        if (high - low <= 4.0 * np.finfo(float).eps * (1.0 + np.abs(low))).all():
            break
    lower = at_left <= at_right
    return np.where(lower, left, right), np.where(lower, at_left, at_right)
