"""Cycles in words and for scripts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.analysis import Cycle, Family
from locomotor.analysis.cycles import by_differences, multipliers
from locomotor.analysis.stability import stability_of_multipliers
from locomotor.commands.terminal import output, table
from locomotor.dataclass import dataclass
from locomotor.typing import Complexes
from locomotor.viewing.plots import quantities

DIFFERENCES = 1e-5
"""Multipliers by differences of the map are known to this."""
APART = 1e-3
"""Difference from the derivative by differences, relative to its largest entry, above which the exact one is not trusted."""
SMALL = 1e-12
SAME = 1e-8
"""Columns that change by less than this are told once."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A cycle with the multipliers to believe: its own, or those by differences where a law of the system jumps."""

    cycle: Cycle
    differing: float = 0.0
    """How far the exact derivative and the one by differences are apart, relative to the largest entry."""
    by_differences: Complexes | None = None

    @property
    def multipliers(self) -> Complexes:
        """Multipliers to believe: exact ones, or those by differences where a law of the system jumps."""
        return self.cycle.multipliers if self.by_differences is None else self.by_differences

    @property
    def verdict(self) -> str:
        """stable, unstable, or neutral: on the circle, as far as can be told."""
        if not len(self.multipliers):
            return "determined"
        unsure = self.cycle.residual + (0.0 if self.by_differences is None else DIFFERENCES)
        return stability_of_multipliers(self.multipliers, unsure)


def judge(cycle: Cycle) -> Judged:
    """Compare the derivative of the map with differences of it."""
    if not cycle.unknowns:
        return Judged(cycle)
    found = by_differences(lambda u: u + cycle.map(u, cycle.parameters, tangent=False).residual, cycle.values)
    if not np.isfinite(found).all():
        return Judged(cycle)
    apart = float(np.abs(found - cycle.jacobian).max()) / max(1.0, float(np.abs(found).max()))
    return Judged(cycle, apart, multipliers(found) if apart > APART else None)


def tell_cycle(judged: Judged) -> None:
    """Print everything about one cycle."""
    cycle, out = judged.cycle, output()
    system = cycle.system
    units = {s.name: s.unit for s in (*system.layout.coordinates, *system.layout.velocities)}
    out.print(f"{system.name}: {_verdict(judged)}")
    out.print(f"\nperiod    {cycle.period:.9g} s, section: {cycle.section}")
    moving = {name: value for name, value in cycle.displacement.items() if abs(value) > SMALL}
    for k, (name, value) in enumerate(moving.items()):
        unit = units.get(name, "")
        head = "advances " if k == 0 else " " * 9
        out.print(f"{head} {name} {value:+.9g} {unit} a period, {value / cycle.period:+.9g} {unit}/s".replace(" /s", " 1/s"))
    if moving:
        out.print(f"speed     {cycle.speed:.9g} m/s between the starts of two periods")
    if cycle.closed:
        out.print(f"closed    {', '.join(cycle.closed)} at the start")
    if cycle.events:
        out.print(f"events    {', '.join(cycle.events)}")
    out.print(f"closes    to {cycle.residual:.1e}, after {cycle.iterations} Newton step{'' if cycle.iterations == 1 else 's'}")
    if cycle.unknowns:
        shown = table("start", "value", "unit", right=("value",))
        for name in cycle.unknowns:
            shown.add_row(name, f"{cycle.start[name]:.12g}", units.get(name, ""))
        out.print()
        out.print(shown)
        shown = table("multiplier", "size", right=("size",))
        for value in judged.multipliers:
            shown.add_row(_complex(value), f"{abs(value):.6g}")
        out.print()
        out.print(shown)
    if judged.by_differences is not None:
        out.print(
            f"\nThe exact derivative of the map and differences of it are {judged.differing:.1e} apart, relative to the "
            "largest entry: a law of the system jumps (if_else) where there is no event. The multipliers are those of the "
            "differences."
        )
    elif cycle.note:
        out.print(f"\n{cycle.note}")


