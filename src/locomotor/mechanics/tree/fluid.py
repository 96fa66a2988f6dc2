"""Inertia of the fluid that a body moves with it: added mass, given as a matrix or made by the sections of a wing.

A flat plate of chord c in an ideal fluid carries, per length of span, the mass pi/4 rho c² along its normal, at the middle of
the chord, and the moment of inertia pi/128 rho c⁴ about it (Lamb, Hydrodynamics, section 71). With J = (n, r x n) the row that
takes the twist of the body to the normal velocity at r, the sections sum to the 6x6 form (Belkhiri 2013, (5.26))

    M_add = sum_k w_k (pi/4 rho c_k² J_k^T J_k + pi/128 rho c_k⁴ P_k^T P_k),      P = (0, direction of pitching).

In the mass matrix it brings its own velocity products, ad^T(M_add eta), by itself.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.lie import SE3, ops
from locomotor.mechanics.tree.inertia import SpatialForm
from locomotor.model import AddedMass, Air, System, Wing, evaluate
from locomotor.model.forces import Station
from locomotor.typing import Array


@singledispatch
def fluid_inertia(force: Any, system: System, values: Mapping[str, Any]) -> SpatialForm | None:
    """Inertia that a force of a fluid adds to its body, or None."""
    return None


@fluid_inertia.register
def _(force: AddedMass, system: System, values: Mapping[str, Any]) -> SpatialForm | None:
    return SpatialForm.from_matrix(evaluate(force.matrix, values))


@fluid_inertia.register
def _(force: Wing, system: System, values: Mapping[str, Any]) -> SpatialForm | None:
    if not force.has("added_mass"):
        return None
    return _form(added_rows(force, system, values, force.stations(values)))


@singledispatch
def fluid_sections(force: Any, system: System, values: Mapping[str, Any]) -> list[tuple[SE3, SpatialForm]]:
    """Places on a soft body without load, and the inertia of the fluid that moves with each, in axes that were the body's."""
    return []


@fluid_sections.register
def _(force: Wing, system: System, values: Mapping[str, Any]) -> list[tuple[SE3, SpatialForm]]:
    found = []
    for station in force.stations(values) if force.has("added_mass") else ():
        form = _form(added_rows(force, system, values, [replace(station, line=np.zeros(3))]))
        if form is not None:
            found.append((SE3(np.eye(3), station.line), form))
    return found


def _form(rows: Sequence[tuple[Any, Array]]) -> SpatialForm | None:
    total: Any = None
    for mass, row in rows:
        form = mass * ops.outer(row, row)
        total = form if total is None else total + form
    return None if total is None else SpatialForm.from_matrix(total)


def added_rows(wing: Wing, system: System, values: Mapping[str, Any], stations: Sequence[Station]) -> list[tuple[Any, Array]]:
    """Masses and the rows, on the twist of what the stations are told in, of the velocities that they have."""
    density = evaluate(air_of(wing, system).density, values)
    if ops.is_zero(density):
        return []
    axis, centre = evaluate(wing.axis, values), evaluate(wing.inertia_centre, values)
    found: list[tuple[Any, Array]] = []
    for station in stations:
        c, n = station.chord, station.normal
        point = station.behind(centre, axis)
        found.append((math.pi / 4.0 * density * c * c * station.width, ops.concat(n, ops.cross(point, n))))
        if wing.inertia_turns:
            turning = math.pi / 128.0 * density * (c * c) * (c * c) * station.width
            found.append((turning, ops.concat(np.zeros(3), station.pitching)))
    return found


def air_of(wing: Wing, system: System) -> Air:
    """The air that a wing is in."""
    return next(force for force in system.forces if isinstance(force, Air) and force.name == wing.air)
