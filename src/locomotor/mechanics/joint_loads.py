"""Forces between the bodies of joints, and friction that follows them: both are to be found together.

With tau the efforts of friction and s where each joint slides to (0 where it sticks), accelerations, multipliers and so the
force F of each joint are linear in tau (docs/theory.md (Q9)):

    tau_i = -s_i b_i(F_i),        F_i = F_i0 + sum_k C_ik tau_k,        b_i = a_i |F_i across| + p_i |F_i along|,

which Newton's method solves. Where a pivot of its matrix is not positive the joint jams: friction presses it harder than it
can hold, and there is no motion that fits, or several. Loads are no numbers then, which ends a run.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.constraints import ConstraintSet
from locomotor.mechanics.loads import Applied
from locomotor.mechanics.loops import Jet, Pair, closing, free_body
from locomotor.mechanics.sliding import solve_in_order
from locomotor.mechanics.tree import Kinematics, body_wrenches
from locomotor.model import JointFriction, System
from locomotor.model.forces import Load, load_arms
from locomotor.names import WORLD
from locomotor.typing import Array

TWIST = 6
ROUNDS = 8
"""Of Newton's method, from no friction on: sizes of forces are nearly linear, so that round-off comes after four or five."""
CLOSE = 1e-8
"""Of an effort, how much more Newton's method may ask for in the end."""
NOTHING = 1e-24
"""N²: beside it a force has a direction."""


def following(system: System) -> tuple[JointFriction, ...]:
    """Friction that follows the load of its joint."""
    return tuple(force for force in system.forces if isinstance(force, JointFriction) and force.follows_load)


# --- forces of joints ------------------------------------------------------------------------------------------------


def joint_forces(
    kinematics: Kinematics, v_dot: Array | None, applied: Applied, constraints: ConstraintSet, multipliers: Array
) -> list[Array]:
    """Force of the parent on the child of every joint, in axes of the child: what the bodies beyond it need and do not get.

    Only forces are summed: moments of contacts do not enter.
    """
    wrenches, system = dict(applied.wrenches), kinematics.instant.system
    start = 0
    for row in constraints.contacts:
        force = row.force(multipliers[start : start + len(row.labels)])
        start += len(row.labels)
        _push(kinematics, wrenches, row.body, force)
        below = system.ground(row.contact.ground).body
        if below != WORLD:  # what stands on a body pushes it back
            _push(kinematics, wrenches, system.index(below), -force)
    known = {single.name: multipliers[start + k] for k, single in enumerate(constraints.singles)}
    for closure in system.loops:
        for i, wrench in closure_wrenches(kinematics, closure, known).items():
            wrenches[i] = wrenches[i] + wrench if i in wrenches else wrench
    carried, _ = body_wrenches(kinematics, v_dot, applied.gravity, wrenches)
    for i in reversed(range(len(carried))):
        link = kinematics.links[i]
        if link.parent >= 0:
            carried[link.parent] = carried[link.parent] + link.pose.wrench_to_parent(carried[i])
    return [wrench[0:3] for wrench in carried]


def closure_wrenches(kinematics: Kinematics, closure: Any, multipliers: Mapping[str, Any]) -> dict[int, Array]:
    """What a closure does to its bodies, in their axes about their origins: multipliers times rows over their twists."""
    system, ends = kinematics.instant.system, [getattr(closure, name) for name in closure.BODIES]
    tree = Pair.of(kinematics, ends)
    seen = [side for side in (tree.a, tree.b, tree.third) if side is not None]
    a, b, *third = (free_body(side.pose, np.zeros(TWIST), TWIST * n) for n, side in enumerate(seen))
    conditions = closing(closure, Pair(a, b, tree.values, tree.numbers, tree.carrier, third[0] if third else None))
    found: dict[int, Array] = {}
    # Conditions on positions that have no row of their own come after those that have.
    for name, condition in zip(closure.row_names, conditions[: len(closure.ROWS)], strict=True):
        row = (condition.flow if isinstance(condition, Jet) else condition).row
        for n, body in enumerate(ends):
            if body != WORLD:
                part = multipliers[name] * ops.vector(*(row.get(TWIST * n + j, 0.0) for j in range(TWIST)))
                i = system.index(body)
                found[i] = found[i] + part if i in found else part
    return found


def _push(kinematics: Kinematics, wrenches: dict[int, Array], i: int, force: Array) -> None:
    wrench = ops.concat(kinematics.poses[i].rotation.T @ force, np.zeros(3))
    wrenches[i] = wrenches[i] + wrench if i in wrenches else wrench


# --- friction that follows them --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bearing:
    """A joint whose friction follows its load: its axis in the child, where it slides to, how its force answers to efforts."""

    friction: JointFriction
    axis: Array
    towards: Any
    force: Array
    """Without any of these frictions."""
    answers: tuple[Array, ...]
    """What each effort adds to the force."""

    def load(self, efforts: Sequence[Any]) -> Load:
        """Sizes of the force at given efforts."""
        across, along = self._parts(self._at(efforts))
        return Load(ops.sqrt(ops.dot(across, across) + NOTHING), ops.fabs(along))

    def missing(self, efforts: Sequence[Any], own: int, names: Mapping[str, Any]) -> tuple[Any, list[Any]]:
        """tau + s b at given efforts, and how it changes with each."""
        arm, thrust = load_arms(self.friction, self.friction.mu, names)
        across, along = self._parts(self._at(efforts))
        size = ops.sqrt(ops.dot(across, across) + NOTHING)
        slopes = []
        for k, answer in enumerate(self.answers):
            by_across, by_along = self._parts(answer)
            slope = arm * (ops.dot(across, by_across) / size) + thrust * (ops.sign(along) * by_along)
            slopes.append(self.towards * slope + (1.0 if k == own else 0.0))
        return efforts[own] + self.towards * (arm * size + thrust * ops.fabs(along)), slopes

    def _at(self, efforts: Sequence[Any]) -> Array:
        return sum((effort * answer for effort, answer in zip(efforts, self.answers, strict=True)), self.force)

    def _parts(self, force: Array) -> tuple[Array, Any]:
        along = ops.dot(self.axis, force)
        return force - along * self.axis, along


def loads_of(bearings: Sequence[Bearing], names: Mapping[str, Any]) -> dict[str, Load]:
    """The loads at which every friction fits its own, by the names of the frictions."""
    efforts: list[Any] = [0.0] * len(bearings)
    change, pivots = _step(bearings, efforts, names)
    for _ in range(ROUNDS):
        efforts = [effort - step for effort, step in zip(efforts, change, strict=True)]
        change, pivots = _step(bearings, efforts, names)
    fits: Any = 1.0
    for effort, step, pivot in zip(efforts, change, pivots, strict=True):
        found = ops.fabs(step) - CLOSE * (1.0 + ops.fabs(effort))
        fits = ops.if_else(pivot > 0.0, ops.if_else(found < 0.0, fits, float("nan")), float("nan"))
    loads = {bearing.friction.name: bearing.load(efforts) for bearing in bearings}
    return {name: Load(fits * load.across, load.along) for name, load in loads.items()}


def _step(bearings: Sequence[Bearing], efforts: Sequence[Any], names: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Step of Newton's method, backwards, and the pivots of its matrix."""
    missing = [bearing.missing(efforts, i, names) for i, bearing in enumerate(bearings)]
    return solve_in_order([slopes for _, slopes in missing], [value for value, _ in missing])
