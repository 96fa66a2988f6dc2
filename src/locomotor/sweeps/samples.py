"""Which points a sweep visits: a grid, listed points, random or Sobol samples; any part of them without the rest.

Point `i` depends on the samples, the ranges and the seed only, never on how the points are divided.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import SweepError
from locomotor.model.expressions import show_numbers
from locomotor.typing import Vector


class Samples(ABC):
    """How points are made from what is given for each name."""

    @abstractmethod
    def check(self, over: Mapping[str, Vector]) -> None:
        """Refuse values that make no points."""

    @abstractmethod
    def shape(self, over: Mapping[str, Vector]) -> tuple[int, ...]:
        """Number of points, along each name for a grid."""

    @abstractmethod
    def points(self, over: Mapping[str, Vector], seed: int, first: int, last: int) -> dict[str, Vector]:
        """Points `first` to `last` (excluded), one array for each name."""


@dataclass(frozen=True)
class Grid(Samples):
    """All combinations of the listed values."""

    def check(self, over: Mapping[str, Vector]) -> None:
        """Accept any values: a grid has no ranges."""

    def shape(self, over: Mapping[str, Vector]) -> tuple[int, ...]:
        """How many values each name has."""
        return tuple(len(values) for values in over.values())

    def points(self, over: Mapping[str, Vector], seed: int, first: int, last: int) -> dict[str, Vector]:
        """Points `first` to `last`; the last name varies fastest."""
        places = np.unravel_index(np.arange(first, last), self.shape(over))
        return {name: values[place] for (name, values), place in zip(over.items(), places, strict=True)}


@dataclass(frozen=True)
class Listed(Samples):
    """Points as listed: the first values of all names, the second values, and so on."""

    def check(self, over: Mapping[str, Vector]) -> None:
        """Refuse lists of different lengths: every name has as many values."""
        counts = {name: len(values) for name, values in over.items()}
        if len(set(counts.values())) > 1:
            raise SweepError(f"over: listed points need as many values of every name, not {counts}")

    def shape(self, over: Mapping[str, Vector]) -> tuple[int, ...]:
        """Number of points."""
        return (len(next(iter(over.values()))),)

    def points(self, over: Mapping[str, Vector], seed: int, first: int, last: int) -> dict[str, Vector]:
        """Points `first` to `last`, as they were listed."""
        return {name: values[first:last] for name, values in over.items()}


@dataclass(frozen=True)
class _Drawn(Samples):
    """Points within a box of ranges (low, high)."""

    count: int

    def __post_init__(self) -> None:
        if not isinstance(self.count, int | np.integer) or isinstance(self.count, bool) or self.count < 1:
            said = f"{type(self).__name__}({self.count!r})"
            raise SweepError(f"samples: {said} makes no points; give a whole number of at least 1")
        object.__setattr__(self, "count", int(self.count))

    def check(self, over: Mapping[str, Vector]) -> None:
        """Refuse what is not a range (low, high) for each name."""
        for name, values in over.items():
            if len(values) != 2 or not np.isfinite(values).all() or not values[0] < values[1]:
                raise SweepError(
                    f"over: {name!r} is {show_numbers(values[:4])}; samples are drawn from a range, two numbers (low, high)"
                )

    def shape(self, over: Mapping[str, Vector]) -> tuple[int, ...]:
        """Number of points."""
        return (self.count,)

    def points(self, over: Mapping[str, Vector], seed: int, first: int, last: int) -> dict[str, Vector]:
        """Numbers of the unit cube, stretched over the ranges."""
        unit = self._unit(len(over), seed, first, last)
        return {name: low + (high - low) * unit[:, k] for k, (name, (low, high)) in enumerate(over.items())}

    def _unit(self, size: int, seed: int, first: int, last: int) -> Vector:
        raise NotImplementedError


@dataclass(frozen=True)
class Random(_Drawn):
    """So many independent uniform points, from the counter-based generator Philox (Salmon et al. 2011)."""

    def _unit(self, size: int, seed: int, first: int, last: int) -> Vector:
        # A block of the generator gives four numbers; every point starts a block, so that any point can be made alone.
        blocks = -(-size // 4)
        raw = np.random.Philox(key=seed, counter=first * blocks).random_raw((last - first) * blocks * 4)
        numbers = (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return np.asarray(numbers.reshape(last - first, -1)[:, :size])


@dataclass(frozen=True)
class Sobol(_Drawn):
    """So many points of a scrambled Sobol sequence, which fill the box evenly; best a power of two."""

    def _unit(self, size: int, seed: int, first: int, last: int) -> Vector:
        from scipy.stats import qmc

        sequence = qmc.Sobol(size, scramble=True, seed=np.random.default_rng(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # numbers that are not a power of two are allowed
            if first:
                sequence.fast_forward(first)
            return np.asarray(sequence.random(last - first), dtype=float)


@dataclass(frozen=True)
class Points:
    """The points of one sweep."""

    over: Mapping[str, Vector]
    samples: Samples
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what varies."""
        return tuple(self.over)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points, along each name for a grid."""
        return self.samples.shape(self.over)

    @property
    def count(self) -> int:
        """Number of points."""
        return math.prod(self.shape)

    def part(self, first: int, last: int) -> dict[str, Vector]:
        """The points of some rows."""
        return self.samples.points(self.over, self.seed, first, last)

    def settings(self) -> dict[str, Any]:
        """What decides the points, as plain data."""
        return {
            "samples": repr(self.samples),
            "seed": self.seed,
            "over": {
                name: {
                    "count": len(values),
                    "ends": [repr(float(v)) for v in (values[0], values[-1])],
                    "digest": hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest(),
                }
                for name, values in self.over.items()
            },
        }


def make_points(over: Mapping[str, Any], samples: Samples | int | None, seed: int) -> Points:
    """Points from what a user gives: arrays for a grid or a list, ranges for drawn samples; a number means Sobol."""
    if not isinstance(over, Mapping) or not over:
        example = '{"speed": np.linspace(0, 10, 101)}'
        raise SweepError(f"over is {checks.shown(over)}; give at least one name and its values, such as {example}")
    found: dict[str, Vector] = {}
    for name, values in checks.mapping(over, "over", error=SweepError).items():
        array = checks.floats(values, f"over: {name!r}", error=SweepError)
        if array.ndim != 1 or not len(array):
            what = "is empty" if array.size == 0 else f"has shape {array.shape}"
            raise SweepError(f"over: {name!r} {what}; give a list of numbers (one alone belongs to the system or the start)")
        found[str(name)] = array
    chosen = Grid() if samples is None else samples
    if isinstance(chosen, int | np.integer):
        chosen = Sobol(checks.whole(chosen, "samples", least=1, error=SweepError))
    if not isinstance(chosen, Samples):
        raise SweepError(f"samples is {checks.shown(samples)}; give a number, Sobol(n), Random(n), Listed() or Grid()")
    seed = checks.whole(seed, "seed", error=SweepError)
    chosen.check(found)
    return Points(found, chosen, seed)
