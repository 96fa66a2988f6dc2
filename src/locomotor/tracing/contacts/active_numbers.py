"""What `codegen/runtime/active.h` does, on numbers: contacts that are held as numbers tell, with numpy."""

from __future__ import annotations

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.mechanics import distance_to_singular
from locomotor.tracing.contacts.many_numbers import Tree, made_of
from locomotor.typing import Floats

DEPENDENT = 1e-8
"""Share of a row that those before it leave, below which it depends on them: LM_ACTIVE_DEPENDENT."""
OPEN, HELD, SLIPS = 0.0, 1.0, 2.0
"""How a contact is held."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows that are held, as combinations R of orthonormal ones Q in z = G^-1 C^T."""

    factor: Floats
    Z: Floats
    """All rows, in z."""
    which: list[int]
    """Those that are held, the normals first."""
    asks: list[int]
    """Of these the ones that depend on none before them."""
    Q: Floats
    R: Floats

    def asked(self, rates: Floats) -> Floats:
        """What the orthonormal rows ask of w, for z w = -rates."""
        chosen = [self.which[a] for a in self.asks]
        return np.asarray(np.linalg.solve(self.R[:, self.asks].T, -rates[chosen])) if chosen else np.zeros(0)

    def forces(self, g: Floats) -> Floats:
        """The smallest forces of the rows with R lambda = g."""
        if not len(g):
            return np.zeros(len(self.which))
        U, T = np.linalg.qr(self.R.T)
        return np.asarray(U @ np.linalg.solve(T.T, g))


def _rows(tree: Tree, numbers: Floats, held: Floats) -> _Rows:
    mass, C = made_of(tree, numbers)
    G = np.asarray(np.linalg.cholesky(mass), dtype=np.float64)
    Z = np.asarray(np.linalg.solve(G, C.T).T if tree.rows else np.zeros((0, tree.n)), dtype=np.float64)
    normals = [tree.begin[c] for c in range(tree.contacts) if held[c] > 0.5]
    others = [i for c in range(tree.contacts) if 0.5 < held[c] < 1.5 for i in range(tree.begin[c] + 1, tree.begin[c + 1])]
    which, asks, Q = [*normals, *others], list[int](), np.zeros((0, tree.n))
    R = np.zeros((min(tree.n, tree.rows), len(which)))
    for a, i in enumerate(which):
        line = Z[i]
        for _ in range(2):
            along = Q @ line
            R[: len(asks), a] += along
            line = line - along @ Q
        left = float(np.linalg.norm(line))
        if len(asks) < len(R) and left > DEPENDENT * float(np.linalg.norm(Z[i])):
            R[len(asks), a] = left
            asks.append(a)
            Q = np.vstack([Q, line / left])
    return _Rows(G, Z, which, asks, Q, R[: len(asks)])


def solve_takes(tree: Tree) -> list[int]:
    """Sizes of the parts that `lm_active_solve` takes."""
    return [*tree.made, tree.n, tree.rows, tree.rows, tree.contacts]


def solve_gives(tree: Tree) -> list[int]:
    """Sizes of the parts that it gives."""
    return [tree.n, tree.rows, tree.contacts]


def project_takes(tree: Tree) -> list[int]:
    """Sizes of the parts that `lm_active_project` takes."""
    return [*tree.made, tree.n, tree.rows, tree.contacts]


def solve_on_numbers(tree: Tree, numbers: Floats) -> Floats:
    """Accelerations, forces of all rows, and how much each contact that slips pushes: `lm_active_solve`."""
    if not np.isfinite(numbers).all():
        return np.full(sum(solve_gives(tree)), np.nan)
    parts = np.split(numbers, np.cumsum(solve_takes(tree))[:-1])
    force, bias, c, held = parts[-4:]
    rows = _rows(tree, numbers, held)
    w, y = np.linalg.solve(rows.factor, force), rows.asked(bias)
    slips = [k for k in range(tree.contacts) if held[k] > 1.5]
    at = [rows.which.index(tree.begin[k]) for k in slips]
    others = [slice(tree.begin[k] + 1, tree.begin[k + 1]) for k in slips]
    rubs = [c[part] @ rows.Z[part] for part in others]
    matrix = np.eye(len(slips))
    for j, rub in enumerate(rubs):
        matrix[:, j] += rows.forces(rows.Q @ rub)[at]
    normals = np.linalg.solve(matrix, rows.forces(y - rows.Q @ w)[at])
    forces, pushes = np.zeros(tree.rows), np.ones(tree.contacts)
    for normal, part, rub in zip(normals, others, rubs, strict=True):
        w = w + normal * rub
        forces[part] = normal * c[part]
    if slips:
        pushes[slips] = distance_to_singular(matrix.tolist())
    g = y - rows.Q @ w
    forces[rows.which] = rows.forces(g)
    return np.concatenate([np.linalg.solve(rows.factor.T, w + g @ rows.Q), forces, pushes])


def move_on_numbers(tree: Tree, numbers: Floats) -> Floats:
    """Accelerations alone: `lm_active_move`."""
    return solve_on_numbers(tree, numbers)[: tree.n]


def project_on_numbers(tree: Tree, numbers: Floats) -> Floats:
    """Velocities that the rows allow: `lm_active_project`."""
    if not np.isfinite(numbers).all():
        return np.full(tree.n, np.nan)
    v, rates, held = np.split(numbers, np.cumsum(project_takes(tree))[:-1])[-3:]
    rows = _rows(tree, numbers, held)
    w = rows.factor.T @ v
    return np.asarray(v + np.linalg.solve(rows.factor.T, (rows.asked(rates) - rows.Q @ w) @ rows.Q))
