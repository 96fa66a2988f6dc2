"""Laws that jump with the state: the derivative of a motion through such a jump lacks a term, and is checked.

A force or an input with `less`, `if_else` or `sign` of coordinates and velocities changes suddenly where no event is looked
for, so that there is no saltation matrix. Where the jump coincides with events, as a motor's that lets go on landing,
differences of the map tell the truth; where it does not, the steps around it decide, and nothing can be trusted but a finer
step.
"""

from collections.abc import Iterator

import numpy as np

from locomotor.analysis.cycles.floquet import by_differences
from locomotor.analysis.cycles.poincare import PoincareMap
from locomotor.model.expressions import Call, Expression, expressions
from locomotor.simulation.inputs import ExpressionLaw
from locomotor.typing import Floats

APART = 1e-3
"""Difference between two derivatives, relative to the largest entry, above which they contradict each other."""
SIZES = (1e-5, 1e-4)
"""Differences of the unknowns; on a smooth map both give the same."""


def may_jump(here: PoincareMap) -> bool:
    """Whether a force, a drive or an input may change suddenly with the state."""
    controller = here.kernels.modes.controller
    if controller is not None and not isinstance(controller.law, ExpressionLaw):
        return True
    known = {"t", *here.system.parameters.values}
    return any(not node.names <= known for law in _laws(here) for node in _sudden(law))


def believed(here: PoincareMap, unknowns: Floats, parameters: Floats, jacobian: Floats) -> tuple[Floats, str]:
    """The derivative to believe, the given one or that by differences, and a sentence where the given one is not right."""
    if not len(unknowns) or not np.isfinite(jacobian).all() or not may_jump(here):
        return jacobian, ""
    fine, coarse = (
        by_differences(lambda u: u + here(u, np.tile(parameters, (len(u), 1)), tangent=False).residual, unknowns, size)
        for size in SIZES
    )
    if not np.isfinite(fine).all() or _apart(jacobian, fine) <= APART:
        return jacobian, ""
    differ = _apart(jacobian, fine)
    told = f"the exact derivative and differences of the map are {differ:.1e} apart: a law jumps without an event"
    if _apart(coarse, fine) <= 10.0 * APART:
        return fine, f"{told}. The multipliers are those of the differences"
    return jacobian, f"{told}, and the differences depend on their size. The multipliers are not to be trusted: smooth the law"


def _apart(a: Floats, b: Floats) -> float:
    return float(np.abs(a - b).max()) / max(1.0, float(np.abs(b).max()))


def _laws(here: PoincareMap) -> Iterator[Expression]:
    for force in here.system.forces:
        yield from (law for _, law in force.expressions(laws=True))
    for joint in here.system.joints:
        yield from expressions(joint.drive.law)
    yield from here.laws


def _sudden(law: Expression) -> list[Call]:
    found: list[Call] = []

    def visit(node: Expression, below: tuple[None, ...]) -> None:
        if isinstance(node, Call) and node.function in ("less", "sign"):
            found.append(node)

    law.fold(visit)
    return found
