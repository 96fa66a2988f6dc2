"""Equations of a mixed problem eliminated as far as they are independent.

With A = U S V^T the block of the equations in the free variables, X = A^+ [C, a] and Y = D A^+, the free variables are
x = -X (z, 1) + V2 t, where V2 are those that no equation determines, and there remain

    U2^T (C z + a) = 0,    w = (B - D X_C) z + (b - D X_a) + D V2 t,

the equations that depend on others, and the rows that have a sign.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from locomotor.typing import Flags, Floats

RANK = 1e-12
"""Singular values below this much of the largest are zero."""
ROUND_OFF = 1e-14
"""Differences below this share of the absolute terms that they are made of are zero: a row that follows from the equations
would decide by its last bits, since rows of small numbers count as much as others."""

BLURRED = 1e-6
"""Rows that are less than this share of their terms prove nothing by what is left of them."""


class Left(NamedTuple):
    """A problem without equations: two rows and two unknowns for each that could not be eliminated, then those with a sign."""

    M: Floats
    q: Floats
    free: Flags
    X: Floats
    Y: Floats
    open: Floats
    """Columns V2: what free variables may be beside X."""
    dependent: Floats
    """Columns U2: combinations of the equations without free variables."""
    clear: bool
    """Whether no row is so small beside the terms it is a difference of that its digits may be lost."""

    def unknowns(self, v: Floats) -> Floats:
        """Those of the given problem."""
        k = self.open.shape[1]
        x = np.zeros(len(self.free))
        x[~self.free] = v[2 * k :]
        z, t = np.append(v[2 * k :], 1.0), v[:k] - v[k : 2 * k]
        x[self.free] = _cleared(self.open @ t - self.X @ z, np.abs(self.open) @ np.abs(t) + np.abs(self.X) @ np.abs(z))
        return x

    def certificate(self, v: Floats) -> Floats:
        """That of the given problem."""
        k = self.dependent.shape[1]
        y = np.zeros(len(self.free))
        y[~self.free] = v[2 * k :]
        z, t = v[2 * k :], v[:k] - v[k : 2 * k]
        terms = np.abs(self.dependent) @ np.abs(t) + np.abs(self.Y.T) @ z
        y[self.free] = _cleared(self.dependent @ t - self.Y.T @ z, terms.max(initial=0.0))
        return y


def eliminated(M: Floats, q: Floats, free: Flags) -> Left:
    """What is left of w = M x + q with w = 0 in the rows of free variables; rows and columns have entries near 1."""
    A, D = M[free][:, free], M[~free][:, free]
    C, B = np.column_stack([M[free][:, ~free], q[free]]), np.column_stack([M[~free][:, ~free], q[~free]])
    left, sizes, right = np.linalg.svd(A)
    rank = int((sizes > RANK * sizes.max(initial=0.0)).sum())
    U1, U2, V1, V2 = left[:, :rank], left[:, rank:], right[:rank].T, right[rank:].T
    V1 = V1 / sizes[:rank]
    X = _cleared(V1 @ (U1.T @ C), np.abs(V1) @ (np.abs(U1.T) @ np.abs(C)))
    Y = _cleared(D @ V1 @ U1.T, np.abs(D) @ np.abs(V1) @ np.abs(U1.T))
    # Round-off of M makes errors of the size of Y |A| X, and of what the numbers themselves are.
    reach_x, reach_y = np.abs(C) + np.abs(A) @ np.abs(X), np.abs(D) + np.abs(Y) @ np.abs(A)
    terms = np.abs(B) + np.abs(D) @ np.abs(X) + np.abs(Y) @ reach_x
    rest = _cleared(B - D @ X, terms)
    largest = np.abs(rest).max(axis=1)
    clear = bool(((largest == 0.0) | (largest > BLURRED * terms.max(axis=1))).all())
    # Zeros of U2 and V2 are round-off of 1.
    over, under = _cleared(U2.T @ C, reach_x.sum(axis=0)), _cleared(D @ V2, reach_y.sum(axis=1)[:, None])
    kept = (over != 0.0).any(axis=1) | (under != 0.0).any(axis=0)
    over, under, U2, V2 = over[kept], under[:, kept], U2[:, kept], V2[:, kept]
    none = np.zeros((2 * len(over), 2 * len(over)))
    whole = np.block([[none, np.vstack([over, -over])], [under, -under, rest]])
    return Left(whole[:, :-1], whole[:, -1], free, X, Y, V2, U2, clear)


def _cleared(values: Floats, terms: Any) -> Floats:
    """Differences without those that are round-off of their terms."""
    return np.where(np.abs(values) > ROUND_OFF * terms, values, 0.0)
