"""Mass matrix by the composite-body algorithm.

Each velocity of the tree accelerates everything beyond it as one rigid composite; the wrench that this needs is
carried down to the root and read off at every joint (and soft body) on the way.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.tree.inertia import RigidInertia, SpatialForm, symmetric
from locomotor.mechanics.tree.kinematics import Kinematics
from locomotor.typing import Array


def mass_matrix(kinematics: Kinematics) -> Array:
    """The symmetric matrix M(q) of the kinetic energy T = v^T M v / 2."""
    links = kinematics.links
    n = kinematics.instant.system.layout.nv
    entries: list[list[Any]] = [[0.0] * n for _ in range(n)]

    composite: list[RigidInertia | SpatialForm] = [link.total for link in links]
    children: list[list[int]] = [[] for _ in links]
    for i in reversed(range(len(links))):
        parent = links[i].parent
        if parent >= 0:
            children[parent].append(i)
            composite[parent] = composite[parent] + composite[i].moved_to_parent(links[i].pose)

    for i, link in enumerate(links):
        if link.joint is not None:
            part, S = link.joint
            for k, column in enumerate(range(part.start, part.stop)):
                _carry(kinematics, entries, i, composite[i].apply(S[:, k]), column)
        # Own velocities of a soft body: its own inertia, and each child's composite through its site.
        if link.soft is not None:
            coupling, own_mass = link.coupling(kinematics.instant), link.own_mass(kinematics.instant)
            for k, column in enumerate(range(link.own.start, link.own.stop)):
                wrench = coupling[:, k]
                for row_offset, row in enumerate(range(link.own.start, link.own.stop)):
                    entries[row][column] = entries[row][column] + own_mass[row_offset, k]
                for child in children[i]:
                    carrier = links[child].carrier
                    assert carrier is not None
                    phi = carrier[1]
                    moved = composite[child].apply(phi[:, k])
                    for row_offset, row in enumerate(range(link.own.start, link.own.stop)):
                        entries[row][column] = entries[row][column] + ops.dot(phi[:, row_offset], moved)
                    wrench = wrench + links[child].pose.wrench_to_parent(moved)
                _carry(kinematics, entries, i, wrench, column)
    for column, rotor in rotors(kinematics):
        entries[column][column] = entries[column][column] + rotor
    if not n:
        return ops.zeros(0, 0)
    return ops.matrix([[entries[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)])


def _carry(kinematics: Kinematics, entries: list[list[Any]], i: int, wrench: Array, column: int) -> None:
    """Carry a wrench on body i down to the root, reading off every row it meets."""
    while True:
        link = kinematics.links[i]
        for part, matrix in link.columns:
            for k, row in enumerate(range(part.start, part.stop)):
                if row <= column:
                    entries[row][column] = ops.dot(matrix[:, k], wrench)
                else:
                    entries[column][row] = ops.dot(matrix[:, k], wrench)
        if link.parent < 0:
            return
        wrench = link.pose.wrench_to_parent(wrench)
        i = link.parent


def projected_mass(kinematics: Kinematics, H: Array) -> Array:
    """H^T M H without forming M.

    The cost is linear in the number of bodies, where the full matrix of a chain grows with its square.
    """
    form = projected_form(kinematics, H, [link.total for link in kinematics.links])
    turning = list(rotors(kinematics))
    if not turning:
        return form
    n = H.shape[1]
    added = [[sum(rotor * H[k, i] * H[k, j] for k, rotor in turning) if j >= i else None for j in range(n)] for i in range(n)]
    return form + symmetric(added)


def rotors(kinematics: Kinematics) -> Iterator[tuple[int, Any]]:
    """Place among the velocities and inertia of everything that turns with a joint alone."""
    for link in kinematics.links:
        if link.rotor is not None and link.joint is not None:
            yield link.joint[0].start, link.rotor


def projected_form(kinematics: Kinematics, H: Array, forms: Sequence[Any]) -> Array:
    """Matrix of a sum of quadratic forms of body twists (inertias, drags), between the columns of H.

    Every body contributes its form between the twists that the columns of H give it; None contributes nothing.
    """
    n = H.shape[1]
    upper: list[list[Any]] = [[0.0] * n for _ in range(n)]
    twists: list[list[Array]] = []
    for link, form in zip(kinematics.links, forms, strict=True):
        mine: list[Array] = []
        for k in range(n):
            twist: Any = np.zeros(6) if link.parent < 0 else link.pose.twist_to_child(twists[link.parent][k])
            for part, matrix in link.columns:
                twist = twist + matrix @ H[part, k]
            mine.append(twist)
        twists.append(mine)
        if form is None:
            continue
        momenta = [form.apply(twist) for twist in mine]
        own = [H[link.own, k] for k in range(n)] if link.soft is not None else []
        if link.soft is not None:
            coupling, own_mass = link.coupling(kinematics.instant), link.own_mass(kinematics.instant)
            momenta = [momentum + coupling @ rate for momentum, rate in zip(momenta, own, strict=True)]
        for i in range(n):
            for j in range(i, n):
                upper[i][j] = upper[i][j] + ops.dot(mine[i], momenta[j])
                if link.soft is not None:
                    upper[i][j] = upper[i][j] + ops.dot(own[i], coupling.T @ mine[j] + own_mass @ own[j])
    return symmetric(upper)
