"""Which stepper "auto" takes for a batch."""

import math
from typing import Any

import numpy as np

from locomotor.codegen import Implicit, as_floats, shaped_arguments
from locomotor.codegen.cuda import is_on_device, to_host
from locomotor.simulation.steppers import AUTO, FixedStep
from locomotor.simulation.stiffness import Stiffness, settled, stiffness
from locomotor.tracing import TracedSystem

LOOKED_AT = 8
"""Instances of a batch whose stiffness is looked at."""


def chosen_stepper(traced: TracedSystem, states: Any, dt: float, parameters: Any, time: float) -> str | Implicit:
    """The stepper for the stiffest of a few instances, spread over the batch, at the start and without inputs."""
    given = [to_host(value) if is_on_device(value) else value for value in (states, parameters)]
    x, u, p, _ = shaped_arguments(traced.dynamics, given[0], 1, None, given[1], as_floats)
    rows = np.unique(np.linspace(0, len(x) - 1, min(len(x), LOOKED_AT)).astype(int)) if len(x) else ()
    seen = [stiffness(traced, time, x[k], u[0, 0], p[k % len(p)]) for k in rows if np.isfinite(x[k]).all()]
    worst = min(seen, key=lambda each: each.longest, default=Stiffness(0j, math.inf, "rk4"))
    return settled(FixedStep(abs(dt) or 1.0, AUTO, 4), lambda: worst)[0].method
