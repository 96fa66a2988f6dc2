"""All cycles of a system, from a grid of starting values; and the starts that each stable cycle attracts."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import checks
from locomotor.analysis.cycles.build import build_map
from locomotor.analysis.cycles.cycle import Cycle, make_cycle
from locomotor.analysis.cycles.plan import plan_cycle
from locomotor.analysis.cycles.poincare import PoincareMap
from locomotor.analysis.cycles.scale import Yardstick, scale_of
from locomotor.checks import door, each, either, entries, floats, instance, mapping, number, optional, positive, shown, whole
from locomotor.dataclass import dataclass
from locomotor.errors import SectionError, UnknownNameError
from locomotor.model import System, a_system, require_possible
from locomotor.names import suggestion
from locomotor.simulation import Start
from locomotor.typing import Floats

Range = tuple[float, float, int]

ITERATIONS = 25
"""Newton steps from each start, by default."""
ALONE = ("hold", "multiple")
"""Options that a grid of starts does not take."""
SAME = 1e-5
"""Cycles whose unknowns differ by less than this, relative to 1 + |value|, are the same."""
STALLED = 6
"""Halvings of a Newton step after which a start is given up."""
REACHED = 1e-3
"""Distance from a cycle, relative to 1 + |value|, at which a start counts as attracted by it."""


def grids(value: Any, what: str) -> dict[str, Range]:
    """Ranges by name: lowest, highest and how many."""
    found = {}
    for key, entry in mapping(value, what, error=SectionError).items():
        parts = entries(entry, f"{what}: {key!r}", "give (lowest, highest, count)", SectionError)
        if len(parts) != 3:
            raise SectionError(f"{what}: {key!r} is {shown(entry)}; give (lowest, highest, count)")
        low, high = (number(part, f"{what}: {key!r}", error=SectionError) for part in parts[:2])
        found[key] = (low, high, whole(parts[2], f"{what}: the count of {key!r}", least=1, most=1_000_000, error=SectionError))
    checks.product(what, [count for _, _, count in found.values()])
    return found


@door(
    system=a_system,
    ranges=grids,
    guess=optional(either(instance(Start), mapping)),
)
def find_cycles(
    system: System,
    ranges: Mapping[str, Range],
    *,
    guess: Mapping[str, float] | Start | None = None,
    **options: Any,
) -> tuple[Cycle, ...]:
    """All cycles that Newton's method reaches from a grid of starts, each once; the most stable first.

    `ranges` gives each scanned unknown its grid: {"yaw": (0, 2*pi, 8), "yaw_rate": (-15, 15, 8)} is 64 starts. The other
    unknowns start at the `guess`. Angles of which whole turns make no difference are compared modulo 2 pi. Other options as
    for `find_cycle`.
    """
    here = build_map(plan_cycle("find_cycles", system, guess, options, without=ALONE))
    starts = grid(here, ranges)
    parameters = np.broadcast_to(here.parameters, (len(starts), len(here.parameters)))
    (found,) = _all(here, starts, parameters, [np.arange(len(starts))], _lows(here, ranges))
    return found


@door(
    system=a_system,
    parameter=checks.name,
    values=partial(floats, dimensions=(1,), finite=True),
    ranges=grids,
    guess=optional(either(instance(Start), mapping)),
)
def sweep_cycles(
    system: System,
    parameter: str,
    values: ArrayLike,
    ranges: Mapping[str, Range],
    *,
    guess: Mapping[str, float] | Start | None = None,
    **options: Any,
) -> list[tuple[Cycle, ...]]:
    """`find_cycles` for each value of a parameter, all together: nothing is traced or compiled again in between."""
    known_parameter(system, parameter)
    chosen = np.atleast_1d(np.asarray(values, dtype=float))
    for value in chosen.tolist():
        require_possible(system, {parameter: value})
    here = build_map(plan_cycle("sweep_cycles", system, guess, options, without=ALONE, free=(parameter,)))
    starts = grid(here, ranges)
    unknowns = np.tile(starts, (len(chosen), 1))
    parameters = np.repeat(chosen, len(starts))[:, None]
    rows = [np.arange(len(starts)) + k * len(starts) for k in range(len(chosen))]
    return _all(here, unknowns, parameters, rows, _lows(here, ranges))


def known_parameter(system: System, name: str) -> None:
    """Refuse a parameter that the system does not have."""
    if name not in system.parameters.values:
        raise UnknownNameError(f"no parameter is named {name!r}: {suggestion(name, system.parameters.values)}")


def grid(here: PoincareMap, ranges: Mapping[str, Range]) -> Floats:
    """Starts of a scan, one a row."""
    for name, given in ranges.items():
        if name not in here.names:
            raise UnknownNameError(f"ranges: {name!r} is not unknown on the section: {suggestion(name, here.names)}")
        if len(given) != 3 or not given[0] <= given[1] or int(given[2]) < 1:
            raise SectionError(f"ranges: {name!r} has {given!r}; give (lowest, highest, number of values)")
    base = here.unknowns_of(here.reference[None], here.parameters[None])[0]
    axes = []
    for k, name in enumerate(here.names):
        low, high, count = ranges.get(name, (base[k], base[k], 1))
        # A whole turn begins again where it ends.
        whole = name in here.periodic and abs(high - low - 2.0 * np.pi) < 1e-6
        axes.append(np.linspace(low, high, int(count), endpoint=not whole))
    return np.array(list(product(*axes)))


def _lows(here: PoincareMap, ranges: Mapping[str, Range]) -> Floats:
    """Where the turn begins in which an angle is given."""
    return np.array([ranges[name][0] if name in ranges else -np.pi for name in here.names], dtype=float)


def _all(
    here: PoincareMap,
    unknowns: Floats,
    parameters: Floats,
    groups: Sequence[NDArray[np.intp]],
    lows: Floats,
) -> list[tuple[Cycle, ...]]:
    """Cycles of each group of starts, duplicates merged."""
    yardstick, tolerance, iterations = (
        Yardstick(unknowns),
        here.plan.search.tolerance,
        here.plan.search.iterations or ITERATIONS,
    )
    unknowns, size, used = newton_batch(here, unknowns, parameters, tolerance, iterations)
    result: list[tuple[Cycle, ...]] = []
    for rows in groups:
        good = rows[size[rows] <= tolerance]
        kept: list[int] = []
        for row in good[np.argsort(size[good], kind="stable")]:
            if all(distance(here, unknowns[row], unknowns[k]) > SAME for k in kept):
                kept.append(int(row))
        if not kept:
            result.append(())
            continue
        points = here.turned(unknowns[kept], lows)
        returned = here(points, parameters[kept])
        pairs = enumerate(zip(points, kept, strict=True))
        cycles = [
            make_cycle(here, u, returned, int(used[k]), parameters[k], i, yardstick=Yardstick(yardstick.origin[k]))
            for i, (u, k) in pairs
        ]
        result.append(tuple(sorted(cycles, key=lambda c: float(np.abs(c.multipliers).max(initial=0.0)))))
    return result


def distance(here: PoincareMap, a: Floats, b: Floats) -> Any:
    """Largest difference of unknowns, relative to their size, whole turns of angles apart."""
    return np.abs(here.difference(np.asarray(a, dtype=float), b) / scale_of(np.asarray(b))).max(axis=-1)


def newton_batch(
    here: PoincareMap, unknowns: Floats, parameters: Floats, tolerance: float, iterations: int
) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Damped Newton steps for many starts at once: where each has come, its residual, and its number of steps.

    Residuals are relative to 1 + |value| at the starts, and a start that is led too far away from there is given up.
    """
    u, yardstick = unknowns.copy(), Yardstick(unknowns)
    size, used = np.full(len(u), np.inf), np.zeros(len(u), dtype=np.intp)
    step, share = np.zeros_like(u), np.ones(len(u))
    active = np.arange(len(u))
    first = True
    for _ in range(iterations + 1):
        if not len(active):
            break
        trial = u[active] if first else u[active] + share[active, None] * step[active]
        returned = here(trial, parameters[active])
        assert returned.jacobian is not None
        good = returned.good & np.isfinite(returned.jacobian).all(axis=(1, 2))
        there = yardstick.take(active)
        good &= there.within(here.difference(trial, there.origin))
        new = np.where(good, there.size(returned.residual), np.inf)
        better = new < size[active]
        accepted = active[better]
        u[accepted], size[accepted], share[accepted] = trial[better], new[better], 1.0
        used[accepted] += 0 if first else 1
        share[active[~better]] *= 0.5
        if len(accepted):
            step[accepted] = _steps(returned.jacobian[better], returned.residual[better])
        going = (size[active] > 0.01 * tolerance) & (share[active] > 0.5**STALLED) & np.isfinite(size[active])
        active = active[going]
        first = False
    return u, size, used


