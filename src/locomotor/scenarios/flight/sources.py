"""What the scenarios of flight share: where numbers come from, and ways to read a run of strokes."""

import math

import numpy as np

from locomotor.scenarios.integrals import integral
from locomotor.simulation import Run
from locomotor.typing import Vector

BELKHIRI = "Belkhiri, PhD thesis (2013), tel-00874497"
PROGRAM = "computed by an independent program from the corrected formulas of Belkhiri, PhD thesis (2013)"
UNSTATED = "the density of the air, the start and the place of chord and stiffness within a segment are not given"


def last_period(run: Run, period: float) -> Vector:
    """Which samples belong to the last period, both ends included."""
    return np.asarray(run.time >= run.time[-1] - period * (1.0 + 1e-9))


def peak_to_peak(values: Vector) -> float:
    """Largest less smallest, in degrees."""
    return math.degrees(float(np.ptp(values)))


def lag(time: Vector, values: Vector, leader: Vector, frequency: float) -> float:
    """By how many degrees the first harmonic of a motion is behind that of another, over whole periods."""
    turning = np.exp(-2j * math.pi * frequency * time)
    behind, ahead = (np.trapezoid(each * turning, time) for each in (values, leader))
    return math.degrees(float(np.angle(ahead / behind))) % 360.0


def mean(time: Vector, values: Vector) -> float:
    """Mean over the time."""
    return float(np.trapezoid(values, time) / (time[-1] - time[0]))


def unexplained_energy(run: Run) -> float:
    """Work of drives and of the air less the change of the energy, over the whole work of the drives."""
    works = {name: integral(run.time, power) for name, power in run.group("powers").items()}
    driven = sum(abs(work) for name, work in works.items() if name.endswith("imposed_power"))
    return (sum(works.values()) - float(run.energy[-1] - run.energy[0])) / driven


def unexplained_momentum(run: Run, wings: list[str], weight: float) -> float:
    """Impulse of air and weight less the change of the momentum (that of the air carried along is part of it), upward.

    Over the impulse of the weight.
    """
    pushes = [run[f"{wing}_{mechanism}_z"] for wing in wings for mechanism in ("translation", "rotation")]
    fallen = weight * float(run.time[-1] - run.time[0])
    change = float(run["linear_momentum_z"][-1] - run["linear_momentum_z"][0])
    return (sum(integral(run.time, push) for push in pushes) - fallen - change) / fallen
