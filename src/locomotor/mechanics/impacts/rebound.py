"""Restitution by the laws of Poisson and Stronge in a step, over scalars of any kind: what impulses give back.

Compression has been solved, with impulses L_C. Restitution adds L_E, which is at least a share of that along the normals,

    0 <= L_EN - s e L_CN  and  u_N+ >= 0, one of them an equality,      |L_ET| <= mu L_EN, against u_T+ where there is slip,

with s = 1 by Poisson's law, and by Stronge's such that restitution gives back e² of the normal work of compression, and no more
than e² of what compression took in all (docs/theory.md (I7); Pfeiffer and Glocker 1996, ch. 8; `complementarity.impacts.phases`
has the same on numbers). Impulses are found by sweeps over the contacts, in which s is found as well; of contacts that stick
whatever it takes by direct solutions, in which the one that would pull most lets go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.constraints import patch_size
from locomotor.mechanics.impacts.block import TOGETHER, Block, choice, dot, slid_on_patch, square, within
from locomotor.mechanics.impacts.conditions import TINY
from locomotor.mechanics.impacts.friction import Sliding
from locomotor.mechanics.impacts.on_symbols import ROUND_OFF, Response, Touching, holding_impulses, solve_semidefinite
from locomotor.mechanics.impacts.repeat import Turn, Values
from locomotor.mechanics.impacts.sticking import WITHIN, Coefficients, Pushed, missing_in_all
from locomotor.typing import Array

MOST = 1e3
"""Largest s; beyond it friction holds the contacts fast whatever it is, and s = 1 is taken."""
FASTEST = 4.0
"""In a sweep s grows or shrinks by this at most."""
SEARCHES = 3
"""Steps towards s where contacts stick; one is exact while the same contacts leave."""


@dataclass(frozen=True, eq=False)
class Restitution:
    """What is given back: after the compression of a step, before impulses of restitution are known."""

    shares: Sequence[Any]
    """Of each contact e, 0 where it does not bounce."""
    energetic: Any
    """1 where Stronge's law is asked, 0 where Poisson's is."""
    goes: Any
    """1 where something bounces at all, else 0: there is then no restitution."""
    before: Array
    """Velocities along the rows before the impact, forces of the step apart."""
    later: Array
    """What forces add to velocities along the rows after it: wanted is nothing of both at the end of the step."""


class Rebound:
    """Contacts of one configuration, some of which may slip, in restitution."""

    def __init__(self, sliding: Sliding) -> None:
        self.sliding, self.contacts = sliding, sliding.contacts
        self._leaving = [
            None if block.loaded is not None or not block.contact.one_sided else _Leaving(block) for block in sliding.blocks
        ]

    def impulses(
        self,
        missing: Array,
        first: Pushed,
        law: Restitution,
        sweeps: int,
        loads: Mapping[int, Values] | None = None,
        varying: Mapping[int, Coefficients] | None = None,
    ) -> Pushed:
        """Impulses of both phases together; `first` are those of compression, `missing` is wanted at the end of the step."""
        sliding, wanted = self.sliding, ops.entries(missing)
        n, size = sliding.n, sliding.size
        scale = missing_in_all(self.contacts, wanted)
        moved = range(size, size + n)
        s, sums, last = size + n, range(size + n + 1, size + n + 3), range(size + n + 3, size + n + 5)
        middle = ops.entries(law.before + sliding.response.scaled.T @ ops.vector(*first.moved))
        stored = _stored(self.contacts, first.impulses, ops.entries(law.before), middle, law.shares)
        # Carried: impulses, velocities, s, normal and all work given back, what rows are missing, how far from done.
        turns = [Turn(lambda *_: [0.0] * 4, [], [*sums, *last])]
        for k, (contact, block) in enumerate(zip(self.contacts, sliding.blocks, strict=True)):
            mine, leaving = range(contact.rows.start, contact.rows.stop), self._leaving[k]
            given = [wanted[i] for i in mine]
            if leaving is not None:
                mu = (varying or {})[k].slips if k in (varying or {}) else contact.friction
                floor = leaving.floor(first.impulses, middle, ops.entries(law.later), law.shares[k], mu)
                data = [[*leaving.data_for(mu, given), *floor], given, *block.rows]
                turns.append(Turn(leaving.turn, data, [*mine, *moved, s, *sums, *last], True))
            else:
                turns += sliding.turn_of(k, wanted, [*moved, *last], loads, varying)
        turns.append(Turn(_shared, [[scale, stored, law.energetic]], [s, *sums, *last]))
        start = [*first.impulses, *first.moved, 1.0, 0.0, 0.0, 0.0, law.goes]
        found = sliding.repeat(turns, start, sweeps)
        return Pushed(list(found[:size]), list(found[size : size + n]), ops.less(0.0, -1.0))


def _stored(
    contacts: Sequence[Touching], impulses: Values, before: Sequence[Any], middle: Sequence[Any], shares: Sequence[Any]
) -> Any:
    """Energy to be given back by Stronge's law."""
    stored, normal, whole = 0.0, TINY, 0.0
    for contact, e in zip(contacts, shares, strict=True):
        if contact.one_sided and contact.bound is None:
            works = [-0.5 * impulses[i] * (before[i] + middle[i]) for i in range(contact.rows.start, contact.rows.stop)]
            own = ops.fmax(works[0], 0.0)
            stored, normal, whole = stored + e * e * own, normal + own, whole + sum(works[1:], works[0])
    return stored * ops.fmin(1.0, ops.fmax(whole, 0.0) / normal)


