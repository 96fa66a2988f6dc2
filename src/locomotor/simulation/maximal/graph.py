"""The conditions between free bodies as a sparse matrix, and the solution of A = J M^-1 J^T along the graph of the joints.

Each kind of condition is one compiled function, evaluated for all conditions of the kind at once. A has an entry only where two
of them share a body; a chain has a band, a tree no fill-in at all in the order that minimum degree finds, so that the cost
grows with the number of bodies. Small systems are solved densely (`dense.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor import codegen
from locomotor.dataclass import dataclass
from locomotor.model import System
from locomotor.simulation.maximal import dense
from locomotor.simulation.maximal.dense import Solve
from locomotor.tracing.contacts import Condition, OfClosure, free_conditions
from locomotor.typing import Floats, Vector

DENSE = 90
"""Rows up to which a dense solution is quicker."""
DEPENDENT = 1e-9
"""A row of which less is left (of one, after scaling A to a unit diagonal) depends on those before it."""
Tree = Callable[[], tuple[Vector, Vector]]
"""What finds the coordinates and velocities of the tree."""
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rows:
    """All conditions at one instant."""

    gap: Vector
    drift: Vector
    """Velocities along the conditions that time makes."""
    bias: Vector
    data: Floats
    """Entries of J, in the order of the places of the graph."""


class _Kind:
    """Conditions with one function: their bodies, their numbers, and where their rows are."""

    def __init__(self, conditions: Sequence[Condition], first_rows: Sequence[int], system: System, target: str) -> None:
        self.kernel = codegen.compile(conditions[0].kernel(), target=target)
        self.bodies = np.array([[system.index(name) for name in condition.bodies] for condition in conditions])
        self.data = np.array([condition.data for condition in conditions])
        self.of_tree, self.told = conditions[0].OF_TREE, conditions[0].told
        self.size = len(conditions[0].names)
        self.rows = np.array(first_rows)[:, None] + np.arange(self.size)

    def evaluate(
        self, time: float, poses: Floats, twists: Floats, tree: Tree, told: Mapping[str, float]
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Gaps, drifts, biases and rows; the world is the last of the poses."""
        data = np.tile(np.concatenate(tree()), (len(self.data), 1)) if self.of_tree else self.data
        if self.told:
            data = np.tile([told[name] for name in self.told], (len(self.data), 1))
        places = self.bodies.T
        times = np.full((len(self.data), 1), time)
        return self.kernel(times, *(poses[k] for k in places), *(twists[k] for k in places), data)  # type: ignore[return-value]


