"""Which pixels triangles cover, with numpy alone.

All triangles at once: the rows of pixels that each one reaches, then the pixels of each row between its two sides. A triangle,
or a row of one, that lies between the centres of pixels takes the one it is in, so that thin things are not broken into dots;
it stands back there, behind faces that do hold the centre.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from locomotor.typing import Flags, Vector

Indices = NDArray[np.intp]


class Covered(NamedTuple):
    """Samples of triangles: pixel, depth, and number of the triangle."""

    pixel: Indices
    depth: Vector
    triangle: Indices


def fronts(corners: Vector) -> Flags:
    """Triangles that show their front: counter-clockwise from outside, with y downwards on the page."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    return np.asarray((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]) < 0.0)


def cover(corners: Vector, chosen: Flags | None, width: int, height: int, back: float = 0.0) -> Covered:
    """The samples of triangles, or of those chosen, from their corners (n, 3, 3) as pixel coordinates and depth.

    Samples of a triangle beside the centre of their pixel are deeper by `back`.
    """
    low, high = corners.min(axis=1), corners.max(axis=1)
    with np.errstate(invalid="ignore"):
        inside = (high[:, 0] > 0.0) & (low[:, 0] < width) & (high[:, 1] > 0.0) & (low[:, 1] < height)
    inside &= np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)
    numbers = np.flatnonzero(inside if chosen is None else inside & chosen)
    corners, low, high = corners[numbers], low[numbers], high[numbers]
    which, row, beside, left, right = _rows(corners, low, high, height)
    first, count, none = _centres(left, right, width)
    span, x = _expanded(first, count)
    y, which, beside = row[span], which[span], (beside | none)[span]
    shape = _plane(corners)
    depth = shape[which, 0] + shape[which, 1] * (x + 0.5) + shape[which, 2] * (y + 0.5)
    # Slivers are steep: what lies beside the centre of their pixel is no nearer than their corners.
    depth = np.clip(depth, low[which, 2], high[which, 2]) + back * beside
    return Covered(y * width + x, depth, numbers[which])


def shares(corners: Vector, samples: Covered, width: int) -> Vector:
    """How much of each corner there is at each sample (n, 3)."""
    a, b, c = corners[:, 0, :2], corners[:, 1, :2], corners[:, 2, :2]
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    area = np.where(np.abs(area) < 1e-12, np.inf, area)[samples.triangle]
    row = samples.pixel // width
    x, y = samples.pixel - row * width + 0.5, row + 0.5
    (ax, ay), (bx, by), (cx, cy) = (corner[samples.triangle].T for corner in (a, b, c))
    second = np.clip(((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area, 0.0, 1.0)
    third = np.clip(((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area, 0.0, 1.0 - second)
    return np.stack([1.0 - second - third, second, third], axis=-1)


def _rows(corners: Vector, low: Vector, high: Vector, height: int) -> tuple[Indices, Indices, Flags, Vector, Vector]:
    """For each row of pixels of each triangle: triangle, row, whether beside its centre, and where the sides are."""
    first, count, none = _centres(low[:, 1], high[:, 1], height)
    which, row = _expanded(first, count)
    y = np.clip(row + 0.5, low[which, 1], high[which, 1])
    order = np.argsort(corners[:, :, 1], axis=1)
    (x0, y0), (x1, y1), (x2, y2) = np.take_along_axis(corners[:, :, :2], order[:, :, None], axis=1).transpose(1, 2, 0)
    one = x0[which] + _slope(x0, y0, x2, y2)[which] * (y - y0[which])
    upper = x0[which] + _slope(x0, y0, x1, y1)[which] * (y - y0[which])
    lower = x1[which] + _slope(x1, y1, x2, y2)[which] * (y - y1[which])
    other = np.where(y < y1[which], upper, lower)
    return which, row, none[which], np.minimum(one, other), np.maximum(one, other)


def _slope(x: Vector, y: Vector, to_x: Vector, to_y: Vector) -> Vector:
    rise = to_y - y
    return np.where(rise > 0.0, (to_x - x) / np.where(rise > 0.0, rise, 1.0), 0.0)


def _centres(low: Vector, high: Vector, most: int) -> tuple[Indices, Indices, Flags]:
    """First pixel whose centre lies in an interval, how many do, within the picture, and where none does: the one it is in."""
    first, last = np.ceil(low - 0.5), np.floor(high - 0.5)
    none = last < first
    middle = np.floor(0.5 * (low + high))
    first, last = np.where(none, middle, first), np.where(none, middle, last)
    first, last = np.clip(first, 0, most), np.clip(last, -1, most - 1)
    return first.astype(np.intp), np.maximum(last - first + 1.0, 0.0).astype(np.intp), none


def _expanded(first: Indices, count: Indices) -> tuple[Indices, Indices]:
    """Intervals of whole numbers one after the other: of which each comes, and the number."""
    which = np.repeat(np.arange(len(count)), count)
    begin = first - (np.cumsum(count) - count)
    return which, np.arange(len(which)) + begin[which]


def _plane(corners: Vector) -> Vector:
    """Depth of each triangle as a function of the place: at the origin, per pixel to the right, per pixel down."""
    (x, y, z), u, v = corners[:, 0].T, (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
    area = u[0] * v[1] - v[0] * u[1]
    area = np.where(np.abs(area) < 1e-12, np.inf, area)
    right, down = (u[2] * v[1] - v[2] * u[1]) / area, (u[0] * v[2] - v[0] * u[2]) / area
    return np.stack([z - right * x - down * y, right, down], axis=-1)
