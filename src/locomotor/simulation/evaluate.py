"""One evaluation of the equations of motion, by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.errors import UnknownNameError
from locomotor.model import System
from locomotor.model.names import suggestion
from locomotor.simulation.compiled import compile_system


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
    compiled = compile_system(system)
    x = compiled.start(state, time=time, assemble=assemble)
    names = compiled.input_names
    for name in inputs or {}:
        if name not in names:
            raise UnknownNameError(f"inputs: the system has no input {name!r}: {suggestion(name, names)}")
    u = np.array([float((inputs or {}).get(name, 0.0)) for name in names])
    (found,) = compiled.traced.accelerations(np.array([time]), x, u, compiled.default_parameters)
    result: dict[str, Any] = {s.name: float(a) for s, a in zip(system.layout.velocities, found, strict=True)}
    return result
