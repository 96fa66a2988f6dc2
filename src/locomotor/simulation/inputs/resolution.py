"""Whether steps are short enough for the strokes of imposed motions."""

import math
from collections.abc import Iterator, Mapping

from locomotor.errors import StepperError
from locomotor.model import Air, Expression, Motion, System
from locomotor.model.expressions import Call, expressions
from locomotor.names import TIME

FEWEST, ENOUGH = 4, 50
"""Steps a period below which nothing is right, and with which to begin."""


def check_resolution(system: System, step: float) -> None:
    """Raise if an imposed motion of something in air oscillates so fast that a step passes over its strokes."""
    if not any(isinstance(force, Air) for force in system.forces):
        return  # the motion is exact, and what it moves may be smooth all the same
    for joint in system.imposed:
        assert isinstance(joint.drive, Motion)
        fastest = max(_frequencies(joint.drive.law, system.parameters.values), default=0.0)
        if fastest * step * FEWEST > 1.0:
            raise StepperError(
                f"the motion imposed on joint {joint.name!r} oscillates at {fastest:.6g} Hz, and a step of {step:g} s takes "
                f"less than {FEWEST} steps a period; give a step of {1.0 / (ENOUGH * fastest):.2g} s or less"
            )


def _frequencies(law: object, values: Mapping[str, float]) -> Iterator[float]:
    """Frequencies (Hz) of the sines and cosines of time in a law, where they do not change."""
    for expression in expressions(law):
        for node in calls_of(expression):
            if node.function in ("sin", "cos") and TIME in node.names:
                slope = node.arguments[0].derivative(TIME)
                if slope.names <= values.keys():
                    yield abs(float(slope.evaluate(values))) / (2.0 * math.pi)


def calls_of(expression: Expression) -> list[Call]:
    """Every operator and function within an expression, inner ones first."""
    found: list[Call] = []

    def visit(node: Expression, _: tuple[None, ...]) -> None:
        if isinstance(node, Call):
            found.append(node)

    expression.fold(visit)
    return found
