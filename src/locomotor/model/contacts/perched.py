"""A body on something sharp: held by the one point of it that touches an edge or a corner there."""

from __future__ import annotations

from dataclasses import field

from locomotor.dataclass import dataclass
from locomotor.model.contacts.contact import StickingPoint


@dataclass(frozen=True)
class Perched(StickingPoint):
    """A point of a body that stands on an edge or a corner, about which the body turns: what is round rolls so over it.

    Made by event-driven runs (`simulation.terrain`). Its rolling resistance is that of the whole body: so many times the normal
    force, against turning across the normal. Where a point is `pinned` friction has no bound, and a patch no torque that
    follows from it: such a body turns freely about the normal.
    """

    pinned: bool = field(default=False, kw_only=True)

    @property
    def _may_resist(self) -> bool:
        return True

    @property
    def pivots(self) -> bool:
        """Whether friction resists its turning about the normal."""
        return self.law.pivots and not self.pinned
