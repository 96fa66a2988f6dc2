"""Contacts that slip: friction is a multiple of a normal force that is itself to be found.

With N the normal forces of the contacts that slip, and F the generalised forces of friction for N = 1 (columns -mu J^T e),

    H_r^T M H_r v_r_dot = -H_r^T b + H_r^T F N,        C^T lambda = U + G N,        N = S lambda,

where b and U are what is unbalanced without friction, G = M H_r (H_r^T M H_r)^-1 H_r^T F - F, and S picks the normal rows.
Finding lambda from a force that constraints can balance is linear, lambda = L(U + G N), so that

    (1 - S L(G)) N = S L(U).

For one contact 1 - S L(G) is (W_nn - mu W_nt e) / W_nn with W the Delassus matrix: it vanishes where a normal force and its
friction together no longer push the contact away from the ground (Painlevé 1895; docs/theory.md (Q2)). Of several it is their
determinant that must not vanish: a part of the matrix may, where one contact alone would be driven into the ground and others
keep it from that.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.constraints import ConstraintSet, Elimination, virtual_velocity
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class Sliding:
    """What the friction of contacts that slip does at one instant."""

    normals: tuple[Any, ...]
    """Normal force of each contact that slips."""
    acceleration: Array
    """What their friction adds to the accelerations of the reduced velocities."""
    force: Array
    """Their friction as a generalised force over all velocities."""
    matrix: list[list[Any]]
    """1 - S L(G)."""

    @cached_property
    def pushes(self) -> tuple[Any, ...]:
        """How far 1 - S L(G) is from singular: 1 without friction, not positive where normal forces do not push any more."""
        return (distance_to_singular(self.matrix),) * len(self.normals)


def sliding(
    constraints: ConstraintSet, elimination: Elimination, H: Array, MH: Array, reduced_mass: Array, unbalanced: Array
) -> Sliding | None:
    """Friction of the contacts that slip; None where there are none. `H` is H_r, `MH` is M H_r, `unbalanced` is U."""
    rows, first = [], 0
    for contact in constraints.contacts:
        if contact.rubs:
            rows.append((first, contact))
        first += len(contact.labels)
    if not rows:
        return None
    F = ops.columns(*(contact.friction_column for _, contact in rows))
    answer = ops.solve_spd(reduced_mass, H.T @ F)
    G = MH @ answer - F
    own = len(constraints.labels)

    def of_rows(force: Array) -> list[Any]:
        found = row_forces(elimination, own, {j: force[j] for j in range(int(F.shape[0]))}, {})
        return [contact.normal_among(found, i) for i, contact in rows]

    parts = [of_rows(G[:, k]) for k in range(len(rows))]
    matrix = [[(1.0 if i == k else 0.0) - parts[k][i] for k in range(len(rows))] for i in range(len(rows))]
    normals = solve_regular(matrix, of_rows(unbalanced))[0]
    return Sliding(tuple(normals), _combined(answer, normals), _combined(F, normals), matrix)


def row_forces(elimination: Elimination, own: int, force: Mapping[int, Any], prescribed: Mapping[int, Any]) -> list[Any]:
    """The smallest forces of all rows, beside prescribed ones, that balance a force; those after the first `own` are auxiliary.

    Least squares give those of the redundant rows only; the others follow from balance, which so holds to round-off.
    """
    redundant = elimination.pivots.redundant_rows
    if not redundant:
        return elimination.multipliers(force, {})
    rest = elimination.without(force, prescribed)
    y = virtual_velocity(elimination.rows, own, elimination.pivots, rest, tuple(prescribed))
    given: dict[int, Any] = {}
    for i in redundant:
        if i in prescribed:
            given[i] = prescribed[i]
            continue
        given[i] = sum((value * y[c] for c, value in elimination.rows[i].items() if c in y), 0.0)
    return elimination.multipliers(force, given)


def solve_regular(matrix: list[list[Any]], right: list[Any]) -> tuple[list[Any], Any]:
    """What solves a regular system, and the determinant of its matrix, of which any part may vanish."""
    n = len(right)
    if n == 1:
        return [right[0] / matrix[0][0]], matrix[0][0]
    if n == 2:
        (a, b), (c, d) = matrix
        det = a * d - b * c
        return [(d * right[0] - b * right[1]) / det, (a * right[1] - c * right[0]) / det], det
    found, det = _eliminated(matrix, [[value] for value in right])
    return [row[0] for row in found], det


def distance_to_singular(matrix: list[list[Any]]) -> Any:
    """sqrt(n) det A / |adj A|, in the norm of Frobenius: smooth, 1 of the unit matrix, zero where A is singular.

    Where one direction is all but lost it is sqrt(n) times what is left of it, with the sign of the determinant.
    """
    n = len(matrix)
    if n == 1:
        return matrix[0][0]
    if n == 2:
        (a, b), (c, d) = matrix
        return np.sqrt(2.0) * (a * d - b * c) / ops.sqrt(a * a + b * b + c * c + d * d)
    inverse, det = _eliminated(matrix, [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])
    size = ops.sqrt(sum((value * value for row in inverse for value in row), 0.0))
    return ops.if_else(ops.less(det, 0.0), -1.0, 1.0) * (np.sqrt(n) / size)


def _eliminated(matrix: list[list[Any]], right: list[list[Any]]) -> tuple[list[list[Any]], Any]:
    """Gauss's elimination, the largest of each column first: what solves some systems (rows x systems), and the determinant."""
    n = len(matrix)
    rows, sign = [[*row, *more] for row, more in zip(matrix, right, strict=True)], 1.0
    for k in range(n):
        for i in range(k + 1, n):
            swaps = ops.less(ops.fabs(rows[k][k]), ops.fabs(rows[i][k]))
            pairs = list(zip(rows[k][k:], rows[i][k:], strict=True))
            rows[k][k:] = [ops.if_else(swaps, lower, upper) for upper, lower in pairs]
            rows[i][k:] = [ops.if_else(swaps, upper, lower) for upper, lower in pairs]
            sign = ops.if_else(swaps, -sign, sign)
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i][k + 1 :] = [low - factor * up for low, up in zip(rows[i][k + 1 :], rows[k][k + 1 :], strict=True)]
    det: Any = sign
    for k in range(n):
        det = det * rows[k][k]
    found: list[list[Any]] = [[] for _ in range(n)]
    for k in reversed(range(n)):
        for j in range(len(right[0])):
            later = sum((rows[k][i] * found[i][j] for i in range(k + 1, n)), 0.0)
            found[k].append((rows[k][n + j] - later) / rows[k][k])
    return found, det


def _combined(columns: Array, weights: Sequence[Any]) -> Array:
    return sum((weights[k] * columns[:, k] for k in range(len(weights))), np.zeros(int(columns.shape[0])))
