"""Passive joints that couplings carry along: where they are for a given shape, and how they move with it."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.errors import NoConnectionError
from locomotor.model import Coupling, System, as_quantity
from locomotor.model.expressions import as_expression
from locomotor.typing import Floats

STEPS = 30
TOLERANCE = 1e-12


class Coupled:
    """The couplings of a system, solved for passive coordinates; everything works on batches (..., coordinates)."""

    def __init__(self, system: System, active: Sequence[int]) -> None:
        """Take the places of the active coordinates; those that couplings name besides are the ones that follow."""
        self._system = system
        self._names = [symbol.name for symbol in system.layout.coordinates]
        self._laws = [
            as_expression(as_quantity(constraint.position))
            for constraint in system.constraints
            if isinstance(constraint, Coupling)
        ]
        named = set().union(*(law.names for law in self._laws)) if self._laws else set()
        self._active = list(active)
        self._following = [i for i, name in enumerate(self._names) if name in named and i not in self._active]

    @property
    def following(self) -> tuple[int, ...]:
        """Places of the coordinates that follow."""
        return tuple(self._following)

    @cached_property
    def _slopes(self) -> list[list[Any]]:
        return [[law.derivative(name) for name in self._names] for law in self._laws]

    def _values(self, q: Floats) -> dict[str, Any]:
        return {**self._system.parameters.values, **{name: q[..., i] for i, name in enumerate(self._names)}}

    def _matrix(self, q: Floats, columns: list[int]) -> Floats:
        values = self._values(q)
        rows = [
            np.stack([np.broadcast_to(slopes[i].evaluate(values), q.shape[:-1]) for i in columns], axis=-1)
            for slopes in self._slopes
        ]
        return np.asarray(np.stack(rows, axis=-2), dtype=float)

    def settle(self, q: Floats) -> Floats:
        """The coordinates with those that follow moved to where every coupling holds, by Newton's method."""
        if not self._following:
            return q
        q = q.copy()
        for _ in range(STEPS):
            values = self._values(q)
            gaps = np.stack([np.broadcast_to(law.evaluate(values), q.shape[:-1]) for law in self._laws], axis=-1)
            if np.abs(gaps).max(initial=0.0) <= TOLERANCE:
                return q
            inverse = np.linalg.pinv(self._matrix(q, self._following))
            q[..., self._following] -= np.einsum("...ij,...j->...i", inverse, gaps)
        raise NoConnectionError(
            f"{self._system.name}: no position of {', '.join(self._names[i] for i in self._following)} satisfies the "
            "couplings for this shape; choose another shape"
        )

    def tangent(self, q: Floats) -> Floats:
        """dq/dr, (..., coordinates, active): the identity on the active joints, and what the couplings give the others."""
        result = np.zeros((*q.shape, len(self._active)))
        for k, i in enumerate(self._active):
            result[..., i, k] = 1.0
        if self._following:
            inverse = np.linalg.pinv(self._matrix(q, self._following))
            result[..., self._following, :] = -inverse @ self._matrix(q, self._active)
        return result