def _shared(data: Sequence[Values], carry: Values) -> Values:
    """A sweep later: s, such that what is given back is what is stored; and how far all is from done."""
    (scale, stored, energetic), (s, normal, whole, missed, change) = data[0], carry
    ratio = ops.sqrt((stored + TINY) / (ops.fmax(normal, whole) + TINY))
    ratio = ops.fmin(ops.fmax(ratio, 1.0 / FASTEST), FASTEST)
    asked = ops.less(0.5, ops.if_else(ops.less(0.0, s), energetic, 0.0))
    after = ops.if_else(asked, ops.if_else(ops.less(s * ratio, MOST), s * ratio, -1.0), s)  # below zero: given up
    return [after, normal, whole, missed, change / scale + ops.fabs(after - s)]


class _Leaving:
    """One contact that pushes, in the sweeps of restitution."""

    def __init__(self, block: Block) -> None:
        self.block, self.count, self.along = block, block.count, block.along
        W, own = block.entries, range(1, self.along)
        tangents = [[W[i][j] for j in own] for i in own]
        units = [[1.0 if i == j else 0.0 for j in own] for i in own]
        turns = [[i] for i in reversed(range(len(tangents)))]
        inverse = [ops.entries(solve_semidefinite(tangents, unit, turns)) for unit in units]
        coupling = [W[i][0] for i in own]
        along = [W[i][j] for i in own for j in own if i <= j] if block.patched else []
        self._parts = (len(coupling), len(coupling), len(coupling) ** 2, len(along), self.count, self.count, self.count, 2)
        self._own = [W[0][0], block.longest, *coupling, *(W[i][i] for i in own), *(x for line in inverse for x in line), *along]

    def data_for(self, mu: Any, wanted: Values) -> list[Any]:
        """Whether it acts, how its normal yields while it slips, how rows answer, and the inverse of that along the ground."""
        soft = self.block.yielding(mu, wanted)
        return [self.block.data[0], 1.0 / (self._own[0] + TINY) if soft is None else soft, *self._own]

    def floor(self, first: Values, middle: Sequence[Any], later: Sequence[Any], e: Any, mu: Any) -> list[Any]:
        """What its compression leaves: impulses, velocities after it, what forces add later, the share and friction."""
        rows = self.block.contact.rows
        return [*first[rows], *middle[rows], *later[rows], e, 0.0 if mu is None else mu]

    def turn(self, data: Sequence[Values], carry: Values) -> Values:
        """New impulses of the contact, the velocities with them, the work that it gives back, and how much has changed."""
        (own, wanted, *rows), count = data, self.count
        (_, soft, size, step), parts = own[:4], _split(own[4:], self._parts)
        coupling, weights, inverse, entries, first, middle, later, (e, mu) = parts
        L, moved, (s, normal, whole, missed, change) = list(carry[:count]), list(carry[count:-5]), carry[-5:]
        lacking = [value - dot(row, moved) for value, row in zip(wanted, rows, strict=True)]
        least = first[0] * (1.0 + ops.fabs(s) * e)
        pushed = ops.fmax(L[0] + lacking[0] * soft, least)
        left = [lacking[i] - coupling[i - 1] * (pushed - L[0]) for i in range(1, self.along)]
        width, given = self.along - 1, pushed - first[0]
        held = (
            [L[1 + i] - first[1 + i] + dot(inverse[width * i : width * (i + 1)], left) for i in range(width)] if width else []
        )
        if self.block.contact.friction is None:  # it holds where it pushes at all
            along = choice(ops.less(0.0, given), held, [0.0] * width)
        else:
            bound, begun = mu * given, [L[1 + i] - first[1 + i] for i in range(width)]
            if self.block.patched:
                slid = slid_on_patch(entries, bound, begun, left, TOGETHER)
                holds = ops.less(patch_size(held, WITHIN), bound)
            else:
                slid = within([x + step * y for x, y in zip(begun, left, strict=True)], bound)
                holds = ops.less(square(held), bound * bound)
            along = choice(holds, held, slid)
        after = [pushed, *(x + y for x, y in zip(along, first[1 : self.along], strict=True)), *L[self.along :]]
        for i, value in enumerate(after[: self.along]):
            difference = value - L[i]
            change = change + ops.fabs(difference) * (size if i == 0 else weights[i - 1])
            moved = [velocity + x * difference for velocity, x in zip(moved, rows[i], strict=True)]
        for i in range(self.along):
            ends = dot(rows[i], moved) - wanted[i] - later[i]
            work = 0.5 * (after[i] - first[i]) * (middle[i] + ends)
            normal, whole = normal + work if i == 0 else normal, whole + work
        return [*after, *moved, s, normal, whole, missed, change]


