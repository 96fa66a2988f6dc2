"""Newton's method on the Poincaré map: single and multiple shooting with exact derivatives; the verb `find_cycle`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.analysis.cycles.build import build_map
from locomotor.analysis.cycles.conditioning import UNEVEN, told, unevenness
from locomotor.analysis.cycles.cycle import Cycle, make_cycle
from locomotor.analysis.cycles.hold import Hold, read_hold
from locomotor.analysis.cycles.options import LONGEST, TOLERANCE, Search, Section
from locomotor.analysis.cycles.plan import CyclePlan, Guess, Law, plan_cycle
from locomotor.analysis.cycles.poincare import PoincareMap, Returned
from locomotor.analysis.cycles.scale import FARTHEST, Yardstick
from locomotor.analysis.cycles.segments import multiple_shooting
from locomotor.checks import door, each, either, instance, mapping, optional
from locomotor.errors import CycleNotFoundError
from locomotor.model import System, a_system
from locomotor.simulation import Method, Start
from locomotor.typing import Floats

DEPENDENT = 1e-8
"""Singular values below this share of the largest are those of a direction along a family."""
ROUND_OFF = 1e-13
"""Singular values below this share of the largest say nothing."""
ITERATIONS = 40
POLISHING = 3
SHORTEST = 1.0 / 256.0
"""Smallest share of a Newton step that is tried."""
CREEPS = 1.0 / 8.0
"""Newton steps of which only a smaller share closes anything lead along a family of cycles, where round-off decides."""
SETTLE = 20
"""Passages that a search without a guess follows the motion for, before Newton's method takes over."""


@door(system=a_system, guess=optional(either(instance(Start), mapping, each(mapping))))
def find_cycle(
    system: System,
    guess: Guess = None,
    *,
    period: float | None = None,
    section: str | Section | None = None,
    unknowns: Iterable[str] | None = None,
    modulo: Iterable[str] | None = None,
    symmetry: Mapping[str, Any] | None = None,
    hold: Mapping[str, float] | None = None,
    periods: int = 1,
    multiple: int = 1,
    settle: int | None = None,
    step: float | None = None,
    start_time: float = 0.0,
    closed: Iterable[str] | None = None,
    longest: float = LONGEST,
    tolerance: float = TOLERANCE,
    iterations: int | None = None,
    inputs: Mapping[str, Any] | None = None,
    controller: Law = None,
    target: str = "auto",
    search: Search | None = None,
    method: Method | None = None,
) -> Cycle:
    """Find a motion that repeats, up to a displacement.

    Args:
        system: what moves.
        guess: starting values by name, as for `simulate`. For a section at an event the motion is followed from there to its
            first passage. For multiple shooting a sequence of starts, one a segment, is possible. A `Start` holds them together
            with `closed` and `start_time`.
        period: time from one passage to the next, for systems with drives; by default that of all sines and cosines of t.
        section: instead of a period, an event such as "foot impact" (just after it), "foot lift-off" (just before), "impact"
            (of any contact), or an expression of channels such as "z_rate falling". A `Section` holds it, or the period,
            together with `periods`, `symmetry`, `unknowns`, `modulo` and `longest`.
        unknowns: names of the values that are solved for; by default all that the rest does not determine.
        modulo: coordinates that may advance; by default those on which the motion does not depend.
        symmetry: values at the end by which the cycle is closed, as expressions of those reached, such as
            {"yaw": "pi - yaw", "yaw_rate": "-yaw_rate"}: a step and its mirror image, one spoke and the next.
        hold: values that the cycle shall have on the section, by name or by an expression of channels, such as {"speed": 5.0}
            or {"kinetic_energy + potential_energy": 900.0}: where cycles come in families, as where energy is kept, they single
            one out.
        periods: number of passages after which the motion repeats.
        multiple: number of segments of multiple shooting.
        settle: passages to follow before Newton's method starts (20 without a guess, else none): leads to stable cycles.
        step: seconds a step; by default a 200th of the period, or 0.001 for sections at events.
        start_time: time at the section.
        closed: contacts that are closed on the section; the guess is then taken as lying on it.
        longest: time after which a section counts as never reached (s).
        tolerance: largest residual, relative to 1 + |value| where the search begins. A search goes no farther from there than a
            thousand times that: a motion that accelerates would come ever nearer to closing, relative to its speed.
        iterations: most Newton steps (40; 25 from each start of a grid).
        inputs: values of inputs by name: numbers, or expressions of t and channels.
        controller: a feedback law that can be traced.
        target: where to run: "auto", "c" or "interpreter".
        search: `hold`, `multiple`, `settle`, `tolerance` and `iterations` together, instead of one by one.
        method: `step` and `target` together, instead of one by one.

    Raises:
        CycleNotFoundError: with the nearest that was reached as `best`.
        SectionError: a section that is unknown or never reached, or unknowns that do not determine a state.
    """
    options = dict(
        period=period, section=section, unknowns=unknowns, modulo=modulo, symmetry=symmetry, hold=hold, periods=periods,
        multiple=multiple, settle=settle, step=step, start_time=start_time, closed=closed, longest=longest, tolerance=tolerance,
        iterations=iterations, inputs=inputs, controller=controller, target=target, search=search, method=method,
    )  # fmt: skip
    return search_cycle(plan_cycle("find_cycle", system, guess, options))


