"""One contact, or the dry friction of one joint, in sweeps over all of them: what it answers to the impulses of the others."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.constraints import patch_friction, patch_metric, patch_power, patch_secant, patch_size
from locomotor.mechanics.impacts.conditions import LEAST_SQUARE, TINY
from locomotor.mechanics.impacts.loaded import Loaded
from locomotor.mechanics.impacts.on_symbols import Response, Touching, solve_semidefinite
from locomotor.mechanics.impacts.repeat import Values
from locomotor.mechanics.impacts.sticking import WITHIN, Coefficients, scaled_rows

FAST = 10.0
"""Sticking is not tried at once where every contact slides so many times faster than it would sink in, friction added."""
SHIFTS = 8
"""Steps towards the impulse of a ball joint that slides; five are usual."""
NEARER = 2
"""The same of a contact that slides, in each sweep: it goes on from where the sweep before has come."""
TOGETHER = 1
"""And of one that slides and spins: the slip is found with it, so that two sweeps are at round-off, if neither vanishes."""
LEAST, EDGE = 1e-12, 1e-9
"""Share of its masses by which they are made definite, and by which that impulse may miss its bound, where it is put."""
LIFTED = 0.75
"""A sweep goes too far by a third where friction lifts as much as that, and by no more where it lifts beyond that."""
AT_BOUND = 1e-6
"""An impulse that misses its bound by less than this share of it is at its bound."""


class Block:
    """One contact in the sweeps: its data are whether it acts (and touches), its part of W, inverted, and then its rows.

    Rows are scaled (`Response.scaled`): what they do to the velocities is what they see of them.
    """

    def __init__(self, response: Response, contact: Touching, loaded: Loaded | None = None) -> None:
        self.contact, self.loaded = contact, loaded
        self.n, self.count = response.n, contact.rows.stop - contact.rows.start
        self.rows = scaled_rows(response, contact)
        entries = self.entries = [[dot(x, y) for y in self.rows] for x in self.rows]
        own = [entries[i][i] for i in range(self.count)]
        for i in range(self.count):
            entries[i][i] = ops.if_else(contact.active, own[i], 1.0)
        turns = [[0], *([i] for i in reversed(range(1, self.count)))]  # the normal stays where they depend on each other
        inverse = [ops.entries(solve_semidefinite(entries, list(unit), turns)) for unit in np.eye(self.count)]
        self.slides = contact.one_sided and contact.friction is not None and self.count > 1
        self.along = self.count - contact.turning  # where the rows of rolling begin
        self.uneven = self.slides and contact.uneven and self.along > 2
        self.patched = self.uneven and contact.pivots
        along = [(i, j) for i in range(1, self.along) for j in range(i, self.along)] if self.uneven else []
        self.pairs = len(along)
        bounds = [] if contact.bound is None else [contact.bound]
        if contact.bound is not None and self.count > 1:
            bounds = [*(entries[i][j] for i in range(self.count) for j in range(i, self.count)), contact.bound]
        step = self.longest = _longest(entries, range(1, self.along)) if self.slides else 0.0
        column = [1.0 / (entries[0][0] + TINY), *(entries[i][0] for i in range(1, self.count))]
        touches = [] if contact.closed is None else [ops.if_else(contact.closed, 1.0, 0.0)]
        self.begins = 1 + self.count + len(touches)
        self.data = [
            *(ops.if_else(contact.active, 1.0, 0.0), *own, *touches),
            *(inverse[i][j] for i in range(self.count) for j in range(i, self.count)),
            *([*column, step, contact.friction] if self.slides else bounds),
            *(self._of_rolling(entries) if self.slides and contact.turning else []),
            *(entries[i][j] for i, j in along),
        ]

    def with_friction(self, varying: Coefficients | None) -> Values:
        """Its data; where friction varies with both coefficients, the one with which it slips as the last number."""
        if varying is None or not self.slides:
            return self.data
        at = self.begins + self.count * (self.count + 1) // 2 + self.count + 1
        return [*self.data[:at], varying.sticks, *self.data[at + 1 :], varying.slips]

    def slipping(self, data: Values, soft: Any) -> Values:
        """Its data for sweeps, with how its normal yields while it slips."""
        at = self.begins + self.count * (self.count + 1) // 2
        return data if soft is None else [*data[:at], soft, *data[at + 1 :]]

    def yielding(self, friction: Any, wanted: Values) -> Any:
        """Normal impulse for a normal velocity while friction is along what is `wanted` of the slip; None where it cannot slip.

        Friction that lifts adds mu W_NT to W_NN: a step without it goes too far, and where it is the larger of the two sweeps
        come to no end.
        """
        if not self.slides or self.along < 2:
            return None
        along = wanted[1 : self.along]
        size = ops.sqrt(square(along) + TINY)  # times all of it: one division
        own = (self.entries[0][0] + TINY) * size
        lifts = friction * dot([self.entries[0][j] for j in range(1, self.along)], along)
        return size / ops.fmax(own, LIFTED * (own + lifts))

    def _of_rolling(self, entries: list[list[Any]]) -> list[Any]:
        """Length of a step down the rolling velocity, the resistance, and how rolling answers to impulses along the ground."""
        own = range(self.along, self.count)
        answers = [entries[i][j] for i in own for j in range(1, self.along)]
        return [_longest(entries, own), self.contact.resistance, *answers]

    def may_stick(self, missing: list[Any]) -> Any:
        """1 where the contact touches and does not slide so fast along the ground that no friction stops it in one step."""
        acts, bound = self.contact.touches, self.contact.bound
        if bound is not None and self.loaded is None:
            most = FAST * bound * sum((square(row) for row in self.rows[1:]), square(self.rows[0])) + TINY
            slow = ops.less(square(missing), most * most) if self.count > 1 else ops.less(ops.fabs(missing[0]), most)
            return ops.if_else(ops.logic_and(acts, slow), 1.0, 0.0)
        if not self.slides:
            return ops.if_else(acts, 1.0, 0.0)
        most = FAST * (1.0 + self.contact.friction) * missing[0]
        slow = ops.less(square(missing[1 : self.along]), most * most + TINY)
        return ops.if_else(ops.logic_and(acts, slow), 1.0, 0.0)

    def turn(self, data: Sequence[Values], carry: Values) -> Values:
        """New impulses of the block, the velocities with them, what it was missing and how much has changed."""
        (own, wanted, *rows), count = data, self.count
        L, moved, (missed, change) = list(carry[:count]), list(carry[count:-2]), carry[-2:]
        lacking = [value - dot(row, moved) for value, row in zip(wanted, rows, strict=True)]
        after = self._answer(ops.less(0.5, own[0]), own[self.begins :], L, lacking)
        held = lacking
        if self.contact.bound is not None:  # one that slides is missing nothing
            holds = ops.less(square(after), ((1.0 - AT_BOUND) * own[-1]) ** 2)
            held = choice(holds, lacking, [0.0] * count)
        return [*after, *self._with(after, L, own, rows, held, moved, missed, change)]

    def loaded_turn(self, data: Sequence[Values], carry: Values) -> Values:
        """The same of a joint whose friction follows its load: other impulses are read too."""
        (own, wanted, offsets, load, *rows), count, loaded = data, self.count, self.loaded
        assert loaded is not None
        L, others = list(carry[:count]), list(carry[count : count + len(loaded.others)])
        moved, (missed, change) = list(carry[count + len(others) : -2]), carry[-2:]
        lacking = [value - dot(row, moved) for value, row in zip(wanted, rows, strict=True)]
        acts, base = ops.less(0.5, own[0]), own[-1]
        stick = self._sticking(own[self.begins :], L, lacking)
        bound = loaded.bound(base, offsets, load, [*stick, *others])
        if count == 1:
            slides = [loaded.slid(base, offsets, load, stick[0], others)]
            holds = ops.less(ops.fabs(stick[0]), bound)
        else:
            now = loaded.bound(base, offsets, load, [*L, *others])
            slides = _slid(own[self.begins + count * (count + 1) // 2 : -1], now, L, lacking)
            holds = ops.less(square(stick), bound * bound)
        after = choice(acts, choice(holds, stick, slides), [0.0] * count)
        held = choice(holds, lacking, [0.0] * count)  # one that slides is missing nothing
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
        return [L[i] + dot(inverse[i], lacking) for i in range(count)]

    def _answer(self, acts: Any, data: Values, L: list[Any], lacking: list[Any]) -> list[Any]:
        """The contact's new impulse; `lacking` is target - u with the present impulses."""
        count, half = self.count, self.count * (self.count + 1) // 2
        stick = self._sticking(data, L, lacking)
        nothing = [0.0] * count
        if self.contact.bound is not None:
            if count == 1:
                return choice(acts, [ops.fmin(ops.fmax(stick[0], -data[-1]), data[-1])], nothing)
            holds = ops.logic_and(acts, ops.less(square(stick), data[-1] * data[-1]))
            return choice(holds, stick, choice(acts, _slid(data[half:-1], data[-1], L, lacking), nothing))
        if not self.contact.one_sided:
            return choice(acts, stick, nothing)
        pushes = ops.logic_and(acts, ops.less(0.0, stick[0]))
        if not self.slides:
            return choice(pushes, stick, nothing)
        soft, *coupling = data[half : half + count]
        step, friction, *rolling = data[half + count :]
        limit = friction * stick[0]
        if self.contact.varies:
            *rolling, friction = rolling
        if self.uneven:
            rolling, along = rolling[: -self.pairs], rolling[-self.pairs :]
        if self.patched:
            within_bound = ops.less(patch_size(stick[1 : self.along], WITHIN), limit)
        else:
            within_bound = ops.less(square(stick[1 : self.along]), limit * limit)
        holds = ops.logic_and(pushes, within_bound)
        if rolling:
            most_moment = rolling[1] * stick[0]
            holds = ops.logic_and(holds, ops.less(square(stick[self.along :]), most_moment * most_moment))
        normal = ops.fmax(L[0] + lacking[0] * soft, 0.0)
        # With the new normal impulse the tangential velocity has changed.
        change = normal - L[0]
        left = [lacking[i] - coupling[i - 1] * change for i in range(1, self.along)]
        if self.uneven:
            begun, most = L[1 : self.along], friction * normal
            if self.patched:  # what rolls on while it resists that may stick along the ground
                slid = slid_on_patch(along, most, begun, left, TOGETHER, may_stick=bool(rolling))
            else:
                slid = _slid(along, most, begun, left, NEARER)
            found = [normal, *slid]
        else:
            found = [normal, *within([x + step * y for x, y in zip(L[1 : self.along], left, strict=True)], friction * normal)]
        if rolling:
            moved = [found[j] - L[j] for j in range(1, self.along)]
            answers = rolling[2:]
            turned = []
            for k, i in enumerate(range(self.along, count)):
                own = answers[k * len(moved) : (k + 1) * len(moved)]
                rest = lacking[i] - coupling[i - 1] * change - sum((x * y for x, y in zip(own, moved, strict=True)), 0.0)
                turned.append(L[i] + rolling[0] * rest)
            found += within(turned, rolling[1] * normal)
        return choice(holds, stick, choice(acts, found, nothing))


