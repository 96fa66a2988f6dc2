"""Rows of the closures: one for each condition, with the same answers as the row of a formula."""

from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.loops.closing import closing
from locomotor.mechanics.loops.jet import Flow, Jet
from locomotor.mechanics.loops.relative import Pair
from locomotor.mechanics.tree import Instant, Kinematics, Row
from locomotor.model import Closure
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class LoopRow:
    """One condition of a closure at one instant."""

    closure: Closure
    name: str
    flow: Flow
    value: Any
    """What must vanish, or None where only its rate is known."""
    instant: Instant
    measure: str
    """Length or angle."""

    @property
    def is_holonomic(self) -> bool:
        """Whether the row comes from a condition on the configuration."""
        return self.value is not None

    @cached_property
    def row(self) -> Row:
        """Coefficients by index of velocity."""
        return {j: entry for j, entry in self.flow.row.items() if not ops.is_zero(entry)}

    @property
    def bias(self) -> Any:
        """Second derivative of the condition at v_dot = 0: -Gamma."""
        return self.flow.bias

    @cached_property
    def right(self) -> Any:
        """Right-hand side of row v = right: a plain zero unless the closure moves by itself."""
        return 0.0 if ops.is_zero(self.flow.drift) else -self.flow.drift

    @cached_property
    def slip(self) -> Array:
        """Rate of the condition: zero as long as the closure holds."""
        return ops.vector(self.flow.rate)

    @property
    def gap(self) -> Any:
        """What must vanish on the configuration."""
        return self.value

    def gap_acceleration(self, v_dot: Array) -> Any:
        """Second derivative of the condition, from all accelerations."""
        total = self.bias
        for index, entry in self.row.items():
            total = total + entry * v_dot[index]
        return total

    @cached_property
    def normal_row(self) -> Array:
        """The row over all velocities."""
        return ops.vector(*(self.row.get(index, 0.0) for index in range(self.instant.system.layout.nv)))


def loop_rows(kinematics: Kinematics) -> tuple[tuple[LoopRow, ...], tuple[LoopRow, ...]]:
    """Rows of the closures of a system at one instant, and conditions on its configuration that have no row of their own."""
    instant = kinematics.instant
    found: list[LoopRow] = []
    rows: list[int] = []
    for closure in instant.system.loops:
        conditions = closing(closure, Pair.of(kinematics, [getattr(closure, name) for name in closure.BODIES]))
        rows += [*[1] * len(closure.ROWS), *[0] * len(closure.POSITIONS)]
        labels = (*closure.ROWS, *closure.POSITIONS)
        names = (*closure.row_names, *(f"{closure.name}_{label}" for label, _ in closure.POSITIONS))
        for name, (_, measure), condition in zip(names, labels, conditions, strict=True):
            flow, value = (condition.flow, condition.value) if isinstance(condition, Jet) else (condition, None)
            found.append(LoopRow(closure, name, flow, value, instant, measure))
    return tuple(row for row, is_row in zip(found, rows, strict=True) if is_row), tuple(
        row for row, is_row in zip(found, rows, strict=True) if not is_row
    )
