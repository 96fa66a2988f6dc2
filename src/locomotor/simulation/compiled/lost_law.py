"""Which law of a force or a drive is no number where a run has ended."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from locomotor.errors import LocomotorError
from locomotor.model import Expression, System
from locomotor.model.expressions import expressions
from locomotor.names import TIME
from locomotor.simulation.compiled.system import CompiledSystem
from locomotor.typing import Vector

LATER = (0.0, 1e-9, 1e-6, 1e-3)
"""How long after the last good state (s) laws are looked at, along its velocities."""
BLOWN_UP = 1e8
"""Where a state is larger than this, the motion itself has grown without bound, and laws follow it."""


def lost_law(compiled: CompiledSystem, t: float, x: Vector, parameters: Vector) -> str:
    """Words for a law that is not finite where a run has ended, or just after; empty where all are that can be told.

    Laws of inputs, and of coordinates that follow from constraints, are left out. The place of a wind is that of the base.
    """
    traced = compiled.traced
    known = {**traced.system.parameters.values, **dict(zip(traced.parameter_port.names, map(float, parameters), strict=True))}
    with np.errstate(all="ignore"):
        rate = compiled.dynamics(np.array([t]), x, np.zeros(traced.input_port.size), parameters)[0]
        towards = np.nan_to_num(traced.manifold.ambient_rate(x[None], np.atleast_2d(rate)), posinf=0.0, neginf=0.0)[0]
        for later in LATER:
            there = x + later * towards
            if np.abs(there).max(initial=0.0) > BLOWN_UP:
                return ""
            state = dict(zip(traced.state_port.names, map(float, there), strict=True))
            values = {**known, **state, TIME: t + later}
            for what, law in _laws(traced.system):
                if law.names <= values.keys() and not math.isfinite(found := _value(law, values)):
                    return f"{what} '{law}' is {found:g} at t = {t + later:.9g} s; mend it there, or end the run before"
    return ""


def _laws(system: System) -> Iterator[tuple[str, Expression]]:
    """Laws that act on the motion, and what to call each."""
    for joint in system.joints:
        for expression in expressions(joint.drive.law):
            yield f"the drive of {joint.label}", expression
    for force in system.forces:
        for field, expression in force.expressions(laws=True):
            yield f"the {field} of {force.label}", expression


def _value(law: Expression, values: Mapping[str, float]) -> float:
    try:
        return float(law.evaluate(values))
    except LocomotorError:  # a division by zero
        return math.nan
