"""Contacts that may slip, all of which stick: the impulses, if there are any within the cones of friction.

Where contacts depend on each other many impulses hold a body still. Rounds look for some that are in every cone: impulses
outside a cone are brought back, and then all of them are corrected so that the rows have what they are missing, by one step of
an augmented Lagrangian (as in `on_symbols`):

    A dw = C^T (E^-1 missing + P(L)),      A = 1 + C^T E^-1 C,      L = P(L) + E^-1 (missing - C dw),

with rows C and velocities w in the axes in which masses are 1. Inside the cones P changes nothing, and what the rows are
missing falls by E/W each round.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.constraints import patch_size
from locomotor.mechanics.impacts.conditions import LEAST_SQUARE, TINY
from locomotor.mechanics.impacts.loaded import Loaded
from locomotor.mechanics.impacts.on_symbols import Response, Touching
from locomotor.mechanics.impacts.repeat import Repeat, Turn, Values
from locomotor.typing import Array

COMPLIANCE = 1e-4
"""E as a share of each row's own answer."""
ROUNDS = 32
"""Most rounds of a search. What rows are missing may grow in some of them where contacts share a load unevenly: that does
not tell when to give up. A body whose weight is off the middle of its feet takes 20 rounds at 0.99 of its cone."""
USUAL = 4
"""Rounds of one that succeeds at once."""
INSIDE = 0.999
"""Impulses outside a cone are brought back to this share of its width, so that the correction leaves them inside."""
SLACK = 1e-9
"""A cone is left by more than this share of all normal impulses."""
WITHIN = 1
"""Steps by which the size of the friction of a patch is found: to half of that share."""
FAR = 2.0
"""So many times as much friction as there is, in all, and the search is given up: the body slips."""
FOUND = 1e-5
"""Share of what rows were missing that may be left where the rounds are used up: round-off, in single precision too."""


@dataclass(frozen=True, eq=False)
class Pushed:
    """Impulses of all rows, the velocities that they make (scaled: `Response.halves`), and whether all that act stick."""

    impulses: list[Any]
    moved: list[Any]
    sticks: Any


class Coefficients(NamedTuple):
    """Friction of a contact at the speed of its slip: the cone in which it sticks, and the one at whose edge it slips."""

    sticks: Any
    slips: Any


