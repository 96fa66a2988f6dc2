"""Forces of a fluid at rest on a body that moves in it: added mass in an ideal fluid, linear drag in a viscous one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import FluidMatrixError
from locomotor.model.expressions import QuantityLike, as_list, as_quantity, evaluate, free_names, is_nested
from locomotor.model.forces.force import Force

FluidMatrix = tuple[tuple[QuantityLike, ...], ...] | tuple[QuantityLike, ...]


class _TwistForm(Force):
    """A symmetric 6x6 matrix on the twist (linear first) of a body, in its frame: six diagonal values or six rows."""

    BODIES: ClassVar[tuple[str, ...]] = ("body",)
    matrix: Any

    def __post_init__(self) -> None:
        """Read the 6x6 matrix, or its diagonal, and check it."""
        rows = [as_list(row) for row in self.matrix] if is_nested(self.matrix) else []
        values = as_list(self.matrix)
        if values is None or None in rows:
            raise FluidMatrixError(
                f"{self.label}: the matrix is {shown(self.matrix)}; give six diagonal values or six rows of six"
            )
        entries: list[list[Any]]
        if rows:
            entries = [row for row in rows if row is not None]
        else:
            entries = [[values[i] if i == j else 0.0 for j in range(len(values))] for i in range(len(values))]
        if len(entries) != 6 or any(len(row) != 6 for row in entries):
            raise FluidMatrixError(f"{self.label}: the matrix must have six diagonal values or six rows of six")
        self._store(matrix=tuple(tuple(as_quantity(x, f"{self.label}: matrix") for x in row) for row in entries))
        super().__post_init__()

    def _check(self, values: Mapping[str, float]) -> None:
        if not free_names(self.matrix) <= values.keys():
            return
        matrix = np.asarray(evaluate(self.matrix, values), dtype=float)
        scale = float(np.abs(matrix).max()) or 1.0
        matrix = matrix / scale  # so that neither sums nor eigenvalues overflow
        lowest = scale * float(np.linalg.eigvalsh(0.5 * (matrix + matrix.T)).min())
        if np.abs(matrix - matrix.T).max() > 1e-9 or lowest < -1e-9 * scale:
            raise FluidMatrixError(
                f"{self.label}: the matrix must be symmetric and have no negative eigenvalue (the lowest is {lowest:.3g}); "
                "check the order (linear velocity first) and the signs"
            )


@dataclass(frozen=True)
class AddedMass(_TwistForm):
    """Inertia of the ideal fluid that a body moves with it: kinetic energy 1/2 eta^T matrix eta (kg, kg m, kg m²)."""

    PUSHES: ClassVar[bool] = False

    name: str
    body: str
    matrix: FluidMatrix


@dataclass(frozen=True)
class FluidDrag(_TwistForm):
    """Linear drag of a viscous fluid: wrench = -matrix eta on the body (N s/m, N s, N m s)."""

    name: str
    body: str
    matrix: FluidMatrix
