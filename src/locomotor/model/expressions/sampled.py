"""Motions given by samples: a cubic spline with two continuous derivatives, as an expression of time.

One cubic serves for all pieces: its origin and its coefficients are chosen by balanced trees of comparisons with the times
of the samples. Each sample so costs five choices, which position, velocity and acceleration share, as do joints that were
sampled at the same times; a choice is far cheaper, to compile and to run, than a piece of arithmetic.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks
from locomotor.errors import SampledMotionError
from locomotor.model.expressions.expression import Expression, apply, as_expression
from locomotor.model.expressions.terms import Name
from locomotor.names import TIME
from locomotor.typing import Floats

MOST_KNOTS = 2000


def spline(times: ArrayLike, values: ArrayLike) -> Expression:
    """The not-a-knot cubic spline through the samples, as an expression of `t`."""
    t, y = _checked(times, values)
    from scipy.interpolate import CubicSpline

    pieces = CubicSpline(t, y)
    x = Name(TIME) - _choose(t, [float(time) for time in t[:-1]], 0, len(t) - 1)
    total, *others = (_choose(t, [float(c) for c in coefficients], 0, len(t) - 1) for coefficients in pieces.c)
    for coefficient in others:
        total = total * x + coefficient
    return total


def _checked(times: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    t, y = _numbers(times, "times"), _numbers(values, "values")
    if t.ndim != 1 or t.shape != y.shape:
        raise SampledMotionError(
            f"a sampled motion needs as many values as times, both in one row; got shapes {t.shape} and {y.shape}"
        )
    if len(t) < 4:
        raise SampledMotionError(f"a sampled motion needs at least 4 samples for two derivatives, got {len(t)}")
    if len(t) > MOST_KNOTS:
        raise SampledMotionError(f"a sampled motion takes at most {MOST_KNOTS} samples, got {len(t)}; keep every n-th")
    bad = np.flatnonzero(~(np.isfinite(t) & np.isfinite(y)))
    if bad.size:
        raise SampledMotionError(f"sample {bad[0]} of the motion is t={t[bad[0]]}, r={y[bad[0]]}; all must be finite")
    back = np.flatnonzero(np.diff(t) <= 0.0)
    if back.size:
        k = int(back[0])
        raise SampledMotionError(
            f"the times of a sampled motion must increase: sample {k} is at {t[k]} s and sample {k + 1} at {t[k + 1]} s"
        )
    return t, y


def _numbers(given: ArrayLike, what: str) -> Floats:
    return checks.floats(given, f"the {what} of a sampled motion", error=SampledMotionError)


def _choose(t: Floats, values: list[float], low: int, high: int) -> Expression:
    """The value that belongs to the piece in which the present time is."""
    if high - low == 1:
        return as_expression(values[low])
    middle = (low + high) // 2
    before = Name(TIME) < float(t[middle])
    return as_expression(apply("if_else", before, _choose(t, values, low, middle), _choose(t, values, middle, high)))
