"""The multiplier form (M2): accelerations and constraint forces from the saddle-point system, without a kernel.

    [ M  -C^T ] [ v_dot  ]   [ tau - h          ]
    [ C   0   ] [ lambda ] = [ b_dot - C_dot v  ]

Solved by Schur complement: (C M^-1 C^T) lambda = b_dot - C_dot v - C M^-1 (tau - h). An independent check of the reduced form,
which eliminates the constraints instead. Rows must be independent.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, forward, inverse_dynamics, mass_matrix

Array = Any


def saddle_point(instant: Instant, rows: Sequence[int] | None = None) -> tuple[Array, Array]:
    """Accelerations and multipliers at an instant whose velocities satisfy the constraints.

    `rows` selects the constraint rows to enforce (all by default); multipliers of the others are not returned.
    """
    kinematics = forward(instant)
    constraints = constraint_set(kinematics)
    applied = applied_forces(kinematics)
    M = mass_matrix(kinematics)
    f = applied.forces() - inverse_dynamics(kinematics, None, applied.gravity, applied.wrenches)
    if not len(constraints):
        return ops.solve_spd(M, f), np.zeros(0)
    C, bias = constraints.matrix, constraints.root_bias
    if rows is not None:
        C = ops.columns(*(C.T[:, i] for i in rows)).T
        bias = ops.vector(*(bias[i] for i in rows))
    free = ops.solve_spd(M, f)
    response = ops.solve_spd(M, C.T)
    multipliers = ops.solve_spd(C @ response, -bias - C @ free)
    return free + response @ multipliers, multipliers
