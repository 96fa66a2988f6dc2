"""Rows of the constraints that are given by formulas: velocity constraints and couplings.

sum c_i(q, t) v_i = b(q, t),      bias = sum_i c_i_dot v_i - b_dot,      x_dot = dx/dt + sum_k (dx/dq_k) q_k_dot
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.tree import Instant, Row
from locomotor.model import Constraint, Coupling, Expression, Quantity, VelocityConstraint, evaluate
from locomotor.names import TIME
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class FormulaRow:
    """The row of one constraint given by a formula, evaluated at one instant."""

    constraint: Constraint
    coefficients: dict[str, Quantity]
    """Velocity name -> coefficient."""
    instant: Instant
    equals: Quantity = 0.0
    """Right-hand side b."""
    place: int = 0
    """Which row of the constraint it is."""

    @property
    def name(self) -> str:
        """Name of the row: that of the constraint, where it has one."""
        return self.constraint.row_names[self.place]

    @property
    def is_holonomic(self) -> bool:
        """Whether the constraint comes from a condition on coordinates."""
        return isinstance(self.constraint, Coupling)

    @cached_property
    def row(self) -> Row:
        """Coefficients by index of velocity."""
        layout, names = self.instant.system.layout, self.instant.names
        return {layout.index_v(name): evaluate(value, names) for name, value in self.coefficients.items()}

    @cached_property
    def bias(self) -> Any:
        """Rate of (row times v, less the right-hand side) at constant v."""
        names = self.instant.names
        total: Any = 0.0
        for velocity, coefficient in self.coefficients.items():
            for slope, rate in self._slopes(coefficient):
                total = total + slope * rate * names[velocity]
        for slope, rate in self._slopes(self.equals):
            total = total - slope * rate
        return total

    def _slopes(self, law: Quantity) -> Iterator[tuple[Any, Any]]:
        """Derivatives of a law by whatever varies in it, each with the rate of that."""
        if not isinstance(law, Expression):
            return
        names, velocity_of = self.instant.names, self.instant.system.layout.velocity_of
        for coordinate in sorted(law.names & set(velocity_of)):
            yield evaluate(law.derivative(coordinate), names), names[velocity_of[coordinate]]
        if TIME in law.names:
            yield evaluate(law.derivative(TIME), names), 1.0

    @cached_property
    def right(self) -> Any:
        """The right-hand side: a plain zero unless the constraint moves."""
        return evaluate(self.equals, self.instant.names)

    @cached_property
    def slip(self) -> Array:
        """Row times v less the right-hand side: zero as long as the constraint holds."""
        total: Any = 0.0
        for index, coefficient in self.row.items():
            total = total + coefficient * self.instant.v[index]
        return ops.vector(total if ops.is_zero(self.right) else total - self.right)

    @cached_property
    def gap(self) -> Any:
        """Position of a coupling, which must vanish."""
        assert isinstance(self.constraint, Coupling)
        return evaluate(self.constraint.position, self.instant.names)

    def gap_acceleration(self, v_dot: Array) -> Any:
        """Second derivative of the position, from all accelerations."""
        total: Any = self.bias
        for index, coefficient in self.row.items():
            total = total + coefficient * v_dot[index]
        return total

    @cached_property
    def normal_row(self) -> Array:
        """Row of the position's rate, over all velocities."""
        return ops.vector(*(self.row.get(index, 0.0) for index in range(self.instant.system.layout.nv)))


def formula_rows(instant: Instant) -> tuple[FormulaRow, ...]:
    """Rows of every formula of the system."""
    return formulas_at(instant, instant.system.constraints)


def formulas_at(instant: Instant, constraints: Sequence[Constraint]) -> tuple[FormulaRow, ...]:
    """Rows of formulas at one instant, whether the system enforces them or not."""
    found: list[FormulaRow] = []
    velocity_of = instant.system.layout.velocity_of
    for constraint in constraints:
        if isinstance(constraint, VelocityConstraint):
            *_, equals = constraint.laws
            for place, coefficients in enumerate(constraint.rows):
                found.append(FormulaRow(constraint, coefficients, instant, equals, place))
        else:
            assert isinstance(constraint, Coupling)
            position: Any = constraint.position
            coefficients = {velocity_of[name]: position.derivative(name) for name in sorted(position.names & set(velocity_of))}
            found.append(FormulaRow(constraint, coefficients, instant))
    return tuple(found)
