"""C text of loops: rounds of turns until all instances side by side are done.

Turns that follow each other and differ only in where their data and numbers are, such as those of contacts of one kind, become
one loop over them, so that their text is there once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from locomotor.tracing.core import Round, RoundTurn, Traced


class Turns:
    """Writes loops; `texts` are the functions that they call."""

    def __init__(self, symbol: str, starts: Sequence[int], emit: Callable[[Traced], str]) -> None:
        self._symbol, self._starts, self._emit = symbol, starts, emit
        self._names: dict[str, str] = {}
        self.texts: list[str] = []

    def _function(self, body: Traced) -> str:
        """Name of the function of a turn; equal ones share it."""
        text = self._emit(body)
        if text not in self._names:
            self._names[text] = f"{self._symbol}_turn_{len(self._names)}"
            self.texts.append(text.replace("TURN", self._names[text]))
        return self._names[text]

    def loop(self, loop: Round, carry: str) -> str:
        """Rounds; what is done does not change any more.

        Numbers that every turn finds in the same place are kept apart from the others, so that they can stay in registers. One
        instance alone leaves when it is done: nothing of the round before needs to be kept for it.
        """
        groups = self._groups(loop.turns)
        wandering = sorted(
            {place for turns in groups for places in self._numbers(turns) if len(set(places)) > 1 for place in places}
        )
        still = [place for place in range(loop.size) if place not in set(wandering)]
        at = {place: f"still[{k}]" for k, place in enumerate(still)} | {place: f"{carry}[{place}]" for place in wandering}
        lines = [f"real still[{max(len(still), 1)}];", *(f"{at[place]} = {carry}[{place}];" for place in still)]
        lines += [
            f"LM_ROLLED for (int pass = 0; pass < {loop.limit}; ++pass) {{",
            f"    const mask going = LM_CONST(LM_STEADY) < {at[loop.size - 1]};",
            "    if (!lm_any(going)) break;",
            "#if LANES > 1",
            f"    real before[{loop.size}];",
            *(f"    before[{place}] = {at[place]};" for place in range(loop.size)),
            "#endif",
            *(line for turns in groups for line in self._group(turns, carry, at)),
            "#if LANES > 1",
            *(f"    {at[place]} = lm_select(going, {at[place]}, before[{place}]);" for place in range(loop.size)),
            "#endif",
            "}",
            *(f"{carry}[{place}] = {at[place]};" for place in still),
        ]
        return "    {\n" + "".join(f"{line}\n" if line.startswith("#") else f"        {line}\n" for line in lines) + "    }\n"

    def _groups(self, turns: Sequence[RoundTurn]) -> list[list[RoundTurn]]:
        """Turns together that one loop can make."""
        found: list[list[RoundTurn]] = []
        for turn in turns:
            if found and self._continues([*found[-1], turn]):
                found[-1].append(turn)
            else:
                found.append([turn])
        return found

    def _continues(self, turns: Sequence[RoundTurn]) -> bool:
        """Whether all are the same function, at places that advance by equal steps."""
        if len({(self._function(turn.body), turn.guarded, len(turn.arrays)) for turn in turns}) > 1:
            return False
        return all(_steady(places) for places in self._places(turns))

    def _places(self, turns: Sequence[RoundTurn]) -> list[list[int]]:
        """For each array, and for each number carried, where it is in turn after turn."""
        return [[self._starts[turn.arrays[k]] for turn in turns] for k in range(len(turns[0].arrays))] + self._numbers(turns)

    def _numbers(self, turns: Sequence[RoundTurn]) -> list[list[int]]:
        """For each number carried, where it is in turn after turn."""
        return [[turn.places[k] for turn in turns] for k in range(len(turns[0].places))]

    def _group(self, turns: Sequence[RoundTurn], carry: str, at: Mapping[int, str]) -> list[str]:
        """Lines of a loop over turns; `at` is where each number carried is, unless it wanders."""
        first, count = turns[0], len(turns[0].places)
        places = self._places(turns)
        data = [_place(found) for found in places[: len(first.arrays)]]
        numbers = [
            at[found[0]] if len(set(found)) == 1 else f"{carry}[{_place(found)}]" for found in places[len(first.arrays) :]
        ]
        lines = [f"LM_ROLLED for (int k = 0; k < {len(turns)}; ++k) {{"]
        if first.guarded:
            lines.append(f"    if (!lm_any(lm_truth(arrays[{data[0]}]))) continue;")
        lines.append(f"    real taken[{count}], made[{count}];")
        lines += [f"    taken[{i}] = {number};" for i, number in enumerate(numbers)]
        lines.append(
            f"    {self._function(first.body)}({', '.join([*(f'arrays + {begin}' for begin in data), 'taken', 'made'])});"
        )
        lines += [f"    {number} = made[{i}];" for i, number in enumerate(numbers)]
        lines.append("}")
        return [f"    {line}" for line in lines]


def _steady(places: Sequence[int]) -> bool:
    return len({b - a for a, b in pairwise(places)}) <= 1


def _place(places: Sequence[int]) -> str:
    """Index, in turn k of a loop, of a number that moves on by so much a turn."""
    step = places[1] - places[0] if len(places) > 1 else 0
    return f"{places[0]} + {step} * k" if step else str(places[0])
