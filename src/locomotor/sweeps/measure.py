"""What is measured at each point: the contract, and Python functions of one point or of many."""

import hashlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, ArgumentTypeError
from locomotor.model import System
from locomotor.sweeps.outcome import Measured, PointStatus
from locomotor.typing import Vector

Bound = Callable[[dict[str, Vector]], Measured]


class PointMeasure(ABC):
    """Something to measure at points. Make your own by subclassing, or hand a function to `lm.sweep`."""

    prefers = "processes"
    """Which workers serve best: machine code releases the interpreter's lock and runs in threads."""
    chunk = 256
    """Points that are worth a chunk."""

    @abstractmethod
    def bind(self, system: System | None, names: tuple[str, ...]) -> Bound:
        """A function of finite points, one array for each of `names`, made once in each worker; raises on wrong names."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What decides the results, as plain data: a sweep goes on only with equal settings."""

    def describe(self) -> dict[str, dict[str, str]]:
        """Units and descriptions of the measures, where known: {"lean": {"units": "rad"}}."""
        return {}


@dataclass(frozen=True)
class PointFunction(PointMeasure):
    """`function(point)` for each point alone, `point` being numbers by name; it returns a number, or numbers by name.

    An error at one point is recorded with that point and stops no other.
    """

    function: Callable[[dict[str, float]], Any]
    units: Mapping[str, str] = field(default_factory=dict)

    def bind(self, system: System | None, names: tuple[str, ...]) -> Bound:
        """The function to measure a chunk with: it calls the user's once for each point."""
        return self._measure

    def _measure(self, points: dict[str, Vector]) -> Measured:
        count = len(next(iter(points.values())))
        status = np.zeros(count, dtype=np.int8)
        found: list[dict[str, float]] = []
        reasons: dict[int, str] = {}
        for i in range(count):
            try:
                found.append(numbers(self.function({name: float(values[i]) for name, values in points.items()})))
            except Exception as error:
                found.append({})
                status[i] = PointStatus.FAILED
                reasons[i] = f"{type(error).__name__}: {error}"
        names = dict.fromkeys(name for values in found for name in values)
        return Measured({name: np.array([f.get(name, np.nan) for f in found]) for name in names}, status, reasons)

    def settings(self) -> dict[str, Any]:
        """The function's name and a digest of its text."""
        return {"kind": "function of one point", **identity(self.function)}

    def describe(self) -> dict[str, dict[str, str]]:
        """Units of the measures, as given."""
        return {name: {"units": unit} for name, unit in self.units.items()}


@dataclass(frozen=True)
class BatchFunction(PointMeasure):
    """`function(points)` for many points at once: arrays by name in, arrays of the same length by name out."""

    function: Callable[[dict[str, Vector]], Mapping[str, Any]]
    units: Mapping[str, str] = field(default_factory=dict)
    prefers = "threads"
    chunk = 8192

    def bind(self, system: System | None, names: tuple[str, ...]) -> Bound:
        """The function to measure a chunk with: it calls the user's once for the whole chunk."""
        return self._measure

    def _measure(self, points: dict[str, Vector]) -> Measured:
        count = len(next(iter(points.values())))
        found = self.function(points)
        if not isinstance(found, Mapping):
            raise ArgumentTypeError(f"the measure returned {type(found).__name__}; return arrays by name")
        values = {str(name): np.asarray(column, dtype=float) for name, column in found.items()}
        for name, column in values.items():
            if column.shape != (count,):
                raise ArgumentError(f"measure {name!r} has shape {column.shape} for {count} points; return one number a point")
        return Measured(values, np.zeros(count, dtype=np.int8))

    def settings(self) -> dict[str, Any]:
        """The function's name and a digest of its text."""
        return {"kind": "function of many points", **identity(self.function)}

    def describe(self) -> dict[str, dict[str, str]]:
        """Units of the measures, as given."""
        return {name: {"units": unit} for name, unit in self.units.items()}


def numbers(value: Any) -> dict[str, float]:
    """What a function returned, as numbers by name."""
    if isinstance(value, Mapping):
        return {str(name): float(number) for name, number in value.items()}
    return {"value": float(value)}


def identity(function: Callable[..., Any]) -> dict[str, str]:
    """Name of a function and a digest of its text, so that a changed one is noticed."""
    name = f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__name__)}"
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        text = name
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"function": name.removeprefix("__main__.").removeprefix("__mp_main__."), "digest": digest}
