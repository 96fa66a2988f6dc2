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
DEPTH = 100
"""Impacts in a row after which an order is given up."""
ORDERS = 1_000
"""Different velocities between two impacts after which the rest is given up."""
APART = 1e-9
"""Outcomes whose velocities differ by less than this share of the largest are one."""


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
    """All outcomes of impacts at the same instant, one set of contacts after another; those with the fewest impacts come first.

    The law does not choose: the first outcome is the answer, the rest is in `others`. Rows of impacts need not end, and there
    may be more than can be followed: `complete` is then False.
    """
    if collision.contacts > MOST:
        raise ArgumentError(f"impact: {collision.contacts} contacts; the law 'han gilmore' tries every order of at most {MOST}")
    kept: list[Floats] = []
    ends = np.zeros((0, len(collision.u)))
    given_up = False
    for L, u in _ends(collision):
        if L is None:
            given_up = True
        elif not (np.abs(ends - u) <= APART * collision.speed).all(axis=1).any():
            kept.append(L)
            ends = np.vstack([ends, u])
    if not kept:
        return Found(np.zeros(len(collision.u)), "limit" if given_up else "enters", complete=not given_up)
    return Found(kept[0], "several" if len(kept) > 1 else "solved", others=tuple(kept[1:]), complete=not given_up)


def _ends(collision: Collision) -> Iterator[tuple[Floats | None, Floats]]:
    """Impulses and velocities at the ends of all orders of impacts, those with the fewest impacts first; None: given up.

    All orders go on together, one impact each. Those that come to the same velocities have the same future, so that one of them
    is followed; without that their number would double with every impact.
    """
    speed, n = collision.speed, collision.contacts
    sets = [_Set(collision, list(chosen)) for size in range(n, 0, -1) for chosen in combinations(range(n), size)]
    L, u = np.zeros((1, n)), collision.u[None]
    seen: set[bytes] = set()
    ended = again = False
    for depth in range(DEPTH):
        # What is nearer than outcomes are told apart has come to its end: rows of impacts that fade need no end of their own.
        going = (u < -(APART if depth else SMALL) * speed).any(axis=1)
        yield from zip(L[~going], u[~going], strict=True)
        ended = ended or not going.all()
        L, u = L[going], u[going]
        fresh = [_new(row, seen) for row in np.round(u / (APART * speed))]
        again = again or not all(fresh)
        L, u = L[fresh], u[fresh]
        if not len(u) or len(seen) > ORDERS:
            break
        L, u = (np.concatenate(parts) for parts in zip(*(one.struck(L, u) for one in sets), strict=True))
    if len(u) or (again and not ended):
        yield None, collision.u


def _new(row: Floats, seen: set[bytes]) -> bool:
    """Whether velocities were not met before; now they are."""
    key = (row + 0.0).tobytes()  # no zeros with a minus
    if key in seen:
        return False
    seen.add(key)
    return True


class _Set:
    """Contacts that are struck together."""

    def __init__(self, collision: Collision, rows: list[int]) -> None:
        self.rows, self.e = rows, np.diag(collision.E)[rows]
        self.near, self.met = SMALL * collision.speed, TOLERANCE * collision.speed
        self.columns = collision.W[rows]
        self.inverse = np.linalg.pinv(self.columns[:, rows], rcond=1e-12, hermitian=True)

    def struck(self, L: Floats, u: Floats) -> tuple[Floats, Floats]:
        """Impulses and velocities after an impact here, from all states in which it can happen.

        All contacts of the set touch and one approaches; none has to pull; and contacts that contradict each other (two names
        for one contact that are to bounce differently) have no such impact.
        """
        before = u[:, self.rows]
        can = (before <= self.near).all(axis=1) & (before < -self.near).any(axis=1)
        if not can.any():
            return L[can], u[can]
        L, u, before = L[can], u[can], before[can]
        wanted = -(1.0 + self.e) * before
        more = wanted @ self.inverse
        change = more @ self.columns
        pushes = more >= -SMALL * np.abs(more).max(axis=1, keepdims=True)
        can = (pushes & (np.abs(change[:, self.rows] - wanted) <= self.met)).all(axis=1)
        L, u = L[can], u[can] + change[can]
        L[:, self.rows] += more[can]
        u[:, self.rows] = -self.e * before[can]  # without the round-off, which would count as an approach
        return L, u


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
