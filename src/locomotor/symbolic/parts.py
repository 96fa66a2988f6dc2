"""All parts of some equations, written part by part: which entries are written out, and what gets a name on the way.

A part is written out (in coordinates, velocities and parameters) where that is about as short as sharing what its entries have
in common; where it is not, what is used more than once is defined first and then used by name. Long entries of a part have
names themselves, by which later parts speak of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.symbolic.counting import counted, operations
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.normal_form import TooLongError
from locomotor.symbolic.reading import Reader, Wording
from locomotor.tracing import Tape, Traced

LONGEST = 1.5
"""Everything that is printed has at most so many times the operations of the tape."""
ALLOWANCES = ((1.5, 6.0), (1.5, 3.0), (1.3, 1.0), (1.0, 0.0))
"""How many times the operations of sharing it may cost to write a part out, and how many an entry besides, since a matrix of
short entries is read at once. The first that keeps the whole short enough is taken."""
AT_SIGHT = 80
"""Operations of a line, everything written out, up to which it is tried in coordinates alone, without names."""
WORTH = 4
"""Operations from which on an entry is spoken of by name."""
HOPELESS = 700
"""Operations of an entry, everything written out, from which on no normal form gets it short enough to be preferred."""


@dataclass(frozen=True)
class Part:
    """One matrix, vector or scalar: its entries row by row, the names of long entries, what had to be defined for it."""

    name: str
    shape: tuple[int, ...]
    entries: tuple[Any, ...]
    names: tuple[Any, ...]
    """For every entry its symbol, or None where it is short."""
    before: tuple[tuple[Any, Any], ...]
    """Definitions, in order, that the entries need."""
    written_out: bool

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not self.entries

    @property
    def is_zero(self) -> bool:
        """Whether every entry is zero."""
        return all(entry == 0 for entry in self.entries)

    @property
    def matrix(self) -> Any:
        """The part as a SymPy matrix; a vector is a column."""
        sp = sympy_library()
        rows, columns = self.shape if len(self.shape) == 2 else (self.shape[0], 1)
        return sp.Matrix(rows, columns, list(self.entries)) if rows and columns else sp.zeros(rows, columns)

    @property
    def definitions(self) -> tuple[tuple[Any, Any], ...]:
        """What is defined by this part, its own long entries last."""
        own = dict.fromkeys((name, entry) for name, entry in zip(self.names, self.entries, strict=True) if name is not None)
        return (*self.before, *own)


class Written:
    """What is written in parts: their definitions one after the other, which can be put back."""

    parts: Mapping[str, Part]

    @cached_property
    def definitions(self) -> tuple[tuple[Any, Any], ...]:
        """(symbol, expression) in order: each speaks of symbols of the system and of definitions before it."""
        return tuple(pair for part in self.parts.values() for pair in part.definitions)

    def written_out(self, expression: Any) -> Any:
        """An expression or a matrix with all definitions put back; long for large systems."""
        if not hasattr(expression, "free_symbols") or not hasattr(expression, "xreplace"):
            raise ArgumentError(
                f"written_out: {shown(expression)} is no expression of SymPy; give an entry or a matrix of the equations"
            )
        used = dict(self.definitions)
        while found := {symbol: used[symbol] for symbol in expression.free_symbols if symbol in used}:
            expression = expression.xreplace(found)
        return expression


Style = str
"""auto, explicit or shared."""


def write_parts(
    traced: Traced,
    inputs: Sequence[Sequence[Any]],
    letters: Mapping[str, str],
    style: Style = "auto",
    numbered: str = "x",
    units: Sequence[Sequence[Any]] = (),
) -> tuple[Part, ...]:
    """Every output port of a traced function as a part; `letters` names the symbols of long entries, port by port.

    What is defined on the way is called by the letter `numbered`: x1, x2, ... `units` are the symbols of unit quaternions.
    """
    parts: tuple[Part, ...] = ()
    for allowance in ALLOWANCES:
        parts = _Sheet(traced, inputs, letters, style, allowance, numbered, units).write()
        if style != "auto" or printed_operations(parts) <= LONGEST * traced.operations:
            break
    return parts


def printed_operations(parts: Iterable[Part]) -> int:
    """Operations of everything as it is printed; entries that are equal, as in a symmetric matrix, count once."""
    given = tuple(parts)
    found = [right for part in given for _, right in part.before]
    for part in given:
        found += list(dict.fromkeys(part.entries))
    return operations(found)


class _Sheet:
    """What is written so far."""

    def __init__(
        self,
        traced: Traced,
        inputs: Sequence[Sequence[Any]],
        letters: Mapping[str, str],
        style: Style,
        allowance: tuple[float, float],
        numbered: str,
        units: Sequence[Sequence[Any]],
    ) -> None:
        self._sp = sympy_library()
        self._growth, self._slack = allowance
        self._traced, self._tape, self._inputs, self._style = traced, traced.tape, inputs, style
        self._letters, self._numbered, self._units = letters, numbered, units
        self._taken = {str(symbol) for port in inputs for symbol in port}
        self._entries: dict[int, Any] = {}
        """Lines that are long entries of parts already written, or minus such a one: their symbols."""
        self._helpers: dict[int, Any] = {}
        """Lines that were defined on the way."""
        self._opposite = _opposites(self._tape)
        self._plain = Reader(self._tape, Wording(inputs, {}, units))
        self._count = 0

    def write(self) -> tuple[Part, ...]:
        """All parts in order."""
        return tuple(
            self._part(port.name, port.shape, lines)
            for port, lines in zip(self._traced.outputs, self._tape.outputs, strict=True)
        )

    def _part(self, name: str, shape: tuple[int, ...], lines: Sequence[int]) -> Part:
        shared: tuple[dict[int, Any], list[tuple[Any, Any]], dict[int, Any]] | None = None
        most = math.inf
        if self._style == "auto":
            shared = self._shared(lines)
            other = operations([*(e for _, e in shared[1]), *(e for line, e in shared[2].items() if line not in shared[0])])
            most = self._growth * other + self._slack * len(set(lines))
        out = self._explicit(lines, most) if self._style != "shared" else None
        before: list[tuple[Any, Any]] = []
        if out is None:
            named, before, out = shared or self._shared(lines)
            self._helpers.update(named)
            self._taken.update(str(symbol) for symbol, _ in before)
            self._count += len(before)
        names = self._names_of(name, shape, lines, out)
        return Part(name, shape, tuple(out[line] for line in lines), names, tuple(before), not before)

    def _explicit(self, lines: Sequence[int], most: float) -> dict[int, Any] | None:
        """Entries in coordinates, velocities and parameters, or in names of earlier entries where that is shorter.

        None where they have more operations than `most`, or no form that is short enough to be tried.
        """
        spoken = Wording(self._inputs, dict(self._entries), self._units)
        readers = [self._plain, Reader(self._tape, spoken)][: 2 if self._entries else 1]
        found: dict[int, Any] = {}
        seen: set[Any] = set()
        cost = 0
        for line in dict.fromkeys(lines):
            if line in self._entries:
                found[line] = self._entries[line]
                continue
            ways: list[Any] = []
            for reader in readers:
                way = _attempt(reader, line)
                if way is not None:
                    ways.append(way)
                    if operations([way]) <= WORTH:
                        break
            if not ways:
                return None
            found[line] = min(ways, key=lambda way: operations([way]))
            cost += counted([found[line]], seen)
            if cost > most:
                return None
        return found

    def _shared(self, lines: Sequence[int]) -> tuple[dict[int, Any], list[tuple[Any, Any]], dict[int, Any]]:
        """Names of lines, their definitions in order, and the entries."""
        known = {**self._helpers, **self._entries}
        new = shared_lines(self._tape, lines, known)
        named: dict[int, Any] = dict.fromkeys(new)
        spoken = {**known, **named}
        reader = Reader(self._tape, Wording(self._inputs, spoken, self._units))
        defined: dict[Any, Any] = {}
        for line in new:
            expression = self._shortest(reader, line, defined)
            if expression.is_Atom or (-expression).is_Symbol:  # another name for the same, or a number: nothing to define
                spoken[line] = named[line] = expression
            else:
                spoken[line] = named[line] = self._symbol(f"{self._numbered}{self._count + len(defined) + 1}")
                defined[named[line]] = expression
        out = {line: reader.value(line) for line in dict.fromkeys(lines)}
        return self._pruned(named, defined, out)

    def _shortest(self, reader: Reader, line: int, defined: Mapping[Any, Any]) -> Any:
        """A definition as it is shortest: in names, in coordinates alone, or with a sum that it speaks of put back."""
        ways = [reader.definition(line)]
        if self._units and self._plain.size(line) <= AT_SIGHT:
            ways += [way for way in (_attempt(self._plain, line),) if way is not None]
        for symbol in ways[0].free_symbols & defined.keys():
            if ways[0].is_Add and defined[symbol].is_Add:
                ways.append(ways[0].xreplace({symbol: defined[symbol]}))
        return min(ways, key=lambda way: (operations([way]), len(way.args) if way.is_Add else 0))

    def _pruned(
        self, named: Mapping[int, Any], defined: Mapping[Any, Any], out: Mapping[int, Any]
    ) -> tuple[dict[int, Any], list[tuple[Any, Any]], dict[int, Any]]:
        """Without definitions that nothing speaks of, and counted anew."""
        used = {symbol for entry in out.values() for symbol in entry.free_symbols}
        for symbol in reversed(defined):
            if symbol in used:
                used |= defined[symbol].free_symbols
        kept = [symbol for symbol in defined if symbol in used]
        again = {symbol: self._symbol(f"{self._numbered}{self._count + n}") for n, symbol in enumerate(kept, 1)}
        return (
            {line: thing.xreplace(again) for line, thing in named.items() if thing not in defined or thing in again},
            [(again[symbol], defined[symbol].xreplace(again)) for symbol in kept],
            {line: entry.xreplace(again) for line, entry in out.items()},
        )

    def _names_of(self, name: str, shape: tuple[int, ...], lines: Sequence[int], out: Mapping[int, Any]) -> tuple[Any, ...]:
        """Symbols of long entries; equal entries (of symmetric matrices) share one."""
        found: dict[int, Any] = {}
        symbols: list[Any] = []
        for position, line in enumerate(lines):
            if line in self._entries:  # what an earlier part calls by a name
                symbols.append(None)
                continue
            if line not in found and operations([out[line]]) >= WORTH and name in self._letters:
                found[line] = self._symbol(self._letters[name] + _index(position, shape))
                self._taken.add(str(found[line]))
            symbols.append(found.get(line))
        self._entries.update({self._opposite[line]: -name for line, name in found.items() if line in self._opposite})
        self._entries.update(found)
        return tuple(symbols)

    def _symbol(self, name: str) -> Any:
        while name in self._taken:  # a parameter may be called H_1_1 too
            name += "_"
        return self._sp.Symbol(name, real=True)


def _attempt(reader: Reader, line: int) -> Any | None:
    if reader.size(line) > HOPELESS:
        return None
    try:
        return reader.definition(line)
    except TooLongError:
        return None


def _opposites(tape: Tape) -> dict[int, int]:
    """Lines that are minus another line: a tape keeps either sign where it is needed."""
    lines = {(i.op, i.args, i.value): line for line, i in enumerate(tape.instructions)}
    found: dict[int, int] = {}
    for line, instruction in enumerate(tape.instructions):
        other: int | None = None
        if instruction.op == "neg":
            other = instruction.args[0]
        elif instruction.op == "sub":
            other = lines.get(("sub", instruction.args[::-1], 0.0))
        elif instruction.op == "mul" and tape.instructions[instruction.args[0]].op == "const":
            factor = lines.get(("const", (), -tape.instructions[instruction.args[0]].value))
            other = None if factor is None else lines.get(("mul", (factor, instruction.args[1]), 0.0))
        if other is not None:
            found[line], found[other] = other, line
    return found


def _index(position: int, shape: tuple[int, ...]) -> str:
    if len(shape) == 2:
        return f"_{position // shape[1] + 1}_{position % shape[1] + 1}"
    return f"_{position + 1}" if shape != (1,) else ""


def shared_lines(tape: Tape, outputs: Sequence[int], known: Mapping[int, Any]) -> list[int]:
    """Lines used more than once by some outputs; what is a symbol with a sign or a number, or its sine, needs no name."""
    uses: Counter[int] = Counter(dict.fromkeys(outputs, 1))
    waiting = [line for line in dict.fromkeys(outputs) if line not in known]
    reached: set[int] = set(waiting)
    while waiting:
        line = waiting.pop()
        instruction = tape.instructions[line]
        if instruction.op in ("input", "const"):
            continue
        uses.update(instruction.args)
        for argument in instruction.args:
            if argument not in reached and argument not in known:
                reached.add(argument)
                waiting.append(argument)

    def is_plain(line: int) -> bool:
        return tape.instructions[line].op in ("input", "const")

    found: list[int] = []
    for line in sorted(reached):
        instruction = tape.instructions[line]
        if is_plain(line) or uses[line] < 2:
            continue
        scales = instruction.op == "mul" and tape.instructions[instruction.args[0]].op == "const"
        simple = all(is_plain(argument) or argument in known for argument in instruction.args)
        if simple and (instruction.op in ("neg", "sin", "cos") or scales):
            continue
        found.append(line)
    return found
