"""Contacts on round grounds: a ball, a bar, a block with rounded edges, carried by a body or fixed in the world.

The ground is all within a margin r of a core (a point, a segment, a box), and what touches it is all within a margin r' of a
point m of its body: a sphere about its centre, or with r' = 0 a point. With q the point of the core nearest to m and w = m - q,

    n = w/|w|,     gap = |w| - r - r',     C = m - r' n,     n_dot = (w_dot - (n . w_dot) n)/|w|,

rates as the ground sees them (docs/theory.md (C8)). Inside a bowl all signs of n are the others.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.errors import ContactKindError
from locomotor.lie import ops
from locomotor.mechanics.constraints.contact_geometry import Touch
from locomotor.mechanics.constraints.standpoint import Standpoint
from locomotor.model import Contact, RollingSphere, SlidingPoint, SlidingSphere, StickingPoint, evaluate
from locomotor.model.contacts import EVERY_DIRECTION, Ball, Bar, Block, RoundGround, Slipping, Turning
from locomotor.typing import Array, SymbolicValues

NOWHERE = 1e-12
"""What is nearer than this (m) to the core of its ground has no normal of its own."""
UP = np.array([0.0, 0.0, 1.0])


def on_round(contact: Contact, ground: RoundGround, seen: Standpoint) -> tuple[Array, Touch, Any]:
    """The normal in body axes, towards the body of the contact, where it touches, and the gap."""
    values = seen.kinematics.instant.values
    middle, margin = core_of(contact, values)
    R = seen.pose.rotation
    place, rate = seen.pose.act(middle), R @ (seen.velocity + ops.cross(seen.omega, middle))
    nearest, following, radius, side = nearest_on(ground, place, rate, values)
    w, w_dot = R.T @ (place - nearest), R.T @ (rate - following)
    length = ops.fmax(ops.norm(w), NOWHERE)
    # A nominal pose may have everything at one place.
    normal = ops.if_else(ops.less(NOWHERE, length), (side / length) * w, UP)
    turning = (side / length) * (w_dot - ops.dot(normal, w_dot) * normal)
    drift = ops.cross(seen.omega, middle) - margin * turning
    blocked = None if contact.BLOCKS == EVERY_DIRECTION else (("normal", normal, turning),)
    return normal, Touch(middle - margin * normal, drift, blocked, turning=turning), side * (length - radius) - margin


@singledispatch
def core_of(contact: Contact, values: SymbolicValues) -> tuple[Array, Any]:
    """The point of the body about which a contact is round, and its radius."""
    raise ContactKindError(
        f"{contact.label}: nothing says how a {type(contact).__name__} touches a round ground; take a sphere or a point "
        "(RollingSphere, SlidingSphere, StickingPoint, SlidingPoint), or give it a Plane as its ground"
    )


@core_of.register(RollingSphere)
@core_of.register(SlidingSphere)
def _(contact: Any, values: SymbolicValues) -> tuple[Array, Any]:
    return evaluate(contact.centre, values), evaluate(contact.radius, values)


@core_of.register(StickingPoint)
@core_of.register(SlidingPoint)
def _(contact: Any, values: SymbolicValues) -> tuple[Array, Any]:
    return evaluate(contact.at, values), 0.0


@core_of.register
def _(contact: Turning, values: SymbolicValues) -> tuple[Array, Any]:
    return core_of(contact.of, values)


@core_of.register
def _(contact: Slipping, values: SymbolicValues) -> tuple[Array, Any]:
    return core_of(contact.of, values)


@singledispatch
def nearest_on(ground: Any, place: Array, rate: Array, values: SymbolicValues) -> tuple[Array, Array, Any, float]:
    """The point of a ground's core nearest to a place that moves, its rate, its margin, and 1 outside, -1 inside."""
    raise ContactKindError(f"{ground.label}: nothing says what of a {type(ground).__name__} is nearest to a point")


@nearest_on.register
def _(ground: Ball, place: Array, rate: Array, values: SymbolicValues) -> tuple[Array, Array, Any, float]:
    side = -1.0 if ground.inside else 1.0
    return evaluate(ground.centre, values), ops.zeros(3), evaluate(ground.radius, values), side


@nearest_on.register
def _(ground: Bar, place: Array, rate: Array, values: SymbolicValues) -> tuple[Array, Array, Any, float]:
    start = evaluate(ground.start, values)
    span = evaluate(ground.end, values) - start
    square = ops.dot(span, span)
    share, moving = _between(ops.dot(place - start, span) / square, ops.dot(rate, span) / square, 0.0, 1.0)
    return start + share * span, moving * span, evaluate(ground.radius, values), 1.0


@nearest_on.register
def _(ground: Block, place: Array, rate: Array, values: SymbolicValues) -> tuple[Array, Array, Any, float]:
    centre, half, rounding = (evaluate(part, values) for part in (ground.centre, ground.half_sizes, ground.rounding))
    found = [_between(place[k] - centre[k], rate[k], rounding - half[k], half[k] - rounding) for k in range(3)]
    nearest, following = (ops.vector(*(pair[i] for pair in found)) for i in range(2))
    return centre + nearest, following, rounding, 1.0


def _between(value: Any, rate: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """A value within bounds, and its rate: zero beyond them."""
    within = ops.logic_and(ops.less(low, value), ops.less(value, high))
    return ops.fmin(ops.fmax(value, low), high), ops.if_else(within, rate, 0.0)