def _verdict(judged: Judged) -> str:
    cycle = judged.cycle
    if judged.verdict == "determined":
        return "the motion repeats whatever it starts from: nothing on the section is free"
    largest = float(np.abs(judged.multipliers).max())
    if judged.verdict == "neutral":
        return "a neutral cycle: a multiplier of size 1, deviations neither grow nor die out"
    if judged.verdict == "stable":
        return f"a stable cycle: what is left of a deviation after a period is {largest:.4g} of it"
    return f"an unstable cycle: a deviation is multiplied by {largest:.4g} every {cycle.period:.4g} s"


def tell_cycles(cycles: Sequence[Cycle], values: Sequence[float] = (), parameter: str = "") -> None:
    """Print one row for each cycle."""
    out = output()
    if not cycles:
        out.print("no cycle was found from this grid of starts: widen it (--grid), or give another section or period")
        return
    known = quantities(cycles)
    still = {name: column[0] for name, column in known.items() if len(cycles) > 1 and np.ptp(column) <= SAME}
    known = {name: column for name, column in known.items() if name not in still}
    heads = ([parameter] if parameter else []) + [*known, "largest multiplier"]
    shown = table(*heads, "stable", right=heads)
    for k, each in enumerate(cycles):
        first = [f"{values[k]:.6g}"] if parameter else []
        numbers = [f"{column[k]:.6g}" for column in known.values()]
        shown.add_row(*first, *numbers, f"{np.abs(each.multipliers).max(initial=0.0):.6g}", "yes" if each.stable else "no")
    out.print(shown)
    stable = sum(each.stable for each in cycles)
    count = f"{len(cycles)} cycle{'' if len(cycles) == 1 else 's'}"
    same = "".join(f"; {name} {value:.6g} in all" for name, value in still.items() if abs(value) > SAME)
    out.print(f"\n{count}, {stable} of them stable{same}")


def tell_family(family: Family, count: int) -> None:
    """So many cycles of a family, and where its stability changes."""
    places = np.unique(np.linspace(0, len(family) - 1, min(count, len(family))).astype(int))
    tell_cycles([family.cycles[k] for k in places], [float(family.values[k]) for k in places], family.parameter)
    out = output()
    reach = f"{family.parameter} = {family.values.min():.6g} to {family.values.max():.6g}"
    out.print(f"shown of a family of {len(family)} cycles, {reach}; {family.ended}")
    for change in family.changes:
        then = "loses its stability" if change.stable_before else "becomes stable" if change.kind != "fold" else "turns back"
        where = f"{change.kind} at {family.parameter} = {change.value:.9g}"
        out.print(f"{where}: it {then} (multiplier {_complex(change.multiplier)})")


# -- for scripts ------------------------------------------------------------------------------------------------------


def cycle_facts(judged: Judged) -> dict[str, Any]:
    """A cycle for a script; a multiplier is [real, imaginary]."""
    cycle = judged.cycle
    return {
        "system": cycle.system.name,
        "section": cycle.section,
        "period": cycle.period,
        "displacement": dict(cycle.displacement),
        "rates": cycle.rates,
        "speed": cycle.speed,
        "start": {name: float(value) for name, value in cycle.start.items()},
        "unknowns": list(cycle.unknowns),
        "multipliers": judged.multipliers,
        "stable": judged.verdict == "stable",
        "verdict": judged.verdict,
        "derivative_differs": judged.differing,
        "closed": list(cycle.closed),
        "events": list(cycle.events),
        "residual": cycle.residual,
        "iterations": cycle.iterations,
        "parameters": dict(cycle.system.parameters.values),
    }


def family_facts(family: Family) -> dict[str, Any]:
    """A family of cycles as a dictionary, for `--json`."""
    return {
        "system": family.cycles[0].system.name,
        "parameter": family.parameter,
        "values": family.values,
        "quantities": quantities(family.cycles),
        "multipliers": [cycle.multipliers for cycle in family.cycles],
        "stable": family.stable,
        "changes": [
            {"kind": c.kind, "value": c.value, "multiplier": c.multiplier, "stable_before": c.stable_before}
            for c in family.changes
        ],
        "closed": family.closed,
        "ended": family.ended,
    }


def _complex(value: complex) -> str:
    if abs(value.imag) < SMALL:
        return f"{value.real:+.6g}"
    return f"{value.real:+.6g} {value.imag:+.6g}i"
