"""Ways in which a closed contact may be held other than as it is declared: each is a small frozen class, registered below.

A contact that is declared to stick, and slips for a while, is closed in both cases; the models differ. A new way is one class:

    @dataclass(frozen=True)
    class Slips(Stance): ...

    @held.register
    def _(stance: Slips, system: System, contact: str) -> System: return ...

and a mode is entered with it by `pivots.switch(..., stances={"foot": Slips(...)})`. What a stance needs beside its kind are
parameters of the mode, which it names, so that equal stances share a compiled model whatever their values.
"""

from dataclasses import dataclass
from functools import singledispatch

from locomotor.errors import ModelError
from locomotor.model import Parameter, System
from locomotor.model.contacts import slip_names, slipping


@dataclass(frozen=True)
class Stance:
    """How a closed contact is held in a mode; equal ones share a compiled model."""

    def parameters(self, contact: str) -> tuple[str, ...]:
        """Parameters of the mode that it adds for a contact."""
        return ()


@singledispatch
def held(stance: Stance, system: System, contact: str) -> System:
    """The system of a mode, with one of its contacts held in this way."""
    name = type(stance).__name__
    raise ModelError(f"contact {contact!r}, {name}: nothing says how it is held then; register a function with stances.held")


@dataclass(frozen=True)
class Slips(Stance):
    """The contact slips: it stays on the ground, with friction against its slip."""

    def parameters(self, contact: str) -> tuple[str, ...]:
        """The direction in which it slips."""
        return slip_names(contact)


@held.register
def _(stance: Slips, system: System, contact: str) -> System:
    found = {entry.name: entry for entry in system.contacts}
    found[contact], names = slipping(found[contact])
    towards = [Parameter(name, 0.0, description="where the contact slips to") for name in names]
    parameters = (*(system.parameters[name] for name in system.parameters), *towards)
    return system.replace(contacts=tuple(found.values()), parameters=parameters, independent=None)
