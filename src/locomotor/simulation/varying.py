"""Runs of one system with other values of its parameters, for all of which it is compiled once.

The values of the first run are numbers in its machine code, which is quickest. From the second on, parameters that were seen
to vary are arguments of it, where nothing is chosen by their values when a model is made: where all that depends on them are
forces, laws of contacts, and masses and moments of rigid bodies. By the others are chosen: pivots, symmetries, rows that depend
on each other, shapes that touch, motions that are imposed, and instants at which laws jump. What is zero takes terms away, and
is a number too. So a further value is compiled only if it makes another model.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields, is_dataclass
from functools import cached_property, lru_cache
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.mechanics.tree import pointlike
from locomotor.model import Body, Expression, Motion, System
from locomotor.names import TIME

MOST_SYSTEMS, MOST_FORMS = 32, 32
"""Systems whose values are remembered, and forms of each: sets of values that are compiled."""


@dataclass(frozen=True)
class Form:
    """What runs of a system are compiled from, the same for all that differ in the free parameters only."""

    system: System
    """With the values that are compiled."""
    free: tuple[str, ...] = ()
    """Parameters whose values are arguments."""


def form_of(system: System, fixed: frozenset[str] = frozenset()) -> Form:
    """What a run is compiled from; the values of some parameters may be fixed.

    It depends on the values of earlier runs of the same system.
    """
    family = _family_of(system, fixed)
    return Form(system) if family is None else family.form(system)


@lru_cache(maxsize=MOST_SYSTEMS)
def _family_of(system: System, fixed: frozenset[str]) -> "Family | None":
    """Runs of what systems may share what is compiled for this one; None where no value is an argument."""
    structure = Structure(_structure_of(system), system)
    values, movable = system.parameters.values, _read(structure).movable - fixed
    return _family(structure, tuple((n, v) for n, v in values.items() if n not in movable)) if movable else None


@dataclass(frozen=True)
class Structure:
    """All of a system but the values of its parameters; of two with the same either stands for both."""

    parts: tuple[Any, ...]
    example: System = field(compare=False)

    @cached_property
    def _loads(self) -> tuple[Any, ...]:
        """Where nothing is chosen by values."""
        system = self.example
        drives = tuple(joint.drive for joint in system.joints if not isinstance(joint.drive, Motion))
        return (*system.forces, *system.laws.values(), *drives, *self._rigid)

    @cached_property
    def _rigid(self) -> tuple[Body, ...]:
        return tuple(body for body in self.example.bodies if type(body) is Body)

    @cached_property
    def weighed(self) -> frozenset[str]:
        """Parameters on which masses and moments of rigid bodies depend."""
        return _names(expressions_in(self._rigid))

    @cached_property
    def movable(self) -> frozenset[str]:
        """Parameters by whose values nothing is chosen."""
        system = self.example
        loads = tuple(expressions_in(self._loads))
        motions = tuple(joint.drive for joint in system.joints if isinstance(joint.drive, Motion))
        others = tuple(body for body in system.bodies if type(body) is not Body)
        shaped = (*system.joints, *system.contacts, *system.constraints)
        whole = (*motions, *others, *system.grounds, *system.loops, system.nominal)
        shaping = [*expressions_in(whole), *(each for part in shaped for each in expressions_in(_without_loads(part)))]
        timed = [expression for expression in loads if TIME in expression.names]
        return (_names(loads) & set(system.parameters)) - _names(shaping) - _names(timed)

    @cached_property
    def sizes(self) -> tuple[Expression, ...]:
        """Expressions of parameters alone that may be free."""
        return tuple(e for e in expressions_in(self._loads) if e.names <= self.movable)


class Family:
    """Runs of systems that differ in values only by which nothing is chosen."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._first: System | None = None
        self._varied: frozenset[str] = frozenset()
        self._forms: dict[Any, Form] = {}

    def form(self, system: System) -> Form:
        """The form of a run, which is remembered."""
        first = self._first = self._first or system
        values, before = system.parameters.values, first.parameters.values
        differing = {name for name in values if values[name] != before[name]}
        if not differing:
            return Form(first)
        self._varied |= differing
        numbers = {name: values[name] for name in self._varied & self._void(system, values)}
        free = tuple(name for name in values if name in self._varied and name not in numbers)
        if len(self._forms) >= MOST_FORMS:
            self._forms.clear()
        return self._forms.setdefault((free, tuple(sorted(numbers.items()))), Form(system, free))

    def _void(self, system: System, values: Mapping[str, float]) -> frozenset[str]:
        """Parameters that take something away: what is zero, and moments of bodies that resist some motion not at all."""
        found = {name for name, value in values.items() if value == 0.0}
        found |= _names(e for e in self._structure.sizes if _is_void(e, values))
        points = pointlike(system) if self._structure.weighed & self._varied else ()
        return frozenset(found) | _names(expressions_in(tuple(system.body(name) for name in points)))


def _structure_of(system: System) -> tuple[Any, ...]:
    """What two systems have in common that differ in values of parameters only."""
    parts = (getattr(system, entry.name) for entry in fields(system) if entry.compare and entry.name != "parameters")
    return (*parts, *((p.name, p.unit, p.latex, p.description) for p in system.parameters.parameters))


@lru_cache(maxsize=MOST_SYSTEMS)
def _read(structure: Structure) -> Structure:
    """The one of equal structures that has been read."""
    return structure


@lru_cache(maxsize=MOST_SYSTEMS)
def _family(structure: Structure, values: tuple[tuple[str, float], ...]) -> Family:
    return Family(_read(structure))


def expressions_in(part: Any) -> Iterator[Expression]:
    """Every expression in a description, however deep."""
    if isinstance(part, Expression):
        yield part
    elif isinstance(part, tuple | list):
        for entry in part:
            yield from expressions_in(entry)
    elif isinstance(part, Mapping):
        yield from expressions_in(tuple(part.values()))
    elif is_dataclass(part):
        yield from expressions_in(tuple(getattr(part, entry.name) for entry in fields(part)))


def _without_loads(part: Any) -> tuple[Any, ...]:
    """All fields of a joint, a contact or a constraint but its drive or its law."""
    return tuple(getattr(part, entry.name) for entry in fields(part) if entry.name not in ("drive", "law"))


def _is_void(size: Expression, values: Mapping[str, float]) -> bool:
    """Whether a size is zero, or no number at all: that is for a model of its own to tell."""
    try:
        return float(size.evaluate(values)) == 0.0
    except (ArithmeticError, ValueError):
        return True


def _names(expressions: Iterable[Expression]) -> frozenset[str]:
    return frozenset().union(*(expression.names for expression in expressions))
