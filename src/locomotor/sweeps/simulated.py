"""Reductions over a simulation of each point: the compiled roll-out, a chunk at a time."""

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import SweepError
from locomotor.model import System
from locomotor.simulation.starts import spread
from locomotor.simulation.stepping import check_contacts, compile_with_starts
from locomotor.sweeps.measure import Bound, PointMeasure
from locomotor.sweeps.outcome import REASONS, Measured, PointStatus
from locomotor.sweeps.varied_names import roles
from locomotor.typing import Vector


@dataclass(frozen=True)
class Simulated(PointMeasure):
    """Measures by name, such as {"lean": Maximum("abs(roll)")}, of runs of `duration` with fixed steps `dt`.

    `start` and `inputs` hold for every point; what varies comes on top. `ends` stops an instance where an expression becomes
    negative. A system whose contacts open and close is stepped as `contacts` says, "time-stepping" or "events" (see
    `simulation.time_stepping`), with those in `closed` closed at the start.
    """

    measures: Mapping[str, Any]
    duration: float
    dt: float
    start: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    ends: Mapping[str, Any] = field(default_factory=dict)
    stepper: str = "rk4"
    contacts: str | None = None
    closed: tuple[str, ...] = ()
    target: str = "auto"
    prefers = "threads"
    chunk = 4096

    @classmethod
    def of(cls, measures: Mapping[str, Any], **settings: Any) -> "Simulated":
        """Make one from keywords; what is missing is told in words."""
        for name in ("duration", "dt"):
            value = settings.get(name)
            if not isinstance(value, int | float) or not math.isfinite(value) or not value > 0:
                said = "is missing" if value is None else f"is {value!r}"
                raise SweepError(f"{name} {said}; reductions over a simulation need a positive number of seconds")
        if not measures:
            raise SweepError('measure is empty; give at least one reduction, such as {"lean": lm.Maximum("abs(roll)")}')
        return cls(measures, **settings)

    @property
    def steps(self) -> int:
        """Number of steps."""
        return max(1, round(self.duration / self.dt))

    def bind(self, system: System | None, names: tuple[str, ...]) -> Bound:
        """Compile, and take one step, so that a wrong name is found here."""
        assert system is not None
        vary, fixed = roles(system, names), roles(system, self.start, "start")
        held = roles(system, self.inputs, "inputs")
        if fixed.parameters or fixed.inputs or held.parameters or held.start:
            wrong = [*fixed.parameters, *fixed.inputs, *held.parameters, *held.start]
            raise SweepError(f"{', '.join(wrong)}: start takes starting values and inputs takes inputs, nothing else")
        wrong_contacts = check_contacts(system, self.contacts, self.closed)
        if wrong_contacts:
            raise SweepError(f"{system.name}: {wrong_contacts}")
        started = tuple(dict.fromkeys([*vary.start, *self.start]))
        compiled, starts = compile_with_starts(
            system, started, target=self.target, free=vary.parameters, contacts=self.contacts, closed=tuple(self.closed)
        )
        constants = compiled.system.parameters.values
        rest = dict.fromkeys(compiled.input_names, 0.0) | dict(self.inputs)

        def measure(points: dict[str, Vector], steps: int = self.steps) -> Measured:
            count = len(next(iter(points.values())))
            parameters = spread(compiled.parameter_names, points, constants, count)
            states, reasons = starts(spread(started, points, dict(self.start), count), parameters)
            result = compiled.rollout(
                states,
                steps,
                self.dt,
                inputs=spread(compiled.input_names, points, rest, count),
                parameters=parameters,
                save_every=0,
                stepper=self.stepper,
                measures=dict(self.measures),
                ends=dict(self.ends),
            )
            status = np.where(result.status == 0, PointStatus.OK, PointStatus.STOPPED).astype(np.int8)
            status[list(reasons)] = PointStatus.NO_START
            stopped = np.flatnonzero(status == PointStatus.STOPPED)[:REASONS]
            reasons |= {int(i): f"stopped after {result.completed[i]} steps: {result.reasons[i]}" for i in stopped}
            values = {name: np.array(result.measures[name], dtype=float) for name in self.measures}
            for column in values.values():
                column[status == PointStatus.NO_START] = np.nan
            return Measured(values, status, reasons)

        nominal = {**constants, **rest, **dict(self.start), **dict.fromkeys(vary.start, 0.0)}
        measure({name: np.array([nominal[name]]) for name in names}, 1)
        return measure

    def settings(self) -> dict[str, Any]:
        """All settings, to recognise a sweep by."""
        groups = {"measures": self.measures, "start": self.start, "inputs": self.inputs, "ends": self.ends}
        named = {name: {key: repr(value) for key, value in group.items()} for name, group in groups.items()}
        plain = {name: getattr(self, name) for name in ("duration", "dt", "stepper", "contacts", "target")}
        return {"kind": "simulation", **named, **plain, "closed": list(self.closed)}
