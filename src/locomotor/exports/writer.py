"""From tapes to the statements of a language: one for every target, which says how each statement is written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field

from locomotor.codegen import Part, split
from locomotor.dataclass import dataclass
from locomotor.exports.model import Function
from locomotor.exports.naming import Names, plain
from locomotor.tracing.core import MASKS, Instruction, Tape

LETTERS = {"delta": "d", "tangent": "w"}
"""Arguments whose entries have no names of their own."""
WORK = "work"
"""Array that hands values from one part of a long function to the next."""


@dataclass(frozen=True)
class Grammar:
    """How a language writes what a tape is made of; every text is a format string.

    `operations` spells each operation of the table `codegen.operations` over its operands {0}, {1}, ...; `number` and `truth`
    declare a value; `load` and `store` are entries of arrays, which begin at `first`; `longest` splits functions into parts of
    so many lines (0: never). Without `store` a function is not written into an array: its results are told in order.
    """

    operations: Mapping[str, str]
    number: str
    truth: str
    load: str
    store: str = ""
    comment: str = "//"
    first: int = 0
    longest: int = 0
    indent: str = "    "
    infinity: str = "INFINITY"
    nan: str = "NAN"
    tests_work: str = "{0} != 0.0"
    constant: str = "{0}"
    temporary: str = "v"
    """Letter of the values of a tape."""

    def literal(self, value: float) -> str:
        """A constant of a tape."""
        if not math.isfinite(value):
            return self.decimal(value)
        text = self.constant.format(repr(abs(value)))
        return f"(-{text})" if math.copysign(1.0, value) < 0 else text

    def decimal(self, value: float) -> str:
        """A number of exactly this value: the shortest decimal that is read back as the same float64."""
        if math.isnan(value):
            return self.nan
        if math.isinf(value):
            return self.infinity if value > 0 else f"(-{self.infinity})"
        return repr(value) if value >= 0.0 and math.copysign(1.0, value) > 0 else f"({value!r})"


@dataclass(frozen=True)
class Text:
    """A function as statements: one list of them a part, the size of the work array between parts, and the results in order."""

    parts: tuple[tuple[str, ...], ...]
    work: int = 0
    results: tuple[str, ...] = ()
    used: frozenset[str] = field(default_factory=frozenset)
    """Arguments that are read."""


def write(function: Function, grammar: Grammar, names: Names) -> Text:
    """The statements of a function; the entries of its arguments get the names given, others a letter and an index."""
    tape = function.traced.tape
    length = len(tape.instructions)
    parts, work = split(tape, grammar.longest or max(length, 1))
    writer = _Writer(function, tape, grammar, names)
    texts = tuple(tuple(writer.part(part)) for part in parts)
    results = tuple(writer.operand(line) for line in tape.outputs[0])
    used = frozenset(function.arguments[line.args[0]] for line in tape.instructions if line.op == "input")
    return Text(texts, work if len(parts) > 1 else 0, results, used)


class _Writer:
    def __init__(self, function: Function, tape: Tape, grammar: Grammar, names: Names) -> None:
        self.function, self.tape, self.grammar, self.names = function, tape, grammar, names
        self.stores: dict[int, list[int]] = {}
        for index, line in enumerate(tape.outputs[0]):
            self.stores.setdefault(line, []).append(index)

    def part(self, part: Part) -> Iterable[str]:
        """Statements of one part: what it reads, then line by line, each result as soon as it is known."""
        grammar, tape = self.grammar, self.tape
        yield from self._loads(part)
        for line, slot in part.loads.items():
            entry = grammar.load.format(array=WORK, index=slot + grammar.first)
            kind, value = (grammar.number, entry)
            if tape.instructions[line].op in MASKS:
                kind, value = grammar.truth, grammar.tests_work.format(entry)
            yield kind.format(name=f"{grammar.temporary}{line}", value=value)
        for line in range(part.start, part.stop):
            instruction = tape.instructions[line]
            if instruction.op not in ("input", "const"):
                yield self._assignment(line, instruction)
            value = self.operand(line)
            if line in part.stores:
                number = grammar.operations["number"].format(value) if instruction.op in MASKS else value
                yield grammar.store.format(array=WORK, index=part.stores[line] + grammar.first, value=number)
            for index in self.stores.get(line, ()) if grammar.store else ():
                text = grammar.store.format(array="result", index=index + grammar.first, value=value)
                yield f"{text} {grammar.comment} {plain(self.function.result.fields[index].name)}"

    def operand(self, line: int) -> str:
        """How the value of a line is written where it is used."""
        instruction = self.tape.instructions[line]
        if instruction.op == "input":
            return self._name(*instruction.args)
        if instruction.op == "const":
            return self.grammar.literal(instruction.value)
        return f"{self.grammar.temporary}{line}"

    def _loads(self, part: Part) -> Iterable[str]:
        wanted = {a for line in range(part.start, part.stop) for a in self._operands(line)}
        wanted |= {line for line in range(part.start, part.stop) if line in self.stores}
        # An input may stand in an earlier part than the line that uses it.
        for line in sorted(wanted):
            instruction = self.tape.instructions[line]
            if instruction.op == "input":
                port, index = instruction.args
                argument = self.function.arguments[port]
                if argument != "time":
                    entry = self.grammar.load.format(array=argument, index=index + self.grammar.first)
                    yield self.grammar.number.format(name=self._name(port, index), value=entry)

    def _operands(self, line: int) -> tuple[int, ...]:
        instruction = self.tape.instructions[line]
        return () if instruction.op in ("input", "const") else instruction.args

    def _assignment(self, line: int, instruction: Instruction) -> str:
        value = self.grammar.operations[instruction.op].format(*(self.operand(a) for a in instruction.args))
        kind = self.grammar.truth if instruction.op in MASKS else self.grammar.number
        return kind.format(name=f"{self.grammar.temporary}{line}", value=value)

    def _name(self, port: int, index: int) -> str:
        argument = self.function.arguments[port]
        if argument == "time":
            return "time"
        known = self.names.groups.get(argument)
        return known[index] if known is not None else f"{LETTERS[argument]}{index}"
