"""Trimmed cycles: parameters found so that a motion repeats and comes as far in a period as it shall; the verb `trim`.

A cycle of a flyer, up to a displacement, usually climbs or sinks. To hover, climb or fly at a speed is to give the advance of
some coordinates in a period and to solve for as many parameters (stroke amplitude, frequency, mean angles): with P(u, p) the
values at the next passage, the coordinates of the advance among them, Newton's method solves

    P(u, p) - u - advance = 0      by      (1 - P_u) du - P_p dp = P - u - advance,

with exact derivatives. Where a coordinate starts makes no difference: its column vanishes, and least squares leave it alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.analysis.cycles.build import build_map
from locomotor.analysis.cycles.cycle import Cycle, make_cycle
from locomotor.analysis.cycles.plan import Guess, plan_cycle
from locomotor.analysis.cycles.poincare import PoincareMap, Returned
from locomotor.analysis.cycles.scale import Yardstick, scale_of
from locomotor.checks import door, each, either, instance, mapping, names, numbers_by_name, optional
from locomotor.errors import CycleNotFoundError, SectionError, UnknownNameError
from locomotor.model import System, a_system
from locomotor.names import suggestion
from locomotor.simulation import Start
from locomotor.typing import Floats

ITERATIONS = 40
SHORTEST = 1.0 / 1024.0
"""Smallest share of a Newton step that is tried."""
FARTHEST = 0.5
"""Largest step of a parameter, relative to its value: beyond it the map is another one."""
WITHOUT = ("hold", "multiple", "unknowns", "modulo", "symmetry", "search")


@door(
    system=a_system,
    guess=optional(either(instance(Start), mapping, each(mapping))),
    solve_for=names,
    advance=numbers_by_name,
)
def trim(
    system: System, guess: Guess = None, *, solve_for: Iterable[str], advance: Mapping[str, float], **options: Any
) -> Cycle:
    """Find a cycle that advances as told, and the parameters that make it so: hover, climb, forward flight.

    Args:
        system: what moves.
        guess: starting values by name, as for `find_cycle`.
        solve_for: names of parameters to solve for, starting from their present values; as many as there are advances, or more,
            of which the nearest are taken.
        advance: how far coordinates shall come in a period, such as {"z": 0.0} to hover or {"x": 0.02, "z": 0.0}; they must be
            among those on which the motion does not depend.
        options: as for `find_cycle`: `period`, `step`, `settle`, `inputs`, `controller`, `tolerance`, `iterations`, `target`.

    Returns:
        The cycle of the system with those parameters: `cycle.system.parameters`, `cycle.multipliers`.

    Raises:
        CycleNotFoundError: with the nearest that was reached as `best`.
    """
    trimming = Trimming("trim", system, guess, solve_for, tuple(advance), options)
    return trimming.solve(*trimming.first(), advance)


class Trimming:
    """A search for trimmed cycles of one system: what is built once, for one advance or for many."""

    def __init__(
        self,
        owner: str,
        system: System,
        guess: Guess,
        solve_for: Iterable[str],
        advancing: tuple[str, ...],
        options: Mapping[str, Any],
        told: tuple[str, ...] = (),
    ) -> None:
        """`told` are parameters whose values are given with every advance."""
        self.system, self.wanted = system, tuple(dict.fromkeys(solve_for))
        self.last: tuple[Floats, Floats] | None = None  # unknowns and parameters of the last search
        self.plan = plan_cycle(owner, system, guess, options, without=WITHOUT, free=(*self.wanted, *told))
        for where, named in (("solve_for", self.wanted), ("along", told)):
            for name in named:
                if name not in system.parameters:
                    raise UnknownNameError(
                        f"{owner}: {where} names {name!r}, which is no parameter: {suggestion(name, list(system.parameters))}"
                    )
        if len(self.wanted) < len(advancing):
            raise SectionError(
                f"{owner}: {len(advancing)} advances ({', '.join(advancing)}) and {len(self.wanted)} parameters to meet them "
                f"({', '.join(self.wanted) or 'none'}); name as many parameters in solve_for"
            )
        self.whole = build_map(self.plan)
        for name in advancing:
            if name not in self.whole.modulo:
                raise SectionError(
                    f"{owner}: the motion depends on {name!r}, which cannot advance; those that can: "
                    f"{', '.join(self.whole.modulo)}"
                )
        kept = tuple(name for name in self.whole.modulo if name not in advancing)
        self.here = build_map(replace(self.plan, section=replace(self.plan.section, modulo=kept)))

    def first(self) -> tuple[Floats, Floats]:
        """Unknowns and parameters of the guess, after the periods that it is let settle."""
        here = self.here
        first = here.unknowns_of(here.reference[None], here.parameters[None])[0]
        for _ in range(self.plan.search.settle or 0):
            returned = here(first[None], here.parameters[None], tangent=False)
            if not returned.good[0]:
                break
            first = first + returned.residual[0]
        return first, here.parameters

    def solve(self, first: Floats, parameters: Floats, advance: Mapping[str, float]) -> Cycle:
        """The cycle that advances as told, from unknowns and parameters near it; those not solved for stay as they are."""
        here, whole, tolerance = self.here, self.whole, self.plan.search.tolerance
        search = _Search(here, advance, Yardstick(first), tolerance, len(self.wanted))
        u, p, used = search.solve(first, parameters, self.plan.search.iterations or ITERATIONS)
        self.last = u, p
        unknowns = np.array([u[here.names.index(name)] for name in whole.names])
        cycle = make_cycle(whole, unknowns, whole(unknowns[None], p[None]), used, p, yardstick=Yardstick(unknowns))
        apart = {name: cycle.displacement[name] - value for name, value in advance.items()}
        if cycle.residual <= tolerance and max(map(abs, apart.values()), default=0.0) <= tolerance:
            return cycle
        told = ", ".join(f"{name}={value:.6g}" for name, value in zip(self.plan.free, p, strict=True))
        missed = ", ".join(f"{name} advances {cycle.displacement[name]:.3g} instead of {advance[name]:g}" for name in advance)
        raise CycleNotFoundError(
            f"{self.system.name}: no trimmed cycle; the nearest has {told}, misses by {cycle.residual:.3g}, and {missed}. "
            f"{search.trouble or 'Give another guess, or other parameters to solve for'}",
            cycle,
        )


class _Search:
    """Newton's method on unknowns and parameters together."""

    def __init__(
        self, here: PoincareMap, advance: Mapping[str, float], yardstick: Yardstick, tolerance: float, sought: int
    ) -> None:
        """`sought` parameters, the first ones, are unknowns."""
        self.here, self.yardstick, self.tolerance, self.trouble = here, yardstick, tolerance, ""
        self.sought = sought
        self.target = np.array([advance.get(name, 0.0) for name in here.names])

    def solve(self, u: Floats, p: Floats, iterations: int) -> tuple[Floats, Floats, int]:
        """The best point, and the number of steps."""
        returned = self._at(u, p)
        size = self._size(returned)
        for used in range(iterations):
            if not size < np.inf:
                self.trouble = returned.trouble or "the motion did not come back; give another guess or a smaller step"
                return u, p, used
            if size <= 0.01 * self.tolerance:
                return u, p, used
            du, dp = self._step(returned)
            dp = np.concatenate([dp, np.zeros(len(p) - self.sought)])
            share = min(1.0, FARTHEST / max(float((np.abs(dp) / scale_of(p)).max(initial=0.0)), 1e-300))
            while True:
                found = self._at(u + share * du, p + share * dp)
                new = self._size(found)
                if new < (1.0 - 1e-3 * share) * size:
                    break
                share *= 0.5
                if share < SHORTEST or size <= self.tolerance:
                    return u, p, used
            u, p, returned, size = u + share * du, p + share * dp, found, new
        return u, p, iterations

    def _at(self, u: Floats, p: Floats) -> Returned:
        return self.here(u[None], p[None], by_parameters=True)

    def _missing(self, returned: Returned) -> Floats:
        return np.asarray(returned.residual[0] - self.target)

    def _size(self, returned: Returned) -> float:
        if not returned.good[0] or returned.jacobian is None or returned.by_parameters is None:
            return np.inf
        finite = np.isfinite(returned.jacobian).all() and np.isfinite(returned.by_parameters).all()
        return float(self.yardstick.size(self._missing(returned))) if finite else np.inf

    def _step(self, returned: Returned) -> tuple[Floats, Floats]:
        assert returned.jacobian is not None and returned.by_parameters is not None
        n = len(self.here.names)
        matrix = np.hstack([np.eye(n) - returned.jacobian[0], -returned.by_parameters[0][:, : self.sought]])
        step = np.linalg.lstsq(matrix, self._missing(returned), rcond=1e-12)[0]
        return step[:n], step[n:]
