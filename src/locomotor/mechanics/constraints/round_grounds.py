"""Contacts on round grounds: a ball, a bar, a block with rounded edges, carried by a body or fixed in the world.

The ground is all within a margin r of a core (a point, a segment, a box), and what touches it is all within a margin r' of a
point m of its body: a sphere about its centre, or with r' = 0 a point. With q the point of the core nearest to m and w = m - q,

    n = w/|w|,     gap = |w| - r - r',     C = m - r' n,     n_dot = (w_dot - (n . w_dot) n)/|w|,

rates as the ground sees them (docs/theory.md (C8)). Inside a bowl or a tube all signs of n are the others.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ContactKindError
from locomotor.lie import ops
from locomotor.mechanics.constraints.contact_geometry import Touch
from locomotor.mechanics.constraints.standpoint import Standpoint
from locomotor.model import (
    Contact,
    RollingCapsule,
    RollingSphere,
    SlidingCapsule,
    SlidingPoint,
    SlidingSphere,
    StickingPoint,
    evaluate,
)
from locomotor.model.contacts import EVERY_DIRECTION, Ball, Bar, Block, RoundGround, Slipping, Turning
from locomotor.typing import Array, SymbolicValues

NOWHERE = 1e-12
"""What is nearer than this (m) to the core of its ground has no normal of its own."""
PARALLEL = 1e-10
"""Squared sine of the angle between two segments below which they are parallel."""
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Meeting:
    """Where the core of a contact and that of its ground are nearest, in the axes of the contact's body."""

    point: Array
    """Of the contact's core."""
    sliding: Array
    """How fast that point moves along the core."""
    margin: Any
    apart: Array
    """From the core of the ground to that of the contact."""
    parting: Array
    """Its rate, as the ground sees it."""
    radius: Any
    side: float
    """1 outside, -1 inside a bowl or a tube."""


@singledispatch
def on_round(ground: RoundGround, contact: Contact, seen: Standpoint) -> tuple[Array, Touch, Any]:
    """The normal in body axes, towards the body of the contact, where it touches, and the gap."""
    met = meeting(contact, ground, seen)
    w, w_dot, side, margin = met.apart, met.parting, met.side, met.margin
    length = ops.fmax(ops.norm(w), NOWHERE)
    # A nominal pose may have everything at one place.
    normal = ops.if_else(ops.less(NOWHERE, length), (side / length) * w, UP)
    turning = (side / length) * (w_dot - ops.dot(normal, w_dot) * normal)
    drift = ops.cross(seen.omega, met.point) + met.sliding - margin * turning
    blocked = None if contact.BLOCKS == EVERY_DIRECTION else (("normal", normal, turning),)
    touched = Touch(met.point - margin * normal, drift, blocked, turning=turning)
    return normal, touched, side * (length - met.radius) - margin


@singledispatch
def meeting(contact: Any, ground: RoundGround, seen: Standpoint) -> Meeting:
    """Where a contact is nearest to its ground: one that is round about a point, unless registered otherwise."""
    values = seen.kinematics.instant.values
    middle, margin = core_of(contact, values)
    R = seen.pose.rotation
    place, rate = seen.pose.act(middle), R @ (seen.velocity + ops.cross(seen.omega, middle))
    nearest, following, radius, side = nearest_on(ground, place, rate, values)
    return Meeting(middle, ops.zeros(3), margin, R.T @ (place - nearest), R.T @ (rate - following), radius, side)


@meeting.register(Slipping)
@meeting.register(Turning)
def _(contact: Any, ground: RoundGround, seen: Standpoint) -> Meeting:
    return meeting(contact.of, ground, seen)


@meeting.register(RollingCapsule)
@meeting.register(SlidingCapsule)
def _(contact: Any, ground: RoundGround, seen: Standpoint) -> Meeting:
    """Two segments, a + s u of the contact and b + t d of the ground; w, between them, is normal to both inside both.

    Where they are parallel any pair is nearest; the middle of the contact is taken.
    """
    values, back = seen.kinematics.instant.values, seen.pose.rotation.T
    a = evaluate(contact.start, values)
    u = evaluate(contact.end, values) - a
    b, span, radius = segment_of(ground, values)
    d = back @ span
    between = back @ (seen.pose.act(a) - b)
    A, D, B = ops.dot(u, u), ops.fmax(ops.dot(d, d), NOWHERE), ops.dot(u, d)
    p, r, skew = ops.dot(between, u), ops.dot(between, d), A * D - B * B
    crossed = ops.less(PARALLEL * A * D, skew)
    s = ops.if_else(crossed, (B * r - D * p) / ops.fmax(skew, PARALLEL * A * D), 0.5)
    t = _clamped((r + _clamped(s) * B) / D)
    s = ops.if_else(crossed, _clamped((t * B - p) / A), _clamped(s))
    u_dot = ops.cross(seen.omega, u)
    moved = seen.velocity + ops.cross(seen.omega, a) + s * u_dot
    w = between + s * u - t * d
    first, second = ops.dot(moved, u) + ops.dot(w, u_dot), ops.dot(moved, d)
    slides, follows = ops.logic_and(crossed, _inside(s)), _inside(t)
    both, solved = ops.logic_and(slides, follows), ops.fmin(B * B - A * D, -PARALLEL * A * D)
    s_dot = ops.if_else(both, (first * D - B * second) / solved, ops.if_else(slides, -first / A, 0.0))
    t_dot = ops.if_else(both, (B * first - A * second) / solved, ops.if_else(follows, second / D, 0.0))
    return Meeting(a + s * u, s_dot * u, evaluate(contact.radius, values), w, moved + s_dot * u - t_dot * d, radius, 1.0)


