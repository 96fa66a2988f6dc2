"""Impulses of contacts that push and stick, by a fixed number of operations: what a compiled step can do.

    u+ = u + W L,      0 <= L_N  and  u_N+ >= target_N, one of them an equality,      u_T+ = target_T where L_N > 0

with the Delassus matrix W = C M^-1 C^T, rows contact after contact, the normal of each first; over scalars of any kind.
Nothing loops until something holds: sets of contacts are tried, as many as asked for, each with a direct solution.
Contacts with friction are in `friction_impulses`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.impacts.conditions import TINY, all_of, nobody_enters, nobody_pulls
from locomotor.typing import Array

ROUND_OFF = 1e-12
"""Impulses and velocities are zero below this share of those around them."""
DEPENDENT = 1e-9
"""A row depends on others when they leave less than this share of its own answer. Light feet, a millionth of the mass, are
above it."""
COMPLIANCE, REFINEMENTS = 1e-4, 4
"""With more rows than velocities each row is given this share of its own answer as compliance; every refinement divides
what is left of it by as much."""
STIFFER = 0.3
"""Compliance where contacts push: the last refinement takes out forces that move nothing there, and refines no more."""
SOFTEST = 1e-3
"""No row has more than this share: what is left after the refinements is round-off for heavy rows beside light ones, too."""
EXHAUSTIVE = 2
"""Up to so many contacts that push, every set is tried: each is written out in a compiled step. Numbers try sets one after the
other, and more of them (`on_numbers.EXHAUSTIVE`)."""
ENDLESS = 1e300
"""What a row divides by that nothing is left of."""


@dataclass(frozen=True, eq=False)
class Touching:
    """One contact of the problem: which rows are its own, whether it takes part, and how it acts."""

    rows: slice
    active: Any
    """A condition, or a number that is 1 where it holds and 0 elsewhere."""
    one_sided: bool = True
    """Whether the contact can only push; otherwise it holds in both directions."""
    friction: Any = None
    """Coefficient of friction, or None where the contact sticks."""
    bounces: bool = False
    """Whether it may leave again: its rows may then ask for what a mechanism with few velocities cannot do at once."""
    adheres: bool = False
    """Whether it may pull before it lets go."""
    turning: int = 0
    """How many of its rows, the last ones, are its rolling, which it resists."""
    resistance: Any = None
    """Of a contact that resists rolling: the moment along the ground is at most so many times the normal impulse."""
    bound: Any = None
    """Of the dry friction of a joint: the size of its impulse, of one row or several, is at most this. None for contacts."""
    closed: Any = None
    """Whether it touches already, where some take part that the step may only close; None where whoever takes part touches."""
    counted_from: Any = None
    """The largest pull, where normal impulses are counted from there: no impulse at all is then this number. None for zero."""
    uneven: bool = False
    """Whether an impulse may move it far more along one row on the ground than along another: the light wheel of a heavy
    car turns, and the spin of a patch that is far smaller than its body hardly gives way."""
    pivots: bool = False
    """Whether the last of its rows along the ground is the turning of a patch: force and torque then are one law."""
    varies: bool = False
    """Whether friction differs at rest, or with the speed of the slip: `Coefficients` then tell both."""

    @property
    def touches(self) -> Any:
        """Whether it takes part and touches."""
        return self.active if self.closed is None else self.closed

    def lacking(self, touches: Any, missing: Sequence[Any]) -> Any:
        """How much its rows are missing: of one that does not touch only what keeps it from entering, as it may slide above."""
        whole = sum((ops.fabs(value) for value in missing[1:]), ops.fabs(missing[0]))
        return whole if self.closed is None else ops.if_else(touches, whole, ops.fmax(missing[0], 0.0))


@dataclass(frozen=True, eq=False)
class Response:
    """How velocities and rows answer to impulses: C (rows x n), zero in the rows of contacts that are not active, and M."""

    rows: Array
    mass: Array
    shares: bool = False
    """Whether the normal of some contact is among directions that its own tangents block: its force is not determined, and
    impulses are shared in the sense of least squares. Elimination would leave all of it to the rows that come first."""
    of: "tuple[Response, Sequence[int]] | None" = None
    """The response that these are some rows of, and which."""

    @cached_property
    def columns(self) -> Array:
        """M^-1 C^T (n x rows)."""
        if self.of is None:
            return ops.solve_spd(self.mass, self.rows.T)
        return ops.block([[self.of[0].columns[:, k : k + 1] for k in self.of[1]]])

    @cached_property
    def halves(self) -> ops.Halves:
        """The axes in which masses are 1."""
        return ops.Halves(self.mass) if self.of is None else self.of[0].halves

    @cached_property
    def scaled(self) -> Array:
        """C^T in these axes (n x rows): W is its square."""
        if self.of is None:
            return self.halves.first(self.rows.T)
        return ops.block([[self.of[0].scaled[:, k : k + 1] for k in self.of[1]]])

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

    @property
    def n(self) -> int:
        """Number of velocities."""
        return int(self.mass.shape[0])

    def part(self, rows: Sequence[int]) -> "Response":
        """Some of the rows."""
        return Response(ops.block([[self.rows[k : k + 1, :]] for k in rows]), self.mass, self.shares, (self, rows))


# -- contacts that stick --------------------------------------------------------------------------------------


def sticking_impulses(response: Response, missing: Array, contacts: Sequence[Touching], rounds: int) -> tuple[Array, list[Any]]:
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


def rounds_of(contacts: Sequence[Touching], most: int) -> int:
    """Rounds after which nobody is left to let go, `most` of them at most.

    The last of the contacts that push need not be asked where nothing else acts: without it there are no impulses at all.
    """
    pushing = sum(contact.one_sided for contact in contacts)
    return min(most, pushing if pushing < len(contacts) else max(pushing - 1, 0))


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
            good = nobody_pulls([pulls[k] for k in pushing if k in members], negligible)
            if wanted == "consistent":
                made = [ops.dot(response.W[contacts[k].rows.start, :].T, L) - missing[contacts[k].rows.start] for k in pushing]
                outside = [(k, u) for k, u in zip(pushing, made, strict=True) if k not in members]
                excess = [ops.if_else(contacts[k].active, u, 0.0) for k, u in outside]
                good = all_of([good, nobody_enters(excess, ROUND_OFF * scale)])
            if good is None:
                found, flags = L, [1.0 if k in members else 0.0 for k in range(len(contacts))]
            else:
                found = ops.if_else(good, L, found)
                flags = [ops.if_else(good, 1.0 if k in members else 0.0, flag) for k, flag in enumerate(flags)]
    taking = [ops.logic_and(contact.active, ops.less(0.5, flag)) for contact, flag in zip(contacts, flags, strict=True)]
    return found, taking


def _by_some(response: Response, missing: Array, contacts: Sequence[Touching], members: Sequence[int]) -> Array:
    """Impulses if only some contacts may have any."""
    rows = [i for k in members for i in range(contacts[k].rows.start, contacts[k].rows.stop)]
    if not rows:
        return np.zeros(response.size)
    own: list[Touching] = []
    for k in members:
        at = own[-1].rows.stop if own else 0
        own.append(replace(contacts[k], rows=slice(at, at + contacts[k].rows.stop - contacts[k].rows.start)))
    found = ops.entries(
        holding_impulses(response.part(rows), ops.vector(*(missing[i] for i in rows)), own, [c.active for c in own])
    )
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
    """Impulses of those contacts that take part, whichever their sign; the others have none.

    Rows of contacts that bounce may contradict each other; only elimination can tell which of them have what they ask for.
    Where rows depend on each other the impulses are small, wherever they are counted from.
    """
    none = _uncounted(contacts, parts)
    if none is not None:
        plain = [replace(contact, counted_from=None) for contact in contacts]
        return none + holding_impulses(response, missing - response.W @ none, plain, parts)
    many = (response.shares or response.size > response.n) and not any(contact.bounces for contact in contacts)
    solve = _by_velocities if many else _by_rows
    return solve(response, missing, contacts, parts)


def _uncounted(contacts: Sequence[Touching], parts: Sequence[Any]) -> Array | None:
    """What each row counts where there is no impulse; None where all are counted from zero."""
    if all(contact.counted_from is None for contact in contacts):
        return None
    found: list[Any] = []
    for contact, part in zip(contacts, parts, strict=True):
        pull = 0.0 if contact.counted_from is None else ops.if_else(part, contact.counted_from, 0.0)
        found += [pull, *([0.0] * (contact.rows.stop - contact.rows.start - 1))]
    return ops.vector(*found)


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
    return solve_semidefinite(entries, right, _turns(contacts))


def _turns(contacts: Sequence[Touching]) -> list[list[int]]:
    """Rows in the order in which they have what they ask for, two tangents of a contact that bounces together.

    What stays closed comes first, its normals before its tangents; then the normals of what bounces, then its tangents.
    """
    staying, leaving = ([c for c in contacts if c.bounces is bounces] for bounces in (False, True))
    normals = [[contact.rows.start] for contact in reversed(staying)]
    tangents = [[i] for contact in reversed(staying) for i in reversed(range(contact.rows.start + 1, contact.rows.stop))]
    normals_later = [[contact.rows.start] for contact in reversed(leaving)]
    tangents_later = [[*range(contact.rows.start + 1, contact.rows.stop)] for contact in reversed(leaving)]
    return [*normals, *tangents, *normals_later, *(group for group in tangents_later if group)]


def solve_semidefinite(matrix: Sequence[Sequence[Any]], right: Sequence[Any], turns: Sequence[Sequence[int]]) -> Array:
    """Solve A x = b for a symmetric semidefinite A; an unknown that depends on those eliminated before it becomes zero.

    The first of `turns` are eliminated first, so that they stay: of contacts that block each other the normals carry. A turn of
    two is eliminated at once: where the two depend on each other, in the sense of least squares.
    """
    order = [i for turn in reversed(turns) for i in turn]
    rest = [[matrix[i][j] for j in order] for i in order]
    b = [right[i] for i in order]
    n = len(order)
    ends = np.cumsum([0, *(len(turn) for turn in reversed(turns))])
    groups = [list(range(int(ends[k]), int(ends[k + 1]))) for k in range(len(turns))]
    rows: list[list[Any]] = [[] for _ in range(n)]
    for group in reversed(groups):
        first = group[0]
        own = [matrix[order[k]][order[k]] for k in group]
        inverse = _inverse_of_one(rest, first, *own) if len(group) == 1 else _inverse_of_two(rest, first, *own)
        for k, line in zip(group, inverse, strict=True):
            rows[k] = [_dot(line, [rest[g][j] for g in group]) for j in range(first)]
        for i in range(first):
            for j in range(i, first):
                taken = _dot([rows[g][i] for g in group], [rest[g][j] for g in group])
                rest[i][j] = rest[j][i] = rest[i][j] - taken
            b[i] = b[i] - _dot([rows[g][i] for g in group], [b[g] for g in group])
        solved = [_dot(line, [b[g] for g in group]) for line in inverse]
        for k, value in zip(group, solved, strict=True):
            b[k] = value
    x: list[Any] = []
    for group in groups:
        x += [b[k] - sum((rows[k][j] * x[j] for j in range(group[0])), 0.0) for k in group]
    found: list[Any] = [0.0] * n
    for k, i in enumerate(order):
        found[i] = x[k]
    return ops.vector(*found)


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(left[1:], right[1:], strict=True)), left[0] * right[0])


def _inverse_of_one(rest: Sequence[Sequence[Any]], k: int, own: Any) -> list[list[Any]]:
    """1/pivot; zero where nothing is left of the pivot."""
    pivot = rest[k][k]
    safe = ops.less(DEPENDENT * own, pivot)
    return [[ops.if_else(safe, 1.0 / ops.if_else(safe, pivot, 1.0), 0.0)]]


def _inverse_of_two(rest: Sequence[Sequence[Any]], k: int, own: Any, other: Any) -> list[list[Any]]:
    """Inverse of a block of two; where one of its directions has nothing left, the pseudo-inverse, S/tr(S)² for rank one."""
    a, e, d = rest[k][k], rest[k][k + 1], rest[k + 1][k + 1]
    trace, determinant, least = a + d, a * d - e * e, DEPENDENT * ops.fmax(own, other)
    # Both directions have something left where the determinant says so (the smaller eigenvalue is about determinant/trace).
    whole = ops.less(least * ops.fmax(trace, least), determinant)
    scale = 1.0 / ops.if_else(whole, determinant, ops.if_else(ops.less(least, trace), trace * trace, ENDLESS))
    off = ops.if_else(whole, -e, e) * scale
    return [[ops.if_else(whole, d, a) * scale, off], [off, ops.if_else(whole, a, d) * scale]]


def _by_velocities(response: Response, missing: Array, contacts: Sequence[Touching], parts: Sequence[Any]) -> Array:
    """The same on the velocities, where they are fewer than the rows, by an augmented Lagrangian:

    (M + C^T E^-1 C) dv = C^T E^-1 (missing + E L), with E the compliance, L <- L + E^-1 (missing - C dv).
    """
    owner = _owners(contacts)
    own = response.own
    pushes = any(contact.one_sided for contact in contacts)
    share = STIFFER * COMPLIANCE if pushes else COMPLIANCE
    soft = [share * x for x in own]
    if any(contact.adheres for contact in contacts):
        # How hard each pulls decides who lets go. Rows as compliant as each other share by the smallest forces, as in runs.
        alike = (share / len(owner)) * sum(own[1:], own[0])
        soft = [ops.fmin(alike, SOFTEST * x) for x in own]
    stiffness = [ops.if_else(parts[k], 1.0 / (soft[i] + TINY), 0.0) for i, k in enumerate(owner)]
    C = response.rows
    weighted = ops.block([[stiffness[i] * C[i : i + 1, :]] for i in range(len(owner))])
    A = response.mass + C.T @ weighted
    L: Any = np.zeros(len(owner))
    for k in range(REFINEMENTS):
        dv = ops.solve_spd(A, weighted.T @ missing + C.T @ L)
        left = missing - C @ dv
        force = ops.vector(*(stiffness[i] * left[i] for i in range(len(owner))))
        # What no velocity can give is left over each time. Its forces move nothing, but add up, and a push may become a pull.
        L = L - float(k) * force if pushes and k == REFINEMENTS - 1 else L + force
    return L


def _owners(contacts: Sequence[Touching]) -> list[int]:
    """For each row, the number of its contact."""
    return [k for k, contact in enumerate(contacts) for _ in range(contact.rows.start, contact.rows.stop)]
