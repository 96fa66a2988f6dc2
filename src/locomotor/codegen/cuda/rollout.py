"""Roll-outs on a CUDA device: states stay there, no atomics: equal calls give equal bits.

An instance has one thread, or one a limb where it has several and a thread could not hold them (`cuda/limbs.py`). Steps of many
contacts are taken in stages (`cuda/stages.py`), or by teams of threads (`runtime/teams.h`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.codegen.cuda.device import Device, is_on_device, need_device
from locomotor.codegen.cuda.limbs import limb_text
from locomotor.codegen.cuda.staged import Kernels, StagedSteps
from locomotor.codegen.cuda.stages import StagedText, staged_text
from locomotor.codegen.cuda.text import BLOCK, dialect_of, rollout_text, team_text
from locomotor.codegen.data import data_of
from locomotor.codegen.implicit import Implicit
from locomotor.codegen.program import BreaksOf, Program, with_breaks
from locomotor.codegen.results import Rollout, shaped_arguments
from locomotor.codegen.rollout_plan import Plan
from locomotor.errors import ArgumentError

COARSE = {"float64": 0.0, "float32": 1e-7}
"""What Newton's method may leave open, at least."""
SHARE, MOST = 0.25, 2**18
"""Share of the free memory that scratch may take, and instances that run at once where they need some."""


