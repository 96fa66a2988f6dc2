"""Singular positions that a mechanism passes, and where its loops change their branch.

The rows C of all constraints, over all velocities, determine some velocities from the independent ones: C = [D, B], D square.
Rows and velocities that need each other make a block of D; it determines its own velocities from those of the blocks before
it, so that det D is the product of the determinants of the blocks. Where one of these vanishes, two ways in which a loop can be
assembled meet; beyond it the other one is taken where the determinant has changed its sign: the branch of the loop for these
independent velocities (Chase and Mirth 1993). Where all of C loses rank no other choice of independent velocities would do: a
singular position, from which a motion may go on along more than one curve.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.simulation.roots import root_between
from locomotor.simulation.singular_instant import singular
from locomotor.simulation.status import Event
from locomotor.tracing import TracedSystem
from locomotor.tracing.readings import dependent_rows, row_labels
from locomotor.typing import Floats, Vector

NOTHING = 1e-9
"""A determinant below this share of its largest value has no sign."""
ENTRY = 1e-9
"""An entry of a row below this share of the largest one anywhere is none."""
RANK = 1e-4
"""Rows that are of length one at most, and whose smallest singular value is less than this, depend on each other."""
TOGETHER = 1e-6
"""Seconds within which passages are one."""
GOLDEN = 0.5 * (5.0**0.5 - 1.0)

Again = Callable[[int, float], Vector]
"""(sample, seconds after it) -> the state there, made again."""


@dataclass(frozen=True, eq=False)
class Passages:
    """The determinants of the blocks of a system with loops, along its motion."""

    traced: TracedSystem

    @cached_property
    def _rows(self) -> Callable[[Vector, Vector], Floats]:
        traced, function = self.traced, dependent_rows(self.traced)
        shape = (-1, len(traced.reduction.pivots.steps), traced.system.layout.nv)
        inputs, size = np.zeros(traced.input_port.size), traced.state_port.size

        def rows(times: Vector, states: Vector) -> Floats:
            """Of a state only the coordinates count."""
            padded = np.zeros((len(states), size))
            padded[:, : traced.nq] = states[:, : traced.nq]
            (found,) = function.evaluate((times[:, None], padded, inputs, traced.default_parameters), len(states))
            return np.broadcast_to(np.asarray(found), (len(states), shape[1] * shape[2])).reshape(shape)

        return rows

    def _blocks(self, C: Floats) -> tuple[list[int], ...]:
        """Pivots that need each other, those with a row of a loop."""
        D = C[:, :, [column for _, column in self.traced.reduction.pivots.steps]]
        needs = np.abs(D).max(axis=0) > ENTRY
        np.fill_diagonal(needs, True)
        return _blocks_of(self.traced, needs.tobytes())

    def _determinants(self, C: Floats, blocks: Sequence[Sequence[int]]) -> Floats:
        columns = [column for _, column in self.traced.reduction.pivots.steps]
        found = np.zeros((len(C), len(blocks)))
        for size in {len(block) for block in blocks}:
            own = [k for k, block in enumerate(blocks) if len(block) == size]
            rows = np.array([blocks[k] for k in own])
            parts = C[:, rows[:, :, None], np.array(columns)[rows][:, None, :]]
            found[:, own] = parts[:, :, 0, 0] if size == 1 else np.linalg.det(parts)
        return found

    def _names(self, block: Sequence[int]) -> list[str]:
        rows = row_labels(self.traced)
        mine = {rows[i] for i in block}
        return [closure.name for closure in self.traced.system.loops if mine & set(closure.row_names)]

    def events(self, times: Vector, states: Vector, again: Again, touching: bool = False) -> list[Event]:
        """What is passed between some samples: singular positions, then loops that have changed their branch, in order.

        With `touching`, singular positions too at which no determinant changes its sign.
        """
        if len(times) < 2:
            return []
        C = self._rows(times, states)
        if not np.isfinite(C).all():
            return []
        # A row may vanish where a mechanism lies stretched: it is measured by what it is elsewhere.
        scale = 1.0 / np.maximum(np.linalg.norm(C, axis=2).max(axis=0), 1e-300)[:, None]
        C = scale * C

        def at(k: int, s: float) -> Floats:
            return scale * self._rows(np.array([times[k] + s]), again(k, s)[None])

        blocks = self._blocks(C)
        if not blocks:
            return []
        values = self._determinants(C, blocks)
        found: list[Event] = []
        for number in _both_signs(values):
            block, sizes = blocks[number], values[:, number]
            for k, after in _changes(sizes):

                def size(s: float, k: int = k, block: Sequence[int] = block) -> float:
                    return float(self._determinants(at(k, s), [block])[0, 0])

                span = float(times[after] - times[k])
                if not size(0.0) * size(span) < 0.0:
                    continue  # the steps made again end elsewhere: next to a singular position they may
                s = root_between(size, 0.0, span, xtol=1e-12)
                if _least(at(k, s))[0] < RANK:
                    found.append(singular(float(times[k]) + s))
                found.append(self._change(float(times[k]) + s, block, sizes[k] > 0.0))
        return _once([*found, *(_touched(times, _least(C), at) if touching else ())])

    def _change(self, time: float, block: Sequence[int], falls: bool) -> Event:
        names = self._names(block)
        given = ", ".join(self.traced.reduction.names) or "imposed motions"
        signs = ("+", "-") if falls else ("-", "+")
        told = f"the determinant of {' and '.join(map(repr, names))} by {given} goes from {signs[0]} to {signs[1]}"
        return Event(time, f"{' and '.join(names)} branch", told, kind="branch")


@lru_cache(maxsize=64)
def passages_of(traced: TracedSystem) -> Passages | None:
    """What to look at, if the system has loops whose rows are written in its own velocities."""
    steps, nv = traced.reduction.pivots.steps, traced.system.layout.nv
    if not traced.system.loops or not steps or any(column >= nv for _, column in steps):
        return None
    return Passages(traced)


@lru_cache(maxsize=64)
def _blocks_of(traced: TracedSystem, pattern: bytes) -> tuple[list[int], ...]:
    """The blocks of a matrix of pivots by pivots that tells who needs whom; most motions have one such pattern."""
    count = len(traced.reduction.pivots.steps)
    needs = np.frombuffer(pattern, dtype=bool).reshape(count, count)
    for _ in range(max(1, count.bit_length())):  # whatever they need in turn
        needs = needs @ needs
    together = needs & needs.T
    rows = row_labels(traced)
    looped = {name for closure in traced.system.loops for name in closure.row_names}
    blocks = [np.flatnonzero(mine).tolist() for k, mine in enumerate(together) if not mine[:k].any()]
    return tuple(block for block in blocks if any(rows[i] in looped for i in block))


def _least(C: Floats) -> Vector:
    """Smallest singular value of the rows."""
    return np.asarray(np.linalg.svd(C, compute_uv=False)[:, -1])


def _touched(times: Vector, least: Vector, at: Callable[[int, float], Floats]) -> list[Event]:
    """Singular positions at which nothing need change its sign: where the smallest singular value comes down to zero."""
    found = []
    for k in range(1, len(least) - 1):
        rise = max(least[k - 1], least[k + 1]) - least[k]
        if not (least[k] <= least[k - 1] and least[k] < least[k + 1] and least[k] <= rise):
            continue
        low, high = 0.0, float(times[k + 1] - times[k - 1])
        while high - low > 1e-10:
            a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            sizes = [_least(at(k - 1, s))[0] for s in (a, b)]
            low, high = (low, b) if sizes[0] < sizes[1] else (a, high)
        if _least(at(k - 1, low))[0] < RANK:
            found.append(singular(float(times[k - 1]) + low))
    return found


def _both_signs(values: Floats) -> list[int]:
    """Columns in which both signs occur, a quick look at all of them at once: most loops keep their branch."""
    nothing = NOTHING * np.abs(values).max(axis=0, initial=0.0)
    return np.flatnonzero((values > nothing).any(axis=0) & (values < -nothing).any(axis=0)).tolist()


def _changes(sizes: Vector) -> list[tuple[int, int]]:
    """The last samples of one sign and the first of the other; values of no size have no sign."""
    known = np.flatnonzero(np.abs(sizes) > NOTHING * np.abs(sizes).max(initial=0.0))
    turned = np.flatnonzero(np.diff(np.sign(sizes[known])) != 0)
    return [(int(known[i]), int(known[i + 1])) for i in turned]


def _once(events: Sequence[Event]) -> list[Event]:
    """Events in order; a singular position that several loops pass at once is one, the first that is told."""
    found: list[Event] = []
    for event in events:
        near = [e for e in found if abs(e.time - event.time) < TOGETHER and e.kind == "singular"]
        if event.kind != "singular" or not near:
            found.append(event)
    return sorted(found, key=lambda event: event.time)
