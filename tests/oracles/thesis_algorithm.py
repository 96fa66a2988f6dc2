"""The free dynamics of the sources, on numbers: the general algorithm of the IFAC paper and the sums of the thesis.

Both take the relative poses and body inertias of a tree whose root is free and whose joints have one degree of freedom,
and return M and h of M v_dot + h = tau. Listing and sums are those of IFAC 2017 and Mauny 2018,
appendix A each, corrected.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomotor.lie import SE3
from locomotor.mechanics.tree.kinematics import Kinematics

Array = Any


def skew(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def adjoint(g: SE3) -> Array:
    """Ad of the inverse: carries a twist from the parent to the child that has the pose g in it."""
    R, p = np.asarray(g.rotation), np.asarray(g.translation)
    return np.block([[R.T, -R.T @ skew(p)], [np.zeros((3, 3)), R.T]])


@dataclass
class Tree:
    """What the algorithms read of a tree at one instant."""

    parent: list[int]
    Ad: list[Array]
    axis: list[Array]
    mass: list[Array]
    force: list[Array]
    """b_in minus the weight."""
    zeta: list[Array]

    @classmethod
    def of(cls, k: Kinematics, gravity: Array) -> "Tree":
        """From our kinematics; only poses, axes, inertias and velocities are taken."""
        system, v = k.instant.system, k.instant.v
        made = cls([], [], [], [], [], [])
        twists: list[Array] = []
        for i, link in enumerate(k.links):
            m, com, inertia = (np.asarray(x, dtype=float) for x in system.bodies[i].mass_properties(k.instant.values))
            MS = m * com
            I_O = inertia - m * skew(com) @ skew(com)
            M = np.block([[m * np.eye(3), skew(MS).T], [skew(MS), I_O]])
            Ad, zeta, A = np.eye(6), np.zeros(6), np.zeros(6)
            if link.parent < 0:
                eta = np.array(v[0:6])
            else:
                Ad = adjoint(link.pose)
                part, S = link.joint
                A, rate = np.asarray(S)[:, 0], v[part.start]
                carried = Ad @ twists[link.parent]
                eta = carried + rate * A
                turn = rate * A[3:]
                zeta = np.concatenate([np.cross(carried[:3], turn), np.cross(carried[3:], turn)])
            V, W = eta[:3], eta[3:]
            b_in = np.concatenate(
                [np.cross(W, np.cross(W, MS)) + np.cross(W, m * V), np.cross(W, I_O @ W) + np.cross(MS, np.cross(W, V))]
            )
            fall = np.asarray(k.poses[i].rotation).T @ gravity
            twists.append(eta)
            made.parent.append(link.parent)
            made.Ad.append(Ad)
            made.axis.append(A)
            made.mass.append(M)
            made.force.append(b_in - np.concatenate([m * fall, np.cross(MS, fall)]))
            made.zeta.append(zeta)
        return made


def general_algorithm(t: Tree) -> tuple[Array, Array]:
    """Appendix A of the IFAC paper; joint j is the one of body j."""
    n = len(t.parent) - 1
    J = [np.zeros((6, n))]
    Z = [np.zeros(6)]
    for j in range(1, n + 1):
        i = t.parent[j]
        e = np.eye(n)[j - 1]
        J.append(t.Ad[j] @ J[i] + np.outer(t.axis[j], e))
        Z.append(t.Ad[j] @ (t.zeta[i] + Z[i]))
    mass, force, cross = [M.copy() for M in t.mass], [f.copy() for f in t.force], [np.zeros((6, n)) for _ in t.mass]
    m, Q = np.zeros((n, n)), np.zeros(n)
    for j in range(n, 0, -1):
        i, Ad, A, e = t.parent[j], t.Ad[j], t.axis[j], np.eye(n)[j - 1]
        m += np.outer(e, A @ mass[j] @ J[j])
        Q += e * (A @ (force[j] + mass[j] @ (t.zeta[j] + Z[j])))
        cross[i] += Ad.T @ (cross[j] + np.outer(mass[j] @ A, e))
        force[i] += Ad.T @ (force[j] + mass[j] @ t.zeta[j])
        mass[i] += Ad.T @ mass[j] @ Ad
    m = m + m.T - np.diag(np.diag(m))
    return np.block([[mass[0], cross[0]], [cross[0].T, m]]), np.concatenate([force[0], Q])


def explicit_sums(t: Tree) -> tuple[Array, Array]:
    """(A.8)-(A.9) of the thesis: frame 0, fork 1, front wheel 2 on the fork, rear wheel 3 on the frame."""
    M, f, z, A = t.mass, t.force, t.zeta, t.axis
    to = {(0, 0): np.eye(6), (1, 1): np.eye(6), (2, 2): np.eye(6), (1, 0): t.Ad[1], (2, 1): t.Ad[2], (3, 0): t.Ad[3]}
    to[2, 0] = to[2, 1] @ to[1, 0]
    base = sum(to[i, 0].T @ M[i] @ to[i, 0] for i in range(4))
    coupling = np.column_stack(
        [
            sum(to[i, 0].T @ M[i] @ to[i, 1] @ A[1] for i in (1, 2)),
            to[2, 0].T @ M[2] @ A[2],
            to[3, 0].T @ M[3] @ A[3],
        ]
    )
    m = np.zeros((3, 3))
    m[0, 0] = sum(A[1] @ to[i, 1].T @ M[i] @ to[i, 1] @ A[1] for i in (1, 2))
    m[0, 1] = m[1, 0] = A[1] @ to[2, 1].T @ M[2] @ A[2]
    m[1, 1], m[2, 2] = A[2] @ M[2] @ A[2], A[3] @ M[3] @ A[3]
    force = sum(to[i, 0].T @ f[i] for i in range(4)) + to[3, 0].T @ M[3] @ z[3]
    force = force + sum(to[i, 0].T @ M[i] @ to[i, j] @ z[j] for j in (1, 2) for i in range(j, 3))
    Q = np.array(
        [
            sum(A[1] @ to[i, 1].T @ f[i] for i in (1, 2))
            + sum(A[1] @ to[i, 1].T @ M[i] @ to[i, j] @ z[j] for j in (1, 2) for i in range(j, 3)),
            A[2] @ f[2] + sum(A[2] @ M[2] @ to[2, i] @ z[i] for i in (1, 2)),
            A[3] @ f[3] + A[3] @ M[3] @ z[3],
        ]
    )
    return np.block([[base, coupling], [coupling.T, m]]), np.concatenate([force, Q])
