"""Joints as elements of MJCF, one function a kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import (
    Cylindrical,
    Fixed,
    Free,
    Joint,
    JointDamper,
    JointFriction,
    JointSpring,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    System,
    Translation,
    Universal,
    evaluate,
)
from locomotor.model.expressions import known
from locomotor.robots.mjcf_text import tag
from locomotor.typing import Floats

AXES = np.eye(3)


@dataclass(frozen=True, eq=False)
class At:
    """Where a joint is: its frame beyond its placement, as a matrix in the frame of the body that is written."""

    system: System
    values: Mapping[str, float]
    pose: Floats
    ranges: Mapping[str, tuple[float, float]]
    """By joint, between its end stops."""

    @property
    def pos(self) -> Floats | None:
        """Origin, None for that of the body."""
        return self.pose[:3, 3] if np.any(self.pose[:3, 3]) else None

    def along(self, axis: Any) -> Floats:
        """A direction in the axes of the body."""
        return np.asarray(self.pose[:3, :3] @ np.asarray(evaluate(axis, self.values), dtype=float))


@singledispatch
def joint_elements(joint: Joint, at: At) -> list[str] | None:
    """The elements of a joint; None where MJCF has none."""
    return None


@joint_elements.register
def _(joint: Fixed, at: At) -> list[str]:
    return []


@joint_elements.register
def _(joint: Revolute, at: At) -> list[str]:
    return [
        tag(
            "joint",
            name=joint.name,
            type="hinge",
            pos=at.pos,
            axis=at.along(joint.axis),
            **_passive(joint.name, at, joint.rotor),
        )
    ]


@joint_elements.register
def _(joint: Prismatic, at: At) -> list[str]:
    return [
        tag(
            "joint",
            name=joint.name,
            type="slide",
            pos=at.pos,
            axis=at.along(joint.axis),
            **_passive(joint.name, at, joint.rotor),
        )
    ]


@joint_elements.register
def _(joint: Cylindrical, at: At) -> list[str]:
    axis = at.along(joint.axis)
    turn = tag("joint", name=f"{joint.name}_turn", type="hinge", pos=at.pos, axis=axis)
    return [turn, tag("joint", name=f"{joint.name}_slide", type="slide", pos=at.pos, axis=axis)]


@joint_elements.register
def _(joint: Universal, at: At) -> list[str]:
    axes = enumerate(joint.axes, 1)
    return [
        tag("joint", name=f"{joint.name}_{k}", type="hinge", pos=at.pos, axis=at.along(axis), **_passive(joint.pins[k - 1], at))
        for k, axis in axes
    ]


@joint_elements.register
def _(joint: Spherical, at: At) -> list[str] | None:
    if not np.array_equal(at.pose[:3, :3], np.eye(3)):
        return None
    # Dry friction of a ball joint is within a ball here, and within a box there: it is told, not written.
    return [tag("joint", name=joint.name, type="ball", pos=at.pos, damping=_passive(joint.name, at)["damping"])]


@joint_elements.register
def _(joint: Free, at: At) -> list[str] | None:
    placed = np.asarray(joint.placement(at.values).as_matrix(), dtype=float)
    plain = joint.parent == "world" and np.array_equal(placed, np.eye(4)) and np.array_equal(at.pose, np.eye(4))
    return [tag("freejoint", name=joint.name)] if plain else None


@joint_elements.register
def _(joint: Translation, at: At) -> list[str]:
    return [tag("joint", name=f"{joint.name}_{a}", type="slide", axis=at.along(tuple(AXES[k]))) for k, a in enumerate("xyz")]


@joint_elements.register
def _(joint: Planar, at: At) -> list[str]:
    slides = [tag("joint", name=f"{joint.name}_{a}", type="slide", axis=at.along(tuple(AXES[k]))) for k, a in enumerate("xy")]
    return [*slides, tag("joint", name=f"{joint.name}_yaw", type="hinge", pos=at.pos, axis=at.along((0.0, 0.0, 1.0)))]


def frictionloss(force: JointFriction, values: Any) -> float | None:
    """Bound of a friction that MJCF can say: one number, the same at rest; None for others."""
    return None if force.static is not None or force.follows_load else known(force.bound, values)


def _passive(joint: str, at: At, rotor: Any = 0.0) -> dict[str, Any]:
    """Rotor, springs, dampers and dry friction of a joint or a pin; several springs are one."""
    forces, values = at.system.forces, at.values
    damping = [evaluate(f.damping, values) for f in forces if isinstance(f, JointDamper) and f.joint == joint]
    rubs = [f for f in forces if isinstance(f, JointFriction) and f.joint == joint]
    damping += [evaluate(f.viscous, values) for f in rubs]
    dry = sum(frictionloss(f, values) or 0.0 for f in rubs)
    springs = [f for f in forces if isinstance(f, JointSpring) and f.joint == joint]
    stiffness = [float(evaluate(f.stiffness, values)) for f in springs]
    rests = [float(evaluate(f.rest, values)) for f in springs]
    total = sum(stiffness)
    return {
        "armature": float(evaluate(rotor, values)) or None,
        "damping": float(sum(damping)) or None,
        "frictionloss": dry or None,
        "stiffness": total or None,
        "springref": float(np.dot(stiffness, rests)) / total if total else None,
        "range": at.ranges.get(joint),
    }
