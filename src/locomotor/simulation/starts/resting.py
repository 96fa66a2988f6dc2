"""Starts without momentum: velocities that nobody gives are those of the least kinetic energy."""

from collections.abc import Mapping, Sequence

import numpy as np

from locomotor.mechanics.tree import Instant, forward, mass_matrix
from locomotor.model import System
from locomotor.typing import Vector


def without_momentum(
    system: System, q: Vector, kernel: Vector, drift: Vector, v_r: Vector, given: Sequence[int], values: Mapping[str, float]
) -> Vector:
    """Reduced velocities for which no motion that is left open has momentum.

    With v = H v_r + d, d the velocities of imposed motions, and N the motions that leave the given velocities alone
    (H_g N = 0), the momenta conjugate to N vanish: N^T H^T M v = 0. That is the least kinetic energy that they allow; of a body
    that floats, whose joints are imposed, it is zero linear and angular momentum.
    """
    if not kernel.shape[1]:
        return v_r
    M = np.asarray(mass_matrix(forward(Instant(system, q, np.zeros(system.layout.nv), parameters=values))), dtype=float)
    open_ = np.eye(kernel.shape[1])
    if given:
        _, sizes, rows = np.linalg.svd(kernel[list(given)])
        open_ = rows[int((sizes > 1e-9 * max(1.0, float(sizes.max(initial=0.0)))).sum()) :].T
    moves = kernel @ open_
    v = kernel @ v_r + drift
    return np.asarray(v_r - open_ @ np.linalg.solve(moves.T @ M @ moves, moves.T @ M @ v) if open_.shape[1] else v_r)
