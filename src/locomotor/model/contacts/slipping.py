"""A contact while it slips: it stays on its ground, and friction acts against its slip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from locomotor.model.contacts.contact import NORMAL, Contact
from locomotor.model.expressions import QuantityLike, VectorLike


@dataclass(frozen=True)
class Slipping(Contact):
    """The contact `of` while it slips: only its normal is blocked, and Coulomb's friction acts along the ground.

    Made by event-driven runs for as long as a contact slips (`simulation.events.stances`). The normal force N of the ground
    comes with the friction -mu N e, where e is the direction of the slip. The parameters `towards` (world axes) tell where the
    slip begins from rest, and which of two opposite directions is meant where it passes through zero. Where `guided` is 1
    instead of 0 they are e itself.
    """

    of: Contact
    towards: VectorLike
    guided: QuantityLike
    BLOCKS: ClassVar[tuple[str, ...]] = (NORMAL,)

    @property
    def _may_pivot(self) -> bool:
        return True

    @property
    def blocks(self) -> tuple[str, ...]:
        """Its normal alone: turning is resisted by friction, not blocked."""
        return self.BLOCKS

    @property
    def rim(self) -> tuple[VectorLike, VectorLike] | None:
        """That of the contact which slips."""
        return self.of.rim

    @property
    def point(self) -> VectorLike | None:
        """That of the contact which slips."""
        return self.of.point

    def _read(self) -> None:
        self._read_vector("towards")
        self._read_quantity("guided")


def slipping(contact: Contact) -> tuple[Slipping, tuple[str, str, str, str]]:
    """A contact while it slips, and the names of the parameters that hold its direction."""
    names = slip_names(contact.name)
    slips = Slipping(contact.name, contact.body, contact, names[:3], names[3], ground=contact.ground, law=contact.law)
    return slips, names


def slip_names(contact: str) -> tuple[str, str, str, str]:
    """Names of the parameters that hold the direction in which a contact slips, and whether it is guided."""
    x, y, z = (f"{contact}_slips_towards_{axis}" for axis in "xyz")
    return x, y, z, f"{contact}_slips_guided"
