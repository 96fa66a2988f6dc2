"""What the runtime makes masses and rows of (`codegen/runtime/many.h`): axes of joints and inertias of bodies, on symbols.

Some numbers for each body and contact, so that the text of a function grows with their number and not with its square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.tree import Kinematics, rotors
from locomotor.tracing.contacts.many_numbers import Tree
from locomotor.typing import Array


def is_in_order(kinematics: Kinematics) -> bool:
    """Whether axes of joints and inertias of rigid bodies, in their order, tell all of masses and rows."""
    links = kinematics.links
    starts = [link.joint[0].start for link in links if link.joint is not None]
    return starts == sorted(starts) and not any(link.soft is not None or link.added is not None for link in links)


def tree_of(kinematics: Kinematics, on: Sequence[int], counts: Sequence[int]) -> Tree:
    """Who carries whom, the bodies of the contacts, and how many rows each has."""
    first, at = [], 0
    for link in kinematics.links:
        first.append(at)
        at = at if link.joint is None else link.joint[0].stop
    return Tree(tuple(link.parent for link in kinematics.links), (*first, at), tuple(on), row_places(counts))


def whole_tree(n: int, on: Sequence[int], counts: Sequence[int]) -> Tree:
    """The same where the mass matrix of n velocities and the rows are given."""
    return Tree((-1,), (0, n), tuple(on), row_places(counts), whole=True)


def row_places(counts: Sequence[int]) -> tuple[int, ...]:
    """Where the rows of each contact begin, and where the last end."""
    return tuple(int(x) for x in np.cumsum([0, *counts]))


def mass_numbers(motion: ReducedMotion, tree: Tree) -> list[Any]:
    """Axes of the velocities at the origin of the world, inertias of the bodies about it, and rotors; or the masses."""
    if tree.whole:
        mass = motion.reduced_mass
        return [mass[i, j] for i in range(tree.n) for j in range(tree.n)]
    kinematics = motion.kinematics
    axes: list[Any] = []
    inertias: list[Any] = []
    for link, pose in zip(kinematics.links, kinematics.poses, strict=True):
        if link.joint is not None:
            part, S = link.joint
            for k in range(part.stop - part.start):
                angular = pose.rotation @ S[3:6, k]
                linear = pose.rotation @ S[0:3, k] + ops.cross(pose.translation, angular)
                axes += [*entries(linear), *entries(angular)]
        moved = link.inertia.moved_to_parent(pose)
        I = moved.inertia  # noqa: E741
        inertias += [moved.mass, *entries(moved.moment), I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    extra: list[Any] = [0.0] * tree.n
    for column, rotor in rotors(kinematics):
        extra[column] = rotor
    return [*axes, *inertias, *extra]


def tables_of(name: str, tree: Tree) -> list[str]:
    """C text of a tree: its tables, and the `lm_many` made of them, as a variable `tree`."""
    tables = {"parent": tree.parent, "first": tree.first, "on": tree.on, "begin": tree.begin}
    lines = [
        f"LM_TABLE int32_t {name}_{label}[] = {{{', '.join(map(str, values)) or '0'}}};" for label, values in tables.items()
    ]
    sizes = (tree.n, tree.bodies, tree.contacts, tree.rows)
    members = ", ".join([*map(str, sizes), *(f"{name}_{label}" for label in tables), str(int(tree.whole))])
    return [*lines, f"    const lm_many tree = {{{members}}};"]


def entries(vector: Array) -> Iterator[Any]:
    """The numbers of a vector."""
    return (vector[i] for i in range(ops.size(vector)))
