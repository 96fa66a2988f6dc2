"""Motion in a contact mode that is a number: one expression for every set of closed contacts.

    M a + h = C^T lambda,     closed rows:  C a + bias = 0,     open rows:  lambda = 0

is solved with the mode as 0 or 1 for each contact. A compiled step can then change modes without changing code.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.impacts import Response, Touching, holding_impulses
from locomotor.mechanics.tree import mass_matrix
from locomotor.tracing.contacts.moves import coordinate_rates
from locomotor.tracing.contacts.switching import FlyingSystem, SwitchingRows, rows_of
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class ModeMotion:
    """A state (coordinates and velocities in flight) in the mode that `closed`, a condition for each contact, tells."""

    flight: FlyingSystem
    time: Any
    state: Array
    closed: Sequence[Any]
    inputs: Any
    values: Mapping[str, Any]

    @cached_property
    def motion(self) -> ReducedMotion:
        """The motion without the contacts that open and close."""
        nq, n = self.flight.nq, len(self.flight.reduction.free)
        q = self.flight.full_coordinates(self.time, self.state, self.values)
        return ReducedMotion(self.flight.reduction, q, self.state[nq : nq + n], self.time, self.inputs, self.values)

    @cached_property
    def rows(self) -> list[SwitchingRows]:
        """Rows, gaps and conditions of the contacts."""
        return rows_of(self.motion, self.flight.switching, self.flight.system.parameters.values)

    def touching(self, parts: Sequence[Any], struck: bool = False) -> tuple[Touching, ...]:
        """The contacts, with those that take part; in an impact (`struck`) some bounce."""
        found, at = [], 0
        for row, part in zip(self.rows, parts, strict=True):
            count = int(row.rows.shape[0])
            one_sided, bounces = row.law.pushes, struck and row.law.may_bounce
            found.append(Touching(slice(at, at + count), part, one_sided, bounces=bounces, adheres=row.law.adheres))
            at += count
        return tuple(found)

    def matrix(self, parts: Sequence[Any]) -> Array:
        """Rows over all velocities, zero for contacts that take no part."""
        blocks = [ops.if_else(p, row.rows, np.zeros(row.rows.shape)) for row, p in zip(self.rows, parts, strict=True)]
        return ops.block([[block] for block in blocks])

    def response(self, parts: Sequence[Any]) -> Response:
        """Answer of the reduced velocities to impulses."""
        C = self.matrix(parts) @ self.motion.H_r
        M = self.motion.reduced_mass
        return Response(C, M, self.flight.blocks_normals)

    def yielding_response(self, parts: Sequence[Any], yielding: Sequence[int]) -> Response:
        """As `response`, with imposed velocities, by their places among the imposed ones, that give way; they come last."""
        if not yielding:
            return self.response(parts)
        H = ops.columns(
            *(self.motion.H_r[:, i] for i in range(len(self.flight.reduction.free))),
            *(self.motion.H_m[:, i] for i in yielding),
        )
        M = H.T @ (mass_matrix(self.motion.kinematics) @ H)
        C = self.matrix(parts) @ H
        return Response(C, M, self.flight.blocks_normals)

    def _masked(self, parts: Sequence[Any], vectors: Sequence[Array]) -> Array:
        return ops.concat(*(ops.if_else(p, x, np.zeros(ops.size(x))) for p, x in zip(parts, vectors, strict=True)))

    def row_velocities(self, parts: Sequence[Any]) -> Array:
        """Velocities along the rows of contacts that take part."""
        return self._masked(parts, [row.rows @ self.motion.v for row in self.rows])

    # -- smooth motion --------------------------------------------------------------------------------

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """Accelerations of the reduced velocities, and forces of all rows."""
        motion, response = self.motion, self.response(self.closed)
        free = ops.solve_spd(motion.reduced_mass, -(motion.H_r.T @ motion.bias))
        bias = self._masked(self.closed, [row.bias for row in self.rows])
        forces = holding_impulses(response, -(response.rows @ free + bias), self.touching(self.closed), list(self.closed))
        return free + response.columns @ forces, forces

    @cached_property
    def rate(self) -> Array:
        """Rate of the state in tangent form."""
        return ops.concat(coordinate_rates(self.flight, self.motion.q, self.motion.v, self.values), self._solved[0])

    @cached_property
    def normal_forces(self) -> list[Any]:
        """Normal force of every contact, zero where it is open."""
        return [self._solved[1][touching.rows.start] for touching in self.touching(self.closed)]

    @cached_property
    def holds(self) -> list[Any]:
        """Normal forces counted from the largest pull of each law: a closed contact opens where its own becomes negative."""
        return [row.hold(force) for row, force in zip(self.rows, self.normal_forces, strict=True)]

    @cached_property
    def gap_rates(self) -> list[Any]:
        """Rate of every gap."""
        return [ops.dot(row.rows[0, :].T, self.motion.v) for row in self.rows]

    @cached_property
    def gap_accelerations(self) -> list[tuple[Any, Any]]:
        """Acceleration of every gap, and the sum of the sizes of its terms."""
        a = self.motion.H_r @ self._solved[0]
        return [_with_size([*_products(row, a), row.bias[0]]) for row in self.rows]

    @cached_property
    def gap_speeds(self) -> list[tuple[Any, Any]]:
        """Rate of every gap, and the sum of the sizes of its terms."""
        return [_with_size(_products(row, self.motion.v)) for row in self.rows]


def _products(row: SwitchingRows, velocities: Array) -> list[Any]:
    return [x * y for x, y in zip(ops.entries(row.rows[0, :].T), ops.entries(velocities), strict=True)]


def _with_size(terms: list[Any]) -> tuple[Any, Any]:
    return sum(terms[1:], terms[0]), sum((ops.fabs(term) for term in terms[1:]), ops.fabs(terms[0]))
