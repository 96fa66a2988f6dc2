"""The work of a sweep and one chunk of it: what every worker runs, wherever it is."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomotor import __version__
from locomotor.model import System
from locomotor.model.serialise import to_data
from locomotor.sweeps.measure import Bound, PointMeasure
from locomotor.sweeps.outcome import Measured, PointStatus
from locomotor.sweeps.samples import Points


@dataclass(frozen=True)
class Job:
    """Points, what to measure at them, and how many make a chunk."""

    system: System | None
    points: Points
    measure: PointMeasure
    chunk: int

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.points.count // self.chunk)

    def span(self, index: int) -> tuple[int, int]:
        """First and last (excluded) point of a chunk."""
        return index * self.chunk, min((index + 1) * self.chunk, self.points.count)

    @cached_property
    def bound(self) -> Bound:
        """The measure, ready to be called in this process."""
        return self.measure.bind(self.system, self.points.names)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Everything that decides the results."""
        return {
            "format": "locomotor sweep 1",
            "version": __version__,
            "system": None if self.system is None else to_data(self.system),
            "measure": self.measure.settings(),
            "chunk": self.chunk,
            **self.points.settings(),
        }

    @cached_property
    def digest(self) -> str:
        """A short name of the settings."""
        return hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()[:16]

    def evaluate(self, index: int) -> Measured:
        """One chunk. Points that are not finite are not tried; an error of the measure becomes a status."""
        first, last = self.span(index)
        points = self.points.part(first, last)
        count = last - first
        good = np.flatnonzero(np.all([np.isfinite(values) for values in points.values()], axis=0))
        if not len(good):
            return Measured.failed(count, PointStatus.NOT_FINITE, "")
        try:
            found = self.bound({name: values[good] for name, values in points.items()})
        except Exception as error:
            found = Measured.failed(len(good), PointStatus.FAILED, f"{type(error).__name__}: {error}")
        return found.spread(good, count, PointStatus.NOT_FINITE)

    def lost(self, index: int, reason: str) -> Measured:
        """What is recorded of a chunk on which workers die."""
        first, last = self.span(index)
        return Measured.failed(last - first, PointStatus.LOST, reason)
