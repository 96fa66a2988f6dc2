"""A disc and an edge: seen along the edge, the signed distance of a point from an ellipse.

With e the direction of the edge and a the axis of the disc of radius h, the disc looks like an ellipse with semi-axes
A = h along k = e x a and B = h |a . e| along b = k x e. The pre-contact point C is the image of the point of the ellipse
nearest to the edge, and the contact normal N that of the ellipse there, turned to the disc: N is normal to the edge and to the
rim, and goes on smoothly through contact, where the gap N . (C - C') changes its sign.

The nearest point solves (A y0 / (s + A² - B²))² + (B y1 / s)² = 1 for the greatest s (Eberly, "Distance from a point to
an ellipse", 2013, with s = t + B²): the left side falls and is convex, and Newton's method rises to the root from any start
at its left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from locomotor.geometry.cores import cross, dot
from locomotor.geometry.shapes import across
from locomotor.typing import Floats

THIN = 0.1
"""|a . e| below which an edge that has come through the disc may be met by the normal of its other side."""
PARALLEL = 1e-9
"""|a . e| below which the edge is parallel to the disc, whose flat side it may touch along a chord."""
MOST_STEPS = 60
ENOUGH = 2e-15
"""A last relative step of this size leaves an error of its square, or rounding."""
TINY = 1e-120


class EdgeContact(NamedTuple):
    """Common normals of discs and lines, row by row."""

    normal: Floats
    point: Floats
    """The point of the disc on the common normal."""


class _View(NamedTuple):
    """Discs and lines seen along the lines."""

    k: Floats
    b: Floats
    along: Floats
    """In the disc, normal to k."""
    x: Floats
    y: Floats
    tilt: Floats
    """a . e"""


def _view(centre: Floats, axis: Floats, start: Floats, direction: Floats) -> _View:
    k = cross(direction, axis)
    size = np.sqrt(dot(k, k))
    if size.min(initial=1.0) < 1e-12:
        round_ = size < 1e-12  # the edge along the axis: any direction will do
        k[round_], size[round_] = across(direction[round_]), 1.0
    k /= size[:, None]
    b = cross(k, direction)
    w = start - centre
    return _View(k, b, cross(axis, k), dot(w, k), dot(w, b), dot(axis, direction))


def nearest_on_ellipse(a: float, b: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """(cos, sin) of the point (a cos, b sin) of an ellipse nearest to (x, y), for a >= b >= 0 and x, y >= 0."""
    ax, by = a * x, np.maximum(b * y, TINY)
    d = np.maximum(a * a - b * b, 1e-20 * a * a)
    # Bounds of the root from both sides, the lower one from the upper.
    most = np.hypot(ax, by)
    s = np.maximum(by, most - d)
    most = np.minimum(most, by / np.sqrt(np.maximum(1.0 - (ax / d) ** 2, TINY)))
    s = np.minimum(np.maximum(s, by / np.sqrt(np.maximum(1.0 - (ax / (most + d)) ** 2, TINY))), most)
    for _ in range(MOST_STEPS):
        total = s + d
        u, w = ax / total, by / s
        u, w = u * u, w * w
        step = 0.5 * (u + w - 1.0) / (u / total + w / s)
        s = np.maximum(s + step, 0.25 * s)
        if (np.abs(step) <= ENOUGH * s).all():
            break
    u, w = ax / (s + d), by / s
    size = np.hypot(u, w)
    return u / size, w / size


def nearest(centre: Floats, axis: Floats, radius: float, start: Floats, direction: Floats) -> EdgeContact:
    """The common normals at the nearest points of discs and lines that are not parallel to them."""
    view = _view(centre, axis, start, direction)
    b = radius * np.abs(view.tilt)
    cos, sin = nearest_on_ellipse(radius, b, np.abs(view.x), np.abs(view.y))
    return _contact(view, centre, radius, b, cos * np.copysign(1.0, view.x), sin * np.copysign(1.0, view.y))


def opposite(centre: Floats, axis: Floats, radius: float, start: Floats, direction: Floats) -> EdgeContact:
    """The common normals on the other flat side of the disc: where the edge has come through a thin disc.

    Rows where there is none have a normal of NaN.
    """
    view = _view(centre, axis, start, direction)
    b = radius * np.abs(view.tilt)
    x, y = np.abs(view.x), -np.abs(view.y)
    cos = np.minimum(x / radius, 1.0)
    angle = np.arccos(cos)
    d = radius**2 - b**2
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(8):
            cos, sin = np.cos(angle), np.sin(angle)
            value = d * cos * sin - x * radius * sin + y * b * cos
            slope = d * (cos * cos - sin * sin) - x * radius * cos - y * b * sin
            angle = angle - value / slope
        cos, sin = np.cos(angle), np.sin(angle)
        lost = ~((np.abs(value) <= 1e-12 * radius**2) & (sin > 0.0) & (slope < 0.0))
    cos = np.where(lost, np.nan, cos)
    return _contact(view, centre, radius, b, cos * np.copysign(1.0, view.x), -sin * np.copysign(1.0, view.y))


def _contact(view: _View, centre: Floats, radius: float, b: Floats, cos: Floats, sin: Floats) -> EdgeContact:
    outward = (b * cos)[:, None] * view.k + (radius * sin)[:, None] * view.b
    normal = -outward / np.sqrt(dot(outward, outward))[:, None]
    # l = a x k has l . b = -(a . e), so that the height b sin over k belongs to -sign(a . e) h sin along l.
    across_k = -np.copysign(radius, view.tilt) * sin
    return EdgeContact(normal, centre + (radius * cos)[:, None] * view.k + across_k[:, None] * view.along)


def parallel(
    centre: Floats, axis: Floats, radius: float, start: Floats, direction: Floats, length: Floats
) -> tuple[EdgeContact, EdgeContact]:
    """Discs and edges parallel to them: the edge is beside a chord of the flat side, or beyond the rim.

    Both sides of the disc, the one towards the edge first; the point is in the middle of what chord and edge have in common.
    Beyond the rim both are the same. Rows without a common stretch have a normal of NaN.
    """
    view = _view(centre, axis, start, direction)
    inside = np.abs(view.x) < radius
    half = np.sqrt(np.maximum(radius**2 - view.x**2, 0.0))
    foot = centre + np.clip(view.x, -radius, radius)[:, None] * view.k
    middle = dot(foot - start, direction)
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, length)
    point = foot + (np.clip(0.5 * (low + high), middle - half, middle + half) - middle)[:, None] * direction
    side = np.where((view.y > 0.0)[:, None], -view.b, view.b)
    away = point - start
    away = away - dot(away, direction)[:, None] * direction
    size = np.sqrt(dot(away, away))
    touching = size <= 1e-13  # the rim is on the edge: along the radius
    beyond = away / np.where(touching, 1.0, size)[:, None]
    beyond = np.where(touching[:, None], -np.copysign(1.0, view.x)[:, None] * view.k, beyond)
    found = low <= high + 1e-9
    normal = np.where(inside[:, None], side, beyond)
    normal = np.where(found[:, None], normal, np.nan)
    other = np.where(inside[:, None], -normal, normal)
    return EdgeContact(normal, point), EdgeContact(other, point)
