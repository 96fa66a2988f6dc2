"""Friction whose bounds are known, as that of joints: efforts within balls, against the motion.

    u = W r + q,      |r_k| <= b_k,      r_k = -b_k u_k / |u_k| where u_k is not zero,

over blocks k of one number or several. These are the conditions of the least of r.W r / 2 + q.r over the balls (Tresca's
friction; docs/theory.md (Q12)), so that u is unique. One block alone is on the edge of its ball with

    (W + a I) r = -q,      |r| = b,      a = |u| / b > 0,

unless -q / W is inside. Several are asked in turn, each exactly, until nothing changes.
"""

from collections.abc import Sequence

import numpy as np

from locomotor.typing import Floats

FLAT = 1e-12
"""Eigenvalues below this much of the largest are zero: nothing moves that way."""
STEPS = 100
"""Steps of the search for a; five are usual."""
SWEEPS = 2_000
"""Times that all blocks are asked; one block is asked once."""
SETTLED = 1e-15
"""Share of the bounds by which efforts may still change in the last sweep."""


def bounded(W: Floats, q: Floats, blocks: Sequence[slice], bounds: Floats) -> Floats:
    """Efforts r of all blocks."""
    r = np.zeros(len(q))
    for _ in range(SWEEPS):
        change = 0.0
        for block, bound in zip(blocks, bounds, strict=True):
            own = W[block, block]
            found = bounded_block(own, q[block] + W[block] @ r - own @ r[block], float(bound))
            change = max(change, float(np.abs(found - r[block]).max(initial=0.0)))
            r[block] = found
        if len(blocks) < 2 or change <= SETTLED * float(bounds.max(initial=0.0)):
            break
    return r


def bounded_block(W: Floats, q: Floats, bound: float) -> Floats:
    """The effort of one block: it stops what moves, or is on the edge of its ball, against the motion."""
    if bound <= 0.0:
        return np.zeros(len(q))
    values, axes = np.linalg.eigh(W)
    moves = values > FLAT * float(values[-1])
    stiff, p = values[moves], (axes.T @ q)[moves]
    if not len(p) or not p.any():
        return np.zeros(len(q))
    r = -p / stiff
    if float(np.linalg.norm(r)) > bound:
        r = -p / (stiff + _shift(stiff, p, bound))
        r *= bound / float(np.linalg.norm(r))
    return np.asarray(axes[:, moves] @ r)


def _shift(stiff: Floats, p: Floats, bound: float) -> float:
    """The a at which |p / (stiff + a)| is the bound: of b / |r(a)| - 1, nearly linear in a and concave, the root."""
    a = 0.0
    for _ in range(STEPS):
        r = p / (stiff + a)
        size = float(np.linalg.norm(r))
        slope = float(r @ (r / (stiff + a))) / size
        step = (size / bound - 1.0) * size / slope
        a += step
        if abs(step) <= 4e-16 * a:
            break
    return a
