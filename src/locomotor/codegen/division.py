"""One instance by several threads: a tape divided among the limbs of a tree.

A long tape keeps more values alive than a thread of a device has registers, and what does not fit goes through memory. Where
the state comes in limbs on a trunk, most of the tape belongs to one limb each: what a limb computes from its own numbers and
those of the trunk (the way in), and again what follows for it once the trunk is known (the way out). Between the two stand the
lines in which limbs meet. Every limb is given to a thread, which computes its own lines and all lines of the trunk; what the
others need of it, it lays out for them, and waits. The operations are those of the tape, on the same operands.

This file knows nothing of devices: `cuda/limbs.py` writes the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from locomotor.codegen.schedule import LEAVES, pressure, schedule
from locomotor.dataclass import dataclass
from locomotor.lie import Manifold
from locomotor.tracing.core import MASKS, Instruction, Tape

TRUNK = -1
CROWDED = 200
"""Values alive at once from which on a division pays: a thread has registers for fewer."""
EXCESS = 1.35
"""Lines of all roles together over those of the tape, at most: every role computes the lines of the trunk. A tree of four limbs
of five joints has 1.1."""


@dataclass(frozen=True)
class Role:
    """What one thread of an instance does.

    Inputs of its tape are time, its part of the state, inputs, parameters, and then for each meeting what all roles have laid
    out before it. Outputs: its part of the rate, the monitors, and what it lays out itself.
    """

    state: tuple[int, ...]
    """Where the numbers of its state are in the whole one."""
    rate: tuple[int, ...]
    """And those of its rate."""
    trunk: tuple[int, ...]
    """Which of its numbers belong to the trunk."""
    manifold: Manifold
    tape: Tape
    begin: int
    """Where it begins to lay out."""


@dataclass(frozen=True)
class Division:
    """A tape divided: its roles, how often they meet in one evaluation, and how many numbers they lay out together."""

    roles: tuple[Role, ...]
    meetings: int
    shared: int


def divide(tape: Tape, manifold: Manifold, limbs: Sequence[int]) -> Division | None:
    """The division of a right-hand side `rate(time, state, inputs, parameters)` by the limb of each number of the state.

    None where there are no two limbs, where values fit into registers as it is, or where too much belongs to the trunk.
    """
    count = max(limbs, default=TRUNK) + 1
    if count < 2 or pressure(schedule(tape)) < CROWDED:
        return None
    lines = _Lines(tape, limbs, _tangent_limbs(manifold, limbs), count)
    if any(tape.instructions[line].op in MASKS for line in lines.shown):  # what is laid out are numbers
        return None
    roles = lines.roles(manifold)
    if lines.largest * count > EXCESS * tape.operations:
        return None
    return Division(tuple(roles), lines.meetings, len(lines.shown))


def _tangent_limbs(manifold: Manifold, limbs: Sequence[int]) -> list[int]:
    """The limb of each number of a tangent vector."""
    found: list[int] = []
    for turning, x, _ in manifold.slices():
        found += [limbs[x.start]] * 3 if turning else limbs[x]
    return found


class _Lines:
    """For each line of a tape its limb, and after how many meetings it can be computed."""

    def __init__(self, tape: Tape, limbs: Sequence[int], targets: Sequence[int], count: int) -> None:
        self.tape, self.limbs, self.targets, self.count = tape, limbs, targets, count
        self.users: list[list[int]] = [[] for _ in tape.instructions]
        for line, instruction in enumerate(tape.instructions):
            for operand in self._operands(instruction):
                self.users[operand].append(line)
        self.limb: list[int] = []
        self.level: list[int] = []
        serves = self._serves()
        for line, instruction in enumerate(tape.instructions):
            limb, level = self._place(instruction, serves[line])
            self.limb.append(limb)
            self.level.append(level)
        outside = self._outside()
        wanted = [line for line in range(len(tape.instructions)) if self.limb[line] != TRUNK and self._is_shown(line, outside)]
        self.shown = {line: slot for slot, line in enumerate(sorted(wanted, key=lambda line: self.limb[line]))}
        """Lines that others read, and where they are laid out: those of a limb together."""
        self.meetings = max([*self.level, *(self.level[line] + 1 for line in self.shown)])
        self.largest = 0
        """Lines of the longest role."""

    @staticmethod
    def _operands(instruction: Instruction) -> tuple[int, ...]:
        return () if instruction.op in LEAVES else instruction.args

    def _serves(self) -> list[set[int]]:
        """For each line whose results need it."""
        found: list[set[int]] = [set() for _ in self.tape.instructions]
        for port, lines in enumerate(self.tape.outputs):
            for place, line in enumerate(lines):
                found[line].add(self.targets[place] if port == 0 else TRUNK)
        for line in reversed(range(len(found))):
            for user in self.users[line]:
                found[line] |= found[user]
        return found

    def _place(self, instruction: Instruction, serves: set[int]) -> tuple[int, int]:
        """A line belongs to a limb if it needs numbers of that alone; after a meeting, only if it serves that alone, too.

        So the sum over limbs, which is begun with two of them, stays with the trunk when a third is added.
        """
        if instruction.op == "input":
            return self.limbs[instruction.args[1]] if instruction.args[0] == 1 else TRUNK, 0
        operands = self._operands(instruction)
        own = {self.limb[operand] for operand in operands} - {TRUNK}
        level = max((self.level[operand] for operand in operands), default=0)
        if len(own) == 1 and (level == 0 or serves == own):
            return own.pop(), level
        return TRUNK, max((self.level[a] + (self.limb[a] != TRUNK) for a in operands), default=0)

    def _outside(self) -> set[int]:
        """Results that are wanted of others than the limb that computes them: monitors are wanted of all."""
        rates = zip(self.tape.outputs[0], self.targets, strict=True)
        return {line for line, limb in rates if limb != self.limb[line]} | {x for port in self.tape.outputs[1:] for x in port}

    def _is_shown(self, line: int, outside: set[int]) -> bool:
        return line in outside or any(self.limb[user] == TRUNK for user in self.users[line])

    # -- roles ----------------------------------------------------------------------------------------

    def roles(self, manifold: Manifold) -> list[Role]:
        """One for each limb."""
        found, begin = [], 0
        for limb in range(self.count):
            mine = (TRUNK, limb)
            state = tuple(i for i, other in enumerate(self.limbs) if other in mine)
            laid = [line for line in self.shown if self.limb[line] == limb]
            rate = tuple(i for i, other in enumerate(self.targets) if other in mine)
            results = [[self.tape.outputs[0][i] for i in rate], *self.tape.outputs[1:], laid]
            tape = self._tape(limb, {place: i for i, place in enumerate(state)}, results)
            trunk = tuple(i for i, place in enumerate(state) if self.limbs[place] == TRUNK)
            found.append(Role(state, rate, trunk, _part(manifold, set(state)), tape, begin))
            self.largest = max(self.largest, tape.operations)
            begin += len(laid)
        return found

    def _tape(self, limb: int, places: dict[int, int], outputs: Sequence[Sequence[int]]) -> Tape:
        """Lines that these outputs need, numbers of other limbs read where they are laid out."""
        instructions: list[Instruction] = []
        moved: dict[int, int] = {}
        needed = self._needed(limb, [line for port in outputs for line in port])
        for line in sorted(needed):
            instruction = self.tape.instructions[line]
            if self.limb[line] not in (TRUNK, limb):
                instruction = Instruction("input", (4 + self.level[line], self.shown[line]))
            elif instruction.op == "input" and instruction.args[0] == 1:
                instruction = instruction._replace(args=(1, places[instruction.args[1]]))
            elif instruction.op not in LEAVES:
                instruction = instruction._replace(args=tuple(moved[a] for a in instruction.args))
            moved[line] = len(instructions)
            instructions.append(instruction)
        return Tape(tuple(instructions), tuple(tuple(moved[line] for line in port) for port in outputs))

    def _needed(self, limb: int, wanted: Sequence[int]) -> set[int]:
        found: set[int] = set()
        pending = list(wanted)
        while pending:
            line = pending.pop()
            if line not in found:
                found.add(line)
                if self.limb[line] in (TRUNK, limb):
                    pending += self._operands(self.tape.instructions[line])
        return found


def _part(manifold: Manifold, state: set[int]) -> Manifold:
    """Those blocks of a state that have these numbers."""
    blocks: list[tuple[Any, ...]] = []
    for turning, x, _ in manifold.slices():
        chosen = sum(place in state for place in range(x.start, x.stop))
        if chosen:
            blocks.append(("quaternion",) if turning else ("vector", chosen))
    return Manifold.joined(blocks)
