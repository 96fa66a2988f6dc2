"""What the scenarios of the bicycle share: where numbers come from, and a few ways to read a run.

The thesis and the paper write vectors in (up, forward, left) = our (z, x, y); their lean phi_0 is minus our roll, and
their alpha_0, alpha_1 are our rear and front contact angles.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from locomotor.simulation import Run
from locomotor.typing import Vector

THESIS = "Mauny, PhD thesis (2018)"
PAPER = "Mauny, Porez, Boyer, IFAC World Congress (2017), doi 10.1016/j.ifacol.2017.08.1007"
MEIJAARD = "Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007)"
BASU_MANDAL = "Basu-Mandal, Chatterjee, Papadopoulos, Proc. R. Soc. A 463 (2007)"
COMPUTED = "computed by an independent program from the formulas of Mauny, PhD thesis (2018), chapter 2"
"""Followed by the section: numbers of an independent prototype that reproduces the two benchmarks of the literature."""

STANDING_FRONT = 1.1 * math.pi
"""Front contact angle of the upright bicycle, pi + mu with mu = pi/10."""


def series(run: Run, instants: Sequence[float], channels: Mapping[str, Vector]) -> dict[str, float]:
    """Values at some instants, under keys such as "speed at 0.5 s"."""
    found: dict[str, float] = {}
    for t in instants:
        i = int(np.abs(run.time - t).argmin())
        found.update({f"{name} at {t:g} s": float(values[i]) for name, values in channels.items()})
    return found


def extremes(time: Vector, values: Vector, name: str) -> dict[str, float]:
    """Smallest and largest value and when, under keys such as "largest speed" and "time of largest speed"."""
    low, high = int(values.argmin()), int(values.argmax())
    return {
        f"smallest {name}": float(values[low]),
        f"time of smallest {name}": float(time[low]),
        f"largest {name}": float(values[high]),
        f"time of largest {name}": float(time[high]),
    }


def crossing(time: Vector, values: Vector, level: float = 0.0) -> float:
    """First time at which the values pass a level, by linear interpolation; NaN if they never do."""
    beyond = np.sign(values - level)
    changes = np.flatnonzero(beyond[1:] * beyond[0] <= 0)
    if not len(changes):
        return math.nan
    i = int(changes[0])
    share = (level - values[i]) / (values[i + 1] - values[i])
    return float(time[i] + share * (time[i + 1] - time[i]))


def circle_radius(x: Vector, y: Vector) -> float:
    """Radius of the circle through points, by least squares on x^2 + y^2 = a x + b y + c."""
    x, y = x - x.mean(), y - y.mean()
    a, b, c = np.linalg.lstsq(np.stack([x, y, np.ones_like(x)], axis=1), x * x + y * y, rcond=None)[0]
    return float(math.sqrt(c + 0.25 * (a * a + b * b)))


def curvature(time: Vector, x: Vector, y: Vector) -> Vector:
    """Signed curvature of a plane path, positive to the left, by central differences."""
    vx, vy = np.gradient(x, time), np.gradient(y, time)
    ax, ay = np.gradient(vx, time), np.gradient(vy, time)
    return np.asarray((vx * ay - vy * ax) / np.hypot(vx, vy) ** 3)


def energy_drift(run: Run) -> float:
    """Largest change of the total energy, relative to it."""
    return float(np.abs(run.energy - run.energy[0]).max() / abs(run.energy[0]))
