"""Lines of a tape that only one side of a choice needs: they are left out where that side is not taken.

Both sides of `select(m, a, b)` stand in a tape, such as the series of a function near zero and its closed form elsewhere. What
is used on one side of choices by one and the same mask alone goes into a branch that is taken where the mask asks for it: in
SIMD code, for one lane at least. Results keep their bits.
"""

from __future__ import annotations

from collections.abc import Iterator

from locomotor.codegen.partition import Part
from locomotor.tracing.core import MASKS, Tape

Side = tuple[int, bool]
"""Line of a mask, and whether it has to be true."""
DEAR = {"div": 8, "sqrt": 12, **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "pow"), 30)}
"""Operations that take as long as so many additions."""
WORTH = 60
"""Additions that a branch has to save: what goes through both sides at once goes faster through less."""
_ALWAYS: Side = (-1, True)


def sides(tape: Tape) -> dict[int, Side]:
    """The lines of a tape that are needed on one side of choices alone, and on which."""
    wanted: dict[int, Side] = {line: _ALWAYS for results in tape.outputs for line in results}
    found: dict[int, Side] = {}

    def use(line: int, side: Side) -> None:
        wanted[line] = side if wanted.get(line, side) == side else _ALWAYS

    for line in reversed(range(len(tape.instructions))):  # those that use a line come after it
        instruction = tape.instructions[line]
        if instruction.op in ("input", "const"):
            continue
        side = _ALWAYS if instruction.op in MASKS else wanted.get(line, _ALWAYS)
        if side != _ALWAYS:
            found[line] = side
        if instruction.op == "select" and side == _ALWAYS:
            mask, chosen, other = instruction.args
            use(mask, _ALWAYS)
            use(chosen, (mask, True))
            use(other, (mask, False))
            continue
        for operand in instruction.args:
            use(operand, side)
    saved: dict[Side, int] = {}
    for line, side in found.items():
        saved[side] = saved.get(side, 0) + DEAR.get(tape.instructions[line].op, 1)
    return {line: side for line, side in found.items() if saved[side] >= WORTH}


class Waiting:
    """Lines of a part of a tape that wait for the first choice that asks for them."""

    def __init__(self, tape: Tape, part: Part, sides: dict[int, Side]) -> None:
        own = range(part.start, part.stop)
        # A part knows the masks that it makes and those that its own lines take; what other choices ask for it computes always.
        self._sides = {line: side for line in own if (side := sides.get(line)) and (side[0] in own or side[0] in part.loads)}
        self._tape = tape
        self._waiting: dict[Side, list[int]] = {}
        self._users: dict[int, list[int]] = {}
        self.always = {line for line in own if line not in self._sides}
        for line in own if len(self.always) < len(own) else ():
            instruction = tape.instructions[line]
            for operand in () if instruction.op in ("input", "const") else instruction.args:
                self._users.setdefault(operand, []).append(line)

    def waits(self, line: int) -> bool:
        """Whether a line waits, as it does from now on."""
        side = self._sides.get(line)
        if side is not None:
            self._waiting.setdefault(side, []).append(line)
        return side is not None

    def before(self, line: int) -> Iterator[tuple[Side, list[int], set[int]]]:
        """What has to be computed before a line, side by side: its lines, and those of them that are read outside."""
        instruction = self._tape.instructions[line]
        if instruction.op == "select":
            yield from self._computed([(instruction.args[0], True), (instruction.args[0], False)])

    def rest(self) -> Iterator[tuple[Side, list[int], set[int]]]:
        """The same for what other parts ask for."""
        yield from self._computed(list(self._waiting))

    def _computed(self, sides: list[Side]) -> Iterator[tuple[Side, list[int], set[int]]]:
        for side in sides:
            if lines := self._waiting.pop(side, []):
                own = set(lines)
                yield side, lines, {line for line in lines if not own.issuperset(self._users.get(line, ()))}
