"""A mode of a run with events that moves in maximal coordinates: between events every body is free, every joint a condition.

States are those of the tree, so that events are found and answered as in any run. A step takes them to all bodies, moves these
with the conditions of the mode, closed contacts among them, and reads the coordinates of the tree off again.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.codegen import Implicit, Rollout
from locomotor.simulation.events import Mode, Probe
from locomotor.simulation.maximal.motion import LOST, Maximal
from locomotor.typing import Vector

FINISHED, PIVOTS_FAIL, NOT_FINITE = 0, 1, 2
"""How steps end (see `codegen.Rollout`)."""


class FreeProbe(Probe):
    """A mode whose bodies are all free."""

    def __init__(
        self,
        mode: Mode,
        inputs: Mapping[str, float],
        parameters: Vector,
        stepper: str | Implicit = "rk4",
        *,
        motions: dict[Mode, Maximal],
        values: Vector,
        project: bool,
    ) -> None:
        super().__init__(mode, inputs, parameters, stepper)
        self._motions, self._values, self._project = motions, values, project

    @cached_property
    def motion(self) -> Maximal:
        """The bodies with the conditions of the mode, which all its directions of slip share."""
        if self.mode not in self._motions:
            traced = self.compiled.traced
            self._motions[self.mode] = Maximal(traced.system, self.compiled.target, self._values, traced)
        return self._motions[self.mode]

    def roll(self, t: float, x: Vector, steps: int, h: float, **options: Any) -> Rollout:
        """Some steps of a length, each projected."""
        motion, own = self.motion, np.array(x[self.mode.own :])
        whole = self.whole(t, x)
        motion.tell(self.parameters)
        motion.efforts.begin(whole.q)
        state = motion.state(whole.q, whole.v)
        states, status = [np.array(x)], FINISHED
        for k in range(steps):
            with np.errstate(all="ignore"):
                state = motion.step(t + k * h, state, h, self._project)
            if not (np.abs(state) < LOST).all():
                status = NOT_FINITE
                break
            following = self.mode.state_of(*motion.efforts.tree(state), own)
            if (self.look(t + (k + 1) * h, following).pivots < 0.0).any():
                status = PIVOTS_FAIL
                break
            states.append(following)
        done = len(states) - 1
        found = np.array([*states, *([np.full(len(x), np.nan)] * (steps - done))])
        return Rollout(t + h * np.arange(steps + 1), found, states[-1], np.zeros(0), status, done, -1)

    def after(self, t: float, x: Vector, h: float) -> Vector:
        """State after one step of a length; infinite where the step fails."""
        if h == 0.0:
            return x
        result = self.roll(t, x, 1, h)
        return np.asarray(result.final) if int(result.completed) else np.full(len(x), np.inf)
