"""Generalised Newton-Euler model of a body with an assumed displacement field: docs/theory.md (U1)-(U4).

With r = sum_A B_A p_A(q), its derivatives by the coordinates r_i = sum_A B_A p_A,i and the integrals S_A = int B_A dm and
N_AB = int B_A B_B^T dm, every term of the principle of virtual power

    int (V* + W* x r + r_i q*_i) . (a + W' x r + W x (W x r) + 2 W x r_dot + r_i q_i'' + r_ij q_i' q_j') dm

is a contraction W(a, b) = sum_AB a_A b_B N_AB. The Coriolis term has the factor two on the deformation, as it must
(Belkhiri 2013, (4.24)-(4.28), has it on the velocity of the frame).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.soft.turning import turned, turning_bias, turning_columns
from locomotor.mechanics.tree import Flexibility, RigidInertia, flexibility
from locomotor.model import FlexibleBody, ModalBody, evaluate
from locomotor.model.soft import Integrals
from locomotor.typing import Array, SymbolicValues

Coefficients = list[Any]
"""One number or symbol for each monomial."""


@dataclass(frozen=True, eq=False)
class Contracted:
    """Integrals over the mass, contracted with coefficients of the monomials."""

    of: Integrals

    def first(self, a: Coefficients) -> Array:
        """Sum over the monomials of a_A S_A."""
        found: list[Any] = [0.0, 0.0, 0.0]
        for (index, component), value in self.of.first.items():
            if not ops.is_zero(a[index]):
                found[component] = found[component] + a[index] * value
        return ops.vector(*found)

    def second(self, a: Coefficients, b: Coefficients) -> list[list[Any]]:
        """sum_AB a_A b_B N_AB, three rows: int (B a)(B b)^T dm."""
        found: list[list[Any]] = [[0.0] * 3 for _ in range(3)]
        for i, j, row, column, value in self._entries(a, b):
            found[row][column] = found[row][column] + a[i] * b[j] * value
        return found

    def trace(self, a: Coefficients, b: Coefficients) -> Any:
        """int (B a).(B b) dm."""
        total: Any = 0.0
        for i, j, row, column, value in self._entries(a, b):
            if row == column:
                total = total + a[i] * b[j] * value
        return total

    def _entries(self, a: Coefficients, b: Coefficients) -> Iterator[tuple[int, int, int, int, Any]]:
        """What is left of N where the coefficients are not zero."""
        some = [not ops.is_zero(each) for each in b]
        for i, coefficient in enumerate(a):
            if not ops.is_zero(coefficient):
                for j, row, column, value in self.of.rows.get(i, ()):
                    if some[j]:
                        yield i, j, row, column, value


def axial(matrix: Sequence[Sequence[Any]]) -> Array:
    """int x x y dm from int x y^T dm."""
    return ops.vector(matrix[1][2] - matrix[2][1], matrix[2][0] - matrix[0][2], matrix[0][1] - matrix[1][0])


@dataclass(frozen=True, eq=False)
class Monomials:
    """Values and derivatives of the monomials at a deformation."""

    monomials: tuple[tuple[int, ...], ...]
    e: Array

    @cached_property
    def values(self) -> Coefficients:
        """Values p_A of the monomials."""
        found: Coefficients = []
        for monomial in self.monomials:
            product: Any = 1.0
            for k in monomial:
                product = product * self.e[k]
            found.append(product)
        return found

    def by(self, i: int) -> Coefficients:
        """Derivatives dp_A/dq_i of the monomials by one coordinate."""
        found: Coefficients = []
        for monomial in self.monomials:
            total: Any = 0.0
            for place, k in enumerate(monomial):
                if k == i:
                    product: Any = 1.0
                    for other in (*monomial[:place], *monomial[place + 1 :]):
                        product = product * self.e[other]
                    total = total + product
            found.append(total)
        return found

    def rates(self, e_dot: Array) -> Coefficients:
        """Time derivatives of the monomials."""
        found: Coefficients = [0.0] * len(self.monomials)
        for i in range(ops.size(self.e)):
            found = [
                total if ops.is_zero(slope) else total + slope * e_dot[i]
                for total, slope in zip(found, self.by(i), strict=True)
            ]
        return found

    def bends(self, e_dot: Array) -> Coefficients:
        """Second time derivatives at constant rates: 2 q_i' q_j' of a product."""
        return [2.0 * e_dot[m[0]] * e_dot[m[1]] if len(m) == 2 else 0.0 for m in self.monomials]


class AssumedModes(Flexibility):
    """Mechanics of bodies that give `integrals` of their field and the field at a `place`."""

    def __init__(self, body: FlexibleBody | ModalBody) -> None:
        self.body = body
        self._numbers: Integrals | None = None

    def integrals(self, values: SymbolicValues) -> Integrals:
        """Integrals over the mass; those of plain numbers are computed once."""
        if self.body.free_names:
            return self.body.integrals(values)
        if self._numbers is None:
            self._numbers = self.body.integrals({})
        return self._numbers

    def _at(self, e: Array, values: SymbolicValues) -> tuple[Contracted, Monomials]:
        found = self.integrals(values)
        return Contracted(found), Monomials(found.monomials, e)

    def inertia(self, e: Array, values: SymbolicValues) -> RigidInertia:
        """m, int r dm and tr(J) 1 - J with J = int r r^T dm, of the deformed body."""
        over, p = self._at(e, values)
        J = over.second(p.values, p.values)
        trace = J[0][0] + J[1][1] + J[2][2]
        rows = [[trace - J[i][i] if i == j else -J[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]
        return RigidInertia(over.of.mass, over.first(p.values), ops.matrix(rows))

    def coupling(self, e: Array, values: SymbolicValues) -> Array:
        """Columns (int r_i dm, int r x r_i dm)."""
        over, p = self._at(e, values)
        found = []
        for i in range(ops.size(e)):
            slope = p.by(i)
            found.append(ops.concat(over.first(slope), axial(over.second(p.values, slope))))
        return ops.columns(*found)

    def mass(self, e: Array, values: SymbolicValues) -> Array:
        """int r_i . r_j dm."""
        over, p = self._at(e, values)
        n = ops.size(e)
        slopes = [p.by(i) for i in range(n)]
        upper = [[over.trace(slopes[i], slopes[j]) if j >= i else 0.0 for j in range(n)] for i in range(n)]
        return ops.matrix([[upper[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)])

    def bias(self, e: Array, e_dot: Array, omega: Array, values: SymbolicValues) -> tuple[Array, Array]:
        """Centrifugal, Coriolis and elastic forces."""
        over, p = self._at(e, values)
        rate, bend = p.rates(e_dot), p.bends(e_dot)
        bends = any(not ops.is_zero(each) for each in bend)
        moving = over.second(p.values, rate)
        spread = moving[0][0] + moving[1][1] + moving[2][2]
        wrench = self.inertia(e, values).velocity_wrench(omega)
        turned_by = ops.vector(*(sum(-2.0 * moving[j][i] * omega[j] for j in range(3)) for i in range(3)))
        wrench = wrench + ops.concat(
            2.0 * ops.cross(omega, over.first(rate)),
            (2.0 * spread) * omega + turned_by,
        )
        if bends:
            wrench = wrench + ops.concat(over.first(bend), axial(over.second(p.values, bend)))
        squares = ops.dot(omega, omega)
        forces = []
        for i in range(ops.size(e)):
            slope = p.by(i)
            A = over.second(slope, p.values)
            along = sum(omega[r] * A[r][c] * omega[c] for r in range(3) for c in range(3))
            force = along - (A[0][0] + A[1][1] + A[2][2]) * squares
            force = force + 2.0 * ops.dot(omega, axial(over.second(rate, slope)))
            if bends:
                force = force + over.trace(slope, bend)
            for j in range(ops.size(e)):
                if (i, j) in over.of.stiffness:
                    force = force + over.of.stiffness[i, j] * e[j]
            forces.append(force)
        return wrench, ops.vector(*forces)

    def damping(self, e: Array, e_dot: Array, values: SymbolicValues) -> Array | None:
        """-D q', with D of the ratios of the modes or of Rayleigh."""
        D = self.damping_matrix(values)
        return None if D is None else -(D @ e_dot)

    def damping_matrix(self, values: SymbolicValues) -> Array | None:
        """Symmetric matrix of the damping, None without."""
        body = self.body
        if body.damping is None and body.rayleigh is None:
            return None
        n = len(body.coordinates)
        M = self.mass(np.zeros(n), values)
        kept = self.integrals(values).stiffness
        K = ops.matrix([[kept.get((i, j), 0.0) for j in range(n)] for i in range(n)])
        if body.rayleigh is not None:
            share, other = (evaluate(each, values) for each in body.rayleigh)
            return share * M + other * K
        ratio = evaluate(body.damping, values)
        if ops.is_symbolic(M) or ops.is_symbolic(K):
            return ops.matrix(
                [[2.0 * ratio * ops.sqrt(M[i, i] * K[i, i]) if i == j else 0.0 for j in range(n)] for i in range(n)]
            )
        return ratio * modal_damping(np.asarray(M, dtype=float), np.asarray(K, dtype=float))

    def site(self, placement: SE3, e: Array, values: SymbolicValues) -> SE3:
        """Pose of a material point: where it is, turned by the slope and twist there."""
        here = self.body.place(placement.translation, values)
        p = Monomials(self.integrals(values).monomials, e)
        return SE3(turned(here, e) @ placement.rotation, _moved(here.columns, p.values))

    def site_columns(self, placement: SE3, e: Array, values: SymbolicValues) -> Array:
        """Twist of the site per rate, in site axes."""
        here = self.body.place(placement.translation, values)
        p = Monomials(self.integrals(values).monomials, e)
        R, turns = turned(here, e) @ placement.rotation, turning_columns(here, e)
        found = []
        for i in range(ops.size(e)):
            found.append(ops.concat(R.T @ _moved(here.columns, p.by(i)), placement.rotation.T @ turns[i]))
        return ops.columns(*found)

    def site_bias(self, placement: SE3, e: Array, e_dot: Array, values: SymbolicValues) -> Array:
        """Derivative of the twist R^T r_dot, W at constant rates: R^T r'' - W x R^T r_dot and W_dot."""
        here = self.body.place(placement.translation, values)
        p = Monomials(self.integrals(values).monomials, e)
        R, turns = turned(here, e) @ placement.rotation, turning_columns(here, e)
        omega = placement.rotation.T @ sum((turns[i] * e_dot[i] for i in range(ops.size(e))), np.zeros(3))
        velocity = R.T @ _moved(here.columns, p.rates(e_dot))
        change = R.T @ _moved(here.columns, p.bends(e_dot)) - ops.cross(omega, velocity)
        return ops.concat(change, placement.rotation.T @ turning_bias(here, e, e_dot))

    def elastic_energy(self, e: Array, values: SymbolicValues) -> Any:
        """Elastic energy q^T K q/2."""
        total: Any = 0.0
        for (i, j), value in self.integrals(values).stiffness.items():
            total = total + 0.5 * value * e[i] * e[j]
        return total


def _moved(columns: Sequence[Sequence[Any]], coefficients: Coefficients) -> Array:
    found: list[Any] = [0.0, 0.0, 0.0]
    for column, factor in zip(columns, coefficients, strict=True):
        if not ops.is_zero(factor):
            found = [
                total if ops.is_zero(value) else total + value * factor for total, value in zip(found, column, strict=True)
            ]
    return ops.vector(*found)


def modal_damping(M: Any, K: Any) -> Any:
    """D for which every mode of (M, K) has the ratio one: M X diag(2 omega) X^T M with modes X of unit mass."""
    half = np.linalg.cholesky(M)
    inner = np.linalg.solve(half, np.linalg.solve(half, K).T)
    squares, vectors = np.linalg.eigh(0.5 * (inner + inner.T))
    shaped = half @ vectors
    return (shaped * (2.0 * np.sqrt(np.maximum(squares, 0.0)))) @ shaped.T


@flexibility.register(FlexibleBody)
@flexibility.register(ModalBody)
def _(body: FlexibleBody | ModalBody) -> Flexibility:
    return AssumedModes(body)
