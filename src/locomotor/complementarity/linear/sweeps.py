"""Projected Gauss-Seidel: one row after the other, each solved alone. Converges for symmetric positive definite matrices."""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import TOLERANCE, Found
from locomotor.complementarity.linear.residual import measure
from locomotor.errors import DefinitenessError
from locomotor.typing import Floats

LOOK = 10
"""Sweeps between two looks at the residual."""


def gauss_seidel(M: Floats, q: Floats, *, limit: int, start: Floats | None = None) -> Found:
    """Sweeps until the residual is below the tolerance; "limit" where they do not get there.

    Cottle, Pang and Stone (1992), section 5.2 (projected SOR with factor 1).
    """
    diagonal = np.diag(M).copy()
    if (diagonal <= 0.0).any():
        worst = int(diagonal.argmin())
        raise DefinitenessError(
            f"gauss-seidel: diagonal entry {worst} of the matrix is {diagonal[worst]:g}; sweeps divide by it, so give a matrix "
            "with a positive diagonal, or use the method 'lemke'"
        )
    z = np.zeros(len(q)) if start is None else np.maximum(start, 0.0)
    if measure(M, q, z)[1] <= TOLERANCE:
        return Found("solved", z, 0)
    for sweep in range(1, limit + 1):
        for i in range(len(q)):
            z[i] = max(0.0, z[i] - (M[i] @ z + q[i]) / diagonal[i])
        if sweep % LOOK == 0 and measure(M, q, z)[1] <= TOLERANCE:
            return Found("solved", z, sweep)
    return Found("limit", z, limit)
