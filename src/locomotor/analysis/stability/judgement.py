"""The one rule for "stable": every deviation dies out, by more than round-off; where the largest does neither, "neutral".

Of a steady motion the largest real part of the eigenvalues decides, of a cycle the size of the largest multiplier less one.
"""

from typing import Any

import numpy as np

from locomotor.typing import Complexes, Vector

STABLE, NEUTRAL, UNSTABLE, UNKNOWN = "stable", "neutral", "unstable", "unknown"

ROUND_OFF = 1e-7
"""A real part this small, relative to one plus the largest eigenvalue, is round-off: double zeros are found to its square."""
ON_CIRCLE = 1e-6
"""A multiplier whose size is this near to 1 is on the unit circle: round-off decides on which side it is found."""


def judged(margin: Any, unsure: Any) -> Any:
    """What a margin means that is known up to so much: an array of words, or a word."""
    margin, unsure = np.broadcast_arrays(np.asarray(margin, dtype=float), unsure)
    found = np.where(margin < -unsure, STABLE, np.where(margin <= unsure, NEUTRAL, UNSTABLE))
    found = np.where(np.isnan(margin), UNKNOWN, found)
    return found if found.ndim else str(found)


def unsure_of(eigenvalues: Complexes) -> Vector:
    """How far the real parts of sets of eigenvalues (..., modes) are known."""
    return np.asarray(ROUND_OFF * (1.0 + np.abs(eigenvalues).max(axis=-1, initial=0.0)))


def stability_of(eigenvalues: Complexes) -> Any:
    """Stable, neutral, unstable, or unknown where something is no number, by the eigenvalues (..., modes) of steady motions."""
    return judged(eigenvalues.real.max(axis=-1, initial=-np.inf), unsure_of(eigenvalues))


def stability_of_multipliers(values: Complexes, residual: float = 0.0) -> str:
    """The same by the multipliers of a cycle that closes up to a residual."""
    if not np.isfinite(values).all():
        return UNKNOWN
    return str(judged(np.abs(values).max(initial=0.0) - 1.0, ON_CIRCLE + residual))
