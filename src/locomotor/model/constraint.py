"""Ideal constraints between velocities or coordinates that no contact describes: gears, couplings, approximate wheels.

Both kinds are written over the coordinates and velocities of joints by name; like contacts they do no work, except those
that move: a velocity constraint with a right-hand side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError, DuplicateNameError, QuantityError
from locomotor.model.contacts import ContactLaw, Persistent
from locomotor.model.description import Description
from locomotor.model.expressions import FUNCTIONS, Quantity, QuantityLike, as_expression, as_quantity
from locomotor.names import same_name


@dataclass(frozen=True)
class Constraint(Description):
    """Base of the constraints that are given by formulas."""

    name: str

    def __post_init__(self) -> None:
        self._read_name("a constraint", reserved=FUNCTIONS)
        self._read()
        self.check({})

    def _read(self) -> None:
        """Read the fields of this kind of constraint."""

    @property
    def row_names(self) -> tuple[str, ...]:
        """A name for each of its rows."""
        return (self.name,)


@dataclass(frozen=True)
class VelocityConstraint(Constraint):
    """sum of coefficient times velocity = `equals` (zero by default), over `t`, coordinates of joints and parameters.

    `VelocityConstraint("no_slip", {"speed": 1.0, "rear_wheel_rate": "-radius"})`; on a belt that runs at 0.5 m/s,
    `VelocityConstraint("on_belt", {"speed": 1.0, "rear_wheel_rate": "-radius"}, equals=0.5)`. It need not be integrable.
    """

    row: Mapping[str, QuantityLike] | tuple[tuple[str, QuantityLike], ...]
    equals: QuantityLike = 0.0
    velocities: tuple[str, ...] = field(init=False, compare=False)
    coefficients: tuple[Quantity, ...] = field(init=False, compare=False)
    LAWS: ClassVar[tuple[str, ...]] = ("row", "equals", "coefficients")

    def _read(self) -> None:
        pairs = tuple(self.row.items()) if isinstance(self.row, Mapping) else self.row
        if not isinstance(pairs, tuple | list) or not all(
            isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs
        ):
            raise QuantityError(
                f"{self.label}: the row is {shown(self.row)}; give coefficients by velocity, such as "
                '{"speed": 1.0, "wheel_rate": "-radius"}'
            )
        if not pairs:
            raise QuantityError(f"{self.label}: the row is empty; give at least one velocity with its coefficient")
        read = tuple((same_name(name), as_quantity(value, f"{self.label}: {shown(name)}")) for name, value in pairs)
        if len({name for name, _ in read}) < len(read):
            raise DuplicateNameError(f"{self.label}: the row names a velocity twice: {', '.join(name for name, _ in read)}")
        self._store(
            row=read,
            equals=as_quantity(self.equals, f"{self.label}: equals"),
            velocities=tuple(name for name, _ in read),
            coefficients=tuple(value for _, value in read),
        )

    @property
    def rows(self) -> tuple[dict[str, Quantity], ...]:
        """Coefficients by velocity, of each of its rows."""
        return (dict(zip(self.velocities, self.coefficients, strict=True)),)

    @property
    def moves(self) -> bool:
        """Whether the constraint has a right-hand side, and so may do work."""
        return self.equals != 0.0

    @property
    def laws(self) -> tuple[Quantity, ...]:
        """Coefficients and right-hand side."""
        assert not isinstance(self.equals, str)  # texts were parsed when the constraint was built
        return (*self.coefficients, self.equals)


@dataclass(frozen=True)
class Coupling(Constraint):
    """position = 0, an expression of coordinates of joints and parameters: `Coupling("axles", "front + rear")`.

    With another `law` it opens and closes like a contact, the position being its gap: a joint stop is
    `Coupling("stop", "knee - least", law=Unilateral())`, which lets the knee be where its position is positive.
    """

    position: QuantityLike
    law: ContactLaw = field(default=Persistent(), kw_only=True)
    LAWS: ClassVar[tuple[str, ...]] = ("position",)

    def _read(self) -> None:
        if not isinstance(self.law, ContactLaw):
            raise ContactLawError(
                f"{self.label}: the law is {shown(self.law)}; give a ContactLaw: Persistent(), Unilateral(restitution=...) or "
                "Grip(when)"
            )
        self.law.check_answers(self.label, {})
        position: Any = as_expression(as_quantity(self.position, f"{self.label}: position"))
        if not position.names:
            raise QuantityError(f"{self.label}: '{self.position}' names no coordinate; write for instance 'front + rear'")
        self._store(position=position)
