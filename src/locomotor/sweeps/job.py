"""The work of a sweep and one chunk of it: what every worker runs, wherever it is."""

import hashlib
import json
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from locomotor import __version__
from locomotor.dataclass import dataclass
from locomotor.model import System, impossible_rows, to_data, why_impossible
from locomotor.sweeps.measure import Bound, PointMeasure
from locomotor.sweeps.outcome import REASONS, Measured, PointStatus
from locomotor.sweeps.samples import Points
from locomotor.typing import Flags


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
        """All settings that decide the results, to recognise a sweep by."""
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
        finite = np.all([np.isfinite(values) for values in points.values()], axis=0)
        impossible, reasons = self._impossible(points, count)
        good = np.flatnonzero(finite & ~impossible)
        if len(good):
            try:
                found = self.bound({name: values[good] for name, values in points.items()})
            except Exception as error:
                found = Measured.failed(len(good), PointStatus.FAILED, f"{type(error).__name__}: {error}")
            found = found.spread(good, count, PointStatus.NOT_FINITE)
        else:
            found = Measured.failed(count, PointStatus.NOT_FINITE, "")
        found.status[impossible] = PointStatus.IMPOSSIBLE
        return replace(found, reasons={**reasons, **found.reasons})

    def _impossible(self, points: dict[str, Any], count: int) -> tuple[Flags, dict[int, str]]:
        """Which points have parameters that no real system has, and words for a few of them."""
        system = self.system
        names = () if system is None else tuple(name for name in points if name in system.parameters)
        if system is None or not names:
            return np.zeros(count, dtype=bool), {}
        table = np.stack([np.asarray(points[name], dtype=float) for name in names], axis=1)
        found = impossible_rows(system, names, table)
        told = np.flatnonzero(found)[:REASONS]
        return found, {int(i): why_impossible(system, dict(zip(names, table[i].tolist(), strict=True))) for i in told}

    def lost(self, index: int, reason: str) -> Measured:
        """What is recorded of a chunk on which workers die."""
        first, last = self.span(index)
        return Measured.failed(last - first, PointStatus.LOST, reason)
