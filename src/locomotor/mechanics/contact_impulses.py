"""Impulses of contacts that push and stick, by a fixed number of operations: what a compiled step can do.

    u+ = u + W L,      0 <= L_N  and  u_N+ >= target_N, one of them an equality,      u_T+ = target_T where L_N > 0

with the Delassus matrix W = C M^-1 C^T, rows contact after contact, the normal of each first; over scalars of any kind.
Nothing loops until something holds: sets of contacts are tried, as many as asked for, each with a direct solution.
Contacts with friction are in `friction_impulses`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from locomotor.lie import ops

Array = Any

ROUND_OFF = 1e-12
"""Impulses and velocities are zero below this share of those around them."""
DEPENDENT = 1e-9
"""A row depends on others when they leave less than this share of its own answer. Light feet, a millionth of the mass, are
above it."""
COMPLIANCE, REFINEMENTS = 1e-4, 4
"""With more rows than velocities each row is given this share of its own answer as compliance; every refinement divides
what is left of it by as much."""
EXHAUSTIVE = 2
"""Up to so many contacts that push, every set is tried."""
TINY = 1e-30
"""Keeps a row that nothing moves from a division by zero."""


@dataclass(frozen=True, eq=False)
class Touching:
    """One contact of the problem: which rows are its own, whether it takes part, and how it acts."""

    rows: slice
    active: Any
    """A condition, or a number that is 1 where it holds and 0 elsewhere."""
    one_sided: bool = True
    """Whether it can only push; otherwise it holds in both directions."""
    friction: Any = None
    """Coefficient of friction, or None where the contact sticks."""


@dataclass(frozen=True, eq=False)
class Response:
    """How rows answer to impulses: C (rows x n) and M^-1 C^T (n x rows), zero in the rows of contacts that are not active."""

    rows: Array
    columns: Array
    mass: Array

    @cached_property
    def W(self) -> Array:
        """The Delassus matrix."""
        return self.rows @ self.columns

    @cached_property
    def own(self) -> list[Any]:
        """The diagonal of the Delassus matrix: the velocity that an impulse makes along its own row."""
        return [ops.dot(self.rows[i, :].T, self.columns[:, i]) for i in range(self.size)]

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.rows.shape[0])


# -- contacts that stick --------------------------------------------------------------------------------------


def sticking_impulses(
    response: Response, missing: Array, contacts: Sequence[Touching], rounds: int
) -> tuple[Array, list[Any]]:
    """Impulses that give every row of the contacts that take part what its velocity is `missing`, target - u; and who they are.

    Of one or two contacts that push, every set is tried, as in `impact.unilateral_impact`: the largest in which nobody
    pulls while the others separate. Of more, all take part at first, in each of the `rounds` the one that pulls most lets
    go, and whoever still pulls in the end does nothing.
    """
    if sum(contact.one_sided for contact in contacts) <= EXHAUSTIVE:
        return _by_trial(response, missing, contacts)
    parts = [contact.active for contact in contacts]
    L = holding_impulses(response, missing, contacts, parts)
    for _ in range(rounds):
        pulls, negligible = _pulls(response, contacts, L)
        worst: Any = 0.0
        for pull in pulls:
            worst = ops.fmin(worst, pull)
        bound = ops.if_else(ops.less(worst, -negligible), worst, -1.0 - negligible)
        parts = [ops.logic_and(part, ops.less(bound, pull)) for part, pull in zip(parts, pulls, strict=True)]
        L = holding_impulses(response, missing, contacts, parts)
    pulls, negligible = _pulls(response, contacts, L)
    parts = [ops.logic_and(part, ops.less(-negligible - TINY, pull)) for part, pull in zip(parts, pulls, strict=True)]
    kept = [ops.if_else(p, L[c.rows], np.zeros(c.rows.stop - c.rows.start)) for p, c in zip(parts, contacts, strict=True)]
    return ops.concat(*kept), parts


def _by_trial(response: Response, missing: Array, contacts: Sequence[Touching]) -> tuple[Array, list[Any]]:
    """The first set, from the largest to the smallest, that is consistent; where none is, the first in which nobody pulls."""
    pushing = [k for k, contact in enumerate(contacts) if contact.one_sided]
    rest = [k for k, contact in enumerate(contacts) if not contact.one_sided]
    sets = [sorted((*chosen, *rest)) for size in range(len(pushing), -1, -1) for chosen in combinations(pushing, size)]
    tried = [(members, _by_some(response, missing, contacts, members)) for members in sets]
    scale = sum((ops.fabs(missing[contacts[k].rows.start]) for k in pushing), 0.0)
    # Nobody pulls in the empty set, so that something is always found.
    members, found = tried[-1]
    flags: list[Any] = [1.0 if k in members else 0.0 for k in range(len(contacts))]
    for wanted in ("pushes", "consistent"):
        for members, L in reversed(tried):
            pulls, negligible = _pulls(response, contacts, L)
            good = _all([ops.less(-negligible - TINY, pulls[k]) for k in pushing if k in members])
            if wanted == "consistent":
                made = [ops.dot(response.W[contacts[k].rows.start, :].T, L) - missing[contacts[k].rows.start] for k in pushing]
                parts = [
                    ops.less(-ROUND_OFF * scale - TINY, ops.if_else(contacts[k].active, u, 0.0))
                    for k, u in zip(pushing, made, strict=True)
                    if k not in members
                ]
                good = _all([condition for condition in (good, *parts) if condition is not None])
            if good is None:
                found, flags = L, [1.0 if k in members else 0.0 for k in range(len(contacts))]
            else:
                found = ops.if_else(good, L, found)
                flags = [ops.if_else(good, 1.0 if k in members else 0.0, flag) for k, flag in enumerate(flags)]
    taking = [ops.logic_and(contact.active, ops.less(0.5, flag)) for contact, flag in zip(contacts, flags, strict=True)]
    return found, taking


def _all(conditions: Sequence[Any]) -> Any:
    """Whether all conditions hold; None where there is none."""
    found: Any = None
    for condition in conditions:
        found = condition if found is None else ops.logic_and(found, condition)
    return found


def _by_some(response: Response, missing: Array, contacts: Sequence[Touching], members: Sequence[int]) -> Array:
    """Impulses if only some contacts may have any."""
    rows = [i for k in members for i in range(contacts[k].rows.start, contacts[k].rows.stop)]
    if not rows:
        return np.zeros(response.size)
    own: list[Touching] = []
    for k in members:
        at = own[-1].rows.stop if own else 0
        own.append(replace(contacts[k], rows=slice(at, at + contacts[k].rows.stop - contacts[k].rows.start)))
    part = Response(
        ops.block([[response.rows[i : i + 1, :]] for i in rows]),
        ops.block([[response.columns[:, i : i + 1] for i in rows]]),
        response.mass,
    )
    found = ops.entries(holding_impulses(part, ops.vector(*(missing[i] for i in rows)), own, [c.active for c in own]))
    return ops.vector(*(found[rows.index(i)] if i in rows else 0.0 for i in range(response.size)))


def _pulls(response: Response, contacts: Sequence[Touching], L: Array) -> tuple[list[Any], Any]:
    """Normal impulse of each contact that only pushes, and the size below which one is round-off.

    An impulse counts by the velocity it makes at its own contact, so that heavy and light bodies compare.
    """
    pulls = [L[c.rows.start] * response.own[c.rows.start] if c.one_sided else 0.0 for c in contacts]
    total: Any = 0.0
    for pull in pulls:
        total = total + ops.fabs(pull)
    return pulls, ROUND_OFF * total


def holding_impulses(response: Response, missing: Array, contacts: Sequence[Touching], parts: Sequence[Any]) -> Array:
    """Impulses of those contacts that take part, whichever their sign; the others have none."""
    solve = _by_velocities if response.size > int(response.columns.shape[0]) else _by_rows
    return solve(response, missing, contacts, parts)


def _by_rows(response: Response, missing: Array, contacts: Sequence[Touching], parts: Sequence[Any]) -> Array:
    """Direct solution for the contacts that take part, on their rows of W; the impulses of the others are zero."""
    W, owner = response.W, _owners(contacts)
    n = len(owner)
    entries: list[list[Any]] = [[0.0] * n for _ in range(n)]
    for i in range(n):
        entries[i][i] = ops.if_else(parts[owner[i]], W[i, i], 1.0)
        for j in range(i + 1, n):
            both = parts[owner[i]] if owner[i] == owner[j] else ops.logic_and(parts[owner[i]], parts[owner[j]])
            entries[i][j] = entries[j][i] = ops.if_else(both, W[i, j], 0.0)
    right = [ops.if_else(parts[owner[i]], missing[i], 0.0) for i in range(n)]
    return solve_semidefinite(entries, right, {contact.rows.start for contact in contacts})


def solve_semidefinite(matrix: Sequence[Sequence[Any]], right: Sequence[Any], leading: Collection[int]) -> Array:
    """Solve A x = b for a symmetric semidefinite A; an unknown that depends on those eliminated before it becomes zero.

    The `leading` ones are eliminated first, so that they stay: of contacts that block each other the normals carry.
    """
    order = [i for i in range(len(right)) if i not in leading] + sorted(leading)
    rest = [[matrix[i][j] for j in order] for i in order]
    b = [right[i] for i in order]
    n = len(order)
    rows: list[list[Any]] = [[] for _ in range(n)]
    for k in reversed(range(n)):
        pivot = rest[k][k]
        safe = ops.less(DEPENDENT * matrix[order[k]][order[k]], pivot)
        inverse = ops.if_else(safe, 1.0 / ops.if_else(safe, pivot, 1.0), 0.0)
        rows[k] = [inverse * rest[k][j] for j in range(k)]
        for i in range(k):
            for j in range(i, k):
                rest[i][j] = rest[j][i] = rest[i][j] - rows[k][i] * rest[k][j]
            b[i] = b[i] - rows[k][i] * b[k]
        b[k] = inverse * b[k]
    x: list[Any] = []
    for k in range(n):
        x.append(b[k] - sum((rows[k][j] * x[j] for j in range(k)), 0.0))
    found: list[Any] = [0.0] * n
    for k, i in enumerate(order):
        found[i] = x[k]
    return ops.vector(*found)


def _by_velocities(response: Response, missing: Array, contacts: Sequence[Touching], parts: Sequence[Any]) -> Array:
    """The same on the velocities, where they are fewer than the rows, by an augmented Lagrangian:

    (M + C^T E^-1 C) dv = C^T E^-1 (missing + E L), with E the compliance, L <- L + E^-1 (missing - C dv).
    """
    owner = _owners(contacts)
    own = response.own
    stiffness = [ops.if_else(parts[k], 1.0 / (COMPLIANCE * own[i] + TINY), 0.0) for i, k in enumerate(owner)]
    C = response.rows
    weighted = ops.block([[stiffness[i] * C[i : i + 1, :]] for i in range(len(owner))])
    A = response.mass + C.T @ weighted
    L: Any = np.zeros(len(owner))
    for _ in range(REFINEMENTS):
        dv = ops.solve_spd(A, weighted.T @ missing + C.T @ L)
        left = missing - C @ dv
        L = L + ops.vector(*(stiffness[i] * left[i] for i in range(len(owner))))
    return L


def _owners(contacts: Sequence[Touching]) -> list[int]:
    """For each row, the number of its contact."""
    return [k for k, contact in enumerate(contacts) for _ in range(contact.rows.start, contact.rows.stop)]
