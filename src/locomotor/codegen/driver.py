"""The compiled driver of roll-outs: C text of model and stepper fused, its build, and its calls."""

from __future__ import annotations

import ctypes
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen._compile import build
from locomotor.codegen.data import attach
from locomotor.codegen.emit_c import SCALAR, simd
from locomotor.codegen.host import InputsOf, Law
from locomotor.codegen.kernel import address
from locomotor.codegen.program import Program
from locomotor.codegen.rollout_plan import EXPLICIT, FINISHED, NOT_FINITE, Plan, Progress, finite_rows
from locomotor.codegen.threads import Stop, share, stop_here
from locomotor.codegen.toolchain import Toolchain
from locomotor.typing import Floats

ALIGNED = 16
"""Numbers of the widest vectors: room for them begins at a multiple of their length."""
LONG = 1e8
"""Operations (some hundredths of a second) from which a roll-out listens for interrupts while it runs."""


class Driver:
    """Compiled roll-outs of one system; a width of 1 is scalar code, others are SIMD; each is built when first used."""

    def __init__(self, program: Program, toolchain: Toolchain, reproducible: bool) -> None:
        self.sources: dict[int, str] = {}
        self._functions: dict[int, Any] = {}
        self._program = program
        self._toolchain = toolchain
        self._reproducible = reproducible

    def function(self, width: int) -> Any:
        """The C function `lm_rollout` for so many lanes."""
        if width not in self._functions:
            text = self._program.emit(SCALAR if width == 1 else simd(width), "rollout_call.h")
            library = build(text, self._toolchain, self._program.operations, self._reproducible)
            attach(library, self._program.functions)
            function = library.lm_rollout
            function.restype = None
            self.sources[width] = text
            self._functions[width] = function
        return self._functions[width]

    def run(self, progress: Progress, u: Floats, p: Floats, plan: Plan, width: int, threads: int) -> None:
        """Integrate from `progress.final` with inputs (1 or batch, 1 or steps, nu), parameters (1 or batch, np)."""
        function = self.function(width)
        states = progress.final.copy()
        batch = len(states)
        # Whole blocks of lanes to each thread; ctypes releases the interpreter lock, so that plain threads do.
        blocks = -(-batch // width)
        count = min(threads, blocks)
        bounds = [min(batch, blocks * k // count * width) for k in range(count + 1)]

        stop = stop_here()

        def work(first: int, last: int) -> None:
            function(ctypes.byref(job_of(states, progress, u, p, plan, slice(first, last), stop, self._program.work * width)))

        if count == 1 and plan.steps * batch * self._program.operations < LONG:
            work(0, batch)
            stop.check()
        else:
            share(work, list(pairwise(bounds)), stop)

    def run_called(self, progress: Progress, law: Law, p: Floats, plan: Plan) -> None:
        """Integrate one instance from `progress.final`, asking a function in Python for the inputs at every evaluation."""
        function, states = self.function(1), progress.final.copy()
        sense = self._program.sense
        assert sense is not None
        u = np.zeros((1, 1, self._program.dynamics.inputs[2].size))
        sensed = (ctypes.c_double * sense.outputs[0].size)()
        given = (ctypes.c_double * (u.size + 1))(*[0.0] * u.size, 1.0)
        raised: list[BaseException] = []

        def answer() -> None:
            try:
                given[:] = [*law(sensed[:]), 1.0]  # type: ignore[assignment]  # floats are taken as they are
            except BaseException as error:  # whatever it is, an interrupt too: C must be left before it goes on
                raised.append(error)

        call = _Answer(answer)
        job = job_of(states, progress, u, p, plan, slice(0, 1), stop_here(), self._program.work)
        job.sensed, job.given, job.answer = ctypes.addressof(sensed), ctypes.addressof(given), call
        function(ctypes.byref(job))
        if raised:
            raise raised[0]
        if given[u.size] != 1.0:
            raise KeyboardInterrupt  # it came before the first line of `answer`

    def run_sampled(self, progress: Progress, inputs_of: InputsOf, p: Floats, plan: Plan, width: int) -> None:
        """Integrate by Runge-Kutta one compiled step at a time, with inputs from Python held over each step."""
        function = self.function(width)
        x = progress.final.copy()
        alive = finite_rows(x)
        if plan.saves:
            progress.saved[:, 0] = x
        progress.stop(~alive, NOT_FINITE, 0)
        x[~alive] = 0.0
        states, u = x.copy(), np.zeros((len(x), 1, self._program.dynamics.inputs[2].size))
        step = Progress.start(x, 0)
        one = Plan(1, plan.dt, save_every=0)
        job = job_of(states, step, u, p, one, slice(0, len(x)), Stop())
        call = ctypes.byref(job)
        for n in range(plan.steps):
            if not alive.any():
                break
            t = plan.start_time + n * plan.dt
            states[:] = x
            u[:, 0] = inputs_of(n, t, x)
            job.start_time = t
            function(call)
            for index in np.flatnonzero(alive & (step.status != FINISHED)):
                progress.status[index], progress.monitor[index] = step.status[index], step.monitor[index]
                progress.completed[index] = n
                alive[index] = False
            x = np.where(alive[:, None], step.final, x)
            if plan.saves and (n + 1) % plan.save_every == 0:
                progress.saved[alive, (n + 1) // plan.save_every] = x[alive]
        progress.stop(alive, FINISHED, plan.steps)
        good = finite_rows(progress.final)
        progress.final[good] = x[good]


_Answer = ctypes.CFUNCTYPE(None)
_NUMBERS: dict[Any, int] = {name: number for number, name in enumerate(EXPLICIT)}


class Job(ctypes.Structure):
    """`lm_rollout_job` of `runtime/rollout.h`."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("states", "inputs", "parameters", "saved", "final", "measures")),
        *((name, ctypes.c_void_p) for name in ("status", "completed", "monitor")),
        *((name, ctypes.c_int64) for name in ("batch", "steps", "saves", "save_every", "stepper")),
        *((name, ctypes.c_int64) for name in ("input_stride", "input_step_stride", "parameter_stride")),
        *((name, ctypes.c_double) for name in ("start_time", "dt")),
        ("stop", ctypes.c_void_p),
        ("breaks", ctypes.POINTER(ctypes.c_double)),
        ("break_count", ctypes.c_int64),
        *((name, ctypes.c_double) for name in ("a_m", "a_f", "gamma", "tolerance")),
        *((name, ctypes.c_void_p) for name in ("work", "rate", "watched")),
        # Read by programs with a law on the host only.
        *((name, ctypes.c_void_p) for name in ("sensed", "given")),
        ("answer", _Answer),
    )
    flag: Stop
    """Keeps what `stop` points to alive."""
    room: Floats
    """Keeps what `work` points to alive."""


def job_of(states: Floats, progress: Progress, u: Floats, p: Floats, plan: Plan, rows: slice, stop: Stop, work: int = 0) -> Job:
    """Job for some rows, with room for so many numbers; the arrays must outlive it."""
    everything = rows.start == 0 and rows.stop == len(states)

    def part(array: NDArray[Any]) -> int:
        return address(array if everything or len(array) == 1 else array[rows])

    job = Job(
        states=part(states),
        inputs=part(u),
        parameters=part(p),
        saved=part(progress.saved),
        final=part(progress.final),
        measures=part(progress.measures),
        status=part(progress.status),
        completed=part(progress.completed),
        monitor=part(progress.monitor),
        batch=rows.stop - rows.start,
        steps=plan.steps,
        saves=plan.saves,
        save_every=plan.save_every,
        stepper=_NUMBERS.get(plan.stepper, 0),
        input_stride=0 if len(u) == 1 else u.shape[1] * u.shape[2],
        input_step_stride=0 if u.shape[1] == 1 else u.shape[2],
        parameter_stride=0 if len(p) == 1 else p.shape[1],
        start_time=plan.start_time,
        dt=plan.dt,
        stop=stop.address,
        breaks=(ctypes.c_double * len(plan.breaks))(*plan.breaks) if plan.breaks else None,
        break_count=len(plan.breaks),
    )
    job.flag = stop
    if plan.implicit is not None:
        job.a_m, job.a_f, job.gamma = plan.implicit.coefficients
        job.tolerance = plan.implicit.tolerance
        job.room = np.empty(work + ALIGNED)
        job.work = -(-job.room.ctypes.data // (8 * ALIGNED)) * 8 * ALIGNED
    return job
