"""How well numbers solve a linear complementarity problem, and whether a vector proves that nothing does."""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import NOISE, TOLERANCE, Residuals
from locomotor.complementarity.sizes import AMPLIFIED, conjugate, excused, lost, spread
from locomotor.typing import Flags, Floats

CLEAR = 1e-3 * TOLERANCE
"""A residual that needs no second look at what round-off may do."""
CERTAIN = 1e-8
"""A certificate's q . y must be below minus this, relatively, and M^T y below this much of that margin."""


def measure(M: Floats, q: Floats, z: Floats, free: Flags | None = None) -> tuple[Floats, float, Residuals]:
    """w = M z + q, the natural residual max |min(z_i, w_i)|, and its parts.

    z and w have different units (N and m/s^2, say), so that each is taken relative to its size first: each w to the sum of
    absolute terms it is made of, each z to its own size or what others make of it through the matrix. It is no smaller than
    what round-off of z makes of a row. Rows of small numbers count as much as those of large ones that have no part in them.
    Where z is far larger than what q makes of it little more than its round-off is forgiven.

    `free` are rows that are equations: their z have no sign, and w is zero.
    """
    if not len(q):
        return np.zeros(0), 0.0, Residuals(0.0, 0.0, 0.0)
    w, sizes = M @ z + q, np.abs(M)
    terms = sizes @ np.abs(z) + np.abs(q)
    # Where nothing is forgiven, each z that is not zero is of its own size.
    natural, parts = _residuals(np.sign(z), w / np.where(terms > 0.0, terms, 1.0), free)
    given = np.abs(q)
    if natural <= CLEAR and terms.max() <= AMPLIFIED * given[given > 0.0].min(initial=np.inf):
        return w, natural, parts
    by = conjugate(sizes)
    near = sizes * by[:, None] * by
    made = spread(near, given * by)
    size_z = spread(near, np.maximum(np.abs(z) / by, given * by))
    terms = np.maximum(terms * by, NOISE * (near * size_z).max(axis=1))
    hidden = lost(terms, made, w * by)
    size_z, terms = excused(size_z, made, NOISE), excused(terms, made, NOISE)
    whole = np.where(size_z > 0.0, size_z, 1.0)
    natural, parts = _residuals(z / by / whole, w * by / np.where(terms > 0.0, terms, 1.0), free)
    return w, natural if np.isfinite(natural) and not hidden else float("inf"), parts


def _residuals(a: Floats, b: Floats, free: Flags | None) -> tuple[float, Residuals]:
    """The natural residual of solution and slack, and its parts."""
    if free is not None:  # an equation is a slack below zero, of whatever sign
        a, b = np.where(free, 1.0, a), np.where(free, -np.abs(b), b)
    parts = Residuals(max(0.0, float(-a.min())), max(0.0, float(-b.min())), float(np.abs(a * b).max()))
    return float(np.abs(np.minimum(a, b)).max()), parts


def is_certificate(M: Floats, q: Floats, y: Floats) -> bool:
    """Whether y proves that M z + q >= 0, z >= 0 has no solution: y >= 0, M^T y <= 0, q . y < 0 (lemma of Farkas).

    With w = M z + q, y . w = (M^T y) . z + q . y would be negative, though y and w are not. M^T y may exceed zero by
    round-off: what is then excluded are all solutions up to 1e8 times the size of q over that of M.
    """
    size = float(np.abs(y).max(initial=0.0))
    if not size > 0.0 or not np.isfinite(size):
        return False
    y = y / size
    margin = -float(q @ y) / (float(np.abs(q).max()) * float(np.abs(y).sum()) or 1.0)
    scale = float((np.abs(M).T @ np.abs(y)).max()) or 1.0
    above = float((M.T @ y).max()) / scale
    return bool(y.min() >= 0.0) and margin > CERTAIN and above <= CERTAIN * margin