class Sticking:
    """All contacts of one configuration together."""

    def __init__(
        self, response: Response, contacts: Sequence[Touching], repeat: Repeat, loaded: Mapping[int, Loaded] | None = None
    ) -> None:
        self.contacts, self.repeat = contacts, repeat
        self.n, self.size = response.n, response.size
        follows = loaded or {}
        self._parts = [_Part(response, contact, follows.get(k)) for k, contact in enumerate(contacts)]

    def factors(self, going: Any, slides: Mapping[int, Any] | None = None) -> Values:
        """Factors of A, made only where something is `going`; without the joints that slide: 1 where one does."""
        n = self.n
        count = n * (n + 1) // 2
        turns = [
            Turn(part.stiffen, [part.with_sliding((slides or {}).get(k)), *part.C], range(count), True)
            for k, part in enumerate(self._parts)
        ]
        turns.append(Turn(lambda _, A: [*_factors(n, A[:-1]), 0.0], [], range(count + 1)))
        one = [1.0 if j == k else 0.0 for j in range(n) for k in range(j, n)]
        return self.repeat(turns, [*one, going], 1)[:-1]

    def search(
        self,
        missing: Array,
        begun: Pushed,
        going: Any,
        factors: Values,
        loads: Mapping[int, Values] | None = None,
        slides: Mapping[int, Any] | None = None,
        varying: Mapping[int, Coefficients] | None = None,
    ) -> Pushed:
        """Impulses with which all contacts stick, sought from those that are `begun` unless `going` is 0.

        `loads` are the forces in joints whose friction follows them, without any impulses. Joints that `slides` has 1 for stay
        at their bounds, in the direction in which these impulses have them. `varying` are the coefficients of contacts whose
        friction varies.
        """
        wanted, n, size = ops.entries(missing), self.n, self.size
        scale = missing_in_all(self.contacts, wanted)
        idle = ops.less(scale, 2.0 * TINY)
        right, sums = range(size + n, size + 2 * n), range(size + 2 * n, size + 2 * n + 5)
        # Carried: impulses, velocities, the right side; normal and tangential impulses in all, friction there is in all, what
        # leaves the cones, what is missing; whether they are in the cones, what was missing a round ago, how far from done.
        turns = [Turn(lambda *_: [0.0] * (n + 5), [], [*right, *sums])]
        own = [
            [
                *(part.with_sliding((slides or {}).get(k), (varying or {}).get(k)), [wanted[i] for i in part.rows]),
                *(*part.C, *part.load((loads or {}).get(k, ()))),
            ]
            for k, part in enumerate(self._parts)
        ]
        for part, data in zip(self._parts, own, strict=True):
            turns.append(Turn(part.press, data, [*part.read, *right], True))
        moved = range(size, size + n)
        turns.append(Turn(lambda data, x: [*_solve(data[0], x[n:]), *x[n:]], [factors], [*moved, *right]))
        for part, data in zip(self._parts, own, strict=True):
            turns.append(Turn(part.correct, data, [*part.read, *moved, *sums], True))
        turns.append(Turn(_judge, [[scale]], [*sums, *range(size + 2 * n + 5, size + 2 * n + 8)]))
        flags = [ops.if_else(idle, 1.0, 0.0), ops.if_else(idle, 0.0, 1.0 / TINY), ops.if_else(idle, 0.0, going)]
        start = [*begun.impulses, *begun.moved, *([0.0] * (n + 5)), *flags]
        found = self.repeat(turns, start, ROUNDS, USUAL)
        sticks = ops.logic_and(ops.less(0.5, found[-3]), ops.less(found[-2], FOUND))
        return Pushed(list(found[:size]), list(found[size : size + n]), sticks)


def missing_in_all(contacts: Sequence[Touching], wanted: Sequence[Any]) -> Any:
    """Sum of what all rows are missing, never zero."""
    parts = (contact.lacking(contact.touches, wanted[contact.rows]) for contact in contacts)
    return sum(parts, TINY)


def scaled_rows(response: Response, contact: Touching) -> list[list[Any]]:
    """Rows of a contact in the axes in which masses are 1."""
    return [ops.entries(response.scaled[:, i]) for i in range(contact.rows.start, contact.rows.stop)]


