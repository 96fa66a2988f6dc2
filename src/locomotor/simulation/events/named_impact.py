"""An impact of contacts with dry friction by a law with a name: `complementarity.impact`, while held rows keep theirs.

The laws work on plain matrices with as many rows for each contact (docs/impacts.md). A direction along which a contact cannot
move is left out, and a contact with fewer directions than others is given empty rows.
"""

from collections.abc import Sequence

import numpy as np

from locomotor.complementarity.impacts import IMPACT_LAWS
from locomotor.complementarity.impacts import Collision as Problem
from locomotor.mechanics.impacts import Collision, Impact
from locomotor.simulation.events.frictional_impact import STAYS, VOID
from locomotor.typing import Vector

HOLDS = 1e6
"""Coefficient of friction of a contact that holds whatever that takes."""


def named_impact(
    law: str, collision: Collision, restitution: Vector, friction: Sequence[float], tangential: Sequence[float]
) -> Impact:
    """Velocities and impulses after an impact; `restitution` is a matrix, a friction that is infinite holds."""
    _, free = collision.respond([], [])
    W = collision.condensed
    scale = float(np.abs(np.diag(W)).max(initial=0.0)) or 1.0
    own = [[collision.normal(k), *(i for i in collision.tangents(k) if W[i, i] > VOID * scale)] for k in range(len(friction))]
    axes = max((len(rows) for rows in own), default=1)
    places = [axes * k + j for k, rows in enumerate(own) for j in range(len(rows))]
    rows = [i for part in own for i in part]
    size = axes * len(own)
    matrix, u = np.zeros((size, size)), np.zeros(size)
    matrix[np.ix_(places, places)] = 0.5 * (W + W.T)[np.ix_(rows, rows)]
    u[places] = free[rows]
    e = float(np.diag(restitution).max(initial=0.0))
    mu = np.minimum(np.asarray(friction, dtype=float), HOLDS)
    problem = Problem(matrix, u, mu, axes, restitution, np.asarray(tangential, dtype=float), (1.0 - e) / (1.0 + e))
    found = IMPACT_LAWS[law].solve(problem)
    if found.status not in {"solved", "several"}:
        return collision.outcome(np.zeros(len(collision.rows)), (), consistent=False)
    given = np.zeros(len(collision.rows))
    given[rows] = found.impulses[places]
    impulses, after = collision.respond([], [], given)
    still = STAYS * collision.speed
    closed = [k for k in range(len(friction)) if abs(float(after[collision.normal(k)])) <= still]
    return collision.outcome(impulses, closed)
