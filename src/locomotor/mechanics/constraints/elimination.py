"""Kernel of the constraints by elimination with pivots that are chosen once, safely, and then fixed.

Pivots are chosen on numbers: the constraint matrix at the nominal pose and at a sample of poses around it. A pivot must
be large on all of them, so that none vanishes at the upright pose as in the published elimination order of the bicycle
(Mauny 2018, appendix B). The elimination itself runs on symbols, along the chosen pivots, so that the kernel is
straight-line code. The pivots are handed out to be watched at run time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.lie import ops
from locomotor.mechanics.constraints.block import LARGEST, Block, block_of
from locomotor.typing import Array, Floats

Row = dict[int, Any]

ACCEPTABLE = 0.1
"""A pivot may be this much smaller than the best available one, for the sake of sparsity."""
SAFE = 1e-3
"""A pivot smaller than this, relative to its row, is taken only when even the columns to be kept offer none better."""
WORTH = 0.02
"""Out on a chain a pivot smaller than this, relative to its row, is left for the columns farther in."""
FIRM = 0.5
"""Where rows depend on each other, those of which less than this share is left of what the best ones have wait."""
LEAST = 1e-6
"""A pivot smaller than this is no pivot."""
NOISE = 1e-11
"""Entries smaller than this, relative to the largest of all, are zero that was not computed exactly: poses are settled to about
1e-12, and an edge of a box that lies flat does not move up by sliding along itself."""
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
    blocks: tuple[int, ...] = ()
    """How many steps are taken at once, in order; one at a time where nothing is said."""
    least: float = 1.0
    """The smallest pivot at the nominal pose, relative to the largest entry of its row."""

    @property
    def groups(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """The steps, those of a block together."""
        if not self.blocks:
            return tuple((step,) for step in self.steps)
        ends = np.cumsum(self.blocks)
        return tuple(self.steps[end - size : end] for end, size in zip(ends, self.blocks, strict=True))


def choose_pivots(
    samples: Floats,
    keep: Sequence[int] = (),
    never: Sequence[int] = (),
    labels: Sequence[str] = (),
    columns_named: Sequence[str] = (),
    stages: Sequence[int] = (),
    auxiliary: int = 0,
    void: Sequence[int] = (),
    firmest: bool = False,
) -> Pivots:
    """Choose pivots for a stack (samples, rows, columns) of constraint matrices, nominal pose first.

    Columns in `keep` are wanted as independent and are used as pivots only when nothing else is left; columns in
    `never` are imposed motions and stay independent always. A row that nothing is left of, or nothing but imposed
    motions, is redundant; one that binds other velocities but has no safe pivot is an error, told by names.

    The last `auxiliary` rows define as many columns at the end. `stages` says how far out on its chain each column is (0 at
    the root): the outermost are eliminated first, then the auxiliary columns they hang on, and so on inwards, so that no row
    ever speaks of more than a few columns.

    With `firmest` rows wait of which the others have left little. Where some depend on each other these are left over: of two
    points that stay where they are, the row along the line between them, which vanishes in other poses.
    """
    table = _Table(np.asarray(samples, dtype=float), auxiliary, void)
    reserve = [j for j in keep if j not in never]
    columns = [j for j in range(table.own_columns) if j not in {*never, *keep}]
    for stage in sorted(set(stages) - {0}, reverse=True):
        outer = [j for j in columns if stages[j] >= stage]
        while outer:
            live = table.live(outer)
            strength = table.strength(live, outer)
            if strength.max(initial=0.0) < WORTH:
                break
            i, j = table.sparsest(live, outer, strength, WORTH)
            table.eliminate(i, j)
            outer.remove(j)
            columns.remove(j)
        for j in range(table.own_columns, len(stages)):
            if stages[j] == stage:
                table.eliminate(table.own_rows + j - table.own_columns, j)
    while True:
        live = table.live()
        strength = table.strength(live, columns)
        if live and strength.max(initial=0.0) < SAFE and reserve:
            columns.append(reserve.pop())
            continue
        if strength.max(initial=0.0) < LEAST:
            bound = [i for i in live if table.size(i, columns) > ROUND_OFF * table.scale]
            if not bound:
                break
            rows_named = [labels[i] if i < len(labels) else f"row {i}" for i in bound]
            _refuse(table.work[:, bound], table.scale, rows_named, columns_named)
        firm = table.firmest(live) if firmest else live
        if len(firm) < len(live) and (among := table.strength(firm, columns)).max(initial=0.0) >= SAFE:
            live, strength = firm, among
        i, j = table.sparsest(live, columns, strength, ACCEPTABLE * float(strength.max()))
        table.eliminate(i, j)
        columns.remove(j)
    used = {j for _, j in table.steps}
    independent = tuple(j for j in range(table.work.shape[2]) if j not in used)
    left = tuple(sorted(table.rows))
    sizes, signs = tuple(table.sizes), tuple(table.signs)
    return Pivots(tuple(table.steps), independent, left, sizes, signs, tuple(void), least=table.least)


class _Table:
    """A stack of constraint matrices under elimination, every column in a unit of its own."""

    def __init__(self, samples: Floats, auxiliary: int, void: Sequence[int]) -> None:
        _, m, n = samples.shape
        self.own_rows, self.own_columns = m - auxiliary, n - auxiliary
        self.rows = [i for i in range(m) if i not in void]
        # What is zero must be zero: round-off measures nothing.
        samples = np.where(np.abs(samples) > NOISE * np.abs(samples).max(initial=0.0), samples, 0.0)
        samples[:, list(void)] = 0.0
        # A unit of its own would make a column large that is next to nothing beside others in every row: a rod that lies flat
        # does not move up by sliding along itself, but where the gaps of its ends are not quite the same.
        sizes = np.abs(samples)
        faint = sizes.max(axis=0, initial=0.0) <= ROUND_OFF * sizes.max(axis=(0, 2), initial=0.0)[:, None]
        samples[:, :, faint.all(axis=0)] = 0.0
        self.units = self._units(samples)
        self.work = samples / self.units
        self.scale = float(np.abs(self.work).max(initial=0.0)) or 1.0
        self.begun = np.abs(self.work).max(axis=2, initial=0.0)
        self.steps: list[tuple[int, int]] = []
        self.sizes: list[float] = []
        self.signs: list[float] = []
        self.least = 1.0

    def _units(self, samples: Floats) -> Floats:
        """The largest entry of each column in the constraints themselves, as a power of two, so that nothing is rounded.

        Without it a joint of a short link would look weak beside a displacement, only because one is in rad and the other
        in m. A joint that only auxiliary columns speak of is measured through them.
        """
        own, defining = samples[:, : self.own_rows], samples[:, self.own_rows :]
        largest = np.abs(own).max(axis=(0, 1), initial=0.0)
        outer, inner = own[:, :, self.own_columns :], defining[:, :, : self.own_columns]
        through = np.abs(outer @ inner).max(axis=(0, 1), initial=0.0)
        # A slider along the ground moves no normal but by round-off, which would make a unit of its own, and all else vanish.
        terms = (np.abs(outer) @ np.abs(inner)).max(initial=0.0)
        through = np.pad(np.where(through > NOISE * terms, through, 0.0), (0, len(largest) - self.own_columns))
        largest = np.where(largest > 0.0, largest, through)
        return np.asarray(np.exp2(np.round(np.log2(np.where(largest > 0.0, largest, 1.0)))))

    def size(self, row: int, columns: list[int]) -> float:
        """Largest entry of a row in some columns."""
        return float(np.abs(self.work[:, row, columns]).max(initial=0.0))

    def live(self, columns: list[int] | None = None) -> list[int]:
        """Rows not used yet of which something is left, in the given columns if any are given."""
        rows = [i for i in self.rows if i < self.own_rows]
        part = self.work[:, rows] if columns is None else self.work[:, rows][:, :, columns]
        filled = np.abs(part).max(axis=(0, 2), initial=0.0) > ROUND_OFF * self.scale
        return [i for i, yes in zip(rows, filled, strict=True) if yes]

    def firmest(self, rows: list[int]) -> list[int]:
        """Of some rows those of which elimination has left a large share, on all samples."""
        whole = np.abs(self.work[:, rows]).max(axis=2, initial=0.0)
        left = (whole / np.maximum(self.begun[:, rows], ROUND_OFF * self.scale)).min(axis=0)
        return [i for i, share in zip(rows, left, strict=True) if share >= FIRM * left.max()]

    def strength(self, rows: list[int], columns: list[int]) -> Floats:
        """Smallest size of each candidate over the samples, relative to its row; zero where the row is round-off."""
        part = np.abs(self.work[:, rows][:, :, columns])
        whole = np.abs(self.work[:, rows]).max(axis=2, initial=0.0)
        relative = part / np.maximum(whole, ROUND_OFF * self.scale)[:, :, None]
        relative[whole <= ROUND_OFF * self.scale] = 0.0
        return np.asarray(relative.min(axis=0))

    def sparsest(self, rows: list[int], columns: list[int], strength: Floats, least: float) -> tuple[int, int]:
        """Markowitz: among pivots not below the least strength the one that fills in least; exact ones first."""
        filled = np.abs(self.work[:, rows]).max(axis=0) > ROUND_OFF * self.scale
        in_row, in_column = filled.sum(axis=1), filled[:, columns].sum(axis=0)
        r, c = np.nonzero(strength >= least)
        fill = (in_row[r] - 1) * (in_column[c] - 1)
        r, c = r[fill == fill.min()], c[fill == fill.min()]
        i, j = np.array(rows)[r], np.array(columns)[c]
        divided = ~np.all(self.work[:, i, j] * self.units[j] == 1.0, axis=0)
        first = np.lexsort((c, r, -strength[r, c], divided))[0]
        return int(i[first]), int(j[first])

    def eliminate(self, i: int, j: int) -> None:
        """Use row i for column j."""
        work = self.work
        self.sizes.append(float(abs(work[0, i, j]) * self.units[j]))
        self.signs.append(float(np.sign(work[0, i, j])))
        self.least = min(self.least, float(abs(work[0, i, j]) / np.abs(work[0, i]).max()))
        self.steps.append((i, j))
        self.rows.remove(i)
        others = np.array([other for other in self.rows if work[:, other, j].any()], dtype=int)
        filled = np.flatnonzero(work[:, i].any(axis=0))
        factors = work[:, others, j] / work[:, i, j][:, None]
        changed = work[:, others[:, None], filled] - factors[:, :, None] * work[:, i, filled][:, None, :]
        # What cancels must stay zero: on a long way inwards its round-off would grow.
        changed[np.abs(changed) < NOISE * self.scale] = 0.0
        work[:, others[:, None], filled] = changed
        work[:, others, j] = 0.0


def _refuse(work: Floats, scale: float, rows: Sequence[Any], columns_named: Sequence[str]) -> NoReturn:
    """Say which rows have no safe pivot."""
    filled = np.flatnonzero(np.abs(work).max(axis=(0, 1)) > ROUND_OFF * scale)
    involved = ", ".join(columns_named[int(j)] if j < len(columns_named) else f"column {j}" for j in filled)
    raise ModelError(
        f"the constraints {', '.join(str(row) for row in rows)} fix no velocity safely around this pose: each of "
        f"{involved} drops out of them somewhere near it. The pose is singular; choose another nominal pose, or leave "
        "out a contact"
    )


class Elimination:
    """Symbolic (or numeric) elimination of sparse constraint rows along fixed pivots, one row or one block at a time.

    Imposed columns are known velocities: they stay on the right-hand side, where a long chain of them fills in nothing.
    """

    def __init__(self, rows: Sequence[Mapping[int, Any]], pivots: Pivots, imposed: Sequence[int] = ()) -> None:
        """Eliminate rows, given by column; entries that are exactly zero cost nothing."""
        given = set(imposed)
        self.rows = [{j: value for j, value in row.items() if not ops.is_zero(value)} for row in rows]
        kept = [{j: value for j, value in row.items() if j not in given} for row in self.rows]
        self.pivots = pivots
        self._imposed = given
        self._groups = pivots.groups
        self._blocks: list[Block] = []
        self._factors: list[dict[int, list[Any]]] = []
        pending = [i for i, _ in pivots.steps]
        for group in self._groups:
            for i, _ in group:
                pending.remove(i)
            block = _block(kept, group)
            factors: dict[int, list[Any]] = {}
            for other in pending:
                if not any(j in kept[other] for _, j in group):
                    continue
                factor = block.solve_left([kept[other].pop(j, 0.0) for _, j in group])
                factors[other] = factor
                self._subtract(kept, group, factor, other)
            self._blocks.append(block)
            self._factors.append(factors)
        self._rows = kept

    @staticmethod
    def _subtract(kept: list[Row], group: Sequence[tuple[int, int]], factor: Sequence[Any], other: int) -> None:
        """Take the rows of a group, each so many times, from another row."""
        own = {j for _, j in group}
        for (i, _), times in zip(group, factor, strict=True):
            if ops.is_zero(times):
                continue
            for c, value in kept[i].items():
                if c not in own:
                    found = kept[other].get(c, 0.0) - times * value
                    kept[other][c] = found
                    if ops.is_zero(found):
                        del kept[other][c]

    @property
    def pivot_values(self) -> list[Any]:
        """Values of the pivots at this configuration; that of a block stands at its first step, and ones at the others."""
        found: list[Any] = []
        for group, block in zip(self._groups, self._blocks, strict=True):
            found += [block.value, *[1.0] * (len(group) - 1)]
        return found

    def kernel(self, nv: int, columns: Sequence[int]) -> Array:
        """Columns of H, over the first nv velocities: each has C h = 0 on the rows with a pivot, and its own at one."""
        return ops.columns(*(self.particular({}, {f: 1.0}, nv) for f in columns)) if columns else ops.zeros(nv, 0)

    def particular(self, right_side: Mapping[int, Any], known: Row, nv: int) -> Array:
        """v, over the first nv columns, with C v = right_side and `known` independent and imposed ones, zero where not."""
        b: dict[int, Any] = {}
        for i, _ in self.pivots.steps:
            total = right_side.get(i, 0.0)
            for c, value in self.rows[i].items():
                if c in self._imposed and c in known:
                    total = total - value * known[c]
            b[i] = total
        for group, factors in zip(self._groups, self._factors, strict=True):
            for other, factor in factors.items():
                for (i, _), times in zip(group, factor, strict=True):
                    if not ops.is_zero(b[i]):
                        b[other] = b[other] - times * b[i]
        return self._back_substitute(known, b, nv)

    def multipliers(self, force: Mapping[int, Any], given: Mapping[int, Any]) -> list[Any]:
        """Lambda of every row with C^T lambda = force on the columns with a pivot; those of redundant rows are `given`."""
        rest = self.without(force, given)
        reduced: dict[int, Any] = {}
        above: dict[int, list[int]] = {}  # rows already used that speak of a column
        for group, block in zip(self._groups, self._blocks, strict=True):
            totals: list[Any] = []
            for _, j in group:
                total: Any = rest.get(j, 0.0)
                for other in above.get(j, ()):
                    if not ops.is_zero(reduced[other]):
                        total = total - self._rows[other][j] * reduced[other]
                totals.append(total)
            for (i, _), found_one in zip(group, block.solve_left(totals), strict=True):
                reduced[i] = found_one
                for c in self._rows[i]:
                    above.setdefault(c, []).append(i)
        found: dict[int, Any] = dict(given)
        for group, factors in reversed(list(zip(self._groups, self._factors, strict=True))):
            for k, (i, _) in enumerate(group):
                total = reduced[i]
                for other, factor in factors.items():
                    if not ops.is_zero(found[other]):
                        total = total - factor[k] * found[other]
                found[i] = total
        return [found.get(i, 0.0) for i in range(len(self._rows))]

    def without(self, force: Mapping[int, Any], given: Mapping[int, Any]) -> dict[int, Any]:
        """What is left of a force, by column, beside C^T of the given multipliers, by row."""
        rest = dict(force)
        for i, multiplier in given.items():
            if not ops.is_zero(multiplier):
                for c, value in self.rows[i].items():
                    rest[c] = rest.get(c, 0.0) - value * multiplier
        return rest

    def _back_substitute(self, known: Row, right_side: Row, nv: int) -> Array:
        x = dict(known)
        for group, block in reversed(list(zip(self._groups, self._blocks, strict=True))):
            own = {j for _, j in group}
            totals: list[Any] = []
            for i, _ in group:
                total: Any = right_side.get(i, 0.0)
                for c, value in self._rows[i].items():
                    if c not in own and c in x:
                        total = total - value * x[c]
                totals.append(total)
            if all(ops.is_zero(total) for total in totals):
                continue
            for (_, j), value in zip(group, block.solve(totals), strict=True):
                x[j] = value
        return ops.vector(*(x.get(j, 0.0) for j in range(nv)))


def _block(rows: Sequence[Row], group: Sequence[tuple[int, int]]) -> Block:
    """What the rows of a group have in its columns; a pivot that is exactly zero is no entry of its row."""
    if len(group) == 1:
        ((i, j),) = group
        return block_of([[rows[i][j]]])
    return block_of([[rows[i].get(j, 0.0) for _, j in group] for i, _ in group])


def blocked(
    pivots: Pivots,
    together: Sequence[Sequence[int]],
    samples: Sequence[Sequence[Mapping[int, Any]]],
    enough: float = ACCEPTABLE,
) -> Pivots:
    """The pivots with those of rows that belong together joined into blocks, where those are larger or large `enough`.

    `samples` are the rows at some poses, the first being that by which pivots are measured.
    """
    if not any(len([i for i, _ in pivots.steps if i in rows]) > 1 for rows in together):
        return pivots
    found = pivots
    for rows in together:
        steps = [step for step in found.steps if step[0] in rows]
        if not 1 < len(steps) <= LARGEST:
            continue
        groups = [group for group in found.groups if not set(group) <= set(steps)]
        last = max(k for k, step in enumerate(found.steps) if step in steps)
        after = sum(1 for group in groups if found.steps.index(group[0]) < last)
        groups.insert(after, tuple(steps))
        tried = replace(found, steps=tuple(step for group in groups for step in group), blocks=tuple(map(len, groups)))
        if _least(tried, samples) > min(enough, _least(found, samples)):
            found = tried
    values = [float(value) for value in Elimination(samples[0], found).pivot_values]
    return replace(found, sizes=tuple(map(abs, values)), signs=tuple(float(np.sign(value)) for value in values))


def _least(pivots: Pivots, samples: Sequence[Sequence[Mapping[int, Any]]]) -> float:
    """The smallest pivot over the samples, relative to the largest of its step; zero where one changes sign on the way."""
    try:
        values = np.array([[float(x) for x in Elimination(rows, pivots).pivot_values] for rows in samples])
    except (KeyError, ZeroDivisionError):  # a single pivot vanishes exactly
        return 0.0
    if (values.min(axis=0) * values.max(axis=0) <= 0.0).any():
        return 0.0
    values = np.abs(values)
    return float(np.min(values.min(axis=0) / np.maximum(values.max(axis=0), LEAST), initial=1.0))
