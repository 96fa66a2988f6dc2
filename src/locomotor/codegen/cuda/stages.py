"""CUDA text of a roll-out whose steps are taken in stages, kernel after kernel (`codegen/stages.py`, `runtime/stages.h`)."""

from __future__ import annotations

from collections.abc import Sequence

from locomotor.codegen.cuda.near import Near, keep_near
from locomotor.codegen.cuda.text import BLOCK, dialect_of
from locomotor.codegen.emit_c import TapeWriter, constant, opening, prologue, runtime
from locomotor.codegen.manifold_text import emit_check
from locomotor.codegen.partition import split
from locomotor.codegen.passes import share_reciprocals
from locomotor.codegen.program import Program
from locomotor.codegen.schedule import shortest
from locomotor.codegen.stages import Stage, stages_of
from locomotor.dataclass import dataclass
from locomotor.tracing.core import Call, Stages, Tape, numbered

RESIDENT = 256
"""Threads that share a multiprocessor in a stage, at least: with more, what has no register goes through memory."""
REGISTERS, WAITING = 800, 110 * 1024
"""Bytes of registers for the values of a thread, and of the memory that the threads of a block share for those that wait."""


@dataclass(frozen=True)
class StagedText:
    """A text in stages: kernels `lm_begin`, `lm_constants`, `lm_stage_0` ..., `lm_next`, `lm_end`, and those of the calls.

    `own` are the numbers that an instance has for each call, `given` those that it gives, `near` bytes that a block of each
    stage shares.
    """

    text: str
    calls: tuple[Stages, ...]
    own: tuple[int, ...]
    given: tuple[int, ...]
    near: tuple[int, ...]


def staged_text(program: Program, precision: str) -> StagedText | None:
    """Text of a roll-out in stages; None where steps have no calls that could be made so, or laws of time that jump."""
    rolled = program.dynamics.rolled
    rounds = () if rolled is None else rolled.rounds
    calls = [loop.call for loop in rounds if loop.call is not None and loop.call.stages is not None]
    stages = tuple(call.stages for call in calls if call.stages is not None)
    others = [function for function in program.functions if function is not program.dynamics]
    if rolled is None or not calls or len(calls) < len(rounds) or not program.is_map or program.breaks:
        return None
    if any(function.rolled for function in others):
        return None
    dialect = dialect_of(precision)
    tape = share_reciprocals(rolled.whole.tape)
    ports = program.dynamics.inputs
    found = stages_of(tape, rolled, len(ports), len(program.dynamics.outputs))
    sizes = {"NX": ports[1].size, "ND": program.manifold.tangent_size, "NU": ports[2].size, "NP": ports[3].size}
    sizes |= {
        "NM": program.monitors,
        "NW": program.pivots,
        "NS": program.saved.size,
        "NR": len(program.reductions),
        "LM_BLOCK": BLOCK,
    }
    texts = [opening(program.dynamics, dialect), prologue(dialect, "manifold.h", "reduce.h")]
    texts += ["#define LM_MAP", *(f"#define {name} {value}" for name, value in sizes.items())]
    texts += [runtime("span.h"), runtime("stages.h"), emit_check(program.manifold)]
    texts.append(f"#define LM_STAGE_BOUNDS __launch_bounds__({BLOCK}, {RESIDENT // BLOCK})")
    texts += [
        program.observation(dialect),
        program.measures(dialect),
        _ADVANCE,
        runtime("rollout.h"),
        runtime("rollout_stages.h"),
    ]
    headers = dict.fromkeys(header for stage in stages for header in stage.headers)
    taken = tape.outputs[len(program.dynamics.outputs) + rolled.arrays :]  # the numbers of each call
    texts += [_fixed(tape, port, stage) for port, stage in zip(taken, stages, strict=True)]
    texts += [*(stage.tables for stage in stages), *map(runtime, headers), *(stage.text for stage in stages)]
    own = tuple(stage.fresh + len(stage.tape.outputs[0]) for stage in found[:-1])
    texts.append(_constants(tape, taken, calls, stages, own))
    size = 4 if precision == "float32" else 8
    texts.append("#define lm_wait(slot) (*(volatile stored *)(lm_near + (slot) * LM_BLOCK + threadIdx.x))")
    made = [_stage(program, stage, number, calls, own, size) for number, stage in enumerate(found)]
    near = tuple(one.slots * BLOCK * size for one in made)
    return StagedText(
        "\n\n".join([*texts, *(one.text for one in made)]), stages, own, tuple(call.gives for call in calls), near
    )


_ADVANCE = """LM_FUNCTION void lm_advance(int64_t, int64_t, const lm_span *, const real *, const real *, const real *,
                            lm_memory *, real *, real *) {}"""

_BEFORE = """    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= batch{condition}) return;
"""


def _arguments(calls: list[Call]) -> str:
    return ", ".join(f"stored *__restrict__ numbers_{k}, stored *__restrict__ results_{k}" for k in range(len(calls)))


