"""Derivatives of the accelerations of a free tree, by recursions of their own instead of by differentiating the recursions.

Everything is expressed in the axes of the root body of a tree, about its origin, so that wrenches and twists are only added.
With f the wrench that a body and all beyond it need, differentiating M v_dot + h = tau at the accelerations found gives

    M dv_dot = dtau - d(M v_dot + h),

and a change of one coordinate or velocity moves everything beyond its joint, J, as if that got an acceleration psi as one rigid
body and every particle 2 w x u besides, u being its velocity (docs/theory.md (N5); Singh 2022; Carpentier and Mansard 2018):

    of a coordinate:  psi = a_p x J + v_p x (v_p x J),   w of v_p x J,   and the joint hands J x* f to its parent besides;
    of a velocity:    psi = v_p x J + v_j x J,           w of J,

a_p and v_p being acceleration and velocity of the parent. The factors of the articulated-body algorithm, found once, then solve
for every change: inward along the ancestors of the joint, outward over the tree; what the particles beyond the joint need
reaches it by the 6 x 3 matrix K of each body, articulated as the inertia is.

A tree on a free root: a uniform velocity or gravity is not felt by what is inside, so that v_p of its root counts without its
linear part and gravity is left out; both are added to the acceleration of the root alone.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.tree.articulated_body import without
from locomotor.mechanics.tree.inertia import RigidInertia, SpatialForm
from locomotor.mechanics.tree.kinematics import Kinematics
from locomotor.mechanics.tree.wet import bracket
from locomotor.model import Cylindrical, Fixed, Free, Helical, Joint, Prismatic, Revolute, Translation
from locomotor.typing import Array


@singledispatch
def has_fixed_columns(joint: Joint) -> bool:
    """Whether its velocities are rates of its coordinates, its subspace is fixed in the child and its columns commute."""
    return False


@has_fixed_columns.register
def _(joint: Revolute | Prismatic | Helical | Cylindrical | Translation | Fixed) -> bool:
    return True


def has_acceleration_slopes(kinematics: Kinematics) -> bool:
    """Whether the recursions hold: rigid bodies without fluid about them, on joints of the kinds above or free on the world."""
    return all(
        (has_fixed_columns(joint) or (isinstance(joint, Free) and link.parent < 0))
        and link.soft is None
        and link.added is None
        and not link.wet
        for joint, link in zip(kinematics.instant.system.joints, kinematics.links, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Change:
    """A change of one number of the state, as a tree meets it."""

    link: int = -1
    """The body whose joint it moves; -1 where it only changes forces."""
    rigid: Array | None = None
    """psi: acceleration that everything beyond the joint gets as one rigid body."""
    turning: Array | None = None
    """w, of 2 w x u."""
    handed: Array | None = None
    """Wrench that the joint hands to its parent besides."""
    forces: Mapping[int, Any] | None = None
    """Changes of generalised forces, by velocity."""
    wrenches: Mapping[int, Array] | None = None
    """Changes of wrenches on bodies, in axes of the body and about its origin."""
    added: Mapping[int, Any] | None = None
    """What the acceleration changes by besides, by velocity."""


@dataclass(frozen=True, eq=False)
class Factor:
    """A joint eliminated: what its parent feels of everything beyond, and how it answers; without columns where it is held."""

    rest: Array
    """6 x 6: inertia."""
    turning: Array
    """6 x 3: K."""
    columns: Array
    """J, 6 x k."""
    gain: Array
    """U D^-1, 6 x k."""
    inverse: Array
    """D^-1."""
    answer: Array
    """D^-1 J^T K, k x 3: deceleration per w."""


def carried(twist: Array, wrench: Array) -> Array:
    """Rate of a wrench that a twist carries along."""
    V, W, F, N = twist[0:3], twist[3:6], wrench[0:3], wrench[3:6]
    return ops.concat(ops.cross(W, F), ops.cross(W, N) + ops.cross(V, F))


def turned(inertia: RigidInertia, twist: Array, momentum: Array) -> Array:
    """K of one body, 6 x 3: the sum of 2 m w x u over its particles and the moment of that, per w."""
    V, W = twist[0:3], twist[3:6]
    about, h = inertia.inertia, inertia.moment
    spread = (0.5 * (about[0, 0] + about[1, 1] + about[2, 2])) * np.eye(3) - about  # sum of m r r^T
    below = ops.dot(h, V) * np.eye(3) - ops.outer(V, h) - ops.skew(W) @ spread
    return ops.block([[-2.0 * ops.skew(momentum[0:3])], [2.0 * below]])


@dataclass(frozen=True, eq=False)
class AccelerationSlopes:
    """A tree at one state, with everything that the changes of all numbers of the state share."""

    kinematics: Kinematics
    gravity: Array
    forces: Array
    wrenches: Mapping[int, Array]
    imposed: Mapping[int, Any]
    """Given accelerations, by velocity."""

    # --- the state, in axes of the roots ---------------------------------------------------------------------------------

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Parent of every body."""
        return tuple(link.parent for link in self.kinematics.links)

    def is_free(self, i: int) -> bool:
        """Whether a body is a free root."""
        return isinstance(self.kinematics.instant.system.joints[i], Free)

    def velocities(self, i: int) -> range:
        """Places of the velocities of the joint of a body."""
        joint = self.kinematics.links[i].joint
        return range(0) if joint is None else range(joint[0].start, joint[0].stop)

    @property
    def _poses(self) -> tuple[SE3, ...]:
        return self.kinematics.poses_in_root

    @cached_property
    def columns(self) -> list[Array]:
        """J of every joint, 6 x k."""
        links = zip(self.kinematics.links, self._poses, strict=True)
        return [np.zeros((6, 0)) if link.joint is None else pose.Ad() @ link.joint[1] for link, pose in links]

    @cached_property
    def _inertias(self) -> list[RigidInertia]:
        return [link.inertia.moved_to_parent(pose) for link, pose in zip(self.kinematics.links, self._poses, strict=True)]

    @cached_property
    def twists(self) -> list[Array]:
        """Twist of every body, of a free root without its linear part."""
        found: list[Array] = []
        for i, parent in enumerate(self.parents):
            if self.is_free(i):
                found.append(ops.concat(np.zeros(3), self.kinematics.omega[i]))
                continue
            twist = np.zeros(6) if parent < 0 else found[parent]
            found.append(self._moved(i, twist, self.kinematics.instant.v))
        return found

    def _moved(self, i: int, x: Array, rates: Any) -> Array:
        for column, k in enumerate(self.velocities(i)):
            x = x + rates[k] * self.columns[i][:, column]
        return x

    @cached_property
    def _momenta(self) -> list[Array]:
        return [inertia.apply(twist) for inertia, twist in zip(self._inertias, self.twists, strict=True)]

    def _before(self, i: int, accelerations: Sequence[Array]) -> Array:
        """Acceleration of the parent; of the world gravity upwards, which a free root does not feel."""
        if self.parents[i] >= 0:
            return accelerations[self.parents[i]]
        if self.is_free(i):
            return np.zeros(6)
        return ops.concat(-(self.kinematics.links[i].pose.rotation.T @ self.gravity), np.zeros(3))

    def _accelerations(self, rates: Mapping[int, Any]) -> list[Array]:
        """Accelerations of all bodies for those of some joints, the others vanishing."""
        found: list[Array] = []
        for i in range(len(self.parents)):
            a = self._before(i, found)
            if not self.is_free(i):
                at_rest = np.zeros(6) if self.parents[i] < 0 else self.twists[self.parents[i]]
                a = a + bracket(at_rest, self.twists[i] - at_rest)
            found.append(self._moved(i, a, {k: rates.get(k, 0.0) for k in self.velocities(i)}))
        return found

    def _needed(self, accelerations: Sequence[Array]) -> list[Array]:
        """Wrench that each body needs by itself, less what acts on it."""
        found = []
        for i, a in enumerate(accelerations):
            f = self._inertias[i].apply(a) + carried(self.twists[i], self._momenta[i])
            found.append(f - self._poses[i].wrench_to_parent(self.wrenches[i]) if i in self.wrenches else f)
        return found

    # --- factors of the articulated-body algorithm -----------------------------------------------------------------------

    @cached_property
    def factors(self) -> list[Factor]:
        """Joints eliminated, from the tips inward."""
        forms = [SpatialForm.of(inertia) for inertia in self._inertias]
        turning = [turned(*state) for state in zip(self._inertias, self.twists, self._momenta, strict=True)]
        found: dict[int, Factor] = {}
        for i in reversed(range(len(self.parents))):
            form, found[i] = self._factor(i, forms[i], turning[i])
            parent = self.parents[i]
            if parent >= 0:
                forms[parent] = forms[parent] + form
                turning[parent] = turning[parent] + found[i].turning
        return [found[i] for i in range(len(self.parents))]

    def _factor(self, i: int, form: SpatialForm, K: Array) -> tuple[SpatialForm, Factor]:
        J, rotor = self.columns[i], self.kinematics.links[i].rotor
        n = J.shape[1]
        if not n or self.velocities(i).start in self.imposed:
            nothing = np.zeros((6, 0))
            return form, Factor(_matrix(form), K, nothing, nothing, np.zeros((0, 0)), np.zeros((0, 3)))
        U = ops.columns(*(form.apply(J[:, k]) for k in range(n)))
        D = J.T @ U if rotor is None else J.T @ U + ops.matrix([[rotor]])
        inverse = ops.matrix([[1.0 / D[0, 0]]]) if n == 1 else ops.solve_spd(D, np.eye(n))
        gain = np.eye(6) if self.is_free(i) else U @ inverse
        held = J.T @ K
        rest = without(form, U, gain)
        return rest, Factor(_matrix(rest), K - gain @ held, J, gain, inverse, inverse @ held)

    # --- accelerations, and what each joint carries ----------------------------------------------------------------------

    @cached_property
    def v_dot(self) -> dict[int, Any]:
        """Accelerations of all joints, those of a free root without gravity and relative to its velocity."""
        forces = {k: f for k, f in enumerate(ops.entries(self.forces)) if k not in self.imposed}
        needed = self._needed(self._accelerations(self.imposed))
        wanted = {i: ops.columns(f) for i, f in enumerate(needed)}
        found = self._solved([Change(forces=forces)], wanted)
        return {k: self.imposed.get(k, found[k][0]) for k in range(len(found))}

    @cached_property
    def _moving(self) -> list[Array]:
        """Accelerations of all bodies."""
        return self._accelerations(self.v_dot)

    @cached_property
    def carried(self) -> list[Array]:
        """Wrench that each joint carries: what its body and all beyond need."""
        found = self._needed(self._moving)
        for i in reversed(range(len(self.parents))):
            if self.parents[i] >= 0:
                found[self.parents[i]] = found[self.parents[i]] + found[i]
        return found

    # --- changes of one number -------------------------------------------------------------------------------------------

    def by_coordinate(self, i: int, column: int) -> Change:
        """The change of a coordinate of the joint of body i."""
        J, parent = self.columns[i][:, column], self.parents[i]
        felt = bracket(self._before(i, self._moving), J)
        if parent < 0:
            return Change(i, rigid=felt)
        moved = bracket(self.twists[parent], J)
        return Change(i, felt + bracket(self.twists[parent], moved), moved[3:6], carried(J, self.carried[i]))

    def by_velocity(self, i: int, column: int) -> Change:
        """The change of a velocity of the joint of body i."""
        J, parent = self.columns[i][:, column], self.parents[i]
        if self.is_free(i):
            return self._of_free_root(i, column)
        if parent < 0:
            return Change(i, bracket(self.twists[i], J), J[3:6])
        before = bracket(self.twists[parent], J)
        alone = self.columns[i].shape[1] == 1  # then the twist of the joint leaves its column as it is
        return Change(i, 2.0 * before if alone else before + bracket(self.twists[i], J), J[3:6])

    def _of_free_root(self, i: int, column: int) -> Change:
        """V_dot = a - W x V: the linear velocity enters there alone."""
        first, unit = self.velocities(i).start, np.eye(3)[column % 3]
        V, W = self.kinematics.velocity[i], self.kinematics.omega[i]
        if column < 3:
            return Change(added=_numbered(first, -ops.cross(W, unit)))
        return Change(i, turning=unit, added=_numbered(first, -ops.concat(ops.cross(unit, V), ops.cross(W, unit))))

    def effects(self, changes: Sequence[Change]) -> list[list[Any]]:
        """What the accelerations of all joints change by: a row a velocity, a column a change."""
        pushed: dict[int, Array] = {}
        for i in sorted({i for change in changes for i in change.wrenches or {}}):
            own = [(change.wrenches or {}).get(i) for change in changes]
            columns = [np.zeros(6) if w is None else -self._poses[i].wrench_to_parent(w) for w in own]
            pushed[i] = ops.columns(*columns)
        found = self._solved(changes, pushed)
        for column, change in enumerate(changes):
            for k, x in (change.added or {}).items():
                found[k][column] = found[k][column] + x
        return found

    # --- all changes at once: a column each ------------------------------------------------------------------------------

    def _solved(self, changes: Sequence[Change], needed: Mapping[int, Array]) -> list[list[Any]]:
        """M^-1 times what is left when all bodies need these wrenches (6 x n) beside the changes."""
        left = self._inward(changes, needed)
        n = len(changes)
        found: list[list[Any]] = [[0.0] * n for _ in range(self.kinematics.instant.system.layout.nv)]
        moved: list[Array | None] = []
        turning: list[Array | None] = []
        for i, parent in enumerate(self.parents):
            factor = self.factors[i]
            x = _sum(None if parent < 0 else moved[parent], _spread(changes, i, "rigid", 6))
            w = _sum(None if parent < 0 else turning[parent], _spread(changes, i, "turning", 3))
            rates: Array | None = factor.inverse @ left[i] if i in left else None
            if factor.columns.shape[1]:
                rates = _sum(rates, None if x is None else -(factor.gain.T @ x))
                rates = _sum(rates, None if w is None else -(factor.answer @ w))
            if rates is not None:
                for row, k in enumerate(self.velocities(i)):
                    found[k] = [rates[row, column] for column in range(n)]
                x = _sum(x, factor.columns @ rates)
            moved.append(x)
            turning.append(w)
        return found

    def _inward(self, changes: Sequence[Change], needed: Mapping[int, Array]) -> dict[int, Array]:
        """What is left to each joint, from the tips inward."""
        left: dict[int, Array] = {}
        pending = dict(needed)
        for i in reversed(range(len(self.parents))):
            factor, p = self.factors[i], pending.get(i)
            if factor.columns.shape[1]:
                pushed = _rows(changes, self.velocities(i))
                rest = _sum(pushed, None if p is None else -(factor.columns.T @ p))
                if rest is not None:
                    left[i] = rest
                    p = _sum(p, factor.gain @ rest)
            if self.parents[i] < 0:
                continue
            for matrix, name, size in ((None, "handed", 6), (factor.rest, "rigid", 6), (factor.turning, "turning", 3)):
                own = _spread(changes, i, name, size)
                p = p if own is None else _sum(p, own if matrix is None else matrix @ own)
            if p is not None:
                pending[self.parents[i]] = p if self.parents[i] not in pending else pending[self.parents[i]] + p
        return left


def _matrix(form: SpatialForm) -> Array:
    return ops.block([[form.A, form.B], [form.B.T, form.D]])


def _numbered(first: int, values: Array) -> dict[int, Any]:
    return {first + k: x for k, x in enumerate(ops.entries(values))}


def _sum(a: Array | None, b: Array | None) -> Array | None:
    return b if a is None else a if b is None else a + b


def _spread(changes: Sequence[Change], link: int, name: str, size: int) -> Array | None:
    """One field of the changes of a joint, a column a change and zero for those of other joints; None where all are zero."""
    own = [getattr(change, name) if change.link == link else None for change in changes]
    if all(x is None for x in own):
        return None
    return ops.columns(*(np.zeros(size) if x is None else x for x in own))


def _rows(changes: Sequence[Change], velocities: range) -> Array | None:
    """Changes of the forces on the velocities of a joint."""
    rows = [[(change.forces or {}).get(k, 0.0) for change in changes] for k in velocities]
    return ops.matrix(rows) if any(k in (change.forces or {}) for change in changes for k in velocities) else None
