"""Mixed problems: some rows are equations, and their variables have no sign."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.complementarity import arguments
from locomotor.complementarity.answer import TOLERANCE, Answer, Residuals, Status
from locomotor.complementarity.linear._lcp import solve
from locomotor.complementarity.linear.elimination import eliminated
from locomotor.complementarity.linear.residual import is_certificate, measure
from locomotor.complementarity.linear.scaling import balanced
from locomotor.errors import ArgumentError
from locomotor.typing import Flags, Floats

_square: checks.Check = arguments.square
_vector: checks.Check = arguments.vector


def _rows(value: Any, what: str) -> tuple[int, ...]:
    return tuple(checks.whole(entry, f"{what}, entry {i}") for i, entry in enumerate(checks.entries(value, what)))


@checks.door(matrix=_square, vector=_vector, free=_rows)
def mixed_lcp(matrix: Any, vector: Any, free: Any) -> Answer:
    """Find x with w = M x + q, w_i = 0 for the rows in `free`, and x_i >= 0, w_i >= 0, x_i w_i = 0 for all others.

    The equations are eliminated (Schur complement). Of those that depend on others, and of the free variables that they leave
    open, each is taken for two that are not negative.

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
    rows, columns = balanced(M, conjugate=False)
    near, right = M * rows[:, None] * columns, q * rows
    left = eliminated(near, right, free)
    inner = solve(left.M, left.q)
    x, y = left.unknowns(inner.solution) * columns, None
    if inner.status != "ray" and not np.isfinite(x).all():
        raise FloatingPointError("numbers beyond the largest one")
    if inner.certificate is not None:
        y = left.certificate(inner.certificate)
        y = y * rows if _proves(near, right, free, y) else None
    # A certificate is looked at in the given problem; all sets of what is left are no proof where digits are lost.
    proof = inner.proof if y is not None or (inner.proof == "enumeration" and left.clear) else ""
    return _answer(M, q, free, replace(inner, proof=proof), x, y)


def _proves(M: Floats, q: Floats, free: Flags, y: Floats) -> bool:
    """Whether y is a certificate; equations may be taken with either sign, and free variables are two that have one."""
    sign = np.where(free & (y < 0.0), -1.0, 1.0)
    return is_certificate(sign[:, None] * np.hstack([M, -M[:, free]]), sign * q, sign * y)


def _answer(M: Floats, q: Floats, free: Flags, inner: Answer, x: Floats, y: Floats | None) -> Answer:
    """The answer to the mixed problem, measured on it."""
    if inner.status == "ray":
        lost, nan = np.full(len(q), np.nan), float("nan")
        return Answer("ray", inner.method, lost, lost, nan, Residuals(nan, nan, nan), inner.iterations, inner.proof, y)
    w, residual, parts = measure(M, q, x, free)
    status: Status = "solved" if residual <= TOLERANCE else "limit"
    return Answer(status, inner.method, x, w, residual, parts, inner.iterations)
