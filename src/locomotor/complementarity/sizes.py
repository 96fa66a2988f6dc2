"""How large the unknowns of each row are: apart from each other, rows are judged on scales of their own."""

from __future__ import annotations

import numpy as np

from locomotor.typing import Floats

CANCELLED = 1e-3
"""Numbers whose total is less than this share of them cancel."""
PASSES = 3
APART = 1e-6
"""Problems whose sizes differ by no more than this are taken on one scale."""
AMPLIFIED = 1e4
"""Numbers larger than what q makes of them by more than this are excused for their round-off alone."""
LOST = 1e13
"""Numbers larger than what q makes of them by this share leave nothing of it to be judged."""


def power(size: Floats) -> Floats:
    """The power of two nearest to 1 / sqrt(size); 1 where the size is zero."""
    return np.exp2(-np.round(0.5 * np.log2(np.where(size > 0.0, size, 1.0))))


def conjugate(sizes: Floats) -> Floats:
    """Powers of two by which rows and columns have a largest entry near 1 (Ruiz 2001); `sizes` are absolute values."""
    by = np.ones(len(sizes))
    for _ in range(PASSES):
        now = sizes * by[:, None] * by
        by = by * power(np.maximum(now.max(axis=1, initial=0.0), now.max(axis=0, initial=0.0)))
    return by


def spread(sizes: Floats, own: Floats) -> Floats:
    """The size of each unknown: its own, or what the others make of it through the matrix, whichever is larger.

    `sizes` are the absolute entries of a matrix brought near 1. An unknown that hardly feels a large one, or not at all, stays
    small: what is round-off beside the large one may be all there is of it.
    """
    largest = np.maximum(sizes.max(axis=1, initial=0.0), sizes.max(axis=0, initial=0.0))
    share = sizes / np.where(largest > 0.0, largest, 1.0)[:, None]
    now = own
    for _ in range(len(own)):
        ahead = np.maximum(now, (share * now).max(axis=1, initial=0.0))
        if (ahead == now).all():
            break
        now = ahead
    return now


def excused(numbers: Floats, made: Floats, noise: float) -> Floats:
    """Sizes beside which errors are small: that of the numbers, but not without bound where q makes them much smaller.

    Forces that hardly change anything can grow until every error is nothing beside them, though no forces at all are a
    solution. Beyond what is `made` of q it is their round-off that is excused, `noise` of them, and no more. Where q makes
    nothing at all any size is as good.
    """
    return np.where(made > 0.0, np.minimum(numbers, AMPLIFIED * made + noise * numbers), numbers)


def lost(numbers: Floats, made: Floats, total: Floats) -> bool:
    """Whether numbers that cancel are so large that the round-off of their total hides q."""
    return bool(((made > 0.0) & (numbers > LOST * made) & (np.abs(total) < CANCELLED * numbers)).any())
