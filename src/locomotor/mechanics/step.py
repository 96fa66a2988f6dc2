"""The right-hand side on one screen, from a state to its acceleration, in the order of docs/theory.md.

Velocities are v = H (v_r, v_m) + w, with v_r the reduced velocities, v_m imposed ones (known functions of time) and w what
the right-hand sides of constraints ask for, C w = b; accelerations are v_dot = H (v_r_dot, v_m_dot) + k with
C k = b_dot - C_dot v, which needs no derivative of H or w. Then (Mauny 2018, (2.6)-(2.12))

    H_r^T M H_r  v_r_dot = H_r^T (tau - M (H_m v_m_dot + k) - h).

H_m itself is not formed: H_m v_m + w and H_m v_m_dot + k come from the elimination with another right-hand side,
whose cost does not grow with the number of imposed joints squared.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.constraints import ConstraintSet, Elimination, constraint_set
from locomotor.mechanics.loads import Applied, applied_forces, imposed_joints
from locomotor.mechanics.reduction import Reduction
from locomotor.mechanics.sliding import Sliding, sliding
from locomotor.mechanics.tree import (
    LARGE,
    Instant,
    Kinematics,
    forward,
    hybrid_dynamics,
    inverse_dynamics,
    mass_matrix,
    projected_mass,
    symmetric,
)
from locomotor.model import evaluate
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class Step:
    """One state and what follows from it, line by line; each line is computed when first asked for, on numbers or symbols."""

    reduction: Reduction
    q: Array
    v_r: Array
    time: Any = 0.0
    inputs: Any = None
    parameters: Mapping[str, Any] | None = None

    # -- kinematics of the tree (K1)-(K3), and the rows of the contacts (C2), at the configuration alone ---------------

    @cached_property
    def kinematics_at_rest(self) -> Kinematics:
        """Poses of all bodies, nothing moving."""
        return forward(self._instant(np.zeros(self._nv)))

    @cached_property
    def _rows(self) -> ConstraintSet:
        """Rows C and right-hand sides b of all constraints."""
        return constraint_set(self.kinematics_at_rest)

    # -- kernel (E1) ---------------------------------------------------------------------------------------------------

    @cached_property
    def elimination(self) -> Elimination:
        """C, eliminated with the pivots chosen."""
        return Elimination(self._rows.sparse, self.reduction.pivots, self.reduction.imposed)

    @cached_property
    def H_r(self) -> Array:
        """Columns of the kernel for the reduced velocities."""
        return self.elimination.kernel(self._nv, self.reduction.free)

    @cached_property
    def driven(self) -> Array | None:
        """The part of v that does not depend on v_r: H_m v_m + w, or None where nothing is imposed and no constraint moves."""
        if not self.reduction.imposed and not self._rows.right:
            return None
        return self.elimination.particular(self._rows.right, self._by_column(self.imposed[0]), self._nv)

    @cached_property
    def v(self) -> Array:
        """Velocities of all joints: H_r v_r + H_m v_m + w."""
        if self.driven is None:
            return self.H_r @ self.v_r if self.reduction.free else np.zeros(self._nv)
        return self.H_r @ self.v_r + self.driven if self.reduction.free else self.driven

    # -- the tree again, moving, with C_dot v (C3), and what acts on it -----------------------------------------------

    @cached_property
    def kinematics(self) -> Kinematics:
        """Kinematics with the cyclic joints at rest angle: for the dynamics, not for pictures."""
        return forward(self._instant(self.v))

    @cached_property
    def constraints(self) -> ConstraintSet:
        """Rows, gaps and bias of everything that constrains."""
        return constraint_set(self.kinematics)

    @cached_property
    def applied(self) -> Applied:
        """tau: gravity, springs, dampers, drives and inputs."""
        return applied_forces(self.kinematics)

    # -- reduced dynamics (R1), (R2); Newton and Euler (N2), (N3) -----------------------------------------------------

    @cached_property
    def known_acceleration(self) -> Array | None:
        """The part of v_dot that does not depend on v_r_dot: H_m v_m_dot + k (R1)."""
        if not len(self.constraints) and not self.reduction.imposed:
            return None
        bias = self.constraints.bias if len(self.constraints) else ()
        right = {i: -bias[i] for i, _ in self.reduction.pivots.steps} if len(self.constraints) else {}
        return self.elimination.particular(right, self._by_column(self.imposed[1]), self._nv)

    @cached_property
    def bias(self) -> Array:
        """M (H_m v_m_dot + k) + h - tau: what is left to be balanced by v_r_dot and the constraints."""
        needed = inverse_dynamics(self.kinematics, self.known_acceleration, self.applied.gravity, self.applied.wrenches)
        return needed - self.applied.forces()

    @cached_property
    def reduced_mass(self) -> Array:
        """H_r^T M H_r, through M for small systems and body by body for large ones."""
        n = len(self.reduction.free)
        if self._nv > LARGE:  # there the cost through M would grow with its square
            return projected_mass(self.kinematics, self.H_r)
        MH = self.mass @ self.H_r
        return symmetric([[ops.dot(self.H_r[:, i], MH[:, j]) if j >= i else None for j in range(n)] for i in range(n)])

    @cached_property
    def v_r_dot(self) -> Array:
        """Accelerations of the reduced velocities (R2); of a tree without constraints by (N4), which needs no matrix."""
        if not self.reduction.free:
            return np.zeros(0)
        if not len(self.constraints):
            return ops.vector(*(self.tree_dynamics[0][i] for i in self.reduction.free))
        found = self._without_friction
        return found if self.sliding is None else found + self.sliding.acceleration

    @cached_property
    def _without_friction(self) -> Array:
        return ops.solve_spd(self.reduced_mass, -(self.H_r.T @ self.bias))

    # -- friction of contacts that slip (Q2) ---------------------------------------------------------------------------

    @cached_property
    def sliding(self) -> Sliding | None:
        """Normal forces and friction of the contacts that slip, None where none does."""
        if not any(contact.rubs for contact in self.constraints.contacts):
            return None
        H, free = self.H_r, self.reduction.free
        MH = self.mass @ H if free else np.zeros((self._nv, 0))
        unbalanced = MH @ self._without_friction + self.bias if free else self.bias
        mass = self.reduced_mass if free else np.zeros((0, 0))
        return sliding(self.constraints, self.elimination, H, MH, mass, unbalanced)

    # -- what the lines above ask for ---------------------------------------------------------------------------------

    @cached_property
    def imposed(self) -> tuple[Array, Array]:
        """Velocities and accelerations of the imposed joints: v_m, v_m_dot."""
        names = {**self._values, "t": self.time}
        motions: list[Any] = [joint.drive for joint in imposed_joints(self.reduction.system)]
        velocities = [evaluate(motion.velocity, names) for motion in motions]
        return vector_of(velocities), vector_of([evaluate(motion.acceleration, names) for motion in motions])

    @cached_property
    def mass(self) -> Array:
        """Mass matrix of the whole tree (N3)."""
        return mass_matrix(self.kinematics)

    @cached_property
    def tree_dynamics(self) -> tuple[Array, Array]:
        """Accelerations and imposed torques of a tree without constraints (N4)."""
        imposed = {index: self.imposed[1][k : k + 1] for k, index in enumerate(self.reduction.imposed)}
        return hybrid_dynamics(self.kinematics, self.applied.forces(), imposed, self.applied.gravity, self.applied.wrenches)

    @property
    def _nv(self) -> int:
        return self.reduction.system.layout.nv

    @property
    def _values(self) -> Mapping[str, Any]:
        return self.reduction.system.parameters.values if self.parameters is None else self.parameters

    def _instant(self, v: Array) -> Instant:
        r = self.reduction
        return Instant(r.system, self.q, v, self.time, self.inputs, self.parameters, r.still)

    def _by_column(self, values: Array) -> dict[int, Any]:
        return {j: values[k] for k, j in enumerate(self.reduction.imposed)}


def vector_of(entries: list[Any]) -> Array:
    """A vector, of no entries too."""
    return ops.vector(*entries) if entries else np.zeros(0)
