"""Even functions of an angle, regular at zero, as functions of the angle squared.

Everything a group needs is a combination of the Stumpff functions, with ``x = theta^2``::

    c_k(x) = sum_i (-x)^i / (k + 2 i)!        c_0 = cos(theta)      c_1 = sin(theta) / theta
    x c_{k+2} = 1/k! - c_k                    c_2 = (1 - cos(theta)) / theta^2
    d c_k / dx = (k c_{k+2} - c_{k+1}) / 2    c_3 = (theta - sin(theta)) / theta^3

Near zero the recurrence is run downwards, which is the Horner form of the series; elsewhere upwards from the
cosine and the sine, where dividing by ``x >= 1`` loses nothing. Both branches are finite for every
``x >= 0``, and so are their derivatives, as :func:`locomotor.lie.ops.if_else` demands.

Reference: K. Stumpff, Himmelsmechanik I, 1959; the derivative rule follows from the series term by term.
"""

from __future__ import annotations

from math import factorial

from locomotor.lie import ops
from locomotor.lie.ops import Scalar

#: Below this angle squared the series is used. At 1 its first dropped terms are 1/20! and 1/21!, below
#: round-off, and the closed forms, which lose a factor 1/x at each step upwards, are still good.
SERIES_BELOW = 1.0

_HIGHEST = 7
_SERIES_START = 19

#: At t^2 = 0.01 the first dropped term of atan(t) / t is t^18 / 19, below round-off. The closed form is good
#: far below, but its derivatives lose a factor t each.
_ATAN_SERIES_BELOW = 0.01
_ATAN_TERMS = 8


def stumpff(x: Scalar) -> tuple[Scalar, ...]:
    """Return ``(c_0, ..., c_7)`` at ``x = theta^2 >= 0``."""
    small = ops.less(x, SERIES_BELOW)

    # The branch not taken is handed a harmless argument: neither sqrt nor 1/x nor x^9 can spoil it. The smaller of two numbers
    # stays what it is, where a choice would be made anew in each term of the series.
    x_series = ops.fmin(x, SERIES_BELOW)
    series: list[Scalar] = [1.0 / factorial(k) for k in range(_SERIES_START + 1)]
    for k in reversed(range(_SERIES_START - 1)):
        series[k] = series[k] - x_series * series[k + 2]

    x_closed = ops.if_else(small, 1.0, x)
    theta = ops.sqrt(x_closed)
    closed: list[Scalar] = [ops.cos(theta), ops.sin(theta) / theta]
    for k in range(_HIGHEST - 1):
        closed.append((1.0 / factorial(k) - closed[k]) / x_closed)

    return tuple(ops.if_else(small, series[k], closed[k]) for k in range(_HIGHEST + 1))


def sinc(x: Scalar) -> Scalar:
    """Return ``sin(theta) / theta`` at ``x = theta^2``."""
    return stumpff(x)[1]


def dexp_coefficients(x: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Return ``(b, c, db/dx, dc/dx)`` of ``dexp = 1 - b ad + c ad^2``, valid where ``ad^3 = -x ad``."""
    c = stumpff(x)
    return c[2], c[3], c[4] - 0.5 * c[3], 1.5 * c[5] - 0.5 * c[4]


def dexp_inv_coefficients(x: Scalar) -> tuple[Scalar, Scalar]:
    """Return ``(e, de/dx)`` of ``dexp_inv = 1 + ad/2 + e ad^2``, valid where ``ad^3 = -x ad``.

    ``e = (1 - (theta/2) cot(theta/2)) / theta^2``, written ``(c_3 - 2 c_4) / (2 c_2)``, which loses no digits
    near zero. Singular at ``theta = 2 pi``, as ``dexp_inv`` is.
    """
    c = stumpff(x)
    c2_rate = c[4] - 0.5 * c[3]
    c3_rate = 1.5 * c[5] - 0.5 * c[4]
    c4_rate = 2.0 * c[6] - 0.5 * c[5]
    e = (0.5 * c[3] - c[4]) / c[2]
    return e, (0.5 * c3_rate - c4_rate - e * c2_rate) / c[2]


def half_angle_over_sine(sine_squared: Scalar, cosine: Scalar) -> Scalar:
    """Return ``atan2(s, c) / s`` from ``s^2`` and ``c``, for ``s >= 0`` and ``c >= 0`` not both zero.

    With ``s = sin(theta/2)`` and ``c = cos(theta/2)`` this is ``(theta/2) / sin(theta/2)``. Near ``s = 0``
    it is the series of ``atan(t) / t`` at ``t = s / c``, divided by ``c``.
    """
    small = ops.less(sine_squared, _ATAN_SERIES_BELOW * cosine * cosine)

    c_series = ops.if_else(small, cosine, 1.0)
    t_squared = ops.if_else(small, sine_squared, 0.0) / (c_series * c_series)
    series: Scalar = 1.0 / (2 * _ATAN_TERMS + 1)
    for k in reversed(range(_ATAN_TERMS)):
        series = 1.0 / (2 * k + 1) - t_squared * series

    s_closed = ops.sqrt(ops.if_else(small, 1.0, sine_squared))
    return ops.if_else(small, series / c_series, ops.atan2(s_closed, cosine) / s_closed)
