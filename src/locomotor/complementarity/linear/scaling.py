"""A problem in numbers near 1: rows and columns of M by powers of two, which is exact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from locomotor.typing import Floats

PASSES = 3


class Scaled(NamedTuple):
    """M' = R M C and q' = R q / s: z = s C z' solves the given problem where z' solves this one."""

    M: Floats
    q: Floats
    columns: Floats
    rows: Floats

    def back(self, z: Floats) -> Floats:
        """The solution of the problem as it was given."""
        return z * self.columns

    def certificate(self, y: Floats) -> Floats:
        """The certificate of the problem as it was given."""
        return y * self.rows


def _power(size: Floats) -> Floats:
    """The power of two nearest to 1 / sqrt(size); 1 where the size is zero."""
    return np.exp2(-np.round(0.5 * np.log2(np.where(size > 0.0, size, 1.0))))


def scaled(M: Floats, q: Floats, *, conjugate: bool = True) -> Scaled:
    """Rows and columns with a largest entry near 1 (Ruiz 2001), and a q with one near 1.

    `conjugate`: rows and columns by the same powers, which keeps a matrix positive semidefinite, copositive or sufficient.
    """
    rows, columns = np.ones(len(q)), np.ones(len(q))
    for _ in range(PASSES):
        sizes = np.abs(M) * rows[:, None] * columns
        down, across = sizes.max(axis=1, initial=0.0), sizes.max(axis=0, initial=0.0)
        if conjugate:
            down = across = np.maximum(down, across)
        rows, columns = rows * _power(down), columns * _power(across)
    right = rows * q
    largest = float(np.abs(right).max(initial=0.0))
    size = float(np.exp2(np.floor(np.log2(largest)))) if largest > 0.0 else 1.0
    found = Scaled(M * rows[:, None] * columns, right / size, columns * size, rows)
    if not all(np.isfinite(part).all() for part in found):
        raise FloatingPointError("entries too far apart to be brought near 1")
    return found


def unscaled(M: Floats, q: Floats) -> Scaled:
    """The problem as it is."""
    return Scaled(M, q, np.ones(len(q)), np.ones(len(q)))
