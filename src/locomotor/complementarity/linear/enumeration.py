"""All solutions of a small linear complementarity problem: every choice of z_i or w_i is tried.

The solutions with z zero outside a set and w zero on it are a polyhedron. Where the principal block of the set is regular it
is one point; else it may be a whole face, whose dimension a linear program finds. The solutions are the union of these pieces.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from locomotor.complementarity.linear.residual import measure
from locomotor.dataclass import dataclass
from locomotor.typing import Flags, Floats, Integers

LARGEST = 16
"""Largest problem whose 2^n sets are tried."""
RANK = 1e-11
"""Singular values below this much of the largest are zero."""
SIGN = 1e-10
"""Numbers above minus this, relatively, are not negative."""
SAME = 1e-8
"""Solutions nearer than this, relatively, are one."""


@dataclass(frozen=True, eq=False)
class Branch:
    """A solution, or a face of solutions of some dimension around it."""

    solution: Floats
    slack: Floats
    support: tuple[int, ...]
    """Where z may be positive; w is zero there."""
    directions: Floats
    """Orthonormal rows: the solution may move along them, within the signs."""

    @property
    def dimension(self) -> int:
        """0 for an isolated solution."""
        return len(self.directions)


def branches(M: Floats, q: Floats) -> list[Branch]:
    """All solutions: isolated ones, and faces that are in no larger one. Empty: there is none."""
    n = len(q)
    found: list[Branch] = []
    for k in range(n + 1):
        sets = np.array(list(combinations(range(n), k)), dtype=int).reshape(comb(n, k), k)
        blocks = M[sets[:, :, None], sets[:, None, :]]
        sizes = np.linalg.svd(blocks, compute_uv=False) if k else np.ones((1, 1))
        regular = sizes[:, -1] > RANK * sizes[:, 0]
        found += _points(M, q, sets[regular], blocks[regular])
        for chosen in sets[~regular]:
            face = _face(M, q, chosen)
            if face is not None:
                found.append(face)
    return _distinct(M, q, found)


def _points(M: Floats, q: Floats, sets: Integers, blocks: Floats) -> list[Branch]:
    """Solutions whose principal block is regular."""
    if not len(sets):
        return []
    right = -q[sets][..., None]
    x = np.linalg.solve(blocks, right)
    x += np.linalg.solve(blocks, right - blocks @ x)
    z = np.zeros((len(sets), len(q)))
    np.put_along_axis(z, sets, x[..., 0], axis=1)
    w = z @ M.T + q
    np.put_along_axis(w, sets, 0.0, axis=1)
    size_z = np.abs(z).max(axis=1, initial=0.0)[:, None]
    size_w = (np.abs(z) @ np.abs(M).T + np.abs(q)).max(axis=1, initial=0.0)[:, None]
    good = ((z >= -SIGN * size_z) & (w >= -SIGN * size_w)).all(axis=1)
    nothing = np.zeros((0, len(q)))
    return [
        Branch(np.maximum(z[i], 0.0), np.maximum(w[i], 0.0), tuple(sets[i].tolist()), nothing) for i in np.flatnonzero(good)
    ]


def _null_space(A: Floats) -> Floats:
    """Orthonormal columns that A takes to zero."""
    if not A.size:
        return np.eye(A.shape[1])
    _, sizes, right = np.linalg.svd(A)
    rank = int((sizes > 1e-9 * max(float(sizes[0]), 1e-300)).sum())
    return right[rank:].T


def _face(M: Floats, q: Floats, chosen: Integers) -> Branch | None:
    """Solutions whose principal block is singular: x + N t with all signs right, or None."""
    n = len(q)
    A = M[np.ix_(chosen, chosen)]
    left, sizes, right = np.linalg.svd(A)
    rank = int((sizes > RANK * sizes[0]).sum()) if sizes[0] > 0.0 else 0
    lost = left[:, rank:].T @ q[chosen]
    if np.abs(lost).max(initial=0.0) > SIGN * max(1.0, float(np.abs(q).max())):
        return None
    x = -(right[:rank].T / sizes[:rank]) @ (left[:, :rank].T @ q[chosen])
    N = right[rank:].T
    others = np.setdiff1d(np.arange(n), chosen)
    # Everything that must not be negative: g + G t.
    g = np.concatenate([x, M[np.ix_(others, chosen)] @ x + q[others]])
    G = np.vstack([N, M[np.ix_(others, chosen)] @ N])
    t, tight = _inside(g, G)
    if t is None:
        return None
    moves = _null_space(G[tight])
    z = np.zeros(n)
    z[chosen] = np.maximum(x + N @ t, 0.0)
    directions = np.zeros((moves.shape[1], n))
    directions[:, chosen] = (N @ moves).T
    w, residual, _ = measure(M, q, z)
    if residual > 10.0 * SIGN:
        return None
    return Branch(z, np.maximum(w, 0.0), tuple(chosen.tolist()), directions)


def _inside(g: Floats, G: Floats) -> tuple[Floats | None, Flags]:
    """A point t with g + G t >= 0 where as many rows as can be are positive, and which rows never are.

    One linear program (Freund, Roundy and Todd 1985): maximise sum s with g tau + G t >= s, 0 <= s <= 1, tau >= 1.
    """
    from scipy.optimize import linprog

    m, k = G.shape
    cost = np.concatenate([np.zeros(k + 1), -np.ones(m)])
    rows = np.hstack([-G, -g[:, None], np.eye(m)])
    if not np.isfinite(rows).all():
        raise FloatingPointError("numbers beyond the largest one")
    bounds = [(None, None)] * k + [(1.0, None)] + [(0.0, 1.0)] * m
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(cost, A_ub=rows, b_ub=np.zeros(m), bounds=bounds, method="highs", options=options)
    if found.x is None:
        return None, np.zeros(0, dtype=bool)
    t = found.x[:k] / found.x[k]
    tight = found.x[k + 1 :] < 0.5
    if tight.any():  # on the rows that are zero, exactly
        t = t - np.linalg.lstsq(G[tight], g[tight] + G[tight] @ t, rcond=1e-12)[0]
    return t, tight


def _distinct(M: Floats, q: Floats, found: list[Branch]) -> list[Branch]:
    """Each solution once; those that lie on a face of others are part of it."""
    kept: list[Branch] = []
    size_w = float(np.abs(q).max(initial=0.0)) or 1.0
    for branch in sorted(found, key=lambda b: -b.dimension):
        size_z = float(branch.solution.max(initial=0.0))
        for other in kept:
            outside = np.setdiff1d(np.arange(len(q)), other.support)
            on_face = (
                other.dimension > 0
                and branch.solution[outside].max(initial=0.0) <= SAME * size_z
                and branch.slack[list(other.support)].max(initial=0.0) <= SAME * size_w
            )
            apart = np.abs(branch.solution - other.solution).max(initial=0.0)
            if on_face or apart <= SAME * max(size_z, float(other.solution.max(initial=0.0))):
                break
        else:
            kept.append(branch)
    return sorted(kept, key=lambda b: (len(b.support), b.support))
