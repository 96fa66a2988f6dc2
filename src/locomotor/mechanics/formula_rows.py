"""Rows of the constraints that are given by formulas: velocity constraints and couplings.

    sum c_i(q) v_i = 0,      bias = sum_ik (dc_i/dq_k) q_k_dot v_i
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.kinematics import Instant
from locomotor.mechanics.substructure import Row
from locomotor.model import Constraint, Coupling, Expression, Quantity, VelocityConstraint, evaluate

Array = Any


@dataclass(frozen=True, eq=False)
class FormulaRow:
    """One constraint at one instant."""

    constraint: Constraint
    coefficients: dict[str, Quantity]
    """Velocity name -> coefficient."""
    instant: Instant

    @property
    def name(self) -> str:
        """Name of the constraint."""
        return self.constraint.name

    @property
    def is_holonomic(self) -> bool:
        """Whether it comes from a condition on coordinates."""
        return isinstance(self.constraint, Coupling)

    @cached_property
    def row(self) -> Row:
        """Coefficients by index of velocity."""
        layout, names = self.instant.system.layout, self.instant.names
        return {layout.index_v(name): evaluate(value, names) for name, value in self.coefficients.items()}

    @cached_property
    def bias(self) -> Any:
        """Rate of the row times v, at constant v."""
        layout, names = self.instant.system.layout, self.instant.names
        total: Any = 0.0
        for velocity, coefficient in self.coefficients.items():
            if not isinstance(coefficient, Expression):
                continue
            for coordinate in coefficient.names & set(layout.velocity_of):
                slope = evaluate(coefficient.derivative(coordinate), names)
                total = total + slope * names[layout.velocity_of[coordinate]] * names[velocity]
        return total

    @cached_property
    def slip(self) -> Array:
        """Row times v: zero as long as the constraint holds."""
        total: Any = 0.0
        for index, coefficient in self.row.items():
            total = total + coefficient * self.instant.v[index]
        return ops.vector(total)

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
            coefficients = dict(zip(constraint.velocities, constraint.coefficients, strict=True))
        else:
            assert isinstance(constraint, Coupling)
            position: Any = constraint.position
            coefficients = {velocity_of[name]: position.derivative(name) for name in sorted(position.names & set(velocity_of))}
        found.append(FormulaRow(constraint, coefficients, instant))
    return tuple(found)
