"""Forward dynamics of an unconstrained tree by the articulated-body algorithm, in time linear in its size.

Accelerations are split as (velocity products and gravity) + delta with delta linear in v_dot, so that every body's
bias wrench is what Newton-Euler gives at v_dot = 0 and the recursion itself solves the linear problem

    M v_dot = tau - h,      delta_j = Ad(g_j^-1) delta_i + S_j v_dot_j

without ever forming M. Joints may be imposed instead of solved for, and then give torques. Own coordinates of a soft
body are eliminated at that body, before its joint.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.tree.inertia import SpatialForm, symmetric
from locomotor.mechanics.tree.kinematics import Kinematics
from locomotor.mechanics.tree.newton_euler import body_wrenches
from locomotor.typing import Array


def without(form: SpatialForm, U: Array, gain: Array, zeros: Collection[int] = ()) -> SpatialForm:
    """Subtract U gain^T, where gain = U D^-1: what a freely moving joint does not transmit.

    `zeros` are rows (and columns) known to vanish: writing them as such spares their way to the parent.
    """
    n = U.shape[1]

    def entry(block: Array, i: int, j: int) -> Any:
        if i in zeros or j in zeros:
            return 0.0
        lost = sum((U[i, k] * gain[j, k] for k in range(1, n)), U[i, 0] * gain[j, 0])
        return block[i % 3, j % 3] - lost

    A = symmetric([[entry(form.A, i, j) if j >= i else None for j in range(3)] for i in range(3)])
    D = symmetric([[entry(form.D, i, j) if j >= i else None for j in range(3, 6)] for i in range(3, 6)])
    B = ops.matrix([[entry(form.B, i, j) for j in range(3, 6)] for i in range(3)])
    return SpatialForm(A, B, D)


@dataclass(frozen=True)
class Elimination:
    """One group of velocities solved in terms of the acceleration x of its carrier: v_dot = D^-1 (f - U^T x)."""

    part: slice
    columns: Array | None
    """What the group moves (None for own coordinates, which do not move their body's frame)."""
    U: Array
    D: Array
    force: Array

    def gain(self) -> Array:
        """The matrix U D^-1."""
        if self.D.shape[0] == 1:
            return (1.0 / self.D[0, 0]) * self.U
        return ops.solve_spd(self.D, self.U.T).T

    def solve(self, x: Array | None) -> Array:
        """Accelerations of the group, for the acceleration x of its carrier."""
        return ops.solve_spd(self.D, self.force if x is None else self.force - self.U.T @ x)


@dataclass(frozen=True)
class Imposition:
    """A joint whose acceleration is given; what it transmits to its body is then its torque."""

    part: slice
    columns: Array
    acceleration: Array
    form: SpatialForm
    """Articulated inertia of the body and what it carries."""
    bias: Array
    rotor: Any = None

    def solve(self, x: Array | None) -> Array:
        """The given acceleration."""
        return self.acceleration

    def torque(self, x: Array) -> Array:
        """S^T (I x + bias), with x the acceleration of the body, and what turns the rotor."""
        found = self.columns.T @ (self.form.apply(x) + self.bias)
        return found if self.rotor is None else found + self.rotor * self.acceleration


def along_axes(S: Array) -> Iterator[tuple[int, int, float]]:
    """Columns of S that are a coordinate axis up to sign: their index, the row of the axis and its sign."""
    for k in range(S.shape[1]):
        rows = [row for row in range(6) if not ops.is_zero(S[row, k])]
        for sign in (1.0, -1.0):
            if len(rows) == 1 and ops.is_zero(S[rows[0], k] - sign):
                yield k, rows[0], sign


def hybrid_dynamics(
    kinematics: Kinematics,
    forces: Array,
    imposed: Mapping[int, Array],
    gravity: Array | None = None,
    wrenches: Mapping[int, Array] | None = None,
) -> tuple[Array, Array]:
    """Accelerations of a tree some of whose joints are imposed, and the generalised forces that impose them.

    `imposed` gives the acceleration of a joint under the index of its first velocity. With every joint but the base
    imposed this is the three-pass Newton-Euler algorithm of mobile multibody systems (Belkhiri 2013, (3.41)-(3.57)): inward
    composite inertias, the base's acceleration, outward torques. `forces` on imposed joints are left out of the torque.
    """
    links = kinematics.links
    bias, own_bias = body_wrenches(kinematics, None, gravity, wrenches)
    inertia = [SpatialForm.of(link.total) for link in links]
    coupling = [link.coupling(kinematics.instant) if link.soft else None for link in links]
    own_mass = [link.own_mass(kinematics.instant) if link.soft else None for link in links]
    own_force = [forces[link.own] - own_bias[i] if link.soft else None for i, link in enumerate(links)]

    # The passes share half a dozen lists by link, and each branch is a kind of link: cut up, they would be handed around.
    # Inward: eliminate the own coordinates, then the joint, of every body; hand the rest to the parent.
    solved: list[list[Elimination | Imposition]] = [[] for _ in links]
    for i in reversed(range(len(links))):
        link = links[i]
        groups: list[Elimination | Imposition] = []
        if link.soft is not None:
            own = Elimination(link.own, None, coupling[i], own_mass[i], own_force[i])
            groups.append(own)
            inertia[i] = without(inertia[i], own.U, own.gain())
            bias[i] = bias[i] + own.gain() @ own.force
        if link.joint is not None and link.joint[0].start in imposed:
            part, S = link.joint
            given = imposed[part.start]
            groups.append(Imposition(part, S, given, inertia[i], bias[i], link.rotor))
            bias[i] = bias[i] + inertia[i].apply(S @ given)
        elif link.joint is not None:
            part, S = link.joint
            U = ops.columns(*(inertia[i].apply(S[:, k]) for k in range(S.shape[1])))
            D = S.T @ U if link.rotor is None else S.T @ U + ops.matrix([[link.rotor]])
            joint = Elimination(part, S, U, D, forces[part] - S.T @ bias[i])
            groups.append(joint)
            if link.parent >= 0:
                # What the joint transmits does no work on it: S^T I = 0 and S^T bias = tau, entry by entry known
                # beforehand where S is along a coordinate axis. A rotor takes up a part of both.
                gain = joint.gain()
                known = {row: sign * forces[part][k] for k, row, sign in along_axes(S)} if link.rotor is None else {}
                inertia[i] = without(inertia[i], U, gain, known)
                rest = bias[i] + gain @ joint.force
                bias[i] = ops.vector(*(known.get(row, rest[row]) for row in range(6)))
        solved[i] = groups
        if link.parent >= 0:
            parent = link.parent
            if link.carrier is not None:
                _, phi = link.carrier
                loaded = ops.columns(*(inertia[i].apply(phi[:, k]) for k in range(phi.shape[1])))
                moved = ops.columns(*(link.pose.wrench_to_parent(loaded[:, k]) for k in range(phi.shape[1])))
                coupling[parent] = coupling[parent] + moved
                own_mass[parent] = own_mass[parent] + phi.T @ loaded
                own_force[parent] = own_force[parent] - phi.T @ bias[i]
            inertia[parent] = inertia[parent] + inertia[i].moved_to_parent(link.pose)
            bias[parent] = bias[parent] + link.pose.wrench_to_parent(bias[i])

    # Outward: accelerations.
    v_dot: list[Any] = [0.0] * kinematics.instant.system.layout.nv
    torques: list[Any] = [0.0] * len(v_dot)
    deltas: list[Array] = []
    for i, link in enumerate(links):
        x = None if link.parent < 0 else link.pose.twist_to_child(deltas[link.parent])
        if link.carrier is not None:
            part, phi = link.carrier
            x = x + phi @ ops.vector(*v_dot[part])
        for group in reversed(solved[i]):
            found = group.solve(x)
            v_dot[group.part] = ops.entries(found)
            if group.columns is not None:
                moved = group.columns @ found
                x = moved if x is None else x + moved
            if isinstance(group, Imposition):
                assert x is not None
                torques[group.part] = ops.entries(group.torque(x))
        deltas.append(np.zeros(6) if x is None else x)
    return ops.vector(*v_dot), ops.vector(*torques)
