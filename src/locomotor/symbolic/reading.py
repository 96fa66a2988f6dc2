"""Tapes read as expressions: which lines get a name, and how each is written shortest.

A *named* line is printed once, as a definition; all others are written where they are used. Each definition and each result is
then written in three ways, as the tape has it, and in two normal forms (products of sines multiplied out or left alone), and
the shortest is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.symbolic.counting import operations
from locomotor.symbolic.factoring import Writer, exact
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.normal_form import EFFORT, Form, TooLongError, Workshop
from locomotor.tracing import Tape

TREE = 4000
"""Operations beyond which a line is not written out as the tape has it."""


@dataclass(frozen=True)
class Wording:
    """How a tape is to be written: symbols of its inputs, port by port, names of lines, symbols of unit quaternions."""

    inputs: Sequence[Sequence[Any]]
    named: Mapping[int, Any]
    units: Sequence[Sequence[Any]] = ()


class Reader:
    """Writes lines of a tape as SymPy expressions."""

    def __init__(self, tape: Tape, wording: Wording) -> None:
        self._sp = sympy_library()
        self.tape = tape
        self.wording = wording
        self._raw: dict[int, Any] = {}
        self._sizes: dict[int, int] = {}
        self._routes = [_Route(self, collects) for collects in (True, False)]

    def definition(self, line: int) -> Any:
        """The shortest expression of a line, in inputs and other named lines."""
        found = [route.expression(line) for route in self._routes]
        if self.size(line) <= TREE:
            found.append(self.raw(line, top=True))
        written = [expression for expression in found if expression is not None]
        if not written:
            raise TooLongError(f"line {line}")
        return min(written, key=lambda expression: operations([expression]))

    def value(self, line: int) -> Any:
        """A line as it is seen from others: its name, or its shortest expression."""
        return self.wording.named[line] if line in self.wording.named else self.definition(line)

    def leaf(self, line: int) -> Any | None:
        """The symbol or number of an input or a constant."""
        instruction = self.tape.instructions[line]
        if instruction.op == "input":
            return self.wording.inputs[instruction.args[0]][instruction.args[1]]
        if instruction.op == "const":
            return constant(self._sp, instruction.value)
        return None

    def raw(self, line: int, top: bool = False) -> Any:
        """The line as the tape has it."""
        if not top and line in self.wording.named:
            return self.wording.named[line]
        if line not in self._raw:
            leaf = self.leaf(line)
            if leaf is None:
                instruction = self.tape.instructions[line]
                leaf = operate(self._sp, instruction.op, [self.raw(argument) for argument in instruction.args])
            self._raw[line] = leaf
        return self._raw[line]

    def size(self, line: int) -> int:
        """Operations of a line with everything written out that has no name."""
        if line not in self._sizes:
            instruction = self.tape.instructions[line]
            if instruction.op in ("input", "const"):
                self._sizes[line] = 0
            else:
                inner = (0 if a in self.wording.named else self.size(a) for a in instruction.args)
                self._sizes[line] = min(1 + sum(inner), 10 * TREE)
        return self._sizes[line]


class _Route:
    """Normal forms of the lines of one tape: with products of sines multiplied out (`collects`) or left as they are."""

    def __init__(self, reader: Reader, collects: bool) -> None:
        self._sp = sympy_library()
        self._reader = reader
        self._collects = collects
        self._generators: list[Any] = [symbol for unit in reader.wording.units for symbol in unit]
        self._places: dict[Any, int] = {symbol: place for place, symbol in enumerate(self._generators)}
        self._workshop = Workshop([tuple(self._places[symbol] for symbol in unit) for unit in reader.wording.units])
        self._forms: dict[int, Form | None] = {}
        self._writer = Writer(self._workshop, self._generators)

    def expression(self, line: int) -> Any | None:
        """The line in normal form, or None where that is too long."""
        self._workshop.effort = EFFORT
        form = self._form(line, top=True)
        return None if form is None else self._writer.written(form)

    def _generator(self, thing: Any) -> Form:
        if thing not in self._places:
            self._places[thing] = len(self._generators)
            self._generators.append(thing)
        return self._workshop.generator(self._places[thing])

    def _given(self, thing: Any) -> Form:
        """What stands for an input or a line: a symbol, minus a symbol, or any expression that was put in its place."""
        if thing.is_Rational:
            return self._workshop.number(Fraction(int(thing.p), int(thing.q)))
        if thing.is_Float:
            return self._workshop.number(fraction(float(thing)))
        if thing.is_Add or thing.is_Mul:
            combine = self._workshop.add if thing.is_Add else self._workshop.multiply
            return reduce(combine, (self._given(part) for part in thing.args))
        return self._generator(thing)

    def _form(self, line: int, top: bool = False) -> Form | None:
        if not top and line in self._reader.wording.named:
            return self._given(self._reader.wording.named[line])
        if line not in self._forms:
            self._forms[line] = None
            try:
                self._forms[line] = self._made(line)
            except TooLongError:
                self._forms[line] = None
        return self._forms[line]

    def _made(self, line: int) -> Form | None:
        instruction = self._reader.tape.instructions[line]
        if instruction.op == "const":
            return self._workshop.number(fraction(instruction.value))
        leaf = self._reader.leaf(line)
        if leaf is not None:
            return self._given(leaf)
        parts = [self._form(argument) for argument in instruction.args]
        if any(part is None for part in parts):
            return None
        given: list[Any] = parts
        match instruction.op:
            case "add":
                return self._workshop.add(*given)
            case "sub":
                return self._workshop.add(given[0], given[1], sign=-1)
            case "neg":
                return self._workshop.add(Form({}), given[0], sign=-1)
            case "mul":
                return self._workshop.multiply(*given)
            case "div":
                return self._workshop.divide(*given)
            case "sin" | "cos" if self._collects:
                found = self._workshop.turned(given[0], instruction.op == "sin")
                if found is not None:
                    return found
        return self._generator(operate(self._sp, instruction.op, [self._writer.written(part) for part in given]))


def fraction(value: float) -> Fraction:
    """The shortest decimal of a number, exactly."""
    if not math.isfinite(value):
        raise TooLongError(f"{value} has no form")
    return Fraction(repr(value))


def constant(sp: Any, value: float) -> Any:
    """A number of a tape: whole or a short fraction where it is one."""
    return exact(sp, Fraction(repr(value))) if math.isfinite(value) else sp.Float(value)


def operate(sp: Any, op: str, arguments: list[Any]) -> Any:
    """One operation of a tape on expressions."""
    if op not in _OPERATIONS:
        raise ArgumentError(f"equations: the operation {op!r} of the tape has no printed form")
    found = _OPERATIONS[op](sp, *arguments)
    # On a tape what is true is 1 and what is not is 0, and either may be multiplied.
    return sp.Piecewise((1, found), (0, True), evaluate=False) if found.is_Boolean or found.is_Relational else found


def _truth(sp: Any, a: Any) -> Any:
    """A number as a condition: the one that it was made of, or that it is not zero."""
    if a.is_Number:
        return sp.true if a != 0 else sp.false
    if isinstance(a, sp.Piecewise) and [value for value, _ in a.args] == [1, 0] and a.args[1][1] == sp.true:
        return a.args[0][1]
    return sp.Ne(a, 0, evaluate=False)


def _selected(sp: Any, condition: Any, a: Any, b: Any) -> Any:
    """One of two expressions; where these ask for the same condition again, the answer is known."""
    return sp.Piecewise((_known(sp, a, condition, 0), condition), (_known(sp, b, condition, 1), True), evaluate=False)


def _known(sp: Any, expression: Any, condition: Any, branch: int) -> Any:
    asked = [found for found in expression.atoms(sp.Piecewise) if len(found.args) == 2 and found.args[0][1] == condition]
    return expression.xreplace({found: found.args[branch][0] for found in asked}) if asked else expression


SAME_NAME = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "log", "erf", "sign", "floor", "atan2"),
)
_OPERATIONS: dict[str, Any] = {
    "add": lambda sp, a, b: a + b,
    "sub": lambda sp, a, b: a - b,
    "mul": lambda sp, a, b: sp.Mul(a, b, evaluate=False) if _lone(a, b) else a * b,
    "div": lambda sp, a, b: a / b,
    "neg": lambda sp, a: -a,
    "sqrt": lambda sp, a: sp.sqrt(a),
    "pow": lambda sp, a, b: sp.Pow(a, b),
    "lt": lambda sp, a, b: sp.StrictLessThan(a, b, evaluate=False),
    "le": lambda sp, a, b: sp.LessThan(a, b, evaluate=False),
    "eq": lambda sp, a, b: sp.Eq(a, b, evaluate=False),
    "ne": lambda sp, a, b: sp.Ne(a, b, evaluate=False),
    "and": lambda sp, a, b: sp.And(_truth(sp, a), _truth(sp, b)),
    "or": lambda sp, a, b: sp.Or(_truth(sp, a), _truth(sp, b)),
    "not": lambda sp, a: sp.Not(_truth(sp, a)),
    "truth": lambda sp, a: _truth(sp, a),
    "number": lambda sp, a: _truth(sp, a),
    "select": lambda sp, c, a, b: _selected(sp, _truth(sp, c), a, b),
    "fabs": lambda sp, a: sp.Abs(a),
    "fmin": lambda sp, a, b: sp.Min(a, b),
    "fmax": lambda sp, a, b: sp.Max(a, b),
    "ceil": lambda sp, a: sp.ceiling(a),
    "hypot": lambda sp, a, b: sp.sqrt(a**2 + b**2),
    "log1p": lambda sp, a: sp.log(1 + a),
    "expm1": lambda sp, a: sp.exp(a) - 1,
    **{name: partial(lambda name, sp, *a: getattr(sp, name)(*a), name) for name in SAME_NAME},
}


def _lone(a: Any, b: Any) -> bool:
    """Whether SymPy would multiply a number into a bracket."""
    number, other = (a, b) if a.is_Number else (b, a)
    return bool(number.is_Number and other.is_Add and number not in (0, 1, -1))
