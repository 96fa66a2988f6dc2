"""What a capsule or a box touches a plane or an edge with: the sphere of an end, a corner, as a contact of its own.

Where it is, and what it stands on, are parameters of the system that holds it.
"""

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


def support_names(slot: str, vector: str) -> Place:
    """Names of the parameters that hold a vector of what a contact stands on."""
    x, y, z = (f"{slot}_support_{vector}_{axis}" for axis in "xyz")
    return x, y, z


@singledispatch
def piece_of(contact: Contact, at: Place) -> Contact:
    """The piece of a contact at a point of its body, with the name, ground and law of the whole."""
    raise ContactKindError(
        f"{contact.label}: nothing says what a {type(contact).__name__} touches a plane with; register `piece_of` in "
        "tracing/contacts/pieces.py for it"
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
