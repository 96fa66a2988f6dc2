"""Modes by their names, where a system declares some and the participation of the states says so.

The participation of state k in mode i is |left_ik right_ki|, the share of the mode that starts and ends in that state: it
does not depend on the units of the states.
"""

import numpy as np

from locomotor.model import System
from locomotor.typing import Complexes, Vector

MOST = 0.5
"""Share of a mode that its states must have together."""
REAL = 1e-9
"""An imaginary part this small, relative to the eigenvalue, is none."""


def participation(A: Vector, basis: Vector) -> tuple[Complexes, Vector]:
    """Eigenvalues of A, and (states, modes) how much each state takes part, columns adding up to one."""
    values, right = np.linalg.eig(A)
    left = np.linalg.pinv(right)
    shares = np.abs((basis @ right) * (left @ basis.T).T)
    return values, shares / np.maximum(shares.sum(axis=0), 1e-300)


def names_of(system: System, states: tuple[str, ...], values: Complexes, shares: Vector) -> tuple[str, ...]:
    """The name of each mode, or "": of several that fit, the one in which its states take most part has it."""
    found = [""] * len(values)
    for mode in system.modes:
        rows = [states.index(name) for name in mode.states if name in states]
        fit = np.abs(values.imag) > REAL * (1.0 + np.abs(values))
        share = np.where(fit == mode.oscillates, shares[rows].sum(axis=0), 0.0)
        best = float(share.max(initial=0.0))
        for k in np.flatnonzero((share >= MOST) & (share > best - 1e-9)):
            found[k] = found[k] or mode.name
    return tuple(found)
