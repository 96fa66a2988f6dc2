"""A wheel whose flat side lies on its ground, and one that rises from there over a point of its rim.

Every point of the rim of a wheel that lies flat is its lowest, so that no single one can be held. What the ground does is a
force N within the rim: about the middle of the side it has a moment of up to N times the radius, in any direction. Beyond that
the side tips, over the point of the rim where the force has come to (docs/theory.md (Q10)). Both are made by event-driven runs
(`simulation.events.lying`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from locomotor.dataclass import dataclass, replace
from locomotor.model.contacts.contact import EVERY_DIRECTION, Contact
from locomotor.model.contacts.unilateral import Unilateral
from locomotor.model.expressions import QuantityLike, VectorLike, evaluate

FACE, EDGE = "face", "edge"
"""How a wheel touches that does not stand on its lowest point: with its side, or with one point of its rim that was noted."""


@dataclass(frozen=True)
class Lying(Contact):
    """The wheel `of` while its side lies on the ground: it neither slides, nor turns about the normal, nor tips.

    Friction is that of a disc with even pressure, as of a `patch`; what keeps it from tipping is what would keep a round body
    from rolling, with the radius for its arm. The side of a tyre touches with a ring, whose arm of friction is the radius.
    """

    of: Contact
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION

    @property
    def lies_across(self) -> VectorLike | None:
        """The axis of the wheel."""
        return None if self.of.rim is None else self.of.rim[1]

    @property
    def rolls(self) -> bool:
        """False: it lies."""
        return False


@dataclass(frozen=True)
class Tipping(Contact):
    """The wheel `of` while it rises from its side over a point of its rim, from its centre along `towards` (unit, in its body).

    So flat it has no lowest point that could be told from others; from a millionth of a radian on it stands on that.
    """

    of: Contact
    towards: VectorLike
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION

    def _read(self) -> None:
        self._read_vector("towards")


@dataclass(frozen=True)
class Settling(Contact):
    """The wheel `of` in a step: on its lowest point, or where `level` is 1 on the point `at` of its circle or of its side.

    Of a wheel that all but lies flat several points come down at once, each of which is a contact of its own.
    """

    of: Contact
    at: VectorLike
    level: QuantityLike
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION

    @property
    def rim(self) -> tuple[VectorLike, VectorLike] | None:
        """Centre and axis of the wheel."""
        return self.of.rim

    def _read(self) -> None:
        self._read_vector("at")
        self._read_quantity("level")


@dataclass(frozen=True)
class Held(Unilateral):
    """The law of a side without a coefficient: it neither slides nor spins, whatever that takes, and tips as any other does."""

    arm: QuantityLike = 0.0
    """How far from its middle (m) the ground can push."""

    @property
    def pivots(self) -> bool:
        """True: it does not spin."""
        return True

    def patch_at(self, values: Mapping[str, Any]) -> Any:
        """The radius of the side."""
        return evaluate(self.arm, values)

    @property
    def resists(self) -> bool:
        """True: it lies."""
        return True

    def resistance_at(self, values: Mapping[str, Any]) -> Any:
        """The radius of the side: beyond that it tips."""
        return evaluate(self.arm, values)


def may_lie(contact: Contact) -> bool:
    """Whether a contact is a wheel that can come to rest on its side: it is held there as it is upright."""
    return contact.flat_side is not None and isinstance(contact.law, Unilateral)


def lying(contact: Contact) -> Lying:
    """A wheel while it lies."""
    assert contact.flat_side is not None and isinstance(contact.law, Unilateral)
    _, radius, tube = contact.flat_side
    patch = radius if tube == 0.0 else 1.5 * radius  # type: ignore[operator]
    law = replace(contact.law, rule="newton", tangential=0.0, from_others=())
    if law.slips:
        law = replace(law, patch=patch, rolling=radius)
    else:
        law = Held(law.restitution, when=law.when, arm=radius)
    return Lying(contact.name, contact.body, contact, ground=contact.ground, law=law)


def tipping(contact: Contact) -> tuple[Tipping, tuple[str, ...]]:
    """A wheel while it tips, and the names of the parameters that hold the direction to the point of its rim."""
    assert isinstance(contact.law, Unilateral)
    names = tip_names(contact.name)
    law = replace(contact.law, patch=None, rolling=None)
    return Tipping(contact.name, contact.body, contact, names, ground=contact.ground, law=law), names


def sided(contact: Contact, side: str) -> Contact:
    """A wheel as it touches with a side."""
    return lying(contact) if side == FACE else tipping(contact)[0] if side == EDGE else contact


def tip_names(contact: str) -> tuple[str, str, str]:
    """Names of the parameters that hold the direction, in body axes, from the centre of a wheel to what it tips over."""
    x, y, z = (f"{contact}_tips_over_{axis}" for axis in "xyz")
    return x, y, z
