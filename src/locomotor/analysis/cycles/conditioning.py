"""How far round-off spoils a cycle: bodies of very different mass, and what that does to the multipliers.

Where the mass matrix has a large condition number, round-off grows by it in every acceleration and impact. The derivative of
the map is then taken again at a start moved by next to nothing: what differs is not the motion's.
"""

import numpy as np

from locomotor.analysis.cycles.floquet import multipliers
from locomotor.analysis.cycles.poincare import PoincareMap
from locomotor.mechanics.tree import Instant, forward, mass_matrix
from locomotor.typing import Complexes, Floats

UNEVEN = 1e6
"""Condition number of the mass matrix from which on round-off is looked at."""
NUDGE = 1e-9
"""Change of the unknowns, relative to 1 + |value|, at which the derivative is taken again."""
DOUBT = 1e-4
"""Change of a multiplier that is told: a derivative that bends by thousands explains a hundredth of it."""


def unevenness(here: PoincareMap, unknowns: Floats, parameters: Floats) -> float:
    """Condition number of the mass matrix on the section."""
    state = here.place(unknowns[None], parameters[None]).states
    q = here.kernels.read(here.mode, np.array([here.start_time]), state, parameters[None])["coordinates"][0]
    values = {**here.system.parameters.values, **dict(zip(here.kernels.modes.free, parameters.tolist(), strict=True))}
    instant = Instant(here.system, q, np.zeros(here.system.layout.nv), parameters=values)
    M = np.asarray(mass_matrix(forward(instant)), dtype=float)
    return float(np.linalg.cond(M)) if np.isfinite(M).all() else float("inf")


def doubt(here: PoincareMap, unknowns: Floats, parameters: Floats, found: Complexes) -> str:
    """A sentence where round-off spoils the multipliers, or nothing."""
    from scipy.optimize import linear_sum_assignment

    if not len(unknowns) or not np.isfinite(found).all():
        return ""
    uneven = unevenness(here, unknowns, parameters)
    if uneven < UNEVEN:
        return ""
    signs = np.where(np.arange(len(unknowns)) % 2, -1.0, 1.0)
    nudged = here((unknowns + NUDGE * (1.0 + np.abs(unknowns)) * signs)[None], parameters[None])
    error = float("inf")
    if nudged.good[0] and nudged.jacobian is not None and np.isfinite(nudged.jacobian[0]).all():
        distances = np.abs(found[:, None] - multipliers(nudged.jacobian[0])[None, :])
        error = float(distances[linear_sum_assignment(distances)].max())
    if error <= DOUBT:
        return ""
    return f"the multipliers are good to about {error:.1g} only: {told(uneven)}"


def told(uneven: float) -> str:
    """Why round-off matters, and what to do about it."""
    return (
        f"masses differ so much (condition number {uneven:.1g} of the mass matrix) that round-off grows by it; give the "
        "lightest bodies more mass or inertia"
    )
