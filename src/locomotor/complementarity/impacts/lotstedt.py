"""Lötstedt's law: the impulses of least energy within friction's cones, a convex problem.

    min L W L / 2 + L . u   with   |L_T| <= mu L_N,      hence   L . u+ = 0.

A solution always exists. Normal impulses and velocities need not exclude each other: a contact that slides may rebound, though
no restitution was asked for (Lötstedt 1984; the criticism: Génot 1998, section I.2.4).
"""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import TOLERANCE
from locomotor.complementarity.friction import project
from locomotor.complementarity.impacts import registry
from locomotor.complementarity.impacts.collision import Collision, Found
from locomotor.complementarity.linear import solve as solve_linear
from locomotor.typing import Floats

ROUND = 100
"""Steps of alternating directions between two attempts of Newton's method."""
ROUNDS = 200
NEWTON = 12
"""Steps an attempt."""


@registry.register(
    "lotstedt",
    formula="min L W L / 2 + L . u with L_N >= 0, |L_T| <= mu L_N; hence L . u+ = 0",
    loses="L W L / 2, the most that impulses in the cones can take",
    source="Lötstedt 1984; Génot 1998, (I.32)",
    takes=("friction",),
)
def lotstedt(collision: Collision) -> Found:
    """Impulses of least energy; a contact that slides may rebound."""
    W, u, d = collision.W, collision.u, collision.axes
    if d == 3:
        return _in_space(collision)
    # A cone in the plane is all that its two edges can make.
    edge = np.eye(collision.contacts * d)
    if d == 2:
        edge = np.zeros((len(u), len(u)))
        for i, mu in enumerate(collision.mu):
            edge[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[1.0, 1.0], [mu, -mu]]
    answer = solve_linear(edge.T @ W @ edge, edge.T @ u)
    return Found(edge @ answer.solution, answer.status, answer.residual)


def _in_space(collision: Collision) -> Found:
    """Alternating directions, then Newton's method on L = P(L - rho u+), P the nearest point of the cones."""
    W, u, mu, n = collision.W, collision.u, collision.mu, collision.contacts
    values, vectors = np.linalg.eigh(W)
    values = np.maximum(values, 0.0)
    moving = values[values > 1e-10 * (values[-1] or 1.0)]
    rho = float(np.sqrt(moving[0] * moving[-1])) if len(moving) else 1.0
    L, dual = np.zeros(len(u)), np.zeros(len(u))
    best, least = L, _residual(collision, L, rho)
    for _ in range(ROUNDS):
        for _ in range(ROUND):
            r = vectors @ ((vectors.T @ (rho * L - dual - u)) / (values + rho))
            L = project((r + dual / rho).reshape(n, 3), mu).ravel()
            dual = dual + rho * (r - L)
        ahead = L
        for _ in range(NEWTON):
            now = _residual(collision, ahead, rho)
            if now < least:
                best, least = ahead, now
            F, J = _equations(collision, ahead, rho)
            ahead = ahead + np.linalg.lstsq(J, -F, rcond=1e-12)[0]
        if least <= 1e-3 * TOLERANCE:
            break
    return Found(best, "solved" if least <= TOLERANCE else "limit", least)


def _residual(collision: Collision, L: Floats, rho: float) -> float:
    size = float(np.abs(L).max(initial=0.0)) + collision.speed / rho
    return float(np.abs(_equations(collision, L, rho)[0]).max(initial=0.0)) / size


def _equations(collision: Collision, L: Floats, rho: float) -> tuple[Floats, Floats]:
    """F = L - P(L - u+ / rho) and its derivative."""
    n, mu = collision.contacts, collision.mu
    x = (L - collision.after(L) / rho).reshape(n, 3)
    P = np.zeros((n, 3, 3))
    for i, (normal, *rest) in enumerate(x):
        tangent, m = np.array(rest), float(mu[i])
        size = float(np.sqrt(tangent @ tangent))
        if size <= m * normal:
            P[i] = np.eye(3)
        elif m * size > -normal:
            s = tangent / size
            ray = np.array([1.0, *(m * s)])
            P[i] = np.outer(ray, ray) / (1.0 + m * m)
            P[i, 1:, 1:] += m * (normal + m * size) / ((1.0 + m * m) * size) * (np.eye(2) - np.outer(s, s))
    inner = (np.eye(len(L)) - collision.W / rho).reshape(n, 3, len(L))
    return L - project(x, mu).ravel(), np.eye(len(L)) - (P @ inner).reshape(len(L), len(L))
