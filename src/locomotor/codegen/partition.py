"""Splits long tapes into parts that a C compiler digests: its time grows faster than the length of a function."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from locomotor.dataclass import dataclass
from locomotor.tracing.core import Tape


@dataclass(frozen=True)
class Part:
    """Lines `start` to `stop` of a tape; `loads` and `stores` map lines to slots of the work array between parts."""

    start: int
    stop: int
    loads: dict[int, int]
    stores: dict[int, int]


def split(tape: Tape, limit: int, breaks: Sequence[int] = ()) -> tuple[tuple[Part, ...], int]:
    """Parts of at most `limit` lines each, nearly equal, and the size of the work array they share.

    A slot of the work array is taken from the part that defines a value to the last part that uses it, then reused. A part
    ends at each of the `breaks`.
    """
    bounds = [0]
    for start, stop in pairwise([0, *breaks, len(tape.instructions)]):
        pieces = max(1, -(-(stop - start) // limit))
        bounds += [start + (stop - start) * piece // pieces for piece in range(1, pieces + 1)]
    count = len(bounds) - 1
    part_of = [part for part in range(count) for _ in range(bounds[part], bounds[part + 1])]
    last_part: dict[int, int] = {}
    uses: list[dict[int, None]] = [{} for _ in range(count)]  # values of earlier parts, in order of first use
    for line, instruction in enumerate(tape.instructions):
        if instruction.op in ("input", "const"):
            continue
        for operand in instruction.args:
            if tape.instructions[operand].op not in ("input", "const") and part_of[operand] != part_of[line]:
                last_part[operand] = part_of[line]
                uses[part_of[line]][operand] = None
    slots: dict[int, int] = {}
    free: list[int] = []
    released: list[list[int]] = [[] for _ in range(count + 1)]
    size = 0
    parts = []
    for part in range(count):
        free.extend(released[part])
        stores = {}
        for line in range(bounds[part], bounds[part + 1]):
            if line in last_part:
                slot = free.pop() if free else size
                size = max(size, slot + 1)
                slots[line] = stores[line] = slot
                released[last_part[line]].append(slot)  # free once that part has loaded it, that is for its own stores
        loads = {line: slots[line] for line in uses[part]}
        parts.append(Part(bounds[part], bounds[part + 1], loads, stores))
    return tuple(parts), size
