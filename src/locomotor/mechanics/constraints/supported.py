"""Contacts on sharp supports: the normal and the contact point of a body that touches an edge or a corner.

The rows are those of any contact that rolls or sticks: the velocity of the material point there vanishes. What differs from a
plane is that the normal turns with the motion. See `model.contacts.support` for why a disc is pinned and a round body rolls.
"""

from collections.abc import Callable
from functools import partial, singledispatch
from typing import Any

import numpy as np

from locomotor.errors import ContactKindError
from locomotor.lie import SE3, ops
from locomotor.mechanics.constraints.contact_geometry import Touch
from locomotor.mechanics.constraints.rim_crossing import RimOnEdge, rim_crossing
from locomotor.mechanics.tree import Kinematics
from locomotor.model import (
    Contact,
    RollingCapsule,
    RollingSphere,
    RollingTorus,
    SlidingCapsule,
    SlidingPoint,
    SlidingSphere,
    StickingPoint,
    evaluate,
)
from locomotor.model.contacts import Knob, Rail, Ridge, Rim, Slipping, Support, Tip, Turning
from locomotor.typing import Array

Nearest = Callable[[Array, Array, Array, Array], tuple[Array, Array]]

NEWTON_STEPS = 6
"""From about where a tyre touched the edge at first; what has changed since is its attitude."""


