"""What a run records: groups of named channels computed from the reduced model at one state."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.chart import chart_from_coordinates, chart_symbols, contact_angle
from locomotor.mechanics.constraints import ContactRows
from locomotor.mechanics.loads import (
    damped_bodies,
    damping_power,
    drive_power,
    driven_joints,
    force_power,
    imposed_joints,
    kinetic_energy,
    moving_constraints,
    potential_energy,
    working_forces,
)
from locomotor.mechanics.tree import spatial_momentum
from locomotor.model import Constraint, Contact, Coupling, Joint, Surface, System, evaluate
from locomotor.model.expressions import free_names
from locomotor.model.loops import LENGTH
from locomotor.names import latex_of
from locomotor.tracing.core import Field
from locomotor.tracing.wing_channels import wing_fields, wing_values

WORLD_AXES = "xyz"


@dataclass(frozen=True)
class Observable:
    """A group of channels and how to compute them."""

    kind: str
    fields: tuple[Field, ...]
    compute: Callable[[ReducedMotion], Any]


def observables(system: System) -> tuple[Observable, ...]:
    """All groups that a system has."""
    layout = system.layout
    couplings = [constraint for constraint in system.constraints if isinstance(constraint, Coupling)]
    rows = _rows(system)
    groups = [
        Observable("coordinates", _fields(layout.coordinates), lambda m: m.q),
        Observable("velocities", _fields(layout.velocities), lambda m: m.v),
        Observable("angles", _angle_fields(system), _angles),
        Observable("inputs", _fields(layout.inputs), _inputs),
        Observable(
            "energies",
            (
                Field("kinetic_energy", "J", "T", "kinetic energy"),
                Field("potential_energy", "J", "U", "potential energy, zero at the world's origin"),
            ),
            lambda m: ops.vector(kinetic_energy(m.kinematics), potential_energy(m.kinematics)),
        ),
        Observable(
            "multipliers",
            tuple(Field(f"{name}_multiplier", of, "", f"constraint force of {about}") for name, about, of, _ in rows),
            lambda m: m.multipliers,
        ),
        Observable("contact_forces", _contact_fields(system, "force", "N", "force of the ground on"), _contact_forces),
        Observable("contact_moments", _moment_fields(system), _contact_moments),
        Observable("contact_points", _contact_fields(system, "point", "m", "contact point of"), _contact_points),
        Observable(
            "gaps",
            (
                *(Field(f"{c.name}_gap", "m", "", f"height of {c.name!r} above its ground") for c in system.contacts),
                *(Field(f"{c.name}_gap", "", "", f"position of coupling {c.name!r}") for c in couplings),
                *(
                    Field(f"{name}_gap", "m" if what == LENGTH else "rad", "", f"how far loop {closure.name!r} is open")
                    for closure, name, what in (
                        *((closure, *row) for closure in system.loops for row in closure.position_rows),
                        *((closure, *row) for closure in system.loops for row in closure.extra_positions),
                    )
                ),
            ),
            lambda m: _stack([condition.gap for condition in m.constraints.conditions]),
        ),
        Observable(
            "slips",
            tuple(Field(f"{name}_slip", of, "", f"velocity blocked by {about}") for name, about, _, of in rows),
            lambda m: m.constraints.slip,
        ),
        Observable(
            "slip_speeds",
            tuple(
                Field(
                    f"{c.name}_slip_speed", "m/s", "", f"speed at which contact {c.name!r} slips, zero while it sticks or rolls"
                )
                for c in system.contacts
                if c.law.slips
            ),
            lambda m: _stack([ops.norm(r.slip_velocity) if r.slips else 0.0 for r in m.contacts if r.contact.law.slips]),
        ),
        Observable(
            "roundness",
            tuple(
                Field(f"{c.name}_roundness", "1", "", f"1 less radius times curvature of the hollow {c.name!r} is in")
                for c in _on_surfaces(system)
            ),
            lambda m: _stack([r.touch.roundness for r in m.contacts if r.touch.roundness is not None]),
        ),
        Observable(
            "torques",
            (
                *(_torque_field(j, "torque of the drive of") for j in driven_joints(system)),
                *(_torque_field(j, "torque that the imposed motion needs at") for j in imposed_joints(system)),
            ),
            _torques,
        ),
        Observable(
            "momentum",
            tuple(
                Field(f"{kind}_momentum_{axis}", unit, "", f"{kind} momentum of the system{about}, world axis {axis}")
                for kind, unit, about in (("linear", "N s", ""), ("angular", "N m s", " about the world's origin"))
                for axis in WORLD_AXES
            ),
            lambda m: ops.concat(*spatial_momentum(m.kinematics)),
        ),
        Observable("powers", _power_fields(system), _powers),
        Observable("air", wing_fields(system), wing_values),
    ]
    return tuple(group for group in groups if group.fields)


def static_observables(system: System) -> tuple[Observable, ...]:
    """Groups of a system whose constraints over-determine their forces: the parts lambda_stat and tau_stat.

    The kinematic parts are what is left of the totals, `multipliers` and `torques` (Belkhiri 2013, (3.32) and (3.33)).
    """
    groups = [
        Observable(
            "static_multipliers",
            tuple(
                Field(f"{name}_static_multiplier", of, "", f"part that moves nothing of the constraint force of {about}")
                for name, about, of, _ in _rows(system)
            ),
            lambda m: m.static_multipliers,
        ),
        Observable(
            "static_torques",
            tuple(
                Field(
                    f"{joint.name}_static_torque",
                    effort_unit(joint),
                    "",
                    f"part that moves nothing of the torque of the imposed motion at joint {joint.name!r}",
                )
                for joint in imposed_joints(system)
            ),
            lambda m: m.static_torques,
        ),
    ]
    return tuple(group for group in groups if group.fields)


def _rows(system: System) -> list[tuple[str, str, str, str]]:
    """Name and meaning of every constraint row, units of its force and its velocity; those of a formula are not known."""
    found = [
        (f"{c.name}_{label}", f"contact {c.name!r}, direction {label!r} of its reference", "N", "m/s")
        for c in system.contacts
        for label in c.blocks
    ]
    found += [(name, f"constraint {c.name!r}", *_units(system, c)) for c in system.constraints for name in c.row_names]
    return found + [
        (name, f"loop {closure.name!r}", *(("N", "m/s") if what == LENGTH else ("N m", "rad/s")))
        for closure in system.loops
        for name, (_, what) in zip(closure.row_names, closure.ROWS, strict=True)
    ]


def _units(system: System, constraint: Constraint) -> tuple[str, str]:
    """Units of force and velocity of a coupling of angles alone, or of displacements alone; else they are not known."""
    names = free_names(constraint.position) if isinstance(constraint, Coupling) else frozenset()
    if names & set(system.parameters):
        return "", ""
    units = {s.unit for s in system.layout.coordinates if s.name in names}
    return {"rad": ("N m", "rad/s"), "m": ("N", "m/s")}.get("".join(units), ("", ""))


def _fields(symbols: Any) -> tuple[Field, ...]:
    return tuple(Field(s.name, s.unit, s.latex, s.description) for s in symbols)


def _on_surfaces(system: System) -> list[Contact]:
    bent = {ground.name for ground in system.grounds if isinstance(ground, Surface)}
    return [contact for contact in system.contacts if contact.ground in bent]


def _stack(entries: list[Any]) -> Any:
    return ops.vector(*entries) if entries else np.zeros(0)


def _inputs(motion: ReducedMotion) -> Any:
    # A controller called from Python hands in the rates of its states after the inputs.
    return motion.inputs[0 : len(motion.reduction.system.layout.inputs)]


# -- angles -------------------------------------------------------------------------------------------


def _angle_fields(system: System) -> tuple[Field, ...]:
    coordinates = {symbol.name for symbol in system.layout.coordinates}
    found = [Field(s.name, s.unit, s.latex, s.description) for s in chart_symbols(system) if s.name not in coordinates]
    found += [
        Field(
            f"{contact.name}_contact_angle",
            "rad",
            rf"\alpha_{{{latex_of(contact.name)}}}",
            f"place of contact {contact.name!r} on its rim",
        )
        for contact in system.contacts
        if contact.rim is not None
    ]
    return tuple(found)


def _angles(motion: ReducedMotion) -> Any:
    system = motion.reduction.system
    coordinates = {symbol.name for symbol in system.layout.coordinates}
    chart = chart_from_coordinates(system, motion.q)
    found = [chart[i] for i, symbol in enumerate(chart_symbols(system)) if symbol.name not in coordinates]
    found += [contact_angle(rows) for rows in motion.contacts if rows.contact.rim is not None]
    return _stack(found)


# -- contacts -----------------------------------------------------------------------------------------


def _contact_fields(system: System, what: str, unit: str, about: str) -> tuple[Field, ...]:
    return tuple(
        Field(f"{c.name}_{what}_{axis}", unit, "", f"{about} contact {c.name!r}, world axis {axis}")
        for c in system.contacts
        for axis in WORLD_AXES
    )


def _contact_forces(motion: ReducedMotion) -> Any:
    """Ground reactions in world axes; multipliers of three-row contacts are components in root axes."""
    return ops.concat(*(rows.force(own) for rows, own in _with_multipliers(motion)))


def _with_multipliers(motion: ReducedMotion) -> Iterator[tuple[ContactRows, Any]]:
    """Each contact with its own multipliers."""
    start = 0
    for rows in motion.contacts:
        count = len(rows.labels)
        yield rows, motion.multipliers[start : start + count]
        start += count


def twisting_contacts(system: System) -> list[Contact]:
    """Contacts whose ground does more than push at a point: a moment acts too, of a patch or against rolling."""
    return [contact for contact in system.contacts if contact.pivots or contact.resists]


def _moment_fields(system: System) -> tuple[Field, ...]:
    return tuple(
        Field(f"{c.name}_moment_{axis}", "N m", "", f"moment of the ground on contact {c.name!r}, world axis {axis}")
        for c in twisting_contacts(system)
        for axis in WORLD_AXES
    )


def _contact_moments(motion: ReducedMotion) -> Any:
    """Moments of the ground about the contact points, in world axes."""
    return ops.concat(*(r.couple(own) for r, own in _with_multipliers(motion) if r.contact.pivots or r.contact.resists))


def _contact_points(motion: ReducedMotion) -> Any:
    return ops.concat(*(rows.position for rows in motion.contacts))


# -- torques ------------------------------------------------------------------------------------------


def _torque_field(joint: Any, about: str) -> Field:
    return Field(f"{joint.name}_drive_torque", effort_unit(joint), "", f"{about} joint {joint.name!r}")


def effort_unit(joint: Joint) -> str:
    """Unit of what drives or holds a joint, or one of its pins, along it: a force where its velocity is one of length."""
    velocity, *_ = joint.symbols(root=False).velocities
    return "N" if velocity.unit == "m/s" else "N m"


def _torques(motion: ReducedMotion) -> Any:
    names = motion.kinematics.instant.names
    found = [evaluate(joint.drive.law, names) for joint in driven_joints(motion.reduction.system)]
    found += [motion.imposed_torques[i] for i in range(len(motion.reduction.imposed))]
    return _stack(found)


# -- powers -------------------------------------------------------------------------------------------


def _power_fields(system: System) -> tuple[Field, ...]:
    """Whatever can change the energy, one channel each."""
    sources = [(f"{j.name}_drive", f"drive of {j.name!r}") for j in driven_joints(system)]
    sources += [(f"{j.name}_imposed", f"imposed motion of {j.name!r}") for j in imposed_joints(system)]
    sources += [(force.name, f"force {force.name!r}") for force in working_forces(system)]
    sources += [(f"{name}_damping", f"damping of {name!r}") for name in damped_bodies(system)]
    sources += [(name, f"moving constraint {name!r}") for name in moving_constraints(system)]
    sources += [(f"{c.name}_friction", f"friction of contact {c.name!r}") for c in system.contacts if c.law.slips]
    return tuple(Field(f"{name}_power", "W", "", f"power of the {what}") for name, what in sources)


def _moving_rows(motion: ReducedMotion) -> list[tuple[int, int]]:
    """Place among all rows, and among those of formulas and loops, of each that moves."""
    moving = moving_constraints(motion.reduction.system)
    first = len(motion.constraints.labels) - len(motion.constraints.singles)
    return [(first + k, k) for k, single in enumerate(motion.constraints.singles) if single.name in moving]


def _powers(motion: ReducedMotion) -> Any:
    system, kinematics = motion.reduction.system, motion.kinematics
    found = [drive_power(joint, kinematics) for joint in driven_joints(system)]
    found += [motion.imposed_torques[i] * motion.imposed[0][i] for i in range(len(imposed_joints(system)))]
    found += [force_power(force, kinematics, motion.loads) for force in working_forces(system)]
    found += [damping_power(name, kinematics) for name in damped_bodies(system)]
    found += [motion.row_forces[i] * motion.constraints.singles[k].right for i, k in _moving_rows(motion)]
    normals = motion.sliding.normals if motion.sliding else ()
    rubbing = dict(zip((row.name for row in motion.contacts if row.rubs), normals, strict=True))
    found += [rubbing[row.name] * row.friction_power if row.rubs else 0.0 for row in motion.contacts if row.contact.law.slips]
    return _stack(found)
