"""The compass biped of Génot's thesis: two straight legs of equal length with one mass each, which strike without slipping.

A leg is a rod without mass, L long, with the mass m at the distance l from the hip (Génot 1998, section III.4, where a shank
that slides lets the leg pass). q_1 is the angle of the left leg from the ground, q_2 that of the right leg from the left, both
turning from +x to +z, and (x, y) is the left foot. The right foot strikes while the left one stands, at q_2 = -2 q_1.
"""

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, number
from locomotor.model import Body, Capsule, Gravity, Revolute, Shape, Sphere, StickingPoint, System, Unilateral


@door(friction=number)
def compass_biped(*, friction: float = 0.6) -> System:
    """The biped in the vertical plane: `forward`, `up` of its left foot, `pitch` = -q_1, and the angle `hip` = q_2."""
    frames, carriers = vertical_plane("left_leg")
    law = Unilateral(friction="mu")
    return System(
        name="compass_biped",
        bodies=(
            *frames,
            Body("left_leg", mass="m", com=("L - l", 0, 0), inertia=("J",) * 3, shapes=_leg("L - l")),
            Body("right_leg", mass="m", com=("l", 0, 0), inertia=("J",) * 3, shapes=_leg("l")),
        ),
        joints=(
            *carriers,
            Revolute(name="hip", parent="left_leg", child="right_leg", axis=(0, -1, 0), at=("L", 0, 0), latex="q_2"),
        ),
        contacts=(
            StickingPoint("left_foot", body="left_leg", at=(0, 0, 0), law=law),
            StickingPoint("right_foot", body="right_leg", at=("L", 0, 0), law=law),
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("L", 1.0, "m", "length of a leg"),
            ("l", 0.5, "m", "from the hip to the mass of a leg"),
            ("m", 1.0, "kg", "mass of a leg"),
            ("J", 1e-9, "kg m^2", "moment of inertia of a leg about its mass, none in the source"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.81, "m/s^2", "gravity"),
            source="Génot 1998, section III.4",
        ),
        nominal={"pitch": "-1.2", "hip": "-2.4"},
        description="compass biped: two legs with a mass each",
    )


def _leg(at: str) -> list[Shape]:
    return [Capsule((0, 0, 0), ("L", 0, 0), "0.015*L", colour="metal"), Sphere("0.05*L", at=(at, 0, 0), colour="accent")]
