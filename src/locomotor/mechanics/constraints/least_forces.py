"""The smallest constraint forces that do, in a number of operations proportional to the length of a chain.

Where constraints over-determine the forces, lambda with C^T lambda = f is not unique. The smallest one is lambda = C y
with C^T C y = f: normal equations for a virtual velocity y, zero in the independent directions. Written with auxiliary
twists (see `substructure`) C^T C only couples neighbours; twists are substituted and joints eliminated from the tips of the
chains inwards, in the order of the pivots, as articulated bodies are, so that nothing fills in.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.constraints.block import divided
from locomotor.mechanics.constraints.elimination import Pivots, Row


def virtual_velocity(
    rows: Sequence[Mapping[int, Any]], own: int, pivots: Pivots, force: Mapping[int, Any], left_out: Sequence[int] = ()
) -> Row:
    """The velocities y by column, with C^T C y = force on the columns that have a pivot.

    The first `own` rows are constraints, of which some may be `left_out`; the others define auxiliary columns. The rows that
    stay must determine every column with a pivot.
    """
    bound = {j for _, j in pivots.steps}
    form = _Form({j: value for j, value in force.items() if j in bound})
    for i, row in enumerate(rows[:own]):
        if i not in left_out and i not in pivots.void_rows:
            form.add({j: value for j, value in row.items() if j in bound and not ops.is_zero(value)})
    known: list[tuple[int, Row, Any]] = []  # y_j = rest + sum of row times y
    for i, j in pivots.steps:
        if i >= own:
            # A twist follows from those farther in: its own coefficient is one.
            follows = {c: -value for c, value in rows[i].items() if c != j and c in bound and not ops.is_zero(value)}
            form.substitute(j, follows)
            known.append((j, follows, 0.0))
        else:
            known.append((j, *form.eliminate(j)))
    y: Row = {}
    for j, row, rest in reversed(known):
        total = rest
        for c, value in row.items():
            if not ops.is_zero(y[c]):
                total = total + value * y[c]
        y[j] = total
    return y


class _Form:
    """A sparse symmetric matrix and a right-hand side, both reduced column by column."""

    def __init__(self, right: Row) -> None:
        self._right = dict(right)
        self._entries: dict[int, Row] = {}

    def add(self, row: Row) -> None:
        """Add the dyad of a row."""
        columns = list(row)
        for k, a in enumerate(columns):
            for b in columns[k:]:
                self._put(a, b, row[a] * row[b])

    def eliminate(self, j: int) -> tuple[Row, Any]:
        """Take out unknown j by its own equation; returns y_j as (coefficients of the others, constant)."""
        mine, own, right = self._taken(j)
        minus_share = {c: -divided(value, own) for c, value in mine.items()}
        columns = list(mine)
        for k, a in enumerate(columns):
            for b in columns[k:]:
                self._put(a, b, minus_share[a] * mine[b])
            self._add_right(a, minus_share[a] * right)
        return minus_share, divided(right, own)

    def substitute(self, j: int, follows: Row) -> None:
        """Take out unknown j, which is the given combination of others."""
        mine, own, right = self._taken(j)
        for a, t in follows.items():
            for b, value in mine.items():
                self._put(a, b, (2.0 if a == b else 1.0) * (t * value))
            self._add_right(a, t * right)
        columns = list(follows)
        for k, a in enumerate(columns):
            for b in columns[k:]:
                self._put(a, b, follows[a] * (own * follows[b]))

    def _taken(self, j: int) -> tuple[Row, Any, Any]:
        mine = self._entries.pop(j, {})
        own = mine.pop(j, 0.0)
        for c in mine:
            del self._entries[c][j]
        return mine, own, self._right.pop(j, 0.0)

    def _put(self, a: int, b: int, value: Any) -> None:
        if ops.is_zero(value):
            return
        row = self._entries.setdefault(a, {})
        row[b] = row[b] + value if b in row else value
        if a != b:
            self._entries.setdefault(b, {})[a] = row[b]

    def _add_right(self, a: int, value: Any) -> None:
        if not ops.is_zero(value):
            self._right[a] = self._right[a] + value if a in self._right else value