def _columns(calls: list[Call], own: Sequence[int]) -> str:
    """Where numbers of an instance are; `own` are how many each call has."""
    return "".join(
        f"    const lm_column own_{k} = {_place(call, k, count)};\n"
        f"    const lm_column given_{k} = lm_column_of(results_{k}, pad, first);\n"
        for k, (call, count) in enumerate(zip(calls, own, strict=True))
    )


def _place(call: Call, k: int, count: int) -> str:
    together = 0 if call.stages is None else call.stages.together
    if together:
        return f"lm_column_in(numbers_{k}, {count}, {together}, first)"
    return f"lm_column_of(numbers_{k}, pad, first)"


def _constants(
    tape: Tape, taken: Sequence[Sequence[int]], calls: list[Call], stages: tuple[Stages, ...], own: Sequence[int]
) -> str:
    """Numbers that never change are written once."""
    lines = []
    for k, (call, stage, port) in enumerate(zip(calls, stages, taken, strict=True)):
        for place, line in enumerate(port):
            instruction = tape.instructions[line]
            if stage.fresh <= place < call.takes and instruction.op == "const":
                lines.append(f"    own_{k}[{place}] = LM_CONST({constant(instruction.value)});\n")
    return (
        f'extern "C" __global__ void lm_constants(int64_t batch, int64_t pad, {_arguments(calls)}) {{\n'
        + _BEFORE.format(condition="")
        + _columns(calls, own)
        + "".join(lines)
        + "}"
    )


def _fixed(tape: Tape, port: Sequence[int], stage: Stages) -> str:
    """Numbers of a call by name: a table where all of them are constants, else where they stand for an instance."""
    lines = []
    for name, begin, count in stage.fixed:
        found = [tape.instructions[line] for line in port[begin : begin + count]]
        if all(instruction.op == "const" for instruction in found):
            values = ", ".join(f"LM_K({constant(instruction.value)})" for instruction in found)
            lines += [f"LM_TABLE stored {name}_table[] = {{{values}}};", f"#define {name}(i) {name}_table[i]"]
        else:
            lines.append(f"#define {name}(i) a.alike[({begin} + (i)) * a.pad + instance]")
    return "\n".join(lines)


def _stage(program: Program, stage: Stage, number: int, calls: list[Call], own: Sequence[int], size: int) -> Near:
    """A stage as a kernel; the last one ends the step. Numbers have `size` bytes."""
    last = number == len(calls)
    tape = shortest(stage.tape)
    names = ["in_time", "in_state", "in_inputs", "in_parameters", "in_step"]
    beside = ["in_state", *(f"given_{k}" for k in range(len(calls))), *(f"own_{k}" for k in range(len(calls)))]
    inputs = [*names, *(f"given_{k}" for k in range(len(calls))), *(f"own_{k}" for k in range(len(calls)))]
    if last:
        outputs, made = ["y", "watched"][: len(tape.outputs)], program.dynamics.outputs
    else:
        outputs, made = [f"out_{number}"], (numbered("number", len(tape.outputs[0])),)
    writer = TapeWriter(made, tape, inputs, outputs, constants=last, beside=beside)
    ((part,), _) = split(tape, len(tape.instructions) + 1)
    body = keep_near(writer.part(part), REGISTERS // size, WAITING // (BLOCK * size))
    head = (
        f'extern "C" __global__ void LM_STAGE_BOUNDS lm_stage_{number}'
        + f"(LM_ROLLOUT, const int64_t *now, {_arguments(calls)}) {{\n"
        + _BEFORE.format(condition=" || !living[first]" if last else "")
        + "    const int64_t n = *now;\n"
        + "    const real in_time[1] = {LM_CONST(start_time + (double)n * dt)}, in_step[1] = {LM_CONST(dt)};\n"
        + "    const lm_column in_state = lm_column_of(states_now, pad, first);\n"
        + "    const stored *in_inputs = inputs + first * input_stride + n * input_step_stride;\n"
        + "    const stored *in_parameters = parameters + first * parameter_stride;\n"
        + "    (void)in_time, (void)in_step, (void)in_inputs, (void)in_parameters;\n"
        + _columns(calls, own)
        + ("    LM_SHARED stored lm_near[];\n" if body.slots else "")
    )
    if not last:
        out = f"    const lm_column out_{number} = {{own_{number}.at + {stage.fresh} * own_{number}.pad, own_{number}.pad}};\n"
        return Near(head + out + body.text + "}", body.slots)
    end = (
        "    const lm_rollout_job job = LM_JOB;\n"
        "    lm_finished(&job, n, in_state, living, first, in_inputs, in_parameters, y, watched);\n}"
    )
    return Near(head + "    real y[NX], watched[LM_AT_LEAST_ONE(NM)];\n" + body.text + end, body.slots)
