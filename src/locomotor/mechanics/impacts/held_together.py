"""Contacts that hold in every direction, as one block in sweeps: grips.

What friction does to one contact is found from what the others do, one after the other. Where two contacts all but hold the
same motion (two grips along the line between them, on a body that hardly bends), so little is left of it in each sweep that it
comes to no end. Contacts that hold wherever they act need no sweeps among each other: all of their rows are solved at once.
"""

from collections.abc import Sequence
from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.impacts.block import Block
from locomotor.mechanics.impacts.on_symbols import Response, Touching
from locomotor.mechanics.impacts.repeat import Turn, Values


class HeldTogether:
    """Some contacts as one; rows of those that do not act are zero, and get no impulse."""

    def __init__(self, response: Response, contacts: Sequence[Touching], members: Sequence[int]) -> None:
        self.members = tuple(members)
        own = [range(contacts[k].rows.start, contacts[k].rows.stop) for k in members]
        normals, tangents = [rows[0] for rows in own], [i for rows in own for i in rows[1:]]
        # Normals stay where rows depend on each other: the first, then the last ones, have what they ask for.
        self.rows = [normals[0], *tangents, *normals[:0:-1]]
        acts: Any = 0.0
        for k in members:
            acts = ops.fmax(acts, ops.if_else(contacts[k].active, 1.0, 0.0))
        whole = Touching(slice(0, len(self.rows)), ops.less(0.5, acts), one_sided=False)
        self._block = Block(response.part(self.rows), whole)

    def turn(self, wanted: Values, rest: Sequence[int]) -> Turn:
        """Their turn in a sweep; `wanted` is that of all rows, `rest` as in `Sliding.turn_of`."""
        block = self._block
        data = [block.data, [wanted[i] for i in self.rows], *block.rows]
        return Turn(block.turn, data, [*self.rows, *rest], True)


def holding(contacts: Sequence[Touching]) -> list[int]:
    """Contacts that hold in every direction wherever they act."""
    return [
        k
        for k, contact in enumerate(contacts)
        if not contact.one_sided and contact.friction is None and contact.bound is None and not contact.bounces
    ]
