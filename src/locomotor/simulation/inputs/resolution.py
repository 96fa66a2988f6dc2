"""Whether steps are short enough for what oscillates in air: strokes of drives, gusts, laws of forces and of inputs."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from locomotor.errors import StepperError
from locomotor.model import Air, Expression, Motion, System, as_quantity
from locomotor.model.expressions import Call, expressions
from locomotor.names import TIME
from locomotor.typing import Flags, Floats

FEWEST, ENOUGH = 4, 50
"""Steps a period below which nothing is right, and with which to begin."""


def check_resolution(
    system: System, step: float, values: Mapping[str, float] | None = None, inputs: Mapping[str, Any] | None = None
) -> None:
    """Raise if something in air oscillates so fast that a step passes over its strokes; `inputs` are laws by name."""
    if words := why_unresolved(system, step, values or {}, inputs or {}):
        raise StepperError(words)


def why_unresolved(system: System, step: float, values: Mapping[str, float], inputs: Mapping[str, Any] | None = None) -> str:
    """Which law is too fast for a step, in words, with the step to use; "" where none is."""
    for what, frequency in _frequencies(system, {**system.parameters.values, **values}, inputs or {}):
        if float(frequency) * abs(step) * FEWEST > 1.0:
            return (
                f"{what} oscillates at {float(frequency):.6g} Hz, and a step of {step:g} s takes less than {FEWEST} steps a "
                f"period; give a step of {1.0 / (ENOUGH * float(frequency)):.2g} s or less"
            )
    return ""


def unresolved(system: System, step: float, names: tuple[str, ...], rows: Floats) -> Flags:
    """Which rows of values of some parameters make a law too fast for a step."""
    found = np.zeros(len(rows), dtype=bool)
    columns = dict(zip(names, np.asarray(rows, dtype=float).T, strict=True))
    with np.errstate(all="ignore"):
        for _, frequency in _frequencies(system, {**system.parameters.values, **columns}):
            found |= np.asarray(frequency * abs(step) * FEWEST > 1.0)
    return found


def _frequencies(
    system: System, values: Mapping[str, Any], inputs: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, Any]]:
    """What oscillates, and how fast (Hz): sines and cosines of time in laws, where their rate is constant."""
    if not any(isinstance(force, Air) for force in system.forces):
        return  # an imposed motion is exact, and what it moves may be smooth all the same
    for what, law in _laws(system, inputs or {}):
        for expression in expressions(law):
            for node in calls_of(expression):
                if node.function in ("sin", "cos") and TIME in node.names:
                    slope = node.arguments[0].derivative(TIME)
                    if slope.names <= values.keys():
                        yield what, np.abs(slope.evaluate(values)) / (2.0 * math.pi)


def _laws(system: System, inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Whatever may depend on time, and what to call it."""
    for joint in system.joints:
        what = "the motion imposed on" if isinstance(joint.drive, Motion) else "the drive of"
        yield f"{what} joint {joint.name!r}", joint.drive.law
    for part in (*system.forces, *system.constraints):
        for entry in fields(part):  # type: ignore[arg-type]  # every description is a dataclass
            yield f"the {entry.name} of {part.label}", getattr(part, entry.name)
    for name, law in inputs.items():
        yield f"the input {name!r}", as_quantity(law, f"input {name!r}")


def calls_of(expression: Expression) -> list[Call]:
    """Every operator and function within an expression, inner ones first."""
    found: list[Call] = []

    def visit(node: Expression, _: tuple[None, ...]) -> None:
        if isinstance(node, Call):
            found.append(node)

    expression.fold(visit)
    return found
