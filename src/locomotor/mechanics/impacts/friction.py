"""Impulses of contacts with dry friction: stick first, exactly; where that is not possible, projected Gauss-Seidel sweeps.

    u+ = u + W L,      0 <= L_N  and  u_N+ >= target_N, one of them an equality,      |L_T| <= mu L_N,

with L_T against the slip u_T+ - target_T and at its bound where there is any (Jourdan, Alart and Jean 1998,
doi:10.1016/S0045-7825(97)00137-0). The dry friction of a joint has a bound that is known, or follows its load (`loaded`), and
one row, or three within a ball.
Where mu differs at rest, or with the speed of the slip, a contact sticks within the one cone and slips at the edge of the other
(`Coefficients`); where both are possible, it sticks.
Rows and their answers are those of `sticking_impulses`. What is repeated is handed to a `Repeat`, which writes it out or makes
a loop of it.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.impacts.conditions import TINY
from locomotor.mechanics.impacts.loaded import Loaded
from locomotor.mechanics.impacts.on_symbols import Response, Touching, solve_semidefinite
from locomotor.mechanics.impacts.repeat import Repeat, Turn, Values, in_full
from locomotor.mechanics.impacts.sticking import Coefficients, Pushed, Sticking, missing_in_all, scaled_rows
from locomotor.typing import Array

FAST = 10.0
"""Sticking is not tried at once where every contact slides so many times faster than it would sink in, friction added."""
SHIFTS = 8
"""Steps towards the impulse of a ball joint that slides; five are usual."""
LEAST, EDGE = 1e-12, 1e-9
"""Share of its masses by which they are made definite, and by which that impulse may miss its bound, where it is put."""
AT_BOUND = 1e-6
"""An impulse that misses its bound by less than this share of it is at its bound."""
NEAR = 0.1
"""After sweeps sticking is looked for again where rows miss at most this share of what they were missing."""


class Sliding:
    """Contacts of one configuration, of which some may slip: everything that does not depend on the velocities."""

    def __init__(
        self,
        response: Response,
        contacts: Sequence[Touching],
        repeat: Repeat = in_full,
        loaded: Mapping[int, Loaded] | None = None,
    ) -> None:
        """`loaded` are joints whose friction follows their loads, by their numbers among the contacts."""
        self.contacts, self.repeat = contacts, repeat
        self.response, self.n, self.size = response, response.n, response.size
        follows = loaded or {}
        self._blocks = [_Block(response, contact, follows.get(k)) for k, contact in enumerate(contacts)]
        self._sticking = Sticking(response, contacts, repeat, follows)
        self._known: Values = ()  # factors, from the first guess on

    def impulses(
        self,
        missing: Array,
        sweeps: int,
        first: Pushed | None = None,
        loads: Mapping[int, Values] | None = None,
        varying: Mapping[int, Coefficients] | None = None,
    ) -> Pushed:
        """Impulses that give the rows what their velocities are `missing`, target - u, as far as friction allows.

        Sticking is tried first. It is tried again after the sweeps, when they have shared the impulses out between contacts
        that depend on each other, where these impulses are not only a `first` guess for others. `loads` are the forces in
        joints whose friction follows them, without any impulses; `varying` the coefficients of contacts whose friction varies.
        """
        if first is None:
            nothing = Pushed([0.0] * self.size, [0.0] * self.n, ops.less(0.0, -1.0))
            going = self._may_stick(missing)
            self._known = self._sticking.factors(going)
            found = self._sticking.search(missing, nothing, going, self._known, loads, None, varying)
            return self._sweeps(missing, _better(found, nothing), sweeps, 1.0, loads, varying)[0]
        held = ops.if_else(first.sticks, 1.0, 0.0)
        found = self._sticking.search(missing, first, held, self._known, loads, None, varying)
        after, near = self._sweeps(missing, _better(found, first), sweeps, 1.0, loads, varying)
        going = ops.if_else(found.sticks, 0.0, ops.if_else(near, 1.0, 0.0))
        slides = {k: self._at_bound(k, after.impulses, loads) for k, c in enumerate(self.contacts) if c.bound is not None}
        last = self._sticking.search(missing, after, going, self._sticking.factors(going, slides), loads, slides, varying)
        return _better(last, after)

    def _at_bound(self, k: int, impulses: Sequence[Any], loads: Mapping[int, Values] | None) -> Any:
        """1 where a joint has the largest impulse that it may have: it slides."""
        contact, loaded = self.contacts[k], self._blocks[k].loaded
        own = impulses[contact.rows]
        bound = contact.bound
        if loaded is not None and loads is not None:
            bound = loaded.bound(bound, loads[k], loaded.data, [*own, *(impulses[i] for i in loaded.others)])
        return ops.if_else(ops.less(_square(own), ((1.0 - AT_BOUND) * bound) ** 2), 0.0, 1.0)

    def swept(self, missing: Array, began: Pushed | None, sweeps: int, within: float = 1.0) -> Pushed:
        """Sweeps alone, from impulses that are known or from none, that end `within` so many times what is round-off."""
        nothing = Pushed([0.0] * self.size, [0.0] * self.n, ops.less(0.0, -1.0))
        return self._sweeps(missing, nothing if began is None else began, sweeps, within)[0]

    def answer(self, pushed: Pushed) -> tuple[Array, Array, Array]:
        """Impulses, and what they change in the velocities and in those along the rows."""
        moved = ops.vector(*pushed.moved)
        return ops.vector(*pushed.impulses), self.response.halves.second(moved), self.response.scaled.T @ moved

    def _may_stick(self, missing: Array) -> Any:
        """0 where every contact that acts slides fast."""
        found: Any = 0.0
        for contact, block in zip(self.contacts, self._blocks, strict=True):
            given = [missing[i] for i in range(contact.rows.start, contact.rows.stop)]
            found = ops.fmax(found, block.may_stick(given))
        return found

    def _sweeps(
        self,
        missing: Array,
        began: Pushed,
        sweeps: int,
        within: float = 1.0,
        loads: Mapping[int, Values] | None = None,
        varying: Mapping[int, Coefficients] | None = None,
    ) -> tuple[Pushed, Any]:
        """Gauss-Seidel sweeps: each contact in turn answers to the impulses of the others; and whether they nearly stick.

        A contact takes the impulse with which it would stick, if that is in its cone; otherwise its normal impulse follows
        from the normal velocity, and its tangential impulse goes down the tangential velocity and back into the cone. What does
        not change any more satisfies Coulomb's law.
        """
        wanted, n, size = ops.entries(missing), self.n, self.size
        scale = missing_in_all(self.contacts, wanted)
        going = ops.if_else(began.sticks, 0.0, ops.if_else(ops.less(scale, 2.0 * TINY), 0.0, 1.0))
        moved, sums = range(size, size + n), range(size + n, size + n + 2)
        # Carried: impulses, velocities, what rows were missing in this sweep, and how much it has changed velocities.
        turns = [Turn(lambda *_: [0.0, 0.0], [], sums)]
        for k, (contact, block) in enumerate(zip(self.contacts, self._blocks, strict=True)):
            mine = range(contact.rows.start, contact.rows.stop)
            given = [wanted[i] for i in mine]
            if block.loaded is None:
                data = [block.with_friction((varying or {}).get(k)), given, *block.rows]
                turns.append(Turn(block.turn, data, [*mine, *moved, *sums], True))
                continue
            assert loads is not None
            data = [block.data, given, loads[k], block.loaded.data, *block.rows]
            turns.append(Turn(block.loaded_turn, data, [*mine, *block.loaded.others, *moved, *sums], True))
        turns.append(
            Turn(lambda data, x: [value / data[0][0] for value in x], [[scale if within == 1.0 else within * scale]], sums)
        )
        carried = self.repeat(turns, [*began.impulses, *began.moved, 0.0, going], sweeps)
        made = Pushed(list(carried[:size]), list(carried[size:-2]), began.sticks)
        return made, ops.less(carried[-2], NEAR)


def _better(found: Pushed, other: Pushed) -> Pushed:
    """What sticks, else the other."""
    return Pushed(
        _choice(found.sticks, found.impulses, other.impulses),
        _choice(found.sticks, found.moved, other.moved),
        ops.less(0.5, ops.fmax(ops.if_else(found.sticks, 1.0, 0.0), ops.if_else(other.sticks, 1.0, 0.0))),
    )


def harmless_share(plastic: Array, more: Array, mean: Array, answer: Array) -> Any:
    """Largest share, at most 1, of the impulses `more` that makes no energy when added to the `plastic` ones.

    The work of impulses L is L . (u + u+)/2; `mean` is (u + u+)/2 with the plastic ones alone, `answer` = W more. Both
    solutions are in the cones of friction, hence so is everything in between.
    """
    a, b, c = 0.5 * ops.dot(more, answer), ops.dot(more, mean) + 0.5 * ops.dot(plastic, answer), ops.dot(plastic, mean)
    root = ops.sqrt(ops.fmax(b * b - 4.0 * a * c, TINY))  # its derivative at zero would be infinite
    share = ops.fmin(ops.fmax((root - b) / (2.0 * a + TINY), 0.0), 1.0)
    return ops.if_else(ops.less(0.0, a + b + c), share, 1.0)


class _Block:
    """One contact in the sweeps: its data are whether it acts (and touches), its part of W, inverted, and then its rows.

    Rows are scaled (`Response.scaled`): what they do to the velocities is what they see of them.
    """

    def __init__(self, response: Response, contact: Touching, loaded: Loaded | None = None) -> None:
        self.contact, self.loaded = contact, loaded
        self.n, self.count = response.n, contact.rows.stop - contact.rows.start
        self.rows = scaled_rows(response, contact)
        entries = [[_dot(x, y) for y in self.rows] for x in self.rows]
        own = [entries[i][i] for i in range(self.count)]
        for i in range(self.count):
            entries[i][i] = ops.if_else(contact.active, own[i], 1.0)
        turns = [[0], *([i] for i in reversed(range(1, self.count)))]  # the normal stays where they depend on each other
        inverse = [ops.entries(solve_semidefinite(entries, list(unit), turns)) for unit in np.eye(self.count)]
        self.slides = contact.one_sided and contact.friction is not None and self.count > 1
        self.along = self.count - contact.turning  # where the rows of rolling begin
        bounds = [] if contact.bound is None else [contact.bound]
        if contact.bound is not None and self.count > 1:
            bounds = [*(entries[i][j] for i in range(self.count) for j in range(i, self.count)), contact.bound]
        step = _longest(entries, range(1, self.along)) if self.slides else 0.0
        column = [1.0 / (entries[0][0] + TINY), *(entries[i][0] for i in range(1, self.count))]
        touches = [] if contact.closed is None else [ops.if_else(contact.closed, 1.0, 0.0)]
        self.begins = 1 + self.count + len(touches)
        self.data = [
            *(ops.if_else(contact.active, 1.0, 0.0), *own, *touches),
            *(inverse[i][j] for i in range(self.count) for j in range(i, self.count)),
            *([*column, step, contact.friction] if self.slides else bounds),
            *(self._of_rolling(entries) if self.slides and contact.turning else []),
        ]

    def with_friction(self, varying: Coefficients | None) -> Values:
        """Its data; where friction varies with both coefficients, the one with which it slips as the last number."""
        if varying is None or not self.slides:
            return self.data
        at = self.begins + self.count * (self.count + 1) // 2 + self.count + 1
        return [*self.data[:at], varying.sticks, *self.data[at + 1 :], varying.slips]

    def _of_rolling(self, entries: list[list[Any]]) -> list[Any]:
        """Length of a step down the rolling velocity, the resistance, and how rolling answers to impulses along the ground."""
        own = range(self.along, self.count)
        answers = [entries[i][j] for i in own for j in range(1, self.along)]
        return [_longest(entries, own), self.contact.resistance, *answers]

    def may_stick(self, missing: list[Any]) -> Any:
        """1 where the contact touches and does not slide so fast along the ground that no friction stops it in one step."""
        acts, bound = self.contact.touches, self.contact.bound
        if bound is not None and self.loaded is None:
            most = FAST * bound * sum((_square(row) for row in self.rows[1:]), _square(self.rows[0])) + TINY
            slow = ops.less(_square(missing), most * most) if self.count > 1 else ops.less(ops.fabs(missing[0]), most)
            return ops.if_else(ops.logic_and(acts, slow), 1.0, 0.0)
        if not self.slides:
            return ops.if_else(acts, 1.0, 0.0)
        most = FAST * (1.0 + self.contact.friction) * missing[0]
        slow = ops.less(_square(missing[1 : self.along]), most * most + TINY)
        return ops.if_else(ops.logic_and(acts, slow), 1.0, 0.0)

    def turn(self, data: Sequence[Values], carry: Values) -> Values:
        """New impulses of the block, the velocities with them, what it was missing and how much has changed."""
        (own, wanted, *rows), count = data, self.count
        L, moved, (missed, change) = list(carry[:count]), list(carry[count:-2]), carry[-2:]
        lacking = [value - _dot(row, moved) for value, row in zip(wanted, rows, strict=True)]
        after = self._answer(ops.less(0.5, own[0]), own[self.begins :], L, lacking)
        held = lacking
        if self.contact.bound is not None:  # one that slides is missing nothing
            holds = ops.less(_square(after), ((1.0 - AT_BOUND) * own[-1]) ** 2)
            held = _choice(holds, lacking, [0.0] * count)
        return [*after, *self._with(after, L, own, rows, held, moved, missed, change)]

    def loaded_turn(self, data: Sequence[Values], carry: Values) -> Values:
        """The same of a joint whose friction follows its load: other impulses are read too."""
        (own, wanted, offsets, load, *rows), count, loaded = data, self.count, self.loaded
        assert loaded is not None
        L, others = list(carry[:count]), list(carry[count : count + len(loaded.others)])
        moved, (missed, change) = list(carry[count + len(others) : -2]), carry[-2:]
        lacking = [value - _dot(row, moved) for value, row in zip(wanted, rows, strict=True)]
        acts, base = ops.less(0.5, own[0]), own[-1]
        stick = self._sticking(own[self.begins :], L, lacking)
        bound = loaded.bound(base, offsets, load, [*stick, *others])
        if count == 1:
            slides = [loaded.slid(base, offsets, load, stick[0], others)]
            holds = ops.less(ops.fabs(stick[0]), bound)
        else:
            now = loaded.bound(base, offsets, load, [*L, *others])
            slides = self._on_edge(own[self.begins + count * (count + 1) // 2 : -1], now, L, lacking)
            holds = ops.less(_square(stick), bound * bound)
        after = _choice(acts, _choice(holds, stick, slides), [0.0] * count)
        held = _choice(holds, lacking, [0.0] * count)  # one that slides is missing nothing
        return [*after, *others, *self._with(after, L, own, rows, held, moved, missed, change)]

    def _with(
        self,
        after: list[Any],
        L: list[Any],
        own: Values,
        rows: Sequence[Values],
        lacking: list[Any],
        moved: list[Any],
        missed: Any,
        change: Any,
    ) -> list[Any]:
        """Velocities with new impulses, what the block was missing and how much has changed."""
        missed = missed + self.contact.lacking(ops.less(0.5, own[self.begins - 1]), lacking)
        for i, value in enumerate(after):
            step = value - L[i]
            change = change + ops.fabs(step) * own[1 + i]
            moved = [velocity + x * step for velocity, x in zip(moved, rows[i], strict=True)]
        return [*moved, missed, change]

    def _sticking(self, data: Values, L: list[Any], lacking: list[Any]) -> list[Any]:
        """The impulse with which the block would stick."""
        count = self.count
        half = {(i, j): data[k] for k, (i, j) in enumerate(combinations_with_replacement(range(count), 2))}
        inverse = [[half[min(i, j), max(i, j)] for j in range(count)] for i in range(count)]
        return [L[i] + _dot(inverse[i], lacking) for i in range(count)]

    def _answer(self, acts: Any, data: Values, L: list[Any], lacking: list[Any]) -> list[Any]:
        """The contact's new impulse; `lacking` is target - u with the present impulses."""
        count, half = self.count, self.count * (self.count + 1) // 2
        stick = self._sticking(data, L, lacking)
        nothing = [0.0] * count
        if self.contact.bound is not None:
            if count == 1:
                return _choice(acts, [ops.fmin(ops.fmax(stick[0], -data[-1]), data[-1])], nothing)
            holds = ops.logic_and(acts, ops.less(_square(stick), data[-1] * data[-1]))
            return _choice(holds, stick, _choice(acts, self._on_edge(data[half:-1], data[-1], L, lacking), nothing))
        if not self.contact.one_sided:
            return _choice(acts, stick, nothing)
        pushes = ops.logic_and(acts, ops.less(0.0, stick[0]))
        if not self.slides:
            return _choice(pushes, stick, nothing)
        soft, *coupling = data[half : half + count]
        step, friction, *rolling = data[half + count :]
        limit = friction * stick[0]
        if self.contact.varies:
            *rolling, friction = rolling
        holds = ops.logic_and(pushes, ops.less(_square(stick[1 : self.along]), limit * limit))
        if rolling:
            most = rolling[1] * stick[0]
            holds = ops.logic_and(holds, ops.less(_square(stick[self.along :]), most * most))
        normal = ops.fmax(L[0] + lacking[0] * soft, 0.0)
        # With the new normal impulse the tangential velocity has changed.
        change = normal - L[0]
        wanted = [L[i] + step * (lacking[i] - coupling[i - 1] * change) for i in range(1, self.along)]
        found = [normal, *_within(wanted, friction * normal)]
        if rolling:
            moved = [found[j] - L[j] for j in range(1, self.along)]
            answers = rolling[2:]
            turned = []
            for k, i in enumerate(range(self.along, count)):
                own = answers[k * len(moved) : (k + 1) * len(moved)]
                left = lacking[i] - coupling[i - 1] * change - sum((x * y for x, y in zip(own, moved, strict=True)), 0.0)
                turned.append(L[i] + rolling[0] * left)
            found += _within(turned, rolling[1] * normal)
        return _choice(holds, stick, _choice(acts, found, nothing))

    def _on_edge(self, entries: Values, bound: Any, L: list[Any], lacking: list[Any]) -> list[Any]:
        """The impulse of a ball joint that slides: (W + a I) r = target - u without it, |r| = bound; Newton's method for a."""
        count = self.count
        half = {(i, j): entries[k] for k, (i, j) in enumerate(combinations_with_replacement(range(count), 2))}
        W = [[half[min(i, j), max(i, j)] for j in range(count)] for i in range(count)]
        wanted = [value + _dot(row, L) for value, row in zip(lacking, W, strict=True)]
        a = LEAST * sum((W[i][i] for i in range(1, count)), W[0][0]) + TINY
        for k in range(SHIFTS + 1):
            stiff = [[W[i][j] + a if i == j else W[i][j] for j in range(count)] for i in range(count)]
            r = _solved(stiff, wanted)
            if k < SHIFTS:  # from below, on b/|r(a)| - 1, which is concave: it never goes too far
                square = _square(r)
                step = (ops.sqrt(square + TINY) / (bound + TINY) - 1.0) * square / (_dot(r, _solved(stiff, r)) + TINY)
                a = a + ops.fmax(step, 0.0)
        return _within([value * (1.0 + EDGE) for value in r], bound)


