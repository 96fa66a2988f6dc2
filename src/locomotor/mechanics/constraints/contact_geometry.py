"""Where a contact touches its plane: the contact point, its motion, the gap and the directions it blocks.

Everything is in the axes of the contact's body. `normal` is the plane's unit normal n; a dot on a vector means
its inertial rate written in body axes, for which n is constant and a vector d fixed in the body has d_dot = W x d.
The spin of a wheel drops out of these rates: that keeps them small where the rotation in the wheel is fast.
"""

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import AxisError, ContactKindError
from locomotor.lie import ops
from locomotor.model import (
    Contact,
    RollingDisc,
    RollingEllipsoid,
    RollingSphere,
    RollingTorus,
    Skate,
    SlidingPoint,
    SlidingSphere,
    StickingPoint,
    evaluate,
)
from locomotor.model.contacts import EVERY_DIRECTION, NORMAL, Lying, Settling, Slipping, Tipping, Turning
from locomotor.typing import Array, SymbolicValues

UPRIGHT = 1e-9
"""Sine of the angle between a heading and the normal of its ground below which it has no direction along the ground."""


@dataclass(frozen=True, eq=False)
class Touch:
    """A contact at one instant, in body axes."""

    point: Array
    """Position of the contact point in the body."""
    drift: Array
    """Inertial rate of the contact point relative to the body's origin (the point wanders on a tyre)."""
    directions: tuple[tuple[str, Array, Array], ...] | None
    """Blocked directions (label, d, d_dot), or None when all three are blocked."""
    steepness: Any = None
    """For a wheel, the squared sine of the angle between its plane and the ground: zero where it lies flat."""
    wander: Any = None
    """For a wheel, a bound on the squared rate (rad²/s²) at which its radius to the contact point turns, and the sine of its
    angle to the ground changes by its own size: it grows as the wheel comes to lie flat."""
    rubs: tuple[tuple[Array, Array], ...] | None = None
    """Of a contact that slips: unit directions (d, d_dot) along the ground in which friction acts; None for all of them."""
    turning: Array | None = None
    """Rate of the normal, of a contact whose ground is round; None where the ground does not see it turn."""
    roundness: Any = None
    """Of a ball on a surface: one less its radius times the largest curvature of the hollow it is in; where it is not
    positive, the ball touches at more than one place."""
    tilt: Any = None
    """Of a wheel that tips over a point of its rim: the sine of the angle by which it has."""