def _split(values: Values, sizes: Sequence[int]) -> list[Values]:
    found, at = [], 0
    for size in sizes:
        found.append(values[at : at + size])
        at += size
    return found


# -- contacts that stick --------------------------------------------------------------------------------------


def sticking_rebound(
    response: Response,
    missing: Array,
    contacts: Sequence[Touching],
    first: tuple[Array, Sequence[Any]],
    law: Restitution,
    rounds: int,
    stronge: bool,
) -> tuple[Array, list[Any]]:
    """Impulses of both phases together of contacts that stick, and for each 1 where it stays closed, else 0.

    `first` are those of compression, and who takes part in it.
    """
    L, parts = first
    middle = law.before + response.W @ L
    shares = [e if contact.one_sided else 0.0 for e, contact in zip(law.shares, contacts, strict=True)]
    found, stays = _given_back(response, missing, contacts, L, parts, shares, rounds)
    if stronge:
        held = ops.entries(L)
        stored = _stored(contacts, held, ops.entries(law.before), ops.entries(middle), law.shares)
        s: Any = 1.0
        for _ in range(SEARCHES):
            work = _work(contacts, ops.entries(found - L), ops.entries(middle), ops.entries(middle + response.W @ (found - L)))
            s = ops.if_else(ops.less(0.5, law.energetic), ops.fmin(s * ops.sqrt((stored + TINY) / (work + TINY)), MOST), 1.0)
            found, stays = _given_back(response, missing, contacts, L, parts, [s * e for e in shares], rounds)
    return ops.if_else(ops.less(0.5, law.goes), found, L), stays


