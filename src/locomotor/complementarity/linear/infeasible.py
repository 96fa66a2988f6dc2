"""A proof that M z + q >= 0, z >= 0 has no solution, where there is one."""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.linear.residual import is_certificate
from locomotor.typing import Floats


def certificate(M: Floats, q: Floats) -> Floats | None:
    """y >= 0 with M^T y <= 0 and q . y < 0; None where the inequalities have a solution.

    The residual of the nonnegative least squares of w - M z = q is such a vector: r . w - r . M z is at most zero there for all
    w, z >= 0, and r . q = -|r|^2. Where infeasibility is too slight for that, the linear program min q . y decides.
    """
    from scipy.optimize import linprog, nnls

    n = len(q)
    try:
        x, _ = nnls(np.hstack([M, -np.eye(n)]), -q)
    except RuntimeError:  # it ran out of iterations
        pass
    else:
        y = np.maximum(x[n:] - M @ x[:n] - q, 0.0)
        if is_certificate(M, q, y):
            return y
    found = linprog(q, A_ub=M.T, b_ub=np.zeros(n), bounds=(0.0, 1.0), method="highs-ds")
    if found.x is None:
        return None
    y = np.maximum(found.x, 0.0)
    return y if is_certificate(M, q, y) else None
