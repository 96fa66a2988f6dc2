"""A pass of `codegen/runtime/crowd.h` on numbers: the same algorithm with numpy."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.typing import Floats

SLACK, STEADY, NEAR, PIVOT, TINY, CLOSED, FEW, LESS, ROUNDS = 1e-9, 1e-12, 1e-9, 1e-9, 1e-30, 1e-6, 12, 0.9, 60
NEARBY, FAST, LIFTED = 1.0, 16.0, 0.75
"""As in the header, which says what they are."""


class Turn(Enum):
    """Which pass of a step it is: the first of two, the second, or the only one."""

    FIRST = "first"
    SECOND = "second"
    ONLY = "only"

    @property
    def known(self) -> bool:
        """Whether a pass went before: the set of contacts that act is known, and impulses to begin with."""
        return self is Turn.SECOND

    @property
    def last(self) -> bool:
        """Whether it ends the step: gaps are closed."""
        return self is not Turn.FIRST


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
    def paths(self) -> list[list[int]]:
        """For each velocity those that move what it moves, up to itself."""
        if self.whole:
            return [list(range(k + 1)) for k in range(self.n)]
        moved = [b for b in range(self.bodies) for _ in range(self.first[b], self.first[b + 1])]
        return [[j for j in self.carrying(b) if j <= k] for k, b in enumerate(moved)]

    @property
    def along(self) -> int:
        """Entries of all paths together."""
        return sum(map(len, self.paths))

    def sizes(self, known: bool) -> list[int]:
        """Sizes of the parts of what a pass takes, the second if the set of contacts is `known`."""
        n, k, m = self.n, self.contacts, self.rows
        if self.whole:
            made = [m * n, self.along if known else n * n]
        else:
            made = [6 * n, *([self.along] if known else [10 * self.bodies, n]), 3 * k, 3 * m]
        return [*made, n, n, m, k, k, 1, *([k, m] if known else [])]

    @property
    def made(self) -> list[int]:
        """Sizes of the parts that masses and rows are made of in `many.h`."""
        n, k, m = self.n, self.contacts, self.rows
        return [n * n, m * n] if self.whole else [6 * n, 10 * self.bodies, n, 3 * k, 3 * m]

    def takes(self, known: bool) -> int:
        """Count of the numbers that a pass takes."""
        return sum(self.sizes(known))

    def gives(self, turn: Turn) -> int:
        """Count of the numbers that a pass gives."""
        n, k, m = self.n, self.contacts, self.rows
        if turn is Turn.FIRST:
            return n + m + 2 * k + self.along
        return 2 * n + m + k + (0 if turn.known else k)

    def carrying(self, body: int) -> list[int]:
        """The velocities that move a body, in order."""
        found: list[int] = []
        while body >= 0:
            found += range(self.first[body], self.first[body + 1])
            body = self.parent[body]
        return sorted(found)


def pass_on_numbers(tree: Tree, numbers: Floats, turn: Turn, sweeps: int) -> Floats:
    """One pass over the tree on numbers, the twin of what `codegen/runtime/crowd.h` does in C."""
    n, k, m, known = tree.n, tree.contacts, tree.rows, turn.known
    sizes = tree.sizes(known)
    parts = np.split(numbers, np.cumsum(sizes)[:-1])
    given, guess = (parts.pop(-2), parts.pop(-1)) if known else (np.zeros(k), np.zeros(m))
    v, force, turning, gaps, mu = parts[-6:-1]
    h = float(parts[-1][0])
    if not np.isfinite(numbers).all():
        return np.full(tree.gives(turn), np.nan)
    if tree.whole:
        C, mass = parts[0].reshape(m, n), None if known else parts[1].reshape(n, n)
    else:
        axes = parts[0].reshape(n, 6)
        mass = None if known else _mass(tree, axes, parts[1].reshape(-1, 10)) + np.diag(parts[2])
        C = rows_on_numbers(tree, axes, parts[-8].reshape(k, 3), parts[-7].reshape(m, 3))
    N = spread_on_numbers(tree, parts[1]) if mass is None else _factor(mass)
    a = N @ (N.T @ force)
    normals = list(tree.begin[:-1])
    bias = 2.0 * turning[normals] / h
    terms = C[normals] * a
    fallen, size = np.abs(terms.sum(axis=1) + bias), np.abs(terms).sum(axis=1) + np.abs(bias)
    reach = 0.125 * h * h * np.maximum(fallen, 0.1 * size)
    free = v + h * a
    lacking = -(C @ free + turning)
    acts = given if known else _chosen(gaps, reach, lacking[normals], mu, h)
    lacking[normals] -= np.maximum(acts - 1.0, 0.0)
    chosen = [c for c in range(k) if acts[c] > 0.5]
    own_rows = [list(range(tree.begin[c], tree.begin[c + 1])) for c in chosen]
    at = [i for rows in own_rows for i in rows]
    moved, closing, impulses, before = np.zeros(n), np.zeros(n), np.zeros(m), np.zeros(k)
    before[chosen] = (C @ v - turning)[[rows[0] for rows in own_rows]]
    if at:
        Z = C[at] @ N
        missing = lacking[at]
        begin = np.cumsum([0, *map(len, own_rows)]).tolist()
        gap = gaps[chosen] if turn.last else None
        L, moved, closing = contacts_on_numbers(Z, missing, begin, mu[chosen], guess[at], sweeps, acts[chosen], gap, h)
        impulses[at] = L
    velocity = free + N @ moved
    if turn.last:
        return np.concatenate([velocity, N @ closing, impulses, before, reach[:0] if known else reach])
    entries = [N[k, j] for k, path in enumerate(tree.paths) for j in path]
    return np.concatenate([velocity, impulses, acts, reach, entries])


def _chosen(gaps: Floats, reach: Floats, missing: Floats, mu: Floats, h: float) -> Floats:
    """As in the header: around 1 for contacts that act, 0 for others."""
    opening = gaps - reach
    stopped, lifted = np.maximum(0.5 * h * missing, 0.0), np.maximum(-opening, 0.0)
    most = float(np.where(opening < stopped, stopped + lifted, 0.0).max(initial=0.0))
    way = stopped + NEARBY * most
    near = (mu >= 0.0) & (opening < way) & (way > FAST * reach)
    lands = (mu >= 0.0) & (gaps < stopped)
    share = np.where(lands, gaps / np.where(lands, stopped, 1.0), 0.0)
    return np.where(opening < TINY, 1.0, np.where(lands, 1.0 - 0.25 * share, np.where(near, 1.0 + gaps / (0.5 * h), 0.0)))


def _factor(mass: Floats) -> Floats:
    """N with mass^-1 = N N^T, a lower triangle, which has no entries but those of paths."""
    upper = np.linalg.cholesky(mass[::-1, ::-1])[::-1, ::-1]  # mass = U U^T
    return np.asarray(np.linalg.inv(upper).T)


def spread_on_numbers(tree: Tree, entries: Floats) -> Floats:
    """N as a matrix, from its entries along the paths."""
    N, given = np.zeros((tree.n, tree.n)), iter(entries)
    for k, path in enumerate(tree.paths):
        for j in path:
            N[k, j] = next(given)
    return N


def made_of(tree: Tree, numbers: Floats) -> tuple[Floats, Floats]:
    """Mass matrix and rows as `many.h` makes them, from the numbers that come first."""
    n, k, m = tree.n, tree.contacts, tree.rows
    parts = np.split(numbers[: sum(tree.made)], np.cumsum(tree.made)[:-1])
    if tree.whole:
        return parts[0].reshape(n, n), parts[1].reshape(m, n)
    axes = parts[0].reshape(n, 6)
    mass = _mass(tree, axes, parts[1].reshape(-1, 10)) + np.diag(parts[2])
    return mass, rows_on_numbers(tree, axes, parts[3].reshape(k, 3), parts[4].reshape(m, 3))


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


def rows_on_numbers(tree: Tree, axes: Floats, points: Floats, directions: Floats) -> Floats:
    """Rows of all contacts."""
    C = np.zeros((tree.rows, tree.n))
    for c, body in enumerate(tree.on):
        moving = tree.carrying(body)
        velocity = axes[moving, :3] + np.cross(axes[moving, 3:], points[c])
        for i in range(tree.begin[c], tree.begin[c + 1]):
            C[i, moving] = velocity @ directions[i]
    return C


def contacts_on_numbers(
    Z: Floats,
    missing: Floats,
    begin: list[int],
    mu: Floats,
    guess: Floats,
    sweeps: int,
    acts: Floats,
    gaps: Floats | None,
    h: float,
) -> tuple[Floats, Floats, Floats]:
    """Impulses of contacts that act, the motion that belongs to them and, in a last pass, the one that closes their gaps."""
    L, moved = impulses_on_numbers(Z, missing, begin, mu, guess, sweeps, NEAR if gaps is None else STEADY)
    if gaps is None:
        return L, moved, np.zeros_like(moved)
    normals, lacking = Z[begin[:-1]], missing[begin[:-1]]
    late = -0.5 * h * (Z.T @ (np.repeat(4.0 * np.maximum(1.0 - acts, 0.0), np.diff(begin)) * L))
    lift = -(gaps + 0.5 * h * (normals @ moved - lacking - np.maximum(acts - 1.0, 0.0))) - normals @ late
    count = len(gaps)
    stands = np.full(count, -1.0)
    return L, moved, late + sweep_on_numbers(normals, lift, range(count + 1), stands, np.zeros(count), sweeps, CLOSED)[1]


def impulses_on_numbers(
    Z: Floats, missing: Floats, begin: list[int], mu: Floats, L: Floats, sweeps: int, steady: float
) -> tuple[Floats, Floats]:
    """Impulses of rows, and the motion that belongs to them."""
    taken, moved, changed = 0, Z.T @ L, 1.0 / TINY
    while True:
        most, before = min(FEW, sweeps - taken), changed
        L, moved, slips, changed = sweep_on_numbers(Z, missing, begin, mu, L, most, steady)
        taken += most
        settled = changed <= steady * (TINY + float(np.abs(missing).sum()))
        ends = settled or taken >= sweeps or not changed < LESS * before
        stuck = _stick(Z, missing, begin, mu, L) if not slips and (ends or taken == most) else None
        if stuck is not None:
            return stuck
        if ends:
            return L, moved


def _stick(Z: Floats, missing: Floats, begin: list[int], mu: Floats, start: Floats) -> tuple[Floats, Floats] | None:
    """Impulses with which all that press stick, by conjugate gradients; None where they are not in the cones."""
    parts = [slice(a, b) for a, b in pairwise(begin)]
    presses = [part for part in parts if start[part.start] > 0.0]
    weights = np.zeros((len(missing), len(missing)))
    closed = np.zeros(len(missing))
    for part in presses:
        block = Z[part] @ Z[part].T
        weights[part, part] = np.array([_eliminated(block, unit) for unit in np.eye(len(block))])
        closed[part] = 1.0
    L, moved, scale = start.copy(), Z.T @ start, TINY + float(np.abs(missing).sum())
    left = closed * (missing - Z @ moved)
    along, rho = weights @ left, float(left @ weights @ left)
    for _ in range(ROUNDS):
        if np.abs(left).sum() <= 0.1 * STEADY * scale:
            break
        q = Z.T @ along
        step = rho / float(q @ q) if float(q @ q) > TINY else 0.0
        L, moved, left = L + step * along, moved + step * q, left - closed * (step * (Z @ q))
        before, rho = rho, float(left @ weights @ left)
        along = weights @ left + (rho / before if before > TINY else 0.0) * along
    normal = L[begin[:-1]]
    lengths = np.array([np.linalg.norm(L[part.start + 1 : part.stop]) for part in parts])
    excess = max(float((-normal).max()), float((lengths - mu * normal)[mu >= 0.0].max(initial=0.0)), 0.0)
    closing = float((missing - Z @ moved)[begin[:-1]].max())
    inside = excess < SLACK * float(np.abs(normal).sum()) + 2e-15 and closing < 1e-12 + STEADY * scale
    return (L, moved) if inside and float(np.abs(left).sum()) < 1e-7 * scale else None


def sweep_on_numbers(
    Z: Floats, missing: Floats, begin: Sequence[int], mu: Floats, start: Floats, sweeps: int, steady: float = STEADY
) -> tuple[Floats, Floats, bool, float]:
    """Sweeps over the contacts: impulses, motion, whether any slips, and what the last one changed."""
    L, scale = start.copy(), TINY + float(np.abs(missing).sum())
    moved = Z.T @ L
    blocks = [Z[a:b] @ Z[a:b].T for a, b in pairwise(begin)]
    slips, change = False, 0.0
    for _ in range(sweeps):
        change, slips = 0.0, False
        for c, block in enumerate(blocks):
            part = slice(begin[c], begin[c + 1])
            lacking = missing[part] - Z[part] @ moved
            stick = L[part] + _eliminated(block, lacking)
            if stick[0] > 0.0 and (mu[c] < 0.0 or float(np.linalg.norm(stick[1:])) < mu[c] * stick[0]):
                after = stick
            elif mu[c] < 0.0:
                after = np.zeros(len(block))
            else:
                after = _slipping(block, lacking, L[part], float(mu[c]))
                slips = slips or after[0] > 0.0
            step = after - L[part]
            moved = moved + step @ Z[part]
            change += float(np.abs(step) @ np.diag(block))
            L[part] = after
        if change <= steady * scale:
            break
    return L, moved, slips, change


def _slipping(block: Floats, lacking: Floats, L: Floats, mu: float) -> Floats:
    after = L.copy()
    bound = float(np.abs(block[1:, 1:]).sum(axis=1).max(initial=0.0))
    own = _yielding(block, L[1:] + lacking[1:] / bound, mu) if bound > TINY else float(block[0, 0])
    after[0] = max(after[0] + lacking[0] / own, 0.0) if block[0, 0] > TINY else max(after[0], 0.0)
    if bound > TINY:
        after[1:] += (lacking[1:] - block[1:, 0] * (after[0] - L[0])) / bound
    size = float(np.linalg.norm(after[1:]))
    if size > mu * after[0]:
        after[1:] *= mu * after[0] / size
    return after


def _yielding(block: Floats, along: Floats, mu: float) -> float:
    """How much a normal impulse moves its velocity, friction `along` with it where that lifts (`mechanics.impacts.block`)."""
    own, size = float(block[0, 0]), float(np.linalg.norm(along))
    lifts = mu * float(block[1:, 0] @ along) / size if size > 0.0 else 0.0
    return max(own, LIFTED * (own + lifts))


def _eliminated(block: Floats, right: Floats) -> Floats:
    """Solution of a small semidefinite system, tangents eliminated first; rows that depend on those get nothing."""
    a, b, x = block.copy(), right.copy(), np.zeros(len(block))
    used = [False] * len(block)
    for k in reversed(range(len(block))):
        if not (a[k, k] > PIVOT * block[k, k] and block[k, k] > TINY):
            continue
        used[k] = True
        factor = a[:k, k] / a[k, k]
        a[:k, :k] -= np.outer(factor, a[k, :k])
        b[:k] -= factor * b[k]
    for k in range(len(block)):
        if used[k]:
            x[k] = (b[k] - a[k, :k] @ x[:k]) / a[k, k]
    return x
