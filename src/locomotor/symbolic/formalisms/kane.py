"""Kane: forces of inertia and weights of all bodies, projected on the partial velocities of the generalised speeds.

Q_a + Q_d + C^T lambda = 0 with Q_aj = sum over bodies of -m gamma . J_Vj - (I W_dot + W x I W) . J_Wj. Partial velocities are
those of a table: along a slide its direction, of a turn about (O, u) u x OG and u (Llibre 2009, 2.2.10 and 2.3). It is virtual
displacements that are projected on; virtual power must not be differentiated by the speeds, which would double what is
quadratic in them.
"""

import numpy as np

from locomotor.symbolic.formalisms.seen import Seen
from locomotor.typing import Floats, Vector


def kane(seen: Seen) -> tuple[Floats, Vector]:
    """Mass matrix, and what weight and velocities contribute to the right-hand side M v_dot = force."""
    n = len(seen.v)
    M, force = np.zeros((n, n)), np.zeros(n)
    for i, link in enumerate(seen.links):
        for column in link.columns:
            M[column.place, column.place] += link.rotor
        chain = seen.chain(i)
        if link.mass == 0.0 and not link.inertia.any():
            continue
        at = [column.place for column, _ in chain]
        J, J_dot = np.zeros((3, len(chain))), np.zeros((3, len(chain)))
        A, A_dot = np.zeros((3, len(chain))), np.zeros((3, len(chain)))
        centre_velocity = link.velocity + np.cross(link.spin, link.centre - link.origin)
        for k, (column, j) in enumerate(chain):
            arm, owner, W = link.centre - seen.links[j].origin, seen.links[j], seen.turning(column, j)
            along_dot, about_dot = np.cross(W, column.along), np.cross(W, column.about)
            J[:, k] = column.along + np.cross(column.about, arm)
            J_dot[:, k] = along_dot + np.cross(about_dot, arm) + np.cross(column.about, centre_velocity - owner.velocity)
            A[:, k], A_dot[:, k] = column.about, about_dot
        speeds = seen.v[at]
        gamma, spin_dot = J_dot @ speeds, A_dot @ speeds
        M[np.ix_(at, at)] += link.mass * J.T @ J + A.T @ link.inertia @ A
        force[at] += J.T @ (link.mass * (seen.gravity - gamma))
        force[at] -= A.T @ (link.inertia @ spin_dot + np.cross(link.spin, link.inertia @ link.spin))
    return M, force
