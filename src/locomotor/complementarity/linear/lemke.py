"""Lemke's complementary pivoting with the lexicographic rule: never cycles, and ends in a solution or on a ray.

w = M z + d z0 + q, with the covering vector d > 0 and the artificial variable z0. Pivots keep w and z complementary but for one
pair until z0 leaves. The lexicographic ratio test takes the part of q that is degenerate for a polynomial in a small
number, so that no basis returns. Cottle, Pang and Stone, The Linear Complementarity Problem (1992), section 4.4
(algorithm 4.4.5) and 4.9; Lemke, Management Science 11 (1965), 681-689.

For matrices that are copositive-plus (positive semidefinite ones, and those of friction among them) a ray means that the
problem has no solution, and the ray is a certificate (theorem 4.4.12). For others it means only that this path found none.
"""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import Found
from locomotor.complementarity.linear.residual import is_certificate
from locomotor.typing import Floats

PIVOT = 1e-11
"""A column's entry below this much of the largest is no pivot."""
TIE = 1e-12
"""Ratios nearer than this are ties."""
REFRESH = 40
"""Pivots after which the tableau is made anew from the problem."""


def _lexicographic_row(tableau: Floats, entering: Floats, basis: list[int], artificial: int) -> int:
    """The row that leaves: the lexicographically smallest of (q, inverse of the basis) / entering; -1 where none can.

    Among rows with equal ratios z0 leaves first: that ends the path at a solution.
    """
    rows = np.flatnonzero(entering > PIVOT * max(1.0, float(np.abs(entering).max())))
    if not len(rows):
        return -1
    n = len(basis)
    for column in (-1, *range(n)):
        ratios = tableau[rows, column] / entering[rows]
        least = ratios.min()
        rows = rows[ratios <= least + TIE * max(1.0, abs(least))]
        if column == -1:
            for row in rows:
                if basis[row] == artificial:
                    return int(row)
        if len(rows) == 1:
            break
    return int(rows[0])


def lemke(M: Floats, q: Floats, *, limit: int, cover: Floats | None = None) -> Found:
    """A solution of w = M z + q, w >= 0, z >= 0, w . z = 0, or a ray."""
    n = len(q)
    if not n or q.min() >= 0.0:
        return Found("solved", np.zeros(n), 0)
    d = np.ones(n) if cover is None else cover
    # Columns w (their block is the inverse of the basis), z, z0, q.
    given = np.hstack([np.eye(n), -M, -d[:, None], q[:, None]])
    artificial = 2 * n
    basis = list(range(n))
    tableau = given.copy()
    # The first pivot makes all rows lexicographically positive: of equal rows the last, as its unit row is the smallest.
    ratios = q / d
    row = int(np.flatnonzero(ratios <= ratios.min())[-1])
    entering = artificial
    for pivots in range(1, limit + 1):
        _pivot(tableau, row, entering)
        leaving, basis[row] = basis[row], entering
        if pivots % REFRESH == 0:
            try:
                tableau = np.linalg.solve(given[:, basis], given)
            except np.linalg.LinAlgError:
                break
        if leaving == artificial:
            return Found("solved", _basic(given, basis), pivots)
        entering = leaving + n if leaving < n else leaving - n
        row = _lexicographic_row(tableau, tableau[:, entering], basis, artificial)
        if row < 0:
            return Found("ray", np.zeros(n), pivots, _ray(M, q, tableau[:, entering], basis, entering))
    return Found("limit", _basic(given, basis), limit)


def _pivot(tableau: Floats, row: int, column: int) -> None:
    tableau[row] /= tableau[row, column]
    others = tableau[:, column].copy()
    others[row] = 0.0
    tableau -= others[:, None] * tableau[row]


def _basic(given: Floats, basis: list[int]) -> Floats:
    """z of a basis, from the problem itself with one step of refinement: the errors of the pivots are gone."""
    n = len(basis)
    B, q = given[:, basis], given[:, -1]
    try:
        x = np.linalg.solve(B, q)
        x += np.linalg.solve(B, q - B @ x)
    except np.linalg.LinAlgError:
        x = np.linalg.lstsq(B, q, rcond=None)[0]
    z = np.zeros(2 * n + 1)
    z[basis] = x
    return np.maximum(z[n : 2 * n], 0.0)


def _ray(M: Floats, q: Floats, column: Floats, basis: list[int], entering: int) -> Floats | None:
    """The z part of the ray, where it is a certificate that no solution exists."""
    n = len(q)
    direction = np.zeros(2 * n + 1)
    direction[basis] = np.maximum(-column, 0.0)
    direction[entering] = 1.0
    y = direction[n : 2 * n]
    return y if is_certificate(M, q, y) else None
