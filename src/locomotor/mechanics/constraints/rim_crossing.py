"""Where the rim of a thin disc crosses an edge, the normal there, and how both move.

There the edge, through the point Q with direction e, pierces the plane of the disc: r u = s e - (c - Q) with a . u = 0, for a
disc with axis a about c. Where the disc comes to lie along the edge, a . e = 0, that says nothing any more: there u is an end
of the chord beneath which the edge runs, seen along the axis. With k across both and l = a x k,

    r u = x k +- sqrt(r² - x²) l,      x = k . (Q - c),      k = e x a / |e x a| .

On an edge that is touched both are the same. The normal is across the edge and the rim, N = +- e x (a x u), and which of the
two signs is meant, as which end, is noted where the disc came to the edge: neither changes while it lies along it.
"""

from typing import Any, NamedTuple

import numpy as np

from locomotor.lie import ops
from locomotor.typing import Array

TURNED = 0.5
"""|a . e| above which the edge is taken to pierce the plane of the disc."""
LEAST = 1e-3
"""Of a size that vanishes only where the other way is taken, or where the rim runs along the edge: it is not smaller."""


class RimOnEdge(NamedTuple):
    """A disc and an edge, in body axes."""

    axis: Array
    direction: Array
    """e, unit."""
    offset: Array
    """From a point of the edge to the centre of the disc."""
    at: Array
    """From the centre to the point of the rim that was noted."""
    tangent: Array
    """Of the rim there: e x tangent points into the disc."""


Moving = tuple[Array, Array]
"""A vector and its inertial rate."""


def rim_crossing(rim: RimOnEdge, offset_dot: Array, omega: Array) -> tuple[Moving, Moving]:
    """Unit vector from the centre to where the rim crosses the edge, and the normal into the disc, each with its rate."""
    axis, e = rim.axis, rim.direction
    axis_dot = ops.cross(omega, axis)
    pierced, chord = _pierced(rim, axis_dot, offset_dot), _chord(rim, axis_dot, offset_dot)
    turned = ops.less(TURNED, ops.fabs(ops.dot(axis, e)))
    out, out_dot = (ops.if_else(turned, one, other) for one, other in zip(pierced, chord, strict=True))
    # e x (a x u) = (e . u) a - (e . a) u, with the sign that was noted.
    sign = ops.if_else(ops.less(ops.dot(rim.tangent, ops.cross(axis, rim.at)), 0.0), -1.0, 1.0)
    along, along_dot = ops.dot(e, out), ops.dot(e, out_dot)
    tilt, tilt_dot = ops.dot(e, axis), ops.dot(e, axis_dot)
    across = sign * (along * axis - tilt * out)
    across_dot = sign * (along_dot * axis + along * axis_dot - tilt_dot * out - tilt * out_dot)
    inverse = 1.0 / ops.norm(across)
    normal = inverse * across
    return (out, out_dot), (normal, inverse * (across_dot - ops.dot(normal, across_dot) * normal))


def _pierced(rim: RimOnEdge, axis_dot: Array, offset_dot: Array) -> Moving:
    """Where the edge pierces the plane of the disc, from the centre; not along it."""
    axis, e, offset = rim.axis, rim.direction, rim.offset
    tilt = ops.dot(axis, e)
    inverse = 1.0 / ops.if_else(ops.less(ops.fabs(tilt), LEAST), LEAST, tilt)
    away = inverse * ops.dot(axis, offset) * e - offset
    away_dot = inverse * (ops.dot(axis, offset_dot) - ops.dot(axis_dot, away)) * e - offset_dot
    size = 1.0 / ops.norm(away)
    out = size * away
    return out, size * (away_dot - ops.dot(out, away_dot) * out)


def _chord(rim: RimOnEdge, axis_dot: Array, offset_dot: Array) -> Moving:
    """An end of the chord beneath which the edge runs, from the centre; not across the disc."""
    axis, e, offset = rim.axis, rim.direction, rim.offset
    radius = ops.norm(rim.at)
    end = ops.if_else(ops.less(ops.dot(e, rim.at), 0.0), -1.0, 1.0)
    across, across_dot = ops.cross(e, axis), ops.cross(e, axis_dot)
    inverse = 1.0 / ops.fmax(ops.norm(across), LEAST)
    k = inverse * across
    k_dot = inverse * (across_dot - ops.dot(k, across_dot) * k)
    along, along_dot = ops.cross(axis, k), ops.cross(axis_dot, k) + ops.cross(axis, k_dot)
    x = -ops.dot(k, offset) / radius
    x_dot = -(ops.dot(k_dot, offset) + ops.dot(k, offset_dot)) / radius
    half = end * ops.sqrt(ops.fmax(1.0 - x * x, LEAST * LEAST))
    half_dot = -x * x_dot / half
    return x * k + half * along, x_dot * k + x * k_dot + half_dot * along + half * along_dot


def across_rim(rim: RimOnEdge) -> tuple[Array, Array]:
    """Direction from the centre of a disc to where its rim crosses an edge, and the normal there, on numbers."""
    still: Any = np.zeros(3)
    (out, _), (normal, _) = rim_crossing(rim, still, still)
    return np.asarray(out, dtype=float), np.asarray(normal, dtype=float)
