"""A = J M^-1 J^T of few conditions, some of which may depend on others: forces are the smallest that do.

Everything is full and small. It is done by pieces below the size from which BLAS calls threads together, which takes many times
the work where cores are busy; eigenvalues of A would be such work. With a unit diagonal, and up to what is zero, A is G G^T, of
which G has a column for each condition that holds (Cholesky with pivots, LAPACK's dpstrf), and G = Q R: the first columns of Q
span what conditions reach, the others are forces that move nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from locomotor.typing import Floats, Vector

RANK = 1e-11
"""A condition of which less is left (of one, after scaling A to a unit diagonal) beside others depends on them."""

Solve = Callable[[Vector], Vector]


def condensed(J: Floats, M_inverse: Floats) -> tuple[Floats, Floats]:
    """J M^-1 and J M^-1 J^T, body by body."""
    by_body = J.reshape(len(J), -1, 6).transpose(1, 0, 2)
    pushed = by_body @ M_inverse
    A = (pushed @ by_body.transpose(0, 2, 1)).sum(axis=0)
    return pushed.transpose(1, 0, 2).reshape(J.shape), A


def solver(A: Floats, first: int) -> Solve:
    """What solves A x = b as well as it can be solved, by forces of which those from the first row on are the smallest."""
    from scipy.linalg.lapack import dpotrs, dpstrf, dtrtrs

    scale = 1.0 / np.sqrt(np.maximum(np.diag(A), 1e-300))
    factor, order, rank, _ = dpstrf(A * np.outer(scale, scale), tol=RANK, lower=1)
    order = order - 1
    if not np.isfinite(A).all():
        return lambda right: np.full(len(A), np.nan)
    if not rank:
        return lambda right: np.zeros(len(A))
    if rank == len(A):

        def whole(right: Vector) -> Vector:
            found = np.empty(len(A))
            found[order] = dpotrs(factor, (scale * right)[order], lower=1)[0]
            return np.asarray(scale * found)

        return whole
    G = np.empty((len(A), rank))
    G[order] = np.tril(factor)[:, :rank]
    Q, R = np.linalg.qr(G, mode="complete")
    Q, idle, R = Q[:, :rank], scale[:, None] * Q[:, rank:], np.asfortranarray(R[:rank])
    chosen = idle @ np.linalg.pinv(idle[first:])

    def solve(right: Vector) -> Vector:
        reached = dtrtrs(R, Q.T @ (scale * right))[0]
        found = scale * (Q @ dtrtrs(R, reached, trans=1)[0])
        return np.asarray(found - chosen @ found[first:])

    return solve