def search_cycle(plan: CyclePlan) -> Cycle:
    """The cycle that was planned to be found."""
    if plan.search.settle is None:
        plan = replace(plan, search=replace(plan.search, settle=SETTLE if plan.start.values is None else 0))
    count, multiple, tolerance = plan.search.settle or 0, plan.search.multiple, plan.search.tolerance
    iterations = plan.search.iterations or ITERATIONS
    here = build_map(plan)
    held = read_hold(here, plan.search.hold)
    first = here.unknowns_of(here.reference[None], here.parameters[None])[0]
    if plan.section.symmetry or here.flow.mode_is_known:
        first = follow(here, first, count)
    yardstick = Yardstick(first)
    if multiple > 1:
        first, before = multiple_shooting(here, first, multiple, plan.guesses, tolerance, iterations)
        # The whole period, which adds up the errors of the segments, is closed by a few more steps.
        u, returned, more = newton(here, first, here.parameters, tolerance, POLISHING, yardstick)
        used = before + more
    else:
        u, returned, used = newton(here, first, here.parameters, tolerance, iterations, yardstick, held)
    cycle = make_cycle(here, u, returned, used, here.parameters, yardstick=yardstick)
    met = held is None or bool(np.abs(held.miss(here, u, here.parameters)[0]).max() <= tolerance)
    if not cycle.residual <= tolerance or not met:
        why = explain(here, cycle, returned, count, yardstick)
        uneven = unevenness(here, u, here.parameters)
        if uneven >= UNEVEN:
            why += f". Note that {told(uneven)}, or a larger tolerance"
        if held is not None and not met:
            why += (
                f". It has {held.told(here, u, here.parameters)}: what is held must be free to vary from cycle to cycle, as "
                "where energy is kept; hold another value, or change a parameter"
            )
        raise CycleNotFoundError(why, cycle)
    if not here.comes_back(returned):
        declared = here.kernels.modes.contact_of
        was = _standing(declared, here.mode.closed, frozenset(here.mode.stances))
        now = _standing(declared, returned.closed, returned.slipping)
        raise CycleNotFoundError(
            f"{plan.system.name}: the values come back, but not the contacts: closed at first {was}, at the end {now}; the "
            f"motion may take more passages (periods={here.passages + 1}), a symmetry exchanges the contacts (symmetry=...), "
            "or the guess is still far from the cycle (settle=5 lets it run first)",
            cycle,
        )
    return cycle


def _standing(declared: Mapping[str, str], closed: frozenset[str], slipping: frozenset[str]) -> str:
    """Closed contacts, and which of them slip."""
    return ", ".join(f"{declared[name]} (slips)" if name in slipping else declared[name] for name in sorted(closed)) or "none"


def follow(here: PoincareMap, unknowns: Floats, count: int) -> Floats:
    """Unknowns after some passages, as long as all goes well."""
    for _ in range(count):
        returned = here(unknowns[None], tangent=False)
        if not returned.good[0]:
            break
        unknowns = unknowns + returned.residual[0]
    return here.turned(unknowns) if count else unknowns