class _Part:
    """One contact in the search: its data are whether it acts, the stiffness of its rows, its friction, and where that is not
    the same, whether it touches; then its rows. One that does not touch is not held, only kept from entering.
    """

    def __init__(self, response: Response, contact: Touching, loaded: Loaded | None = None) -> None:
        self.loaded = loaded
        self.rows = range(contact.rows.start, contact.rows.stop)
        self.n, self.count = response.n, len(self.rows)
        self.C = scaled_rows(response, contact)
        self.one_sided = contact.one_sided
        self.slides = contact.one_sided and contact.friction is not None and self.count > 1
        stiffness = []
        for row in self.C:
            own = _dot(row, row)
            moves = ops.logic_and(contact.touches, ops.less(TINY, own))
            stiffness.append(ops.if_else(moves, 1.0 / (COMPLIANCE * ops.fmax(own, TINY)), 0.0))
        self.along = self.count - contact.turning  # where the rows of rolling begin
        self.patched = self.slides and contact.pivots and self.along > 2
        self.bounded = contact.bound is not None
        bounds = [contact.friction, *([contact.resistance] if contact.turning else [])] if self.slides else []
        bounds += [contact.bound] if self.bounded else []
        self.contact, touches = contact, [] if contact.closed is None else [ops.if_else(contact.closed, 1.0, 0.0)]
        self.data = [ops.if_else(contact.active, 1.0, 0.0), *stiffness, *bounds, *touches]

    def with_sliding(self, slides: Any, varying: Coefficients | None = None) -> Values:
        """Its data; of a joint that slides, 1, rows are not held, and the number is the last.

        Of a contact whose friction varies they have the coefficient with which it sticks.
        """
        if varying is not None and self.slides:
            return [*self.data[: 1 + self.count], varying.sticks, *self.data[2 + self.count :]]
        if not self.bounded:
            return self.data
        free = 0.0 if slides is None else slides
        held = [value * (1.0 - free) for value in self.data[1 : 1 + self.count]]
        return [self.data[0], *held, *self.data[1 + self.count :], free]

    @property
    def read(self) -> list[int]:
        """Places of the impulses that it reads: its own first, which it changes, and all others where they load it."""
        return [*self.rows, *(() if self.loaded is None else self.loaded.others)]

    def load(self, offsets: Values) -> list[Values]:
        """What follows the rows among its data: what presses without impulses, and how that answers to them."""
        return [] if self.loaded is None else [offsets, self.loaded.data]

    def _parted(self, data: Sequence[Values], carry: Values) -> tuple[Values, Values, Sequence[Values], Values, Any]:
        """Data of its own, what is wanted, its rows; other impulses, and the bound as a function of its own impulses."""
        own, wanted, *rest = data
        C, load, others = rest[: self.count], rest[self.count :], carry[self.count : len(self.read)]
        bounds = own[1 + self.count : -1 if self.bounded else self._end]
        if self.loaded is None:
            return own, wanted, C, others, lambda _: bounds
        loaded, (offsets, answers) = self.loaded, load
        return own, wanted, C, others, lambda L: [loaded.bound(bounds[0], offsets, answers, [*L, *others])]

    @property
    def _cones(self) -> list[slice]:
        """Rows along the ground, and those of rolling: the bound of each is a multiple of the normal impulse."""
        found = [slice(1, self.along)] if self.along > 1 else [slice(1, 1)]
        return [*found, slice(self.along, self.count)] if self.count > self.along else found

    @property
    def _end(self) -> int | None:
        """Where the bounds end among the data."""
        return None if self.contact.closed is None else -1

    def stiffen(self, data: Sequence[Values], A: Values) -> Values:
        """A + C^T E^-1 C."""
        own, *C = data
        stiffness = own[1 : 1 + self.count]
        found, at = list(A), 0
        for j in range(self.n):
            weighted = [k * row[j] for k, row in zip(stiffness, C, strict=True)]
            for k in range(j, self.n):
                found[at] = found[at] + _dot(weighted, [row[k] for row in C])
                at += 1
        return found

    def press(self, data: Sequence[Values], carry: Values) -> Values:
        """Impulses of the contact put back in the cone, and the right side with them."""
        own, wanted, C, others, bounded = self._parted(data, carry)
        L, right = list(carry[: self.count]), list(carry[len(self.read) :])
        stiffness, bounds = own[1 : 1 + self.count], bounded(L)
        if self.bounded:
            bound, size = bounds[0], _length(L)
            share = ops.if_else(ops.less(bound, size), INSIDE * bound / (size + TINY), 1.0)
            share = ops.if_else(ops.less(0.5, own[-1]), bound / (size + TINY), share)
            L = [share * value for value in L]
        if self.one_sided:
            L[0] = ops.fmax(L[0], 0.0)
        for at, most in zip(self._cones, bounds, strict=True) if self.slides else ():
            if not L[at]:
                continue
            bound = most * L[0]
            if self.patched and at.start == 1:
                size = patch_size(L[at], 0)  # short by less than what it is brought inside
                share = ops.if_else(ops.less(bound, size), INSIDE * bound / (size + TINY), 1.0)
            else:
                squares = _dot(L[at], L[at])
                share = ops.if_else(ops.less(bound * bound, squares), INSIDE * bound / ops.sqrt(squares + LEAST_SQUARE), 1.0)
            L[at] = [share * value for value in L[at]]
        pressed = [k * value + x for k, value, x in zip(stiffness, wanted, L, strict=True)]
        return [*L, *others, *(old + _dot([row[j] for row in C], pressed) for j, old in enumerate(right))]

    def correct(self, data: Sequence[Values], carry: Values) -> Values:
        """Impulses of the contact with what it is still missing, and what there is to judge them by."""
        own, wanted, C, others, bounded = self._parted(data, carry)
        stiffness, first = own[1 : 1 + self.count], len(self.read)
        L, dv = carry[: self.count], carry[first : first + self.n]
        normal, tangential, most, excess, missed = carry[first + self.n :]
        left = [value - _dot(row, dv) for value, row in zip(wanted, C, strict=True)]
        L = [x + k * value for x, k, value in zip(L, stiffness, left, strict=True)]
        bounds = bounded(L)
        if self.bounded:
            size, bound = _length(L), bounds[0]
            normal, tangential, most = normal + bound, tangential + size, most + bound
            excess = ops.fmax(excess, size - bound)
            # One that slides is against its impulse all the time, or does not slide so.
            against = ops.fmax(-_dot(L, left) / (size + TINY), 0.0)
            missed = missed + ops.if_else(ops.less(0.5, own[-1]), against, self.contact.lacking(1.0, left))
        else:
            missed = missed + self.contact.lacking(ops.less(0.5, own[-1]), left)
        if self.one_sided:
            normal, excess = normal + ops.fabs(L[0]), ops.fmax(excess, -L[0])
        for at, largest in zip(self._cones, bounds, strict=True) if self.slides else ():
            if not L[at]:
                continue
            bound = largest * ops.fmax(L[0], 0.0)
            length = patch_size(L[at], WITHIN) if self.patched and at.start == 1 else _length(L[at])
            tangential, most, excess = tangential + length, most + bound, ops.fmax(excess, length - bound)
        return [*L, *others, *dv, normal, tangential, most, excess, missed]