def _clamped(share: Any) -> Any:
    return ops.fmin(ops.fmax(share, 0.0), 1.0)


def _inside(share: Any) -> Any:
    return ops.logic_and(ops.less(0.0, share), ops.less(share, 1.0))


@singledispatch
def segment_of(ground: Any, values: SymbolicValues) -> tuple[Array, Array, Any]:
    """Start and span of a ground whose core is a segment or a point, and its radius."""
    raise ContactKindError(
        f"{ground.label}: nothing says how a capsule touches a {type(ground).__name__}; take a Ball or a Bar, or let the "
        "capsule be two spheres (capsule_ends)"
    )


@segment_of.register
def _(ground: Bar, values: SymbolicValues) -> tuple[Array, Array, Any]:
    _refuse_hollow(ground, "tube")
    start = evaluate(ground.start, values)
    return start, evaluate(ground.end, values) - start, evaluate(ground.radius, values)


@segment_of.register
def _(ground: Ball, values: SymbolicValues) -> tuple[Array, Array, Any]:
    _refuse_hollow(ground, "bowl")
    return evaluate(ground.centre, values), ops.zeros(3), evaluate(ground.radius, values)


def _refuse_hollow(ground: Ball | Bar, word: str) -> None:
    if ground.inside:
        raise ContactKindError(
            f"{ground.label}: nothing says how a capsule touches a {word}; let it be two spheres (capsule_ends)"
        )


@singledispatch
def core_of(contact: Contact, values: SymbolicValues) -> tuple[Array, Any]:
    """The point of the body about which a contact is round, and its radius."""
    raise ContactKindError(
        f"{contact.label}: nothing says how a {type(contact).__name__} touches a round ground; take a sphere or a point "
        "(RollingSphere, SlidingSphere, StickingPoint, SlidingPoint), or give it a Plane as its ground"
    )


@core_of.register(Slipping)
@core_of.register(Turning)
def _(contact: Any, values: SymbolicValues) -> tuple[Array, Any]:
    return core_of(contact.of, values)


@core_of.register(RollingSphere)
@core_of.register(SlidingSphere)
def _(contact: Any, values: SymbolicValues) -> tuple[Array, Any]:
    return evaluate(contact.centre, values), evaluate(contact.radius, values)


@core_of.register(StickingPoint)
@core_of.register(SlidingPoint)
def _(contact: Any, values: SymbolicValues) -> tuple[Array, Any]:
    return evaluate(contact.at, values), 0.0


@singledispatch
def nearest_on(ground: Any, place: Array, rate: Array, values: SymbolicValues) -> tuple[Array, Array, Any, float]:
    """The point of a ground's core nearest to a place that moves, its rate, its margin, and 1 outside, -1 inside."""
    raise ContactKindError(f"{ground.label}: nothing says what of a {type(ground).__name__} is nearest to a point")


@nearest_on.register
def _(ground: Ball, place: Array, rate: Array, values: SymbolicValues) -> tuple[Array, Array, Any, float]:
    return evaluate(ground.centre, values), ops.zeros(3), evaluate(ground.radius, values), _side(ground)


@nearest_on.register
def _(ground: Bar, place: Array, rate: Array, values: SymbolicValues) -> tuple[Array, Array, Any, float]:
    start = evaluate(ground.start, values)
    span = evaluate(ground.end, values) - start
    square = ops.dot(span, span)
    share, moving = _between(ops.dot(place - start, span) / square, ops.dot(rate, span) / square, 0.0, 1.0)
    return start + share * span, moving * span, evaluate(ground.radius, values), _side(ground)


def _side(ground: Ball | Bar) -> float:
    return -1.0 if ground.inside else 1.0


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
