"""Impulses with friction's cones: the same for all laws, whatever the number of components of a contact."""

from __future__ import annotations

import math

import numpy as np

from locomotor.complementarity.answer import TOLERANCE, Answer
from locomotor.complementarity.friction import Contact, Problem, edges, measure_least, newton, prepare_contact, solve_contact
from locomotor.complementarity.friction import solve as solve_friction
from locomotor.complementarity.impacts.collision import Collision, Found
from locomotor.complementarity.linear import solve as solve_linear
from locomotor.typing import Floats

STEPS = 200
"""Steps of the search for a slip's rate."""
FEW = 5
"""Sweeps over contacts in space before Newton's method."""
STEPS_OF_NEWTON = 60
SWEEPS = 5_000
"""Most sweeps where that does not come to an end."""
STEADY = 1e-14
"""Sweeps end when impulses change by less than this share of the largest."""


def found(answer: Answer) -> Found:
    """What a solver of complementarity problems says, as an impact law says it."""
    return Found(answer.solution, answer.status, answer.residual)


def with_cones(collision: Collision, q: Floats) -> Answer:
    """L with W L + q and friction's cones; without friction a linear problem."""
    if collision.axes == 1:
        return solve_linear(collision.W, q)
    return solve_friction(collision.W, q, collision.mu)


def with_least(collision: Collision, q: Floats, least: Floats) -> Found:
    """L with normal parts of at least `least`: 0 <= L_N - least, (W L + q)_N >= 0, one an equality; cones of L itself.

    A contact that leaves keeps the friction that its least impulse allows.
    """
    if not least.any():
        return found(with_cones(collision, q))
    if collision.axes == 1:
        answer = solve_linear(collision.W, q + collision.W @ least)
        return Found(least + answer.solution, answer.status, answer.residual)
    return _in_the_plane(collision, q, least) if collision.axes == 2 else _in_space(collision, q, least)


def _in_the_plane(collision: Collision, q: Floats, least: Floats) -> Found:
    """The linear problem of Stewart and Trinkle with normal impulses counted from `least`."""
    n, D = collision.contacts, edges(2, 2)
    forces = np.zeros((2 * n, 4 * n))
    M = np.zeros((4 * n, 4 * n))
    vector = np.zeros(4 * n)
    for i in range(n):
        betas = slice(n + 2 * i, n + 2 * i + 2)
        forces[2 * i, i], forces[2 * i + 1, betas] = 1.0, D
        M[betas, 3 * n + i] = 1.0
        M[3 * n + i, i], M[3 * n + i, betas] = collision.mu[i], -1.0
        vector[3 * n + i] = collision.mu[i] * least[i]
    offset = np.zeros(2 * n)
    offset[::2] = least
    M += forces.T @ collision.W @ forces
    vector += forces.T @ (q + collision.W @ offset)
    answer = solve_linear(M, vector)
    return Found(offset + forces @ answer.solution, answer.status, answer.residual)


def _in_space(collision: Collision, q: Floats, least: Floats) -> Found:
    """Sweeps over the contacts, then Newton's method from where they came, then many more sweeps."""
    problem = Problem(collision.W, q, collision.mu)
    L = np.zeros(len(q))
    L[collision.normals] = least
    L, steady = _swept(problem, L, least, FEW)
    if not steady:
        ahead = newton(problem, limit=STEPS_OF_NEWTON, start=L, least=least).solution
        if measure_least(problem, ahead, least) <= TOLERANCE:
            return Found(ahead)
        L, _ = _swept(problem, L, least, SWEEPS)
    residual = measure_least(problem, L, least)
    return Found(L, "solved" if residual <= TOLERANCE else "limit", residual)


def _swept(problem: Problem, L: Floats, least: Floats, sweeps: int) -> tuple[Floats, bool]:
    """Each contact exactly, in turn: it leaves with its least impulse, or its normal velocity is zero. And whether all hold."""
    (W, q, mu), d = problem, problem.axes
    rows = [slice(d * i, d * i + d) for i in range(len(mu))]
    contacts = [prepare_contact(W[own, own], float(m)) for own, m in zip(rows, mu, strict=True)]
    L = L.copy()
    for _ in range(sweeps):
        moved = 0.0
        for i, own in enumerate(rows):
            outside = q[own] + W[own] @ L - W[own, own] @ L[own]
            new = _one(W[own, own], contacts[i], outside, float(least[i]))
            if new is None:
                continue
            moved, L[own] = max(moved, float(np.abs(new - L[own]).max())), new
        if moved <= STEADY * float(np.abs(L).max()):
            return L, True
    return L, False


def _one(block: Floats, contact: Contact, q: Floats, least: float) -> Floats | None:
    """One contact whose normal impulse is at least `least`."""
    tangent = rubbing(block[1:, 1:], q[1:] + block[1:, 0] * least, contact.mu * least)
    if q[0] + block[0, 0] * least + block[0, 1:] @ tangent >= 0.0:
        return np.array([least, *tangent])
    return solve_contact(contact, q)


def rubbing(S: Floats, p: Floats, radius: float) -> Floats:
    """f in the disc of this radius with S f + p = 0, or on its edge with S f + p = -a f, a > 0: friction at a pressure."""
    if radius <= 0.0:
        return np.zeros(len(p))
    values, axes = np.linalg.eigh(S)
    values, along = np.maximum(values, 0.0), axes.T @ p
    flat = values <= 1e-13 * (float(values[-1]) or 1.0)
    size = math.sqrt(float(p @ p))
    free = not np.any(flat & (np.abs(along) > 1e-13 * size))
    inside = np.where(flat, 0.0, -along / np.where(flat, 1.0, values))
    if size == 0.0 or (free and float(inside @ inside) <= radius * radius):
        return np.asarray(axes @ inside)
    low, high = 0.0, size / radius
    a = high
    for _ in range(STEPS):  # |f(a)| falls: 1 / |f| - 1 / radius is concave and nearly linear
        f = -along / (values + a)
        length = math.sqrt(float(f @ f))
        slope = float(f @ (f / (values + a))) / length**3
        h = 1.0 / length - 1.0 / radius
        low, high = (a, high) if h < 0.0 else (low, a)
        ahead = a - h / slope
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        if abs(ahead - a) <= 2e-16 * a or high - low <= 2e-16 * high:
            break
        a = ahead
    f = -along / (values + a)
    return np.asarray(axes @ (f * (radius / math.sqrt(float(f @ f)))))
