"""Kernel of the constraints by elimination with pivots that are chosen once, safely, and then fixed.

Pivots are chosen on numbers: the constraint matrix at the nominal pose and at a sample of poses around it. A pivot must
be large on all of them, so that none vanishes at the upright pose as in the published elimination order of the bicycle
(spec 000-ch2 section 3.4). The elimination itself runs on symbols, along the chosen pivots, so that the kernel is
straight-line code. The pivots are handed out to be watched at run time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.lie import ops

Array = Any

ACCEPTABLE = 0.1
"""A pivot may be this much smaller than the best available one, for the sake of sparsity."""
ROUND_OFF = 1e-9


@dataclass(frozen=True)
class Pivots:
    """An elimination order: row and column of each step; what is left over is independent or redundant."""

    steps: tuple[tuple[int, int], ...]
    independent: tuple[int, ...]
    redundant_rows: tuple[int, ...]
    sizes: tuple[float, ...]
    """Size of each pivot at the nominal pose, the reference for watching it."""
    signs: tuple[float, ...] = ()


def choose_pivots(samples: NDArray[np.float64], keep: Sequence[int] = (), never: Sequence[int] = ()) -> Pivots:
    """Choose pivots for a stack (samples, rows, columns) of constraint matrices, nominal pose first.

    Columns in `keep` are wanted as independent and are used as pivots only when nothing else is left; columns in
    `never` are imposed motions and stay independent always.
    """
    work = np.array(samples, dtype=float)
    _, m, n = work.shape
    scale = float(np.abs(work).max()) or 1.0
    rows, columns = list(range(m)), [j for j in range(n) if j not in set(never) | set(keep)]
    reserve = [j for j in keep if j not in never]
    steps: list[tuple[int, int]] = []
    sizes: list[float] = []
    signs: list[float] = []
    while rows:
        live = [i for i in rows if np.abs(work[:, i, :]).max() > ROUND_OFF * scale]
        if not live:
            break
        strength = _strength(work, live, columns)
        if not columns or strength.max() < 1e-3:
            if not reserve:
                break
            columns.append(reserve.pop())
            continue
        r, c = _sparsest(work, live, columns, strength, scale)
        i, j = live[r], columns[c]
        sizes.append(float(abs(work[0, i, j])))
        signs.append(float(np.sign(work[0, i, j])))
        steps.append((i, j))
        rows.remove(i)
        columns.remove(j)
        for other in rows:
            factor = work[:, other, j] / work[:, i, j]
            work[:, other, :] -= factor[:, None] * work[:, i, :]
            work[:, other, j] = 0.0
    used = {j for _, j in steps}
    return Pivots(tuple(steps), tuple(j for j in range(n) if j not in used), tuple(sorted(rows)), tuple(sizes), tuple(signs))


def _strength(work: NDArray[np.float64], rows: list[int], columns: list[int]) -> NDArray[np.float64]:
    """Smallest size of each candidate over the samples, relative to its row."""
    if not columns:
        return np.zeros((len(rows), 0))
    part = np.abs(work[:, rows][:, :, columns])
    whole = np.abs(work[:, rows]).max(axis=2)
    return np.asarray((part / np.maximum(whole, 1e-300)[:, :, None]).min(axis=0))


def _sparsest(
    work: NDArray[np.float64], rows: list[int], columns: list[int], strength: NDArray[np.float64], scale: float
) -> tuple[int, int]:
    """Markowitz: among acceptable pivots the one that fills in least; exact ones first (no division)."""
    filled = np.abs(work[:, rows]).max(axis=0) > ROUND_OFF * scale
    in_row = filled.sum(axis=1)
    in_column = filled[:, columns].sum(axis=0)
    part = work[:, rows][:, :, columns]
    unit = np.all(part == 1.0, axis=0)
    best = strength.max()
    candidates = [
        ((in_row[r] - 1) * (in_column[c] - 1), not unit[r, c], -strength[r, c], r, c)
        for r in range(len(rows))
        for c in range(len(columns))
        if strength[r, c] >= ACCEPTABLE * best
    ]
    *_, r, c = min(candidates)
    return r, c


class Elimination:
    """Symbolic (or numeric) elimination of a constraint matrix along fixed pivots."""

    def __init__(self, matrix: Array, pivots: Pivots) -> None:
        """Eliminate; entries that are exactly zero cost nothing."""
        m, n = matrix.shape
        rows: list[list[Any]] = [[matrix[i, j] for j in range(n)] for i in range(m)]
        self.pivots = pivots
        self._size = n
        self._factors: list[dict[int, Any]] = []
        pending = [i for i, _ in pivots.steps]
        for i, j in pivots.steps:
            pending.remove(i)
            factors: dict[int, Any] = {}
            for other in pending:
                if ops.is_zero(rows[other][j]):
                    continue
                factor = _divide(rows[other][j], rows[i][j])
                factors[other] = factor
                for c in range(n):
                    if c == j:
                        rows[other][c] = 0.0
                    elif not ops.is_zero(rows[i][c]):
                        rows[other][c] = rows[other][c] - factor * rows[i][c]
            self._factors.append(factors)
        self._rows = rows

    @property
    def pivot_values(self) -> list[Any]:
        """The pivots at this configuration."""
        return [self._rows[i][j] for i, j in self.pivots.steps]

    def kernel(self) -> Array:
        """H with C H = 0 and the identity on the independent rows."""
        free = self.pivots.independent
        return ops.columns(*(self._back_substitute({j: 1.0 if j == f else 0.0 for j in free}, {}) for f in free))

    def particular(self, right_side: Array) -> Array:
        """k with C k = right_side and zero on the independent rows."""
        b: dict[int, Any] = {i: right_side[i] for i, _ in self.pivots.steps}
        for (i, _), factors in zip(self.pivots.steps, self._factors, strict=True):
            for other, factor in factors.items():
                b[other] = b[other] - factor * b[i]
        return self._back_substitute(dict.fromkeys(self.pivots.independent, 0.0), b)

    def multipliers(self, force: Array) -> Array:
        """Lambda with (C^T lambda) = force on the pivot columns; zero for redundant rows."""
        reduced: dict[int, Any] = {}
        for i, j in self.pivots.steps:
            total = force[j]
            for other, value in reduced.items():
                total = total - self._rows[other][j] * value
            reduced[i] = _divide(total, self._rows[i][j])
        found: dict[int, Any] = {}
        for (i, _), factors in reversed(list(zip(self.pivots.steps, self._factors, strict=True))):
            total = reduced[i]
            for other, factor in factors.items():
                total = total - factor * found[other]
            found[i] = total
        return ops.vector(*(found.get(i, 0.0) for i in range(len(self._rows))))

    def _back_substitute(self, known: dict[int, Any], right_side: dict[int, Any]) -> Array:
        x = dict(known)
        for i, j in reversed(self.pivots.steps):
            total: Any = right_side.get(i, 0.0)
            for c, value in x.items():
                if not ops.is_zero(self._rows[i][c]) and not ops.is_zero(value):
                    total = total - self._rows[i][c] * value
            x[j] = total if ops.is_zero(total) else _divide(total, self._rows[i][j])
        return ops.vector(*(x[j] for j in range(self._size)))


def _divide(a: Any, b: Any) -> Any:
    return a if not ops.is_symbolic(b) and b == 1.0 else a / b
