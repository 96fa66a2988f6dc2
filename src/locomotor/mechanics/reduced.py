"""Reduced dynamics: the equations of motion projected on the kernel of the constraints.

docs/theory.md (R1), (R2), (M1); Mauny 2018, (2.6)-(2.12).

Velocities are v = H (v_r, v_m) + w, with v_r the reduced velocities, v_m imposed ones (known functions of time) and w what
the right-hand sides of constraints ask for, C w = b; accelerations are v_dot = H (v_r_dot, v_m_dot) + k with
C k = b_dot - C_dot v, which needs no derivative of H or w. Then

    H_r^T M H_r  v_r_dot = H_r^T (tau - M (H_m v_m_dot + k) - h),     tau_m = (M v_dot + h - tau - C^T lambda)_m.

H_m itself is not formed: H_m v_m + w and H_m v_m_dot + k come from the elimination with another right-hand side,
whose cost does not grow with the number of imposed joints squared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.errors import ModelError
from locomotor.lie import ops
from locomotor.mechanics.chart import gaps, perturbed, settled
from locomotor.mechanics.constraints import (
    ROUND_OFF,
    ConstraintSet,
    ContactRows,
    Elimination,
    Pivots,
    choose_pivots,
    constraint_set,
    virtual_velocity,
)
from locomotor.mechanics.loads import Applied, applied_forces, imposed_joints
from locomotor.mechanics.tree import (
    LARGE,
    Instant,
    Kinematics,
    check_regular,
    cyclic_joints,
    forward,
    hybrid_dynamics,
    inverse_dynamics,
    mass_matrix,
    projected_mass,
    symmetric,
)
from locomotor.model import System, evaluate
from locomotor.typing import Array, Floats

SAMPLES = 6
SPREAD = 0.3
FLAT = 1e-6
"""A wheel lies flat when the squared sine of its angle to the ground is below this (a milliradian)."""
WHILE = 1e-4
"""Time (s) from one sample to the next: a row that only passes through zero is not taken for one that is always zero."""
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
    """Conditions (gaps of contacts, then couplings) that are independent of each other on the coordinates."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the reduced velocities."""
        return tuple(self.system.layout.velocities[i].name for i in self.free)


def choose_reduction(
    system: System, about: Floats | None = None, free_parameters: tuple[str, ...] = (), time: float = 0.0
) -> Reduction:
    """Choose pivots around a pose (the nominal one by default), for constraints as they are from an instant on."""
    layout = system.layout
    still = cyclic_joints(system, free_parameters)
    imposed = tuple(layout.v[joint.name].start for joint in imposed_joints(system))
    keep = [layout.index_v(name) for name in system.independent or ()]
    if not system.contacts and not system.constraints:
        free = tuple(i for i in range(layout.nv) if i not in imposed)
        ordered = (*free, *imposed)
        check_regular(system, system.nominal_pose() if about is None else about, np.eye(layout.nv)[:, list(free)], free)
        return Reduction(system, Pivots((), ordered, (), ()), free, imposed, still, ())
    if not layout.nv:
        raise ModelError(
            f"system {system.name!r}: nothing of it moves, so that contacts and constraints have nothing to hold; remove "
            "them, or give it a joint that moves"
        )
    generator = np.random.default_rng(3)
    sets = [
        constraint_set(forward(Instant(system, pose, generator.uniform(-1.0, 1.0, layout.nv), time + k * WHILE, still=still)))
        for k, pose in enumerate(sample_poses(system, about, imposed))
    ]
    void = _void_rows(sets)
    size = sets[0].substructure.size
    samples = np.array([_dense(found.sparse, size) for found in sets])
    names = [symbol.name for symbol in layout.velocities]
    stages = sets[0].substructure.stages(system)
    pivots = choose_pivots(samples, keep, imposed, sets[0].labels, names, stages, size - layout.nv, void.tolist())
    # Keep the declared order of the independent velocities, imposed ones last.
    left = [i for i in pivots.independent if i not in imposed]
    free = (*(i for i in keep if i in left), *(i for i in left if i not in keep))
    pivots = replace(pivots, independent=(*free, *imposed))
    H = _check_kernel(sets[0], pivots, len(free))
    check_regular(system, np.asarray(sets[0].kinematics.instant.q, dtype=float), H, free)
    gap_rates = np.array([[condition.normal_row for condition in found.conditions] for found in sets], dtype=float)
    return Reduction(system, pivots, free, imposed, still, _independent_gaps(gap_rates, imposed))


