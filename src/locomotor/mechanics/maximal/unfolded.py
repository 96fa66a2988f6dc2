"""A tree as bodies that are all free, with a closure for each of its joints.

The condition of a joint between parent and child is the closure whose relative motions are those of the joint. Rows of joints
come before all others: those of a tree never depend on each other.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.errors import ModelError
from locomotor.mechanics.tree import fluid_inertia
from locomotor.model import (
    Body,
    Closure,
    Cylindrical,
    CylindricalClosure,
    Fixed,
    FixedClosure,
    Free,
    Helical,
    HelicalClosure,
    Joint,
    Orthogonal,
    Parallel,
    Planar,
    PlanarClosure,
    Prismatic,
    PrismaticClosure,
    Revolute,
    RevoluteClosure,
    Spherical,
    SphericalClosure,
    System,
    Translation,
    Universal,
    UniversalClosure,
    evaluate,
)
from locomotor.typing import Floats

SQUARE = 1e-12
X, Y, Z = (tuple(row) for row in np.eye(3).tolist())


def unfold(system: System) -> tuple[Closure, ...]:
    """The closures of all joints: what holds the bodies of a tree together when all of them are free."""
    values = system.parameters.values
    return tuple(closure for joint in system.joints for closure in closures_of(joint, values))


def refuse_folded(system: System) -> None:
    """Raise by name where a part of a system has no form in maximal coordinates."""
    reasons = [f"body {body.name!r}, which has no mass," for body in system.bodies if not isinstance(body, Body)]
    reasons += [f"body {body.name!r}, which is soft," for body in system.bodies if body.coordinates]
    values = system.parameters.values
    carried = (force.name for force in system.forces if fluid_inertia(force, system, values) is not None)
    reasons += [f"the added mass of {name!r}" for name in carried]
    if reasons:
        raise ModelError(
            f"{system.name}: {reasons[0]} has no form in maximal coordinates; leave coordinates='maximal' out, or the part"
        )


def _frame(joint: Joint, values: Any) -> tuple[Floats, tuple[float, ...]]:
    placed = joint.placement(values)
    return np.asarray(placed.rotation, dtype=float), tuple(np.asarray(placed.translation, dtype=float).tolist())


def _turned(R: Floats, axis: Any) -> tuple[float, ...]:
    """An axis of the placement in the axes of the parent, of unit length to round-off."""
    d = R @ np.asarray(axis, dtype=float)
    return tuple((d / np.linalg.norm(d)).tolist())


def _across(axis: Floats) -> Floats:
    rest = np.eye(3)[int(np.abs(axis).argmin())]
    rest = rest - (rest @ axis) * axis
    return np.asarray(rest / np.linalg.norm(rest), dtype=float)


def oriented(joint: Any, values: Any) -> dict[str, Any]:
    """Fields of a closure with an axis and a direction across it, parallel in both bodies at zero coordinates."""
    R, at = _frame(joint, values)
    axis = np.asarray(evaluate(joint.axis, values), dtype=float)
    side = _across(axis)
    return {
        "at_a": at,
        "axis_a": _turned(R, axis),
        "axis_b": tuple(axis.tolist()),
        "across_a": _turned(R, side),
        "across_b": tuple(side.tolist()),
    }


@singledispatch
def closures_of(joint: Joint, values: Any) -> tuple[Closure, ...]:
    """What holds the child of a joint to its parent when both are free."""
    raise ModelError(
        f"{joint.label}: nothing says what holds a {type(joint).__name__} in maximal coordinates; register `closures_of` of "
        "locomotor.mechanics.maximal for it"
    )


@closures_of.register
def _(joint: Free, values: Any) -> tuple[Closure, ...]:
    return ()


@closures_of.register
def _(joint: Fixed, values: Any) -> tuple[Closure, ...]:
    R, at = _frame(joint, values)
    return (
        FixedClosure(
            joint.name, joint.parent, joint.child, at, axis_a=_turned(R, X), axis_b=X, across_a=_turned(R, Y), across_b=Y
        ),
    )


@closures_of.register
def _(joint: Revolute, values: Any) -> tuple[Closure, ...]:
    R, at = _frame(joint, values)
    axis = tuple(np.asarray(evaluate(joint.axis, values), dtype=float).tolist())
    return (RevoluteClosure(joint.name, joint.parent, joint.child, at, axis_a=_turned(R, axis), axis_b=axis),)


@closures_of.register
def _(joint: Prismatic, values: Any) -> tuple[Closure, ...]:
    return (PrismaticClosure(joint.name, joint.parent, joint.child, **oriented(joint, values)),)


@closures_of.register
def _(joint: Cylindrical, values: Any) -> tuple[Closure, ...]:
    R, at = _frame(joint, values)
    axis = tuple(np.asarray(evaluate(joint.axis, values), dtype=float).tolist())
    return (CylindricalClosure(joint.name, joint.parent, joint.child, at, axis_a=_turned(R, axis), axis_b=axis),)


@closures_of.register
def _(joint: Helical, values: Any) -> tuple[Closure, ...]:
    pitch = evaluate(joint.pitch, values)
    return (HelicalClosure(joint.name, joint.parent, joint.child, **oriented(joint, values), pitch=pitch),)


@closures_of.register
def _(joint: Universal, values: Any) -> tuple[Closure, ...]:
    R, at = _frame(joint, values)
    first, second = (np.asarray(evaluate(axis, values), dtype=float) for axis in joint.axes)
    arms: dict[str, Any] = {"axis_a": _turned(R, first), "axis_b": tuple(second.tolist())}
    cosine = float(first @ second)
    if abs(cosine) < SQUARE:
        return (UniversalClosure(joint.name, joint.parent, joint.child, at, **arms),)
    return (
        SphericalClosure(joint.name, joint.parent, joint.child, at),
        Orthogonal(f"{joint.name}_arms", joint.parent, joint.child, **arms, cosine=cosine),
    )


@closures_of.register
def _(joint: Spherical, values: Any) -> tuple[Closure, ...]:
    return (SphericalClosure(joint.name, joint.parent, joint.child, _frame(joint, values)[1]),)


@closures_of.register
def _(joint: Planar, values: Any) -> tuple[Closure, ...]:
    R, at = _frame(joint, values)
    return (PlanarClosure(joint.name, joint.parent, joint.child, at, axis_a=_turned(R, Z), axis_b=Z),)


@closures_of.register
def _(joint: Translation, values: Any) -> tuple[Closure, ...]:
    R, _ = _frame(joint, values)
    ends = (joint.parent, joint.child)
    return (
        Parallel(joint.name, *ends, axis_a=_turned(R, Z), axis_b=Z),
        Orthogonal(f"{joint.name}_turn", *ends, axis_a=_turned(R, Y), axis_b=X),
    )
