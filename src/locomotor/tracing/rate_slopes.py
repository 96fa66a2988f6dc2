"""How the rate of a state changes with the state: shorter ways than differentiating it, where there are any.

Of a free tree the accelerations have recursions of their own for that (`mechanics/tree/acceleration_slopes.py`); forces and
wrenches, mostly short, are differentiated as they stand.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.tree import AccelerationSlopes, Change, has_acceleration_slopes, has_fixed_columns

LEAST = 4
"""Velocities from which on the recursions have fewer operations than derivatives of the accelerations."""


def has_short_slopes(motion: ReducedMotion) -> bool:
    """Whether there is a shorter way for the accelerations of this system."""
    return len(motion.reduction.free) >= LEAST and not len(motion.constraints) and has_acceleration_slopes(motion.kinematics)


def acceleration_by_state(
    motion: ReducedMotion, state: casadi.SX, coordinates: Sequence[int], velocities: Sequence[int]
) -> casadi.SX:
    """d(v_dot)/d(state), rows of these velocities among all.

    The state is the coordinates of these places among all, then the reduced velocities, then others.
    """
    slopes = acceleration_slopes(motion)
    columns = changes_by_state(slopes, motion, state, coordinates)
    effects = slopes.effects(list(columns.values()))
    found = casadi.SX(len(velocities), state.shape[0])
    for row, k in enumerate(velocities):
        entries = ops.vector(*effects[k])
        for place, column in enumerate(columns):
            found[row, column] = entries[place]
    return casadi.sparsify(found)


def acceleration_slopes(motion: ReducedMotion) -> AccelerationSlopes:
    """The tree of a motion without constraints, ready for changes of its state."""
    given = dict(zip(motion.reduction.imposed, ops.entries(motion.imposed[1]), strict=True))
    applied = motion.applied
    return AccelerationSlopes(motion.kinematics, applied.gravity, applied.forces(), applied.wrenches, given)


def changes_by_state(
    slopes: AccelerationSlopes, motion: ReducedMotion, state: casadi.SX, coordinates: Sequence[int]
) -> dict[int, Change]:
    """For every number of the state on which accelerations depend, the change that it makes."""
    layout, reduction = motion.reduction.system.layout, motion.reduction
    where = {place: column for column, place in enumerate(coordinates)}
    rates = {place: len(coordinates) + column for column, place in enumerate(reduction.free)}
    moved: dict[int, Change] = {}
    for i, joint in enumerate(reduction.system.joints):
        if has_fixed_columns(joint) and joint.name not in reduction.still:
            for k in range(joint.nv):
                if layout.q[joint.name].start + k in where:
                    moved[where[layout.q[joint.name].start + k]] = slopes.by_coordinate(i, k)
        for k in range(joint.nv):
            if layout.v[joint.name].start + k in rates:
                moved[rates[layout.v[joint.name].start + k]] = slopes.by_velocity(i, k)
    pushed = _by_column(casadi.SX(motion.applied.forces()), state)
    turned = {i: _by_column(casadi.SX(wrench), state) for i, wrench in motion.applied.wrenches.items()}
    fallen = _gravity(slopes, motion, state)
    order = sorted({*moved, *pushed, *fallen, *(column for columns in turned.values() for column in columns)})
    found = {}
    for column in order:
        change = moved.get(column, Change())
        wrenches = {i: ops.vector(*(of[column].get(k, 0.0) for k in range(6))) for i, of in turned.items() if column in of}
        added = {**(change.added or {})}
        for k, x in fallen.get(column, {}).items():
            added[k] = added[k] + x if k in added else x
        found[column] = Change(
            change.link, change.rigid, change.turning, change.handed, pushed.get(column), wrenches or None, added or None
        )
    return found


def _gravity(slopes: AccelerationSlopes, motion: ReducedMotion, state: casadi.SX) -> dict[int, dict[int, Any]]:
    """Changes of the weight, as a free root feels it in its own axes: by column of the state, then by velocity."""
    found: dict[int, dict[int, Any]] = {}
    for i, link in enumerate(motion.kinematics.links):
        if slopes.is_free(i):
            down = casadi.SX(link.pose.rotation.T @ motion.applied.gravity)
            for column, entries in _by_column(down, state).items():
                found.setdefault(column, {}).update({slopes.velocities(i).start + k: x for k, x in entries.items()})
    return found


def _by_column(values: casadi.SX, state: casadi.SX) -> Mapping[int, dict[int, Any]]:
    """Derivatives by the state, column by column, row by row, without zeros."""
    matrix = casadi.sparsify(casadi.jacobian(values, state))
    found: dict[int, dict[int, Any]] = {}
    rows, columns = (np.array(places, dtype=int) for places in matrix.sparsity().get_triplet())
    for row, column, x in zip(rows, columns, matrix.nonzeros(), strict=True):
        found.setdefault(int(column), {})[int(row)] = x
    return found
