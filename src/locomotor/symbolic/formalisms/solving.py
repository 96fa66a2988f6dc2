"""Four ways to solve M q'' = S + C^T lambda, C q'' = c for accelerations and multipliers, on plain matrices.

Llibre 2009, 2.2.10, with its faults mended: the matrix of the whole system is symmetric but indefinite, so that Cholesky's
method fails on it; the multipliers of the Schur complement are (C M^-1 C^T)^-1 (c - C M^-1 S); the reduced velocities of the
fourth give accelerations C^+ c + N y, which are to be integrated themselves: the rate of a kernel N that is found anew at each
instant is unknown, and velocities integrated along it never converge.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from locomotor.checks import choice, door, floats
from locomotor.errors import NumericsError
from locomotor.typing import Floats, Vector

Answer = tuple[Any, Any]
RANK = 1e-12


def _direct(M: Floats, C: Floats, S: Vector, c: Vector) -> Answer:
    """The whole system at once, by its factors L D L^T (symmetric, indefinite)."""
    import scipy.linalg

    n, m = len(M), len(C)
    whole = np.block([[M, C.T], [C, np.zeros((m, m))]])
    found = scipy.linalg.solve(whole, np.concatenate([S, c]), assume_a="sym")
    return found[:n], -found[n:]


def _schur(M: Floats, C: Floats, S: Vector, c: Vector) -> Answer:
    """Accelerations with the multipliers solved first, by the Schur complement."""
    inverse = np.linalg.solve(M, np.column_stack([C.T, S]))
    lam = np.linalg.solve(C @ inverse[:, :-1], c - C @ inverse[:, -1])
    return inverse[:, -1] + inverse[:, :-1] @ lam, lam


def _null_space(M: Floats, C: Floats, S: Vector, c: Vector) -> Answer:
    """N^T M q'' = N^T S beside C q'' = c; multipliers from the equations that are left."""
    N = kernel(C)
    q = np.linalg.solve(np.vstack([N.T @ M, C]), np.concatenate([N.T @ S, c]))
    return q, np.linalg.lstsq(C.T, M @ q - S, rcond=None)[0]


def _reduced(M: Floats, C: Floats, S: Vector, c: Vector) -> Answer:
    """q'' = C^+ c + N y by singular values."""
    N, least = kernel(C), np.linalg.pinv(C, rcond=RANK) @ c
    q = least + N @ np.linalg.solve(N.T @ M @ N, N.T @ (S - M @ least))
    return q, np.linalg.lstsq(C.T, M @ q - S, rcond=None)[0]


METHODS: dict[str, Callable[[Floats, Floats, Vector, Vector], Answer]] = {
    "direct": _direct,
    "schur": _schur,
    "null space": _null_space,
    "reduced": _reduced,
}


def kernel(C: Floats) -> Floats:
    """An orthonormal basis of the velocities that violate no row."""
    _, sizes, V = np.linalg.svd(C)
    rank = int((sizes > RANK * max(sizes.max(initial=0.0), 1e-300)).sum())
    return np.asarray(V[rank:].T, dtype=float)


_finite = partial(floats, finite=True)


@door(M=_finite, C=_finite, S=_finite, c=_finite, method=choice(*METHODS))
def solve_constrained(M: Floats, C: Floats, S: Vector, c: Vector, *, method: str = "direct") -> tuple[Vector, Vector]:
    """Accelerations q'' and multipliers with M q'' = S + C^T lambda and C q'' = c, by one of four methods.

    `method` is "direct", "schur", "null space" or "reduced". M is symmetric and positive definite, rows of C are independent.
    Rows that depend on others and agree with them are for "reduced" alone, whose multipliers are then the smallest that do.
    """
    n = S.size
    if S.ndim != 1 or c.ndim != 1 or M.shape != (n, n) or C.shape != (c.size, n):
        raise NumericsError(
            f"solve_constrained: M is {M.shape}, C {C.shape}, S {S.shape} and c {c.shape}; give n x n, m x n, n and m numbers"
        )
    if not len(c):
        return np.asarray(np.linalg.solve(M, S), dtype=float), np.zeros(0)
    try:
        return METHODS[method](M, C, S, c)
    except np.linalg.LinAlgError as error:
        raise NumericsError(
            f"solve_constrained: {error}; M must be positive definite and the rows of C independent of each other; "
            "of rows that depend on each other the method 'reduced' takes what they say together"
        ) from error
