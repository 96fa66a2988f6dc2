"""What a run reads off a system whose contacts are held as numbers tell: event functions, channels, the whole state.

The same functions as those of a mode of its own (`mode.py`), for every mode: what belongs to an open contact is masked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.model import Rub, evaluate
from locomotor.tracing.contacts.held_rows import ContactHeld, FormulaHeld, zeros_unless
from locomotor.tracing.contacts.held_slopes import held_slopes
from locomotor.tracing.contacts.held_system import HeldSystem
from locomotor.tracing.contacts.mode import NUMBERS, VECTORS, snapshot
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.observation import Observable, observables
from locomotor.typing import Array

OF_FORCES = ("multipliers", "contact_forces", "contact_moments", "torques", "powers")
"""Groups of channels that need the forces of contacts."""


def held_events(held: HeldSystem) -> Traced:
    """Event functions, as `mode.event_functions` gives them in a mode of its own."""
    motion = held.answered
    accelerations = motion.kinematics.accelerations(motion.v_dot)
    names = {**motion.kinematics.instant.names, "t": motion.time}
    found: dict[str, list[Any]] = {kind: [] for kind in (*NUMBERS, *VECTORS)}
    for row, forces, push in zip(held.rows, held.row_forces, held.pushes, strict=True):
        entry = row.entry
        values: dict[str, Any] = dict.fromkeys(NUMBERS, 0.0) | dict.fromkeys(VECTORS, np.zeros(3))
        values |= {"normal_force": forces[0], "push": push, "condition": evaluate(entry.law.condition, names)}
        values["hold"] = entry.law.hold_at(forces[0], names)
        if isinstance(row, ContactHeld):
            values |= _of_contact(row, forces, accelerations)
        elif isinstance(row, FormulaHeld):
            values |= _of_formula(row, forces, motion)
        for kind, value in values.items():
            found[kind].append(value)
    each, watched = [entry.name for entry in held.switching], motion.watched_pivots
    numbers = tuple(Field(f"{name}_{kind}", unit) for kind, unit in NUMBERS.items() for name in each)
    vectors = tuple(Field(f"{name}_{kind}_{axis}", unit) for kind, unit in VECTORS.items() for name in each for axis in "xyz")
    outputs = [
        (Port("numbers", numbers, (len(NUMBERS), len(each))), ops.vector(*(x for kind in NUMBERS for x in found[kind]))),
        (Port("vectors", vectors, (len(VECTORS), len(each), 3)), _stacked([x for kind in VECTORS for x in found[kind]])),
        (Port("pivots", tuple(Field(f"pivot_{i}", "1") for i in range(ops.size(watched)))), watched),
        (held.rate_port, ops.concat(held.coordinate_rates(held.motion.v), motion.v_r_dot, held.controller_rates())),
    ]
    return held.build("events", outputs, "event functions")


def _of_contact(row: ContactHeld, forces: list[Any], accelerations: Any) -> dict[str, Any]:
    geometry, law = row.row, row.entry.law
    found: dict[str, Any] = {
        "reaction": row.force(forces),
        "gap": geometry.gap,
        "gap_rate": geometry.gap_rate,
        "gap_acceleration": geometry.gap_acceleration(accelerations),
    }
    if not law.slips:
        return found
    left = law.static_at(row.motion.kinematics.instant.values) * forces[0] - row.along(forces)
    found["friction_left"] = ops.if_else(ops.less(ops.fabs(row.held - 1.0), 0.5), left, 0.0)
    found["slip"] = zeros_unless(row.is_closed, row.rotation @ row.slip.slip_velocity)
    found["slip_rate"] = zeros_unless(row.is_closed, row.rotation @ row.slip.slip_rate(accelerations))
    return found


def _of_formula(row: FormulaHeld, forces: list[Any], motion: ReducedMotion) -> dict[str, Any]:
    found: dict[str, Any] = {"reaction": ops.vector(forces[0], 0.0, 0.0)}
    if isinstance(row.entry, Rub):
        static, sliding = row.entry.law.bounds_at(motion.kinematics.instant.names, None)
        found["slip"] = ops.vector(row.row.slip[0], 0.0, 0.0)
        found["slip_rate"] = ops.vector(row.row.gap_acceleration(motion.v_dot), 0.0, 0.0)
        return found | {"friction_left": static - ops.fabs(forces[0]), "twisting": sliding, "gap": 1.0}
    found |= {"gap": row.row.gap, "gap_rate": row.row.slip[0]}
    return found | {"gap_acceleration": row.row.gap_acceleration(motion.v_dot)}


def _stacked(vectors: list[Array]) -> Array:
    return ops.concat(*vectors) if vectors else np.zeros(0)


def held_snapshot(held: HeldSystem) -> Traced:
    """All coordinates, the velocities that the held rows allow, kinetic and potential energy."""
    return snapshot(held, replace(held.motion, v_r=held.allowed))


@dataclass(frozen=True, eq=False)
class ReadSystem(HeldSystem):
    """The same with the channels of a run; those of an open contact are what `absent` says in a mode of its own."""

    @cached_property
    def dynamics(self) -> Traced:  # type: ignore[override]
        """Rate of the state in tangent form, and the watched pivots, with its slopes."""
        return replace(super().dynamics, slopes=partial(held_slopes, self))

    @cached_property
    def observables(self) -> tuple[Observable, ...]:  # type: ignore[override]
        """Groups of channels of the system in flight, with those of everything that may open and close."""
        own = {group.kind: group for group in observables(self.system)}
        more = self._of_contacts()
        kinds = [*own, *(kind for kind in more if kind not in own)]
        return tuple(Observable(kind, *self._group(own.get(kind), more.get(kind, []))) for kind in kinds)

    def _group(
        self, group: Observable | None, more: list[tuple[Field, Callable[[], Any]]]
    ) -> tuple[tuple[Field, ...], Callable[[ReducedMotion], Any]]:
        def compute(_: ReducedMotion) -> Any:
            values = [] if group is None else [group.compute(self._motion_for(group.kind))]
            return ops.concat(*values, ops.vector(*(make() for _, make in more))) if more else values[0]

        return (*(() if group is None else group.fields), *(field for field, _ in more)), compute

    def _motion_for(self, kind: str) -> ReducedMotion:
        """Forces are needed for few groups; the others do without the runtime."""
        return self.answered if kind in OF_FORCES else self.motion

    def _of_contacts(self) -> dict[str, list[tuple[Field, Callable[[], Any]]]]:
        found: dict[str, list[tuple[Field, Callable[[], Any]]]] = {}
        for k, row in enumerate(self.rows):
            if isinstance(row, ContactHeld):
                made = _channels(row, partial(_forces, self, k))
            elif not isinstance(row, FormulaHeld) or isinstance(row.entry, Rub):
                continue
            else:
                made = {"multipliers": {Field(f"{row.entry.name}_multiplier"): partial(_normal, self, k)}}
            name, unit = row.entry.name, "m" if isinstance(row, ContactHeld) else ""
            made["gaps"] = {Field(f"{name}_gap", unit): partial(getattr, row.row, "gap")}
            made["normal_forces"] = {Field(f"{name}_normal_force", "N"): partial(_normal, self, k)}
            for kind, fields in made.items():
                found.setdefault(kind, []).extend(fields.items())
        return found


def _forces(held: HeldSystem, k: int) -> list[Any]:
    return held.row_forces[k]


def _normal(held: HeldSystem, k: int) -> Any:
    return held.row_forces[k][0]


def _channels(row: ContactHeld, forces: Callable[[], list[Any]]) -> dict[str, dict[Field, Callable[[], Any]]]:
    """Channels of a contact, by group, and how each is computed."""
    name, law, labels = row.entry.name, row.entry.law, row.row.labels

    def force(i: int) -> Any:
        return row.force(forces())[i]

    def multiplier(label: str) -> Any:
        return row.labelled(forces())[label]

    def point(i: int) -> Any:
        return ops.if_else(row.is_closed, row.row.position[i], np.nan)

    found: dict[str, dict[Field, Callable[[], Any]]] = {
        "multipliers": {Field(f"{name}_{label}_multiplier", "N"): partial(multiplier, label) for label in labels},
        "contact_forces": {Field(f"{name}_force_{axis}", "N"): partial(force, i) for i, axis in enumerate("xyz")},
        "contact_points": {Field(f"{name}_point_{axis}", "m"): partial(point, i) for i, axis in enumerate("xyz")},
        "slips": {Field(f"{name}_{label}_slip", "m/s"): partial(row.blocked.__getitem__, label) for label in labels},
    }
    if law.slips:
        found["slip_speeds"] = {Field(f"{name}_slip_speed", "m/s"): partial(_slip_speed, row)}
        found["powers"] = {Field(f"{name}_friction_power", "W"): partial(_friction_power, row, forces)}
    return found


def _slip_speed(row: ContactHeld) -> Any:
    speed = ops.if_else(row.is_slipping, ops.norm(row.slip.slip_velocity), 0.0)
    return ops.if_else(row.is_closed, speed, np.nan)


def _friction_power(row: ContactHeld, forces: Callable[[], list[Any]]) -> Any:
    return ops.if_else(row.is_slipping, forces()[0] * row.slip.friction_power, 0.0)
