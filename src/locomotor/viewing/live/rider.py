"""Somebody who rides: reads channels, holds keys, balances if told to, and gives the inputs until the next look."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from locomotor import codegen
from locomotor.dataclass import dataclass
from locomotor.model import Expression, System, evaluate
from locomotor.names import TIME
from locomotor.simulation import CompiledSystem
from locomotor.tracing.readings import chosen_channels
from locomotor.typing import Vector
from locomotor.viewing.live.balance import Balancer
from locomotor.viewing.live.commands import BALANCE, Ride


@dataclass(frozen=True, eq=False)
class Rider:
    """Inputs of a compiled system at an instant, from commands, numbers and laws; laws are looked at as often as keys are."""

    system: System
    compiled: CompiledSystem
    ride: Ride
    constant: Mapping[str, float]
    laws: Mapping[str, Expression]
    balancer: Balancer | None

    @property
    def begin(self) -> float:
        """From when on the inputs are looked at: from the first command on, or all the time where there are laws."""
        return 0.0 if self.laws else self.ride.begin

    @cached_property
    def _needed(self) -> tuple[str, ...]:
        """Channels that laws and the balance look at."""
        given = {TIME, *self.system.parameters}
        sides = [side for handle in self.ride.riding.held for side in (handle.inputs(1.0), handle.inputs(-1.0))]
        every = [*self.laws.values(), *(size for side in sides for size in side.values() if isinstance(size, Expression))]
        names = [name for law in every for name in sorted(law.names) if name not in given]
        if self.balancer is not None:
            names += [self.balancer.balance.along, *self.balancer.state_names]
        return tuple(dict.fromkeys(names))

    @cached_property
    def _sensors(self) -> Any:
        kernel = codegen.compile(chosen_channels(self.compiled.traced, self._needed), target=self.compiled.target)
        sizes = len(self.compiled.state_names), len(self.compiled.input_names)
        return kernel.bind(np.zeros(1), np.zeros(sizes[0]), np.zeros(sizes[1]), np.array(self.compiled.default_parameters))

    def _read(self, t: float, x: Vector, p: Vector) -> dict[str, float]:
        if not self._needed:
            return {}
        self._sensors.inputs[0][0] = t
        self._sensors.inputs[1][:] = x
        self._sensors.inputs[3][:] = p
        return dict(zip(self._needed, np.concatenate([np.ravel(part) for part in self._sensors()]).tolist(), strict=True))

    def inputs(self, t: float, x: Vector, p: Vector, touching: bool = True) -> Vector:
        """All inputs from this instant on, for a state and the values of the compiled system's free parameters.

        `touching` says whether every contact is closed.
        """
        channels = self._read(t, x, p)
        found = dict(self.constant)
        values = {**self.system.parameters.values, **channels, TIME: t}
        for name, law in self.laws.items():
            found[name] = float(evaluate(law, values))
        balanced = self.balancer is not None and self.ride.value(BALANCE, t) > 0.5
        target = 0.0
        for handle in self.ride.riding.held:
            value = self.ride.value(handle.name, t)
            if balanced and handle.target:
                target = handle.reach * value
                continue
            for name, size in handle.inputs(value).items():
                found[name] = found.get(name, 0.0) + float(evaluate(size, values))
        if balanced and self.balancer is not None:
            for name, size in self.balancer.inputs(channels, target, touching).items():
                found[name] = found.get(name, 0.0) + size
        return np.array([found.get(name, 0.0) for name in self.compiled.input_names])
