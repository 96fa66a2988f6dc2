"""A pass of `codegen/runtime/many.h` on numbers: the same algorithm with numpy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.typing import Floats

COMPLIANCE, ROUNDS, INSIDE, SLACK, SLOW, FAR, FOUND, STEADY, TINY = 1e-4, 16, 0.999, 1e-9, 0.8, 2.0, 1e-5, 1e-12, 1e-30
"""As in the header, and in `mechanics/impacts/sticking.py`, which says what they are."""
CLOSED = 1e-6
"""Share of the gaps that may stay open until the next step."""


@dataclass(frozen=True)
class Tree:
    """Which body carries which (-1: the world), their velocities, the bodies of contacts and the rows of each.

    Where it is `whole`, nothing is made of that: mass matrix and rows are given.
    """

    parent: tuple[int, ...]
    first: tuple[int, ...]
    on: tuple[int, ...]
    begin: tuple[int, ...]
    whole: bool = False

    @property
    def n(self) -> int:
        """Number of velocities."""
        return self.first[-1]

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.parent)

    @property
    def contacts(self) -> int:
        """Number of contacts."""
        return len(self.on)

    @property
    def rows(self) -> int:
        """Number of rows of all contacts."""
        return self.begin[-1]

    @property
    def takes(self) -> int:
        """Count of the numbers that `lm_many_pass` takes."""
        return sum(self.sizes)

    @property
    def sizes(self) -> list[int]:
        """Sizes of the parts of these numbers, masses and rows first."""
        n, k, m = self.n, self.contacts, self.rows
        return [*self.made, n, n, m, k, k, 1, 1, k, m]

    @property
    def made(self) -> list[int]:
        """Sizes of the parts that masses and rows are made of."""
        n, k, m = self.n, self.contacts, self.rows
        return [n * n, m * n] if self.whole else [6 * n, 10 * self.bodies, n, 3 * k, 3 * m]

    @property
    def gives(self) -> int:
        """Count of the numbers that `lm_many_pass` gives."""
        return 2 * self.n + self.rows + 3 * self.contacts

    def carrying(self, body: int) -> list[int]:
        """The velocities that move a body."""
        found: list[int] = []
        while body >= 0:
            found += range(self.first[body], self.first[body + 1])
            body = self.parent[body]
        return found


def pass_on_numbers(tree: Tree, numbers: Floats, sweeps: int) -> Floats:
    """One pass over the tree on numbers, the twin of `lm_many_pass` in C."""
    n, k, m = tree.n, tree.contacts, tree.rows
    parts = np.split(numbers, np.cumsum(tree.sizes)[:-1])
    v, force, turning, gaps, mu = parts[-9:-4]
    h, known, given, guess = float(parts[-4][0]), parts[-3][0] > 0.5, parts[-2], parts[-1]
    if not np.isfinite(numbers).all():
        return np.full(tree.gives, np.nan)
    mass, C = made_of(tree, numbers)
    G = np.linalg.cholesky(mass)
    a = np.linalg.solve(mass, force)
    normals = list(tree.begin[:-1])
    bias = 2.0 * turning[normals] / h
    terms = C[normals] * a
    fallen, size = np.abs(terms.sum(axis=1) + bias), np.abs(terms).sum(axis=1) + np.abs(bias)
    reach = 0.125 * h * h * np.maximum(fallen, 0.1 * size)
    acts = given > 0.5 if known else gaps - reach < TINY
    free = v + h * a
    chosen = [c for c in range(k) if acts[c]]
    own_rows = [list(range(tree.begin[c], tree.begin[c + 1])) for c in chosen]
    at = [i for rows in own_rows for i in rows]
    velocity, closing, impulses, before = free.copy(), np.zeros(n), np.zeros(m), np.zeros(k)
    before[chosen] = (C @ v - turning)[[rows[0] for rows in own_rows]]
    if at:
        Z = np.linalg.solve(G, C[at].T).T
        missing = -(C[at] @ free + turning[at])
        begin = np.cumsum([0, *map(len, own_rows)]).tolist()
        L, moved = _impulses(Z, missing, begin, mu[chosen], guess[at], sweeps)
        impulses[at] = L
        velocity = free + np.linalg.solve(G.T, moved)
        if known:
            first = begin[:-1]
            lift = -(gaps[chosen] + 0.5 * h * (Z[first] @ moved - missing[first]))
            stands = np.full(len(chosen), -1.0)
            normals = list(range(len(chosen) + 1))
            raised = _sweep(Z[first], lift, normals, stands, np.zeros(len(chosen)), sweeps, CLOSED)[1]
            closing = np.linalg.solve(G.T, raised)
    return np.concatenate([velocity, closing, impulses, np.where(acts, 1.0, 0.0), before, np.where(known & ~acts, 0.0, reach)])


def made_of(tree: Tree, numbers: Floats) -> tuple[Floats, Floats]:
    """Mass matrix and rows, from the numbers that come first in every pass."""
    n, k, m = tree.n, tree.contacts, tree.rows
    parts = np.split(numbers[: sum(tree.made)], np.cumsum(tree.made)[:-1])
    if tree.whole:
        return parts[0].reshape(n, n), parts[1].reshape(m, n)
    axes = parts[0].reshape(n, 6)
    mass = _mass(tree, axes, parts[1].reshape(-1, 10)) + np.diag(parts[2])
    return mass, _rows(tree, axes, parts[3].reshape(k, 3), parts[4].reshape(m, 3))


def _mass(tree: Tree, axes: Floats, inertias: Floats) -> Floats:
    composite = inertias.copy()
    for b in reversed(range(tree.bodies)):
        if tree.parent[b] >= 0:
            composite[tree.parent[b]] += composite[b]
    mass = np.zeros((tree.n, tree.n))
    for b in range(tree.bodies):
        m, c = composite[b, 0], composite[b, 1:4]
        xx, yy, zz, xy, xz, yz = composite[b, 4:]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        for j in range(tree.first[b], tree.first[b + 1]):
            linear, angular = axes[j, :3], axes[j, 3:]
            wrench = np.concatenate([m * linear + np.cross(angular, c), np.cross(c, linear) + inertia @ angular])
            for i in tree.carrying(b):
                mass[i, j] = mass[j, i] = axes[i] @ wrench
    return mass


def _rows(tree: Tree, axes: Floats, points: Floats, directions: Floats) -> Floats:
    C = np.zeros((tree.rows, tree.n))
    for c, body in enumerate(tree.on):
        moving = tree.carrying(body)
        velocity = axes[moving, :3] + np.cross(axes[moving, 3:], points[c])
        for i in range(tree.begin[c], tree.begin[c + 1]):
            C[i, moving] = velocity @ directions[i]
    return C


def _impulses(Z: Floats, missing: Floats, begin: list[int], mu: Floats, L: Floats, sweeps: int) -> tuple[Floats, Floats]:
    stuck = _stick(Z, missing, begin, mu, L)
    if stuck is not None:
        return stuck
    L, moved = _sweep(Z, missing, begin, mu, L, sweeps)
    return _stick(Z, missing, begin, mu, L) or (L, moved)


def _stick(Z: Floats, missing: Floats, begin: list[int], mu: Floats, start: Floats) -> tuple[Floats, Floats] | None:
    own = (Z * Z).sum(axis=1)
    stiff = np.where(own > TINY, 1.0 / (COMPLIANCE * np.maximum(own, TINY)), 0.0)
    A = np.eye(Z.shape[1]) + (Z.T * stiff) @ Z
    L, scale, before = start.copy(), TINY + np.abs(missing).sum(), 1.0 / TINY
    slices = [slice(a, b) for a, b in pairwise(begin)]
    inside = True
    moved: Floats = np.zeros(Z.shape[1])
    for _ in range(ROUNDS):
        for part, rub in zip(slices, mu, strict=True):
            L[part.start] = max(L[part.start], 0.0)
            along, bound = L[part.start + 1 : part.stop], rub * L[part.start]
            size = float(np.linalg.norm(along))
            if rub >= 0.0 and bound < size:
                along *= INSIDE * bound / size
        moved = np.asarray(np.linalg.solve(A, Z.T @ (stiff * missing + L)), dtype=np.float64)
        left = missing - Z @ moved
        L = L + stiff * left
        normal = np.array([L[part.start] for part in slices])
        lengths = np.array([np.linalg.norm(L[part.start + 1 : part.stop]) for part in slices])
        rubs = mu >= 0.0
        bounds = mu * np.maximum(normal, 0.0)
        excess = max(float((-normal).max()), 0.0, float((lengths - bounds)[rubs].max(initial=0.0)))
        missed = float(np.abs(left).sum()) / scale
        inside = excess < SLACK * float(np.abs(normal).sum()) + 2e-15
        outside = not SLOW * before < missed and not FAR * bounds[rubs].sum() < lengths[rubs].sum()
        before = missed
        if (missed <= STEADY) if inside else not outside:
            break
    return (L, moved) if inside and before < FOUND else None


def _sweep(
    Z: Floats, missing: Floats, begin: Sequence[int], mu: Floats, start: Floats, sweeps: int, steady: float = STEADY
) -> tuple[Floats, Floats]:
    L, scale = start.copy(), TINY + float(np.abs(missing).sum())
    moved = Z.T @ L
    blocks = [Z[a:b] @ Z[a:b].T for a, b in pairwise(begin)]
    for _ in range(sweeps):
        change = 0.0
        for c, block in enumerate(blocks):
            part = slice(begin[c], begin[c + 1])
            lacking = missing[part] - Z[part] @ moved
            stick = L[part] + _eliminated(block, lacking)
            pushes, held = stick[0] > 0.0, mu[c] < 0.0 or float(np.linalg.norm(stick[1:])) < mu[c] * stick[0]
            if pushes and (held or len(block) == 1):
                after = stick
            elif mu[c] < 0.0 or len(block) == 1:
                after = np.zeros(len(block))
            else:
                after = L[part].copy()
                after[0] = max(after[0] + lacking[0] / block[0, 0], 0.0) if block[0, 0] > TINY else max(after[0], 0.0)
                bound = max(float(np.abs(block[1:, 1:]).sum(axis=1).max()), TINY)
                after[1:] += (lacking[1:] - block[1:, 0] * (after[0] - L[part.start])) / bound
                size = float(np.linalg.norm(after[1:]))
                if size > mu[c] * after[0]:
                    after[1:] *= mu[c] * after[0] / size
            step = after - L[part]
            moved = moved + step @ Z[part]
            change += float(np.abs(step) @ np.diag(block))
            L[part] = after
        if change <= steady * scale:
            break
    return L, moved


def _eliminated(block: Floats, right: Floats) -> Floats:
    """Solution of a small semidefinite system, tangents eliminated first; rows that depend on those get nothing."""
    a, b, x = block.copy(), right.copy(), np.zeros(len(block))
    used = [False] * len(block)
    for k in reversed(range(len(block))):
        if not (a[k, k] > 1e-9 * block[k, k] and block[k, k] > TINY):
            continue
        used[k] = True
        factor = a[:k, k] / a[k, k]
        a[:k, :k] -= np.outer(factor, a[k, :k])
        b[:k] -= factor * b[k]
    for k in range(len(block)):
        if used[k]:
            x[k] = (b[k] - a[k, :k] @ x[:k]) / a[k, k]
    return x
