"""Which inertias a distribution of positive mass can have: I = sum m (|r|² 1 - r r^T). One rule, for one body or a million."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.typing import Flags, Floats

INERTIA_TOLERANCE = 1e-9  # relative; a thin disc, where the triangle inequality is an equality, must pass
MEASURED = 0.05
"""Share of the largest moment by which measured moments may exceed the sum of the two others: measured bicycles do by 2 %."""

POSSIBLE, ASYMMETRIC, NEGATIVE, NO_TRIANGLE, SLIGHT_EXCESS = 0, 1, 2, 3, 4
"""What is found: nothing wrong; the first thing that is; or an excess that is taken for an error of measurement."""

CLEAR = 1e-6
"""Relative distance from every limit at which products decide; nearer to it the principal moments do."""


def judge_inertias(inertias: Floats) -> NDArray[np.int8]:
    """What is wrong with matrices (count, 3, 3) of finite numbers."""
    scale = np.abs(inertias).max(axis=(1, 2), initial=0.0)
    unit = inertias / np.where(scale > 0.0, scale, 1.0)[:, None, None]  # so that neither sums nor eigenvalues overflow
    asymmetric = np.abs(unit - unit.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0) > INERTIA_TOLERANCE
    found = judge_moments(*principal_moments(unit).T)
    found[asymmetric] = ASYMMETRIC
    return found


def judge_moments(a: Any, b: Any, c: Any) -> NDArray[np.int8]:
    """What is wrong with principal moments, in any order."""
    high = np.maximum(np.maximum(a, b), c)
    low = np.minimum(np.minimum(a, b), c)
    middle = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    excess = high / 2 - low / 2 - middle / 2  # halves: sums must not overflow
    faults = [low < -INERTIA_TOLERANCE * np.abs(high), excess > MEASURED * high / 2, excess > INERTIA_TOLERANCE * high / 2]
    return np.select(faults, [NEGATIVE, NO_TRIANGLE, SLIGHT_EXCESS], POSSIBLE).astype(np.int8)


def passes(found: NDArray[np.int8]) -> Flags:
    """Which inertias are accepted."""
    return np.asarray((found == POSSIBLE) | (found == SLIGHT_EXCESS))


def principal_moments(inertias: Floats) -> Floats:
    """Eigenvalues (count, 3) of the symmetric parts, the smallest first."""
    return np.asarray(np.linalg.eigvalsh(0.5 * (inertias + inertias.transpose(0, 2, 1))), dtype=np.float64)


def clearly_possible(rows: Any) -> Flags:
    """Where I and the second moments of the mass, tr(I)/2 - I, are positive definite with something to spare.

    `rows` are three rows of three columns, each with a number for each instance. The principal second moments are half of what
    two moments of inertia exceed the third by. Products instead of eigenvalues: many times as quick, and nearly every body of
    a batch is well inside the limits.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows
    trace = xx + yy + zz
    slack = 0.5 * INERTIA_TOLERANCE * trace
    symmetric = (np.abs(xy - yx) <= slack) & (np.abs(xz - zx) <= slack) & (np.abs(yz - zy) <= slack)
    spare, half = CLEAR * trace, 0.5 * trace
    inside = _definite(xx - spare, yy - spare, zz - spare, xy, xz, yz)
    within = _definite(half - xx - spare, half - yy - spare, half - zz - spare, xy, xz, yz, -1.0)
    return np.asarray(symmetric & inside & within)


def _definite(xx: Any, yy: Any, zz: Any, xy: Any, xz: Any, yz: Any, sign: float = 1.0) -> Any:
    """Sylvester: the leading minors are positive; `sign` is that of the products of inertia."""
    second = xx * yy - xy * xy
    third = zz * second - xx * yz * yz - yy * xz * xz + 2.0 * sign * xy * yz * xz
    return (xx > 0.0) & (second > 0.0) & (third > 0.0)
