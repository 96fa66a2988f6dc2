"""C99 from tapes, for every dialect. One core function over `real`, and around it the loop over a batch.

A dialect is a header that defines `real`, `mask`, `LANES` and the functions `lm_*`; the text emitted for a tape is the
same in all of them. The file that results is complete: it needs nothing but the C library.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Sequence
from functools import cache
from importlib import resources

import numpy as np

from locomotor import __version__
from locomotor.codegen.branches import Side, Waiting, sides
from locomotor.codegen.loops import Turns
from locomotor.codegen.operations import OPERATIONS
from locomotor.codegen.partition import Part, split
from locomotor.codegen.passes import share_reciprocals
from locomotor.codegen.schedule import by_columns, in_stages, schedule
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.tracing.core import MASKS, Instruction, Port, Rolled, Tape, Traced

PART_LIMIT = 2000
"""Longest function emitted, in lines of tape. Measured with gcc 12 on the dynamics of a chain of 120 joints (90,000
operations): 8 s in parts of 1000 to 4000 lines; the parts run as fast as one long function."""
WHOLE_LIMIT = 30000
"""Lines of a tape whose parts a device may put together again."""
LONG_PART_LIMIT = 600
"""The same as PART_LIMIT for tapes beyond WHOLE_LIMIT, whose parts stay apart: a soft arm of 20 strains (32,000 operations) is
ready in 7 s instead of 9, and as fast."""
BY_COLUMNS = 2000
"""Lines from which on a tape is put in the order of its results, matrices by columns."""

FEW_CONSTANTS = 20
"""Results that never change and are written each time all the same."""

LONGEST_COMMENT = 160
"""Characters of a name or description that a generated file repeats."""
LEAST_SINGLE = 2.0**-126
"""The least number that single precision holds in full."""


@dataclass(frozen=True)
class Dialect:
    """Flavour of C: the header that defines its types, how many instances run side by side, the header of its elementary
    functions, and a definition that comes first."""

    name: str
    header: str
    lanes: int = 1
    elementary: str = "elementary.h"
    define: str = ""
    scheduled: bool = False
    """Whether tapes are reordered for few values alive at once. A C compiler reorders them itself: measured with gcc 12,
    SIMD code of 1,055 operations is as fast with and without, that of a chain of 5,050 operations 8 % slower with."""
    teams: bool = False
    """Whether functions of the runtime are called by a team of threads an instance (`runtime/teams.h`)."""


SCALAR = Dialect("scalar", "scalar.h")


def simd(lanes: int) -> Dialect:
    """SIMD dialect of a given width."""
    if lanes not in (2, 4, 8, 16):
        raise ArgumentError(f"lanes must be 2, 4, 8 or 16, not {lanes!r}")
    return Dialect("simd", "simd.h", lanes)


@cache
def runtime(name: str) -> str:
    """Text of a hand-written header of `codegen/runtime`."""
    return resources.files("locomotor.codegen").joinpath("runtime", name).read_text(encoding="utf-8")


# --- whole files -----------------------------------------------------------------------------------------------------


def emit_kernel(traced: Traced, dialect: Dialect) -> str:
    """Complete C file whose one exported function `lm_kernel` evaluates a traced function over a batch."""
    sizes_in = [port.size for port in traced.inputs]
    sizes_out = [port.size for port in traced.outputs]
    body = [
        "/* in[i]: rows of input i, stride[i] apart (0: one row for all); out[j]: (batch, size) array. */",
        "void lm_kernel(const double *const *in, const int64_t *stride, double *const *out, int64_t batch) {",
    ]
    body += [f"    real input_{i}[{max(n, 1)}];" for i, n in enumerate(sizes_in)]
    body += [f"    real output_{j}[{max(n, 1)}];" for j, n in enumerate(sizes_out)]
    # Rows common to all instances are laid out once.
    body += [
        f"    const real *row_{i} = lm_load_rows(input_{i}, in[{i}], stride[{i}], 0, batch, {n});"
        for i, n in enumerate(sizes_in)
    ]
    once = _constant_results(traced) if dialect.lanes > 1 and traced.rolled is None else []
    body += once
    body.append("    for (int64_t first = 0; first < batch; first += LANES) {")
    body += [
        f"        if (stride[{i}]) row_{i} = lm_load_rows(input_{i}, in[{i}], stride[{i}], first, batch, {n});"
        for i, n in enumerate(sizes_in)
    ]
    body += [
        f"        real *const result_{j} = lm_result_rows(output_{j}, out[{j}], {n}, first);" for j, n in enumerate(sizes_out)
    ]
    arguments = [f"row_{i}" for i in range(len(sizes_in))] + [f"result_{j}" for j in range(len(sizes_out))]
    body.append(f"        lm_core({', '.join(arguments)});")
    body += [f"        lm_store_rows(result_{j}, out[{j}], {n}, first, batch, {n});" for j, n in enumerate(sizes_out)]
    body += ["    }", "}"]
    core = emit_core(traced, "lm_core", dialect, constants=not once)
    return "\n\n".join((opening(traced, dialect), prologue(dialect), *called_texts([traced]), core, "\n".join(body))) + "\n"


def _constant_results(traced: Traced) -> list[str]:
    """Lines that write the results that never change, where there are many: instances side by side have room for them."""
    constants = [
        f"    output_{j}[{k}] = LM_CONST({literal(traced.tape.instructions[line].value)});"
        for j, results in enumerate(traced.tape.outputs)
        for k, line in enumerate(results)
        if traced.tape.instructions[line].op == "const"
    ]
    return constants if len(constants) > FEW_CONSTANTS else []


def opening(traced: Traced, dialect: Dialect) -> str:
    """Comment that opens every generated file: what it is, tables of arguments and results, operation count."""
    where = "one instance" if dialect.lanes == 1 else f"{dialect.lanes} instances side by side"
    lines = [f"locomotor {__version__}, {dialect.name} C, {where}.", "", *traced.describe().splitlines()]
    return "/* " + "\n".join(f" * {_comment(line)}".rstrip() for line in lines)[3:] + "\n */"


def prologue(dialect: Dialect, *headers: str) -> str:
    """Types and functions of a dialect, then further headers of the runtime."""
    define = f"#define LANES {dialect.lanes}\n" if dialect.lanes > 1 else dialect.define
    teams = ("teams.h",) if dialect.teams else ()
    return define + "\n".join(runtime(name) for name in (dialect.header, dialect.elementary, *teams, *headers))


def called_texts(functions: Sequence[Traced]) -> list[str]:
    """Functions of the runtime that traced functions call: their headers, pointers to their data, and their texts."""
    calls = {call.name: call for function in functions for call in function.calls}
    headers = dict.fromkeys(header for call in calls.values() for header in call.headers)
    pointers = {name: array for call in calls.values() for name, array in call.data}
    kinds = {name: "int32_t" if array.dtype == np.int32 else "stored" for name, array in pointers.items()}
    texts = [runtime(header) for header in headers]
    texts += [f"LM_GLOBAL const {kind} *{name};" for name, kind in kinds.items()]
    return [*texts, *(call.text for call in calls.values())]


# --- the tape --------------------------------------------------------------------------------------------------------


def emit_core(traced: Traced, symbol: str, dialect: Dialect, constants: bool = True) -> str:
    """Static C function `symbol` with one pointer an input, then one an output; several functions for a long tape.

    Without `constants` it leaves alone the results that never change.
    """
    if traced.rolled is not None:
        return _with_loops(traced, traced.rolled, symbol, dialect)
    tape = share_reciprocals(traced.tape)
    if dialect.scheduled:
        tape = schedule(tape)
    elif len(tape.instructions) > BY_COLUMNS:
        tape = by_columns(tape, [port.shape for port in traced.outputs])
    inputs = _pointers("in", traced.inputs)
    outputs = _pointers("out", traced.outputs)
    parameters = [f"const real *restrict {name}" for name in inputs]
    parameters += [f"real *restrict {name}" for name in outputs]
    parts, work = split(tape, _part_limit(tape, dialect))
    # A function called from several places (the stages of a stepper) must not be copied into each of them.
    short = len(tape.instructions) <= 200
    writer = TapeWriter(traced.outputs, tape, inputs, outputs, constants, branches=not dialect.scheduled)
    if len(parts) == 1:
        keep = "LM_INLINE" if short else "LM_TAPE"
        return f"{keep} void {symbol}({', '.join(parameters)}) {{\n{writer.part(parts[0])}}}"
    texts, keep = [], _keeping(tape)
    extended = ", ".join([*parameters, "real *restrict work"])
    for index, part in enumerate(parts):
        texts.append(f"{keep} void {symbol}_{index}({extended}) {{\n{writer.part(part)}}}")
    passed = ", ".join([*inputs, *outputs, "work"])
    calls = "".join(f"    {symbol}_{index}({passed});\n" for index in range(len(parts)))
    texts.append(f"LM_NOINLINE void {symbol}({', '.join(parameters)}) {{\n    real work[{max(work, 1)}];\n{calls}}}")
    return "\n\n".join(texts)


def _part_limit(tape: Tape, dialect: Dialect) -> int:
    """Lines of a part; a device, whose tapes are scheduled, keeps as few parts as it can."""
    long = len(tape.instructions) > WHOLE_LIMIT and not dialect.scheduled
    return min(PART_LIMIT, LONG_PART_LIMIT) if long else PART_LIMIT


def _keeping(tape: Tape) -> str:
    """How a part of a tape is kept: on a device in one function with the others, unless that is too long for its compiler."""
    return "LM_PART" if len(tape.instructions) <= WHOLE_LIMIT else "LM_NOINLINE"


def _with_loops(traced: Traced, rolled: Rolled, symbol: str, dialect: Dialect) -> str:
    """A function with loops: parts that end where a loop begins, and each turn of a loop as a function of its own."""
    tape = share_reciprocals(rolled.whole.tape)
    if dialect.scheduled:
        tape = schedule(tape)
    tape, breaks = in_stages(tape, len(traced.inputs), len(rolled.rounds))
    inputs, outputs = _pointers("in", traced.inputs), _pointers("out", traced.outputs)
    sizes = [port.size for port in rolled.whole.outputs[len(outputs) :]]
    starts = [sum(sizes[:k]) for k in range(rolled.arrays)]
    carries = [f"carry_{k}" for k in range(len(rolled.rounds))]
    arrays = [f"(arrays + {start})" for start in starts]
    parts, work = split(tape, _part_limit(tape, dialect), breaks)
    calls_of = [loop.call if loop.call is not None and dialect.teams else None for loop in rolled.rounds]
    beside = [name for name, call in zip(carries, calls_of, strict=True) if call is not None and call.team is not None]
    given, taken_to = [*inputs, *carries], [*outputs, *arrays, *carries]
    writer = TapeWriter(rolled.whole.outputs, tape, given, taken_to, beside=beside, branches=not dialect.scheduled)
    parameters = [f"const real *restrict {name}" for name in inputs] + [f"real *restrict {name}" for name in outputs]
    kinds = {
        name: f"const lm_column {name}" if name in beside else f"real *restrict {name}" for name in ["arrays", *carries, "work"]
    }
    extended = ", ".join([*parameters, *kinds.values()])
    passed = ", ".join([*inputs, *outputs, "arrays", *carries, "work"])
    turns = Turns(symbol, starts, lambda body: emit_core(body, "TURN", dialect))
    calls, texts, level, keep = "", [], 0, _keeping(tape)
    for index, part in enumerate(parts):
        while level < len(breaks) and breaks[level] <= part.start:
            called = rolled.rounds[level].call
            calls += f"    {called.name}({carries[level]});\n" if called else turns.loop(rolled.rounds[level], carries[level])
            level += 1
        texts.append(f"{keep} void {symbol}_{index}({extended}) {{\n{writer.part(part)}}}")
        calls += f"    {symbol}_{index}({passed});\n"
    declared = f"    real arrays[{max(sum(sizes[: rolled.arrays]), 1)}], work[{max(work, 1)}];\n"
    taken = 0
    for name, loop in zip(carries, rolled.rounds, strict=True):
        if name in beside and loop.call is not None and loop.call.team is not None:
            declared += f"    const lm_column {name} = lm_columns({taken});\n"
            taken += loop.call.team.columns
        else:
            declared += f"    real {name}[{loop.size}];\n"
    texts.append(f"LM_NOINLINE void {symbol}({', '.join(parameters)}) {{\n{declared}{calls}}}")
    return "\n\n".join([*turns.texts, *texts])


class TapeWriter:
    """Writes the lines of parts of one tape."""

    def __init__(
        self,
        ports: Sequence[Port],
        tape: Tape,
        inputs: list[str],
        outputs: list[str],
        constants: bool = True,
        beside: Sequence[str] = (),
        branches: bool = False,
    ) -> None:
        self.tape = tape
        self.sides = sides(tape) if branches else {}
        """Lines that one side of a choice needs."""
        self.beside = {index for index, name in enumerate(inputs) if name in beside}
        """Inputs that a compiler cannot tell from what is written meanwhile: it would read them each time they are used."""
        self.read: set[int] = set()
        self.inputs = inputs
        self.targets: dict[int, list[tuple[str, str]]] = {}
        for name, port, lines in zip(outputs, ports, tape.outputs, strict=True):
            for index, line in enumerate(lines):
                if tape.instructions[line].op == "const" and not constants:
                    continue
                target = (f"{name}[{index}]", _comment(port.fields[index].name))
                self.targets.setdefault(line, []).append(target)
        self.pairs = self._sine_cosine_pairs()

    def part(self, part: Part) -> str:
        """Text of the lines of one part, with loads from and stores to the work array."""
        lines = []
        for line, slot in part.loads.items():
            if self.tape.instructions[line].op in MASKS:
                lines.append(f"const mask v{line} = lm_truth(work[{slot}]);")
            else:
                lines.append(f"const real v{line} = work[{slot}];")
        self.read = set()
        waiting = Waiting(self.tape, part, self.sides)
        done: set[int] = set()
        for line in range(part.start, part.stop):
            if waiting.waits(line):
                continue
            lines += self._branches(waiting.before(line), part, done)
            lines += [*self._lines(line, waiting.always, done), *self._kept(line, part)]
        lines += self._branches(waiting.rest(), part, done)
        return "".join(f"    {text}\n" for text in lines)

    def _kept(self, line: int, part: Part) -> list[str]:
        """Where a line goes that others than the lines of a part read."""
        value, lines = self._operand(line), []
        if line in part.stores:
            stored = f"lm_number({value})" if self.tape.instructions[line].op in MASKS else value
            lines.append(f"work[{part.stores[line]}] = {stored};")
        return [*lines, *(f"{target} = {value}; /* {name} */" for target, name in self.targets.get(line, ()))]

    def _branches(self, some: Iterable[tuple[Side, list[int], set[int]]], part: Part, done: set[int]) -> list[str]:
        """Lines that are left out where a choice does not need them."""
        lines = []
        for (mask, true), inside, seen in some:
            lines += [f"real v{line} = LM_CONST(0.0);" for line in inside if line in seen]
            lines.append(f"if (lm_any({f'v{mask}' if true else f'lm_not(v{mask})'})) {{")
            for line in inside:
                lines += [f"    {text}" for text in (*self._lines(line, inside, done, seen), *self._kept(line, part))]
            lines.append("}")
        return lines

    def _lines(self, line: int, among: Container[int], done: set[int], known: Container[int] = ()) -> list[str]:
        """What computes a line, and its partner among others where they are sine and cosine; `known`: declared already."""
        instruction = self.tape.instructions[line]
        lines = self._reads(line, instruction)
        if instruction.op in ("input", "const") or line in done:
            return lines
        partner = self.pairs.get(line)
        if partner is None or partner not in among:
            kept = self._assignment(line, instruction)
            return [*lines, kept.removeprefix("const real ") if line in known else kept]
        done.add(partner)
        sine, cosine = (line, partner) if instruction.op == "sin" else (partner, line)
        lines += [f"real v{each};" for each in (sine, cosine) if each not in known]
        return [*lines, f"lm_sincos({self._operand(instruction.args[0])}, &v{sine}, &v{cosine});"]

    def _assignment(self, line: int, instruction: Instruction) -> str:
        kind = "mask" if instruction.op in MASKS else "real"
        operands = [self._operand(operand) for operand in instruction.args]
        return f"const {kind} v{line} = {OPERATIONS[instruction.op].c.format(*operands)};"

    def _reads(self, line: int, instruction: Instruction) -> list[str]:
        """Numbers that are read once in a part, where they are used first."""
        lines = []
        given = (line,) if line in self.targets else ()  # what is only read is read where it is used, leaves stand before that
        for operand in given if instruction.op == "input" else () if instruction.op == "const" else instruction.args:
            taken = self.tape.instructions[operand]
            if taken.op == "input" and taken.args[0] in self.beside and operand not in self.read:
                lines.append(f"const real v{operand} = {self._operand(operand)};")
                self.read.add(operand)
        return lines

    def _operand(self, line: int) -> str:
        instruction = self.tape.instructions[line]
        if instruction.op == "input" and line not in self.read:
            return f"{self.inputs[instruction.args[0]]}[{instruction.args[1]}]"
        if instruction.op == "const":
            return f"LM_CONST({constant(instruction.value)})"
        return f"v{line}"

    def _sine_cosine_pairs(self) -> dict[int, int]:
        """Lines of sin x and cos x of the same x, each mapped to the other: they share one range reduction."""
        found: dict[tuple[str, int], int] = {}
        for line, instruction in enumerate(self.tape.instructions):
            if instruction.op in ("sin", "cos"):
                found[instruction.op, instruction.args[0]] = line
        pairs = {}
        for (op, operand), line in found.items():
            partner = found.get(("cos" if op == "sin" else "sin", operand))
            if partner is not None:
                pairs[line] = partner
        return pairs


def literal(value: float) -> str:
    """C literal of exactly this number: decimal when that is short and exact, else hexadecimal."""
    if math.isnan(value):
        return "LM_NAN"
    if math.isinf(value):
        return "LM_INFINITY" if value > 0 else "-LM_INFINITY"
    if abs(value) < 1e6 and value * 64.0 == math.floor(value * 64.0):
        return repr(value)  # a multiple of 2^-6: twelve decimal digits are exact
    return value.hex()


def constant(value: float) -> str:
    """C text of a number in a function: what keeps a denominator from zero does not vanish in single precision."""
    if 0.0 < abs(value) < LEAST_SINGLE:
        return f"(sizeof(stored) == 4 ? {literal(math.copysign(LEAST_SINGLE, value))} : {literal(value)})"
    return literal(value)


def _pointers(prefix: str, ports: tuple[Port, ...]) -> list[str]:
    """C names of ports, numbered where cleaning makes two of them equal."""
    names = [f"{prefix}_{re.sub(r'[^a-zA-Z0-9]+', '_', port.name).strip('_')}" for port in ports]
    return [name if names.count(name) == 1 else f"{name}_{index}" for index, name in enumerate(names)]


def _comment(text: str) -> str:
    """A text that cannot leave the comment it is put into, whoever wrote it.

    Without stars nothing ends or opens a comment, and without backslashes, question marks (trigraphs) and line breaks no
    two lines or characters join into a star and a slash.
    """
    return re.sub(r"[^A-Za-z0-9_ .,:;=()\[\]+/^-]", "_", text[:LONGEST_COMMENT])