def _void_rows(sets: Sequence[ConstraintSet]) -> NDArray[np.intp]:
    """Rows that block nothing: they leave every velocity alone, whatever it is."""
    asked = np.zeros((len(sets), len(sets[0].labels)))
    for k, found in enumerate(sets):
        asked[k, list(found.right)] = list(found.right.values())
    void = np.flatnonzero(np.abs([found.slip for found in sets] + asked).max(axis=0) <= ROUND_OFF)
    for i in void:
        if np.abs(asked[:, i]).max() > ROUND_OFF:
            raise ModelError(
                f"{sets[0].kinematics.instant.system.name}: the constraint {sets[0].labels[i]!r} binds no velocity around this "
                f"pose, and asks for {asked[np.abs(asked[:, i]).argmax(), i]:.3g}; give it coefficients that do not vanish"
            )
    return void


def _check_kernel(found: ConstraintSet, pivots: Pivots, free: int) -> Floats:
    """The kernel; a choice of pivots whose kernel does not satisfy every row is refused: such a model would slip in silence."""
    nv = found.kinematics.instant.system.layout.nv
    elimination = Elimination(found.sparse, pivots)
    H = np.asarray(elimination.kernel(nv, pivots.independent[:free]), dtype=float)
    C = np.asarray(found.matrix, dtype=float)
    slips = np.abs(C @ H).max(axis=1, initial=0.0)
    if slips.max(initial=0.0) > 1e-7 * max(1.0, float(np.abs(C).max()) * float(np.abs(H).max(initial=0.0))):
        row = found.labels[int(slips.argmax())]
        raise ModelError(
            f"{found.kinematics.instant.system.name}: no safe choice of independent velocities was found around this pose: "
            f"row {row!r} would move by {slips.max():.2g} per unit velocity; choose another nominal pose, or fewer contacts"
        )
    return H


def _dense(rows: list[dict[int, Any]], size: int) -> Floats:
    matrix = np.zeros((len(rows), size))
    for i, row in enumerate(rows):
        for j, value in row.items():
            matrix[i, j] = value
    return matrix


def sample_poses(system: System, about: Floats | None, imposed: tuple[int, ...]) -> list[Floats]:
    """A pose and some around it, all with its gaps: what a motion that starts there can reach.

    Elsewhere rows that depend on each other (the fourth wheel of a wagon) would look independent. The nominal pose is
    brought to closed gaps first.
    """
    q = system.nominal_pose() if about is None else about
    found = gaps(system, q)[0]
    wanted = np.zeros(len(found)) if about is None else found
    first = settled(system, q, wanted, imposed)
    if first is None:
        first, wanted = q, gaps(system, q)[0]
    generator = np.random.default_rng(0)
    tried = (settled(system, perturbed(system, first, SPREAD, generator), wanted, imposed) for _ in range(SAMPLES))
    return [first, *(pose for pose in tried if pose is not None)]


