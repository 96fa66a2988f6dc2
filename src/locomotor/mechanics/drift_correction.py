"""Drift of the holonomic part of the contacts: what brings the gaps back to zero.

Contacts are enforced on velocities, so their gaps keep the values of the initial configuration up to integration error
(Mauny 2018, (2.18) and (2.41)). The correction is the smallest velocity that reduces every gap at the same rate,

    v_c = -N^T (N N^T)^-1 gap,     N v = gap_dot,

added to the reconstruction only, times 1/epsilon: the two-time-scale correction of (2.41), with the gain matrix chosen
so that each gap decays as exp(-t/epsilon) and the step is not limited by a stiffer mode. The same vector is one Newton
step towards zero gaps.
"""

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.reduced import ReducedMotion
from locomotor.typing import Array


def gap_correction(motion: ReducedMotion, loops: bool = False) -> Array:
    """Velocity-like vector v_c of all velocities; imposed ones stay untouched.

    With `loops` only loops are closed, and the gaps of everything else stay as they are: N v_c = 0 there.
    """
    chosen = [motion.constraints.conditions[i] for i in motion.reduction.holonomic]
    nv = motion.reduction.system.layout.nv
    if not chosen:
        return np.zeros(nv)
    mask = np.ones(nv)
    mask[list(motion.reduction.imposed)] = 0.0
    N = ops.columns(*(ops.vector(*(contact.normal_row[i] * mask[i] for i in range(nv))) for contact in chosen))
    closed = (*motion.constraints.loops, *motion.constraints.positions) if loops else chosen
    gaps = ops.vector(*(condition.gap if condition in closed else 0.0 for condition in chosen))
    return -(N @ ops.solve_spd(N.T @ N, gaps))