def _steps(jacobian: Floats, residual: Floats) -> Floats:
    n = residual.shape[1]
    inverse = np.linalg.pinv(np.eye(n) - jacobian, rcond=1e-12)
    return np.asarray(np.einsum("bij,bj->bi", inverse, residual))


# -- basins ---------------------------------------------------------------------------------------------------


@checks.doors
@dataclass(frozen=True, eq=False)
class Basin:
    """Which cycle each start of a grid comes to: `labels` is its number among `cycles`, -1 for none of them."""

    names: tuple[str, ...]
    axes: tuple[Floats, ...]
    labels: NDArray[np.intp]
    """One axis for each name, in order."""
    passages: NDArray[np.intp]
    """Passages it took to come near; -1 where it did not."""
    cycles: tuple[Cycle, ...]

    def share(self, cycle: int) -> float:
        """Share of the starts that come to a cycle, by its number; -1 for those that come to none."""
        cycle = whole(cycle, "Basin.share: cycle", least=-1, most=len(self.cycles) - 1)
        return float((self.labels == cycle).mean())


@door(
    cycles=either(instance(Cycle), each(instance(Cycle, remedy="give cycles that find_cycle found"))),
    ranges=grids,
    most=partial(whole, least=1),
    near=positive,
)
def basin(cycles: Cycle | Sequence[Cycle], ranges: Mapping[str, Range], *, most: int = 60, near: float = REACHED) -> Basin:
    """Follow starts of a grid until each is near one of the cycles, all of one system and section.

    `most` is the number of passages after which a start is given up; `near` the distance, relative to 1 + |value|.
    """
    known = (cycles,) if isinstance(cycles, Cycle) else tuple(cycles)
    if not known:
        raise SectionError("basin needs at least one cycle; find some with find_cycles")
    here = known[0].map
    p = known[0].parameters
    starts = grid(here, ranges)
    labels, passages = np.full(len(starts), -1, dtype=np.intp), np.full(len(starts), -1, dtype=np.intp)
    u, active = starts.copy(), np.arange(len(starts))
    for count in range(most + 1):
        for k, cycle in enumerate(known):
            there = active[distance(here, u[active], cycle.values) < near]
            labels[there], passages[there] = k, count
        active = active[labels[active] < 0]
        if not len(active) or count == most:
            break
        returned = here(u[active], np.broadcast_to(p, (len(active), len(p))), tangent=False)
        u[active[returned.good]] += returned.residual[returned.good]
        active = active[returned.good]
    scanned = [k for k, name in enumerate(here.names) if name in ranges]
    names = tuple(here.names[k] for k in scanned)
    axes = tuple(np.unique(starts[:, k]) for k in scanned)
    shape = tuple(len(axis) for axis in axes)
    return Basin(names, axes, labels.reshape(shape), passages.reshape(shape), known)
