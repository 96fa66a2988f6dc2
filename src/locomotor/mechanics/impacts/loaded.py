"""A joint whose dry friction follows its load: the bound of its impulse is part of what is to be found.

What presses in the joint over a step, docs/theory.md (Q9) times the step, is linear in the impulses of all rows,

    |L| <= b + sum_p a_p |F_p|,      F_p = F_p0 + sum_k C_pk L_k,

with F_p0 the forces without any of these impulses, and a_p the arms of friction. In a step with an impact the impulses of
others are left out, and bounds are those of forces: friction takes nothing in the impact itself, as in runs with events.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.impacts.conditions import LEAST_SQUARE
from locomotor.mechanics.impacts.repeat import Values

STEPS = 6
"""Of Newton's method towards the impulse of a joint that slides: its own load is nearly linear in it."""
JAMS = 1e-9
"""Less than this is left of an impulse where friction presses a joint as hard as it holds it."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """What presses in a joint, and with which arms that makes friction."""

    rows: slice
    """Rows of its own impulse."""
    arms: tuple[Any, ...]
    """One for each force that presses."""
    answers: tuple[tuple[Values, ...], ...]
    """Of each force its components, and of each component what every impulse adds to it."""

    @cached_property
    def others(self) -> tuple[int, ...]:
        """Rows of all other impulses."""
        every = range(len(self.answers[0][0]))
        return tuple(k for k in every if not self.rows.start <= k < self.rows.stop)

    @cached_property
    def data(self) -> Values:
        """Arms and answers as one array, to own impulses first."""
        order = [*range(self.rows.start, self.rows.stop), *self.others]
        return [*self.arms, *(component[k] for force in self.answers for component in force for k in order)]

    @property
    def components(self) -> int:
        """How many numbers the forces are."""
        return sum(len(force) for force in self.answers)

    def bound(self, base: Any, offsets: Values, data: Values, impulses: Values) -> Any:
        """Largest impulse of the joint, at impulses of its own rows and then of all others; `base` follows no load.

        `offsets` are 1, or 0 where the impulses of others do not count, and then the forces without impulses.
        """
        forces = self._forces(offsets, data, impulses)
        return sum((arm * _size(force) for arm, force in zip(data, forces, strict=False)), base)

    def slid(self, base: Any, offsets: Values, data: Values, stick: Any, others: Values) -> Any:
        """Impulse of a joint of one row that slides, and would need `stick` to hold: x = s b(x), s the sign of that.

        As a function of the size of x, b is convex, and at `stick` it is less than that: from no impulse on, Newton's method
        comes to the one place where they meet, and never goes too far.
        """
        towards = ops.sign(stick)
        without = self._forces(offsets, data, [0.0, *others])
        unit = self._forces([0.0] * (1 + self.components), data, [1.0] + [0.0] * len(others))
        along = [[towards * x for x in force] for force in unit]
        found: Any = 0.0
        for _ in range(STEPS):
            bound, slope = base, 0.0
            for arm, still, by in zip(data, without, along, strict=False):
                force = [x + found * y for x, y in zip(still, by, strict=True)]
                size = _size(force)
                bound, slope = bound + arm * size, slope + arm * _dot(force, by) / size
            found = found + (bound - found) / ops.fmax(1.0 - slope, JAMS)
        return towards * ops.fmin(found, ops.fabs(stick))

    def _forces(self, offsets: Values, data: Values, impulses: Values) -> list[list[Any]]:
        counts, *still = offsets
        size, own, at, found = len(impulses), self.rows.stop - self.rows.start, len(self.arms), []
        components = iter(still)
        for force in self.answers:
            parts = []
            for _ in force:
                line, at = data[at : at + size], at + size
                part = next(components) + _dot(line[:own], impulses[:own])
                parts.append(part + counts * _dot(line[own:], impulses[own:]) if size > own else part)
            found.append(parts)
        return found


def _size(force: Sequence[Any]) -> Any:
    return ops.sqrt(_dot(force, force) + LEAST_SQUARE)


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(left[1:], right[1:], strict=True)), left[0] * right[0])