def _work(contacts: Sequence[Touching], impulses: Sequence[Any], before: Sequence[Any], after: Sequence[Any]) -> Any:
    """What restitution gives back along normals, or in all where that is more."""
    normal, whole = 0.0, 0.0
    for contact in contacts:
        if contact.one_sided and contact.bound is None:
            works = [0.5 * impulses[i] * (before[i] + after[i]) for i in range(contact.rows.start, contact.rows.stop)]
            normal, whole = normal + works[0], whole + sum(works[1:], works[0])
    return ops.fmax(ops.fmax(normal, whole), 0.0)


def _given_back(
    response: Response,
    missing: Array,
    contacts: Sequence[Touching],
    L: Array,
    parts: Sequence[Any],
    shares: Sequence[Any],
    rounds: int,
) -> tuple[Array, list[Any]]:
    """Impulses in all, with given shares of those of compression; and who stays closed.

    Who was closed in compression stays so where others press it on; whoever would have to pull for that leaves, and keeps what
    it was given.
    """
    given: list[Any] = [0.0] * response.size
    for contact, e, part in zip(contacts, shares, parts, strict=True):
        k = contact.rows.start
        given[k] = ops.if_else(part, e * ops.fmax(L[k], 0.0), 0.0)
    pushed = L + ops.vector(*given)
    left = missing - response.W @ pushed
    divided, owner = _divided(contacts)
    stays: list[Any] = [ops.if_else(part, 1.0, 0.0) for part in parts]
    more: Any = ops.vector(*([0.0] * response.size))
    for turn in range(rounds + 1):
        taking = []
        for piece, k in zip(divided, owner, strict=True):
            holds = stays[k]
            if contacts[k].one_sided and piece.rows.start > contacts[k].rows.start:  # tangents hold where it pushes at all
                rubs = ops.if_else(ops.less(0.0, given[contacts[k].rows.start]), ops.if_else(parts[k], 1.0, 0.0), 0.0)
                holds = ops.fmax(holds, rubs)
            taking.append(ops.less(0.5, holds))
        more = holding_impulses(response, left, divided, taking)
        pulls = [more[c.rows.start] * response.own[c.rows.start] if c.one_sided else 0.0 for c in contacts]
        least: Any = 0.0
        for pull in pulls:
            least = ops.fmin(least, pull)
        total = sum((ops.fabs(x * y) for x, y in zip(ops.entries(pushed + more), response.own, strict=True)), TINY)
        bound = ops.if_else(ops.less(least, -ROUND_OFF * total), least, -1.0 / TINY)
        if turn == rounds:  # whoever still pulls in the end has what it was given, and no more
            bound = -ROUND_OFF * total
        stays = [ops.if_else(ops.less(bound, pull), stay, 0.0) for stay, pull in zip(stays, pulls, strict=True)]
    kept = [
        ops.if_else(ops.less(0.5, stay), more[c.rows.start], 0.0) if c.one_sided else more[c.rows.start]
        for c, stay in zip(contacts, stays, strict=True)
    ]
    found = ops.entries(pushed + more)
    for contact, value in zip(contacts, kept, strict=True):
        found[contact.rows.start] = pushed[contact.rows.start] + value
    return ops.vector(*found), stays


def _divided(contacts: Sequence[Touching]) -> tuple[list[Touching], list[int]]:
    """Normals and tangents of contacts that push as contacts of their own, normals first; and whose they are."""
    divided: list[Touching] = []
    owner: list[int] = []
    for k, contact in enumerate(contacts):
        first, last = contact.rows.start, contact.rows.stop
        cuts = [slice(first, first + 1), slice(first + 1, last)] if contact.one_sided and last > first + 1 else [contact.rows]
        for cut in cuts:
            later = cut.start > first
            divided.append(replace(contact, rows=cut, bounces=later, one_sided=False, counted_from=None))
            owner.append(k)
    return divided, owner