def _solved(A: list[list[Any]], b: list[Any]) -> list[Any]:
    """Gauss's elimination for a few unknowns of a matrix that is positive definite."""
    A, b, n = [list(row) for row in A], list(b), len(b)
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i][k] / A[k][k]
            A[i] = [x - factor * y for x, y in zip(A[i], A[k], strict=True)]
            b[i] = b[i] - factor * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - _dot(A[k][k + 1 :], b[k + 1 :]) if k + 1 < n else b[k]) / A[k][k]
    return b


def _longest(entries: list[list[Any]], rows: range) -> Any:
    """A step this long down the velocity of some rows never goes too far: the largest sum of a row bounds the eigenvalues."""
    if not len(rows):
        return 0.0
    sums = [sum((ops.fabs(entries[i][j]) for j in rows), 0.0) for i in rows]
    bound = sums[0]
    for entry in sums[1:]:
        bound = ops.fmax(bound, entry)
    return 1.0 / (bound + TINY)


def _within(wanted: list[Any], bound: Any) -> list[Any]:
    """Impulses brought back to a length."""
    if not wanted:
        return wanted
    length = ops.sqrt(_dot(wanted, wanted) + TINY)  # its derivative at zero would be infinite
    share = ops.if_else(ops.less(bound, length), bound / ops.fmax(length, 1e-30), 1.0)
    return [share * value for value in wanted]


def _square(values: Sequence[Any]) -> Any:
    return _dot(values, values) if values else 0.0


def _choice(condition: Any, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [ops.if_else(condition, x, y) for x, y in zip(a, b, strict=True)]


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(left[1:], right[1:], strict=True)), left[0] * right[0])