class Graph:
    """The conditions of a system between its bodies, all free."""

    def __init__(self, system: System, target: str = "auto", told: Sequence[str] = ()) -> None:
        self.system = system
        self.told: Mapping[str, float] = {}
        """Values of the parameters that a run tells."""
        self.conditions, joints = free_conditions(system, told)
        starts = np.cumsum([0, *(len(condition.names) for condition in self.conditions)])
        self.size, self.tree = int(starts[-1]), int(starts[joints])
        self._moved = int(starts[joints + len(system.imposed)])
        """The first row that is neither of a joint nor of an imposed motion."""
        self.names = [name for condition in self.conditions for name in condition.names]
        self.slack = np.array([condition.slack for condition in self.conditions for _ in condition.names])
        """What each row gives way by for a unit of lambda: zero where it holds, the inverse inertia where it moves a rotor."""
        self.holds = self.slack == 0.0
        found: dict[tuple[Any, ...], list[int]] = {}
        for k, condition in enumerate(self.conditions):
            found.setdefault(condition.key, []).append(k)
        self._kinds = [
            _Kind([self.conditions[k] for k in members], [int(starts[k]) for k in members], system, target)
            for members in found.values()
        ]

    def rows_of_joint(self, name: str) -> Places:
        """Rows that hold the child of a joint of the tree to its parent."""
        ends = np.cumsum([0, *(len(condition.names) for condition in self.conditions)])
        own = [c for c in self.conditions if isinstance(c, OfClosure) and c.closure.name == name]
        first = self.conditions.index(own[0])
        return np.arange(ends[first], ends[first + 1])

    @property
    def of_tree(self) -> bool:
        """Whether some condition speaks of coordinates of the tree."""
        return any(kind.of_tree for kind in self._kinds)

    @cached_property
    def _places(self) -> tuple[Places, Places, Places]:
        """Row and column of every entry of J, which of all entries computed they are (the world has none)."""
        rows, columns, bodies = [], [], []
        for kind in self._kinds:
            for body in kind.bodies.T:
                shape = (*kind.rows.shape, 6)
                rows.append(np.broadcast_to(kind.rows[:, :, None], shape).ravel())
                columns.append(np.broadcast_to(6 * body[:, None, None] + np.arange(6), shape).ravel())
                bodies.append(np.broadcast_to(body[:, None, None], shape).ravel())
        nothing = np.zeros(0, dtype=int)  # a body that flies alone is held by nothing
        row, column, body = (np.concatenate([nothing, *parts]) for parts in (rows, columns, bodies))
        kept = np.flatnonzero(body >= 0)
        return row[kept], column[kept], kept

    def rows(self, time: float, poses: Floats, twists: Floats, tree: Tree) -> Rows:
        """Conditions at poses (bodies and the world, 7) and twists (6); `tree` finds the coordinates of the tree, if asked."""
        gap, drift, bias, data = np.zeros(self.size), np.zeros(self.size), np.zeros(self.size), []
        for kind in self._kinds:
            gaps, drifts, biases, entries = kind.evaluate(time, poses, twists, tree, self.told)
            gap[kind.rows], drift[kind.rows], bias[kind.rows] = gaps, drifts, biases
            entries = entries.reshape(len(kind.data), kind.size, -1, 6)
            data += [entries[:, :, k].ravel() for k in range(entries.shape[2])]
        return Rows(gap * self.holds, drift, bias, np.concatenate(data)[self._places[2]] if data else np.zeros(0))

    @property
    def is_small(self) -> bool:
        """Whether it is solved densely."""
        return self.size <= DENSE

    def matrix(self, data: Floats) -> Any:
        """J as a sparse matrix over all twists."""
        import scipy.sparse as sparse

        row, column, _ = self._places
        return sparse.csr_matrix((data, (row, column)), shape=(self.size, 6 * len(self.system.bodies)))

    def full(self, data: Floats) -> Floats:
        """J with all its zeros; what a condition says twice of one body is added."""
        row, column, _ = self._places
        columns = 6 * len(self.system.bodies)
        summed: Floats = np.bincount(row * columns + column, data, self.size * columns)  # type: ignore[assignment]
        return summed.reshape(self.size, columns)

    def independent(self, A: Any) -> Places:
        """Rows that do not depend on those before them: those of the tree, which never do, then what is left of others."""
        import scipy.sparse as sparse

        tree = self.tree
        if tree == self.size:
            return np.arange(self.size)
        A = sparse.csc_matrix(A)
        scale = 1.0 / np.sqrt(np.maximum(A.diagonal(), 1e-300))
        A = sparse.diags(scale) @ A @ sparse.diags(scale)
        S = A[tree:, tree:].toarray()
        if tree:
            S = S - A[tree:, :tree] @ _sparse_lu(A[:tree, :tree]).solve(A[:tree, tree:].toarray())
        return np.concatenate([np.arange(tree), tree + np.array(_leading(S), dtype=int)])

    def solver(self, A: Any, active: Places) -> Solve:
        """What solves A x = b: densely with the smallest forces, or along the graph on the independent rows.

        Smallest are those of loops, contacts and constraints together, as in coordinates of the tree: what joints bear follows.
        """
        if self.is_small:
            return dense.solver(A, self._moved)
        whole = len(active) == self.size
        factor = _sparse_lu(A if whole else A[active][:, active])

        def solve(right: Vector) -> Vector:
            if whole:
                return np.asarray(factor.solve(right))
            found = np.zeros(self.size)
            found[active] = factor.solve(right[active])
            return found

        return solve


def _sparse_lu(A: Any) -> Any:
    from scipy.sparse.linalg import splu

    return splu(A.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def _leading(S: Floats) -> list[int]:
    """Rows of a positive matrix, in order, each of which something is left after those before it (L D L^T)."""
    S, found = np.array(S), []
    for k in range(len(S)):
        if S[k, k] > DEPENDENT:
            found.append(k)
            S[k + 1 :, k + 1 :] -= np.outer(S[k + 1 :, k], S[k, k + 1 :]) / S[k, k]
    return found
