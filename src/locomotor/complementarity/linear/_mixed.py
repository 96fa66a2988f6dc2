"""Mixed problems: some rows are equations, and their variables have no sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor import checks
from locomotor.complementarity import arguments
from locomotor.complementarity.answer import TOLERANCE, Answer, Residuals, Status
from locomotor.complementarity.linear._lcp import solve
from locomotor.complementarity.linear.residual import measure
from locomotor.errors import ArgumentError
from locomotor.typing import Flags, Floats

CONDITION = 1e-10
"""The equations are eliminated where the smallest singular value of their block is above this much of the largest."""

_square: checks.Check = arguments.square
_vector: checks.Check = arguments.vector


def _rows(value: Any, what: str) -> tuple[int, ...]:
    return tuple(checks.whole(entry, f"{what}, entry {i}") for i, entry in enumerate(checks.entries(value, what)))


@checks.door(matrix=_square, vector=_vector, free=_rows)
def mixed_lcp(matrix: Any, vector: Any, free: Any) -> Answer:
    """Find x with w = M x + q, w_i = 0 for the rows in `free`, and x_i >= 0, w_i >= 0, x_i w_i = 0 for all others.

    The equations are eliminated (Schur complement). Where they are dependent, or some follow from others, each free variable is
    the difference of two that are not negative, and Lemke's method takes the whole.

    Args:
        matrix: M, of shape (n, n).
        vector: q, of shape (n,).
        free: indices of the rows that are equations; the variables of the same indices have no sign.
    """
    n = len(matrix)
    arguments.vector(vector, "mixed_lcp: vector", n, f"a matrix of shape {matrix.shape}")
    for index in free:
        if index >= n:
            raise ArgumentError(f"mixed_lcp: free names row {index}, but the matrix has rows 0 to {n - 1}")
    if len(set(free)) < len(free):
        raise ArgumentError(f"mixed_lcp: free is {checks.shown(free)}; name each row once")
    mask = np.zeros(n, dtype=bool)
    mask[list(free)] = True
    with checks.arithmetic("mixed_lcp"):
        return _solve(matrix, vector, mask)


def _solve(M: Floats, q: Floats, free: Flags) -> Answer:
    A, C, D, B = M[free][:, free], M[free][:, ~free], M[~free][:, free], M[~free][:, ~free]
    a, b = q[free], q[~free]
    sizes = np.linalg.svd(A, compute_uv=False)
    n = len(q)
    if not len(a) or sizes[-1] > CONDITION * sizes[0]:
        solved = np.linalg.solve(A, np.column_stack([C, a]))
        inner = solve(B - D @ solved[:, :-1], b - D @ solved[:, -1])
        x, y = np.zeros(n), None
        x[~free] = inner.solution
        x[free] = -solved[:, :-1] @ inner.solution - solved[:, -1]
        if inner.certificate is not None:
            y = np.zeros(n)
            y[~free] = inner.certificate
            y[free] = -np.linalg.solve(A.T, D.T @ inner.certificate)
        return _answer(M, q, free, inner, x, y)
    whole = np.block([[A, -A, C], [-A, A, -C], [D, -D, B]])
    inner = solve(whole, np.concatenate([a, -a, b]))
    m = len(a)

    def joined(v: Floats) -> Floats:
        x = np.zeros(n)
        x[free], x[~free] = v[:m] - v[m : 2 * m], v[2 * m :]
        return x

    y = None if inner.certificate is None else joined(inner.certificate)
    return _answer(M, q, free, inner, joined(inner.solution), y)


def _answer(M: Floats, q: Floats, free: Flags, inner: Answer, x: Floats, y: Floats | None) -> Answer:
    """The answer to the mixed problem, measured on it."""
    if inner.status == "ray":
        lost, nan = np.full(len(q), np.nan), float("nan")
        return Answer("ray", inner.method, lost, lost, nan, Residuals(nan, nan, nan), inner.iterations, inner.proof, y)
    w = M @ x + q
    size = float((np.abs(M) @ np.abs(x) + np.abs(q)).max(initial=0.0)) or 1.0
    equations = float(np.abs(w[free]).max(initial=0.0)) / size
    signed = ~free
    _, natural, parts = measure(M[signed][:, signed], q[signed] + M[signed][:, free] @ x[free], x[signed])
    residual = max(natural, equations)
    status: Status = "solved" if residual <= TOLERANCE else "limit"
    parts = parts._replace(slack=max(parts.slack, equations))
    return Answer(status, inner.method, x, w, residual, parts, inner.iterations)
