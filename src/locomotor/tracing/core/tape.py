"""The tape of a traced function: straight-line code in single assignment, as plain Python data.

Every emitter and the interpreter read tapes; nothing after this point knows CasADi.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi

from locomotor.dataclass import dataclass
from locomotor.tracing.core.simplify import Instruction, TapeBuilder

CASADI_OPS = {
    casadi.OP_ADD: "add",
    casadi.OP_SUB: "sub",
    casadi.OP_MUL: "mul",
    casadi.OP_DIV: "div",
    casadi.OP_NEG: "neg",
    casadi.OP_EXP: "exp",
    casadi.OP_LOG: "log",
    casadi.OP_POW: "pow",
    casadi.OP_CONSTPOW: "pow",
    casadi.OP_SQRT: "sqrt",
    casadi.OP_SIN: "sin",
    casadi.OP_COS: "cos",
    casadi.OP_TAN: "tan",
    casadi.OP_ASIN: "asin",
    casadi.OP_ACOS: "acos",
    casadi.OP_ATAN: "atan",
    casadi.OP_LT: "lt",
    casadi.OP_LE: "le",
    casadi.OP_EQ: "eq",
    casadi.OP_NE: "ne",
    casadi.OP_NOT: "not",
    casadi.OP_AND: "and",
    casadi.OP_OR: "or",
    casadi.OP_FLOOR: "floor",
    casadi.OP_CEIL: "ceil",
    casadi.OP_FMOD: "fmod",
    casadi.OP_REMAINDER: "remainder",
    casadi.OP_FABS: "fabs",
    casadi.OP_SIGN: "sign",
    casadi.OP_COPYSIGN: "copysign",
    casadi.OP_ERF: "erf",
    casadi.OP_FMIN: "fmin",
    casadi.OP_FMAX: "fmax",
    casadi.OP_SINH: "sinh",
    casadi.OP_COSH: "cosh",
    casadi.OP_TANH: "tanh",
    casadi.OP_ASINH: "asinh",
    casadi.OP_ACOSH: "acosh",
    casadi.OP_ATANH: "atanh",
    casadi.OP_ATAN2: "atan2",
    casadi.OP_LOG1P: "log1p",
    casadi.OP_EXPM1: "expm1",
    casadi.OP_HYPOT: "hypot",
}


@dataclass(frozen=True)
class Tape:
    """Instructions in order of evaluation, and the lines that hold each scalar of each output port.

    `kinds` of operations: see `locomotor.tracing.core.simplify`. Constants are exact; every line is needed by an output.
    """

    instructions: tuple[Instruction, ...]
    outputs: tuple[tuple[int, ...], ...]

    @cached_property
    def operations(self) -> int:
        """Number of arithmetic operations: loads, stores and constants are not counted."""
        return sum(instruction.op not in ("input", "const") for instruction in self.instructions)


def tape_of(function: casadi.Function) -> Tape:
    """Tape of a CasADi function over SX, all of whose arguments and results are dense column vectors."""
    builder = TapeBuilder()
    slots: dict[int, int] = {}  # CasADi reuses its work slots; each holds the signed value written last
    outputs: list[list[int]] = [[0] * function.size1_out(port) for port in range(function.n_out())]
    for line in range(function.n_instructions()):
        code = function.instruction_id(line)
        operands = function.instruction_input(line)
        target = function.instruction_output(line)
        if code == casadi.OP_OUTPUT:
            outputs[target[0]][target[1]] = slots[operands[0]]
        elif code == casadi.OP_INPUT:
            slots[target[0]] = builder.input(operands[0], operands[1])
        elif code == casadi.OP_CONST:
            slots[target[0]] = builder.constant(function.instruction_constant(line))
        else:
            slots[target[0]] = _translate(builder, code, [slots[operand] for operand in operands])
    lines = tuple(tuple(builder.output(value) for value in port) for port in outputs)
    return _without_dead_code(builder.instructions, lines)


def _translate(builder: TapeBuilder, code: int, operands: list[int]) -> int:
    if code in CASADI_OPS:
        return builder.apply(CASADI_OPS[code], *operands)
    if code == casadi.OP_SQ:
        return builder.multiply(operands[0], operands[0])
    if code == casadi.OP_TWICE:
        return builder.add(operands[0], operands[0])
    if code == casadi.OP_INV:
        return builder.divide(builder.constant(1.0), operands[0])
    if code == casadi.OP_IF_ELSE_ZERO:
        return builder.select(operands[0], operands[1], builder.constant(0.0))
    if code in (casadi.OP_ASSIGN, casadi.OP_LIFT, casadi.OP_PRINTME):
        return operands[0]
    name = next((n for n in vars(casadi) if n.startswith("OP_") and getattr(casadi, n) == code), str(code))
    raise NotImplementedError(f"the CasADi operation {name} has no counterpart on the tape; rewrite the expression without it")


def _without_dead_code(instructions: Sequence[Instruction], outputs: tuple[tuple[int, ...], ...]) -> Tape:
    needed = [False] * len(instructions)
    for port in outputs:
        for line in port:
            needed[line] = True
    for line in range(len(instructions) - 1, -1, -1):
        if needed[line] and instructions[line].op != "input":
            for operand in instructions[line].args:
                needed[operand] = True
    renumbered = [-1] * len(instructions)
    kept: list[Instruction] = []
    for line, instruction in enumerate(instructions):
        if needed[line]:
            renumbered[line] = len(kept)
            if instruction.op not in ("input", "const"):
                instruction = instruction._replace(args=tuple(renumbered[a] for a in instruction.args))
            kept.append(instruction)
    return Tape(tuple(kept), tuple(tuple(renumbered[line] for line in port) for port in outputs))