def _slid(entries: Values, bound: Any, L: list[Any], lacking: list[Any], steps: int = 0) -> list[Any]:
    """The impulse of what slides: (W + a I) r = target - u without it, |r| = bound; Newton's method for a.

    A step down the slip would be as short as the stiffest direction needs: the spin of a small patch, or a heavy car across its
    light wheels, is far softer, and would be hardly braked. With `steps` the search goes on from the `a` of the impulse L,
    so that few will do.
    """
    count = len(L)
    half = {(i, j): entries[k] for k, (i, j) in enumerate(combinations_with_replacement(range(count), 2))}
    W = [[half[min(i, j), max(i, j)] for j in range(count)] for i in range(count)]
    wanted = [value + dot(row, L) for value, row in zip(lacking, W, strict=True)]
    a = least = LEAST * sum((W[i][i] for i in range(1, count)), W[0][0]) + TINY
    if steps:
        a = ops.fmax(least, dot(L, lacking) / (square(L) + LEAST_SQUARE))
    for k in range((steps or SHIFTS) + 1):
        stiff = [[W[i][j] + a if i == j else W[i][j] for j in range(count)] for i in range(count)]
        r = _solved(stiff, wanted)
        if k < (steps or SHIFTS):  # on b/|r(a)| - 1, which is concave: from wherever it begins it comes from below
            size = square(r)
            step = (ops.sqrt(size + LEAST_SQUARE) / (bound + TINY) - 1.0) * size / (dot(r, _solved(stiff, r)) + LEAST_SQUARE)
            a = ops.fmax(a + step, least) if steps else a + ops.fmax(step, 0.0)
    return within([value * (1.0 + EDGE) for value in r], bound)


