"""Reduced dynamics: the equations of motion projected on the kernel of the constraints (spec 000-ch2 section 4.3).

Velocities are v = H (v_r, v_m), with v_r the reduced velocities and v_m imposed ones (known functions of time);
accelerations are v_dot = H (v_r_dot, v_m_dot) + k with C k = -C_dot v, which needs no derivative of H. Then

    H_r^T M H_r  v_r_dot = H_r^T (tau - M (H_m v_m_dot + k) - h),     tau_m = H_m^T (M v_dot + h - tau).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.lie import ops
from locomotor.mechanics.articulated_body import forward_dynamics
from locomotor.mechanics.constraints import ContactRows, constraint_bias, constraint_matrix, contact_rows
from locomotor.mechanics.elimination import Elimination, Pivots, choose_pivots
from locomotor.mechanics.forces import Applied, applied_forces, imposed_joints
from locomotor.mechanics.inertia import symmetric
from locomotor.mechanics.kinematics import Instant, Kinematics, forward
from locomotor.mechanics.mass_matrix import mass_matrix
from locomotor.mechanics.newton_euler import inverse_dynamics
from locomotor.mechanics.poses import perturbed
from locomotor.mechanics.symmetry import cyclic_joints
from locomotor.model import System, evaluate

Array = Any

SAMPLES = 6
SPREAD = 0.3
WATCH = 1e-3
"""A pivot may shrink to this fraction of its nominal size before a run stops to choose others."""


@dataclass(frozen=True)
class Reduction:
    """The static choices behind a reduced model: pivots, which velocities are kept, which joints are cyclic."""

    system: System
    pivots: Pivots
    free: tuple[int, ...]
    """Velocities kept as reduced velocities."""
    imposed: tuple[int, ...]
    """Velocities imposed by a motion law."""
    still: frozenset[str]
    holonomic: tuple[int, ...]
    """Contacts whose gaps are independent conditions on the coordinates."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the reduced velocities."""
        return tuple(self.system.layout.velocities[i].name for i in self.free)


def choose_reduction(
    system: System, about: NDArray[np.float64] | None = None, free_parameters: tuple[str, ...] = ()
) -> Reduction:
    """Choose pivots around a pose (the nominal one by default)."""
    layout = system.layout
    still = cyclic_joints(system, free_parameters)
    imposed = tuple(layout.v[joint.name].start for joint in imposed_joints(system))
    keep = [layout.index_v(name) for name in system.independent or ()]
    if not system.contacts:
        free = tuple(i for i in range(layout.nv) if i not in imposed)
        ordered = (*free, *imposed)
        return Reduction(system, Pivots((), ordered, (), ()), free, imposed, still, ())
    q = system.nominal_pose() if about is None else about
    generator = np.random.default_rng(0)
    poses = [q] + [perturbed(system, q, SPREAD, generator) for _ in range(SAMPLES)]
    rows = [contact_rows(forward(Instant(system, pose, np.zeros(layout.nv), still=still))) for pose in poses]
    samples = np.array([constraint_matrix(row, layout.nv) for row in rows], dtype=float)
    pivots = choose_pivots(samples, keep, imposed)
    # Keep the declared order of the independent velocities, imposed ones last.
    left = [i for i in pivots.independent if i not in imposed]
    free = (*(i for i in keep if i in left), *(i for i in left if i not in keep))
    pivots = Pivots(pivots.steps, (*free, *imposed), pivots.redundant_rows, pivots.sizes, pivots.signs)
    gap_rates = np.array([[contact.normal_row for contact in row] for row in rows], dtype=float)
    return Reduction(system, pivots, free, imposed, still, _independent_gaps(gap_rates, imposed))


def _independent_gaps(gap_rates: NDArray[np.float64], imposed: tuple[int, ...]) -> tuple[int, ...]:
    """Contacts, in order, whose gap rates (samples, contacts, velocities) add to the rank at every sample."""
    gap_rates = np.array(gap_rates)
    gap_rates[:, :, list(imposed)] = 0.0
    found: list[int] = []
    for i in range(gap_rates.shape[1]):
        trial = gap_rates[:, [*found, i]]
        if np.linalg.svd(trial, compute_uv=False)[:, -1].min() > 1e-6:
            found.append(i)
    return tuple(found)


