"""A planar biped of three links: two legs and a trunk that meet at the hip, with torques between trunk and legs.

The walker of Génot 1998, appendix D: the angles q_1 of the stance leg from the ground, q_2 of the trunk and q_3 of the other
leg, both from the stance leg, and the place of the stance foot. The source prints its equations and no numbers; these are of a
person.
"""

from typing import Any

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, number
from locomotor.model import (
    Body,
    Capsule,
    Gravity,
    Input,
    JointForce,
    Revolute,
    Shape,
    Sphere,
    StickingPoint,
    System,
    Unilateral,
)


@door(friction=number)
def three_link_biped(*, friction: float = 0.7) -> System:
    """The biped in the vertical plane: `forward`, `up` of its first foot, `pitch` = -q_1, `trunk` = q_2 and `leg` = q_3.

    Angles are those of the source; `trunk_torque` and `leg_torque` act between the first leg and the two other links.
    """
    frames, carriers = vertical_plane("first_leg")
    turning: dict[str, Any] = {"parent": "first_leg", "axis": (0, -1, 0), "at": ("L1", 0, 0)}
    law = Unilateral(friction="mu")
    return System(
        name="three_link_biped",
        bodies=(
            *frames,
            Body("first_leg", mass="m1", com=("L1/2", 0, 0), inertia=("I1/50", "I1", "I1"), shapes=_link("L1", "metal")),
            Body("body", mass="m2", com=("L2/2", 0, 0), inertia=("I2/50", "I2", "I2"), shapes=_link("L2", "accent")),
            Body("second_leg", mass="m1", com=("L1/2", 0, 0), inertia=("I1/50", "I1", "I1"), shapes=_link("L1", "metal")),
        ),
        joints=(
            *carriers,
            Revolute(name="trunk", child="body", **turning),
            Revolute(name="leg", child="second_leg", **turning),
        ),
        contacts=(
            StickingPoint("first_foot", "first_leg", (0, 0, 0), law=law),
            StickingPoint("second_foot", "second_leg", ("L1", 0, 0), law=law),
        ),
        forces=(
            Gravity((0, 0, "-g")),
            JointForce("trunk_drive", "trunk", "trunk_torque"),
            JointForce("leg_drive", "leg", "leg_torque"),
        ),
        inputs=(Input("trunk_torque", "N m"), Input("leg_torque", "N m")),
        parameters=parameter_set(
            ("L1", 0.9, "m", "length of a leg"),
            ("L2", 0.7, "m", "length of the trunk"),
            ("m1", 12.0, "kg", "mass of a leg"),
            ("m2", 45.0, "kg", "mass of the trunk"),
            ("I1", 0.8, "kg m^2", "inertia of a leg about its centre"),
            ("I2", 2.0, "kg m^2", "inertia of the trunk about its centre"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.81, "m/s^2", "gravity"),
            source="ours; the model: Génot 1998, appendix D",
        ),
        nominal={"pitch": -1.4, "trunk": 0.2, "leg": -2.8},
        description="planar biped of two legs and a trunk",
    )


def _link(length: str, colour: str) -> list[Shape]:
    return [Capsule((0, 0, 0), (length, 0, 0), "0.03", colour=colour), Sphere("0.05", at=(length, 0, 0), colour="dark")]
