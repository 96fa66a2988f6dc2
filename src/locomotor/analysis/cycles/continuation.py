"""A family of cycles along a parameter, by pseudo-arclength: through folds, with the changes of stability located.

The unknowns are (u, p) with P(u; p) - u = 0 and (u - u0, p - p0) . tangent = ds, each scaled; the tangent spans the
kernel of the derivative (Keller 1977). Derivatives by u and p are exact (variational equations, saltation at events); those by
p are differences of the map where an impact is one of Poisson's or Stronge's, or where p shifts the instants of grips.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.analysis.cycles.build import build_map
from locomotor.analysis.cycles.cycle import Cycle, make_cycle
from locomotor.analysis.cycles.floquet import crossing_kind, multipliers, unstable_count
from locomotor.analysis.cycles.options import TOLERANCE, Search
from locomotor.analysis.cycles.poincare import PoincareMap, Returned
from locomotor.analysis.cycles.scale import Yardstick, scale_of
from locomotor.analysis.cycles.scan import known_parameter
from locomotor.analysis.stability import ON_CIRCLE
from locomotor.checks import door, instance, name, names, optional, path, positive, span, text, whole
from locomotor.dataclass import dataclass
from locomotor.errors import CycleNotFoundError, SectionError, UnknownNameError
from locomotor.model import System, a_system, require_possible
from locomotor.names import suggestion
from locomotor.typing import Flags, Floats

DIFFERENCE = 1e-6
CORRECTIONS = 8
FIRST_STEP, SMALLEST_STEP, LARGEST_STEP = 0.02, 1e-5, 0.05
"""Default steps as shares of the range."""
BRANCHING = 1e-3
"""Singular values below this share of the largest belong to a branching."""
BESIDE = (0.0, 3e-4, -3e-4, 2e-3, -2e-3)
QUICK = 3
"""Corrections within which a step counts as easy, and the next one may be longer."""


@dataclass(frozen=True)
class Change:
    """A point of a family where its stability changes or where it turns back."""

    kind: str
    """"fold" (the family turns back), "branch" (another one crosses it), "flip" (period doubling) or "torus"."""
    value: float
    """Value of the parameter at which the family changes."""
    multiplier: complex
    """The multiplier on the unit circle."""
    stable_before: bool
    """Whether the cycles just before it, in the order of the family, are stable."""
    cycle: Cycle


@checks.doors
@dataclass(frozen=True, eq=False)
class Family:
    """Cycles along a parameter, in the order of the curve they form."""

    parameter: str
    values: Floats
    cycles: tuple[Cycle, ...]
    changes: tuple[Change, ...]
    closed: bool
    """Whether the family comes back to where it began."""
    ended: str
    """Why the continuation stopped."""

    def __len__(self) -> int:
        """Number of cycles."""
        return len(self.cycles)

    def __repr__(self) -> str:
        """The family in one line."""
        reach = f"{self.parameter} from {float(self.values.min()):.6g} to {float(self.values.max()):.6g}"
        return f"<Family of {len(self)} cycles, {reach}, {len(self.changes)} changes; {self.ended}>"

    @property
    def stable(self) -> Flags:
        """For each cycle whether it is stable."""
        return np.array([cycle.stable for cycle in self.cycles])

    def of(self, name: str) -> Floats:
        """A starting value, a displacement ("displacement x"), or the "period" along the family."""
        text(name, "the name of a value along the family", error=UnknownNameError)
        if name == "period":
            return np.array([cycle.period for cycle in self.cycles])
        moves = name.startswith("displacement ")
        found = [cycle.displacement if moves else cycle.start for cycle in self.cycles]
        plain = name.removeprefix("displacement ") if moves else name
        if any(plain not in values for values in found):
            known = ["period", *(found[0] if found else ())]
            raise UnknownNameError(f"the family has no value {name!r}: {suggestion(plain, known)}")
        return np.array([values[plain] for values in found])

    @door(names=names, path=optional(path))
    def plot(self, *names: str, path: Any = None, **options: Any) -> Any:
        """A figure, saved when a path is given: what is unknown, mean rates and period, or those named; multipliers below."""
        from locomotor.viewing.plots import plot_family

        return plot_family(self, names, path, **options)


@dataclass
class _Point:
    """A cycle of the family, in scaled terms."""

    u: Floats
    p: float
    tangent: Floats
    returned: Returned
    corrections: int


@door(
    system=a_system,
    cycle=instance(Cycle, remedy="give a cycle that find_cycle found"),
    parameter=name,
    range=partial(span, error=SectionError),
    step=optional(positive),
    smallest=optional(positive),
    largest=optional(positive),
    most=partial(whole, least=1),
    tolerance=positive,
)
def continue_cycle(
    system: System,
    cycle: Cycle,
    parameter: str,
    range: tuple[float, float],
    *,
    step: float | None = None,
    smallest: float | None = None,
    largest: float | None = None,
    most: int = 2000,
    tolerance: float = TOLERANCE,
) -> Family:
    """Follow a cycle along a parameter, in both directions, through folds, until it leaves the range or closes.

    Args:
        system: what moves, with the value of the parameter that the cycle belongs to.
        cycle: where to start.
        parameter: name of the parameter.
        range: its lowest and highest value.
        step: length of the first step, in units of the parameter (a fiftieth of the range by default): how much it changes
            where nothing else does. Where unknowns change too, a change by 1 + |value| of one counts as the whole range.
        smallest: length below which a step is given up (1e-5 of the range).
        largest: length that steps do not exceed (a twentieth of the range, but not less than `step`).
        most: number of cycles after which to stop.
        tolerance: largest residual, as for `find_cycle`.
    """
    known_parameter(system, parameter)
    low, high = (float(value) for value in range)
    here_value = float(system.parameters.values[parameter])
    if not low < high or not low <= here_value <= high:
        raise SectionError(
            f"range: the cycle has {parameter} = {here_value!r}; give (lowest, highest) around it, not ({low!r}, {high!r})"
        )
    for end in (low, high):
        require_possible(system, {parameter: end})
    lengths = _lengths(parameter, high - low, step, smallest, largest)
    plan = cycle.map.plan
    closed = plan.start.closed if cycle.map.by_clock else cycle.closed or None
    plan = replace(
        plan,
        system=system,
        start=replace(plan.start, values=dict(cycle.start), closed=closed),
        guesses=(dict(cycle.start),),
        section=replace(plan.section, unknowns=cycle.unknowns, modulo=cycle.map.modulo),
        search=Search(tolerance=tolerance),
        free=(parameter,),
    )
    here = build_map(plan)
    walk = _Walk(here, (low, high), *lengths, most, plan.search.tolerance)
    return walk.family(parameter, cycle.values, here_value)


def _lengths(
    parameter: str, reach: float, step: float | None, smallest: float | None, largest: float | None
) -> tuple[float, float, float]:
    """First, smallest and largest step as shares of the range, from those in units of the parameter, checked."""
    given = {"step": step, "smallest": smallest, "largest": largest}
    for what, value in given.items():
        if value is not None and not value <= reach * (1.0 + 1e-9):  # 0.6 - 0.4 is less than 0.2
            raise SectionError(
                f"continue_cycle: {what} is {value!r}; it is in units of {parameter} and must be positive and at most the "
                f"whole range, {reach:g}"
            )
    first = FIRST_STEP if step is None else step / reach
    least = min(SMALLEST_STEP, first) if smallest is None else smallest / reach
    most = max(LARGEST_STEP, first) if largest is None else largest / reach
    if not least <= first <= most:
        raise SectionError(
            f"continue_cycle: the first step of {parameter} is {first * reach:g}, the smallest {least * reach:g} and the "
            f"largest {most * reach:g}; give smallest <= step <= largest"
        )
    return first, least, most


class _Walk:
    """A continuation under way: the cycles found so far and the next step."""

    def __init__(
        self,
        here: PoincareMap,
        ends: tuple[float, float],
        step: float,
        smallest: float,
        largest: float,
        most: int,
        tolerance: float,
    ) -> None:
        self.here, (low, high) = here, ends
        self.low, self.high = low, high
        self.step, self.smallest, self.largest, self.most, self.tolerance = step, smallest, largest, most, tolerance
        self.span = high - low
        self.scale = np.ones(len(here.names) + 1)

    def family(self, parameter: str, u: Floats, p: float) -> Family:
        """Both directions from a cycle, joined."""
        self.scale = np.append(scale_of(u), self.span)
        first = self._correct(u, p, np.append(np.zeros(len(u)), 1.0), natural=True)
        if first is None:
            raise CycleNotFoundError(
                f"continue_cycle: the start is no cycle of the map with {parameter} = {p!r}; find it with find_cycle first"
            )
        ahead, changes, ended = self._walk(first, 1.0)
        closed = ended == "closed"
        if closed:
            points, all_changes, told = ahead, changes, "it comes back to its start"
        else:
            behind, earlier, other = self._walk(first, -1.0)
            points = [*reversed(behind[1:]), *ahead]
            turned = [Change(c.kind, c.value, c.multiplier, not c.stable_before, c.cycle) for c in reversed(earlier)]
            all_changes, told = [*turned, *changes], f"{other}; {ended}"
        cycles = tuple(self._cycle(point) for point in points)
        return Family(parameter, np.array([point.p for point in points]), cycles, tuple(all_changes), closed, told)

    def _walk(self, first: _Point, direction: float) -> tuple[list[_Point], list[Change], str]:
        points: list[_Point] = [first]
        changes: list[Change] = []
        tangent = direction * first.tangent
        length = self.step
        while len(points) < self.most:
            last = points[-1]
            new = self._ahead(last, tangent, length)
            if new is None:
                length *= 0.5
                if length < self.smallest:
                    return points, changes, f"no further cycle was found at {last.p:.6g}"
                continue
            if not self.low <= new.p <= self.high:
                edge = self._to_edge(last, new, tangent)
                if edge is None:
                    length *= 0.5
                    if length < self.smallest:
                        return points, changes, f"the range ends near {last.p:.6g}"
                    continue
                changes += self._changes(last, edge, tangent)
                return [*points, edge], changes, f"the range ends at {edge.p:.6g}"
            changes += self._changes(last, new, tangent)
            points.append(new)
            tangent = new.tangent
            if self._returned(first, points, direction):
                return points, changes, "closed"
            if new.corrections <= QUICK:
                length = min(1.4 * length, self.largest)
        return points, changes, f"{self.most} cycles were found"

    def _returned(self, first: _Point, points: list[_Point], direction: float) -> bool:
        """Whether the family has come back to its first point."""
        if len(points) < 4:
            return False
        a, b = points[-2], points[-1]
        gap = self._gap(a, first.u, first.p)
        span = self._gap(a, b.u, b.p)
        return bool(np.linalg.norm(gap) <= np.linalg.norm(span) and float(first.tangent @ b.tangent) * direction > 0.9)

    def _gap(self, point: _Point, u: Floats, p: float) -> Floats:
        return np.append(self.here.difference(u, point.u), p - point.p) / self.scale

    # -- one step -------------------------------------------------------------------------------------

    def _ahead(self, last: _Point, tangent: Floats, length: float) -> _Point | None:
        moved = length * tangent * self.scale
        new = self._correct(last.u + moved[:-1], last.p + float(moved[-1]), tangent)
        # A corrector that has jumped to another family is refused.
        if new is None or float(new.tangent @ tangent) < 0.7:
            return None
        return new if np.linalg.norm(self._gap(last, new.u, new.p)) <= 2.0 * length else None

    def _to_edge(self, last: _Point, new: _Point, tangent: Floats) -> _Point | None:
        """The cycle at the end of the range, between one within and one beyond."""
        edge = self.low if new.p < self.low else self.high
        share = (edge - last.p) / (new.p - last.p)
        u = last.u + share * self.here.difference(new.u, last.u)
        point = self._correct(u, edge, tangent, natural=True)
        return point if point is None or float(point.tangent @ tangent) > 0.0 else None

    def _correct(self, u: Floats, p: float, tangent: Floats, *, natural: bool = False) -> _Point | None:
        """Newton's method from a predicted point, across the tangent or (`natural`) at a fixed parameter.

        Near a point where another family branches off the equations may be singular at the predicted point: the first steps of
        a second attempt then leave the branching direction alone.
        """
        return self._newton(u, p, tangent, natural, 0) or self._newton(u, p, tangent, natural, 2)

    def _newton(self, u: Floats, p: float, tangent: Floats, natural: bool, careful: int) -> _Point | None:
        start = np.append(u, p)
        x, yardstick = start.copy(), Yardstick(u)
        row = np.append(np.zeros(len(u)), 1.0) if natural else tangent
        for count in np.arange(CORRECTIONS + 1):
            evaluated = self._evaluate(x[:-1], float(x[-1]))
            if evaluated is None:
                return None
            returned, slopes = evaluated
            miss = np.append(returned.residual[0] / self.scale[:-1], row @ ((x - start) / self.scale))
            size = float(yardstick.size(returned.residual[0]))
            matrix = np.vstack([slopes, row])
            if size <= self.tolerance and abs(miss[-1]) <= 1e-9:
                return _Point(x[:-1], float(x[-1]), self._tangent(slopes, tangent), returned, int(count))
            x = x - self.scale * np.linalg.lstsq(matrix, miss, rcond=BRANCHING if count < careful else 1e-15)[0]
            x[-1] = p if natural else x[-1]
        return None

    def _evaluate(self, u: Floats, p: float) -> tuple[Returned, Floats] | None:
        """The map, and the derivative of its scaled residual by the scaled (u, p)."""
        central = self.here(u[None], np.array([[p]]), by_parameters=True)
        if not central.good[0] or central.jacobian is None or not np.isfinite(central.jacobian).all():
            return None
        assert central.by_parameters is not None
        by_p = central.by_parameters[0, :, 0]
        if not np.isfinite(by_p).all():
            delta = DIFFERENCE * self.span
            sides = self.here(np.repeat(u[None], 2, axis=0), np.array([[p + delta], [p - delta]]), tangent=False)
            if not sides.good.all():
                return None
            by_p = self.here.difference(sides.values[0], sides.values[1]) / (2.0 * delta)
        slopes = np.column_stack([central.jacobian[0] - np.eye(len(u)), by_p])
        return central, slopes * self.scale / self.scale[:-1, None]

    @staticmethod
    def _tangent(slopes: Floats, like: Floats) -> Floats:
        """Unit vector of the kernel, turned the way the last one pointed."""
        kernel = np.linalg.svd(slopes)[2][-1]
        return np.asarray(kernel if kernel @ like >= 0.0 else -kernel)

    # -- changes --------------------------------------------------------------------------------------

    def _changes(self, a: _Point, b: _Point, tangent: Floats) -> Iterator[Change]:
        """Folds and crossings of the unit circle between two neighbours."""
        before, after = (multipliers(point.returned.jacobian[0]) for point in (a, b))  # type: ignore[index]
        counts = unstable_count(before), unstable_count(after)
        folds = float(a.tangent @ tangent) * a.tangent[-1] * b.tangent[-1] < 0.0
        if counts[0] == counts[1] and not folds:
            return
        if folds:
            fold = self._locate(a, tangent, b, lambda point: float(point.tangent[-1]))
            if fold is not None:
                yield self._change(fold, "fold", counts[0] == 0)
            if abs(counts[0] - counts[1]) == 1:
                return  # that multiplier is the fold's own
        if counts[0] != counts[1]:
            k = min(counts)
            sizes = np.array([np.sort(np.abs(found))[::-1][k] for found in (before, after)])
            if (np.abs(sizes - 1.0) <= ON_CIRCLE).all():
                return  # neutral on both sides: nothing but round-off has crossed

            def beyond(point: _Point) -> float:
                found = multipliers(point.returned.jacobian[0])  # type: ignore[index]
                return float(np.sort(np.abs(found))[::-1][k]) - 1.0

            found = self._locate(a, tangent, b, beyond)
            if found is not None:
                yield self._change(found, "", counts[0] == 0)

    def _locate(self, a: _Point, tangent: Floats, b: _Point, function: Any) -> _Point | None:
        """The point between two neighbours at which a function of it vanishes."""
        from scipy.optimize import brentq

        known: dict[float, _Point] = {0.0: _Point(a.u, a.p, np.sign(a.tangent @ tangent) * a.tangent, a.returned, 0)}
        length = float(tangent @ self._gap(a, b.u, b.p))
        known[length] = b

        def at(s: float) -> float:
            if s not in known:
                found = None
                for beside in BESIDE:  # a point where the equations are singular is passed by
                    moved = (s + beside * length) * tangent * self.scale
                    found = found or self._correct(a.u + moved[:-1], a.p + float(moved[-1]), tangent)
                if found is None:
                    raise ArithmeticError
                known[s] = found
            return float(function(known[s]))

        try:
            root = float(brentq(at, 0.0, length, xtol=1e-9, rtol=1e-10))
            at(root)
        except (ArithmeticError, ValueError):
            return None
        return known[root]

    def _change(self, point: _Point, kind: str, stable_before: bool) -> Change:
        found = multipliers(point.returned.jacobian[0])  # type: ignore[index]
        value = complex(found[int(np.abs(np.abs(found) - 1.0).argmin())])
        return Change(kind or crossing_kind(value), point.p, value, stable_before, self._cycle(point))

    def _cycle(self, point: _Point) -> Cycle:
        return make_cycle(self.here, point.u, point.returned, point.corrections, np.array([point.p]))
