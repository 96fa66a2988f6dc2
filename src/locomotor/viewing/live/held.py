"""A compiled system whose inputs are held from one instant to the next, as those of somebody who presses keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.codegen import Implicit
from locomotor.simulation import CompiledSystem, Driven
from locomotor.typing import Vector

SAME = 1e-9
"""Instants this near to each other are the same (s)."""


class Held(Driven):
    """Inputs that change at instants and stay in between; as long as `hold` was not called they are constant."""

    def __init__(self, compiled: CompiledSystem, constant: Mapping[str, float], parameters: Vector | None = None) -> None:
        super().__init__(compiled, constant, parameters)
        self._since: list[float] = []
        self._values: list[Vector] = []

    def hold(self, since: Vector, values: Vector) -> None:
        """The inputs from each of some instants on, one a row, in order; before the first of them they are constant."""
        self._since, self._values = [-np.inf, *since.tolist()], [self.inputs, *values]

    def inputs_at(self, times: Vector, states: Vector) -> Vector:
        """Inputs at several instants, one a row, or the same for all."""
        if not self._since:
            return super().inputs_at(times, states)
        place = np.searchsorted(np.array(self._since), times + SAME, side="right") - 1
        return np.array(self._values)[place]

    def states(self, t: float, x: Vector, steps: int, h: float, stepper: str | Implicit | None = None) -> Vector:
        """The states on the way, as many as are reached, the first among them; a step has the inputs of its beginning."""
        if not self._since:
            return super().states(t, x, steps, h, stepper)
        found = [np.array(x)[None]]
        done = 0
        while done < steps:
            now = t + done * h
            later = [each for each in self._since if each > now + SAME]
            count = steps - done if not later else max(1, min(steps - done, round((later[0] - now) / h)))
            options: dict[str, Any] = {} if stepper is None else {"stepper": stepper}
            result = self.roll(now, found[-1][-1], count, h, inputs=self.inputs_at(np.array([now]), x[None])[0], **options)
            reached = int(result.completed)
            found.append(np.asarray(result.states)[1 : reached + 1])
            if reached < count:
                break
            done += count
        return np.concatenate(found)

    def roll(self, t: float, x: Vector, steps: int, h: float, **options: Any) -> Any:
        """Some steps of a length, with the inputs given for all of them."""
        if "inputs" not in options:
            return super().roll(t, x, steps, h, **options)
        breaks = self.compiled.breaks
        return self.compiled.roll(x, steps, h, parameters=self.parameters, start_time=t, breaks=breaks, **options)
