"""Instants at which something given by expressions of time alone jumps or has a kink."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from locomotor.model import Expression, System, apply
from locomotor.model.expression import Call, expressions
from locomotor.simulation.feedback import ExpressionLaw
from locomotor.simulation.roots import root_between
from locomotor.tracing import Controller

SAMPLES = 2000
"""Places at which the sign of a condition that is not linear in time is looked at."""


def switch_instants(system: System, controller: Controller | None, start: float, end: float) -> tuple[float, ...]:
    """Instants strictly within a run at which inputs, drives or forces jump, in order."""
    laws: list[Expression] = [e for force in system.forces for _, e in force.expressions(laws=True)]
    laws += [e for joint in system.joints for e in expressions(joint.drive.law)]
    told: tuple[float, ...] = ()
    if controller is not None:
        told = controller.instants
        if isinstance(controller.law, ExpressionLaw):
            laws += [e for _, e in controller.law.varying]
    found = {float(t) for t in (*told, *_of_time(laws, system.parameters.values, start, end)) if start < t < end}
    return tuple(sorted(found))


def _of_time(laws: Iterable[Expression], values: Mapping[str, float], start: float, end: float) -> Iterable[float]:
    for law in laws:
        for difference in _differences(law):
            if "t" in difference.names and difference.names - {"t"} <= values.keys():
                yield from _roots(difference, values, start, end)


def _differences(law: Expression) -> list[Expression]:
    """Expressions whose sign decides on a branch."""
    found: list[Expression] = []

    def visit(node: Expression, below: tuple[Any, ...]) -> None:
        if isinstance(node, Call) and node.function in ("less", "min", "max"):
            found.append(apply("sub", *node.arguments))
        elif isinstance(node, Call) and node.function in ("sign", "abs"):
            found.append(node.arguments[0])

    law.fold(visit)
    return found


def _roots(difference: Expression, values: Mapping[str, float], start: float, end: float) -> list[float]:
    def at(t: float) -> float:
        return float(difference.evaluate({**values, "t": t}))

    slope = difference.derivative("t")
    if "t" not in slope.names:
        rate = float(slope.evaluate(values))
        return [-at(0.0) / rate] if rate else []
    times = np.linspace(start, end, SAMPLES + 1)
    signs = np.sign([at(float(t)) for t in times])
    found = [float(times[k]) for k in np.flatnonzero(signs == 0.0)]
    for k in np.flatnonzero(signs[1:] * signs[:-1] < 0.0):
        found.append(root_between(at, float(times[k]), float(times[k + 1]), xtol=1e-15, rtol=1e-15))
    return found
