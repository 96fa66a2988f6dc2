"""What a capsule or a box touches a plane or an edge with: the sphere of an end, a corner, as a contact of its own."""

from functools import singledispatch

from locomotor.errors import ContactKindError
from locomotor.model import (
    Contact,
    RollingCapsule,
    RollingSphere,
    SlidingBox,
    SlidingCapsule,
    SlidingPoint,
    SlidingSphere,
    StickingBox,
    StickingPoint,
)

Place = tuple[str, str, str]
"""Names of the parameters that hold a point of the body."""


@singledispatch
def piece_of(contact: Contact, at: Place) -> Contact:
    """The piece of a contact at a point of its body, with the name, ground and law of the whole."""
    raise ContactKindError(
        f"{contact.label}: nothing says what a {type(contact).__name__} touches a plane with; register `piece_of` in "
        "simulation/terrain/pieces.py for it"
    )


@piece_of.register
def _(contact: RollingCapsule, at: Place) -> Contact:
    return RollingSphere(contact.name, contact.body, at, contact.radius, ground=contact.ground, law=contact.law)


@piece_of.register
def _(contact: SlidingCapsule, at: Place) -> Contact:
    return SlidingSphere(contact.name, contact.body, at, contact.radius, ground=contact.ground, law=contact.law)


@piece_of.register
def _(contact: StickingBox, at: Place) -> Contact:
    return StickingPoint(contact.name, contact.body, at, ground=contact.ground, law=contact.law)


@piece_of.register
def _(contact: SlidingBox, at: Place) -> Contact:
    return SlidingPoint(contact.name, contact.body, at, ground=contact.ground, law=contact.law)
