"""Wheels on their side in a step of time-stepping.

A wheel stands on the lowest point of its rim. Where it comes to lie flat that point runs around the rim faster than steps can
follow, and where it lies there is none. There the ground pushes anywhere within the rim (docs/theory.md (Q10)): the rows are
those of the middle of the side, with friction against sliding and spinning of a patch, and a moment of up to the radius times
the normal impulse against tipping. Beyond that the side tips, its lowest point rises out of what a step cannot tell from lying
flat, and the wheel stands on it again. The gap is that of the lowest point all the time.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.constraints import contacts_at
from locomotor.model import Contact, System, evaluate
from locomotor.model.contacts import lying, may_lie
from locomotor.tracing.contacts.switching import Switching, SwitchingRows, rows_of
from locomotor.typing import Array

TURNS = 0.5
"""By more than this (rad) the radius to the lowest point of a rim must not turn in a step, or it has none in this step."""
LEVEL = 4.0
"""Free fall over so many squared steps (and no half) is how high the far side of a wheel may be that lies: in one step it would
come down, and in the next be stopped."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Wheels of a system that may come to lie, and whether they do in a step."""

    entries: tuple[Contact, ...]
    lies: dict[str, Any]
    """By name, a condition."""
    lost: dict[str, Any]
    """By name, of wheels that stand on their lowest points all the time: whether steps cannot follow these."""

    def rows_on(self, motion: ReducedMotion, rows: Sequence[SwitchingRows], system: System) -> list[SwitchingRows]:
        """Rows of everything, those of wheels as they lie or stand."""
        lain = _lain(motion, self.entries, system) if self.entries else {}
        found = []
        for row in rows:
            name = row.entry.name
            if name in lain:
                row = _either(row, lain[name], self.lies[name])
            elif name in self.lost:
                # How a row turns with a point that runs around the rim within the step says nothing of the step.
                row = replace(row, bias=ops.if_else(self.lost[name], np.zeros(ops.size(row.bias)), row.bias))
            found.append(row)
        return found


def sides_in(
    motion: ReducedMotion, switching: Sequence[Switching], apart: frozenset[str], falls: Array, h: Any, system: System
) -> Sides:
    """The wheels of a system in a step h, from the motion in the middle of it and the accelerations without contacts.

    Those named as `apart`, on terrain, do not lie: of an edge or a corner that is near, only the plane tangent to it is known.
    """
    wheels = sides_of(motion, switching, apart, system)
    lies = {wheel.name: lies_in(motion, wheel, falls, h, system) for wheel in wheels}
    others = [e for e in switching if isinstance(e, Contact) and e.rim is not None and e.name in apart]
    lost = {row.name: ops.less((TURNS / h) ** 2, row.touch.wander) for row in contacts_at(motion.kinematics, others)}
    return Sides(tuple(wheels), lies, lost)


def sides_of(motion: ReducedMotion, switching: Sequence[Switching], apart: frozenset[str], system: System) -> list[Contact]:
    """Wheels with friction on planes that may lie on their sides, and whose rows there are those upright and some more.

    Those named as `apart` are left out.
    """
    wheels = [e for e in switching if isinstance(e, Contact) and may_lie(e) and e.law.slips and e.name not in apart]
    wheels = [wheel for wheel in wheels if not wheel.pivots and not wheel.resists]
    if not wheels:
        return []
    lain = _lain(motion, wheels, system)
    upright = {row.entry.name: row for row in rows_of(motion, wheels, system.parameters.values)}
    return [wheel for wheel in wheels if _along(lain[wheel.name]) == _along(upright[wheel.name])]


def lies_in(motion: ReducedMotion, wheel: Contact, falls: Array, h: Any, system: System) -> Any:
    """Whether a wheel lies in a step h, from the motion in the middle of it and the accelerations without contacts.

    It does where its lowest point cannot be followed, and where its far side is as near to the ground as it falls in a step.
    """
    (touching,) = contacts_at(motion.kinematics, [wheel])
    (side,) = _lain(motion, [wheel], system).values()
    assert wheel.flat_side is not None
    radius = evaluate(wheel.flat_side[1], motion.kinematics.instant.values)
    far = touching.gap + 2.0 * radius * ops.sqrt(touching.touch.steepness)
    fallen = ops.fabs(ops.dot(side.rows[0, :].T, falls) + side.bias[0])
    turns = ops.less((TURNS / h) ** 2, touching.touch.wander)
    level = ops.less(far, LEVEL * fallen * h * h)
    return ops.less(0.5, ops.fmax(ops.if_else(turns, 1.0, 0.0), ops.if_else(level, 1.0, 0.0)))


def _lain(motion: ReducedMotion, wheels: Sequence[Contact], system: System) -> dict[str, SwitchingRows]:
    """Rows of wheels as they lie, by name."""
    return {row.entry.name: row for row in rows_of(motion, [lying(e) for e in wheels], system.parameters.values)}


def _along(row: SwitchingRows) -> int:
    """How many rows a contact has, without those of turning."""
    return int(row.rows.shape[0]) - row.spins - row.rolling


def _either(row: SwitchingRows, lain: SwitchingRows, lies: Any) -> SwitchingRows:
    """Rows of a wheel that lies or stands: what keeps it from turning does nothing while it stands."""
    more = (int(lain.rows.shape[0]) - int(row.rows.shape[0]), int(row.rows.shape[1]))
    upright = ops.block([[row.rows], [np.zeros(more)]])
    return replace(
        lain,
        rows=ops.if_else(lies, lain.rows, upright),
        bias=ops.if_else(lies, lain.bias, ops.concat(row.bias, np.zeros(more[0]))),
        gap=row.gap,
        lowest=row.rows[0, :].T,
        upright=(lies, row),
    )