@singledispatch
def supported(contact: Contact, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    """The normal in body axes, from the support into the body, and the contact point."""
    raise _cannot_rest(contact, support)


def _cannot_rest(contact: Contact, support: Support) -> ContactKindError:
    return ContactKindError(
        f"{contact.label}: nothing says how a {type(contact).__name__} rests on a {type(support).__name__}; register "
        "`supported` of locomotor.mechanics.constraints for it, or give it a Plane as its ground"
    )


@supported.register
def _(contact: StickingPoint, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    point, omega = evaluate(contact.at, kinematics.instant.values), kinematics.omega[body]
    normal, normal_dot = _pin_normal(support, contact, kinematics, body)
    return normal, Touch(point, ops.cross(omega, point), None, turning=_seen_by(contact, normal_dot))


@supported.register
def _(contact: SlidingPoint, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    return _slide(support, contact, kinematics, body)


@singledispatch
def _pin_normal(support: Support, contact: StickingPoint, kinematics: Kinematics, body: int) -> tuple[Array, Array]:
    """The normal of what a point is pinned to, in body axes, and its rate."""
    raise _cannot_rest(contact, support)


@_pin_normal.register
def _(support: Tip, contact: StickingPoint, kinematics: Kinematics, body: int) -> tuple[Array, Array]:
    normal = evaluate(support.inward, kinematics.instant.values)
    return normal, ops.cross(kinematics.omega[body], normal)


@_pin_normal.register
def _(support: Ridge, contact: StickingPoint, kinematics: Kinematics, body: int) -> tuple[Array, Array]:
    values = kinematics.instant.values
    edge = kinematics.poses[body].rotation.T @ evaluate(support.direction, values)
    return _across_both(edge, evaluate(support.tangent, values), kinematics.omega[body])


def _across_both(edge: Array, axis: Array, omega: Array) -> tuple[Array, Array]:
    """The unit normal of an edge of the world and an axis of the body, and its rate."""
    across, across_dot = ops.cross(edge, axis), ops.cross(edge, ops.cross(omega, axis))
    inverse = 1.0 / ops.norm(across)
    normal = inverse * across
    return normal, inverse * (across_dot - ops.dot(normal, across_dot) * normal)


def _seen_by(contact: Contact, normal_dot: Array) -> Array | None:
    """The rate of the normal, for what friction turns about it, or resists turning across it."""
    return normal_dot if contact.pivots or contact.resists else None


@singledispatch
def _slide(support: Support, contact: SlidingPoint | StickingPoint, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    raise _cannot_rest(contact, support)


@_slide.register
def _(support: Tip, contact: SlidingPoint | StickingPoint, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    """A face of the body, through the point of the contact, on a corner: C is the corner P, less its height over the face.

    With g = N . (C - P): C = P + g N, and C moves in the body as P does, whose velocity is that of the body reversed.
    """
    values = kinematics.instant.values
    pose, omega, normal = kinematics.poses[body], kinematics.omega[body], evaluate(support.inward, kinematics.instant.values)
    corner = pose.rotation.T @ (evaluate(support.point, values) - pose.translation)
    gap = ops.dot(normal, evaluate(contact.at, values) - corner)
    normal_dot = ops.cross(omega, normal)
    drift = gap * normal_dot - kinematics.velocity[body]
    return normal, _slid(contact, corner + gap * normal, drift, normal, normal_dot)


@_slide.register
def _(support: Ridge, contact: SlidingPoint | StickingPoint, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    """An edge of the body, through the point of the contact, across an edge: N is normal to both."""
    values = kinematics.instant.values
    pose, omega = kinematics.poses[body], kinematics.omega[body]
    at, axis = evaluate(contact.at, values), evaluate(support.tangent, values)
    e = pose.rotation.T @ evaluate(support.direction, values)
    offset = pose.rotation.T @ (pose.act(at) - evaluate(support.point, values))
    rho, rho_dot = _on_axis(axis, e, offset, kinematics.velocity[body] + ops.cross(omega, at), omega)
    normal, normal_dot = _across_both(e, axis, omega)
    return normal, _slid(contact, at + rho, ops.cross(omega, at) + rho_dot, normal, normal_dot)


@_slide.register
def _(support: Rim, contact: SlidingPoint | StickingPoint, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    """The rim of a thin disc across an edge; the point of the contact, on the rim, tells the radius."""
    values = kinematics.instant.values
    pose, omega = kinematics.poses[body], kinematics.omega[body]
    centre, axis = evaluate(support.centre, values), evaluate(support.axis, values)
    e = pose.rotation.T @ evaluate(support.direction, values)
    offset = pose.rotation.T @ (pose.act(centre) - evaluate(support.point, values))
    offset_dot = kinematics.velocity[body] + ops.cross(omega, centre)
    noted = evaluate(contact.at, values) - centre
    rim = RimOnEdge(axis, e, offset, noted, evaluate(support.tangent, values))
    (out, out_dot), (normal, normal_dot) = rim_crossing(rim, offset_dot, omega)
    radius = ops.norm(noted)
    drift = ops.cross(omega, centre) + radius * out_dot
    return normal, _slid(contact, centre + radius * out, drift, normal, normal_dot)


def _slid(contact: Contact, point: Array, drift: Array, normal: Array, normal_dot: Array) -> Touch:
    """What slides on something sharp."""
    return Touch(point, drift, (("normal", normal, normal_dot),), turning=_seen_by(contact, normal_dot))


def _on_axis(axis: Array, e: Array, offset: Array, offset_dot: Array, omega: Array) -> tuple[Array, Array]:
    """From a point of an axis of the body to its point nearest to an edge, and the rate; `offset` as in `nearest_along`.

    With a, d the parts of axis and offset normal to e: s = -(d . a)/(a . a), and the point is at s along the axis.
    """
    axis_dot = ops.cross(omega, axis)
    a, d, a_dot, d_dot = (x - ops.dot(x, e) * e for x in (axis, offset, axis_dot, offset_dot))
    inverse = 1.0 / ops.dot(a, a)
    s = -inverse * ops.dot(d, a)
    s_dot = -inverse * (ops.dot(d_dot, a) + ops.dot(d, a_dot) + 2.0 * s * ops.dot(a, a_dot))
    return s * axis, s_dot * axis + s * axis_dot


def nearest_along(offset: Array, axis: Array, e: Array) -> float:
    """How far along an axis its point nearest to an edge is, on numbers; `offset`: from the edge to a point of the axis."""
    still = np.zeros(3)
    return float(axis @ np.asarray(_on_axis(axis, e, offset, still, still)[0]))


@singledispatch
def _edge(support: Support, contact: Contact, pose: SE3, values: Any) -> Array:
    """Direction of what a round body rolls or slides on, in body axes; zero for a corner."""
    raise _cannot_rest(contact, support)


@_edge.register
def _(support: Rail, contact: Contact, pose: SE3, values: Any) -> Array:
    return pose.rotation.T @ evaluate(support.direction, values)


@_edge.register
def _(support: Knob, contact: Contact, pose: SE3, values: Any) -> Array:
    return np.zeros(3)


@singledispatch
def _core(contact: Any, support: Any, pose: SE3, values: Any) -> tuple[Array, Any, Nearest | None]:
    """A point of a round body's core, its margin, and what finds the place of the core nearest to an edge (None: that)."""
    raise _cannot_rest(contact, support)


@_core.register(RollingSphere)
@_core.register(SlidingSphere)
def _(contact: Any, support: Any, pose: SE3, values: Any) -> tuple[Array, Any, Nearest | None]:
    return evaluate(contact.centre, values), evaluate(contact.radius, values), None


@_core.register
def _(contact: RollingTorus, support: Any, pose: SE3, values: Any) -> tuple[Array, Any, Nearest | None]:
    if not isinstance(support, Rail):  # a tyre is pinned where it touches a corner
        raise _cannot_rest(contact, support)
    towards = pose.rotation.T @ evaluate(support.towards, values)

    def nearest(e: Array, offset: Array, offset_dot: Array, omega: Array) -> tuple[Array, Array]:
        return _on_circle(contact, towards, e, offset, offset_dot, omega, values)

    return evaluate(contact.centre, values), evaluate(contact.tube, values), nearest


@_core.register(RollingCapsule)
@_core.register(SlidingCapsule)
def _(contact: Any, support: Any, pose: SE3, values: Any) -> tuple[Array, Any, Nearest | None]:
    start = evaluate(contact.start, values)
    span = evaluate(contact.end, values) - start
    return start, evaluate(contact.radius, values), partial(_on_axis, (1.0 / ops.norm(span)) * span)


@supported.register(RollingSphere)
@supported.register(SlidingSphere)
@supported.register(RollingTorus)
@supported.register(RollingCapsule)
@supported.register(SlidingCapsule)
def _(contact: Contact, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    return _round(contact, support, kinematics, body, contact.slides)


@supported.register
def _(contact: Slipping, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    return _slipping(contact.of, support, kinematics, body)


@supported.register
def _(contact: Turning, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    return supported(contact.of, support, kinematics, body)


@singledispatch
def _slipping(contact: Contact, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    """What slips on an edge or a corner: a round body, or a face or an edge of a box, held by a point of it."""
    return _round(contact, support, kinematics, body, True)


@_slipping.register
def _(contact: StickingPoint, support: Support, kinematics: Kinematics, body: int) -> tuple[Array, Touch]:
    return _slide(support, contact, kinematics, body)


def _round(contact: Contact, support: Support, kinematics: Kinematics, body: int, slides: bool) -> tuple[Array, Touch]:
    """A sphere, a tyre or the side of a capsule on an edge; smooth ones also on a corner, an edge of no direction: e = 0.

    With P a point of the edge, e its direction and m the point of the body's core (its centre, the circle inside the tyre, the
    axis of the capsule) nearest to it, w = m - P without its part along e; N = w/|w|, and C = m - margin N. All in body axes,
    rates inertial.
    """
    values = kinematics.instant.values
    pose, omega = kinematics.poses[body], kinematics.omega[body]
    e = _edge(support, contact, pose, values)
    centre, margin, nearest = _core(contact, support, pose, values)
    offset = pose.rotation.T @ (pose.act(centre) - evaluate(support.point, values))
    offset_dot = kinematics.velocity[body] + ops.cross(omega, centre)
    rho, rho_dot = (np.zeros(3), np.zeros(3)) if nearest is None else nearest(e, offset, offset_dot, omega)
    w, w_dot = offset + rho, offset_dot + rho_dot
    w, w_dot = w - ops.dot(w, e) * e, w_dot - ops.dot(w_dot, e) * e
    inverse = 1.0 / ops.norm(w)
    normal = inverse * w
    normal_dot = inverse * (w_dot - ops.dot(normal, w_dot) * normal)
    drift = ops.cross(omega, centre) + rho_dot - margin * normal_dot
    blocked = (("normal", normal, normal_dot),) if slides else None
    return normal, Touch(centre + rho - margin * normal, drift, blocked, turning=_seen_by(contact, normal_dot))


def _on_circle(
    contact: RollingTorus, towards: Array, e: Array, offset: Array, offset_dot: Array, omega: Array, values: Any
) -> tuple[Array, Array]:
    """From the centre of a circle to its point nearest to an edge, and the rate, by Newton's method on the angle.

    With k `towards` it, in the plane of the circle, and l = a x k: rho = r (cos k + sin l), and half the derivative of the
    squared distance is F = w . rho' - (w . e)(rho' . e), where w = offset + rho.
    """
    axis, radius = evaluate(contact.axis, values), evaluate(contact.radius, values)
    k = towards - ops.dot(towards, axis) * axis
    k = (1.0 / ops.norm(k)) * k
    across = ops.cross(axis, k)
    angle: Any = 0.0
    for _ in range(NEWTON_STEPS):
        rho, slope = _circle(radius, k, across, angle)
        w = offset + rho
        value = ops.dot(w, slope) - ops.dot(w, e) * ops.dot(slope, e)
        angle = angle - value / _curvature(w, rho, slope, e)
    rho, slope = _circle(radius, k, across, angle)
    w = offset + rho
    # The angle, taken from where k is in the body now, keeps F zero: its rate follows from the inertial rates of w and of rho'
    # at a constant angle.
    w_dot, slope_dot = offset_dot + ops.cross(omega, rho), ops.cross(omega, slope)
    change = ops.dot(w_dot, slope) + ops.dot(w, slope_dot)
    change = change - ops.dot(w_dot, e) * ops.dot(slope, e) - ops.dot(w, e) * ops.dot(slope_dot, e)
    angle_rate = -change / _curvature(w, rho, slope, e)
    return rho, ops.cross(omega, rho) + angle_rate * slope


def nearest_on_circle(contact: RollingTorus, towards: Array, e: Array, offset: Array, values: Any) -> Array:
    """From the centre of a tyre's circle to its point nearest to an edge; `offset`: from edge to centre. Body axes."""
    still = np.zeros(3)
    return _on_circle(contact, towards, e, offset, still, still, values)[0]


def _circle(radius: Any, k: Array, across: Array, angle: Any) -> tuple[Array, Array]:
    c, s = ops.cos(angle), ops.sin(angle)
    return radius * (c * k + s * across), radius * (c * across - s * k)


def _curvature(w: Array, rho: Array, slope: Array, e: Array) -> Any:
    """Derivative of F by the angle; rho'' = -rho."""
    along = ops.dot(slope, e)
    return ops.dot(slope, slope) - ops.dot(w, rho) - along * along + ops.dot(w, e) * ops.dot(rho, e)
