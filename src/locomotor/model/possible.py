"""Parameters of many instances at once: which of them describe something that can exist.

`Description.check` judges one set of values, with words. Here the same ranges are tested for whole columns of values, from
what each part of the system declares; a part without a test of its own is asked, value by value, by `check` itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.errors import ModelError
from locomotor.model.body import Body
from locomotor.model.contacts import Plane, RollingDisc, RollingSphere, RollingTorus, Skate
from locomotor.model.description import AXIS_TOLERANCE, Description
from locomotor.model.expressions import Expression, free_names
from locomotor.model.forces import PointSpring
from locomotor.model.inertia_rule import clearly_possible, judge_inertias, judge_moments, passes
from locomotor.model.joint import ROTATION_TOLERANCE, Cylindrical, Helical, Joint, Prismatic, Revolute, Universal
from locomotor.model.system import System
from locomotor.typing import Flags, Vector

Columns = Mapping[str, Any]
"""Values by name: numbers, or arrays with one for each instance."""

CHUNK = 1 << 17
"""Instances judged at once: enough for a call of numpy to cost little beside its work, few enough for a megabyte a column."""


def impossible_rows(system: System, names: Sequence[str], rows: Vector) -> Flags:
    """Which rows of finite values of some parameters no real system has; the others have their default values."""
    parts = tuple(_parts(system, frozenset(names)))
    found = np.zeros(len(rows), dtype=bool)
    for first in range(0, len(rows) if parts else 0, CHUNK):
        columns = [np.ascontiguousarray(column) for column in rows[first : first + CHUNK].T]
        usable = np.logical_and.reduce([np.isfinite(column) for column in columns])
        if not usable.all():  # what is not finite has a status of its own
            columns = [column[usable] for column in columns]
        values: dict[str, Any] = {**system.parameters.values, **dict(zip(names, columns, strict=True))}
        fine = np.ones(int(usable.sum()), dtype=bool)
        with np.errstate(all="ignore"):
            for part in parts:
                fine &= possible(part, values, len(fine))
        found[first : first + CHUNK][usable] = ~fine
    return found


def why_impossible(system: System, values: Mapping[str, float]) -> str:
    """What is wrong with values of parameters, in words; "" where nothing is."""
    try:
        require_possible(system, values)
    except ModelError as error:
        return str(error)
    return ""


def require_possible(system: System, values: Mapping[str, float]) -> None:
    """Refuse values of parameters that no real system has, as if the system were built with them."""
    everything = {**system.parameters.values, **values}
    for part in _parts(system, frozenset(values)):
        part.check(everything)


def _parts(system: System, names: frozenset[str]) -> Iterator[Description]:
    """Descriptions that depend on some names."""
    groups = (system.bodies, system.joints, system.grounds, system.contacts, system.forces, system.constraints, system.loops)
    for part in (*system.laws.values(), *(part for group in groups for part in group)):  # in the order of the model
        if _names(part) & names:
            yield part


# --- one kind of part ----------------------------------------------------------------------------------------------


@singledispatch
def possible(part: Description, values: Columns, count: int) -> Flags:
    """Where a part could exist, for columns of values; for a kind without a test here, by its own check."""
    if type(part)._check is Description._check:
        return finite(part, values, count)
    return _by_check(part, values)


def _by_check(part: Description, values: Columns) -> Flags:
    """Where the check of a part passes; it is asked once for equal values."""
    names = [name for name in values if np.ndim(values[name]) and name in _names(part)]
    table = np.stack([values[name] for name in names], axis=1)
    different, places = np.unique(table, axis=0, return_inverse=True)
    constants = {name: value for name, value in values.items() if not np.ndim(value)}
    fine = np.array([_passes(part, {**constants, **dict(zip(names, row.tolist(), strict=True))}) for row in different])
    return fine[places.reshape(-1)]


def _passes(part: Description, values: Mapping[str, float]) -> bool:
    try:
        part.check(values)
    except ModelError:
        return False
    return True


def _names(part: Description) -> frozenset[str]:
    """Names in its fields; in laws too, which are judged as far as they depend on parameters alone."""
    return frozenset().union(*(expression.names for laws in (False, True) for _, expression in part.expressions(laws=laws)))


def finite(part: Description, values: Columns, count: int) -> Flags:
    """Where every quantity of a part is a finite number."""
    fine = np.ones(count, dtype=bool)
    for _, expression in part.expressions(laws=False):
        if varies(expression, values):
            fine &= np.isfinite(column(expression, values, count))
    return fine


def varies(quantity: Any, values: Columns) -> bool:
    """Whether a quantity differs between instances; what does not was judged when the system was built."""
    return any(np.ndim(values[name]) for name in free_names(quantity))


def column(quantity: Any, values: Columns, count: int) -> Vector:
    """The value of a quantity for every instance."""
    value = quantity.evaluate(values) if isinstance(quantity, Expression) else float(quantity)
    return np.broadcast_to(np.asarray(value, dtype=float), (count,))


def _array(quantities: Any, values: Columns, count: int) -> Vector:
    """Nested quantities for every instance, instances in front."""
    if not isinstance(quantities, tuple):
        return column(quantities, values, count)
    return np.stack([_array(entry, values, count) for entry in quantities], axis=1)


def _units(vectors: Vector) -> Flags:
    return np.abs(np.linalg.norm(vectors, axis=1) - 1.0) <= AXIS_TOLERANCE


@possible.register
def _(part: Body, values: Columns, count: int) -> Flags:
    fine = finite(part, values, count)
    if varies(part.mass, values):
        fine &= column(part.mass, values, count) > 0.0
    return fine & _possible_inertias(part, values, count) if varies(part.inertia, values) else fine


def _possible_inertias(part: Body, values: Columns, count: int) -> Flags:
    inertia: Any = part.inertia
    rows = [[column(entry, values, count) for entry in row] for row in inertia]
    if all(inertia[i][j] == 0.0 for i in range(3) for j in range(3) if i != j):
        return passes(judge_moments(rows[0][0], rows[1][1], rows[2][2]))
    fine = clearly_possible(rows)
    (doubtful,) = np.nonzero(~fine & np.isfinite([entry for row in rows for entry in row]).all(axis=0))
    matrices = np.array([[entry[doubtful] for entry in row] for row in rows]).transpose(2, 0, 1)
    fine[doubtful] = passes(judge_inertias(matrices))
    return fine


@possible.register
def _(part: Joint, values: Columns, count: int) -> Flags:
    fine = finite(part, values, count)
    if isinstance(part.rotation[0], tuple) and varies(part.rotation, values):
        R = _array(part.rotation, values, count)
        off = np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
        fine &= (off <= ROTATION_TOLERANCE) & (np.linalg.det(np.where(fine[:, None, None], R, 0.0)) > 0.0)
    return fine


@possible.register(Revolute)
@possible.register(Prismatic)
@possible.register(Cylindrical)
@possible.register(Helical)
def _(part: Any, values: Columns, count: int) -> Flags:
    fine = possible.dispatch(Joint)(part, values, count)
    return fine & _units(_array(part.axis, values, count)) if varies(part.axis, values) else fine


@possible.register
def _(part: Universal, values: Columns, count: int) -> Flags:
    return _by_check(part, values)


@possible.register
def _(part: PointSpring, values: Columns, count: int) -> Flags:
    return finite(part, values, count) & (column(part.length, values, count) >= 0.0)


@possible.register
def _(part: Plane, values: Columns, count: int) -> Flags:
    return finite(part, values, count) & _units(_array(part.normal, values, count))


@possible.register
def _(part: Skate, values: Columns, count: int) -> Flags:
    return finite(part, values, count) & _units(_array(part.heading, values, count))


@possible.register(RollingDisc)
@possible.register(RollingTorus)
def _(part: Any, values: Columns, count: int) -> Flags:
    fine = finite(part, values, count) & _units(_array(part.axis, values, count))
    return fine & (column(part.radius, values, count) > 0.0) & _tube(part, values, count)


@singledispatch
def _tube(part: Description, values: Columns, count: int) -> Flags:
    return np.ones(count, dtype=bool)


@_tube.register
def _(part: RollingTorus, values: Columns, count: int) -> Flags:
    return column(part.tube, values, count) > 0.0


@possible.register
def _(part: RollingSphere, values: Columns, count: int) -> Flags:
    return finite(part, values, count) & (column(part.radius, values, count) > 0.0)
