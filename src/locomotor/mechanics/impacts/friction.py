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
from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.impacts.block import AT_BOUND, Block, choice, square
from locomotor.mechanics.impacts.conditions import LEAST_SQUARE, TINY
from locomotor.mechanics.impacts.held_together import HeldTogether, holding
from locomotor.mechanics.impacts.loaded import Loaded
from locomotor.mechanics.impacts.on_symbols import Response, Touching
from locomotor.mechanics.impacts.repeat import Repeat, Turn, Values, in_full
from locomotor.mechanics.impacts.sticking import Coefficients, Pushed, Sticking, missing_in_all
from locomotor.typing import Array

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
        begun: "Sliding | None" = None,
    ) -> None:
        """`loaded` are joints whose friction follows their loads, by their numbers among the contacts.

        `begun` are the same contacts with other bounds, for which first guesses have been made.
        """
        self.contacts, self.repeat = contacts, repeat
        self.response, self.n, self.size = response, response.n, response.size
        follows = loaded or {}
        self.blocks = [Block(response, contact, follows.get(k)) for k, contact in enumerate(contacts)]
        members = holding(contacts)
        self._together = HeldTogether(response, contacts, members) if len(members) > 1 else None
        self._sticking = Sticking(response, contacts, repeat, follows)
        self._known: Values = () if begun is None else begun._known  # factors, from the first guess on
        self._soft: dict[int, Any] = {} if begun is None else begun._soft

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
        contact, loaded = self.contacts[k], self.blocks[k].loaded
        own = impulses[contact.rows]
        bound = contact.bound
        if loaded is not None and loads is not None:
            bound = loaded.bound(bound, loads[k], loaded.data, [*own, *(impulses[i] for i in loaded.others)])
        return ops.if_else(ops.less(square(own), ((1.0 - AT_BOUND) * bound) ** 2), 0.0, 1.0)

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
        for contact, block in zip(self.contacts, self.blocks, strict=True):
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
        for k in range(len(self.contacts)):
            turns += self.turn_of(k, wanted, [*moved, *sums], loads, varying)
        turns.append(
            Turn(lambda data, x: [value / data[0][0] for value in x], [[scale if within == 1.0 else within * scale]], sums)
        )
        carried = self.repeat(turns, [*began.impulses, *began.moved, 0.0, going], sweeps)
        made = Pushed(list(carried[:size]), list(carried[size:-2]), began.sticks)
        return made, ops.less(carried[-2], NEAR)

    def turn_of(
        self,
        k: int,
        wanted: Values,
        rest: Sequence[int],
        loads: Mapping[int, Values] | None,
        varying: Mapping[int, Coefficients] | None,
    ) -> list[Turn]:
        """The turn of a contact in a sweep, of what all rows want; the first of those that are held together has that of all.

        `rest` are the places of velocities, and of what is missing and has changed.
        """
        if self._together is not None and k in self._together.members:
            return [self._together.turn(wanted, rest)] if k == self._together.members[0] else []
        contact, block = self.contacts[k], self.blocks[k]
        mine = range(contact.rows.start, contact.rows.stop)
        wanted = [wanted[i] for i in mine]
        if block.loaded is None:
            own = (varying or {}).get(k)
            if k not in self._soft:  # once: the slip that is wanted differs little between the passes of a step
                self._soft[k] = block.yielding(contact.friction if own is None else own.slips, wanted)
            data = [block.slipping(block.with_friction(own), self._soft[k]), wanted, *block.rows]
            return [Turn(block.turn, data, [*mine, *rest], True)]
        assert loads is not None
        data = [block.data, wanted, loads[k], block.loaded.data, *block.rows]
        return [Turn(block.loaded_turn, data, [*mine, *block.loaded.others, *rest], True)]


def _better(found: Pushed, other: Pushed) -> Pushed:
    """What sticks, else the other."""
    return Pushed(
        choice(found.sticks, found.impulses, other.impulses),
        choice(found.sticks, found.moved, other.moved),
        ops.less(0.5, ops.fmax(ops.if_else(found.sticks, 1.0, 0.0), ops.if_else(other.sticks, 1.0, 0.0))),
    )


def harmless_share(plastic: Array, more: Array, mean: Array, answer: Array) -> Any:
    """Largest share, at most 1, of the impulses `more` that makes no energy when added to the `plastic` ones.

    The work of impulses L is L . (u + u+)/2; `mean` is (u + u+)/2 with the plastic ones alone, `answer` = W more. Both
    solutions are in the cones of friction, hence so is everything in between.
    """
    a, b, c = 0.5 * ops.dot(more, answer), ops.dot(more, mean) + 0.5 * ops.dot(plastic, answer), ops.dot(plastic, mean)
    root = ops.sqrt(ops.fmax(b * b - 4.0 * a * c, LEAST_SQUARE))  # its derivative at zero would be infinite
    share = ops.fmin(ops.fmax((root - b) / (2.0 * a + TINY), 0.0), 1.0)
    return ops.if_else(ops.less(0.0, a + b + c), share, 1.0)