def slid_on_patch(
    entries: Values, bound: Any, L: list[Any], lacking: list[Any], steps: int, may_stick: bool = False
) -> list[Any]:
    """The same of what slides and spins on a patch: across the border of all that its friction may be, bound times that set.

    The impulse makes 1/2 r.W r + bound Phi(t) least, with t = target - u the slip after it, reversed: a convex function, whose
    least value is where r is the friction of t. There are two steps towards it, of which the better one is taken. One is
    Newton's: (W + a Q^-1) r = target - u without it, r.Q^-1 r = bound², with the Q of the slip so far: the ellipsoid osculates
    the border there (`patch_border`); the impulse is that of the slip found last, and so on the border itself. Where slide and
    spin change places in a step it may go to and fro. The other keeps the share of friction to slip, which lowers the function.
    Within the border it is only where what sticks is asked for too.
    """
    count = len(L)
    half = {(i, j): entries[k] for k, (i, j) in enumerate(combinations_with_replacement(range(count), 2))}
    W = [[half[min(i, j), max(i, j)] for j in range(count)] for i in range(count)]
    wanted = [value + dot(row, L) for value, row in zip(lacking, W, strict=True)]
    least = LEAST * sum((W[i][i] for i in range(1, count)), W[0][0]) + TINY
    t = begun = [value + least * x for value, x in zip(lacking, L, strict=True)]
    a: Any = None
    for k in range(steps + 1):
        Q = patch_metric(t)
        if a is None:
            a = ops.fmax(least, dot(L, lacking) / (dot(L, [dot(row, L) for row in Q]) + LEAST_SQUARE))
        stiff = [[x + a * y for x, y in zip(mass, row, strict=True)] for mass, row in zip(W, Q, strict=True)]
        r = _solved(stiff, wanted)
        t = [dot(row, r) for row in Q]
        if k < steps:
            size = dot(r, t)
            step = (ops.sqrt(size + LEAST_SQUARE) / (bound + TINY) - 1.0) * size / (dot(t, _solved(stiff, t)) + LEAST_SQUARE)
            a = ops.fmax(a + step, least)
    newton = [bound * value for value in patch_friction(t)]
    secant = [1.0 / (bound * share + LEAST_SQUARE) for share in patch_secant(begun)]
    kept = _solved([[x + (secant[i] if i == j else 0.0) for j, x in enumerate(row)] for i, row in enumerate(W)], wanted)

    def value(r: list[Any]) -> Any:
        moved = [dot(row, r) for row in W]
        return 0.5 * dot(r, moved) + bound * patch_power([x - y for x, y in zip(wanted, moved, strict=True)])

    slid = choice(ops.less(value(kept), value(newton)), kept, newton)
    return choice(ops.less(patch_size(r, WITHIN), bound), r, slid) if may_stick else slid


