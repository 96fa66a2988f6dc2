"""Trimmed cycles along an advance: from hover to a speed, a row of climbs, turns ever tighter; the verb `trim_family`."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from locomotor.analysis.cycles.continuation import Family
from locomotor.analysis.cycles.cycle import Cycle
from locomotor.analysis.cycles.plan import Guess
from locomotor.analysis.cycles.trim import Trimming
from locomotor.checks import door, each, either, floats, instance, mapping, names, optional, shown
from locomotor.errors import CycleNotFoundError, SectionError
from locomotor.model import System, a_system
from locomotor.simulation import Start
from locomotor.typing import Floats

HALVINGS = 6
"""How often the way between two advances is cut in two before a family ends there."""


@door(system=a_system, guess=optional(either(instance(Start), mapping, each(mapping))), solve_for=names, advance=mapping)
def trim_family(
    system: System, guess: Guess = None, *, solve_for: Iterable[str], advance: Mapping[str, Any], **options: Any
) -> Family:
    """Trimmed cycles for a row of advances, each found from those before it; nothing is traced or compiled in between.

    Args:
        system: what moves.
        guess: starting values by name for the first of the row.
        solve_for: names of parameters, as for `trim`.
        advance: as for `trim`, one or more of them a row of values: {"x": [0.0, 0.001, 0.002], "z": 0.0} is flight at three
            speeds on one height. Rows go on together.
        options: as for `trim`.

    Returns:
        A `Family` along the first row; `family.cycles[k].system.parameters` are the trimmed parameters. It ends early, and says
        so in `ended`, where no further cycle is found even by small steps.

    Raises:
        CycleNotFoundError: if there is no cycle at the first of the row.
    """
    rows = {name: _row(name, value) for name, value in advance.items()}
    lengths = {len(row) for row in rows.values()} - {1}
    if len(lengths) != 1:
        raise SectionError(
            "trim_family: give a row of two or more advances, and all rows of one length; those given have "
            f"{', '.join(f'{name}: {len(row)}' for name, row in rows.items()) or 'none'}"
        )
    (count,) = lengths
    along = next(name for name, row in rows.items() if len(row) > 1)
    targets = np.array([np.broadcast_to(row, count) for row in rows.values()]).T
    walk = _Walk(Trimming("trim_family", system, guess, solve_for, tuple(rows), options), tuple(rows))
    found, ended = [walk.begin(targets[0])], "all advances are reached"
    for target in targets[1:]:
        cycle = walk.reach(target)
        if cycle is None:
            last = float(walk.at[list(rows).index(along)])
            ended = f"no trimmed cycle beyond {along} advancing {last:.6g}: {walk.trouble}"
            break
        found.append(cycle)
    values = rows[along][: len(found)]
    return Family(f"advance of {along}", values, tuple(found), (), False, ended)


def _row(name: str, value: Any) -> Floats:
    return np.atleast_1d(floats(value, f"trim_family: advance of {shown(name)}", dimensions=(0, 1), finite=True))


class _Walk:
    """Goes from advance to advance, foretelling unknowns and parameters by the line through the last two."""

    def __init__(self, trimming: Trimming, names: tuple[str, ...]) -> None:
        self.trimming, self.names, self.trouble = trimming, names, ""
        self.before: tuple[Floats, Floats] | None = None

    def begin(self, target: Floats) -> Cycle:
        """The first cycle."""
        cycle = self.trimming.solve(*self.trimming.first(), self._told(target))
        self.at = target
        self.point = np.concatenate(self.trimming.last or ())
        return cycle

    def reach(self, target: Floats) -> Cycle | None:
        """The cycle of an advance, by shorter steps where it must be; None where none is found."""
        share = 1.0
        while share > 0.5 ** (HALVINGS + 0.5):
            goal = self.at + min(share, 1.0) * (target - self.at)
            cycle = self._step(goal)
            if cycle is None:
                share *= 0.5
            elif np.array_equal(goal, target):
                return cycle
            else:
                share = 1.0
        return None

    def _step(self, goal: Floats) -> Cycle | None:
        size = len(self.trimming.here.names)
        guess = self.point
        if self.before is not None:
            at, point = self.before
            way = self.at - at
            guess = guess + (self.point - point) * float((goal - self.at) @ way) / max(float(way @ way), 1e-300)
        try:
            cycle = self.trimming.solve(guess[:size], guess[size:], self._told(goal))
        except CycleNotFoundError as error:
            self.trouble = str(error)
            return None
        self.before = self.at, self.point
        self.at, self.point = goal, np.concatenate(self.trimming.last or ())
        return cycle

    def _told(self, target: Floats) -> dict[str, float]:
        return dict(zip(self.names, target.tolist(), strict=True))
