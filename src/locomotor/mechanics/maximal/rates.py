"""Rates of joints from the twists of their two bodies, both free: what conditions by formula speak of."""

from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.errors import ModelError
from locomotor.lie import ops
from locomotor.mechanics.loops import Flow, Relative
from locomotor.model import Cylindrical, Helical, Joint, Prismatic, Revolute, Spherical, evaluate


@singledispatch
def rates_of(joint: Joint, parent: Relative, child: Relative, values: Any) -> tuple[Flow, ...]:
    """Velocities of a joint, in order, as flows over the twists of parent and child."""
    raise ModelError(
        f"{joint.label}: nothing says what the rates of a {type(joint).__name__} are in maximal coordinates, of which a "
        "constraint speaks; leave coordinates='maximal' out, or the constraint"
    )


@rates_of.register(Revolute)
@rates_of.register(Helical)
def _(joint: Any, parent: Relative, child: Relative, values: Any) -> tuple[Flow, ...]:
    return (_turning(joint, parent, child, values),)


@rates_of.register
def _(joint: Prismatic, parent: Relative, child: Relative, values: Any) -> tuple[Flow, ...]:
    return (_sliding(joint, parent, child, values),)


@rates_of.register
def _(joint: Cylindrical, parent: Relative, child: Relative, values: Any) -> tuple[Flow, ...]:
    return _turning(joint, parent, child, values), _sliding(joint, parent, child, values)


@rates_of.register
def _(joint: Spherical, parent: Relative, child: Relative, values: Any) -> tuple[Flow, ...]:
    x, y, z = ((child.spin - parent.spin).dot(child.direction(axis)) for axis in np.eye(3))
    return x, y, z


def _turning(joint: Any, parent: Relative, child: Relative, values: Any) -> Flow:
    return (child.spin - parent.spin).dot(child.direction(ops.vector(*evaluate(joint.axis, values))))


def _sliding(joint: Any, parent: Relative, child: Relative, values: Any) -> Flow:
    placed = joint.placement(values)
    axis = parent.direction(placed.rotation @ ops.vector(*evaluate(joint.axis, values)))
    apart = child.point(np.zeros(3)) - parent.point(placed.translation)
    return axis.dot(apart).flow
