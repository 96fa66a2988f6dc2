"""One evaluation of the equations of motion, or of the channels of a run, by name."""

from collections.abc import Mapping

import numpy as np

from locomotor.checks import door, flag, mapping, number, numbers_by_name, optional
from locomotor.errors import UnknownNameError
from locomotor.model import System, a_system
from locomotor.names import suggestion
from locomotor.simulation.compiled import CompiledSystem, compile_system
from locomotor.typing import Vector


@door(system=a_system, state=optional(mapping), inputs=optional(numbers_by_name), time=number, assemble=flag)
def accelerations(
    system: System,
    state: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    *,
    time: float = 0.0,
    assemble: bool = True,
) -> dict[str, float]:
    """Accelerations of all velocities at a state given by name: the rate of each velocity under its name.

    Values not given are completed as at the start of a run. Evaluated without compiling.
    """
    compiled, arguments = _arguments(system, state, inputs, time, assemble)
    (found,) = compiled.traced.accelerations(*arguments)
    return {s.name: float(a) for s, a in zip(system.layout.velocities, found, strict=True)}


@door(system=a_system, state=optional(mapping), inputs=optional(numbers_by_name), time=number, assemble=flag)
def observe(
    system: System,
    state: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    *,
    time: float = 0.0,
    assemble: bool = True,
) -> dict[str, float]:
    """Every channel that a run would record at a state given by name: angles, energies, contact forces and so on.

    Values not given are completed as at the start of a run. Evaluated without compiling.
    """
    compiled, arguments = _arguments(system, state, inputs, time, assemble)
    function = compiled.traced.observation
    found = zip(function.outputs, function(*arguments), strict=True)
    return {name: float(value) for port, values in found for name, value in zip(port.names, values, strict=True)}


def _arguments(
    system: System,
    state: Mapping[str, float] | None,
    inputs: Mapping[str, float] | None,
    time: float,
    assemble: bool,
) -> tuple[CompiledSystem, tuple[Vector, Vector, Vector, Vector]]:
    """The compiled system, and time, state, inputs and parameters as vectors."""
    compiled = compile_system(system)
    x = compiled.start(state, time=time, assemble=assemble)
    names = compiled.input_names
    for name in inputs or {}:
        if name not in names:
            raise UnknownNameError(f"inputs: the system has no input {name!r}: {suggestion(name, names)}")
    u = np.array([float((inputs or {}).get(name, 0.0)) for name in names])
    return compiled, (np.array([time]), x, u, compiled.default_parameters)