class CudaRolloutKernel:
    """Roll-outs of one program on the device; the same `run` as `RolloutKernel`, by Runge-Kutta 4, a step map or implicitly.

    `registers` is what one thread takes, `local_bytes` what it keeps in memory beside them: values that are spilled, work
    arrays of long tapes, and the stack.
    """

    target = "cuda"
    lanes = 1

    def __init__(self, program: Program, precision: str = "float64") -> None:
        dialect_of(precision)
        self.program = program
        self.dynamics = program.dynamics
        self.precision = precision
        self.operations = program.dynamics.operations
        self.staged = staged_text(program, precision)
        """Steps in stages, where they call functions of the runtime that are made so."""
        divided, team = (None, None) if self.staged else (limb_text(program, precision), team_text(program, precision))
        shared = divided or team or self.staged
        self.source = rollout_text(program, precision) if shared is None else shared.text
        self.threads = 1 if divided is None else divided.limbs
        """Threads an instance; of those that call a function of the runtime by a team, one."""
        own = divided or team
        self._block, self._instances, self._shared = (BLOCK, BLOCK, 0) if own is None else own.launch
        self._scratch = 0 if team is None else team.scratch
        self.device: Device = need_device(program.name)
        kernel = "lm_rollout" if self.staged is None else "lm_stage_0"
        self._kernel, self._module = self.device.build(self.source, kernel, data_of(program.functions), precision)
        if own is not None:
            self._kernel.max_dynamic_shared_size_bytes = own.launch[2]
        self._steps = None if self.staged is None else self._in_stages(self.staged)
        self.__doc__ = f"{program.dynamics.describe()}\n\nRoll-outs by rk4 on {self.device.name}, {precision}."

    def __repr__(self) -> str:
        return (
            f"<CudaRolloutKernel {self.program.name!r}: {self.operations} operations, {self.precision}, "
            f"{self.registers} registers, {self.local_bytes} bytes of local memory>"
        )

    @property
    def registers(self) -> int:
        """Registers of one thread."""
        return int(self._kernel.num_regs)

    @property
    def local_bytes(self) -> int:
        """Local memory of one thread."""
        return int(self._kernel.local_size_bytes)

    def _in_stages(self, made: StagedText) -> StagedSteps:
        columns = self.dynamics.inputs[1].size + 2 * len(self.program.reductions)
        queue = Kernels(self.device.cupy, self._module)
        return StagedSteps(made, columns, self.precision, queue, self.device.multiprocessors)

    def _run_in_stages(self, steps: StagedSteps, rollout: Sequence[Any], batch: int, count: int) -> None:
        """All steps of a batch, kernel after kernel; `rollout` are arrays of the instances, then numbers."""
        free, _ = self.device.cupy.cuda.runtime.memGetInfo()
        most = 32 * max(1, min(int(SHARE * free) // (32 * steps.numbers * np.dtype(self.precision).itemsize), MOST // 32))
        room = steps.room(self.device.cupy, min(most, batch))
        for begin in range(0, batch, most):
            end = min(begin + most, batch)
            arrays = [each if len(each) != batch else each[begin:end] for each in rollout[:9]]
            given = (*arrays, np.int64(end - begin), *rollout[10:])
            steps.begin(room, given, end - begin)
            steps.steps(room, given, end - begin, count)
            steps.end(room, given, end - begin)

    def _pieces(self, batch: int) -> list[tuple[int, int]]:
        """Instances that run at once: all, unless teams take more scratch for them than there is; makes room for it."""
        if not self._scratch:
            return [(0, batch)]
        size = np.dtype(self.precision).itemsize * self._scratch
        free, _ = self.device.cupy.cuda.runtime.memGetInfo()
        most = 32 * max(1, min(int(SHARE * free) // size, -(-MOST // 32)))
        pieces = [(begin, min(begin + most, batch)) for begin in range(0, batch, most)]
        self.device.scratch(self._module, "lm_scratch", -(-min(most, batch) // self._block) * self._block // 32 * size)
        return pieces

    def run(
        self,
        states: Any,
        steps: int,
        dt: float,
        inputs: Any = None,
        parameters: Any = None,
        save_every: int = 1,
        stepper: str | Implicit = "rk4",
        threads: int = 1,
        start_time: float = 0.0,
        feedback: Any = None,
        sample: str = "step",
        law: Any = None,
        breaks: BreaksOf | None = None,
    ) -> Rollout:
        """Take steps; shapes and results as in `RolloutKernel.run`. Arrays of the device give arrays of the device."""
        plan = Plan(steps, dt, save_every, stepper, start_time)
        implicit = plan.implicit
        if (implicit is None and stepper != "rk4") or (implicit is None) != (self.program.slopes is None):
            has = "stepper 'rk4' and implicit ones only" if self.program.slopes is None else "implicit steps here"
            raise ArgumentError(f"{self.program.name}: the device has {has}, not {stepper!r}; 'simd' has more")
        if feedback is not None or law is not None:
            raise ArgumentError(f"{self.program.name}: the device runs no feedback in Python; write it as a law of the system")
        device, cupy = self.device, self.device.cupy
        dtype = np.dtype(self.precision)
        stays = is_on_device(states)
        x, u, p, single = shaped_arguments(
            self.dynamics,
            states,
            plan.steps,
            inputs,
            parameters,
            lambda owner, port, value, dimensions=(1, 2): device.array(owner, port, value, dtype, dimensions),
        )
        plan = with_breaks(plan, self.program, breaks, p)
        batch = len(x)
        width, measures = self.program.saved.size, len(self.program.reductions)
        checks.product("what this roll-out saves", (batch, plan.saves, width))
        wanted = batch * (dtype.itemsize * (plan.saves * width + x.shape[1] + measures) + 16)
        with device.memory(self.program.name, wanted, batch):
            saved = cupy.full((batch, plan.saves, width), cupy.nan, dtype=dtype)
            final = cupy.empty_like(x)
            measured = cupy.full((batch, measures), cupy.nan, dtype=dtype)
            status = cupy.zeros(batch, dtype=cupy.int32)
            completed = cupy.zeros(batch, dtype=cupy.int64)
            monitor = cupy.full(batch, -1, dtype=cupy.int32)
        if batch:
            whole = (batch, plan.steps, plan.saves, plan.save_every)
            strides = (
                0 if len(u) == 1 else u.shape[1] * u.shape[2],
                0 if u.shape[1] == 1 else u.shape[2],
                0 if len(p) == 1 else p.shape[1],
            )
            arrays = (x, u, p, saved, final, measured, status, completed, monitor)
            numbers = (*map(np.int64, (*whole, *strides)), np.float64(plan.start_time), np.float64(plan.dt))
            instants = cupy.asarray(plan.breaks or (0.0,), dtype=cupy.float64)
            how = (0.0,) * 4 if implicit is None else (*implicit.coefficients, max(implicit.tolerance, COARSE[self.precision]))
            settings = (np.int64(len(plan.breaks)), *map(np.float64, how))
            if self._steps is not None:
                self._run_in_stages(self._steps, (*arrays, *numbers), batch, plan.steps)
            for begin, end in self._pieces(batch) if self._steps is None else ():
                count = np.int64(end - begin)
                part = [each if len(each) != batch else each[begin:end] for each in arrays]
                given = (*part, count, *numbers[1:], instants, *settings)
                device.launch(self._kernel, end - begin, self._block, given, self._instances, self._shared)
        results = (saved, final, measured, status, completed, monitor)
        if not stays:
            results = tuple(cupy.asnumpy(result) for result in results)
        return Rollout(plan.times, *(result[0] if single else result for result in results))
