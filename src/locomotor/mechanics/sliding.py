"""Contacts that slip: friction is a multiple of a normal force that is itself to be found.

With N the normal forces of the contacts that slip, and F the generalised forces of friction for N = 1 (columns -mu J^T e),

    H_r^T M H_r v_r_dot = -H_r^T b + H_r^T F N,        C^T lambda = U + G N,        N = S lambda,

where b and U are what is unbalanced without friction, G = M H_r (H_r^T M H_r)^-1 H_r^T F - F, and S picks the normal rows.
Finding lambda from a force that constraints can balance is linear, lambda = L(U + G N), so that

    (1 - S L(G)) N = S L(U).

For one contact 1 - S L(G) is (W_nn - mu W_nt e) / W_nn with W the Delassus matrix: it vanishes where a normal force and its
friction together no longer push the contact away from the ground (Painlevé 1895; docs/theory.md (Q2)).
"""

from collections.abc import Mapping, Sequence
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
    pushes: tuple[Any, ...]
    """Pivots of 1 - S L(G), one for each: 1 without friction, not positive where a normal force does not push any more."""


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
    normals, pushes = solve_in_order(matrix, of_rows(unbalanced))
    return Sliding(tuple(normals), _combined(answer, normals), _combined(F, normals), tuple(pushes))


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


def solve_in_order(matrix: list[list[Any]], right: list[Any]) -> tuple[list[Any], list[Any]]:
    """Gauss's elimination in the given order, and its pivots: at small friction the matrix is nearly the unit one."""
    n = len(right)
    A, b = [list(row) for row in matrix], list(right)
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i][k] / A[k][k]
            for j in range(k + 1, n):
                A[i][j] = A[i][j] - factor * A[k][j]
            b[i] = b[i] - factor * b[k]
    x: list[Any] = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (b[k] - sum((A[k][j] * x[j] for j in range(k + 1, n)), 0.0)) / A[k][k]
    return x, [A[k][k] for k in range(n)]


def _combined(columns: Array, weights: Sequence[Any]) -> Array:
    return sum((weights[k] * columns[:, k] for k in range(len(weights))), np.zeros(int(columns.shape[0])))
