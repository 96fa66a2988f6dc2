"""Pivots of one, two or three rows at once.

A loop turns all the way round, and on the way each single entry of its rows vanishes somewhere; the determinant of two or three
rows vanishes only where the mechanism itself is singular. So the rows of one closure that belong together are eliminated as a
block, by Cramer's rule, which needs no choice of an order.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from locomotor.lie import ops

LARGEST = 3
"""Rows of a block at most."""


class Block(Protocol):
    """The square matrix A of some rows in their own columns."""

    @property
    def value(self) -> Any:
        """Its determinant: what must stay away from zero."""

    def solve(self, right: Sequence[Any]) -> list[Any]:
        """x with A x = right."""

    def solve_left(self, right: Sequence[Any]) -> list[Any]:
        """x with A^T x = right."""


def block_of(matrix: Sequence[Sequence[Any]]) -> Block:
    """The block of a matrix with up to three rows."""
    return _Single(matrix[0][0]) if len(matrix) == 1 else _Cramer(matrix)


class _Single:
    def __init__(self, pivot: Any) -> None:
        self.value = pivot

    def solve(self, right: Sequence[Any]) -> list[Any]:
        """Solution with one row: the quotient."""
        return [divided(right[0], self.value)]

    solve_left = solve


class _Cramer:
    """Rows of the adjugate over the determinant."""

    def __init__(self, matrix: Sequence[Sequence[Any]]) -> None:
        self._adjugate = _adjugate(matrix)
        self.value: Any = sum((_times(a, self._adjugate[k][0]) for k, a in enumerate(matrix[0])), 0.0)

    def solve(self, right: Sequence[Any]) -> list[Any]:
        """By Cramer's rule."""
        return [self._combined(row, right) for row in self._adjugate]

    def solve_left(self, right: Sequence[Any]) -> list[Any]:
        """Solution with the transposed matrix, by Cramer's rule."""
        return [self._combined([row[k] for row in self._adjugate], right) for k in range(len(right))]

    def _combined(self, row: Sequence[Any], right: Sequence[Any]) -> Any:
        total: Any = 0.0
        for a, b in zip(row, right, strict=True):
            total = total + _times(a, b)
        return 0.0 if ops.is_zero(total) else total / self.value


def _adjugate(matrix: Sequence[Sequence[Any]]) -> list[list[Any]]:
    if len(matrix) == 2:
        (a, b), (c, d) = matrix
        return [[d, -b], [-c, a]]
    found: list[list[Any]] = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            # Cyclic minors have their sign already.
            (p, q), (r, s) = ([matrix[(i + k) % 3][(j + n) % 3] for n in (1, 2)] for k in (1, 2))
            found[j][i] = _times(p, s) - _times(q, r)
    return found


def _times(a: Any, b: Any) -> Any:
    return 0.0 if ops.is_zero(a) or ops.is_zero(b) else a * b


def divided(a: Any, b: Any) -> Any:
    """The quotient; dividing by a plain one costs nothing."""
    return a if not ops.is_symbolic(b) and b == 1.0 else a / b
