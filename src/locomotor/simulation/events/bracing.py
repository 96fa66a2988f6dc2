"""Contacts that share a load in more ways than one: they stick as long as some forces within their cones hold everything.

The forces of a mode are the smallest of those that do the same. Where one of them leaves its cone others may make up for it:
three feet of a plate that is pulled share that force in many ways. Whether any of them is admissible is asked of the cones
together (`complementarity.friction.held`); the instant from which on none is, is found by halving the step. Then all of
them let go that move with less friction than there is, as the cones tell.
"""

import numpy as np

from locomotor.complementarity.friction import ContactSolution, Guess, Side, held, one_way
from locomotor.dataclass import replace
from locomotor.simulation.events.collisions import OPENS
from locomotor.simulation.events.ground import EXHAUSTED, IDLE, Ground, ground_at
from locomotor.simulation.events.moment import Moment
from locomotor.simulation.events.plan import EventPlan
from locomotor.typing import Vector

MOST_SHARING = 16
"""Contacts that are asked together; of more the smallest forces count."""
INSTANT = 1e-12
"""To which the instant is located from which on nothing holds (s)."""
SURELY = 1.0 - 3e-8
"""Share of their friction by which contacts must be held: what `held` leaves unbalanced is less."""
BEYOND = 1e-3
"""Share by which friction is lessened to see where contacts go that are about to let go."""


def is_shared(ground: Ground) -> bool:
    """Whether contacts that stick may share the forces along the ground in more ways than one; not asked of patches."""
    if not 1 < len(ground.sides) <= MOST_SHARING or any(side.tangents > 2 for side in ground.sides):
        return False
    W, _, sides = _at_rest(ground)
    values, vectors = np.linalg.eigh(0.5 * (W + W.T))
    idle = vectors[:, values < IDLE * values[-1]]
    return any(bool(np.abs(idle[side.along]).max(initial=0.0) > IDLE) for side in sides if side.tangents)


def is_braced(ground: Ground) -> bool:
    """Whether some forces within the cones hold all contacts that stick."""
    W, q, sides = _at_rest(ground)
    return held(W, q, [side._replace(static=SURELY * side.bound) if side.tangents else side for side in sides])


def _sticks(ground: Ground, k: int) -> bool:
    side = ground.sides[k]
    return side.tangents > 0 and not side.frictionless and not ground.slips[k].any()


def _at_rest(ground: Ground) -> tuple[Vector, Vector, list[Side]]:
    """The problem of holding those that stick, others slipping on: their friction comes with their normal forces."""
    n = len(ground.q)
    columns, rows, sides = [], list[int](), []
    for k, side in enumerate(ground.sides):
        first, normal = len(rows), np.eye(n)[side.rows.start]
        if _sticks(ground, k):
            rows += range(side.rows.start, side.rows.stop)
            columns += list(np.eye(n)[side.rows])
        else:
            rows.append(side.rows.start)
            if not np.isinf(side.mu):
                normal[side.along] = -side.mu * side.slip
            columns.append(normal)
        sides.append(side._replace(rows=slice(first, len(rows)), slip=np.zeros(len(rows) - first - 1)))
    return ground.W[rows] @ np.array(columns).T, ground.q[rows], sides


def let_go(ground: Ground) -> ContactSolution | None:
    """How contacts begin to slip that nothing holds any more: where they would go with a little less friction yet.

    At the very instant they have no acceleration that could tell.
    """
    weaker = [
        side._replace(mu=(1.0 - BEYOND) * side.mu, static=None) if _sticks(ground, k) and not np.isinf(side.mu) else side
        for k, side in enumerate(ground.sides)
    ]
    guesses = [Guess("stick") if _sticks(ground, k) else Guess("slip", side.slip) for k, side in enumerate(ground.sides)]
    ahead = one_way(ground.W, ground.q, weaker, guesses)
    if ahead is None:
        return None
    slips = [word == "slip" and _sticks(ground, k) for k, word in enumerate(ahead.modes)]
    guesses = [
        Guess("slip", ahead.directions[k], OPENS) if goes else guess
        for k, (goes, guess) in enumerate(zip(slips, guesses, strict=True))
    ]
    sides = [side._replace(static=-1.0) if goes else side for side, goes in zip(ground.sides, slips, strict=True)]
    return one_way(ground.W, ground.q, sides, guesses)


def length_braced(plan: EventPlan, now: Moment, t: float, x: Vector, h: float) -> float | None:
    """Length of the part of a step over which braced contacts hold; None where it is all of it."""
    probe = now.probe(plan)
    if _holds(plan, replace(now, time=t + h, state=probe.after(t, x, h))):
        return None
    low, high = 0.0, h
    while high - low > INSTANT and low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        kept = _holds(plan, replace(now, time=t + middle, state=probe.after(t, x, middle)))
        low, high = (middle, high) if kept else (low, middle)
    return high


def _holds(plan: EventPlan, now: Moment) -> bool:
    """Whether all contacts that stick do so at a moment, by the forces of the mode or by others."""
    seen = now.look(plan)
    if not np.isfinite(seen.reaction).all():
        return True  # another event is within the step
    force = float(np.abs(seen.reaction).max(initial=0.0))
    if not (seen.friction_left[now.mode.clinging] < -EXHAUSTED * force).any():
        return True
    return is_braced(ground_at(plan, now, now.whole(plan), seen, (), ()))
