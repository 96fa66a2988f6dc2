"""Closures: what holds two bodies together beside the joints of the tree, so that loops close.

A closure speaks of a point `at_a` of `body_a` and a point `at_b` of `body_b`, in the frames of these bodies; either body may
be `"world"`. Each kind says which conditions it sets; `mechanics.loops` holds the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import ClosureError
from locomotor.model.description import Description, check_axis
from locomotor.model.expressions import FUNCTIONS, VectorLike, as_quantity, as_vector

LENGTH, ANGLE = "length", "angle"
"""What a row measures: metres, whose multiplier is a force, or radians, whose multiplier is a couple."""
SENSE = "sense"
"""What a sense measures: one less the cosine of an angle."""


@dataclass(frozen=True)
class Closure(Description):
    """Base of all closures; a multiplier is the load of `body_a` on `body_b` along (or about) the direction of its row."""

    name: str
    body_a: str
    body_b: str
    at_a: VectorLike = (0.0, 0.0, 0.0)
    at_b: VectorLike = (0.0, 0.0, 0.0)

    ROWS: ClassVar[tuple[tuple[str, str], ...]]
    """Label and measure of every row, in order; a closure of one row needs no label."""
    POSITIONS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Conditions on the configuration that follow the rows, and have none of their own."""
    SENSES: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Conditions, for assembly alone, that tell the pose that is meant from one half a turn away, where the rows vanish too."""
    HOLONOMIC: ClassVar[bool] = True
    """Whether the rows are conditions on the configuration; if not, on velocities only."""
    VELOCITIES: ClassVar[tuple[str, ...]] = ()
    """Labels of single rows that are conditions on velocities only."""
    BODIES: ClassVar[tuple[str, ...]] = ("body_a", "body_b")
    """Fields that name a body, or the world."""
    UNIT_VECTORS: ClassVar[tuple[str, ...]] = ()
    """Fields that are unit vectors; None stands for the vector of the other body, component by component."""
    SCALARS: ClassVar[tuple[str, ...]] = ()
    """Fields of one quantity."""

    def __post_init__(self) -> None:
        self._read_name("a loop", reserved=FUNCTIONS)
        self._read_references(*self.BODIES)
        if self.body_a == self.body_b:
            raise ClosureError(f"{self.label}: body_a and body_b are both {self.body_a!r}; name two different bodies")
        for name in ("at_a", "at_b"):
            self._store(**{name: as_vector(getattr(self, name), f"{self.label}: {name}")})
        optional = {entry.name for entry in fields(self) if entry.default is None}
        for name in self.UNIT_VECTORS:
            given = getattr(self, name)
            if given is None and name.endswith("_b"):
                given = getattr(self, f"{name[:-1]}a")
            if given is not None or name not in optional:
                self._store(**{name: as_vector(given, f"{self.label}: {name}")})
        for name in self.SCALARS:
            self._store(**{name: as_quantity(getattr(self, name), f"{self.label}: {name}")})
        self.check({})

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows: that of the closure, followed by the label where there are several."""
        if len(self.ROWS) == 1:
            return (self.name,)
        return tuple(f"{self.name}_{label}" for label, _ in self.ROWS)

    @property
    def position_rows(self) -> tuple[tuple[str, str], ...]:
        """Name and measure of the rows that are conditions on the configuration."""
        rows = zip(self.row_names, self.ROWS, strict=True)
        return tuple((name, what) for name, (label, what) in rows if self.HOLONOMIC and label not in self.VELOCITIES)

    @property
    def extra_positions(self) -> tuple[tuple[str, str], ...]:
        """Name and measure of conditions on the configuration that have no row of their own."""
        return tuple((f"{self.name}_{label}", what) for label, what in self.POSITIONS)

    @property
    def sense_names(self) -> tuple[str, ...]:
        """Names of the conditions that tell poses apart in which all rows vanish."""
        return tuple(f"{self.name}_{label}" for label, _ in self.SENSES)

    @property
    def laws(self) -> tuple[Any, ...]:
        """Fields that may depend on time."""
        return tuple(getattr(self, name) for name in self.LAWS)

    def _check(self, values: Mapping[str, float]) -> None:
        for name in self.UNIT_VECTORS:
            if getattr(self, name) is not None:
                check_axis(getattr(self, name), f"{self.label}: {name}", values)
