"""Whether steps are short enough for the strokes of drives in air."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from locomotor.errors import StepperError
from locomotor.model import Air, Expression, Motion, System
from locomotor.model.expressions import Call, expressions
from locomotor.names import TIME
from locomotor.typing import Flags, Floats

FEWEST, ENOUGH = 4, 50
"""Steps a period below which nothing is right, and with which to begin."""


def check_resolution(system: System, step: float, values: Mapping[str, float] | None = None) -> None:
    """Raise if a drive of something in air oscillates so fast that a step passes over its strokes."""
    if words := why_unresolved(system, step, values or {}):
        raise StepperError(words)


def why_unresolved(system: System, step: float, values: Mapping[str, float]) -> str:
    """Which drive is too fast for a step, in words, with the step to use; "" where none is."""
    for what, frequency in _frequencies(system, {**system.parameters.values, **values}):
        if float(frequency) * abs(step) * FEWEST > 1.0:
            return (
                f"{what} oscillates at {float(frequency):.6g} Hz, and a step of {step:g} s takes less than {FEWEST} steps a "
                f"period; give a step of {1.0 / (ENOUGH * float(frequency)):.2g} s or less"
            )
    return ""


def unresolved(system: System, step: float, names: tuple[str, ...], rows: Floats) -> Flags:
    """Which rows of values of some parameters make a drive too fast for a step."""
    found = np.zeros(len(rows), dtype=bool)
    columns = dict(zip(names, np.asarray(rows, dtype=float).T, strict=True))
    with np.errstate(all="ignore"):
        for _, frequency in _frequencies(system, {**system.parameters.values, **columns}):
            found |= np.asarray(frequency * abs(step) * FEWEST > 1.0)
    return found


def _frequencies(system: System, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What oscillates, and how fast (Hz): sines and cosines of time in the laws of drives, where their rate is constant."""
    if not any(isinstance(force, Air) for force in system.forces):
        return  # an imposed motion is exact, and what it moves may be smooth all the same
    for joint in system.joints:
        what = "the motion imposed on" if isinstance(joint.drive, Motion) else "the drive of"
        for expression in expressions(joint.drive.law):
            for node in calls_of(expression):
                if node.function in ("sin", "cos") and TIME in node.names:
                    slope = node.arguments[0].derivative(TIME)
                    if slope.names <= values.keys():
                        yield f"{what} joint {joint.name!r}", np.abs(slope.evaluate(values)) / (2.0 * math.pi)


def calls_of(expression: Expression) -> list[Call]:
    """Every operator and function within an expression, inner ones first."""
    found: list[Call] = []

    def visit(node: Expression, _: tuple[None, ...]) -> None:
        if isinstance(node, Call):
            found.append(node)

    expression.fold(visit)
    return found
