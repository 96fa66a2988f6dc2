"""Channels of wings: lift and drag, the force of every mechanism in world axes, its power, and chosen sections."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.loads import Section, parts, sections, wrenches
from locomotor.mechanics.tree import Kinematics, fluid_inertia, fluid_turning
from locomotor.model import System, Wing
from locomotor.tracing.core import Field
from locomotor.typing import Array

AXES = "xyz"
OF_SECTION = (
    ("angle_of_attack", "rad", "angle of attack"),
    ("speed", "m/s", "speed in the air, in the plane of the section"),
    ("lift", "N", "lift of translation"),
    ("drag", "N", "drag of translation"),
)


def wings_of(system: System) -> tuple[Wing, ...]:
    """Wings and fins of a system."""
    return tuple(force for force in system.forces if isinstance(force, Wing))


def wing_fields(system: System) -> tuple[Field, ...]:
    """What is recorded of all wings."""
    return tuple(field for wing in wings_of(system) for field in _fields(wing))


def _fields(wing: Wing) -> list[Field]:
    name = wing.name
    found = [
        Field(f"{name}_lift", "N", "", f"lift of wing {name!r}, at right angles to the velocity of each section, summed"),
        Field(f"{name}_drag", "N", "", f"drag of wing {name!r}, against the velocity of each section, summed"),
    ]
    for mechanism in wing.mechanisms:
        about = f"{mechanism.replace('_', ' ')} of the air on wing {name!r}"
        found += [Field(f"{name}_{mechanism}_{axis}", "N", "", f"force by {about}, world axis {axis}") for axis in AXES]
        found.append(Field(f"{name}_{mechanism}_power", "W", "", f"power by {about}"))
    found += [
        Field(f"{name}_air_{axis}", "N", "", f"whole force of the air on wing {name!r}, world axis {axis}") for axis in AXES
    ]
    for k in wing.report:
        found += [
            Field(f"{name}_section_{k}_{what}", unit, "", f"{about} of section {k} of wing {name!r}")
            for what, unit, about in OF_SECTION
        ]
    return found


def wing_values(motion: ReducedMotion) -> Any:
    """Values of the channels of wings, in the order of `wing_fields`."""
    found: list[Any] = []
    for wing in wings_of(motion.reduction.system):
        found += _values(wing, motion)
    return ops.vector(*found) if found else np.zeros(0)


def _values(wing: Wing, motion: ReducedMotion) -> list[Any]:
    kinematics = motion.kinematics
    i = kinematics.index(wing.body)
    twist = ops.concat(kinematics.velocity[i], kinematics.omega[i])
    acting = wrenches(wing, kinematics)
    soft: dict[str, Any] = {}
    for part in parts(wing, kinematics) if kinematics.links[i].soft is not None else ():
        soft[part.mechanism] = soft.get(part.mechanism, 0.0) + part.power(twist)
    if wing.has("added_mass"):
        inertial, power = added_mass(wing, kinematics, motion.v_dot)
        acting["added_mass"] = acting["added_mass"] + inertial if "added_mass" in acting else inertial
        soft["added_mass"] = soft.get("added_mass", 0.0) + power
    cut = sections(wing, kinematics)
    found: list[Any] = [_total([section.lift for section in cut]), _total([section.drag for section in cut])]
    whole = np.zeros(3)
    for mechanism in wing.mechanisms:
        wrench = acting.get(mechanism, np.zeros(6))
        push = kinematics.poses[i].rotation @ wrench[0:3]
        whole = whole + push
        power = ops.dot(wrench, twist) if kinematics.links[i].soft is None else soft.get(mechanism, 0.0)
        found += [*(push[k] for k in range(3)), power]
    found += [whole[k] for k in range(3)]
    for k in wing.report:
        found += _of_section(cut[k])
    return found


def _of_section(section: Section) -> list[Any]:
    return [section.flow.angle, section.flow.speed, section.lift, section.drag]


def _total(parts: Sequence[Any]) -> Any:
    return sum(parts[1:], parts[0])


def added_mass(wing: Wing, kinematics: Kinematics, v_dot: Array) -> tuple[Array, Any]:
    """What the inertia of still air does to the body: -M_add eta' + ad^T(M_add eta), Belkhiri 2013, (5.25).

    And its power on a soft body, own coordinates included.
    """
    instant = kinematics.instant
    i = kinematics.index(wing.body)
    link = kinematics.links[i]
    V, W = kinematics.velocity[i], kinematics.omega[i]
    a, w_dot = kinematics.accelerations(v_dot)[i]
    twist, rate = ops.concat(V, W), ops.concat(a - ops.cross(W, V), w_dot)
    total: Any = np.zeros(6)
    power: Any = 0.0
    if link.soft is None:
        form = fluid_inertia(wing, instant.system, instant.values)
        if form is not None:
            total = -form.apply(rate) - fluid_turning(form, twist)
    for section in link.wet:
        if section.force == wing.name:
            pushed = -section.wrench(twist, rate, v_dot[link.own])
            total = total + section.site.wrench_to_parent(pushed)
            power = power + ops.dot(pushed, section.twist(twist))
    return total, power