def _solved(A: list[list[Any]], b: list[Any]) -> list[Any]:
    """Gauss's elimination for a few unknowns of a matrix that is positive definite."""
    A, b, n = [list(row) for row in A], list(b), len(b)
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i][k] / A[k][k]
            A[i] = [x - factor * y for x, y in zip(A[i], A[k], strict=True)]
            b[i] = b[i] - factor * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - dot(A[k][k + 1 :], b[k + 1 :]) if k + 1 < n else b[k]) / A[k][k]
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


def within(wanted: list[Any], bound: Any) -> list[Any]:
    """Impulses brought back to a length."""
    if not wanted:
        return wanted
    longest = ops.fmax(dot(wanted, wanted), bound * bound)
    share = bound / ops.sqrt(longest + LEAST_SQUARE)  # the derivative of a root at zero would be infinite
    return [share * value for value in wanted]


def square(values: Sequence[Any]) -> Any:
    """Sum of squares, zero of nothing."""
    return dot(values, values) if values else 0.0


def choice(condition: Any, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """The first of two lists where a condition holds, else the second."""
    return [ops.if_else(condition, x, y) for x, y in zip(a, b, strict=True)]


def dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """Sum of products."""
    return sum((x * y for x, y in zip(left[1:], right[1:], strict=True)), left[0] * right[0])
