"""What is written down of some equations: the parts, their symbols, what was defined on the way."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.model import System
from locomotor.symbolic.certificate import Certificate
from locomotor.symbolic.linear import LinearEquations
from locomotor.symbolic.parts import Part, Written, printed_operations
from locomotor.tracing import Traced


@dataclass(frozen=True, eq=False)
class Sheet(Written):
    """Parts by name, as SymPy expressions of `symbols` and of `definitions`."""

    system: System
    function: Traced
    parts: Mapping[str, Part]
    symbols: Mapping[str, Any]
    """SymPy symbols by the names of coordinates, velocities, inputs and parameters."""
    reduced_names: tuple[str, ...]
    """Names of the reduced velocities."""
    row_names: tuple[str, ...]
    """Names of the rows of the constraints."""
    where: Mapping[str, Any]
    """What was put in the place of names."""
    certificate: Certificate | None = None
    """That a second derivation agrees; None where it was not asked for."""
    linear: LinearEquations | None = None
    """Linearised about the motion that was asked for with `about`; None where none was."""
    left_out: tuple[str, ...] = ()
    """Open contacts of which nothing is printed, since their ground is a terrain."""

    @cached_property
    def operations(self) -> int:
        """Operations of everything as it is printed; entries that are equal, as in a symmetric matrix, count once."""
        return printed_operations(self.parts.values())


def unit_quaternions(system: System, symbols: Mapping[str, Any]) -> list[list[Any]]:
    """Symbols of the quaternions among the coordinates, four by four."""
    names = [symbol.name for symbol in system.layout.coordinates]
    return [[symbols[name] for name in names[place]] for turning, place, _ in system.layout.manifold.slices() if turning]
