"""An impact of contacts with dry friction: Newton's law along the normals, Coulomb's law on the impulses along the ground.

    0 <= L_N,  u_N+ >= -e u_N-,  one of them an equality;      |L_T| <= mu L_N,  and at its bound against u_T+ if that is not 0

(Moreau 1988; docs/theory.md (Q4)). The same conditions as those of accelerations at rest, on velocities and impulses. A
contact with a patch has a third direction along the ground, its spin at the arm of friction, and mu L_N times the convex set of
Contensou's law for its impulses: whatever its slip is while it is struck, they are a mean of frictions of that law, and every
mean is in that set. One that resists rolling is braked by a moment as well (`rolling_impact`).
"""

from collections.abc import Collection, Sequence

import numpy as np

from locomotor.complementarity.friction import Guess, Side, all_ways, one_way, with_one_border
from locomotor.mechanics.constraints import PATCH
from locomotor.mechanics.impacts import Collision, Impact
from locomotor.simulation.events.rolling_impact import Resistance, with_moments
from locomotor.typing import Vector

VOID = 1e-12
"""A direction in which a unit impulse or force moves nothing by more than this share of what others do has none."""
NOTHING = 1e-13
"""Impulses below this share of the largest are round-off."""
STAYS = 1e-9
"""A contact stays closed if it then leaves by less than this share of the speeds before."""


def frictional_impact(
    collision: Collision,
    restitution: Sequence[float],
    friction: Sequence[float],
    rolling: Sequence[tuple[int, float]] = (),
    patched: Collection[int] = (),
) -> Impact:
    """Velocities and impulses after an impact; a friction that is infinite holds whatever that takes.

    Of contacts that are `patched` the last row is the turning of a patch.
    `rolling` names contacts that resist it, and their arms (m); the rows about which they turn follow the contacts, in order.
    """
    _, free = collision.respond([], [])
    W = collision.condensed
    scale = float(np.abs(np.diag(W)).max(initial=0.0)) or 1.0
    parts: list[int] = []
    sides: list[Side] = []
    least = []
    for k, mu in enumerate(friction):
        n = collision.normal(k)
        own = [n, *(i for i in collision.tangents(k) if W[i, i] > VOID * scale)]
        border = PATCH if k in patched and own[-1] == collision.tangents(k)[-1] else None
        sides.append(Side(slice(len(parts), len(parts) + len(own)), mu, np.zeros(len(own) - 1), border=border))
        parts += own
        least.append(-restitution[k] * float(collision.before[n]))
    sides = with_one_border(sides)
    count = len(W)

    def contacts(velocities: Vector) -> Vector | None:
        q = velocities[parts]
        for side, target in zip(sides, least, strict=True):
            q[side.rows.start] -= target
        L = _impulses(W[np.ix_(parts, parts)], q, sides)
        if L is None:
            return None
        found = np.zeros(count)
        found[parts] = np.where(np.abs(L) > NOTHING * float(np.abs(L).max(initial=0.0)), L, 0.0)
        return found

    turning = [
        Resistance((collision.starts[len(friction) + j], collision.starts[len(friction) + j] + 1), collision.normal(k), arm)
        for j, (k, arm) in enumerate(rolling)
    ]
    found = with_moments(W, free[:count], turning, contacts)
    if found is None:
        return collision.outcome(np.zeros(len(collision.rows)), (), consistent=False)
    given = np.zeros(len(collision.rows))
    given[:count] = found
    impulses, after = collision.respond([], [], given)
    still = STAYS * collision.speed
    closed = [k for k in range(len(friction)) if least[k] == 0.0 and abs(float(after[collision.normal(k)])) <= still]
    return collision.outcome(impulses, closed)


def _impulses(W: Vector, q: Vector, sides: Sequence[Side]) -> Vector | None:
    """Impulses of all rows, or None where nothing was found that satisfies every law."""
    guesses = [Guess("slip", side.slip) if side.tangents == 0 or side.frictionless else Guess("stick") for side in sides]
    found = one_way(W, q, sides, guesses)
    if found is not None:
        return found.forces
    ways, _ = all_ways(W, q, sides)
    return ways[0].forces if ways else None
