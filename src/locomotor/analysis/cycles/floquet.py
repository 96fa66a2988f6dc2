"""Floquet multipliers: how deviations grow from one passage to the next, and what happens when one crosses the unit circle."""

from collections.abc import Callable

import numpy as np

from locomotor.typing import Complexes, Floats

REAL = 1e-6
"""A multiplier whose imaginary part is smaller than this is taken as real when a crossing is named."""


def multipliers(jacobian: Floats) -> Complexes:
    """Eigenvalues of the derivative of the map, largest first."""
    values = np.asarray(np.linalg.eigvals(jacobian), dtype=complex)
    return values[np.lexsort((-values.imag, -np.round(np.abs(values), 12)))]


def unstable_count(values: Complexes) -> int:
    """Number of multipliers outside the unit circle."""
    return int((np.abs(values) > 1.0).sum())


def crossing_kind(value: complex) -> str:
    """What a multiplier on the unit circle means where a family goes straight on: "branch" at 1, "flip" at -1, else "torus"."""
    if abs(value.imag) > REAL:
        return "torus"
    return "branch" if value.real > 0.0 else "flip"


def by_differences(call: Callable[[Floats], Floats], unknowns: Floats, size: float = 1e-5) -> Floats:
    """The derivative of a map by central differences (ALG-7 of the sources), to check the exact one with.

    `call` takes a batch of unknowns and gives the values at the next passage.
    """
    n = len(unknowns)
    steps = size * np.eye(n)
    ahead, back = (call(unknowns + sign * steps) for sign in (1.0, -1.0))
    return np.asarray((ahead - back).T / (2.0 * size))
