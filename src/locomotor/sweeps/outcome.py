"""What a sweep knows of its points: measures by name, a status each, and a few reasons in words."""

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.typing import Vector

REASONS = 5
"""Reasons kept of one chunk: as many as a person reads."""


class PointStatus(IntEnum):
    """How a point ended."""

    OK = 0
    NOT_FINITE = 1
    """The point itself holds NaN or infinity; it was not tried."""
    NO_START = 2
    """No consistent start, or no steady motion, exists there."""
    STOPPED = 3
    """The simulation ended before its duration; measures hold up to there."""
    FAILED = 4
    """The measure raised an error, or gave something that is not a number."""
    LOST = 5
    """Workers died on the chunk of this point, each time it was tried."""
    IMPOSSIBLE = 6
    """No real system has the parameters of this point, such as a negative mass; it was not tried."""


@dataclass(frozen=True)
class Measured:
    """Measures (points,) by name, the status of each point, and reasons by point."""

    values: Mapping[str, Vector]
    status: NDArray[np.int8]
    reasons: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def failed(cls, count: int, status: PointStatus, reason: str) -> "Measured":
        """Nothing known of so many points."""
        return cls({}, np.full(count, status, dtype=np.int8), {0: reason} if reason else {})

    def spread(self, where: NDArray[np.intp], count: int, elsewhere: PointStatus) -> "Measured":
        """These results at the places `where` of a longer list of `count` points."""
        values = {name: np.full(count, np.nan) for name in self.values}
        for name, found in self.values.items():
            values[name][where] = found
        status = np.full(count, elsewhere, dtype=np.int8)
        status[where] = self.status
        return Measured(values, status, {int(where[i]): text for i, text in self.reasons.items()})

    def arrays(self) -> dict[str, Any]:
        """The measured values as arrays that a file can hold."""
        kept = dict(list(self.reasons.items())[:REASONS])
        return {
            "status": self.status,
            "reason_points": np.array(list(kept), dtype=np.int64),
            "reason_texts": np.array(list(kept.values()), dtype=np.str_) if kept else np.zeros(0, dtype="<U1"),
            **{f"measure {name}": np.asarray(values, dtype=float) for name, values in self.values.items()},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> "Measured":
        """The inverse of `arrays`."""
        values = {k.removeprefix("measure "): arrays[k] for k in arrays if k.startswith("measure ")}
        points, texts = arrays["reason_points"], arrays["reason_texts"]
        return cls(values, arrays["status"], {int(i): str(text) for i, text in zip(points, texts, strict=True)})
