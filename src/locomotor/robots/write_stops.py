"""End stops as ranges of MJCF: of a joint, or of a `<fixed>` tendon where they bound a sum of joints.

A range has two ends, so that a stop on one side alone has none. Stops that bound the same sum belong together, whatever the
factor of their formulas; which they are is found on numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import Coupling, Unilateral
from locomotor.robots.laws import TOLERANCE, straight_line
from locomotor.robots.write_sums import Shares
from locomotor.typing import Floats


@dataclass(eq=False)
class Range:
    """Bounds of a sum of joints, and the stops that say them."""

    joints: tuple[str, ...]
    of: Floats
    """Coefficients of the sum, the first of them 1."""
    low: float | None = None
    high: float | None = None
    stops: list[Coupling] = field(default_factory=list)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends; None where one is missing, or nothing is between them."""
        if self.low is None or self.high is None or not self.low < self.high:
            return None
        return self.low, self.high

    @property
    def shares(self) -> Shares:
        """The sum, as a tendon says it."""
        return Shares(self.joints, self.of)


def ranges(stops: Iterable[Coupling], scalar: list[str], values: Mapping[str, float]) -> list[Range]:
    """What all stops bound that are straight lines of coordinates."""
    found: list[Range] = []
    for stop in stops:
        line = straight_line(stop.position, scalar, values) if stop.position is not None else None  # type: ignore[arg-type]
        if line is None or not np.any(line[1]):
            continue
        constant, slopes = line
        places = np.flatnonzero(slopes)
        joints = tuple(scalar[k] for k in places)
        of, factor = slopes[places] / slopes[places[0]], float(slopes[places[0]])
        same = next((r for r in found if r.joints == joints and np.abs(r.of - of).max() <= TOLERANCE * np.abs(of).max()), None)
        if same is None:
            found.append(same := Range(joints, of))
        bound = -constant / factor + 0.0
        if factor > 0.0:
            same.low = bound if same.low is None else max(same.low, bound)
        else:
            same.high = bound if same.high is None else min(same.high, bound)
        same.stops.append(stop)
    return found


def is_stop(constraint: object) -> bool:
    """Whether a constraint is an end stop: one that pushes only, and always may."""
    return isinstance(constraint, Coupling) and isinstance(constraint.law, Unilateral) and not constraint.law.is_gated


def stop_name(stops: list[Coupling]) -> str:
    """Name of the tendon that bounds a sum; the reader puts the end behind it again."""
    return stops[0].name.removesuffix("_low").removesuffix("_high")
