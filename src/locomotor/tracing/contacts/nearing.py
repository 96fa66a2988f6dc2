"""Contacts that do not touch yet and take part in a step of time-stepping, since it closes them (docs/theory.md (Q13)).

One that comes to touch in the rest of a step, as it moves without contacts, has its impact in that step, whole: an impact in
two parts is another one where there is friction. Coordinates feel its impulse from where it touches on: it ends on the ground.

What stops or lifts one end of a foot presses the other down. So a contact that others may press to the ground takes part, too:
it may approach with the speed that just closes its gap. After no step anything is in the ground then, but for how rows turn
within one, and what closes gaps presses no other contact in.

What others may press is not known before the impulses are. Asked are those whose way to the ground is shorter than their own
and as much again as some contact is stopped or lifted by. One beyond that is asked in the next step, inside by what it came in
half of this one.
"""

from collections.abc import Sequence
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.tracing.contacts.switching import SwitchingRows

NEARBY = 1.0
"""Share of what stops and lifts others, by which it may close a contact beside them."""
FAST = 16.0
"""One that is pressed goes so many times as far as one at rest may be open, or it is asked when it touches: contacts that
depend on each other, as four feet do, would share out what little speed is left to some of them in many sweeps."""
TINY = 1e-30
"""Keeps a way of nothing from a division by zero."""


@dataclass(frozen=True, eq=False)
class Nearing:
    """A contact that pushes, before impulses are known."""

    gap: Any
    """How far it is from the ground where the rest of the step begins."""
    reach: Any
    """How far it may be open there, and still rests."""
    enters: Any
    """How far it would go on in the rest of the step without contacts, zero where it leaves."""
    may: bool
    """Whether it takes part before it touches."""
    lies: Any = None
    """A condition in which it does not after all; None where there is none."""

    @property
    def open(self) -> Any:
        """How far it is from where it rests; negative inside."""
        return self.gap - self.reach

    @property
    def lands(self) -> Any:
        """Whether it comes to touch by itself, and has its impact in this step."""
        return self._unless(ops.logic_and(ops.less(0.0, self.open), ops.less(self.gap, self.enters)))

    @property
    def before(self) -> Any:
        """Share of the rest of the step before it comes to touch, zero where it touches or does not come to."""
        return ops.if_else(self.lands, self.gap / ops.fmax(self.enters, TINY), 0.0)

    def approach(self, rest: Any) -> Any:
        """The speed with which it may go on: what closes its gap in the rest of the step, nothing if it has an impact."""
        pressed = self._unless(ops.logic_and(ops.less(0.0, self.open), ops.less(self.enters, self.gap)))
        return ops.if_else(pressed, self.gap / rest, 0.0)

    @property
    def moved(self) -> Any:
        """By how much it is stopped and lifted, zero where it does not come to touch."""
        whole = self.enters + ops.fmax(-self.open, 0.0)
        return ops.if_else(ops.less(self.open, self.enters), whole, 0.0)

    def is_pressed(self, most: Any) -> Any:
        """Whether others, which are stopped and lifted by `most`, may press it to the ground."""
        way = self.enters + NEARBY * most
        return self._unless(ops.logic_and(ops.less(self.open, way), ops.less(FAST * self.reach, way)))

    def _unless(self, condition: Any) -> Any:
        return condition if self.lies is None else ops.logic_and(ops.less(ops.if_else(self.lies, 1.0, 0.0), 0.5), condition)


def may_near(row: SwitchingRows) -> bool:
    """Whether a contact takes part before it touches.

    One with a coefficient of friction, whose impulse sweeps find: what sticks whatever it takes is solved in sets of contacts
    that touch. One that bounces comes with the speed it has, and one that adheres or has a condition is remembered as it was.
    """
    law = row.law
    return law.pushes and law.slips and not (law.may_bounce or law.is_gated or law.adheres)


def most_moved(found: Sequence[Nearing | None]) -> Any:
    """By how much any contact is stopped and lifted."""
    most: Any = 0.0
    for each in found:
        if each is not None:
            most = ops.fmax(most, each.moved)
    return most
