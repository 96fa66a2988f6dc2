"""Straight code with more values alive than a thread has registers: some wait in memory that threads share.

What the assembler has no register for goes to local memory: so many threads fill the cache with it that most of it comes from
further away. Memory that threads share is as near, and nothing else takes it away. Which values wait is Belady's choice (1966,
doi:10.1147/sj.52.0078): where one too many is alive, the one whose next use is furthest.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from locomotor.dataclass import dataclass

VALUE = re.compile(r"\bv(\d+)\b")
DEFINED = re.compile(r"^\s*const real v(\d+) = ")
PAIR = re.compile(r"^\s*real v(\d+), v(\d+); ")


@dataclass(frozen=True)
class Near:
    """A text whose values wait in `lm_wait(slot)`, and how many slots there are."""

    text: str
    slots: int


def keep_near(text: str, registers: int, most: int) -> Near:
    """The text of a stage, one assignment a line, with at most so many values in registers where `most` slots allow it."""
    lines = text.splitlines()
    uses: dict[int, list[int]] = {}
    reals = _defined(lines)
    for place, line in enumerate(lines):
        for value in {int(found) for found in VALUE.findall(line)} & reals:
            uses.setdefault(value, []).append(place)
    here: dict[int, str] = {}  # values in registers, by the names that they have now
    slot_of: dict[int, int] = {}
    free, slots, made = list(range(most))[::-1], 0, []

    def next_use(value: int, place: int) -> int:
        found = uses[value]
        later = bisect_right(found, place)
        return found[later] if later < len(found) else -1

    for place, line in enumerate(lines):
        wanted = [int(found) for found in VALUE.findall(line)]
        own = [value for value in dict.fromkeys(wanted) if value in reals]
        fresh = {value for value in own if uses[value][0] == place}
        for value in own:
            if value not in here and value not in fresh:
                here[value] = f"v{value}_{place}"
                made.append(f"    const real {here[value]} = lm_wait({slot_of[value]});")
        for value in fresh:
            here[value] = f"v{value}"
        made.append(VALUE.sub(lambda found: here.get(int(found.group(1)), found.group(0)), line))
        for value in own:
            if next_use(value, place) < 0:
                del here[value]
                if value in slot_of:
                    free.append(slot_of.pop(value))
        while len(here) > registers:
            far = max(here, key=lambda value: next_use(value, place))
            if far not in slot_of:
                if not free:
                    break
                slot_of[far] = free.pop()
                slots = max(slots, slot_of[far] + 1)
                made.append(f"    lm_wait({slot_of[far]}) = {here[far]};")
            del here[far]
    return Near("\n".join(made) + "\n", slots)


def _defined(lines: list[str]) -> set[int]:
    found: set[int] = set()
    for line in lines:
        one, two = DEFINED.match(line), PAIR.match(line)
        found |= {int(one.group(1))} if one else {int(two.group(1)), int(two.group(2))} if two else set()
    return found
