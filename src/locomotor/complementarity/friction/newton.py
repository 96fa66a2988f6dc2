"""Semismooth Newton on the equations of Alart and Curnier (Comput. Methods Appl. Mech. Eng. 92 (1991), 353-375).

With x = r - rho u: r_N = max(0, x_N), and r_T is the point nearest to x_T in the disc of radius mu max(0, x_N).
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


def newton(problem: Problem, *, limit: int, start: Floats | None = None) -> Found:
    """Newton's method from `start` (zero where none is given)."""
    W, q, mu = problem
    d, n = problem.axes, len(mu)
    blocks = W.reshape(n, d, n, d)[np.arange(n), :, np.arange(n), :]
    stiffness = np.linalg.eigvalsh(blocks)[:, -1] if n else np.zeros(0)
    usual = 1.0 / np.where(stiffness > 0.0, stiffness, float(stiffness.max(initial=0.0)) or 1.0)
    r = np.zeros(len(q)) if start is None else start.copy()
    best, least, turn = r, measure(problem, r)[1], 0
    for step in range(limit + 1):
        if least <= AIM:
            return Found("solved", best, step)
        rho = np.repeat(usual * RHO[turn % len(RHO)], d)
        F, J = _equations(problem, r, rho)
        try:
            direction = np.linalg.solve(J, -F)
        except np.linalg.LinAlgError:
            direction = np.linalg.lstsq(J, -F, rcond=1e-11)[0]
        merit, size, better = float(F @ F), 1.0, False
        for _ in range(HALVINGS):
            ahead = r + size * direction
            value = _equations(problem, ahead, rho, derivative=False)[0]
            if float(value @ value) < (1.0 - 1e-4 * size) * merit:
                better = True
                break
            size *= 0.5
        if not better:  # the full step leaves a kink that no short one passes
            ahead, turn = r + direction, turn + 1
        r = ahead if np.isfinite(ahead).all() else best.copy()
        now = measure(problem, r)[1]
        if now < least:
            best, least = r, now
    return Found("limit", best, limit)


def _equations(problem: Problem, r: Floats, rho: Floats, *, derivative: bool = True) -> tuple[Floats, Floats]:
    """F(r) and an element of its generalised derivative."""
    W, q, mu = problem
    n, d = len(mu), problem.axes
    x = (r - rho * (W @ r + q)).reshape(n, d)
    normal, tangent = x[:, 0], x[:, 1:]
    size = np.sqrt((tangent * tangent).sum(axis=1))
    radius = mu * np.maximum(normal, 0.0)
    slips = size > radius
    factor = np.where(slips, radius / np.where(slips, size, 1.0), 1.0)
    nearest = np.column_stack([np.maximum(normal, 0.0), factor[:, None] * tangent])
    F = r - nearest.ravel()
    if not derivative:
        return F, F
    closed = normal > 0.0
    P = np.zeros((n, d, d))
    P[:, 0, 0] = closed
    unit = tangent / np.where(size > 0.0, size, 1.0)[:, None]
    P[:, 1:, 0] = np.where(closed & slips, mu, 0.0)[:, None] * unit
    across = np.eye(d - 1) - np.where(slips, 1.0, 0.0)[:, None, None] * unit[:, :, None] * unit[:, None, :]
    P[:, 1:, 1:] = np.where(closed, factor, 0.0)[:, None, None] * across
    inner = (np.eye(len(q)) - rho[:, None] * W).reshape(n, d, len(q))
    return F, np.eye(len(q)) - (P @ inner).reshape(len(q), len(q))