@singledispatch
def touch(contact: Contact, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    """Contact point and blocked directions of a contact."""
    raise ContactKindError(
        f"{contact.label}: nothing says where a {type(contact).__name__} touches a plane; register `touch` of "
        "locomotor.mechanics.constraints for it"
    )


def touch_plane(contact: Contact, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    """As `touch`, with the blocked directions checked against those that the kind of contact declares."""
    return checked(contact, touch(contact, normal, omega, values))


def checked(contact: Contact, touched: Touch) -> Touch:
    """A touch whose blocked directions are those that the kind of the contact declares."""
    found = EVERY_DIRECTION if touched.directions is None else tuple(label for label, _, _ in touched.directions)
    if found != contact.BLOCKS:
        raise ContactKindError(
            f"{contact.label}: its kind {type(contact).__name__} declares BLOCKS = {contact.BLOCKS!r}, and where it touches "
            f"{found!r} are blocked; make them the same"
        )
    return touched


FLATTEST = 1e-20
"""Squared sine of the angle below which a wheel that may leave the ground and fall on it lies flat for certain."""


def _ring(
    contact: RollingDisc | RollingTorus, normal: Array, omega: Array, values: SymbolicValues
) -> tuple[Array, Array, Any, Any]:
    """Lowest point of a circle about its centre, and its rate (docs/theory.md (C1), (C4); no angles).

    With s = a . n and u = n - s a: rho = -r u/|u|, and |u| = sqrt(1 - s²) vanishes only for a wheel lying flat: one that falls
    on its side has a gap all the same, and touches with its centre.
    """
    axis, radius = evaluate(contact.axis, values), evaluate(contact.radius, values)
    s = ops.dot(axis, normal)
    u = normal - s * axis
    steepness = ops.dot(u, u)
    if contact.law.switches:
        steepness = ops.fmax(steepness, FLATTEST)
    inverse_length = 1.0 / ops.sqrt(steepness)
    axis_dot = ops.cross(omega, axis)
    s_dot = ops.dot(axis_dot, normal)
    scale = -radius * inverse_length
    # |u|² = 1 - s² gives d(1/|u|)/dt = s s_dot / |u|³.
    rho = scale * u
    rho_dot = (s * s_dot * inverse_length * inverse_length) * rho - scale * (s * axis_dot + s_dot * axis)
    return rho, rho_dot, steepness, ops.dot(axis_dot, axis_dot) * (inverse_length * inverse_length)


@touch.register
def _(contact: RollingDisc, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    centre = evaluate(contact.centre, values)
    rho, rho_dot, steep, wander = _ring(contact, normal, omega, values)
    return Touch(centre + rho, ops.cross(omega, centre) + rho_dot, None, steep, wander)


@touch.register
def _(contact: RollingTorus, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    centre, tube = evaluate(contact.centre, values), evaluate(contact.tube, values)
    rho, rho_dot, steep, wander = _ring(contact, normal, omega, values)
    return Touch(centre + rho - tube * normal, ops.cross(omega, centre) + rho_dot, None, steep, wander)


@touch.register
def _(contact: RollingSphere, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    centre = evaluate(contact.centre, values)
    return Touch(centre - evaluate(contact.radius, values) * normal, ops.cross(omega, centre), None)


@touch.register
def _(contact: RollingEllipsoid, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    """rho = -D² n/|D n| with D the semi-axes; n, fixed in the world, turns at -W x n in the body."""
    centre, half = evaluate(contact.centre, values), evaluate(contact.half_axes, values)
    square, turning = half * half, -ops.cross(omega, normal)
    inverse = 1.0 / ops.sqrt(ops.dot(normal, square * normal))
    rho = -inverse * (square * normal)
    moving = -inverse * (square * turning) - (inverse * inverse * ops.dot(normal, square * turning)) * rho
    return Touch(centre + rho, ops.cross(omega, centre + rho) + moving, None)


@touch.register
def _(contact: SlidingSphere, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    centre = evaluate(contact.centre, values)
    point = centre - evaluate(contact.radius, values) * normal
    return Touch(point, ops.cross(omega, centre), (("normal", normal, np.zeros(3)),))


@touch.register
def _(contact: StickingPoint, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    point = evaluate(contact.at, values)
    return Touch(point, ops.cross(omega, point), None)


@touch.register
def _(contact: SlidingPoint, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    point = evaluate(contact.at, values)
    return Touch(point, ops.cross(omega, point), (("normal", normal, np.zeros(3)),))


@touch.register
def _(contact: Skate, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    point, heading = evaluate(contact.at, values), evaluate(contact.heading, values)
    w = ops.cross(normal, heading)
    if not ops.is_symbolic(w) and float(ops.dot(w, w)) < UPRIGHT**2:
        raise AxisError(
            f"{contact.label}: heading points along the normal of the ground {contact.ground!r}, so that there is no direction "
            "in which it glides; give one that lies along the ground in the nominal pose, and in that of the start"
        )
    inverse_length = 1.0 / ops.sqrt(ops.dot(w, w))
    lateral = inverse_length * w
    w_dot = inverse_length * ops.cross(normal, ops.cross(omega, heading))
    lateral_dot = w_dot - ops.dot(lateral, w_dot) * lateral
    return Touch(
        point,
        ops.cross(omega, point),
        (("lateral", lateral, lateral_dot), ("normal", normal, np.zeros(3))),
    )


@touch.register
def _(contact: Slipping, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    return slipping_touch(touch_plane(contact.of, normal, omega, values), normal)


@touch.register
def _(contact: Turning, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    return touch_plane(contact.of, normal, omega, values)


@touch.register
def _(contact: Lying, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    assert contact.of.flat_side is not None
    centre, _, tube = (evaluate(part, values) for part in contact.of.flat_side)
    return Touch(centre - tube * normal, ops.cross(omega, centre), None)


@touch.register
def _(contact: Tipping, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    assert contact.of.flat_side is not None
    centre, radius, tube = (evaluate(part, values) for part in contact.of.flat_side)
    towards = evaluate(contact.towards, values)
    point = centre + radius * towards
    return Touch(point - tube * normal, ops.cross(omega, point), None, tilt=-ops.dot(normal, towards))


@touch.register
def _(contact: Settling, normal: Array, omega: Array, values: SymbolicValues) -> Touch:
    assert contact.of.flat_side is not None
    rolling = touch(contact.of, normal, omega, values)
    tube, at = evaluate(contact.of.flat_side[2], values), evaluate(contact.at, values)
    level = ops.less(0.5, evaluate(contact.level, values))
    point = ops.if_else(level, at - tube * normal, rolling.point)
    drift = ops.if_else(level, ops.cross(omega, at), rolling.drift)
    return Touch(point, drift, None, rolling.steepness, ops.if_else(level, 0.0, rolling.wander))


def slipping_touch(whole: Touch, normal: Array) -> Touch:
    """The touch of a contact that slips, made from that which blocks every direction it can, on a plane."""
    if whole.directions is None:
        return replace(whole, directions=((NORMAL, normal, np.zeros(3)),))
    blocked = tuple(entry for entry in whole.directions if entry[0] == NORMAL)
    return replace(whole, directions=blocked, rubs=tuple((d, d_dot) for label, d, d_dot in whole.directions if label != NORMAL))
