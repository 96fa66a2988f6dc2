"""Compiled roll-outs: model and stepper fused, many steps of many instances in one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor.codegen import host
from locomotor.codegen._compile import WORTH_SIMD, InterpretedWarning, choose, compile, warn_failed
from locomotor.codegen.driver import Driver
from locomotor.codegen.kernel import FloatArray, Kernel, as_floats
from locomotor.codegen.manifold import Manifold
from locomotor.codegen.progress import STEPPERS, Plan, Progress, require_whole
from locomotor.errors import CompileError
from locomotor.tracing.traced import Traced

Feedback = Callable[[float, FloatArray], ArrayLike]


@dataclass(frozen=True)
class Rollout:
    """Result of a roll-out; arrays have the batch in front unless a single state was given.

    `times` (saves,), `states` (saves, nx) with NaN after an instance stopped, `final` its last good state, `status`
    0 finished, 1 a monitor became negative, 2 the state was no longer finite, `completed` the number of steps to the
    last good state, `monitor` the index of the monitor that stopped the instance, else -1.
    """

    times: FloatArray
    states: FloatArray
    final: FloatArray
    status: NDArray[np.int32]
    completed: NDArray[np.int64]
    monitor: NDArray[np.int32]


def compile_rollout(
    dynamics: Traced,
    manifold: Manifold,
    project: Traced | None = None,
    target: str = "auto",
    lanes: int | None = None,
    reproducible: bool = False,
) -> RolloutKernel:
    """Roll-outs of x_dot = dynamics(time, state, inputs, parameters), compiled with the stepper around them.

    `dynamics` has the inputs `time` (1), `state`, `inputs`, `parameters` and the outputs `rate` (a tangent vector of
    `manifold`: three numbers, the body angular velocity, for each quaternion) and, optionally, `monitor` (values that
    must stay >= 0). `project`, of the same inputs, gives a tangent `correction` applied after each step.
    `target`, `lanes`, `reproducible`: as for `compile`; "auto" takes SIMD code for large batches.
    """
    _check_ports(dynamics, manifold, ("rate", "monitor"))
    if project is not None:
        _check_ports(project, manifold, ("correction",))
        if [port.size for port in project.inputs] != [port.size for port in dynamics.inputs]:
            raise ValueError(f"{project.name} and {dynamics.name} must have inputs of the same sizes")
    toolchain = choose(target, lanes, dynamics.name)
    if toolchain is not None:
        driver = Driver(dynamics, manifold, project, toolchain, reproducible)
        width = lanes or toolchain.lanes
        try:
            driver.function(width if target == "simd" else 1)
            return RolloutKernel(dynamics, manifold, project, driver, target, width)
        except CompileError as error:
            if target != "auto":
                raise
            warn_failed(dynamics.name, error)
    return RolloutKernel(dynamics, manifold, project, None, "interpreter", 1)


class RolloutKernel:
    """Compiled roll-outs of one system; see `compile_rollout` and `run`.

    `target` is "c", "simd" or "interpreter"; `lanes` how many instances SIMD code takes at once; `operations` counts
    the arithmetic of the dynamics; `source` is the C text, "" when interpreted.
    """

    def __init__(
        self,
        dynamics: Traced,
        manifold: Manifold,
        project: Traced | None,
        driver: Driver | None,
        target: str,
        lanes: int,
    ) -> None:
        self.dynamics = dynamics
        self.manifold = manifold
        self.project = project
        self.lanes = lanes
        self.target = "c" if target == "auto" else target
        self.operations = dynamics.operations
        self._wide_for_batches = target == "auto"
        self._driver = driver
        self._kernels: tuple[Kernel, Kernel | None] | None = None
        self.__doc__ = f"{dynamics.describe()}\n\nRoll-outs by {', '.join(STEPPERS)}. Target: {self.target}."

    def __repr__(self) -> str:
        return f"<RolloutKernel {self.dynamics.name!r}: {self.operations} operations, target {self.target}>"

    @property
    def source(self) -> str:
        """C text of the roll-out, "" when interpreted."""
        return "" if self._driver is None else next(iter(self._driver.sources.values()))

    def run(
        self,
        states: ArrayLike,
        steps: int,
        dt: float,
        inputs: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
        save_every: int = 1,
        stepper: str = "rk4",
        threads: int = 1,
        start_time: float = 0.0,
        feedback: Feedback | None = None,
        sample: str = "step",
    ) -> Rollout:
        """Take `steps` steps of length `dt` from `states` (nx,) or (batch, nx), and save every `save_every`-th state.

        `inputs`: (nu,) for all; with a batch (batch, nu), or (batch, steps, nu) held over each step; with a single
        state (steps, nu); zeros when left out. `parameters`: (np,) or (batch, np). The first saved state is the
        initial one.
        `stepper`: "rk4" (order 4), "abm4" (4) or "abm5" (5: half the evaluations of "rk4"). `threads` share the batch.

        `feedback(t, x) -> u` computes the inputs in Python from the state, in the shape `states` was given:
        at the start of each step and held over it, or with sample="stage" at each evaluation of the dynamics.
        """
        plan = Plan(steps, float(dt), save_every, stepper, float(start_time))
        require_whole("threads", threads, 1)
        if sample not in ("step", "stage"):
            raise ValueError(f"sample must be 'step' or 'stage', not {sample!r}")
        single = np.ndim(states) == 1
        x, u, p = self._arguments(states, steps, inputs, parameters, feedback, single)
        progress = Progress.start(x, plan.saves)
        if len(x) > 0:
            inputs_of = self._source_of_inputs(u, feedback, single, len(x))
            if self._driver is None or (feedback is not None and (sample == "stage" or stepper != "rk4")):
                host.roll_out(self._problem(p, len(x)), progress, inputs_of, plan, sample == "stage")
            elif feedback is not None:
                self._driver.run_sampled(progress, inputs_of, p, plan, self._width(len(x), steps))
            else:
                self._driver.run(progress, u, p, plan, self._width(len(x), steps), threads)
        results = (progress.saved, progress.final, progress.status, progress.completed, progress.monitor)
        return Rollout(plan.times, *(result[0] if single else result for result in results))  # type: ignore[arg-type]

    # --- arguments ---------------------------------------------------------------------------------------------------

    def _arguments(
        self,
        states: ArrayLike,
        steps: int,
        inputs: ArrayLike | None,
        parameters: ArrayLike | None,
        feedback: Feedback | None,
        single: bool,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """States (batch, nx), inputs (1 or batch, 1 or steps, nu), parameters (1 or batch, np)."""
        name = self.dynamics.name
        _, state, control, constant = self.dynamics.inputs
        x = np.atleast_2d(as_floats(name, state, states))
        if feedback is not None and inputs is not None:
            raise ValueError(f"{name}: give inputs or feedback, not both")
        u = as_floats(name, control, np.zeros(control.size) if inputs is None else inputs, (1, 2, 3))
        over_steps = u.ndim == 3 or (u.ndim == 2 and single)
        if over_steps and u.shape[-2] != steps:
            raise ValueError(f"{name}: inputs are given for {u.shape[-2]} steps, the roll-out has {steps}")
        if u.ndim < 3:
            u = u[None] if over_steps else np.atleast_2d(u)[:, None]
        if parameters is None and constant.size > 0:
            raise ValueError(f"{name}: parameters must be given, {constant.size} numbers: {', '.join(constant.names)}")
        p = np.atleast_2d(as_floats(name, constant, np.zeros(0) if parameters is None else parameters))
        for label, array in (("inputs", u), ("parameters", p)):
            if len(array) not in (1, len(x)):
                raise ValueError(f"{name}: {label} are given for {len(array)} instances, there are {len(x)} states")
        return x, u, p

    def _source_of_inputs(self, u: FloatArray, feedback: Feedback | None, single: bool, batch: int) -> host.InputsOf:
        control, name = self.dynamics.inputs[2], f"feedback of {self.dynamics.name}"

        def inputs_of(step: int, t: float, x: FloatArray) -> FloatArray:
            if feedback is None:
                given = u[:, 0 if u.shape[1] == 1 else step]
            else:
                given = as_floats(name, control, feedback(t, x[0] if single else x))
                if given.ndim == 2 and len(given) != batch:
                    raise ValueError(f"{name} gave inputs for {len(given)} instances, there are {batch} states")
            return np.broadcast_to(given, (batch, control.size))

        return inputs_of

    # --- back ends ---------------------------------------------------------------------------------------------------

    def _width(self, batch: int, steps: int) -> int:
        """Lanes to use for a batch; falls back to scalar code where a compiler knows no vector extensions."""
        if self.target == "simd":
            return self.lanes
        assert self._driver is not None
        worth = 2 * batch > self.lanes and batch * steps * self.operations > WORTH_SIMD
        if self._wide_for_batches and worth:
            try:
                self._driver.function(self.lanes)
                return self.lanes
            except CompileError as error:
                warnings.warn(f"SIMD code could not be built, scalar code is used: {error}", InterpretedWarning, 4)
                self._wide_for_batches = False
        return 1

    def _problem(self, p: FloatArray, batch: int) -> host.Problem:
        """Dynamics and projection as functions of (time, states, inputs) over the batch."""
        if self._kernels is None:
            target = "interpreter" if self._driver is None else "auto"
            project = None if self.project is None else compile(self.project, target)
            self._kernels = (compile(self.dynamics, target), project)
        dynamics, projection = self._kernels
        p = p[0] if len(p) == 1 else p

        def rates(t: float, x: FloatArray, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
            outputs = dynamics(np.array([t]), x, inputs, p)
            return outputs[0], outputs[1] if len(outputs) > 1 else np.zeros((batch, 0))

        def correction(t: float, x: FloatArray, inputs: FloatArray) -> FloatArray:
            assert projection is not None
            return projection(np.array([t]), x, inputs, p)[0]

        return host.Problem(self.manifold, rates, None if projection is None else correction)


def _check_ports(traced: Traced, manifold: Manifold, outputs: tuple[str, ...]) -> None:
    names = [port.name for port in traced.inputs]
    if names != ["time", "state", "inputs", "parameters"] or traced.inputs[0].size != 1:
        raise ValueError(f"{traced.name}: a roll-out needs inputs time (1), state, inputs, parameters; it has {names}")
    results = tuple(port.name for port in traced.outputs)
    if results not in (outputs, outputs[:1]):
        raise ValueError(f"{traced.name}: a roll-out needs the outputs {outputs}; it has {results}")
    sizes = (traced.inputs[1].size, traced.outputs[0].size)
    if sizes != (manifold.size, manifold.tangent_size) or manifold.size == 0:
        raise ValueError(
            f"{traced.name}: state has {sizes[0]} numbers and {results[0]} {sizes[1]}; the manifold has "
            f"{manifold.size} and {manifold.tangent_size} (four and three for each quaternion)"
        )
