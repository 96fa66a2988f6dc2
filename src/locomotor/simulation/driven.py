"""A compiled system driven as a run tells: its inputs, its law, its free parameters, and its motion and channels with them."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.codegen import Implicit, Rollout
from locomotor.model import Ends
from locomotor.simulation.compiled import CalledLaw, CompiledSystem, called_law
from locomotor.simulation.ends import Watch
from locomotor.simulation.step_limit import Beginning, advancing, check_step
from locomotor.simulation.stiffness import own_motions
from locomotor.typing import Floats, Vector


class Driven:
    """Inputs are constant, or come from a law called in Python; one that could be traced is part of the compiled system."""

    def __init__(self, compiled: CompiledSystem, constant: Mapping[str, float], parameters: Vector | None = None) -> None:
        self.compiled = compiled
        self.inputs: Vector = np.array([constant.get(name, 0.0) for name in compiled.input_names])
        self.parameters: Vector = compiled.default_parameters if parameters is None else parameters

    @cached_property
    def law(self) -> CalledLaw | None:
        """The controller, if it could not be traced."""
        return called_law(self.compiled, self.parameters)

    def inputs_at(self, times: Vector, states: Vector) -> Vector:
        """Inputs at several states, one a row, or the same for all."""
        return self.inputs if self.law is None else self.law.at(times, states)

    def watch(self, ends: Ends, absent: Mapping[str, float] | None = None) -> Watch:
        """The ends of a run, to be looked at along a motion."""
        return Watch(ends, self.compiled.watch(ends, absent), self.inputs, self.parameters, self.law)

    def roll(self, t: float, x: Vector, steps: int, h: float, **options: Any) -> Rollout:
        """Some steps of a length; those of laws that jump on the way end where they do."""
        given: dict[str, Any] = {"inputs": self.inputs} if self.law is None else {"law": self.law.answer}
        breaks = self.compiled.breaks
        return self.compiled.roll(x, steps, h, parameters=self.parameters, start_time=t, breaks=breaks, **given, **options)

    def states(self, t: float, x: Vector, steps: int, h: float, stepper: str | Implicit | None = None) -> Vector:
        """The states on the way, as many as are reached, the first among them; by the usual stepper, or by another."""
        if not len(x):
            return np.zeros((steps + 1, 0))
        result = self.roll(t, x, steps, h) if stepper is None else self.roll(t, x, steps, h, stepper=stepper)
        return np.asarray(result.states)[: int(result.completed) + 1]

    def check_step(self, t: float, x: Vector, steps: int, h: float, stepper: str, implicit: str) -> None:
        """Refuse explicit steps that no motion from a state survives; a law that is called is not asked beforehand."""
        if self.law is not None:
            return

        compiled = self.compiled
        key = t, x.tobytes(), steps, h, stepper, self.inputs.tobytes(), self.parameters.tobytes()
        compiled.sound_steps(key, lambda: self._check_step(t, x, steps, h, stepper, implicit))

    def _check_step(self, t: float, x: Vector, steps: int, h: float, stepper: str, implicit: str) -> bool:
        """The same, looked at anew; True where it refuses nothing."""
        compiled, traced = self.compiled, self.compiled.traced

        def run(states: Floats, count: int, length: float, method: str) -> Rollout:
            return self.roll(t, states, count, length, stepper=method, save_every=0)

        check_step(
            Beginning(x, traced.manifold, advancing(run, compiled.operations), steps, h, stepper),
            lambda: own_motions(traced, t, x, self.inputs, self.parameters),
            compiled.system.name,
            f"give a smaller step, or stepper={implicit!r}, which has no limit",
        )
        return True

    def channels(self, times: Vector, states: Vector, parameters: Vector | None = None) -> dict[str, Vector]:
        """All channels at some states, and the states of the controller; with a row of parameters for each where given."""
        traced, p = self.compiled.traced, self.parameters if parameters is None else parameters
        outputs = self.compiled.observation(times[:, None], states, self.inputs_at(times, states), p)
        found: dict[str, Vector] = {}
        for port, values in zip(traced.observation.outputs, outputs, strict=True):
            found.update(zip(port.names, values.T, strict=True))
        first = traced.nq + len(traced.reduction.free)
        found.update({name: states[:, first + k] for k, name in enumerate(traced.controller_states)})
        return found
