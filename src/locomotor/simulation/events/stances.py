"""Ways in which a closed contact may be held other than as it is declared: each is a small frozen class, registered below.

A contact that is declared to stick, and slips for a while, is closed in both cases; the models differ. A new way is one class:

    @dataclass(frozen=True)
    class Slips(Stance): ...

    @held.register
    def _(stance: Slips, system: System, contact: str) -> System: return ...

and a mode is entered with it by `pivots.switch(..., stances={"foot": Slips(...)})`. What a stance needs beside its kind are
parameters of the mode, which it names, so that equal stances share a compiled model whatever their values.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import singledispatch
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.model import Contact, Parameter, System
from locomotor.model.contacts import EDGE, FACE, lying, slip_names, slipping, tip_names, tipping, turn_names, turning


@dataclass(frozen=True)
class Stance:
    """How a closed contact is held in a mode; equal ones share a compiled model."""

    side: str = field(default="", kw_only=True)
    """Of a wheel that does not stand on its lowest point: with what it touches (`model.contacts.lying`)."""

    def parameters(self, contact: str) -> tuple[str, ...]:
        """Parameters of the mode that it adds for a contact."""
        return tip_names(contact) if self.side == EDGE else ()


@singledispatch
def held(stance: Stance, system: System, contact: str) -> System:
    """The system of a mode, with one of its contacts held in this way."""
    name = type(stance).__name__
    raise ModelError(f"contact {contact!r}, {name}: nothing says how it is held then; register a function with stances.held")


@dataclass(frozen=True)
class Slips(Stance):
    """The contact slips: it stays on the ground, with friction against its slip."""

    resists: bool = False
    """Whether a moment acts against its rolling as well."""
    still: bool = False
    """Whether something keeps it from rolling."""

    def parameters(self, contact: str) -> tuple[str, ...]:
        """The direction in which it slips, and that about which it turns."""
        return (*super().parameters(contact), *slip_names(contact), *(turn_names(contact) if self.resists else ()))


@dataclass(frozen=True)
class Turns(Stance):
    """The contact rolls, with a moment against it."""

    def parameters(self, contact: str) -> tuple[str, ...]:
        """The direction about which it turns."""
        return turn_names(contact)


@dataclass(frozen=True)
class OnSide(Stance):
    """A wheel lies on its side, or rises from there over a point of its rim, and sticks."""


def side_of(towards: tuple[float, ...]) -> str:
    """With what a wheel touches of which a direction to a point of its rim is noted; with its side where there is none."""
    return EDGE if towards else FACE


def stances_of(
    switching: Iterable[Any], slips: Iterable[str], turns: Iterable[str], sides: Mapping[str, tuple[float, ...]]
) -> dict[str, Stance]:
    """How contacts are held of which some slip, some roll against a resistance, and some touch with their `sides`."""
    on = {name: side_of(towards) for name, towards in sides.items()}
    # What lies is kept from tipping as others are from rolling.
    resist = {entry.name for entry in switching if on.get(entry.name, FACE if entry.law.resists else "") == FACE}
    rolling = frozenset(turns).difference(on)
    slipping = {name: Slips(name in resist & rolling, name in resist - rolling, side=on.get(name, "")) for name in slips}
    turning: dict[str, Stance] = {name: Turns() for name in sorted(rolling)}
    return {**turning, **{name: OnSide(side=on[name]) for name in sorted(on)}, **slipping}


def rolls(stance: Stance | None) -> bool:
    """Whether a contact that resists rolling rolls, or is free to."""
    return isinstance(stance, Turns) or (isinstance(stance, Slips) and stance.resists)


def slipping_among(stances: Mapping[str, Stance]) -> frozenset[str]:
    """Names of the contacts that slip."""
    return frozenset(name for name, stance in stances.items() if isinstance(stance, Slips))


@held.register
def _(stance: Slips, system: System, contact: str) -> System:
    system = _on_side(system, contact, stance.side)
    return _held_as(system, contact, *slipping(_named(system, contact), stance.still))


@held.register
def _(stance: OnSide, system: System, contact: str) -> System:
    return _on_side(system, contact, stance.side)


def _on_side(system: System, name: str, side: str) -> System:
    """The system with a wheel that touches with its side, or with a point of its rim; as it is where it does neither."""
    if side == FACE:
        return _held_as(system, name, lying(_named(system, name)), ())
    return _held_as(system, name, *tipping(_named(system, name))) if side == EDGE else system


@held.register
def _(stance: Turns, system: System, contact: str) -> System:
    return _held_as(system, contact, *turning(_named(system, contact)))


def _named(system: System, contact: str) -> Contact:
    return next(entry for entry in system.contacts if entry.name == contact)


def _held_as(system: System, name: str, contact: Contact, names: tuple[str, ...]) -> System:
    """The system with a contact in another's place, and with its parameters."""
    contacts = tuple(contact if entry.name == name else entry for entry in system.contacts)
    about = "where the contact slips to, about which it rolls, or over what it tips"
    told = [Parameter(own, 0.0, description=about) for own in names]
    parameters = (*(system.parameters[own] for own in system.parameters), *told)
    return system.replace(contacts=contacts, parameters=parameters, independent=None)
