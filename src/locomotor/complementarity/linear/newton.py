"""Semismooth Newton on the function of Fischer and Burmeister: sqrt(z^2 + w^2) - z - w is zero where z, w >= 0 and z w = 0.

De Luca, Facchinei and Kanzow, Mathematical Programming 75 (1996), 407-439. The merit |Phi|^2 / 2 is smooth, so that a step
which does not lessen it gives way to its gradient.
"""

from __future__ import annotations

import numpy as np

from locomotor.complementarity.answer import TOLERANCE, Found
from locomotor.complementarity.linear.residual import measure
from locomotor.typing import Floats

DESCENT = 1e-4
"""Part of the predicted descent that a step has to keep (Armijo)."""
AIM = 1e-3 * TOLERANCE
"""Residual to stop at: the last steps gain many digits each, and the problem as given may be less well scaled."""
SHORTEST = 2.0**-40
"""Steps are not halved further than this."""


def fischer_burmeister(z: Floats, w: Floats) -> Floats:
    """sqrt(z^2 + w^2) - z - w, without cancellation where it is small."""
    length = np.hypot(z, w)
    total = z + w
    # (a - b)(a + b) = a^2 - b^2 for the case z + w > 0.
    return np.where(total > 0.0, -2.0 * z * w / np.where(total > 0.0, length + total, 1.0), length - total)


def newton(M: Floats, q: Floats, *, limit: int, start: Floats | None = None) -> Found:
    """Newton's method from `start` (zero where none is given)."""
    z = np.zeros(len(q)) if start is None else start.copy()
    for step in range(limit + 1):
        w = M @ z + q
        if measure(M, q, np.maximum(z, 0.0))[1] <= AIM:
            return Found("solved", np.maximum(z, 0.0), step)
        phi = fischer_burmeister(z, w)
        length = np.hypot(z, w)
        kink = length < 1e-14
        length = np.where(kink, 1.0, length)
        # At a kink any element of the generalised derivative will do: this one is that along (1, 1).
        a = np.where(kink, np.sqrt(0.5), z / length) - 1.0
        b = np.where(kink, np.sqrt(0.5), w / length) - 1.0
        J = np.diag(a) + b[:, None] * M
        gradient = J.T @ phi
        try:
            direction = -np.linalg.solve(J, phi)
        except np.linalg.LinAlgError:
            direction = -np.linalg.lstsq(J, phi, rcond=1e-12)[0]
        slope = float(gradient @ direction)
        if not slope < -1e-12 * float(np.linalg.norm(gradient) * np.linalg.norm(direction)):
            direction, slope = -gradient, -float(gradient @ gradient)
        merit, size = 0.5 * float(phi @ phi), 1.0
        while size > SHORTEST:
            ahead = z + size * direction
            better = fischer_burmeister(ahead, M @ ahead + q)
            if 0.5 * float(better @ better) <= merit + DESCENT * size * slope:
                break
            size *= 0.5
        z = z + size * direction
    return Found("limit", np.maximum(z, 0.0), limit)
