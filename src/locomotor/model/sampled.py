"""Motions given by samples: a cubic spline with two continuous derivatives, as an expression of time.

The spline becomes a balanced tree of choices between its pieces, so that it is compiled like any other law; each knot
adds some ten operations. For thousands of knots thin the data first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor.errors import SampledMotionError
from locomotor.model.expression import Expression, apply, as_expression
from locomotor.model.names import TIME
from locomotor.model.terms import Name

MOST_KNOTS = 2000


def spline(times: ArrayLike, values: ArrayLike) -> Expression:
    """The not-a-knot cubic spline through the samples, as an expression of `t`."""
    t, y = _checked(times, values)
    from scipy.interpolate import CubicSpline

    pieces = CubicSpline(t, y)
    terms = [_cubic(Name(TIME) - float(t[k]), pieces.c[:, k]) for k in range(len(t) - 1)]
    return _choose(t, terms, 0, len(terms))


def _checked(times: ArrayLike, values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    t, y = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
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


def _cubic(x: Expression, coefficients: Sequence[float]) -> Expression:
    total: Any = as_expression(float(coefficients[0]))
    for coefficient in coefficients[1:]:
        total = total * x + float(coefficient)
    return as_expression(total)


def _choose(t: NDArray[np.float64], terms: list[Expression], low: int, high: int) -> Expression:
    if high - low == 1:
        return terms[low]
    middle = (low + high) // 2
    before = Name(TIME) < float(t[middle])
    return as_expression(apply("if_else", before, _choose(t, terms, low, middle), _choose(t, terms, middle, high)))
