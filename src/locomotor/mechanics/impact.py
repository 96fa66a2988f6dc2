"""Instantaneous impacts, on numbers: velocities jump, the configuration does not.

    M (v+ - v-) = C^T L,        C v+ = -E C v-        (Mauny 2018 (3.17))

Rows of C are written in contact frames, up to three a contact: the normal first, then the blocked tangents. `held` rows belong to constraints that
persist through the impact. The complete solution is (3.24a); for plastic impacts the reduced one (3.28a), on the kernel of
the contacts that stay closed, is the same. Which contacts stay closed is decided by complementarity: impulses push, and
contacts that let go separate.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIGN = 1e-12
"""Impulses and speeds are taken as zero below this, relative to the impact."""


@dataclass(frozen=True)
class Impact:
    """Outcome of an impact."""

    velocity: Array
    impulses: Array
    """(contacts, 3): normal, then tangents; zero for contacts that took no part."""
    closed: tuple[int, ...]
    """Contacts that stay closed."""
    energy_lost: float


def impulse_response(M: Array, C: Array, v: Array, target: Array) -> tuple[Array, Array]:
    """Velocity after, and impulses of, an impact that brings C v to `target`: (3.23) and (3.24a)."""
    if not len(C):
        return v, np.zeros(0)
    response = np.linalg.solve(M, C.T)
    impulses = np.linalg.lstsq(C @ response, target - C @ v, rcond=1e-12)[0]
    return v + response @ impulses, impulses


def newton_impact(
    M: Array, contacts: Sequence[Array], held: Array, v: Array, restitution: Sequence[tuple[float, float]]
) -> Impact:
    """Newton's law for every component of every contact given: gamma+ = -diag(e_N, e_T, e_T) gamma-."""
    E = np.concatenate(
        [np.zeros(0)] + [np.r_[e_n, np.full(len(C) - 1, e_t)] for C, (e_n, e_t) in zip(contacts, restitution, strict=True)]
    )
    C = np.vstack([*contacts, held]) if contacts else held
    before = C @ v
    target = np.concatenate([-E * before[: len(E)], np.zeros(len(held))])
    after, impulses = impulse_response(M, C, v, target)
    return Impact(after, _by_contact(impulses, contacts, range(len(contacts))), (), _lost(M, v, after))


def plastic_impact(M: Array, contacts: Sequence[Array], held: Array, v: Array) -> Impact:
    """Plastic impact of unilateral contacts: those that would have to pull let go (prediction and correction).

    Among all sets of contacts that may stay closed, the largest is taken whose normal impulses push while the others
    separate; this is the corrected form of remark 3.6, which opens one sign at a time.
    """
    count = len(contacts)
    scale = max(float(np.abs(np.concatenate([C @ v for C in contacts])).max()) if count else 0.0, 1e-300)
    best: Impact | None = None
    for size in range(count, -1, -1):
        for chosen in combinations(range(count), size):
            C = np.vstack([*(contacts[k] for k in chosen), held]) if chosen else held
            after, impulses = impulse_response(M, C, v, np.zeros(len(C)))
            found = _by_contact(impulses, contacts, chosen)
            result = Impact(after, found, chosen, _lost(M, v, after))
            pushes = bool((found[:, 0] >= -SIGN * max(float(np.abs(found).max(initial=0.0)), 1e-300)).all())
            parts = all((contacts[k] @ after)[0] >= -SIGN * scale for k in range(count) if k not in chosen)
            if pushes and parts:
                return result
            if best is None or (pushes and not best.closed):
                best = result
    assert best is not None
    return best


def poisson_impact(M: Array, contact: Array, held: Array, v: Array, restitution: float) -> Impact:
    """Poisson's law for one sticking contact: the normal impulse of restitution is e times that of compression."""
    compressed = plastic_impact(M, [contact], held, v)
    return _with_restitution(M, contact, held, v, compressed, restitution)


def stronge_impact(M: Array, contact: Array, held: Array, v: Array, restitution: float) -> Impact:
    """Stronge's law for one sticking contact: the normal work of restitution is e² times that of compression.

    The normal velocity changes linearly with the normal impulse in each phase, at rates that differ only when tangential
    velocity is lost during compression; the works are the areas under these lines.
    """
    compressed = plastic_impact(M, [contact], held, v)
    normal = float(compressed.impulses[0, 0])
    work = 0.5 * abs(float((contact @ v)[0])) * normal
    unit = _with_restitution(M, contact, held, v, compressed, 1.0)
    gained = float((contact @ unit.velocity)[0])
    # Restitution from rest: velocity = gained * s, normal impulse = normal * s, work = gained * normal * s² / 2.
    share = restitution * np.sqrt(work / max(0.5 * gained * normal, 1e-300))
    return _with_restitution(M, contact, held, v, compressed, float(share))


def _with_restitution(
    M: Array, contact: Array, held: Array, v: Array, compressed: Impact, share: float
) -> Impact:
    """Give back a share of the normal impulse while the tangential rows stay blocked."""
    blocked = np.vstack([contact[1:], held])
    push = np.linalg.solve(M, contact[0]) * (share * compressed.impulses[0, 0])
    after, tangential = impulse_response(M, blocked, compressed.velocity + push, np.zeros(len(blocked)))
    impulses = compressed.impulses.copy()
    impulses[0, 0] *= 1.0 + share
    impulses[0, 1 : len(contact)] += tangential[: len(contact) - 1]
    return Impact(after, impulses, (), _lost(M, v, after))


def reduced_plastic(M: Array, H_after: Array, v: Array) -> Array:
    """Velocity after a plastic impact by projection on the kernel of what stays closed: (3.28a)."""
    return H_after @ np.linalg.solve(H_after.T @ M @ H_after, H_after.T @ M @ v)


def _by_contact(impulses: Array, contacts: Sequence[Array], chosen: Iterable[int]) -> Array:
    """Impulses of the chosen contacts in rows of three, zero elsewhere."""
    found = np.zeros((len(contacts), 3))
    at = 0
    for k in chosen:
        rows = len(contacts[k])
        found[k, :rows] = impulses[at : at + rows]
        at += rows
    return found


def _lost(M: Array, before: Array, after: Array) -> float:
    return float(0.5 * before @ M @ before - 0.5 * after @ M @ after)
