"""The conditions between free bodies as a sparse matrix, and the solution of A = J M^-1 J^T along the graph of the joints.

Each kind of closure is one compiled function, evaluated for all closures of the kind at once. A has an entry only where two
closures share a body; a chain has a band, a tree no fill-in at all in the order that minimum degree finds, so that the cost
grows with the number of bodies. Small systems are solved densely, by eigenvalues: redundant conditions then do no harm, and
forces are the smallest that do.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor import codegen
from locomotor.dataclass import dataclass
from locomotor.model import Closure, System
from locomotor.tracing.readings import closure_data, closure_kernel, closure_key
from locomotor.typing import Floats, Vector

DENSE = 90
"""Rows up to which a dense solution is quicker."""
DEPENDENT = 1e-9
"""A row of which less is left (of one, after scaling A to a unit diagonal) depends on those before it."""
RANK = 1e-11
"""Eigenvalues of the scaled A below this are zero."""

Solve = Callable[[Vector], Vector]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rows:
    """All conditions at one instant."""

    gap: Vector
    bias: Vector
    data: Floats
    """Entries of J, in the order of the places of the graph."""


class _Kind:
    """Closures with one function: their bodies, their numbers, and where their rows are."""

    def __init__(self, closures: Sequence[Closure], first_rows: Sequence[int], system: System, target: str) -> None:
        values = system.parameters.values
        self.kernel = codegen.compile(closure_kernel(closures[0], values), target=target)
        self.a = np.array([system.index(closure.body_a) for closure in closures])
        self.b = np.array([system.index(closure.body_b) for closure in closures])
        self.data = np.array([closure_data(closure, values) for closure in closures])
        self.size = len(closures[0].ROWS)
        self.rows = np.array(first_rows)[:, None] + np.arange(self.size)

    def evaluate(self, poses: Floats, twists: Floats) -> tuple[Floats, Floats, Floats]:
        """Gaps, biases and rows; the world is the last of the poses."""
        return self.kernel(poses[self.a], twists[self.a], poses[self.b], twists[self.b], self.data)  # type: ignore[return-value]


class Graph:
    """The closures of a system between its bodies, all free."""

    def __init__(self, system: System, closures: Sequence[Closure], target: str = "auto") -> None:
        self.system, self.closures = system, tuple(closures)
        starts = np.cumsum([0, *(len(closure.ROWS) for closure in closures)])
        self.size = int(starts[-1])
        self.names = [name for closure in closures for name in closure.row_names]
        found: dict[tuple[Any, ...], list[int]] = {}
        for k, closure in enumerate(closures):
            found.setdefault(closure_key(closure, system.parameters.values), []).append(k)
        self._kinds = [
            _Kind([closures[k] for k in members], [int(starts[k]) for k in members], system, target)
            for members in found.values()
        ]

    @cached_property
    def _places(self) -> tuple[Places, Places, Places]:
        """Row and column of every entry of J, which of all entries computed they are (the world has none)."""
        rows, columns, bodies = [], [], []
        for kind in self._kinds:
            for body in (kind.a, kind.b):
                shape = (*kind.rows.shape, 6)
                rows.append(np.broadcast_to(kind.rows[:, :, None], shape).ravel())
                columns.append(np.broadcast_to(6 * body[:, None, None] + np.arange(6), shape).ravel())
                bodies.append(np.broadcast_to(body[:, None, None], shape).ravel())
        nothing = np.zeros(0, dtype=int)  # a body that flies alone is held by nothing
        row, column, body = (np.concatenate([nothing, *parts]) for parts in (rows, columns, bodies))
        kept = np.flatnonzero(body >= 0)
        return row[kept], column[kept], kept

    def rows(self, poses: Floats, twists: Floats) -> Rows:
        """Conditions at poses (bodies and the world, 7) and twists (6)."""
        gap, bias, data = np.zeros(self.size), np.zeros(self.size), []
        for kind in self._kinds:
            gaps, biases, entries = kind.evaluate(poses, twists)
            gap[kind.rows], bias[kind.rows] = gaps, biases
            entries = entries.reshape(len(kind.a), kind.size, 12)
            data += [entries[:, :, :6].ravel(), entries[:, :, 6:].ravel()]
        return Rows(gap, bias, np.concatenate(data)[self._places[2]] if data else np.zeros(0))

    def matrix(self, data: Floats) -> Any:
        """J as a sparse matrix over all twists."""
        import scipy.sparse as sparse

        row, column, _ = self._places
        return sparse.csr_matrix((data, (row, column)), shape=(self.size, 6 * len(self.system.bodies)))

    def independent(self, A: Any) -> Places:
        """Rows that do not depend on those before them: those of the tree first, which never do, then what is left of loops."""
        import scipy.sparse as sparse

        loops = len([name for closure in self.system.loops for name in closure.row_names])
        tree = self.size - loops
        if not loops:
            return np.arange(self.size)
        A = sparse.csc_matrix(A)
        scale = 1.0 / np.sqrt(np.maximum(A.diagonal(), 1e-300))
        A = sparse.diags(scale) @ A @ sparse.diags(scale)
        S = A[tree:, tree:].toarray()
        if tree:
            S = S - A[tree:, :tree] @ _sparse_lu(A[:tree, :tree]).solve(A[:tree, tree:].toarray())
        return np.concatenate([np.arange(tree), tree + np.array(_leading(S), dtype=int)])

    def solver(self, A: Any, active: Places) -> Solve:
        """What solves A x = b: densely with the smallest x, or along the graph on the independent rows."""
        if self.size <= DENSE:
            return _dense(np.asarray(A.todense()))
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


def _dense(A: Floats) -> Solve:
    scale = 1.0 / np.sqrt(np.maximum(np.diag(A), 1e-300))
    values, vectors = np.linalg.eigh(A * np.outer(scale, scale))
    inverse = np.where(values > RANK, 1.0 / np.where(values > RANK, values, 1.0), 0.0)
    return lambda right: scale * (vectors @ (inverse * (vectors.T @ (scale * right))))


def _leading(S: Floats) -> list[int]:
    """Rows of a positive matrix, in order, each of which something is left after those before it (L D L^T)."""
    S, found = np.array(S), []
    for k in range(len(S)):
        if S[k, k] > DEPENDENT:
            found.append(k)
            S[k + 1 :, k + 1 :] -= np.outer(S[k + 1 :, k], S[k, k + 1 :]) / S[k, k]
    return found
