"""Impacts without collision: a contact that slides and neither approaches nor leaves may jam, and its velocity jumps.

Where a normal force drives a sliding contact into its ground there may be no finite force that the laws allow; an impulse in
the cone of friction then changes the slip while the contact stays closed (Lecornu 1905; Génot and Brogliato 1999; Génot 1998,
appendix B).
"""

from __future__ import annotations

import numpy as np

from locomotor import checks
from locomotor.complementarity.impacts.collision import SMALL
from locomotor.dataclass import dataclass
from locomotor.typing import Floats


@checks.doors
@dataclass(frozen=True, eq=False)
class Jam:
    """Impulses with which a sliding contact can jump while it stays closed, u_N+ = 0, without gain of energy.

    In the plane all of them lie on a ray: L = p (1, ratio) with 0 < p <= most. The one that ends the slip, p = most / 2,
    dissipates the most.
    """

    impulse: Floats
    """That ends the slip."""
    ratio: Floats
    """Tangential impulse for each unit of the normal one."""
    most: float
    """Largest normal impulse (N s): beyond it energy would be gained."""
    energy_lost: float
    """By the impulse that ends the slip (J)."""


def jammed(W: Floats, u: Floats, mu: float) -> Jam | None:
    """The jam of one contact with velocities u, u_N = 0; None where it does not slip, or needs more friction than there is.

    L = -W^-1 (0, u_T) ends the slip; any share x of it up to 2 keeps u_N = 0 and gains no energy: T+ - T- = (x/2 - 1) x L W L.
    """
    size = float(np.abs(u).max(initial=0.0))
    if not np.linalg.norm(u[1:]) > SMALL * size or abs(u[0]) > 1e-9 * size:
        return None
    still = np.array([0.0, *u[1:]])
    L = -np.linalg.lstsq(W, still, rcond=1e-13)[0]
    if np.abs(W @ L + still).max() > 1e-9 * size or not L[0] > 0.0:
        return None
    ratio = L[1:] / L[0]
    if np.linalg.norm(ratio) > mu * (1.0 + SMALL):
        return None
    return Jam(L, ratio, 2.0 * float(L[0]), 0.5 * float(L @ W @ L))