def _independent_gaps(gap_rates: Floats, imposed: tuple[int, ...]) -> tuple[int, ...]:
    """Contacts, in order, whose gap rates (samples, contacts, velocities) add to the rank at every sample."""
    if not gap_rates.size:
        return ()
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
    static: tuple[tuple[int, Any], ...] = ()
    """Prescribed multipliers of over-determined contacts: (row, value) pairs, as many as there are internal forces."""

    # -- kinematics -----------------------------------------------------------------------------------

    @cached_property
    def imposed(self) -> tuple[Array, Array]:
        """Velocities and accelerations of the imposed joints."""
        names = {**self._values, "t": self.time}
        motions: list[Any] = [joint.drive for joint in imposed_joints(self.reduction.system)]
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
    def _constraints_at_rest(self) -> ConstraintSet:
        return constraint_set(self.kinematics_at_rest)

    @cached_property
    def elimination(self) -> Elimination:
        """The constraints at this configuration, eliminated."""
        return Elimination(self._constraints_at_rest.sparse, self.reduction.pivots, self.reduction.imposed)

    @cached_property
    def kernel(self) -> Array:
        """H: columns for the reduced velocities, then for the imposed ones."""
        return self.elimination.kernel(self.reduction.system.layout.nv, self.reduction.pivots.independent)

    @cached_property
    def H_r(self) -> Array:
        """Columns of the kernel for the reduced velocities."""
        return self.elimination.kernel(self.reduction.system.layout.nv, self.reduction.free)

    @cached_property
    def H_m(self) -> Array:
        """Columns of the kernel for the imposed velocities."""
        return self.elimination.kernel(self.reduction.system.layout.nv, self.reduction.imposed)

    @cached_property
    def v(self) -> Array:
        """Velocities of all joints, from the reduced ones."""
        if self.driven is None:
            return self.H_r @ self.v_r if self.reduction.free else np.zeros(self.reduction.system.layout.nv)
        return self.H_r @ self.v_r + self.driven if self.reduction.free else self.driven

    @cached_property
    def driven(self) -> Array | None:
        """The part of v that does not depend on v_r: H_m v_m + w, or None where nothing is imposed and no constraint moves."""
        imposed, right = self.reduction.imposed, self._constraints_at_rest.right
        if not imposed and not right:
            return None
        # Not through H_m: its columns, one for each imposed joint of a long chain, would be long themselves.
        known = self._by_column(imposed, self.imposed[0])
        return self.elimination.particular(right, known, self.reduction.system.layout.nv)

    def _instant(self, v: Array) -> Instant:
        r = self.reduction
        return Instant(r.system, self.q, v, self.time, self.inputs, self.parameters, r.still)

    @cached_property
    def kinematics(self) -> Kinematics:
        """Kinematics with the cyclic joints at rest angle: for the dynamics, not for pictures."""
        return forward(self._instant(self.v))

    @cached_property
    def constraints(self) -> ConstraintSet:
        """Rows, gaps and bias of everything that constrains."""
        return constraint_set(self.kinematics)

    @property
    def contacts(self) -> tuple[ContactRows, ...]:
        """The constraints that are contacts."""
        return self.constraints.contacts

    # -- dynamics -------------------------------------------------------------------------------------

    @cached_property
    def applied(self) -> Applied:
        """Forces applied by gravity, springs, dampers, drives and inputs."""
        return applied_forces(self.kinematics)

    @cached_property
    def known_acceleration(self) -> Array:
        """The part of v_dot that does not depend on v_r_dot: H_m v_m_dot + k."""
        if not len(self.constraints) and not self.reduction.imposed:
            return None
        right = {}
        if len(self.constraints):
            bias = self.constraints.bias
            right = {i: -bias[i] for i, _ in self.reduction.pivots.steps}
        known = self._by_column(self.reduction.imposed, self.imposed[1])
        return self.elimination.particular(right, known, self.reduction.system.layout.nv)

    @staticmethod
    def _by_column(columns: Sequence[int], values: Array) -> dict[int, Any]:
        return {j: values[k] for k, j in enumerate(columns)}

    @cached_property
    def mass(self) -> Array:
        """Mass matrix of the whole tree."""
        return mass_matrix(self.kinematics)

    @cached_property
    def bias(self) -> Array:
        """M (H_m v_m_dot + k) + h - tau: what is left to be balanced by v_r_dot and the constraints."""
        needed = inverse_dynamics(self.kinematics, self.known_acceleration, self.applied.gravity, self.applied.wrenches)
        return needed - self.applied.forces()

    @cached_property
    def reduced_mass(self) -> Array:
        """H_r^T M H_r, through M for small systems and body by body for large ones."""
        n = len(self.reduction.free)
        if self.reduction.system.layout.nv > LARGE:  # there the cost through M would grow with its square
            return projected_mass(self.kinematics, self.H_r)
        MH = self.mass @ self.H_r
        return symmetric([[ops.dot(self.H_r[:, i], MH[:, j]) if j >= i else None for j in range(n)] for i in range(n)])

    @cached_property
    def tree_dynamics(self) -> tuple[Array, Array]:
        """Accelerations and imposed torques of a tree without constraints: no matrix is needed."""
        imposed = {index: self.imposed[1][k : k + 1] for k, index in enumerate(self.reduction.imposed)}
        return hybrid_dynamics(self.kinematics, self.applied.forces(), imposed, self.applied.gravity, self.applied.wrenches)

    @cached_property
    def v_r_dot(self) -> Array:
        """Accelerations of the reduced velocities."""
        if not self.reduction.free:
            return np.zeros(0)
        if not len(self.constraints):
            return ops.vector(*(self.tree_dynamics[0][i] for i in self.reduction.free))
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
        """Torques that the imposed motions need: what is unbalanced there beside the constraint forces, -B_a^T lambda.

        That is Belkhiri 2013, (3.33), with the sign of lambda_stat corrected.
        """
        if not self.reduction.imposed:
            return np.zeros(0)
        if not len(self.constraints):
            applied = self.applied.forces()
            return ops.vector(*(self.tree_dynamics[1][i] - applied[i] for i in self.reduction.imposed))
        rest = self.elimination.without(self._unbalanced_by_column, dict(enumerate(self._forces_of_all_rows)))
        return ops.vector(*(rest[i] for i in self.reduction.imposed))

    @cached_property
    def static_torques(self) -> Array:
        """The part of the imposed torques that only balances lambda_stat: tau_stat = -B_a^T lambda_stat."""
        imposed = self.reduction.imposed
        if not imposed or not self.static:
            return np.zeros(len(imposed))
        # Both sets carry the same load, so that the difference moves nothing, auxiliary rows included.
        static = {i: a - b for i, (a, b) in enumerate(zip(self._forces_of_all_rows, self._least_of_all_rows, strict=True))}
        rest = self.elimination.without({}, static)
        return ops.vector(*(rest.get(i, 0.0) for i in imposed))

    @cached_property
    def row_forces(self) -> Array:
        """Constraint force of every row, in the axes the rows are written in: C^T lambda = M v_dot + h - tau.

        Where the contacts over-determine the motion, lambda is known up to internal forces that move nothing
        (lambda_stat of Belkhiri 2013, (3.32)): by default the smallest lambda is taken, and `static` may prescribe
        rows instead.
        """
        return ops.vector(*self._forces_of_all_rows[: len(self.constraints.labels)])

    @cached_property
    def static_row_forces(self) -> Array:
        """lambda_stat: by how much the prescribed forces differ from the smallest ones, lambda_kin; zero by default."""
        rows = len(self.constraints.labels)
        if not self.static:
            return np.zeros(rows)
        return self.row_forces - ops.vector(*self._least_of_all_rows[:rows])

    @cached_property
    def _unbalanced_by_column(self) -> dict[int, Any]:
        return {j: self.unbalanced[j] for j in range(self.reduction.system.layout.nv)}

    @cached_property
    def _forces_of_all_rows(self) -> list[Any]:
        """Row forces with those of the rows that define auxiliary twists after them."""
        if not self.static:
            return self._least_of_all_rows
        values = {**self._values, "t": self.time}
        return self._forces({row: evaluate(value, values) for row, value in self.static})

    @cached_property
    def _least_of_all_rows(self) -> list[Any]:
        return self._forces({})

    def _forces(self, prescribed: Mapping[int, Any]) -> list[Any]:
        """The smallest row forces beside prescribed ones.

        Least squares give those of the redundant rows only; the others follow from balance, which so holds to round-off.
        """
        elimination, own = self.elimination, len(self.constraints.labels)
        redundant = self.reduction.pivots.redundant_rows
        force = self._unbalanced_by_column
        if not redundant:
            return elimination.multipliers(force, {})
        rest = elimination.without(force, prescribed)
        y = virtual_velocity(elimination.rows, own, self.reduction.pivots, rest, tuple(prescribed))
        given: dict[int, Any] = {}
        for i in redundant:
            if i in prescribed:
                given[i] = prescribed[i]
                continue
            given[i] = sum((value * y[c] for c, value in elimination.rows[i].items() if c in y), 0.0)
        return elimination.multipliers(force, given)

    @cached_property
    def multipliers(self) -> Array:
        """Constraint forces lambda, contact after contact and then formula by formula, in root axes."""
        return self._in_root_axes(self.row_forces)

    @cached_property
    def static_multipliers(self) -> Array:
        """lambda_stat, as `multipliers`."""
        return self._in_root_axes(self.static_row_forces)

    def _in_root_axes(self, forces: Array) -> Array:
        parts: list[Array] = []
        start = 0
        for contact in self.contacts:
            part = forces[start : start + len(contact.labels)]
            start += len(contact.labels)
            if contact.touch.directions is None and contact.reference != self.kinematics.roots[contact.body]:
                part = self.kinematics.poses_in_root[contact.reference].rotation @ part
            parts.append(part)
        if self.constraints.formulas:  # an empty part of a single number is not an empty vector in CasADi
            parts.append(forces[start : start + len(self.constraints.formulas)])
        return ops.concat(*parts)

    @cached_property
    def watched_steps(self) -> tuple[int, ...]:
        """Elimination steps whose pivots vary."""
        values = self.elimination.pivot_values
        return tuple(i for i, value in enumerate(values) if ops.is_symbolic(value) and not _is_number(value))

    @cached_property
    def wheels(self) -> tuple[ContactRows, ...]:
        """Contacts that have no contact point where their wheel lies flat."""
        return tuple(contact for contact in self.contacts if contact.touch.steepness is not None)

    @cached_property
    def watched_pivots(self) -> Array:
        """Positive while every pivot keeps its sign and a safe size, and then while no wheel lies flat."""
        pivots, values = self.reduction.pivots, self.elimination.pivot_values
        safe = [values[i] * (pivots.signs[i] / pivots.sizes[i]) - WATCH for i in self.watched_steps]
        return _vector([*safe, *(wheel.touch.steepness - FLAT for wheel in self.wheels)])


def _is_number(value: Any) -> bool:
    return bool(getattr(value, "is_constant", lambda: False)())


def _vector(entries: list[Any]) -> Array:
    return ops.vector(*entries) if entries else np.zeros(0)
