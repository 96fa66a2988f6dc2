"""What residuals are judged against: sizes at the point where a search begins, which the search cannot change.

Sizes that went along with the iterate would let a motion pass for a cycle that only accelerates: what it gains in a period is
small against a speed that is large enough.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.typing import Flags, Floats

FARTHEST = 1e3
"""Distance from where a search began, relative to 1 + |value| there, beyond which nothing is accepted."""


@dataclass(frozen=True, eq=False)
class Yardstick:
    """Sizes and reach of a search from an `origin`: unknowns, one row or a batch of them."""

    origin: Floats

    @cached_property
    def scale(self) -> Floats:
        """Scale of each unknown: 1 + |value| where the search began."""
        return scale_of(self.origin)

    def size(self, residual: Floats) -> Floats:
        """Largest residual of each row, relative to the scale; infinity where there is none."""
        found = np.abs(residual / self.scale).max(axis=-1, initial=0.0)
        return np.where(np.isfinite(found), found, np.inf)

    def within(self, way: Floats) -> Flags:
        """Whether points that are so far from the origin are still within reach."""
        return np.asarray((np.abs(way) <= FARTHEST * self.scale).all(axis=-1))

    def share(self, way: Floats, step: Floats) -> float:
        """The largest share, at most 1, of a step that does not leave the reach of one point so far from the origin."""
        room = FARTHEST * self.scale - np.sign(step) * way
        return float(np.clip((room / np.maximum(np.abs(step), 1e-300)).min(initial=1.0), 0.0, 1.0))

    def take(self, rows: NDArray[np.intp]) -> "Yardstick":
        """The yardstick of some rows of a batch."""
        return Yardstick(self.origin[rows])


def scale_of(unknowns: Floats) -> Floats:
    """Sizes to measure unknowns by: 1 + |value|."""
    return 1.0 + np.abs(unknowns)
