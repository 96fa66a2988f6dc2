"""Joints whose angle nothing depends on: wheels and rotors that are bodies of revolution about their own axis.

For such a joint poses may be computed at angle zero: mass matrix, bias and contacts are the same at every angle.
This removes the sine and cosine of every wheel from the compiled equations. It is decided from the model alone.
"""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.mechanics.tree.joints import rotation_about
from locomotor.model import (
    Contact,
    Force,
    Frame,
    Free,
    Revolute,
    RollingDisc,
    RollingSphere,
    RollingTorus,
    SlidingSphere,
    System,
    evaluate,
)
from locomotor.model.contacts import Lying, Settling, Slipping, Turning
from locomotor.typing import Floats

TOLERANCE = 1e-12


def cyclic_joints(system: System, free_parameters: tuple[str, ...] = ()) -> frozenset[str]:
    """Names of the revolute joints whose angle does not enter the dynamics.

    Parameters that stay free are varied as well, so that a symmetry that holds only for the default values is not used.
    """
    trials = [dict(system.parameters.values)]
    generator = np.random.default_rng(1)
    for _ in range(2 if free_parameters else 0):
        varied = dict(system.parameters.values)
        for name in free_parameters:
            varied[name] = varied[name] * (1.0 + 0.1 * generator.random()) + 1e-3 * generator.random()
        trials.append(varied)
    carriers = {joint.parent for joint in system.joints}
    return frozenset(
        joint.name
        for joint in system.joints
        if isinstance(joint, Revolute)
        and joint.child not in carriers
        and not system.body(joint.child).coordinates
        and all(_is_revolution(system, joint.child, evaluate(joint.axis, values), values) for values in trials)
    )


def root_spins(system: System) -> bool:
    """Whether the root is a free body of revolution about its own y axis, alone: its spin, the chart's pitch, is ignorable."""
    root = system.joints[0]
    alone = len(system.joints) == 1 and not system.constraints and not system.loops and not system.body(root.child).coordinates
    return isinstance(root, Free) and alone and _is_revolution(system, root.child, (0.0, 1.0, 0.0), system.parameters.values)


def _is_revolution(system: System, name: str, about: Any, values: Mapping[str, float]) -> bool:
    axis = np.asarray(about, dtype=float)
    body = system.body(name)
    if any(_acts_on(force, body.name) for force in system.forces):
        return False
    if any(ground.body == body.name for ground in system.grounds):
        return False  # what others touch turns with it
    if any(body.name == getattr(closure, field) for closure in system.loops for field in closure.BODIES):
        return False
    if not all(is_symmetric(c, axis, values) for c in system.contacts if c.body == body.name):
        return False
    if isinstance(body, Frame):
        return True
    _, com, inertia = body.mass_properties(values)
    turn = rotation_about(axis, 1.0)
    size = float(np.abs(inertia).max())
    return _on_axis(com, axis) and bool(np.abs(turn @ inertia @ turn.T - inertia).max() <= TOLERANCE * size)


def _on_axis(point: Any, axis: Floats) -> bool:
    offset = np.asarray(point, dtype=float)
    return bool(np.abs(offset - axis * (axis @ offset)).max() <= TOLERANCE)


def _acts_on(force: Force, body: str) -> bool:
    return any(getattr(force, field) == body for field in force.BODIES)


@singledispatch
def is_symmetric(contact: Contact, axis: Floats, values: Mapping[str, float]) -> bool:
    """Whether a contact is the same at every angle about an axis through its body's origin.

    To say nothing is always right, and costs a sine and a cosine: a kind of which this is not known is not symmetric.
    """
    return False


@is_symmetric.register(RollingDisc)
@is_symmetric.register(RollingTorus)
def _(contact: Any, axis: Floats, values: Mapping[str, float]) -> bool:
    parallel = abs(float(np.asarray(evaluate(contact.axis, values)) @ axis))
    return _on_axis(evaluate(contact.centre, values), axis) and abs(parallel - 1.0) <= TOLERANCE


@is_symmetric.register(RollingSphere)
@is_symmetric.register(SlidingSphere)
def _(contact: Any, axis: Floats, values: Mapping[str, float]) -> bool:
    return _on_axis(evaluate(contact.centre, values), axis)


@is_symmetric.register(Turning)
@is_symmetric.register(Slipping)
@is_symmetric.register(Lying)
@is_symmetric.register(Settling)
def _(contact: Any, axis: Floats, values: Mapping[str, float]) -> bool:
    return is_symmetric(contact.of, axis, values)
