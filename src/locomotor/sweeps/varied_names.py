"""What the names of a sweep are: parameters, starting values, or inputs of the system."""

from collections.abc import Iterable

from locomotor.dataclass import dataclass
from locomotor.errors import UnknownNameError
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import System
from locomotor.names import suggestion


@dataclass(frozen=True)
class Roles:
    """Names that vary, by what they are."""

    parameters: tuple[str, ...]
    start: tuple[str, ...]
    inputs: tuple[str, ...]


def roles(system: System, names: Iterable[str], what: str = "over") -> Roles:
    """Sort names; an unknown one raises and suggests the nearest."""
    layout = system.layout
    started = dict.fromkeys(s.name for s in (*chart_symbols(system), *layout.velocities, *layout.coordinates))
    inputs = [s.name for s in layout.inputs]
    found: dict[str, list[str]] = {"parameters": [], "start": [], "inputs": []}
    for name in names:
        if name in system.parameters:
            found["parameters"].append(name)
        elif name in started:
            found["start"].append(name)
        elif name in inputs:
            found["inputs"].append(name)
        else:
            near = suggestion(name, [*system.parameters, *started, *inputs])
            raise UnknownNameError(f"{what}: {system.name} has no parameter, starting value or input {name!r}: {near}")
    return Roles(*(tuple(found[kind]) for kind in ("parameters", "start", "inputs")))
