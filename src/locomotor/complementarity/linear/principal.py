"""Principal pivoting with the rule of least index: for P-matrices Murty's method, for all sufficient matrices the criss-cross.

Each basis takes z_i or w_i of every pair. The least index whose basic value is negative changes sides; where its diagonal
entry is zero it does so together with the least index that has a positive entry in its row. Neither nondegeneracy nor
symmetry is needed; positive semidefinite and P-matrices are sufficient, and then it ends (Murty, Linear Complementarity,
Linear and Nonlinear Programming (1988), chapter 4; den Hertog, Roos and Terlaky, Linear Algebra Appl. 187 (1993), 1-14). A row
without a positive entry and with a negative value proves that there is no solution, whatever the matrix.
"""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import Found
from locomotor.complementarity.linear.residual import is_certificate
from locomotor.typing import Floats

ZERO = 1e-11
"""Values above minus this are not negative, and entries below it are zero (the problem is scaled)."""


def principal(M: Floats, q: Floats, *, limit: int) -> Found:
    """A solution, a certificate that there is none, or "limit" for matrices that are not sufficient."""
    n = len(q)
    with_z = np.zeros(n, dtype=bool)
    identity = np.eye(n)
    for pivots in range(limit + 1):
        B = np.where(with_z, -M, identity)
        try:
            inverse = np.linalg.inv(B)
        except np.linalg.LinAlgError:
            return Found("limit", np.zeros(n), pivots)
        values = inverse @ q
        values += inverse @ (q - B @ values)
        negative = np.flatnonzero(values < -ZERO * max(1.0, float(np.abs(values).max(initial=0.0))))
        if not len(negative):
            return Found("solved", np.where(with_z, np.maximum(values, 0.0), 0.0), pivots)
        i = int(negative[0])
        # Basic variable i = value + row . (the nonbasic partners).
        row = -(inverse[i] @ np.where(with_z, identity, -M))
        small = ZERO * max(1.0, float(np.abs(row).max()))
        if row[i] > small:
            with_z[i] ^= True
            continue
        positive = np.flatnonzero(row > small)
        if not len(positive):
            y = np.maximum(inverse[i], 0.0)
            return Found("ray", np.zeros(n), pivots, y if is_certificate(M, q, y) else None)
        if row[i] < -small:
            return Found("limit", np.zeros(n), pivots)  # not sufficient: the rule need not end
        with_z[i] ^= True
        with_z[positive[0]] ^= True
    return Found("limit", np.zeros(n), limit)
