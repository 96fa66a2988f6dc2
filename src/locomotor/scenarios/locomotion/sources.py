"""What the scenarios of shape-driven locomotion share: where numbers come from, and a few ways to read a run."""

import numpy as np

from locomotor.lie import SO3, quaternion
from locomotor.scenarios.integrals import integral
from locomotor.simulation import Run
from locomotor.typing import Vector

BELKHIRI = "Belkhiri, PhD thesis (2013), tel-00874497"
COMPUTED = "computed by an independent program from the formulas of Belkhiri, PhD thesis (2013)"
"""Integrated with DOP853 at tolerances of 1e-10 to 1e-12."""
ORDER_FOUR = "half a unit of the last digit given; the step of 1 ms leaves less than 1e-10"


def turned(run: Run) -> Vector:
    """Rotation vector of the base at the end, from its quaternion."""
    q = np.array([run[name][-1] for name in ("qw", "qx", "qy", "qz")])
    return np.asarray(SO3(quaternion.to_matrix(q)).log(), dtype=float)


def energy_error(run: Run) -> float:
    """Work of everything that works less the change of the energy."""
    work = sum(integral(run.time, power) for power in run.group("powers").values())
    return float(work - (run.energy[-1] - run.energy[0]))


def momentum_drift(run: Run) -> float:
    """Largest change of any component of the momentum."""
    momentum = np.stack(list(run.group("momentum").values()))
    return float(np.abs(momentum - momentum[:, :1]).max())
