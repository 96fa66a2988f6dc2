"""Compiled roll-outs: model and stepper fused, many steps of many instances in one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks
from locomotor.codegen import host
from locomotor.codegen._compile import WORTH_SIMD, InterpretedWarning, choose, compile, warn_failed
from locomotor.codegen.bound_rollout import BoundRollout
from locomotor.codegen.driver import LONG, Driver
from locomotor.codegen.implicit import Implicit, patience_of
from locomotor.codegen.kernel import Kernel, as_floats
from locomotor.codegen.program import BreaksOf, Program, with_breaks
from locomotor.codegen.results import Rollout, shaped_arguments
from locomotor.codegen.rollout_plan import EXPLICIT, STEPPERS, Plan, Progress
from locomotor.errors import ArgumentError, CompileError
from locomotor.lie import Manifold
from locomotor.tracing.core import Traced
from locomotor.typing import Floats

Feedback = Callable[[float, Floats], ArrayLike]


def compile_rollout(
    dynamics: Traced,
    manifold: Manifold,
    project: Traced | None = None,
    target: str = "auto",
    lanes: int | None = None,
    reproducible: bool = False,
    observe: Traced | None = None,
    measure: Traced | None = None,
    reductions: tuple[str, ...] = (),
) -> RolloutKernel:
    """Roll-outs of x_dot = dynamics(time, state, inputs, parameters), compiled with the stepper around them.

    `dynamics` has the inputs `time` (1), `state`, `inputs`, `parameters` and the outputs `rate` (a tangent vector of
    `manifold`: three numbers, the body angular velocity, for each quaternion) and, optionally, `monitor` (values that
    must stay >= 0). `project`, of the same inputs, gives a tangent `correction` applied after each step, `observe` what is
    saved instead of the state, `measure` values that are reduced over the roll-out, each in one of the ways
    `program.REDUCTIONS`.
    `target`, `lanes`, `reproducible`: as for `compile`; "auto" takes SIMD code for large batches.
    """
    return compile_program(Program(dynamics, manifold, project, observe, measure, reductions), target, lanes, reproducible)


def compile_map(
    step: Traced,
    target: str = "auto",
    lanes: int | None = None,
    reproducible: bool = False,
    observe: Traced | None = None,
    measure: Traced | None = None,
    reductions: tuple[str, ...] = (),
) -> RolloutKernel:
    """Roll-outs of a step map: `step` has the inputs `time` (1), `state`, `inputs`, `parameters`, `step` (1: the length of
    the step) and the outputs `next` (the state after it) and, optionally, `monitor`. The rest as in `compile_rollout`.
    """
    manifold = Manifold([("vector", step.inputs[1].size if len(step.inputs) > 1 else 0)])
    return compile_program(Program(step, manifold, None, observe, measure, reductions), target, lanes, reproducible)


def compile_program(
    program: Program, target: str = "auto", lanes: int | None = None, reproducible: bool = False
) -> RolloutKernel:
    """Roll-outs of a program for the processor; see `compile_rollout`. For a CUDA device: `cuda.CudaRolloutKernel`."""
    toolchain = choose(target, lanes, program.name)
    if toolchain is not None:
        driver = Driver(program, toolchain, reproducible)
        width = lanes or toolchain.lanes
        try:
            driver.function(width if target == "simd" else 1)
            return RolloutKernel(program, driver, target, width, reproducible)
        except CompileError as error:
            if target != "auto":
                raise
            warn_failed(program.name, error)
    return RolloutKernel(program, None, "interpreter", 1)


class RolloutKernel:
    """Compiled roll-outs of one system; see `compile_rollout` and `run`.

    `target` is "c", "simd" or "interpreter"; `lanes` how many instances SIMD code takes at once; `operations` counts
    the arithmetic of the dynamics; `source` is the C text, "" when interpreted.
    """

    def __init__(self, program: Program, driver: Driver | None, target: str, lanes: int, reproducible: bool = False) -> None:
        dynamics = program.dynamics
        self._reproducible = reproducible
        self.program = program
        self.dynamics = dynamics
        self.lanes = lanes
        self.target = "c" if target == "auto" else target
        self.operations = dynamics.operations
        self._wide_for_batches = target == "auto"
        self._driver = driver
        self._kernels: dict[int, Kernel] = {}
        methods = "a step map" if program.is_map else ", ".join(STEPPERS)
        self.__doc__ = f"{dynamics.describe()}\n\nRoll-outs by {methods}. Target: {self.target}."

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
        stepper: str | Implicit = "rk4",
        threads: int = 1,
        start_time: float = 0.0,
        feedback: Feedback | None = None,
        sample: str = "step",
        law: host.Law | None = None,
        breaks: BreaksOf | None = None,
    ) -> Rollout:
        """Take `steps` steps of length `dt` from `states` (nx,) or (batch, nx), and save every `save_every`-th (0: none).

        `inputs`: (nu,) for all; with a batch (batch, nu), or (batch, steps, nu) held over each step; with a single
        state (steps, nu); zeros when left out. `parameters`: (np,) or (batch, np). The first saved state is the
        initial one.
        `stepper`: "rk4" (order 4), "abm4" (4) or "abm5" (5: half the evaluations of "rk4"); implicit, for what is stiff,
        "midpoint" (2), "generalised-alpha" (2) or an `Implicit`. `threads` share the batch.

        `feedback(t, x) -> u` computes the inputs in Python from the state, in the shape `states` was given:
        at the start of each step and held over it, or with sample="stage" at each evaluation of the dynamics. `law`, for a
        program that senses and a single state, computes them from what it senses, at each evaluation of the dynamics.
        `breaks` finds the instants at which laws of time may jump, for a program that has such laws: steps end there.
        """
        plan = Plan(steps, dt, save_every, stepper, start_time)
        if plan.implicit is not None and self.program.slopes is None:
            settings: dict[str, Any] = {"threads": threads, "start_time": start_time, "feedback": feedback, "sample": sample}
            settings |= {"law": law, "breaks": breaks}
            return self.implicit.run(states, steps, dt, inputs, parameters, save_every, stepper, **settings)
        if plan.implicit is None and self.program.slopes is not None:
            raise ArgumentError(f"{self.dynamics.name}: it was compiled for implicit steps; {stepper!r} takes none")
        steps, threads = plan.steps, checks.threads(threads, "threads")
        if sample not in ("step", "stage"):
            raise ArgumentError(f"sample must be 'step' or 'stage', not {sample!r}")
        if (feedback is not None) + (inputs is not None) + (law is not None) > 1:
            raise ArgumentError(f"{self.dynamics.name}: give inputs or feedback, not both, or a law instead")
        x, u, p, single = shaped_arguments(self.dynamics, states, steps, inputs, parameters, as_floats)
        if (law is None) != (self.program.sense is None) or (law is not None and not single):
            raise ArgumentError(f"{self.dynamics.name}: a law goes with a program that senses, and with a single state")
        if feedback is not None and (self.program.observe or self.program.measure or self.program.is_map):
            raise ArgumentError(f"{self.dynamics.name}: feedback goes with saved states only; observe them afterwards")
        plan = with_breaks(plan, self.program, breaks, p)
        progress = Progress.start(x, plan.saves, self.program.saved.size, len(self.program.reductions))
        if len(x) > 0:
            inputs_of = self._source_of_inputs(u, feedback, single, len(x)) if law is None else self._asking(law, p)
            if law is not None and self._driver is not None:
                self._driver.run_called(progress, law, p, plan)
            elif self._driver is None or law is not None or (feedback is not None and (sample == "stage" or stepper != "rk4")):
                host.roll_out(self._problem(p, len(x)), progress, inputs_of, plan, sample == "stage" or law is not None)
            elif feedback is not None:
                self._driver.run_sampled(progress, inputs_of, p, plan, self._width(len(x), steps))
            else:
                self._driver.run(progress, u, p, plan, self._width(len(x), steps), threads)
        results = (
            progress.saved,
            progress.final,
            progress.measures,
            progress.status,
            progress.completed,
            progress.monitor,
        )
        return Rollout(plan.times, *(result[0] if single else result for result in results))  # type: ignore[arg-type]

    def bind(self, inputs: Floats, parameters: Floats, stepper: str | Implicit) -> BoundRollout | None:
        """Steps from one state at a time with inputs and parameters that stay; None where only `run` can take them."""
        program = self.program
        plain = not (program.sense or program.measure or program.is_map or program.slopes)
        if self._driver is None or self.target == "simd" or not plain or stepper not in EXPLICIT:
            return None
        sizes = self.dynamics.inputs[1].size, program.saved.size
        longest = int(LONG / max(program.operations, 1))
        return BoundRollout(self._driver.function(1), str(stepper), sizes, inputs, parameters, longest)

    @cached_property
    def implicit(self) -> RolloutKernel:
        """Roll-outs by implicit steps, which are another text: it has the slopes of the rates in it."""
        target = self.target if not self._wide_for_batches else "auto"
        return compile_program(self.program.implicit(), target, self.lanes if target == "simd" else None, self._reproducible)

    # --- arguments ---------------------------------------------------------------------------------------------------

    def _source_of_inputs(self, u: Floats, feedback: Feedback | None, single: bool, batch: int) -> host.InputsOf:
        control, name = self.dynamics.inputs[2], f"feedback of {self.dynamics.name}"

        def inputs_of(step: int, t: float, x: Floats) -> Floats:
            if feedback is None:
                given = u[:, 0 if u.shape[1] == 1 else step]
            else:
                given = as_floats(name, control, feedback(t, x[0] if single else x))
                if given.ndim == 2 and len(given) != batch:
                    raise ArgumentError(f"{name} gave inputs for {len(given)} instances, there are {batch} states")
            return np.broadcast_to(given, (batch, control.size))

        return inputs_of

    def _asking(self, law: host.Law, p: Floats) -> host.InputsOf:
        """Inputs of one instance that a law answers to what the program senses."""
        assert self.program.sense is not None
        sense, open_ = self._kernel(self.program.sense), np.zeros(self.dynamics.inputs[2].size)
        return lambda step, t, x: np.array([law(np.ravel(sense(np.array([t]), x[0], open_, p[0])[0]).tolist())], dtype=float)

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

    def _problem(self, p: Floats, batch: int) -> host.Problem:
        """The program as functions over the batch."""
        program = self.program
        p = p[0] if len(p) == 1 else p

        def two(outputs: tuple[Floats, ...]) -> tuple[Floats, Floats]:
            return outputs[0], outputs[1] if len(outputs) > 1 else np.zeros((batch, 0))

        def function(traced: Traced | None) -> host.Function | None:
            if traced is None:
                return None
            kernel = self._kernel(traced)
            return lambda t, x, u: kernel(np.array([t]), x, u, p)[0]

        main = self._kernel(program.dynamics)
        return host.Problem(
            program.manifold,
            dynamics=None if program.is_map else lambda t, x, u: two(main(np.array([t]), x, u, p)),
            step=(lambda t, h, x, u: two(main(np.array([t]), x, u, p, np.array([h])))) if program.is_map else None,
            projection=function(program.project),
            observation=function(program.observe),
            measure=function(program.measure),
            reductions=program.reductions,
            slopes=self._slopes(p),
            pivots=program.pivots,
            patience=0 if program.slopes is None else patience_of(program.slopes, program.dynamics.operations),
        )

    def _slopes(self, p: Floats) -> host.Function | None:
        """The slopes of the rates as matrices, over a batch."""
        slopes, n = self.program.slopes, self.program.manifold.tangent_size
        if slopes is None:
            return None
        kernel = self._kernel(slopes.function)
        return lambda t, x, u: slopes.matrices(lambda *along: kernel(np.array([t]), x, u, p, *along)[0], n)

    def _kernel(self, traced: Traced) -> Kernel:
        if id(traced) not in self._kernels:
            self._kernels[id(traced)] = compile(traced, "interpreter" if self._driver is None else "auto")
        return self._kernels[id(traced)]
