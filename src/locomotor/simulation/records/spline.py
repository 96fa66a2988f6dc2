"""Integrals of cubic splines in numpy alone: every run is audited, and scipy's splines take longer to load than most runs."""

import numpy as np

from locomotor.typing import Vector


def spline_integral(x: Vector, y: Vector) -> Vector:
    """Integral from the first point to each, of the cubic spline through all.

    Its first two pieces are one cubic, and so are its last two. With the second derivatives m at the points a piece of length h
    contributes h (y + y')/2 - h³ (m + m')/24.
    """
    h = np.diff(x)
    m = second_derivatives(h, np.diff(y) / h)
    parts = 0.5 * h * (y[:-1] + y[1:]) - h**3 / 24.0 * (m[:-1] + m[1:])
    return np.concatenate([[0.0], np.cumsum(parts)])


def second_derivatives(h: Vector, slopes: Vector) -> Vector:
    """Second derivatives at the knots ("not a knot" at both ends), from lengths and mean slopes of the pieces.

    Inner knots ask for h m + 2 (h + h') m' + h' m'' = 6 (slope' - slope); the outermost m continues its neighbours linearly and
    is eliminated, which leaves a tridiagonal system whose diagonal dominates.
    """
    if len(h) == 1:
        return np.zeros(2)  # a line
    right = 6.0 * np.diff(slopes)
    if len(h) == 2:
        return np.full(3, right[0] / (3.0 * (h[0] + h[1])))  # a parabola
    below, above = h[:-1].copy(), h[1:].copy()
    middle = 2.0 * (below + above)
    middle[0] += h[0] * (h[0] + h[1]) / h[1]
    above[0] -= h[0] ** 2 / h[1]
    middle[-1] += h[-1] * (h[-1] + h[-2]) / h[-2]
    below[-1] -= h[-1] ** 2 / h[-2]
    below[0] = above[-1] = 0.0
    inner = tridiagonal(below, middle, above, right)
    first = inner[0] + (inner[0] - inner[1]) * h[0] / h[1]
    last = inner[-1] + (inner[-1] - inner[-2]) * h[-1] / h[-2]
    return np.concatenate([[first], inner, [last]])


def tridiagonal(below: Vector, middle: Vector, above: Vector, right: Vector) -> Vector:
    """Solution of a tridiagonal system with a dominant diagonal, by cyclic reduction of all rows at once.

    Each pass takes the neighbours at distance s out of every row, which then knows those at distance 2 s: there are log2(n)
    passes. `below[0]` and `above[-1]` are zero.
    """
    a, b, c, d = below, middle, above, right
    s = 1
    while s < len(b):
        lower, upper = np.zeros_like(b), np.zeros_like(b)
        lower[s:] = -a[s:] / b[:-s]
        upper[:-s] = -c[:-s] / b[s:]
        far_below, far_above = np.zeros_like(b), np.zeros_like(b)
        pivots, sums = b.copy(), d.copy()
        pivots[s:] += lower[s:] * c[:-s]
        pivots[:-s] += upper[:-s] * a[s:]
        sums[s:] += lower[s:] * d[:-s]
        sums[:-s] += upper[:-s] * d[s:]
        far_below[s:] = lower[s:] * a[:-s]
        far_above[:-s] = upper[:-s] * c[s:]
        a, b, c, d = far_below, pivots, far_above, sums
        s *= 2
    return d / b
