"""Nonsmooth Gauss-Seidel: one contact after the other, each solved exactly with the others held.

Jean, Comput. Methods Appl. Mech. Eng. 177 (1999), 235-257; Acary and Brogliato, Numerical Methods for Nonsmooth Dynamical
Systems (2008), section 13.7.4.
"""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import TOLERANCE, Found
from locomotor.complementarity.friction import local
from locomotor.complementarity.friction.problem import Problem, measure
from locomotor.typing import Floats

LOOK = 5
"""Sweeps between two looks at the residual."""
STEADY = 1e-13
"""A contact without a solution of its own keeps its force; sweeps that change nothing by more than this end."""


def gauss_seidel(problem: Problem, *, limit: int, start: Floats | None = None) -> Found:
    """Sweeps until the residual is below the tolerance; "limit" where they do not get there."""
    W, q, mu = problem
    d = problem.axes
    rows = [slice(d * i, d * i + d) for i in range(len(mu))]
    blocks = [W[s, s] for s in rows]
    contacts = [local.prepare_contact(block, float(m)) for block, m in zip(blocks, mu, strict=True)]
    r = np.zeros(len(q)) if start is None else start.copy()
    if measure(problem, r)[1] <= TOLERANCE:
        return Found("solved", r, 0)
    for sweep in range(1, limit + 1):
        u = W @ r + q
        moved = 0.0
        for s, block, contact in zip(rows, blocks, contacts, strict=True):
            new = local.solve_contact(contact, u[s] - block @ r[s])
            if new is None:
                continue
            change = new - r[s]
            u += W[:, s] @ change
            r[s] = new
            moved = max(moved, float(np.abs(change).max()))
        steady = moved <= STEADY * float(np.abs(r).max())
        if steady or (sweep % LOOK == 0 and measure(problem, r)[1] <= TOLERANCE):
            return Found("solved", r, sweep)
    return Found("limit", r, limit)
