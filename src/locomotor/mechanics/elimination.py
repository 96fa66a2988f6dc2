"""Kernel of the constraints by elimination with pivots that are chosen once, safely, and then fixed.

Pivots are chosen on numbers: the constraint matrix at the nominal pose and at a sample of poses around it. A pivot must
be large on all of them, so that none vanishes at the upright pose as in the published elimination order of the bicycle
(spec 000-ch2 section 3.4). The elimination itself runs on symbols, along the chosen pivots, so that the kernel is
straight-line code. The pivots are handed out to be watched at run time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from locomotor.errors import ModelError
from locomotor.lie import ops

Array = Any
Row = dict[int, Any]

ACCEPTABLE = 0.1
"""A pivot may be this much smaller than the best available one, for the sake of sparsity."""
SAFE = 1e-3
"""A pivot smaller than this, relative to its row, is taken only when even the columns to be kept offer none better."""
LEAST = 1e-6
"""A pivot smaller than this is no pivot."""
ROUND_OFF = 1e-7
"""A row with nothing left above this depends on the others: round-off, or gaps that have drifted a little."""


@dataclass(frozen=True)
class Pivots:
    """An elimination order: row and column of each step; what is left over is independent or redundant."""

    steps: tuple[tuple[int, int], ...]
    independent: tuple[int, ...]
    redundant_rows: tuple[int, ...]
    """Rows without a pivot: repeated by others, or conditions on imposed motions alone."""
    sizes: tuple[float, ...]
    """Size of each pivot at the nominal pose, the reference for watching it."""
    signs: tuple[float, ...] = ()
    void_rows: tuple[int, ...] = ()
    """Rows that vanish identically (the normal of a contact of a planar system): they block nothing."""


def choose_pivots(
    samples: NDArray[np.float64],
    keep: Sequence[int] = (),
    never: Sequence[int] = (),
    labels: Sequence[str] = (),
    columns_named: Sequence[str] = (),
    auxiliary: int = 0,
    void: Sequence[int] = (),
) -> Pivots:
    """Choose pivots for a stack (samples, rows, columns) of constraint matrices, nominal pose first.

    Columns in `keep` are wanted as independent and are used as pivots only when nothing else is left; columns in
    `never` are imposed motions and stay independent always. A row that nothing is left of, or nothing but imposed
    motions, is redundant; one that binds other velocities but has no safe pivot is an error, told by names.
    """
    work = np.array(samples, dtype=float)
    _, m, n = work.shape
    scale = float(np.abs(work).max(initial=0.0)) or 1.0
    rows, columns = [i for i in range(m) if i not in void], [j for j in range(n) if j not in set(never) | set(keep)]
    reserve = [j for j in keep if j not in never]
    steps: list[tuple[int, int]] = []
    sizes: list[float] = []
    signs: list[float] = []
    while rows:
        live = [i for i in rows if np.abs(work[:, i, :]).max(initial=0.0) > ROUND_OFF * scale]
        if not live:
            break
        strength = _strength(work, live, columns, scale)
        strength *= _allowed(live, columns, m - auxiliary, n - auxiliary)
        if strength.max(initial=0.0) < SAFE and reserve:
            columns.append(reserve.pop())
            continue
        if strength.max(initial=0.0) < LEAST:
            bound = [i for i in live if np.abs(work[:, i, columns]).max(initial=0.0) > ROUND_OFF * scale]
            if not bound:
                break
            rows_named = [labels[i] if i < len(labels) else f"row {i}" for i in bound]
            _refuse(work[:, bound], scale, rows_named, columns_named)
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
    independent = tuple(j for j in range(n) if j not in used)
    return Pivots(tuple(steps), independent, tuple(sorted(rows)), tuple(sizes), tuple(signs), tuple(void))


def _allowed(rows: list[int], columns: list[int], own_rows: int, own_columns: int) -> NDArray[np.bool_]:
    """Which row may eliminate which column."""
    i, j = np.array(rows)[:, None] - own_rows, np.array(columns, dtype=int)[None, :] - own_columns
    return np.where((i >= 0) | (j >= 0), i == j, True)


def _refuse(work: NDArray[np.float64], scale: float, rows: Sequence[Any], columns_named: Sequence[str]) -> NoReturn:
    """Say which rows have no safe pivot."""
    filled = np.flatnonzero(np.abs(work).max(axis=(0, 1)) > ROUND_OFF * scale)
    involved = ", ".join(columns_named[int(j)] if j < len(columns_named) else f"column {j}" for j in filled)
    raise ModelError(
        f"the constraints {', '.join(str(row) for row in rows)} fix no velocity safely around this pose: each of "
        f"{involved} drops out of them somewhere near it. The pose is singular; choose another nominal pose, or leave "
        "out a contact"
    )


def _strength(
    work: NDArray[np.float64], rows: list[int], columns: list[int], scale: float
) -> NDArray[np.float64]:
    """Smallest size of each candidate over the samples, relative to its row; zero where the row is round-off."""
    part = np.abs(work[:, rows][:, :, columns])
    whole = np.abs(work[:, rows]).max(axis=2)
    relative = part / np.maximum(whole, ROUND_OFF * scale)[:, :, None]
    relative[whole <= ROUND_OFF * scale] = 0.0
    return np.asarray(relative.min(axis=0))


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
    """Symbolic (or numeric) elimination of sparse constraint rows along fixed pivots."""

    def __init__(self, rows: Sequence[Mapping[int, Any]], size: int, pivots: Pivots) -> None:
        """Eliminate rows over `size` columns; entries that are exactly zero cost nothing."""
        kept = [{j: value for j, value in row.items() if not ops.is_zero(value)} for row in rows]
        self.pivots = pivots
        self._size = size
        self._factors: list[dict[int, Any]] = []
        pending = [*(i for i, _ in pivots.steps), *pivots.redundant_rows]
        for i, j in pivots.steps:
            pending.remove(i)
            factors: dict[int, Any] = {}
            for other in pending:
                if j not in kept[other]:
                    continue
                factor = _divide(kept[other].pop(j), kept[i][j])
                factors[other] = factor
                for c, value in kept[i].items():
                    if c != j:
                        found = kept[other].get(c, 0.0) - factor * value
                        kept[other][c] = found
                        if ops.is_zero(found):
                            del kept[other][c]
            self._factors.append(factors)
        self._rows = kept

    @property
    def pivot_values(self) -> list[Any]:
        """The pivots at this configuration."""
        return [self._rows[i][j] for i, j in self.pivots.steps]

    def kernel(self, nv: int) -> Array:
        """H, over the first nv columns, with C H = 0 on the rows that have a pivot and the identity on the independent."""
        free = self.pivots.independent
        if not free:
            return ops.zeros(nv, 0)
        return ops.columns(*(self._back_substitute({f: 1.0}, {}, nv) for f in free))

    def particular(self, right_side: Array, nv: int) -> Array:
        """k, over the first nv columns, with C k = right_side and zero on the independent ones."""
        b: dict[int, Any] = {i: right_side[i] for i, _ in self.pivots.steps}
        for (i, _), factors in zip(self.pivots.steps, self._factors, strict=True):
            for other, factor in factors.items():
                if other in b and not ops.is_zero(b[i]):
                    b[other] = b[other] - factor * b[i]
        return self._back_substitute({}, b, nv)

    def multipliers(self, force: Array) -> Array:
        """Lambda with (C^T lambda) = force on the pivot columns; zero for redundant rows and auxiliary forces."""
        given = ops.size(force)
        reduced: dict[int, Any] = {}
        done: list[tuple[int, int]] = []
        for i, j in self.pivots.steps:
            total: Any = force[j] if j < given else 0.0
            for other, _ in done:
                if j in self._rows[other] and not ops.is_zero(reduced[other]):
                    total = total - self._rows[other][j] * reduced[other]
            reduced[i] = _divide(total, self._rows[i][j])
            done.append((i, j))
        found: dict[int, Any] = {}
        for (i, _), factors in reversed(list(zip(self.pivots.steps, self._factors, strict=True))):
            total = reduced[i]
            for other, factor in factors.items():
                if other in found and not ops.is_zero(found[other]):
                    total = total - factor * found[other]
            found[i] = total
        return ops.vector(*(found.get(i, 0.0) for i in range(len(self._rows))))

    def residual_rows(self, columns: Sequence[int]) -> Array:
        """What is left of the redundant rows in the given (imposed) columns: zero iff the motions are compatible."""
        rows = [[self._rows[i].get(j, 0.0) for j in columns] for i in self.pivots.redundant_rows]
        return ops.matrix(rows) if rows and columns else ops.zeros(len(rows), len(columns))

    def static_forces(self) -> Array:
        """Columns spanning the multipliers that move nothing: C^T K = 0 on every velocity that is not imposed."""
        m = len(self._rows)
        combination: dict[int, Row] = {}
        for i in (*(i for i, _ in self.pivots.steps), *self.pivots.redundant_rows):
            found: Row = {i: 1.0}
            for (s, _), factors in zip(self.pivots.steps, self._factors, strict=True):
                if i in factors:
                    for k, value in combination[s].items():
                        found[k] = found.get(k, 0.0) - factors[i] * value
            combination[i] = found
        chosen = [combination[i] for i in self.pivots.redundant_rows]
        columns = [ops.vector(*(row.get(k, 0.0) for k in range(m))) for row in chosen]
        return ops.columns(*columns) if columns else ops.zeros(m, 0)

    def _back_substitute(self, known: Row, right_side: Row, nv: int) -> Array:
        x = dict(known)
        for i, j in reversed(self.pivots.steps):
            total: Any = right_side.get(i, 0.0)
            for c, value in self._rows[i].items():
                if c != j and c in x:
                    total = total - value * x[c]
            if not ops.is_zero(total):
                x[j] = _divide(total, self._rows[i][j])
        return ops.vector(*(x.get(j, 0.0) for j in range(nv)))


def _divide(a: Any, b: Any) -> Any:
    return a if not ops.is_symbolic(b) and b == 1.0 else a / b
