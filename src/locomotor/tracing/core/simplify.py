"""Builder of tapes: value numbering with exact sign propagation and a handful of peephole rules.

A *signed value* is an integer: `v >= 0` stands for the value of instruction `v`, `~v` for its negative. Negation is
therefore free while a tape is built; it is absorbed by sums, products and odd or even functions, and an instruction
`neg` is emitted only where nothing can absorb it. All sign moves are exact in floating point (signs of zeros apart).
Every rule keeps or lowers the number of operations.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Instruction(NamedTuple):
    """One line of a tape; the value it defines has the number of the line.

    `input`: args = (port, index). `const`: value. Everything else: args are the numbers of earlier lines.
    """

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0


COMPARISONS = frozenset({"lt", "le", "eq", "ne"})
LOGICAL = frozenset({"and", "or", "not"})
MASKS = COMPARISONS | LOGICAL | {"truth"}
"""Operations whose result is a truth value (a lane mask in SIMD code), not a number."""

COMMUTATIVE = frozenset({"add", "mul", "eq", "ne", "and", "or", "fmin", "fmax", "hypot"})
ODD = frozenset({"sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf"})
EVEN = frozenset({"cos", "cosh", "fabs"})
UNARY = ODD | EVEN | {"sqrt", "exp", "log", "acos", "acosh", "floor", "ceil", "sign", "log1p", "expm1"}
BINARY = frozenset({"pow", "fmod", "remainder", "copysign", "fmin", "fmax", "atan2", "hypot"})


class TapeBuilder:
    """Collects instructions; each method takes and returns signed values."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self._known: dict[tuple[str, tuple[int, ...], str], int] = {}

    # --- leaves ------------------------------------------------------------------------------------------------------

    def input(self, port: int, index: int) -> int:
        """Scalar `index` of input port `port`."""
        return self._emit("input", (port, index))

    def constant(self, value: float) -> int:
        """A constant; negative ones are the signed value of their magnitude, so that 2 x and -2 x share work."""
        if math.copysign(1.0, value) < 0 and not math.isnan(value):
            return ~self._emit("const", (), -value)
        return self._emit("const", (), value)

    # --- arithmetic --------------------------------------------------------------------------------------------------

    def add(self, a: int, b: int) -> int:
        """a + b; the sum of two complementary selections `c ? x : 0` and `!c ? y : 0` is `c ? x : y`."""
        if a < 0 and b < 0:
            return ~self.add(~a, ~b)
        if a < 0 or b < 0:
            return self.subtract(b, ~a) if a < 0 else self.subtract(a, ~b)
        a, b = self.number(a), self.number(b)
        if self._is(a, 0.0) or self._is(b, 0.0):
            return b if self._is(a, 0.0) else a
        if a == b:
            return self.multiply(self.constant(2.0), a)
        merged = self._merge_selections(a, b)
        return self._emit("add", (a, b)) if merged is None else merged

    def subtract(self, a: int, b: int) -> int:
        """a - b, with the operands in one canonical order so that a - b and b - a share one instruction."""
        if b < 0:
            return self.add(a, ~b)
        if a < 0:
            return ~self.add(~a, b)
        a, b = self.number(a), self.number(b)
        if self._is(a, 0.0) or self._is(b, 0.0):
            return ~b if self._is(a, 0.0) else a
        merged = self._merge_selections(a, ~b)
        if merged is not None:
            return merged
        return self._emit("sub", (a, b)) if a < b else ~self._emit("sub", (b, a))

    def multiply(self, a: int, b: int) -> int:
        """a b; products of constants are folded: c1 (c2 x) = (c1 c2) x."""
        if (a < 0) != (b < 0):
            return ~self.multiply(_magnitude(a), _magnitude(b))
        a, b = self.number(_magnitude(a)), self.number(_magnitude(b))
        if self.instructions[b].op == "const":
            a, b = b, a
        first = self.instructions[a]
        if first.op == "const":
            if first.value == 1.0:
                return b
            second = self.instructions[b]
            if second.op == "const":
                return self.constant(first.value * second.value)
            if second.op == "mul" and (inner := self.instructions[second.args[0]]).op == "const":
                return self.multiply(self.constant(first.value * inner.value), second.args[1])
        return self._emit("mul", (a, b))

    def divide(self, a: int, b: int) -> int:
        """a / b; division by a power of two is the multiplication by its (exact) reciprocal."""
        if (a < 0) != (b < 0):
            return ~self.divide(_magnitude(a), _magnitude(b))
        a, b = self.number(_magnitude(a)), self.number(_magnitude(b))
        divisor = self.instructions[b]
        if divisor.op == "const" and divisor.value > 0.0 and math.isfinite(divisor.value):
            reciprocal = 1.0 / divisor.value if divisor.value > 1e-300 else 0.0
            if reciprocal > 0.0 and math.frexp(divisor.value)[0] == 0.5:
                return self.multiply(self.constant(reciprocal), a)
        return self._emit("div", (a, b))

    def power(self, a: int, b: int) -> int:
        """a ** b, with the exponents -1, 1/2, 1 and 2 written out."""
        exponent = self.instructions[_magnitude(b)]
        if exponent.op == "const":
            value = -exponent.value if b < 0 else exponent.value
            if value == 2.0:
                return self.multiply(a, a)
            if value == 1.0:
                return a
            if value == 0.5:
                return self.apply("sqrt", a)
            if value == -1.0:
                return self.divide(self.constant(1.0), a)
        return self._emit("pow", (self._plain(a), self._plain(b)))

    # --- truth values ------------------------------------------------------------------------------------------------

    def number(self, a: int) -> int:
        """The value as a number: a truth value becomes 0 or 1."""
        if a >= 0 and self.instructions[a].op in MASKS:
            return self._emit("number", (a,))
        return a

    def truth(self, a: int) -> int:
        """The value as a truth value: a number is true when it is not zero."""
        magnitude = _magnitude(a)
        if self.instructions[magnitude].op in MASKS:
            return magnitude
        return self._emit("truth", (magnitude,))

    def negate(self, a: int) -> int:
        """Logical not."""
        mask = self.truth(a)
        instruction = self.instructions[mask]
        return instruction.args[0] if instruction.op == "not" else self._emit("not", (mask,))

    def select(self, condition: int, a: int, b: int) -> int:
        """`condition ? a : b`; a value not chosen may be NaN or infinite without harm."""
        mask = self.truth(condition)
        if self.instructions[mask].op == "not":
            return self.select(self.instructions[mask].args[0], b, a)
        a_signed, b_signed = self.number(a), self.number(b)
        zeros = [self._is(_magnitude(v), 0.0) for v in (a_signed, b_signed)]
        if (a_signed < 0 or zeros[0]) and (b_signed < 0 or zeros[1]) and not all(zeros):
            return ~self.select(mask, _magnitude(a_signed), _magnitude(b_signed))
        return self._emit("select", (mask, self._plain(a_signed), self._plain(b_signed)))

    # --- everything else ---------------------------------------------------------------------------------------------

    def apply(self, op: str, *operands: int) -> int:
        """Operation `op` on signed values."""
        match op:
            case "add":
                return self.add(*operands)
            case "sub":
                return self.subtract(*operands)
            case "mul":
                return self.multiply(*operands)
            case "div":
                return self.divide(*operands)
            case "pow":
                return self.power(*operands)
            case "neg":
                return ~self.number(operands[0])
            case "not":
                return self.negate(operands[0])
            case "and" | "or":
                return self._emit(op, (self.truth(operands[0]), self.truth(operands[1])))
            case "select":
                return self.select(*operands)
        if op in ODD and operands[0] < 0:
            return ~self.apply(op, ~operands[0])
        if op in EVEN:
            operands = (_magnitude(operands[0]),)
        return self._emit(op, tuple(self._plain(operand) for operand in operands))

    def output(self, a: int) -> int:
        """Line number of the instruction that holds the signed value as a number."""
        return self._plain(a)

    # --- internals ---------------------------------------------------------------------------------------------------

    def _plain(self, a: int) -> int:
        """Line holding the signed value `a`; emits the cheapest negation where the sign is negative."""
        a = self.number(a)
        if a >= 0:
            return a
        instruction = self.instructions[~a]
        if instruction.op == "const":
            return self._emit("const", (), -instruction.value)
        if instruction.op == "sub":
            return self._emit("sub", (instruction.args[1], instruction.args[0]))
        if instruction.op == "mul" and self.instructions[instruction.args[0]].op == "const":
            factor = self._emit("const", (), -self.instructions[instruction.args[0]].value)
            return self._emit("mul", (factor, instruction.args[1]))
        return self._emit("neg", (self.number(~a),))

    def _is(self, a: int, value: float) -> bool:
        instruction = self.instructions[a]
        return instruction.op == "const" and instruction.value == value

    def _merge_selections(self, a: int, b: int) -> int | None:
        """`(c ? x : 0) + (c ? 0 : y)` is `c ? x : y`; None when a + b (a not negative) is not of that form."""
        first, second = self.instructions[a], self.instructions[_magnitude(b)]
        if first.op != "select" or second.op != "select" or first.args[0] != second.args[0]:
            return None
        signed = (lambda value: ~value) if b < 0 else (lambda value: value)
        if self._is(first.args[2], 0.0) and self._is(second.args[1], 0.0):
            return self.select(first.args[0], first.args[1], signed(second.args[2]))
        if self._is(first.args[1], 0.0) and self._is(second.args[2], 0.0):
            return self.select(first.args[0], signed(second.args[1]), first.args[2])
        return None

    def _emit(self, op: str, args: tuple[int, ...], value: float = 0.0) -> int:
        if op in COMMUTATIVE and args[0] > args[1] and self.instructions[args[0]].op != "const":
            args = (args[1], args[0])
        if op in COMMUTATIVE and self.instructions[args[1]].op == "const":
            args = (args[1], args[0])
        key = (op, args, value.hex())
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = len(self.instructions)
            self.instructions.append(Instruction(op, args, value))
        return known


def _magnitude(a: int) -> int:
    return a if a >= 0 else ~a
