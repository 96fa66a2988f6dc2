"""Trimmed cycles along an advance or a parameter: from hover to a speed, hover of many designs; the verb `trim_family`."""

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


@door(
    system=a_system,
    guess=optional(either(instance(Start), mapping, each(mapping))),
    solve_for=names,
    advance=mapping,
    along=optional(mapping),
)
def trim_family(
    system: System,
    guess: Guess = None,
    *,
    solve_for: Iterable[str],
    advance: Mapping[str, Any],
    along: Mapping[str, Any] | None = None,
    **options: Any,
) -> Family:
    """Trimmed cycles for a row of advances or of designs, each found from those before it; nothing is compiled in between.

    Args:
        system: what moves.
        guess: starting values by name for the first of the row.
        solve_for: names of parameters, as for `trim`.
        advance: as for `trim`, one or more of them a row of values: {"x": [0.0, 0.001, 0.002], "z": 0.0} is flight at three
            speeds on one height. Rows go on together.
        along: values of other parameters by name, rows of the same length (or one number): hover of a row of designs.
        options: as for `trim`.

    Returns:
        A `Family` along the first row; `family.cycles[k].system.parameters` are the trimmed parameters. It ends early, and says
        so in `ended`, where no further cycle is found even by small steps.

    Raises:
        CycleNotFoundError: if there is no cycle at the first of the row.
    """
    told = dict(along or {})
    solve_for = tuple(solve_for)
    for name in told:
        if name in solve_for or name in advance:
            raise SectionError(f"trim_family: {name!r} is given in `along` and solved for; name it in one of them")
    rows = {name: _row(name, value, "advance of") for name, value in advance.items()}
    rows |= {name: _row(name, value, "along") for name, value in told.items()}
    lengths = {len(row) for row in rows.values()} - {1}
    if len(lengths) != 1:
        raise SectionError(
            "trim_family: give a row of two or more advances, or of values of a parameter in `along`, all rows of one length; "
            f"those given have {', '.join(f'{name}: {len(row)}' for name, row in rows.items()) or 'none'}"
        )
    (count,) = lengths
    first = next(name for name, row in rows.items() if len(row) > 1)
    called = first if first in told else f"advance of {first}"
    targets = np.array([np.broadcast_to(row, count) for row in rows.values()]).T
    trimming = Trimming("trim_family", system, guess, solve_for, tuple(advance), options, tuple(told))
    walk = _Walk(trimming, tuple(rows), len(advance))
    found, ended = [walk.begin(targets[0])], "all of the row are reached"
    for target in targets[1:]:
        cycle = walk.reach(target)
        if cycle is None:
            last = float(walk.at[list(rows).index(first)])
            ended = f"no trimmed cycle beyond {called} = {last:.6g}: {walk.trouble}"
            break
        found.append(cycle)
    return Family(called, rows[first][: len(found)], tuple(found), (), False, ended)


def _row(name: str, value: Any, what: str) -> Floats:
    return np.atleast_1d(floats(value, f"trim_family: {what} {shown(name)}", dimensions=(0, 1), finite=True))


class _Walk:
    """Goes from target to target, foretelling unknowns and parameters by the line through the last two.

    A target holds `advances` advances and behind them the values of the parameters that are told.
    """

    def __init__(self, trimming: Trimming, names: tuple[str, ...], advances: int) -> None:
        self.trimming, self.names, self.advances, self.trouble = trimming, names, advances, ""
        self.before: tuple[Floats, Floats] | None = None

    def begin(self, target: Floats) -> Cycle:
        """The first cycle: from the guess or, with parameters far from those of the system, along the way from these."""
        unknowns, parameters = self.trimming.first()
        sought, own = np.split(parameters, [len(self.trimming.wanted)])
        try:
            return self._solve(unknowns, sought, target)
        except CycleNotFoundError:
            if np.array_equal(own, target[self.advances :]):
                raise
        self._solve(unknowns, sought, np.concatenate([target[: self.advances], own]))
        cycle = self.reach(target)
        if cycle is None:
            raise CycleNotFoundError(f"trim_family: the first of the row is not reached from the system's own: {self.trouble}")
        return cycle

    def reach(self, target: Floats) -> Cycle | None:
        """The cycle of a target, by shorter steps where it must be; None where none is found."""
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
        guess, here = self.point, (self.at, self.point)
        if self.before is not None:
            at, point = self.before
            way = self.at - at
            guess = guess + (self.point - point) * float((goal - self.at) @ way) / max(float(way @ way), 1e-300)
        try:
            cycle = self._solve(guess[:size], guess[size:], goal)
        except CycleNotFoundError as error:
            self.trouble = str(error)
            return None
        self.before = here
        return cycle

    def _solve(self, unknowns: Floats, sought: Floats, target: Floats) -> Cycle:
        advance = dict(zip(self.names, target[: self.advances].tolist(), strict=False))
        cycle = self.trimming.solve(unknowns, np.concatenate([sought, target[self.advances :]]), advance)
        assert self.trimming.last is not None
        u, p = self.trimming.last
        self.at, self.point = target, np.concatenate([u, p[: len(sought)]])
        return cycle
