"""Ways in which a closed contact may be held other than as it is declared: each is a small frozen class, registered below.

A contact that is declared to stick, and slips for a while, is closed in both cases; the models differ. A new way is one class:

    @dataclass(frozen=True)
    class Slips(Stance): ...

    @held.register
    def _(stance: Slips, system: System, contact: str) -> System: return ...

and a mode is entered with it by `pivots.switch(..., stances={"foot": Slips(...)})`.
"""

from dataclasses import dataclass
from functools import singledispatch

from locomotor.errors import ModelError
from locomotor.model import System


@dataclass(frozen=True)
class Stance:
    """How a closed contact is held in a mode; equal ones share a compiled model."""


@singledispatch
def held(stance: Stance, system: System, contact: str) -> System:
    """The system of a mode, with one of its contacts held in this way."""
    name = type(stance).__name__
    raise ModelError(f"contact {contact!r}, {name}: nothing says how it is held then; register a function with stances.held")
