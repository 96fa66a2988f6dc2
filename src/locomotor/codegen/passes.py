"""Passes tape -> tape that trade operations for speed of the machine; applied before code is emitted."""

from __future__ import annotations

from collections import Counter

from locomotor.tracing.core import Instruction, Tape


def share_reciprocals(tape: Tape) -> Tape:
    """Divisions by the same value become one reciprocal and products: x / d, y / d -> r = 1 / d, x r, y r.

    A division costs some ten products of the same width; the result may differ in the last place.
    """
    uses = Counter(i.args[1] for i in tape.instructions if i.op == "div")
    shared = {divisor for divisor, count in uses.items() if count > 1}
    if not shared:
        return tape
    lines: list[Instruction] = []
    moved: list[int] = []
    reciprocals: dict[int, int] = {}
    for instruction in tape.instructions:
        if instruction.op in ("input", "const"):
            lines.append(instruction)
        elif instruction.op == "div" and instruction.args[1] in shared:
            numerator, divisor = instruction.args
            if divisor not in reciprocals:
                lines.append(Instruction("const", (), 1.0))
                lines.append(Instruction("div", (len(lines) - 1, moved[divisor])))
                reciprocals[divisor] = len(lines) - 1
            lines.append(Instruction("mul", (moved[numerator], reciprocals[divisor])))
        else:
            lines.append(instruction._replace(args=tuple(moved[operand] for operand in instruction.args)))
        moved.append(len(lines) - 1)
    return Tape(tuple(lines), tuple(tuple(moved[line] for line in port) for port in tape.outputs))