def newton(
    here: PoincareMap,
    unknowns: Floats,
    parameters: Floats,
    tolerance: float,
    iterations: int,
    yardstick: Yardstick | None = None,
    hold: Hold | None = None,
) -> tuple[Floats, Returned, int]:
    """Damped Newton steps on P(u) - u, and on what is held; the best point, its evaluation, and the number of steps.

    The yardstick is that of the first point, unless the search began elsewhere.
    """
    yardstick = yardstick or Yardstick(unknowns)

    def missed(found: Returned, u: Floats) -> float:
        apart = 0.0 if hold is None else float(np.abs(hold.miss(here, u, parameters)[0]).max())
        return max(float(yardstick.size(found.residual[0])), apart)

    returned = here(unknowns[None], parameters[None])
    began, size = returned.residual[0], missed(returned, unknowns)
    for used in range(iterations):
        if size <= 0.01 * tolerance or not returned.good[0]:
            return unknowns, returned, used
        if returned.jacobian is None or not np.isfinite(returned.jacobian[0]).all():
            return unknowns, returned, used
        held = None if hold is None else hold.miss(here, unknowns, parameters)
        step = newton_step(returned, 0, held)
        most = yardstick.share(here.difference(unknowns, yardstick.origin), step)
        shortened, along_families = 1.0, held is not None
        while True:
            share = most * shortened
            tried = unknowns + share * step
            found = here(tried[None], parameters[None])
            new = missed(found, tried)
            if found.good[0] and new < (1.0 - 1e-3 * share) * size:
                break
            shortened *= 0.5
            if size > tolerance and shortened < CREEPS and not along_families:
                # Shorter and shorter steps would use up all iterations: what round-off says of the way along must not decide.
                step, shortened, along_families = newton_step(returned, 0, rcond=DEPENDENT), 1.0, True
                most = yardstick.share(here.difference(unknowns, yardstick.origin), step)
            elif shortened < SHORTEST or size <= tolerance:
                if most < 1.0 and size > tolerance:
                    returned.trouble = _runs_away(here, unknowns, began, returned.residual[0], step, yardstick)
                return unknowns, returned, used
        unknowns, returned, size = tried, found, new
    return unknowns, returned, iterations


def _runs_away(here: PoincareMap, unknowns: Floats, began: Floats, residual: Floats, step: Floats, yardstick: Yardstick) -> str:
    """What a motion gains that would close, if at all, only beyond the reach of the search."""
    k = int(np.abs(step / yardstick.scale).argmax())
    name = here.names[k]
    origin = float(yardstick.origin[k])
    what = "drifts away" if name in here.naming.chart else "accelerates" if began[k] * origin >= 0.0 else "slows down"
    return (
        f"the motion gains {began[k]:.3g} of {name} a period at {origin:.4g}, where the search began, and {residual[k]:.3g} at "
        f"{unknowns[k]:.4g}, the nearest to closing within {FARTHEST:g} times 1 + |{name}|: it {what}. Add what holds it back "
        "(friction, a brake), take another gait"
    )


def newton_step(returned: Returned, row: int, held: tuple[Floats, Floats] | None = None, rcond: float = ROUND_OFF) -> Floats:
    """The step that would close the cycle, and meet the values `held`, if the map were linear."""
    assert returned.jacobian is not None
    n = returned.residual.shape[1]
    matrix, right = np.eye(n) - returned.jacobian[row], returned.residual[row]
    if held is None:
        return np.linalg.lstsq(matrix, right, rcond=rcond)[0]
    # Along a family the first rows vanish but for round-off, which must not decide.
    return np.linalg.lstsq(np.vstack([matrix, held[1]]), np.append(right, -held[0]), rcond=DEPENDENT)[0]


def explain(here: PoincareMap, cycle: Cycle, returned: Returned, settled: int, yardstick: Yardstick) -> str:
    """Why no cycle was found, and what to change."""
    name = here.system.name
    at = ", ".join(f"{n}={cycle.start[n]:.5g}" for n in here.names)
    if not returned.good[0]:
        why = returned.trouble or "the motion did not come back (a state became infinite, or the contacts singular)"
        return f"{name}: no cycle from {at}: {why}; give another guess, another section, or a smaller step"
    if returned.trouble:
        return f"{name}: no cycle from {at}, which misses by {cycle.residual:.3g}: {returned.trouble}, or give another guess"
    relative = np.abs(returned.residual[0]) / yardstick.scale
    largest, gained = here.names[int(relative.argmax())], returned.residual[0, int(relative.argmax())]
    settling = "" if settled else "settle=20 to follow the motion first (if the cycle is stable), "
    return (
        f"{name}: no cycle within the tolerance; the nearest start found, {at}, misses by {cycle.residual:.3g} (most in "
        f"{largest}, which gains {gained:.3g} a period; section {cycle.section}). Try another guess, {settling}find_cycles "
        f"over a range, multiple=4 or more segments, or a smaller step; if a coordinate advances on purpose, name it in modulo "
        f"(now {', '.join(here.modulo) or 'none'})"
    )
