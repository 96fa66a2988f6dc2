"""Alternating directions: a linear solve with W, a projection on the cones, a multiplier; friction's shift follows.

For a given shift s = mu |u_T| of the normal velocities the problem is convex: min r W r / 2 + (q + s n) . r in K. The method of
multipliers solves it (Boyd et al., Found. Trends Mach. Learn. 3 (2011), 1-122), and the shift is renewed from the multiplier at
every step (Tasora, Mangoni, Benatti and Garziera, Comput. Methods Appl. Mech. Eng. 385 (2021), 114022).
"""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import TOLERANCE, Found
from locomotor.complementarity.friction.problem import Problem, measure, project
from locomotor.typing import Floats

RELAXED = 1.6
"""Over-relaxation; between 1.5 and 1.8 is usual."""
LOOK = 10
"""Steps between two looks at the residual."""
BALANCE = 50
"""Steps after which the penalty may change, so that both residuals shrink alike; ever later, so that it settles."""
UNEVEN = 5.0
"""Ratio of the residuals from which the penalty changes."""


def admm(problem: Problem, *, limit: int, start: Floats | None = None) -> Found:
    """Steps until the residual is below the tolerance; "limit" where they do not get there."""
    W, q, mu = problem
    d, n = problem.axes, len(mu)
    if not n:
        return Found("solved", np.zeros(0), 0)
    values, vectors = np.linalg.eigh(W)
    values = np.maximum(values, 0.0)
    # Contacts of one problem share their units: one penalty for all, between the softest and the stiffest motion.
    moving = values[values > 1e-10 * values[-1]]
    rho = float(np.sqrt(moving[0] * moving[-1])) if len(moving) else 1.0
    z = np.zeros(len(q)) if start is None else start.copy()
    dual = np.zeros((n, d))  # minus the velocities, shifted, that belong to the cones' normals
    waiting = BALANCE
    if measure(problem, z)[1] <= TOLERANCE:
        return Found("solved", z, 0)
    for step in range(1, limit + 1):
        shift = np.zeros((n, d))
        shift[:, 0] = mu * np.sqrt((dual[:, 1:] ** 2).sum(axis=1))
        right = rho * z - dual.ravel() - q - shift.ravel()
        r = vectors @ ((vectors.T @ right) / (values + rho))
        relaxed = RELAXED * r + (1.0 - RELAXED) * z
        new = project(relaxed.reshape(n, d) + dual / rho, mu)
        dual = dual + rho * (relaxed.reshape(n, d) - new)
        apart, moved = float(np.abs(r - new.ravel()).max()), rho * float(np.abs(new.ravel() - z).max())
        z = new.ravel()
        if step % LOOK == 0 and measure(problem, z)[1] <= TOLERANCE:
            return Found("solved", z, step)
        waiting -= 1
        if waiting <= 0:
            waiting = BALANCE + step // 2
            size_r, size_u = float(np.abs(z).max()) or 1.0, float(np.abs(dual).max()) or 1.0
            ratio = (apart / size_r) / max(moved / size_u, 1e-300)
            if ratio > UNEVEN or ratio < 1.0 / UNEVEN:
                rho *= min(max(np.sqrt(ratio), 0.1), 10.0)
    return Found("limit", z, limit)
