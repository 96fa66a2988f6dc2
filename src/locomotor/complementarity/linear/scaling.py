"""A problem in numbers near 1: rows and columns of M by powers of two, which is exact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from locomotor.complementarity.sizes import APART, PASSES, power, spread
from locomotor.typing import Floats


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


def balanced(M: Floats, *, conjugate: bool) -> tuple[Floats, Floats]:
    """Powers of two for rows and columns, by which each has a largest entry near 1 (Ruiz 2001)."""
    rows, columns = np.ones(len(M)), np.ones(len(M))
    for _ in range(PASSES):
        sizes = np.abs(M) * rows[:, None] * columns
        down, across = sizes.max(axis=1, initial=0.0), sizes.max(axis=0, initial=0.0)
        if conjugate:
            down = across = np.maximum(down, across)
        rows, columns = rows * power(down), columns * power(across)
    return rows, columns


def scaled(M: Floats, q: Floats, *, conjugate: bool = True) -> Scaled:
    """Rows and columns with a largest entry near 1 (Ruiz 2001), and a q with one near 1.

    Where the numbers of q and the couplings keep some unknowns small beside others, each is brought near 1 as well: its column
    is divided by its size and its row multiplied, which keeps the diagonal, and makes no entry larger.

    `conjugate`: rows and columns by the same powers, which keeps a matrix positive semidefinite, copositive or sufficient.
    """
    rows, columns = balanced(M, conjugate=conjugate)
    right = rows * q
    largest = float(np.abs(right).max(initial=0.0))
    size = float(np.exp2(np.floor(np.log2(largest)))) if largest > 0.0 else 1.0
    near, right, columns = M * rows[:, None] * columns, right / size, columns * size
    own = _own_sizes(near, right)
    found = Scaled(near / own[:, None] * own, right / own, columns * own, rows / own)
    if not all(np.isfinite(part).all() for part in found):
        raise FloatingPointError("entries too far apart to be brought near 1")
    return found


def _own_sizes(M: Floats, q: Floats) -> Floats:
    """Powers of two near the size of each unknown; 1 where they are not far apart."""
    one, own = np.ones(len(q)), np.abs(q)
    if not len(q) or own.min() >= APART:
        return one
    sizes = spread(np.abs(M), own)
    if not (sizes > 0.0).any():
        return one
    sizes = np.where(sizes > 0.0, sizes, sizes[sizes > 0.0].min())
    return np.exp2(np.floor(np.log2(sizes))) if sizes.min() < APART * sizes.max() else one


def unscaled(M: Floats, q: Floats) -> Scaled:
    """The problem as it is."""
    return Scaled(M, q, np.ones(len(q)), np.ones(len(q)))
