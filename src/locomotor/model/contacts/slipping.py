"""A contact while it slips: it stays on its ground, and friction acts against its slip."""

from __future__ import annotations

from dataclasses import field, replace
from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.model.contacts.contact import EVERY_DIRECTION, NORMAL, ROLLING, SPIN, Contact
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
    turning: VectorLike = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """Of a contact that resists rolling: about where it turned when this was noted."""
    still: bool = field(default=False, kw_only=True)
    """Of a contact that resists rolling: whether that keeps it from turning at all."""
    BLOCKS: ClassVar[tuple[str, ...]] = (NORMAL,)

    @property
    def _may_pivot(self) -> bool:
        return True

    @property
    def _may_resist(self) -> bool:
        return True

    @property
    def pivots(self) -> bool:
        """Whether friction resists its turning about the normal."""
        return self.of.pivots

    @property
    def blocks(self) -> tuple[str, ...]:
        """Its normal, and rolling where it is kept from that."""
        return (*self.BLOCKS, *ROLLING) if self.still else self.BLOCKS

    @property
    def rim(self) -> tuple[VectorLike, VectorLike] | None:
        """That of the contact which slips."""
        return self.of.rim

    @property
    def lies_across(self) -> VectorLike | None:
        """That of the contact which slips."""
        return self.of.lies_across

    @property
    def point(self) -> VectorLike | None:
        """That of the contact which slips."""
        return self.of.point

    @property
    def slip(self) -> tuple[VectorLike, QuantityLike] | None:
        """The parameters that hold the direction of its slip."""
        return self.towards, self.guided

    @property
    def turns_about(self) -> VectorLike | None:
        """The parameters that hold the direction of its turning; None where it does not turn."""
        return None if self.still else self.turning

    def _read(self) -> None:
        self._read_vector("towards")
        self._read_quantity("guided")
        self._read_vector("turning")


@dataclass(frozen=True)
class Turning(Contact):
    """The contact `of`, which resists rolling, while it rolls: it does not slip, and a moment acts against its turning.

    Made by event-driven runs for as long as it rolls. The normal force N comes with the moment -r N e, where e is the direction
    along the ground about which it turns; the parameters `turning` (world axes) tell it from rest on, and decide its sign.
    """

    of: Contact
    turning: VectorLike
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION

    @property
    def pivots(self) -> bool:
        """Whether friction resists its turning about the normal."""
        return self.of.pivots

    @property
    def blocks(self) -> tuple[str, ...]:
        """All that the contact blocks but its rolling."""
        return (*self.BLOCKS, SPIN) if self.pivots else self.BLOCKS

    @property
    def rim(self) -> tuple[VectorLike, VectorLike] | None:
        """That of the contact which rolls."""
        return self.of.rim

    @property
    def turns_about(self) -> VectorLike | None:
        """The parameters that hold the direction of its turning."""
        return self.turning

    def _read(self) -> None:
        self._read_vector("turning")


def slipping(contact: Contact, still: bool = False) -> tuple[Slipping, tuple[str, ...]]:
    """A contact while it slips, and the names of the parameters that hold its directions; one that is `still` does not roll."""
    names = slip_names(contact.name)
    slips = Slipping(contact.name, contact.body, contact, names[:3], names[3], ground=contact.ground, law=contact.law)
    if not contact.resists:
        return slips, names
    if still:
        return replace(slips, still=True), names
    turns = turn_names(contact.name)
    return replace(slips, turning=turns), (*names, *turns)


def turning(contact: Contact) -> tuple[Turning, tuple[str, ...]]:
    """A contact that resists rolling while it rolls, and the names of the parameters that hold the direction of its turning."""
    names = turn_names(contact.name)
    return Turning(contact.name, contact.body, contact, names, ground=contact.ground, law=contact.law), names


def slip_names(contact: str) -> tuple[str, str, str, str]:
    """Names of the parameters that hold the direction in which a contact slips, and whether it is guided."""
    x, y, z = (f"{contact}_slips_towards_{axis}" for axis in "xyz")
    return x, y, z, f"{contact}_slips_guided"


def turn_names(contact: str) -> tuple[str, str, str]:
    """Names of the parameters that hold the direction about which a contact rolls."""
    x, y, z = (f"{contact}_turns_about_{axis}" for axis in "xyz")
    return x, y, z
