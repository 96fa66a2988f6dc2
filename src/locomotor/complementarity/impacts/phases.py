"""Laws with one problem for the whole impact, or one for each of its two phases; any number of contacts, with friction."""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.impacts import registry
from locomotor.complementarity.impacts.collision import Collision, Found
from locomotor.complementarity.impacts.solving import found, with_cones, with_least
from locomotor.typing import Floats

MOST = 1e6
"""Times the impulse of compression that is tried in search of the energy to give back."""
NARROW = 1e-3
"""Share of itself to which the largest impulse that has a solution is known when the search is given up."""


@registry.register(
    "inelastic",
    formula="0 <= L_N, u_N+ >= 0, one an equality; |L_T| <= mu L_N, against u_T+",
    loses="all of the approach, and what friction takes",
    source="Moreau 1988; Pfeiffer and Glocker 1996, ch. 8; Génot 1998, (III.23) to (III.28)",
    takes=("friction",),
)
def inelastic(collision: Collision) -> Found:
    """Inelastic impact with Coulomb's law on impulses and velocities after the impact.

    L . u+ = -sum mu L_N |u_T+| and T+ - T- = L . u+ - L W L / 2, so that no energy is gained.
    """
    return found(with_cones(collision, collision.u))


@registry.register(
    "newton",
    formula="0 <= L_N, u_N+ >= E a, one an equality, a = max(-u_N, 0); |L_T| <= mu L_N, against u_T+ + e_T u_T",
    loses="sum (1 - e) L_N a / 2 without friction where no contact separates before",
    gains="where normal and tangential velocities couple and slip stops or turns back; where a contact that separates is "
    "struck by others; with a restitution matrix",
    source="Newton 1687; Moreau 1988; Glocker 2001; the gain: Kane and Levinson 1985",
    takes=("friction", "restitution", "matrix", "tangential"),
)
def newton(collision: Collision) -> Found:
    """Newton's ratio of velocities for each contact, its shares of the approach of others, and Coulomb's law."""
    q = collision.u.copy()
    q[collision.normals] += collision.E @ np.minimum(collision.u[collision.normals], 0.0)
    if collision.axes > 1:
        q[collision.tangents] += collision.tangential[:, None] * collision.u[collision.tangents]
    return found(with_cones(collision, q))


@registry.register(
    "moreau",
    formula="((1 + d) u+ + (1 - d) u) / 2 obeys the laws of an inelastic impact: e = (1 - d) / (1 + d) in every direction",
    loses="d of the energy of the impulses, L W L / (2 (1 + e)), and what friction takes; nothing with d = 0 and no friction",
    source="Moreau 1988; Génot 1998, (I.14)",
    takes=("friction", "dissipation"),
)
def moreau(collision: Collision) -> Found:
    """Moreau's law with the dissipation index d from 0 (elastic) to 1 (inelastic).

    L = (1 + e) L_C with L_C those of the inelastic impact; T+ - T- = (1 + e) (L_C . u_C - (1 - e) L_C W L_C / 2) <= 0.
    """
    e = (1.0 - collision.dissipation) / (1.0 + collision.dissipation)
    return found(with_cones(collision, (1.0 + e) * collision.u))


@registry.register(
    "poisson",
    formula="compression: inelastic, L_C; restitution: 0 <= L_E - E L_C, u_N+ >= 0, one an equality; |L_ET| <= mu L_EN",
    loses="(1 - e^2) of the energy of the approach at a single contact without friction",
    gains="with several contacts and high friction, which wedge each other; with a restitution matrix",
    source="Poisson 1835; Pfeiffer and Glocker 1996, ch. 8",
    takes=("friction", "restitution", "matrix"),
)
def poisson(collision: Collision) -> Found:
    """Poisson's ratio of impulses: a contact gives back E L_C, or more where others would drive it into its ground.

    Without friction L_E is the smallest in energy, L_E W L_E / 2, of all that are at least E L_C; with coefficients up to 1
    L_C is one of them, and no energy is gained.
    """
    compression = with_cones(collision, collision.u)
    if not compression.solved:
        return found(compression)
    first = compression.solution
    return _together(first, with_least(collision, _middle(collision, first), collision.E @ first[collision.normals]))


@registry.register(
    "stronge",
    formula="as poisson, with L_E >= s e L_C; s such that restitution gives back e^2 of the work of the normal impulses of "
    "compression, and no more energy than e^2 of what compression took",
    loses="(1 - e^2) of the work of the normal impulses, and what friction takes",
    source="Stronge 1990, with the phases of Pfeiffer and Glocker 1996",
    takes=("friction", "restitution"),
)
def stronge(collision: Collision) -> Found:
    """Stronge's ratio of energies, e^2, for any number of contacts: velocities change along straight lines in each phase.

    Along such lines friction may do work where slip turns back in a phase; it is then counted with what is given back, so that
    T+ - T- <= -(1 - e^2) (T- - T_C). For friction that follows the slip of one contact see `energetic`.
    """
    compression = with_cones(collision, collision.u)
    if not compression.solved:
        return found(compression)
    first, e = compression.solution, np.diag(collision.E)
    middle, normals = _middle(collision, first), collision.normals
    works = np.maximum(-0.5 * first[normals] * (collision.u + middle)[normals], 0.0)
    taken = float(works.sum())
    if not e.any() or taken <= 0.0:
        return Found(first, compression.status, compression.residual, compression=first)
    stored = float(np.sum(e**2 * works)) * min(1.0, collision.energy_lost(first) / taken)

    def given(share: float) -> tuple[Found, float]:
        second = with_least(collision, middle, share * e * first[normals])
        work = second.impulses * (middle + 0.5 * (collision.W @ second.impulses))
        return second, max(float(work[normals].sum()), float(work.sum())) - stored

    low, high, most = 0.0, 1.0, float("inf")
    while not (missing := given(high)[1]) >= 0.0:
        if np.isnan(missing):  # contacts wedge each other: so large a share has no solution, and a smaller one is tried
            most = high
            if most - low <= NARROW * most:
                return _together(first, given(most)[0])
        elif high > MOST:  # friction holds the contacts fast: no impulse gives anything back
            return _together(first, given(1.0)[0])
        else:
            low = high
        high = min(2.0 * high, 0.5 * (low + most))
    from scipy.optimize import brentq

    share = float(brentq(lambda s: given(float(s))[1], low, high, xtol=1e-15, rtol=1e-15))
    return _together(first, given(share)[0])


def _middle(collision: Collision, first: Floats) -> Floats:
    """Velocities at the end of compression; what is closed has no normal velocity at all, since round-off could jam it."""
    u = collision.after(first)
    still = np.abs(u[collision.normals]) <= 1e-10 * collision.speed
    u[collision.normals[still]] = 0.0
    return u


def _together(first: Floats, second: Found) -> Found:
    """Impulses of both phases, compression and restitution, together."""
    return Found(first + second.impulses, second.status, second.residual, compression=first)
