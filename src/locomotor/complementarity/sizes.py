"""How large the unknowns of each row are: apart from each other, rows are judged on scales of their own."""

from __future__ import annotations

import numpy as np

from locomotor.typing import Floats

PASSES = 3
APART = 1e-6
"""Problems whose sizes differ by no more than this are taken on one scale."""


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
