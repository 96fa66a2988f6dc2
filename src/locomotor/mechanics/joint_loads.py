"""Forces between the bodies of joints, and friction that follows them: both are to be found together.

With tau the efforts of friction and s where each joint slides to (0 where it sticks), accelerations, multipliers and so the
force F of each joint are linear in tau (docs/theory.md (Q9)):

    tau_i = -s_i b_i(F_i),        F_i = F_i0 + sum_k C_ik tau_k,        b_i = a_i |F_i across| + p_i |F_i along|,

where a bearing with two supports, at z_1 and z_2 along its axis u, bears force and moment across it with

    F_1 = (z_2 F - N)/(z_2 - z_1),      F_2 = (N - z_1 F)/(z_2 - z_1),      N = -u x M,      |F across| := |F_1| + |F_2|,

and a slider the moment along it with two sides, 2 |M along|/width more. Newton's method solves this. Where a pivot of its
matrix is not positive the joint jams: friction presses it harder than it can hold, and there is no motion that fits, or
several. Loads are no numbers then, which ends a run.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.constraints import ConstraintSet
from locomotor.mechanics.loads import Applied
from locomotor.mechanics.loops import Jet, Pair, closing, free_body
from locomotor.mechanics.sliding import solve_regular
from locomotor.mechanics.tree import Kinematics, body_wrenches
from locomotor.model import JointFriction, System, evaluate
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


def joint_wrenches(
    kinematics: Kinematics, v_dot: Array | None, applied: Applied, constraints: ConstraintSet, multipliers: Array
) -> list[Array]:
    """What the parent of every joint does to the child: force, and moment about the child's origin, in the child's axes.

    That is what the bodies beyond the joint need for their motion and do not get from elsewhere.
    """
    wrenches, system = dict(applied.wrenches), kinematics.instant.system
    start = 0
    for row in constraints.contacts:
        own = multipliers[start : start + len(row.labels)]
        force, couple = row.force(own), row.couple(own)
        start += len(row.labels)
        _push(kinematics, wrenches, row.body, force, row.position, couple)
        below = system.ground(row.contact.ground).body
        if below != WORLD:  # what stands on a body pushes it back
            _push(kinematics, wrenches, system.index(below), -force, row.position, -couple)
    known = {single.name: multipliers[start + k] for k, single in enumerate(constraints.singles)}
    for closure in system.loops:
        for i, wrench in closure_wrenches(kinematics, closure, known).items():
            wrenches[i] = wrenches[i] + wrench if i in wrenches else wrench
    carried, _ = body_wrenches(kinematics, v_dot, applied.gravity, wrenches)
    for i in reversed(range(len(carried))):
        link = kinematics.links[i]
        if link.parent >= 0:
            carried[link.parent] = carried[link.parent] + link.pose.wrench_to_parent(carried[i])
    return carried


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


def _push(kinematics: Kinematics, wrenches: dict[int, Array], i: int, force: Array, point: Array, couple: Array) -> None:
    """A force at a point and a moment, all of the world, on a body."""
    R, p = kinematics.poses[i].rotation, kinematics.poses[i].translation
    wrench = ops.concat(R.T @ force, R.T @ (ops.cross(point - p, force) + couple))
    wrenches[i] = wrenches[i] + wrench if i in wrenches else wrench


# --- friction that follows them --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bearing:
    """A joint whose friction follows its load: its axis in the child, where it slides to, how its wrench answers to efforts."""

    friction: JointFriction
    axis: Array
    towards: Any
    wrench: Array
    """Of the parent on the child, without any of these frictions."""
    answers: tuple[Array, ...]
    """What each effort adds to it."""
    names: Mapping[str, Any]

    def load(self, efforts: Sequence[Any]) -> Load:
        """Sizes of what presses at given efforts."""
        pressing, along = self.parts(self._at(efforts))
        return Load(sum((_size(part) for part in pressing[1:]), _size(pressing[0])), ops.fabs(along))

    def missing(self, efforts: Sequence[Any], own: int) -> tuple[Any, list[Any]]:
        """tau + s b at given efforts, and how it changes with each."""
        arm, thrust = load_arms(self.friction, self.friction.mu, self.names)
        pressing, along = self.parts(self._at(efforts))
        sizes = [_size(part) for part in pressing]
        slopes = []
        for k, answer in enumerate(self.answers):
            changes, by_along = self.parts(answer)
            by_size = [ops.dot(part, by) / size for part, by, size in zip(pressing, changes, sizes, strict=True)]
            slope = arm * sum(by_size[1:], by_size[0]) + thrust * (ops.sign(along) * by_along)
            slopes.append(self.towards * slope + (1.0 if k == own else 0.0))
        bound = arm * sum(sizes[1:], sizes[0]) + thrust * ops.fabs(along)
        return efforts[own] + self.towards * bound, slopes

    def _at(self, efforts: Sequence[Any]) -> Array:
        return sum((effort * answer for effort, answer in zip(efforts, self.answers, strict=True)), self.wrench)

    def parts(self, wrench: Array) -> tuple[list[Array], Any]:
        """Forces that press, each where it is borne, and the force along the axis: all linear in the wrench."""
        force, moment, friction = wrench[0:3], wrench[3:6], self.friction
        along = ops.dot(self.axis, force)
        across = force - along * self.axis
        found = [across]
        if friction.supports is not None:
            first, second = (evaluate(place, self.names) for place in friction.supports)
            turned = -ops.cross(self.axis, moment)
            found = [(1.0 / (second - first)) * part for part in (second * across - turned, turned - first * across)]
        if friction.width is not None:
            found.append((2.0 / evaluate(friction.width, self.names)) * (ops.dot(self.axis, moment) * self.axis))
        return found, along


@dataclass(frozen=True, eq=False)
class Seat(Bearing):
    """A ball in its seat: its effort is that along the direction in which it turns, and all of the force presses."""

    def parts(self, wrench: Array) -> tuple[list[Array], Any]:
        """All of the force presses."""
        return [wrench[0:3]], 0.0


def _size(force: Array) -> Any:
    return ops.sqrt(ops.dot(force, force) + NOTHING)


def loads_of(bearings: Sequence[Bearing]) -> dict[str, Load]:
    """The loads at which every friction fits its own, by the names of the frictions."""
    efforts: list[Any] = [0.0] * len(bearings)
    change, det = _step(bearings, efforts)
    for _ in range(ROUNDS):
        efforts = [effort - step for effort, step in zip(efforts, change, strict=True)]
        change, det = _step(bearings, efforts)
    fits: Any = ops.if_else(det > 0.0, 1.0, float("nan"))
    for effort, step in zip(efforts, change, strict=True):
        found = ops.fabs(step) - CLOSE * (1.0 + ops.fabs(effort))
        fits = ops.if_else(found < 0.0, fits, float("nan"))
    loads = {bearing.friction.name: bearing.load(efforts) for bearing in bearings}
    return {name: Load(fits * load.across, load.along) for name, load in loads.items()}


def _step(bearings: Sequence[Bearing], efforts: Sequence[Any]) -> tuple[list[Any], Any]:
    """Step of Newton's method, backwards, and the determinant of its matrix."""
    missing = [bearing.missing(efforts, i) for i, bearing in enumerate(bearings)]
    return solve_regular([slopes for _, slopes in missing], [value for value, _ in missing])