@dataclass(frozen=True, eq=False)
class ReducedMotion:
    """Everything the reduced model says at one state; each quantity is computed when first asked for."""

    reduction: Reduction
    q: Array
    v_r: Array
    time: Any = 0.0
    inputs: Any = None
    parameters: Mapping[str, Any] | None = None

    # -- kinematics -----------------------------------------------------------------------------------

    @cached_property
    def imposed(self) -> tuple[Array, Array]:
        """Velocities and accelerations of the imposed joints."""
        names = {**self._values, "t": self.time}
        motions = [joint.drive for joint in imposed_joints(self.reduction.system)]
        velocities = [evaluate(motion.velocity, names) for motion in motions]
        return _vector(velocities), _vector([evaluate(motion.acceleration, names) for motion in motions])

    @property
    def _values(self) -> Mapping[str, Any]:
        return self.reduction.system.parameters.values if self.parameters is None else self.parameters

    @cached_property
    def kinematics_at_rest(self) -> Kinematics:
        """Kinematics of the configuration alone."""
        return forward(self._instant(np.zeros(self.reduction.system.layout.nv)))

    @cached_property
    def elimination(self) -> Elimination:
        """The constraints at this configuration, eliminated."""
        matrix = constraint_matrix(contact_rows(self.kinematics_at_rest), self.reduction.system.layout.nv)
        return Elimination(matrix, self.reduction.pivots)

    @cached_property
    def kernel(self) -> Array:
        """H: columns for the reduced velocities, then for the imposed ones."""
        return self.elimination.kernel()

    @cached_property
    def H_r(self) -> Array:
        """Columns of the kernel for the reduced velocities."""
        return self.kernel[:, 0 : len(self.reduction.free)]

    @cached_property
    def H_m(self) -> Array:
        """Columns of the kernel for the imposed velocities."""
        return self.kernel[:, len(self.reduction.free) : len(self.reduction.pivots.independent)]

    @cached_property
    def v(self) -> Array:
        """All velocities."""
        return self.kernel @ ops.concat(self.v_r, self.imposed[0])

    def _instant(self, v: Array) -> Instant:
        r = self.reduction
        return Instant(r.system, self.q, v, self.time, self.inputs, self.parameters, r.still)

    @cached_property
    def kinematics(self) -> Kinematics:
        """Kinematics with the cyclic joints at rest angle: for the dynamics, not for pictures."""
        return forward(self._instant(self.v))

    @cached_property
    def contacts(self) -> tuple[ContactRows, ...]:
        """Rows, gaps and bias of the contacts."""
        return contact_rows(self.kinematics)

    # -- dynamics -------------------------------------------------------------------------------------

    @cached_property
    def applied(self) -> Applied:
        """Applied forces."""
        return applied_forces(self.kinematics)

    @cached_property
    def known_acceleration(self) -> Array:
        """The part of v_dot that does not depend on v_r_dot: H_m v_m_dot + k."""
        found = self.elimination.particular(-constraint_bias(self.contacts)) if self.contacts else None
        if self.reduction.imposed:
            driven = self.H_m @ self.imposed[1]
            found = driven if found is None else found + driven
        return found

    @cached_property
    def mass(self) -> Array:
        """Mass matrix of the whole tree."""
        return mass_matrix(self.kinematics)

    @cached_property
    def bias(self) -> Array:
        """M (H_m v_m_dot + k) + h - tau: what is left to be balanced by v_r_dot and the constraints."""
        needed = inverse_dynamics(
            self.kinematics, self.known_acceleration, self.applied.gravity, self.applied.wrenches
        )
        return needed - self.applied.forces()

    @cached_property
    def reduced_mass(self) -> Array:
        """H_r^T M H_r."""
        n = len(self.reduction.free)
        MH = self.mass @ self.H_r
        return symmetric(
            [[ops.dot(self.H_r[:, i], MH[:, j]) if j >= i else None for j in range(n)] for i in range(n)]
        )

    @cached_property
    def v_r_dot(self) -> Array:
        """Accelerations of the reduced velocities."""
        if not self.reduction.free:
            return np.zeros(0)
        if not self.contacts and not self.reduction.imposed:
            # A free tree: v_r is v up to order, and the articulated-body algorithm needs no matrix.
            found = forward_dynamics(
                self.kinematics, self.applied.forces(), self.applied.gravity, self.applied.wrenches
            )
            return ops.vector(*(found[i] for i in self.reduction.free))
        return ops.solve_spd(self.reduced_mass, -(self.H_r.T @ self.bias))

    @cached_property
    def v_dot(self) -> Array:
        """Accelerations of all velocities."""
        found = self.H_r @ self.v_r_dot if self.reduction.free else np.zeros(self.reduction.system.layout.nv)
        return found if self.known_acceleration is None else found + self.known_acceleration

    @cached_property
    def unbalanced(self) -> Array:
        """M v_dot + h - tau: carried by the constraints and the imposed joints."""
        needed = inverse_dynamics(self.kinematics, self.v_dot, self.applied.gravity, self.applied.wrenches)
        return needed - self.applied.forces()

    @cached_property
    def imposed_torques(self) -> Array:
        """Torques that the imposed motions need."""
        return self.H_m.T @ self.unbalanced if self.reduction.imposed else np.zeros(0)

    @cached_property
    def multipliers(self) -> Array:
        """Constraint forces lambda, row by row: C^T lambda = M v_dot + h - tau."""
        return self.elimination.multipliers(self.unbalanced)

    @cached_property
    def watched_steps(self) -> tuple[int, ...]:
        """Elimination steps whose pivots vary."""
        values = self.elimination.pivot_values
        return tuple(i for i, value in enumerate(values) if ops.is_symbolic(value) and not _is_number(value))

    @cached_property
    def watched_pivots(self) -> Array:
        """Positive while every pivot keeps its sign and a safe size."""
        pivots, values = self.reduction.pivots, self.elimination.pivot_values
        return _vector([values[i] * (pivots.signs[i] / pivots.sizes[i]) - WATCH for i in self.watched_steps])


def _is_number(value: Any) -> bool:
    return bool(getattr(value, "is_constant", lambda: False)())


def _vector(entries: list[Any]) -> Array:
    return ops.vector(*entries) if entries else np.zeros(0)
