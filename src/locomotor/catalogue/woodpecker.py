"""The woodpecker toy: a bird on a spring at a sleeve that slides down a pole, sticks, swings and pecks.

Two rigid bodies in the plane. The sleeve is wider than the pole; tilted, it jams by friction at its upper or its lower edge,
and lets go while the bird swings through; the beak strikes the pole, with restitution. Friction lets the toy down in steps, the
energy of which keeps the swing going (Glocker 1995; Leine, van Campen and Glocker 2003, whose parameters these are and whose
equations are linear in the angles: with the exact geometry a period is a tenth shorter).
"""

from typing import Any

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, number
from locomotor.model import (
    Body,
    Cylinder,
    Ellipsoid,
    Frame,
    Gravity,
    JointSpring,
    Plane,
    Prismatic,
    Revolute,
    Shape,
    Sphere,
    StickingPoint,
    System,
    Tube,
    Unilateral,
)

PECKING = {"tilt": -0.1, "swing": -0.18, "height_rate": -0.34, "tilt_rate": 0.0, "swing_rate": -7.5}
"""A start near the limit cycle: the sleeve slides, about to jam, while the bird swings down."""


@door(friction=number, restitution=number)
def woodpecker(*, friction: float = 0.3, restitution: float = 0.5) -> System:
    """The toy on its pole, the z axis: `height` of the sleeve, its angle `tilt`, and that of the bird against it, `swing`.

    The sum of both angles is that of the bird from level. The beak gives back `restitution` of its speed.
    """
    along: dict[str, Any] = {"axis": (0, -1, 0)}
    return System(
        name="woodpecker",
        bodies=(
            Frame("rider"),
            Body("tube", mass="m_M", inertia=("0.6*J_M", "J_M", "0.6*J_M"), shapes=_sleeve()),
            Body("bird", mass="m_S", com=("l_G", 0, 0), inertia=("0.6*J_S", "J_S", "0.6*J_S"), shapes=_bird()),
        ),
        joints=(
            Prismatic(name="height", parent="world", child="rider", axis=(0, 0, 1)),
            Revolute(name="tilt", parent="rider", child="tube", **along),
            Revolute(name="swing", parent="tube", child="bird", at=("l_M", 0, 0), **along),
        ),
        contacts=(
            StickingPoint("beak", "bird", ("l_G - l_S", 0, "h_S"), ground="pole", law=Unilateral("e", friction="mu")),
            StickingPoint("lower_edge", "tube", ("r_M", 0, "-h_M"), ground="pole", law=Unilateral(friction="mu")),
            StickingPoint("upper_edge", "tube", ("r_M", 0, "h_M"), ground="pole", law=Unilateral(friction="mu")),
        ),
        grounds=(Plane("pole", normal=(1, 0, 0), point=("r_0", 0, 0)),),
        forces=(Gravity((0, 0, "-g")), JointSpring("spring", "swing", "c")),
        parameters=parameter_set(
            ("m_M", 3e-4, "kg", "mass of the sleeve"),
            ("J_M", 5e-9, "kg m^2", "its inertia about its centre"),
            ("m_S", 4.5e-3, "kg", "mass of the bird"),
            ("J_S", 7e-7, "kg m^2", "its inertia about its centre of mass"),
            ("c", 5.6e-3, "N m/rad", "stiffness of the spring"),
            ("g", 9.81, "m/s^2", "gravity"),
            ("r_0", 2.5e-3, "m", "radius of the pole"),
            ("r_M", 3.1e-3, "m", "radius of the sleeve"),
            ("h_M", 5.8e-3, "m", "half the height of the sleeve"),
            ("l_M", 1.0e-2, "m", "from the pole's axis to the spring"),
            ("l_G", 1.5e-2, "m", "from the spring to the bird's centre of mass"),
            ("l_S", 2.01e-2, "m", "from there back to the beak"),
            ("h_S", 2.0e-2, "m", "height of the beak above it"),
            ("mu", friction, "1", "coefficient of friction"),
            ("e", restitution, "1", "restitution of the beak"),
            source="Leine, van Campen and Glocker 2003",
        ),
        scenery=[Cylinder((0, 0, -0.6), (0, 0, 0.06), 0.0025, colour="wood")],
        description="woodpecker toy: slides down a pole in steps, pecking",
    )


def _sleeve() -> list[Shape]:
    return [
        Cylinder((0, 0, "-h_M"), (0, 0, "h_M"), "1.3*r_M", colour="metal"),
        Cylinder(("r_M", 0, 0), ("l_M", 0, 0), "0.25*r_M", colour="metal"),  # half of the spring
    ]


def _bird() -> list[Shape]:
    """Shapes of the bird on its spring, breast to the pole: dark, with a light breast, a red crown and a long beak."""
    head = "l_G - 0.45*l_S", "0.95*h_S"
    found: list[Shape] = [
        Cylinder((0, 0, 0), ("0.7*l_G", 0, 0), "0.05*l_G", colour="metal"),  # the other half of the spring
        Ellipsoid(("0.4*l_G", "0.38*l_G", "0.75*h_S"), at=("1.05*l_G", 0, 0), rotation=(0, -0.2, 0), colour="dark"),
        Ellipsoid(("0.32*l_G", "0.3*l_G", "0.62*h_S"), at=("0.93*l_G", 0, 0), rotation=(0, -0.2, 0), colour="light"),
        Tube([("1.0*l_G", 0, "0.45*h_S"), (head[0], 0, head[1])], ("0.3*l_G", "0.24*l_G"), colour="dark"),
        Sphere("0.28*l_G", at=(head[0], 0, head[1]), colour="dark"),
        Ellipsoid(("0.27*l_G", "0.2*l_G", "0.16*l_G"), at=(f"{head[0]} + 0.06*l_G", 0, "1.12*h_S"), colour="accent"),
        Tube([(f"{head[0]} - 0.1*l_S", 0, head[1]), ("l_G - l_S", 0, "h_S")], ("0.1*l_G", "0.015*l_G"), colour="wood"),
        Tube([("1.15*l_G", 0, "-0.5*h_S"), ("0.75*l_G", 0, "-1.35*h_S")], ("0.2*l_G", "0.08*l_G"), colour="dark"),
    ]
    for side in ("-", ""):
        found += [
            Sphere("0.06*l_G", at=(f"{head[0]} - 0.12*l_G", f"{side}0.23*l_G", f"{head[1]} + 0.03*h_S"), colour="light"),
            Ellipsoid(
                ("0.2*l_G", "0.06*l_G", "0.5*h_S"),
                at=("1.15*l_G", f"{side}0.36*l_G", "-0.08*h_S"),
                rotation=(0, -0.1, 0),
                colour="accent",
            ),
        ]
    return found
