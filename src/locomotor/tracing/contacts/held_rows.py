"""A contact that may be open, held or slip, as numbers tell: its rows and its friction for the runtime, on symbols."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.constraints import ContactRows, FormulaRow, contacts_at, formulas_at
from locomotor.model import Contact, Rub
from locomotor.model.contacts import NORMAL, slipping
from locomotor.tracing.contacts.mode import Switching
from locomotor.tracing.contacts.switching import blocked_directions
from locomotor.tracing.contacts.tree_parts import entries
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Rows of what may open and close, whether it is closed or not, at one instant: the normal first."""

    entry: Switching
    motion: ReducedMotion
    held: Any
    """0 where it is open, 1 where it is held along all its rows, 2 where it slips: along the normal alone."""

    @property
    def is_closed(self) -> Any:
        """Whether it is closed."""
        return ops.less(0.5, self.held)

    @property
    def is_slipping(self) -> Any:
        """Whether it slips."""
        return ops.less(1.5, self.held)

    @property
    def body(self) -> int:
        """Body of the contact; that of a formula is none in particular."""
        return 0

    @property
    def count(self) -> int:
        """Number of rows."""
        return 1

    @property
    def lines(self) -> list[Array]:
        """Rows over all velocities."""
        raise NotImplementedError

    @property
    def rates(self) -> list[Any]:
        """Rates of (rows v) while the reduced velocities stay as they are."""
        raise NotImplementedError

    @property
    def moving(self) -> list[Any]:
        """What (rows v) must be."""
        return [0.0] * self.count

    @property
    def friction(self) -> list[Any]:
        """Forces along the rows for a normal force of one while it slips."""
        return [0.0] * self.count


@dataclass(frozen=True, eq=False)
class FormulaHeld(HeldRows):
    """A coupling with a law of its own, or a joint that may stick."""

    @cached_property
    def row(self) -> FormulaRow:
        """The row of the formula."""
        assert not isinstance(self.entry, Contact)
        (found,) = formulas_at(self.motion.kinematics.instant, [self.entry])
        return found

    @property
    def lines(self) -> list[Array]:
        """The row over all velocities."""
        return [self.row.normal_row]

    @property
    def rates(self) -> list[Any]:
        """Rate of (row v), less what it must be."""
        known = self.motion.known_acceleration
        if isinstance(self.entry, Rub):
            return [0.0 if known is None else self.row.gap_acceleration(known)]
        return [self.row.bias if known is None else self.row.gap_acceleration(known)]

    @property
    def moving(self) -> list[Any]:
        """What (row v) must be, of a coupling that moves."""
        return [self.row.right]


@dataclass(frozen=True, eq=False)
class ContactHeld(HeldRows):
    """A contact of a body with a ground."""

    contact: Contact

    @cached_property
    def row(self) -> ContactRows:
        """Its geometry while it is held along all that it blocks."""
        (found,) = contacts_at(self.motion.kinematics, [self.contact])
        return found

    @cached_property
    def slip(self) -> ContactRows:
        """Its geometry while it slips."""
        (found,) = contacts_at(self.motion.kinematics, [slipping(self.contact)[0]])
        return found

    @property
    def body(self) -> int:
        """Body of the contact."""
        return self.row.body

    @cached_property
    def directions(self) -> list[tuple[Array, Array | None]]:
        """Blocked directions in body axes, the normal first, and how the ground sees them turn."""
        return blocked_directions(self.row, None)

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.directions)

    @property
    def rotation(self) -> Array:
        """From body axes to those of the world."""
        return self.motion.kinematics.poses[self.row.body].rotation

    @property
    def lines(self) -> list[Array]:
        """Rows over all velocities."""
        R = self.motion.kinematics.poses_in_root[self.row.body].rotation
        return [self.row.jacobian.T @ (R @ d) for d, _ in self.directions]

    @cached_property
    def rates(self) -> list[Any]:  # type: ignore[override]
        """Rates of the velocities along the directions."""
        accelerations = self.motion.kinematics.accelerations(self.motion.known_acceleration)
        of_point = self.row.point_acceleration(accelerations)
        found = [ops.dot(d, of_point) for d, _ in self.directions]
        turned = [0.0 if d_dot is None else ops.dot(d_dot, self.row.velocity) for _, d_dot in self.directions]
        return [a if b is None else a + b for a, b in zip(found, turned, strict=True)]

    @cached_property
    def friction(self) -> list[Any]:  # type: ignore[override]
        """Forces along the rows for a normal force of one while it slips: -mu e, by its components."""
        if not self.entry.law.slips:
            return [0.0] * self.count
        rub = self.slip.friction
        return [0.0, *(ops.dot(d, rub) for d, _ in self.directions[1:])]

    def force(self, forces: list[Any]) -> Array:
        """Force of the ground in world axes, from those of the rows."""
        parts = [f * d for f, (d, _) in zip(forces, self.directions, strict=True)]
        return self.rotation @ sum(parts[1:], parts[0])

    def along(self, forces: list[Any]) -> Any:
        """Size of the force along the ground."""
        return ops.norm(ops.vector(*forces[1:])) if len(forces) > 1 else 0.0

    def labelled(self, forces: list[Any]) -> dict[str, Any]:
        """Constraint forces by the names of the rows as the contact declares them, zero where they do not act."""
        touched = self.row.touch.directions
        if touched is None:
            root = self.motion.kinematics.links[self.motion.kinematics.roots[self.row.body]].pose.rotation
            axes = root.T @ self.force(forces)
            sticks = ops.less(self.held, 1.5)
            return {label: ops.if_else(sticks, axes[k], 0.0) for k, label in enumerate(self.row.labels)}
        by_name = dict(zip([NORMAL, *(label for label, _, _ in touched if label != NORMAL)], forces, strict=True))
        sticks = ops.less(self.held, 1.5)
        return {label: x if label == NORMAL else ops.if_else(sticks, x, 0.0) for label, x in by_name.items()}

    @cached_property
    def blocked(self) -> dict[str, Any]:
        """Velocities in the blocked directions, by the names of the rows: zero while they are held, and where none is."""
        sticks, closed = ops.less(ops.fabs(self.held - 1.0), 0.5), self.is_closed
        of_rows = list(entries(self.row.slip))
        whole = self.row.touch.directions is None
        return {
            label: ops.if_else(closed if label == NORMAL and not whole else sticks, x, 0.0)
            for label, x in zip(self.row.labels, of_rows, strict=True)
        }


def held_rows(entry: Switching, motion: ReducedMotion, held: Any) -> HeldRows:
    """The rows of what may open and close."""
    return ContactHeld(entry, motion, held, entry) if isinstance(entry, Contact) else FormulaHeld(entry, motion, held)


def zeros_unless(condition: Any, vector: Array) -> Array:
    """A vector, or zero where a condition does not hold."""
    return ops.if_else(condition, vector, np.zeros(ops.size(vector)))
