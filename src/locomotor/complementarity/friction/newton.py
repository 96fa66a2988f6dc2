"""Semismooth Newton on the equations of Alart and Curnier (Comput. Methods Appl. Mech. Eng. 92 (1991), 353-375).

With x = r - rho u: r_N = max(0, x_N), and r_T is the point nearest to x_T in the disc of radius mu max(0, x_N). Where contacts
have a least force that they keep when they leave (impacts give back some of their impulse), it stands for the 0.
"""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import TOLERANCE, Found
from locomotor.complementarity.friction.problem import Problem, measure
from locomotor.typing import Floats

AIM = 1e-3 * TOLERANCE
"""Residual to stop at: the last steps gain many digits each."""
HALVINGS = 12
"""Times that a step is halved in search of a smaller residual."""
RHO = (1.0, 0.1, 10.0)
"""Factors of rho that are taken in turn where no step helps."""


def newton(problem: Problem, *, limit: int, start: Floats | None = None, least: Floats | None = None) -> Found:
    """Newton's method from `start` (zero where none is given); `least`: normal forces, one a contact."""
    W, q, mu = problem
    d, n = problem.axes, len(mu)
    floor = np.zeros(n) if least is None else least

    def residual(r: Floats) -> float:
        return measure(problem, r)[1] if least is None else measure_least(problem, r, least)

    blocks = W.reshape(n, d, n, d)[np.arange(n), :, np.arange(n), :]
    stiffness = np.linalg.eigvalsh(blocks)[:, -1] if n else np.zeros(0)
    usual = 1.0 / np.where(stiffness > 0.0, stiffness, float(stiffness.max(initial=0.0)) or 1.0)
    r = np.zeros(len(q)) if start is None else start.copy()
    best, nearest, turn = r, residual(r), 0
    for step in range(limit + 1):
        if nearest <= AIM:
            return Found("solved", best, step)
        rho = np.repeat(usual * RHO[turn % len(RHO)], d)
        F, J = _equations(problem, r, rho, floor)
        try:
            direction = np.linalg.solve(J, -F)
        except np.linalg.LinAlgError:
            direction = np.linalg.lstsq(J, -F, rcond=1e-11)[0]
        merit, size, better = float(F @ F), 1.0, False
        for _ in range(HALVINGS):
            ahead = r + size * direction
            value = _equations(problem, ahead, rho, floor, derivative=False)[0]
            if float(value @ value) < (1.0 - 1e-4 * size) * merit:
                better = True
                break
            size *= 0.5
        if not better:  # the full step leaves a kink that no short one passes
            ahead, turn = r + direction, turn + 1
        r = ahead if np.isfinite(ahead).all() else best.copy()
        now = residual(r)
        if now < nearest:
            best, nearest = r, now
    return Found("limit", best, limit)


def measure_least(problem: Problem, r: Floats, least: Floats) -> float:
    """The natural residual of contacts with least normal forces, relative to sizes as in `measure`."""
    W, q, mu = problem
    size_r = float(np.abs(r).max(initial=0.0)) or 1.0
    size_u = float((np.abs(W) @ np.abs(r) + np.abs(q)).max(initial=0.0)) or 1.0
    a, b = (r / size_r).reshape(len(mu), -1), ((W @ r + q) / size_u).reshape(len(mu), -1)
    radius, ahead = mu * np.maximum(a[:, 0], 0.0), a[:, 1:] - b[:, 1:]
    size = np.sqrt((ahead * ahead).sum(axis=1))
    shrunk = np.where(size > radius, radius / np.where(size > radius, size, 1.0), 1.0)
    normal = a[:, 0] - np.maximum(least / size_r, a[:, 0] - b[:, 0])
    worst = max(np.abs(normal).max(initial=0.0), np.abs(a[:, 1:] - shrunk[:, None] * ahead).max(initial=0.0))
    return float(worst) if np.isfinite(worst) else float("inf")


def _equations(problem: Problem, r: Floats, rho: Floats, floor: Floats, *, derivative: bool = True) -> tuple[Floats, Floats]:
    """F(r) and an element of its generalised derivative."""
    W, q, mu = problem
    n, d = len(mu), problem.axes
    x = (r - rho * (W @ r + q)).reshape(n, d)
    normal, tangent = x[:, 0], x[:, 1:]
    size = np.sqrt((tangent * tangent).sum(axis=1))
    radius = mu * np.maximum(normal, floor)
    slips = size > radius
    factor = np.where(slips, radius / np.where(slips, size, 1.0), 1.0)
    nearest = np.column_stack([np.maximum(normal, floor), factor[:, None] * tangent])
    F = r - nearest.ravel()
    if not derivative:
        return F, F
    closed = normal > floor
    P = np.zeros((n, d, d))
    P[:, 0, 0] = closed
    unit = tangent / np.where(size > 0.0, size, 1.0)[:, None]
    P[:, 1:, 0] = np.where(closed & slips, mu, 0.0)[:, None] * unit
    across = np.eye(d - 1) - np.where(slips, 1.0, 0.0)[:, None, None] * unit[:, :, None] * unit[:, None, :]
    P[:, 1:, 1:] = np.where(closed | (floor > 0.0), factor, 0.0)[:, None, None] * across
    inner = (np.eye(len(q)) - rho[:, None] * W).reshape(n, d, len(q))
    return F, np.eye(len(q)) - (P @ inner).reshape(len(q), len(q))