def _judge(data: Sequence[Values], carry: Values) -> Values:
    """Whether all impulses are in their cones, and whether to go on: not where the body slips."""
    normal, tangential, most, excess, missed, *_ = carry
    missed = missed / data[0][0]
    inside = ops.less(excess, SLACK * normal + TINY)
    far = ops.if_else(ops.less(FAR * most, tangential), 0.0, 1.0)
    return [
        normal,
        tangential,
        most,
        excess,
        missed,
        ops.if_else(inside, 1.0, 0.0),
        missed,
        ops.if_else(inside, missed, far),
    ]


def _factors(n: int, A: Values) -> list[Any]:
    """A = L D L^T: below the diagonal of L row by row, then 1/D. An inverse would lose the digits that E costs twice."""
    lower: list[list[Any]] = [[] for _ in range(n)]
    pivots: list[Any] = []
    for i in range(n):
        scaled: list[Any] = []
        for j in range(i):
            entry = A[j * n - j * (j - 1) // 2 + i - j]
            scaled.append(entry - sum((x * y for x, y in zip(scaled, lower[j], strict=False)), 0.0))
        lower[i] = [x / d for x, d in zip(scaled, pivots, strict=True)]
        pivots.append(A[i * n - i * (i - 1) // 2] - sum((x * y for x, y in zip(scaled, lower[i], strict=True)), 0.0))
    return [*(value for row in lower for value in row), *(1.0 / d for d in pivots)]


def _solve(factors: Values, right: Values) -> list[Any]:
    n = len(right)
    x = list(right)
    for i in range(1, n):
        for j in range(i):
            x[i] = x[i] - factors[i * (i - 1) // 2 + j] * x[j]
    x = [value * d for value, d in zip(x, factors[n * (n - 1) // 2 :], strict=True)]
    for i in reversed(range(n - 1)):
        for j in range(i + 1, n):
            x[i] = x[i] - factors[j * (j - 1) // 2 + i] * x[j]
    return x


def _length(impulses: Sequence[Any]) -> Any:
    """Length of some impulses, exactly zero of none."""
    if len(impulses) == 1:
        return ops.fabs(impulses[0])
    squares = _dot(impulses, impulses)
    return squares / ops.sqrt(squares + LEAST_SQUARE)


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(left[1:], right[1:], strict=True)), left[0] * right[0])
