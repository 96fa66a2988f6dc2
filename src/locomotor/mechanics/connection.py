"""Local connections: the velocity of the base that a rate of shape produces, eta = -A(r) r_dot.

Kinematic (docs/theory.md (A4)): the constraints determine the base from the shape. Mechanical and hydrodynamic
(A2), (A3): the momentum conjugate to the base is zero, M_bb eta + M_br r_dot = 0, with the inertia of the fluid added.
Stokes (A5): the resultant of linear drags is zero, the same with the drag matrix. Mixed (A6): the base also carries a
momentum p along the kernel H of the constraints at frozen shape,

    eta = H M_r^-1 p - A_nh r_dot,     A_nh = -J + H M_r^-1 H^T (M J + M_r).
"""

from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.reduced import ReducedMotion
from locomotor.mechanics.tree import projected_form, projected_mass
from locomotor.typing import Array


def constraint_connection(motion: ReducedMotion, base: slice) -> Array:
    """A of a system whose constraints leave no free velocity once the shape is imposed."""
    return -motion.H_m[base, :]


def momentum_connection(motion: ReducedMotion, base: slice, forms: Any, carries: bool = False) -> Array:
    """A that keeps a quadratic form's momentum of the base at zero: of inertia, or of drag for slow viscous flow.

    With `carries` constraints among the joints, which the base takes no part in, carry others along with the active ones.
    """
    unit = np.eye(motion.reduction.system.layout.nv)
    bb = unit[:, base]
    n, m = bb.shape[1], len(motion.reduction.imposed)
    columns = motion.kernel if carries else np.hstack([bb, unit[:, list(motion.reduction.imposed)]])
    form = projected_form(motion.kinematics, columns, forms)
    return ops.solve_spd(form[0:n, 0:n], form[0:n, n : n + m])


def mixed_connection(motion: ReducedMotion, base: slice) -> tuple[Array, Array, Array]:
    """A_nh, H_r and M_r of a system with both constraints and free velocities."""
    r, m = len(motion.reduction.free), len(motion.reduction.imposed)
    form = projected_mass(motion.kinematics, motion.kernel)
    M_r, M_m = form[0:r, 0:r], form[0:r, r : r + m]
    gain = ops.solve_spd(M_r, M_m)
    A = motion.H_r[base, :] @ gain - motion.H_m[base, :]
    return A, motion.H_r[base, :], M_r
