"""CUDA text of a roll-out whose steps are taken in stages, kernel after kernel (`codegen/stages.py`, `runtime/stages.h`)."""

from __future__ import annotations

from locomotor.codegen.cuda.text import BLOCK, dialect_of
from locomotor.codegen.emit_c import TapeWriter, literal, opening, prologue, runtime
from locomotor.codegen.manifold_text import emit_check
from locomotor.codegen.partition import split
from locomotor.codegen.passes import share_reciprocals
from locomotor.codegen.program import Program
from locomotor.codegen.schedule import shortest
from locomotor.codegen.stages import Stage, stages_of
from locomotor.dataclass import dataclass
from locomotor.tracing.core import Call, Stages, Tape, numbered

RESIDENT = {"float64": 256, "float32": 512}
"""Threads that share a multiprocessor in a stage, at least: fewer have more registers each."""


@dataclass(frozen=True)
class StagedText:
    """A text in stages: kernels `lm_begin`, `lm_constants`, `lm_stage_0` ..., `lm_end`, and those of the calls between them.

    `own` are the numbers that an instance has for each call, `given` those that it gives.
    """

    text: str
    calls: tuple[Stages, ...]
    own: tuple[int, ...]
    given: tuple[int, ...]


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
    resident = RESIDENT[precision]
    texts += [runtime("span.h"), runtime("stages.h"), emit_check(program.manifold)]
    texts.append(f"#define LM_STAGE_BOUNDS __launch_bounds__({BLOCK}, {resident // BLOCK})")
    texts += [
        program.observation(dialect),
        program.measures(dialect),
        _ADVANCE,
        runtime("rollout.h"),
        runtime("rollout_stages.h"),
    ]
    headers = dict.fromkeys(header for stage in stages for header in stage.headers)
    texts += [*(stage.tables for stage in stages), *map(runtime, headers), *(stage.text for stage in stages)]
    texts.append(_constants(tape, calls, stages, len(program.dynamics.outputs) + rolled.arrays))
    texts += [_stage(program, stage, number, calls) for number, stage in enumerate(found)]
    own = tuple(stage.fresh + len(stage.tape.outputs[0]) for stage in found[:-1])
    return StagedText("\n\n".join(texts), stages, own, tuple(call.gives for call in calls))


_ADVANCE = """LM_FUNCTION void lm_advance(int64_t, int64_t, const lm_span *, const real *, const real *, const real *,
                            lm_memory *, real *, real *) {}"""

_BEFORE = """    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= batch{condition}) return;
"""


def _arguments(calls: list[Call]) -> str:
    return ", ".join(f"stored *numbers_{k}, stored *results_{k}" for k in range(len(calls)))


def _columns(calls: list[Call]) -> str:
    return "".join(
        f"    const lm_column own_{k} = lm_column_of(numbers_{k}, pad, first);\n"
        f"    const lm_column given_{k} = lm_column_of(results_{k}, pad, first);\n"
        for k in range(len(calls))
    )


def _constants(tape: Tape, calls: list[Call], stages: tuple[Stages, ...], outputs: int) -> str:
    """Numbers that never change are written once."""
    lines = []
    for k, (call, stage, port) in enumerate(zip(calls, stages, tape.outputs[outputs:], strict=True)):
        for place, line in enumerate(port):
            instruction = tape.instructions[line]
            if stage.fresh <= place < call.takes and instruction.op == "const":
                lines.append(f"    own_{k}[{place}] = LM_CONST({literal(instruction.value)});\n")
    return (
        f'extern "C" __global__ void lm_constants(int64_t batch, int64_t pad, {_arguments(calls)}) {{\n'
        + _BEFORE.format(condition="")
        + _columns(calls)
        + "".join(lines)
        + "}"
    )


def _stage(program: Program, stage: Stage, number: int, calls: list[Call]) -> str:
    """A stage as a kernel; the last one ends the step."""
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
    head = (
        f'extern "C" __global__ void LM_STAGE_BOUNDS lm_stage_{number}(LM_ROLLOUT, int64_t n, {_arguments(calls)}) {{\n'
        + _BEFORE.format(condition=" || !living[first]" if last else "")
        + "    const real in_time[1] = {LM_CONST(start_time + (double)n * dt)}, in_step[1] = {LM_CONST(dt)};\n"
        + "    const lm_column in_state = lm_column_of(states_now, pad, first);\n"
        + "    const stored *in_inputs = inputs + first * input_stride + n * input_step_stride;\n"
        + "    const stored *in_parameters = parameters + first * parameter_stride;\n"
        + "    (void)in_time, (void)in_step, (void)in_inputs, (void)in_parameters;\n"
        + _columns(calls)
    )
    if not last:
        place = f"lm_column_of(numbers_{number} + {stage.fresh} * pad, pad, first)"
        stages = calls[number].stages
        if stages is not None and stages.together:
            place = f"lm_column_in(numbers_{number}, {len(tape.outputs[0])}, {stages.together}, first)"
        out = f"    const lm_column out_{number} = {place};\n"
        return head + out + writer.part(part) + "}"
    end = (
        "    const lm_rollout_job job = LM_JOB;\n"
        "    lm_finished(&job, n, in_state, living, first, in_inputs, in_parameters, y, watched);\n}"
    )
    return head + "    real y[NX], watched[LM_AT_LEAST_ONE(NM)];\n" + writer.part(part) + end
