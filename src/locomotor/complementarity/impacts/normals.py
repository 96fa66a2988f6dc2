"""Laws for several contacts at once without friction, as they were proposed: each decides who takes part in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from locomotor.complementarity.answer import TOLERANCE
from locomotor.complementarity.impacts import registry
from locomotor.complementarity.impacts.collision import SMALL, Collision, Found, Status
from locomotor.errors import ArgumentError
from locomotor.typing import Floats

MOST = 8
"""Contacts of which every order of impacts is tried."""
DEPTH = 64
"""Impacts in a row after which an order is given up."""


@registry.register(
    "haug",
    formula="u_N+ = -e u_N where the contact approaches, u_N+ = 0 where it only touches; impulses of either sign",
    loses="(1 - e) / (2 (1 + e)) L W L with equal coefficients",
    gains="where coefficients differ and an impulse pulls",
    source="Haug, Wu and Yang 1986; Génot 1998, table I.1",
    takes=("restitution",),
)
def haug(collision: Collision) -> Found:
    """Newton's ratio where contacts are struck, while those that only touch stay closed both ways."""
    u = collision.u[collision.normals]
    struck, touching = u < -SMALL * collision.speed, np.abs(u) <= SMALL * collision.speed
    return _held(collision, struck | touching, np.where(struck, np.diag(collision.E) * u, 0.0))


@registry.register(
    "van der schaft",
    formula="u_N+ = 0 at every contact that touches or approaches; impulses of either sign",
    loses="L W L / 2",
    source="van der Schaft and Schumacher 1996; Génot 1998, section I.2.2",
)
def van_der_schaft(collision: Collision) -> Found:
    """All contacts that touch or are about to be violated become closed at once."""
    u = collision.u[collision.normals]
    return _held(collision, u <= SMALL * collision.speed, np.zeros(len(u)))


@registry.register(
    "han gilmore",
    formula="u_N+ = -e u_N at a set of contacts that touch or approach, again and again until none approaches; every order",
    loses="sum (1 - e) L_N |u_N| / 2 at each impact",
    source="Han and Gilmore 1993; Génot 1998, table I.1",
    takes=("restitution",),
)
def han_gilmore(collision: Collision) -> Found:
    """All outcomes of impacts at the same instant, one set of contacts after another; sets with the most contacts come first.

    The law does not choose: the first outcome is the answer, the rest is in `others`.
    """
    if collision.contacts > MOST:
        raise ArgumentError(f"impact: {collision.contacts} contacts; the law 'han gilmore' tries every order of at most {MOST}")
    kept: list[Floats] = []
    endless = False
    for L in _orders(collision, np.zeros(len(collision.u)), 0):
        if L is None:
            endless = True
            continue
        u = collision.after(L)
        if all(np.abs(collision.after(other) - u).max() > 1e-9 * collision.speed for other in kept):
            kept.append(L)
    if not kept:
        return Found(np.zeros(len(collision.u)), "limit" if endless else "enters")
    return Found(kept[0], "several" if len(kept) > 1 else "solved", others=tuple(kept[1:]))


def _orders(collision: Collision, L: Floats, depth: int) -> Iterator[Floats | None]:
    """Impulses at the end of every order of impacts from here; None where one does not end."""
    u = collision.after(L)[collision.normals]
    approaching = np.flatnonzero(u < -SMALL * collision.speed)
    if not len(approaching):
        yield L
        return
    if depth == DEPTH:
        yield None
        return
    near = np.flatnonzero(u <= SMALL * collision.speed).tolist()
    for size in range(len(near), 0, -1):
        for chosen in combinations(near, size):
            if not set(chosen).intersection(approaching.tolist()):
                continue
            rows = list(chosen)
            wanted = -(1.0 + np.diag(collision.E)[rows]) * u[rows]
            more = np.linalg.lstsq(collision.W[np.ix_(rows, rows)], wanted, rcond=1e-12)[0]
            if (more >= -SMALL * np.abs(more).max()).all():
                after = L.copy()
                after[rows] += more
                yield from _orders(collision, after, depth + 1)


def _held(collision: Collision, taking: NDArray[np.bool_], bounce: Floats) -> Found:
    """Impulses of either sign that bring the contacts that take part to the velocities -bounce."""
    rows = np.flatnonzero(taking)
    L = np.zeros(len(collision.u))
    if len(rows):
        block, wanted = collision.W[np.ix_(rows, rows)], -bounce[rows] - collision.u[rows]
        L[rows] = np.linalg.lstsq(block, wanted, rcond=1e-12)[0]
    missed = float(np.abs(collision.after(L)[rows] + bounce[rows]).max(initial=0.0)) / collision.speed
    pulls = bool((-SMALL * float(np.abs(L).max(initial=0.0)) > L).any())
    status: Status = "limit" if missed > TOLERANCE else "pulls" if pulls else "solved"
    return Found(L, status, missed)
