"""CUDA text of traced functions and of roll-outs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from locomotor.codegen.emit_c import Dialect, called_texts, emit_core, opening, prologue
from locomotor.codegen.program import Program
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.tracing.core import Traced

DOUBLE = Dialect("cuda", "cuda.h", scheduled=True)
SINGLE = Dialect("cuda", "cuda.h", elementary="elementary_library.h", scheduled=True, define="#define LM_SINGLE\n")
PRECISIONS = {"float64": DOUBLE, "float32": SINGLE}

BLOCK = 128
"""Threads a block. Measured on an H200 with tapes of a thousand operations in float64: 64 to 256 differ by less than 3 %."""


RESIDENT, RESIDENT_WITH_LOOPS = 512, 384
"""Threads that share a multiprocessor in single precision, at least: fewer have more registers each. Measured on an H200: 512
suit tapes of a thousand operations (6 % faster) and trees of 20 joints (3 %), 384 steps with loops over contacts (14 %)."""


def dialect_of(precision: str) -> Dialect:
    """Dialect for a precision by name."""
    if precision not in PRECISIONS:
        raise ArgumentError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision!r}")
    return PRECISIONS[precision]


TEAM_BLOCK, TEAM_RESIDENT = 64, {"float64": 192, "float32": 320}
"""Threads of a block with teams, and those that share a multiprocessor."""


@dataclass(frozen=True)
class TeamText:
    """A text with teams, and how it is launched: threads of a block, instances of a block, bytes that they share.

    `scratch` are the numbers that 32 instances take besides.
    """

    text: str
    launch: tuple[int, int, int]
    scratch: int


def team_text(program: Program, precision: str) -> TeamText | None:
    """Text of a roll-out whose steps call functions of the runtime that teams of threads share; None where none does."""
    others = [function for function in program.functions if function is not program.dynamics]
    rounds = () if program.dynamics.rolled is None else program.dynamics.rolled.rounds
    teams = [loop.call.team for loop in rounds if loop.call is not None and loop.call.team is not None]
    if not teams or not program.is_map or any(function.calls for function in others):
        return None
    columns, spare, threads = sum(team.columns for team in teams), max(team.spare for team in teams), teams[0].threads
    plain = dialect_of(precision)
    sizes = {"LM_SCRATCH": columns, "LM_SPARE": spare, "LM_TEAM": threads, "LM_CROWD_SEATS": teams[0].seats}
    define = plain.define + "".join(f"#define {name} {value}\n" for name, value in sizes.items())
    head = f"#define LM_BLOCK {TEAM_BLOCK}\n#define LM_RESIDENT {TEAM_RESIDENT[precision]}\n"
    text = head + program.emit(replace(plain, teams=True, define=define), "rollout_cuda.h")
    near = max(team.near[precision == "float64"] for team in teams)
    shared = TEAM_BLOCK // threads * near * np.dtype(precision).itemsize
    return TeamText(text, (TEAM_BLOCK, TEAM_BLOCK, shared), 32 * (columns + spare))


def rollout_text(program: Program, precision: str = "float64") -> str:
    """Complete text of a roll-out; the kernel is `lm_rollout`, its argument the structure of `runtime/rollout.h`."""
    resident = RESIDENT_WITH_LOOPS if any(function.rolled for function in program.functions) else RESIDENT
    return f"#define LM_BLOCK {BLOCK}\n#define LM_RESIDENT {resident}\n" + program.emit(dialect_of(precision), "rollout_cuda.h")


def kernel_text(traced: Traced, precision: str = "float64") -> str:
    """Complete text of a traced function over a batch; the kernel is `lm_kernel`.

    Its arguments: the batch, then for each input its rows and how far they are apart (0: one row for all), then the rows of
    each output.
    """
    dialect = dialect_of(precision)
    inputs = [f"const stored *in_{i}, const int64_t stride_{i}" for i in range(len(traced.inputs))]
    outputs = [f"stored *out_{j}" for j in range(len(traced.outputs))]
    passed = [f"in_{i} + first * stride_{i}" for i in range(len(traced.inputs))]
    passed += [f"out_{j} + first * {port.size}" for j, port in enumerate(traced.outputs)]
    arguments = ", ".join(["const int64_t batch", *inputs, *outputs])
    call = (
        f'extern "C" __global__ void __launch_bounds__({BLOCK}) lm_kernel({arguments}) {{\n'
        "    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"    if (first < batch) lm_core({', '.join(passed)});\n"
        "}\n"
    )
    texts = (opening(traced, dialect), prologue(dialect), *called_texts([traced]), emit_core(traced, "lm_core", dialect), call)
    return "\n\n".join(texts)
