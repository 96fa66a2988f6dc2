"""A step in stages: what comes before, between and after the calls of a traced function, each a tape of its own.

Numbers that a call takes stand in memory, and so do those that it gives: a later stage reads there what an earlier one has put
there, and computes anew what takes a few operations. What would take more is put there beside the numbers of a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from locomotor.dataclass import dataclass
from locomotor.tracing.core import Instruction, Rolled, Tape

LEAVES = ("input", "const")
FEW = 8
"""Operations that are done again rather than kept."""


@dataclass(frozen=True)
class Stage:
    """A stage: its tape, whose inputs are those of the function, the results of its calls, and the numbers that are there.

    Outputs of the tape are the numbers of the call that follows from `fresh` on, and what is kept beside them; or what the
    function gives.
    """

    tape: Tape
    fresh: int


class _Numbers:
    """Lines of a tape that are in memory, and where: (input, place)."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.there: dict[int, tuple[int, int]] = {}
        self.negative: dict[int, tuple[int, int]] = {}
        """Lines of which the negative is there."""

    def put(self, line: int, place: tuple[int, int]) -> None:
        """A line is in memory from now on."""
        instruction = self.tape.instructions[line]
        if instruction.op not in LEAVES:
            self.there.setdefault(line, place)
        if instruction.op == "neg":
            self.negative.setdefault(instruction.args[0], place)

    def is_there(self, line: int) -> bool:
        """Whether it can be read."""
        return line in self.there or line in self.negative or self.tape.instructions[line].op in LEAVES

    def needed(self, wanted: Iterable[int]) -> set[int]:
        """Lines that have to be computed for others."""
        found: set[int] = set()
        pending = list(wanted)
        while pending:
            line = pending.pop()
            if line not in found and not self.is_there(line):
                found.add(line)
                pending += self.tape.instructions[line].args
        return found


def stages_of(tape: Tape, rolled: Rolled, inputs: int, outputs: int) -> list[Stage]:
    """The stages of a function with `inputs` inputs and `outputs` outputs whose rounds are all calls."""
    wanted = [list(port) for port in tape.outputs[outputs + rolled.arrays :]]
    fresh = [loop.call.stages.fresh for loop in rolled.rounds if loop.call is not None and loop.call.stages is not None]
    goals = [[port[start:]] for port, start in zip(wanted, fresh, strict=True)]
    goals.append([list(port) for port in tape.outputs[:outputs]])
    kept = _kept(tape, goals)
    numbers = _Numbers(tape)
    found = []
    for k, ports in enumerate(goals):
        if k == len(wanted):
            found.append(Stage(_slice(numbers, ports), 0))
            break
        lines = [*ports[0], *kept[k]]
        found.append(Stage(_slice(numbers, [lines]), fresh[k]))
        for place, line in enumerate(lines):
            numbers.put(line, (inputs + len(wanted) + k, fresh[k] + place))
    return found


def _kept(tape: Tape, goals: Sequence[Sequence[Sequence[int]]]) -> list[list[int]]:
    """For each stage the lines that later ones need and that take more than a few operations."""
    kept: list[list[int]] = [[] for _ in goals]
    while True:
        numbers, more = _Numbers(tape), False
        made: dict[int, int] = {}
        for k, ports in enumerate(goals):
            lines = [*(line for port in ports for line in port), *kept[k]]
            needed = numbers.needed(lines)
            again = {line for line in needed if line in made}
            frontier = {a for line in needed - again for a in tape.instructions[line].args if a in again} | (again & set(lines))
            for line in sorted(frontier, reverse=True):
                if len(numbers.needed([line])) > FEW:
                    kept[made[line]].append(line)
                    numbers.put(line, (0, 0))
                    more = True
            for line in needed - again:
                made[line] = k
            for line in lines:
                numbers.put(line, (0, 0))
        if not more:
            return kept


def _slice(numbers: _Numbers, outputs: Sequence[Sequence[int]]) -> Tape:
    """What some lines need, with those read that are there already."""
    instructions = numbers.tape.instructions
    computed = numbers.needed(line for port in outputs for line in port)
    used = computed | {a for line in computed for a in instructions[line].args} | {line for port in outputs for line in port}
    lines: list[Instruction] = []
    moved: dict[int, int] = {}
    for line in sorted(used):
        instruction = instructions[line]
        if line in numbers.there:
            instruction = Instruction("input", numbers.there[line])
        elif line in numbers.negative:
            lines.append(Instruction("input", numbers.negative[line]))
            instruction = Instruction("neg", (len(lines) - 1,))
        elif instruction.op not in LEAVES:
            instruction = instruction._replace(args=tuple(moved[a] for a in instruction.args))
        moved[line] = len(lines)
        lines.append(instruction)
    return Tape(tuple(lines), tuple(tuple(moved[line] for line in port) for port in outputs))
