"""Instants at which something given by expressions of time jumps or has a kink: steps end there, whatever takes them."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from locomotor.codegen.cuda import to_host
from locomotor.dataclass import dataclass
from locomotor.errors import QuantityError
from locomotor.model import Expression, System, VelocityConstraint
from locomotor.model.expressions import expressions
from locomotor.simulation.inputs.breaks import conditions_of, roots_of, values_of
from locomotor.simulation.inputs.expression_law import expressions_of
from locomotor.tracing import Controller, laws_of_time, observables
from locomotor.typing import Floats

NEARER, GROWTH = (1e-5, 1e-8), 10.0
"""A law that is so many times as large at the second distance (s) from an instant as at the first has a pole there."""
MOST_ROWS = 256
"""Different values of parameters on which instants depend, up to which all of a batch step onto the instants of each."""


class BreaksWarning(UserWarning):
    """Steps of a batch do not end where laws of time jump."""


@dataclass(frozen=True)
class Breaks:
    """What decides on the breaks of a system: conditions on time, inner ones first, and instants that were told."""

    conditions: tuple[Expression, ...] = ()
    told: tuple[float, ...] = ()
    laws: tuple[Expression, ...] = ()
    """The laws of time alone that they belong to."""

    def __bool__(self) -> bool:
        """Whether any law may jump."""
        return bool(self.conditions or self.told)

    @property
    def names(self) -> frozenset[str]:
        """Parameters that the instants depend on."""
        return frozenset().union(*(condition.names for condition in self.conditions)) - {"t"}

    def between(self, values: Mapping[str, float], start: float, end: float, step: float = 0.0) -> tuple[float, ...]:
        """The breaks from start to end, both included, in order; those of fast laws are looked for twice a step."""
        if not self or end <= start:
            return ()
        used = tuple(sorted((name, float(values[name])) for name in self.names))
        found = _between(self, used, float(start), float(end), float(step))
        for law in self.laws if found else ():
            _refuse_poles(law, values, np.array(found), start, end)
        return found


def _refuse_poles(law: Expression, values: Mapping[str, float], times: Floats, start: float, end: float) -> None:
    """Raise if a law grows without bound towards a break: no step could end there, and a longer one would pass it by."""
    sizes = []
    for distance in NEARER:
        sides = np.stack([times - distance, times + distance])
        size = np.abs(values_of(law, "t", values, sides))
        sizes.append(np.where((sides >= start) & (sides <= end), size, 0.0).max(axis=0))
    grows = np.isfinite(sizes[0]) & (sizes[1] > GROWTH * sizes[0]) & (sizes[0] > 0.0)
    if grows.any():
        raise QuantityError(
            f"'{law}' grows without bound at t = {times[grows.argmax()]:g} s; limit it there, such as min(..., largest), or "
            "let the run end before"
        )


@lru_cache(maxsize=1024)
def _between(what: Breaks, values: tuple[tuple[str, float], ...], start: float, end: float, step: float) -> tuple[float, ...]:
    found = roots_of(what.conditions, "t", dict(values), start, end, spacing=0.5 * step)
    told = [t for t in what.told if start <= t <= end]
    return tuple(float(t) for t in np.union1d(found, told))


@lru_cache(maxsize=256)
def breaks_of_system(system: System) -> Breaks:
    """Breaks of forces, drives, imposed motions and constraints."""
    laws = tuple(_laws(system))
    return Breaks(tuple(_conditions(system, laws)), laws=_of_time(system, laws))


@lru_cache(maxsize=64)
def breaks_of(system: System, controller: Controller | None) -> Breaks:
    """Breaks of a system and of the inputs of a run, expressions and what can be seen in a law written in Python."""
    own = breaks_of_system(system)
    if controller is None:
        return own
    given = expressions_of(controller.law)
    if not controller.formula:
        inputs = tuple(symbol.name for symbol in system.layout.inputs)
        names = (field.name for group in observables(system) for field in group.fields)
        given = (*given, *laws_of_time(controller, inputs, names))
    conditions = (*own.conditions, *_conditions(system, given))
    return Breaks(conditions, tuple(sorted(map(float, controller.instants))), (*own.laws, *_of_time(system, given)))


def breaks_of_rows(
    what: Breaks, values: Mapping[str, float], free: Sequence[str], rows: Any, start: float, end: float, step: float
) -> tuple[float, ...]:
    """The breaks between two instants, for steps of a length, of all instances of a batch.

    All step onto the instants of each; where the instances have too many different ones, onto none, with a warning.
    """
    places = [i for i, name in enumerate(free) if name in what.names]
    if rows is None or not places:
        return what.between(values, start, end, step)
    different = np.unique(np.atleast_2d(to_host(rows))[:, places], axis=0)
    if len(different) > MOST_ROWS:
        warnings.warn(
            f"laws of time jump at instants that depend on {', '.join(free[i] for i in places)}, of which the batch has "
            f"{len(different)} different values (more than {MOST_ROWS}): steps do not end there, and lose their order",
            BreaksWarning,
            stacklevel=6,
        )
        return ()
    each = [{**values, **dict(zip((free[i] for i in places), row.tolist(), strict=True))} for row in different]
    return tuple(sorted({t for row in each for t in what.between(row, start, end, step)}))


def switch_instants(
    system: System, controller: Controller | None, start: float, end: float, step: float = 0.0
) -> tuple[float, ...]:
    """Instants strictly within a run at which inputs, drives or forces may jump, in order."""
    found = breaks_of(system, controller).between(system.parameters.values, start, end, step)
    return tuple(t for t in found if start < t < end)


def _laws(system: System) -> Iterator[Expression]:
    for force in system.forces:
        yield from (law for _, law in force.expressions(laws=True))
    for joint in system.joints:
        yield from expressions(joint.drive.law)
    for constraint in system.constraints:
        if isinstance(constraint, VelocityConstraint):
            yield from expressions(constraint.laws)


def _of_time(system: System, laws: Iterable[Expression]) -> tuple[Expression, ...]:
    """Laws that depend on time and parameters alone."""
    known = {"t", *system.parameters.values}
    return tuple(law for law in laws if "t" in law.names and law.names <= known and not law.is_condition)


def _conditions(system: System, laws: Iterable[Expression]) -> Iterator[Expression]:
    known = {"t", *system.parameters.values}
    for law in laws:
        if "t" in law.names:
            yield from (condition for condition in conditions_of(law, "t") if condition.names <= known)
