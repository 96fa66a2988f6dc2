"""Whether any forces within the cones of friction hold contacts where they are: W r + q = 0, |r_T| <= mu r_N.

Where contacts share a load in more ways than one (four legs) it is enough that one of them is admissible. The nearest that the
cones come to -q is a nonnegative least squares over their edges; edges are added where the residual points, until it is zero
or no edge of any cone would lessen it, which proves that there is no such r.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locomotor.complementarity.friction.modes import Side
from locomotor.complementarity.sizes import power
from locomotor.typing import Floats

MET = 1e-8
"""Share of q that may be left."""
FARTHEST = 1e9
"""Forces of more than this times |q|/|W| hold nothing: what is left cannot be told from round-off."""
MOST_EDGES = 200
MOST_FRICTION = 1e6
"""A coefficient beyond which more friction does not help."""


def held(W: Floats, q: Floats, sides: Sequence[Side]) -> bool:
    """Whether forces within the cones keep all contacts from accelerating; infinite friction never slips."""
    by = power(np.diag(W))
    size = float(np.abs(q * by).max(initial=0.0))
    if not size > 0.0:
        return True
    from scipy.optimize import nnls

    # Rows by their own size (bodies of different mass); forces keep theirs, so that cones stay what they are.
    rows, right = W * by[:, None], q * by / size
    columns = float(np.abs(rows).max(initial=0.0)) or 1.0
    rows = rows / columns
    edges = [edge for side in sides for edge in _first_edges(len(q), side)]
    for _ in range(MOST_EDGES):
        A = rows @ np.array(edges).T
        try:
            shares, _ = nnls(A, -right)
        except RuntimeError:  # it ran out of iterations
            return False
        left = A @ shares + right
        if float(np.abs(left).max()) <= MET:
            return True
        towards = -(rows.T @ left)
        new = [(edge, gain) for side in sides for edge, gain in _steepest(towards, side)]
        best = max((gain for _, gain in new), default=0.0)
        if best * FARTHEST <= float(left @ left):
            return False
        edges += [edge for edge, gain in new if gain > 0.0]
    return False


def least_friction(W: Floats, q: Floats, sides: Sequence[Side]) -> float:
    """The coefficient that contacts must have at least so that they are held; infinite where no friction is enough."""

    def enough(coefficient: float) -> bool:
        return held(W, q, [side._replace(mu=max(side.bound, coefficient), static=None) for side in sides])

    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2.0 * high
        if high > MOST_FRICTION:
            return float("inf")
    while high - low > 1e-7 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _edge(n: int, side: Side, tangent: Floats, normal: float = 1.0) -> Floats:
    edge = np.zeros(n)
    edge[side.rows.start], edge[side.rows.start + 1 : side.rows.stop] = normal, tangent
    return edge


def _first_edges(n: int, side: Side) -> list[Floats]:
    """The normal, and edges of the cone along each axis."""
    axes = np.vstack([np.eye(side.tangents), -np.eye(side.tangents)])
    if np.isinf(side.bound):
        return [_edge(n, side, np.zeros(side.tangents)), *(_edge(n, side, axis, 0.0) for axis in axes)]
    along = [side.bound * side.rubs(axis) for axis in axes if side.bound > 0.0]
    return [_edge(n, side, np.zeros(side.tangents)), *(_edge(n, side, tangent) for tangent in along)]


def _steepest(towards: Floats, side: Side) -> list[tuple[Floats, float]]:
    """The edge of a cone that is nearest to a direction, and how much it gains."""
    normal, tangent = float(towards[side.rows.start]), towards[side.rows.start + 1 : side.rows.stop]
    length = float(np.linalg.norm(tangent))
    if np.isinf(side.bound) or not length * side.bound > 0.0:
        return []
    edge = side.bound * side.rubs(tangent / length)
    return [(_edge(len(towards), side, edge), normal + float(edge @ tangent))]
