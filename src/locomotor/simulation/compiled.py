"""A system compiled: its functions as machine code, made when first used and kept for the next run."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import codegen
from locomotor.codegen import Kernel, Manifold, Rollout, RolloutKernel
from locomotor.model import System
from locomotor.simulation.start import starting_state
from locomotor.tracing import TracedSystem, trace

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CompiledSystem:
    """A traced system and its compiled functions.

    States are vectors in the order of `state_names`; `start` makes one from values by name.
    """

    traced: TracedSystem
    target: str = "auto"
    project: bool = False

    @property
    def system(self) -> System:
        """The description it was made from."""
        return self.traced.system

    @property
    def state_names(self) -> tuple[str, ...]:
        """Order of the state vector."""
        return self.traced.state_port.names

    @property
    def input_names(self) -> tuple[str, ...]:
        """Order of the input vector."""
        return self.traced.input_port.names

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Order of the parameter vector: the parameters left free."""
        return self.traced.parameter_port.names

    @cached_property
    def default_parameters(self) -> Vector:
        """Values of the free parameters as the system declares them."""
        return np.array([self.system.parameters[name].value for name in self.parameter_names])

    @cached_property
    def dynamics(self) -> Kernel:
        """Rate of the state."""
        return codegen.compile(self.traced.dynamics, target=self.target)

    @cached_property
    def observation(self) -> Kernel:
        """Channels of a run."""
        return codegen.compile(self.traced.observation, target=self.target)

    @cached_property
    def accelerations(self) -> Kernel:
        """Accelerations of all velocities."""
        return codegen.compile(self.traced.accelerations, target=self.target)

    @cached_property
    def roller(self) -> RolloutKernel:
        """Model and steppers fused."""
        return codegen.compile_rollout(
            self.traced.dynamics,
            Manifold(self.traced.blocks),
            self.traced.projection if self.project else None,
            target=self.target,
        )

    @property
    def operations(self) -> int:
        """Arithmetic operations of one right-hand side."""
        return self.traced.dynamics.operations

    def start(self, start: Mapping[str, float] | None = None, **options: Any) -> Vector:
        """A consistent state from values by name (see `simulation.start`)."""
        return starting_state(self.traced, start, **options)

    def rollout(
        self,
        states: ArrayLike,
        steps: int,
        dt: float,
        *,
        inputs: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
        save_every: int = 1,
        stepper: str = "rk4",
        threads: int = 1,
        start_time: float = 0.0,
    ) -> Rollout:
        """Many instances, many steps, one call; see `codegen.RolloutKernel.run` for shapes."""
        chosen = self.default_parameters if parameters is None else parameters
        return self.roller.run(
            states,
            steps,
            dt,
            inputs=inputs,
            parameters=chosen,
            save_every=save_every,
            stepper=stepper,
            threads=threads,
            start_time=start_time,
        )


@lru_cache(maxsize=64)
def compile_system(
    system: System,
    *,
    target: str = "auto",
    free: tuple[str, ...] = (),
    drift_time: float | None = None,
    project: bool = False,
    about: tuple[float, ...] | None = None,
) -> CompiledSystem:
    """Compile a system; equal systems and options give the same object.

    `target` is "auto" (C, and SIMD for batches, or the interpreter where there is no compiler), "c", "simd" or
    "interpreter"; `free` names parameters that stay arguments; `drift_time` is the time constant of the drift correction;
    `project` closes the gaps after each step; `about` is a pose around which pivots are chosen.
    """
    pose = None if about is None else np.array(about)
    traced = trace(system, free=tuple(free), about=pose, drift_time=drift_time)
    return CompiledSystem(traced, target, project)
