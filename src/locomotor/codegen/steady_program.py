"""Solutions and eigenvalues of many small systems in one call: Newton's method and QR fused with the traced equations.

One instance after the other, or one a thread on a CUDA device; see `runtime/steady.h`. What it does with numpy and kernels is
in `analysis.batched_steady`, which also says what the equations mean.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen._compile import build, choose, warn_failed
from locomotor.codegen.cuda import BLOCK, DOUBLE, need_device
from locomotor.codegen.emit_c import SCALAR, Dialect, emit_core, opening, prologue, runtime
from locomotor.codegen.kernel import address
from locomotor.codegen.threads import share_rows
from locomotor.codegen.toolchain import Toolchain
from locomotor.dataclass import dataclass
from locomotor.errors import CompileError
from locomotor.tracing.core import Traced
from locomotor.typing import Complexes, Floats

NO_SOLUTION = 4
"""Status beside those of `codegen.eigen`."""

GIVEN = ("inputs", "parameters", "asked")
"""Inputs of the equations that differ from instance to instance."""


class Spectra(NamedTuple):
    """Eigenvalues (batch, n), what is left of the equations at most, and the status of each instance."""

    values: Complexes
    residual: Floats
    status: NDArray[np.int32]


@dataclass(frozen=True)
class SteadyProgram:
    """Equations `residual` = 0 of some unknowns with their `slope`, and which part of the slope is a linear system.

    `unknowns` are places (input, number) among the inputs of the function. `square` is a regular part (equations, unknowns).
    The linear system is the slope of the equations `rates` by the unknowns `states`; the unknowns `ties[1]` follow the first
    `free` states so that the equations `ties[0]` hold. `family` zero eigenvalues are taken out.
    """

    function: Traced
    unknowns: tuple[tuple[str, int], ...]
    square: tuple[tuple[int, ...], tuple[int, ...]]
    rates: tuple[int, ...]
    states: tuple[int, ...]
    ties: tuple[tuple[int, ...], tuple[int, ...]]
    free: int
    family: int

    @property
    def rest(self) -> int:
        """Number of eigenvalues: rates beside those along the family of steady motions."""
        return len(self.rates) - self.family

    def emit(self, dialect: Dialect, entry: str) -> str:
        """Complete text of the program; `entry` is the text of its exported function."""
        equations, unknowns = self.function.outputs[1].shape
        lists = {"ROWS": self.square[0], "COLUMNS": self.square[1], "RATES": self.rates, "STATES": self.states}
        lists |= {"CLOSING": self.ties[0], "DEPENDENT": self.ties[1]}
        sizes = {"UNKNOWNS": unknowns, "EQUATIONS": equations, "SQUARE": len(self.square[0]), "ORDER": len(self.rates)}
        sizes |= {"TIES": len(self.ties[0]), "FREE": self.free, "FAMILY": self.family}
        defines = [f"#define LM_{name} {value}" for name, value in sizes.items()]
        defines += [f"#define LM_{name} {_list(map(str, places))}" for name, places in lists.items()]
        texts = [opening(self.function, dialect), prologue(dialect, "solve.h"), "\n".join(defines), runtime("eigen.h")]
        texts += [emit_core(self.function, "lm_core", dialect), self._equations(), runtime("steady.h"), entry]
        return "\n\n".join(texts)

    def _equations(self) -> str:
        given = ", ".join(f"const stored *{name}" for name in ("base", *GIVEN))
        lines = [f"LM_INLINE void lm_equations(const real *x, {given}, real *residual, real *slope) {{"]
        passed, at = [], 0
        for port in self.function.inputs:
            open_ = [(k, place) for k, (name, place) in enumerate(self.unknowns) if name == port.name]
            if port.name in GIVEN and not open_:
                passed.append(port.name)
                continue
            passed.append(f"at_{port.name}")
            source = port.name if port.name in GIVEN else f"base + {at}"
            at += 0 if port.name in GIVEN else port.size
            lines.append(f"    real at_{port.name}[{max(port.size, 1)}];")
            lines.append(f"    for (int i = 0; i < {port.size}; ++i) at_{port.name}[i] = ({source})[i];")
            lines += [f"    at_{port.name}[{place}] = x[{k}];" for k, place in open_]
        unused = "".join(f"(void){name}, " for name in GIVEN)
        lines += [f"    {unused}lm_core({', '.join(passed)}, residual, slope);", "}"]
        return "\n".join(lines)


@lru_cache(maxsize=32)
def compile_steady(program: SteadyProgram, target: str) -> CompiledSteady | CudaSteady | None:
    """Machine code: target "cuda", or C; None where "auto" finds no compiler. Equal programs share it."""
    if target == "cuda":
        return CudaSteady(program)
    toolchain = choose(target, None, program.function.name)
    if toolchain is None:
        return None
    try:
        return CompiledSteady(program, toolchain)
    except CompileError as error:
        if target != "auto":
            raise
        warn_failed(program.function.name, error)
        return None


def _list(entries: Any) -> str:
    return "{" + (", ".join(entries) or "0") + "}"


_CALL = (
    "lm_steady_of(start, base, inputs + i * n_inputs, parameters + i * n_parameters, asked + i * n_asked, "
    "values + 2 * i * LM_REST, left + i)"
)
_ARGUMENTS = (
    "(const stored *start, const stored *base, const stored *inputs, const stored *parameters, const stored *asked, "
    "stored *values, stored *left, int32_t *status, int64_t batch)"
)


@dataclass(frozen=True, eq=False)
class Task:
    """Rows of (inputs, parameters, asked), one an instance; where all start; values of the inputs that none of them names."""

    start: Floats
    base: Floats
    inputs: Floats
    parameters: Floats
    asked: Floats

    @property
    def shared(self) -> tuple[Floats, ...]:
        """Arrays that all instances share: start and base."""
        return tuple(np.ascontiguousarray(array, dtype=np.float64) for array in (self.start, self.base))

    @property
    def rows(self) -> tuple[Floats, ...]:
        """Arrays with one row an instance."""
        return tuple(np.ascontiguousarray(array, dtype=np.float64) for array in (self.inputs, self.parameters, self.asked))


class CompiledSteady:
    """In C, one instance after the other."""

    def __init__(self, program: SteadyProgram, toolchain: Toolchain) -> None:
        self.program = program
        loop = f"    for (int64_t i = 0; i < batch; ++i) status[i] = {_CALL};\n"
        self.source = program.emit(SCALAR, f"void lm_batch{_ARGUMENTS} {{\n    {_sizes(program)}\n{loop}}}\n")
        self._function = build(self.source, toolchain, program.function.operations, False).lm_batch
        self._function.restype = None

    def __call__(self, task: Task, threads: int = 1) -> Spectra:
        """Solve for all instances."""
        batch = len(task.asked)
        found = _empty(batch, self.program.rest)
        shared = task.shared
        rows: tuple[NDArray[Any], ...] = (*task.rows, *found)
        common = [ctypes.c_void_p(address(array)) for array in shared]

        def work(first: int, last: int) -> None:
            parts = [ctypes.c_void_p(address(array[first:last])) for array in rows]
            self._function(*common, *parts, ctypes.c_int64(last - first))

        share_rows(work, batch, threads)
        return found


class CudaSteady:
    """On a CUDA device, one instance a thread."""

    def __init__(self, program: SteadyProgram) -> None:
        self.program = program
        self.device = need_device(program.function.name)
        self.source = cuda_text(program)
        self._kernel, _ = self.device.build(self.source, "lm_batch")

    def __call__(self, task: Task, threads: int = 1) -> Spectra:
        """Solve for all instances; threads are those of the device."""
        cupy, batch, rows = self.device.cupy, len(task.asked), task.rows
        empty = _empty(0, self.program.rest)
        each = sum(8 * array.shape[1] for array in rows) + 16 * self.program.rest + 12
        with self.device.memory(self.program.function.name, each * batch, batch):
            given = [cupy.asarray(array) for array in (*task.shared, *rows)]
            found = [cupy.empty((batch, *array.shape[1:]), dtype=array.dtype) for array in empty]
        if batch:
            self.device.launch(self._kernel, batch, BLOCK, (*given, *found, np.int64(batch)))
        return Spectra(*(cupy.asnumpy(array) for array in found))


def cuda_text(program: SteadyProgram) -> str:
    """Complete CUDA text; the kernel is `lm_batch`."""
    where = "const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;"
    entry = f'extern "C" __global__ void __launch_bounds__({BLOCK}) lm_batch{_ARGUMENTS} {{\n    {_sizes(program)}\n'
    return program.emit(DOUBLE, f"{entry}    {where}\n    if (i < batch) status[i] = {_CALL};\n}}\n")


def _sizes(program: SteadyProgram) -> str:
    sizes = {port.name: port.size for port in program.function.inputs}
    return "const int64_t " + ", ".join(f"n_{name} = {sizes[name]}" for name in GIVEN) + ";"


def _empty(batch: int, rest: int) -> Spectra:
    return Spectra(np.empty((batch, rest), dtype=complex), np.empty(batch), np.empty(batch, dtype=np.int32))
