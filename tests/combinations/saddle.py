"""The multiplier form at a sample of a run, solved whole by least squares: an oracle of the reduced form.

    [ M  -C^T ] [ v_dot  ]   [ tau - h ]
    [ C   0   ] [ lambda ] = [ -C_dot v ]

with a row for each imposed joint, whose acceleration is known. Rows may depend on each other. With a `basis` B, velocities of
the system are B times others, and those are solved for: M becomes B^T M B, C becomes C B.
"""

from __future__ import annotations

import numpy as np

import locomotor as lm
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.loads.forces import applied_forces
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.mechanics.tree.newton_euler import inverse_dynamics

Vector = np.ndarray


def saddle(system: lm.System, q: Vector, v: Vector, time: float, inputs: Vector, basis: Vector | None = None) -> Vector:
    """Accelerations of all velocities; every contact of the system is closed."""
    kinematics = forward(Instant(system, q, v, time, inputs))
    applied = applied_forces(kinematics)
    M = np.asarray(mass_matrix(kinematics), dtype=float)
    f = np.asarray(applied.forces() - inverse_dynamics(kinematics, None, applied.gravity, applied.wrenches), dtype=float)
    constraints = constraint_set(kinematics)
    C, bias = np.zeros((0, len(v))), np.zeros(0)
    if len(constraints):
        C, bias = np.asarray(constraints.matrix, dtype=float), np.asarray(constraints.root_bias, dtype=float)
    for joint in system.imposed:
        row = np.zeros((1, len(v)))
        row[0, system.layout.v[joint.name].start] = 1.0
        wanted = float(joint.drive.acceleration.evaluate({**system.parameters.values, "t": time}))  # type: ignore[union-attr]
        C, bias = np.vstack([C, row]), np.append(bias, -wanted)
    if basis is not None:
        M, f, C = basis.T @ M @ basis, basis.T @ f, C @ basis
    n = len(bias)
    whole = np.block([[M, -C.T], [C, np.zeros((n, n))]])
    return np.linalg.lstsq(whole, np.concatenate([f, -bias]), rcond=1e-12)[0][: len(f)]
