"""A bar that lies on two supports and is hit by a ball: Glocker's example of an impact that a contact does not survive.

Hit between its supports, the bar pushes on both. Hit outside, it would have to be held down by the farther one, which lets go
instead (Mauny 2018, remark 3.6 and fig. 3.6, without numbers: ours).
"""

import math

from locomotor.catalogue.locomotion_parts import LEFT, UP, parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, flag, number
from locomotor.model import (
    Body,
    Box,
    Coupling,
    Frame,
    Gravity,
    Plate,
    Prismatic,
    Revolute,
    SlidingPoint,
    Sphere,
    StickingPoint,
    System,
    Unilateral,
)

UPRIGHT = (math.pi / 2.0, 0.0, 0.0)
"""Turns an outline so that its second axis points up."""


@door(restitution=number, sticking=flag)
def supported_bar(*, restitution: float = 0.0, sticking: bool = True) -> System:
    """A bar with feet `left` and `right` at -a and a, and a ball at `along` + `height` in the axes of the bar.

    The ball touches where its height is its radius; `restitution` is that of the ball on the bar, while the supports are
    plastic. Its three coordinates are relative to the bar, and it is free in all of them.
    """
    frames, carriers = vertical_plane("bar")
    foot = StickingPoint if sticking else SlidingPoint
    spin = "2*mb*r**2/5"
    return System(
        name="supported_bar",
        bodies=(
            *frames,
            Body(
                "bar",
                mass="m",
                inertia=("m*L**2/12", "m*L**2/12", "m*L**2/12"),
                shapes=[Box(("L", "L/12", "r/3"), at=(0, 0, "-r/6"), colour="wood")],
            ),
            Frame("along_bar"),
            Frame("above_bar"),
            Body("ball", mass="mb", inertia=(spin, spin, spin), shapes=[Sphere("r", colour="accent")]),
        ),
        joints=(
            *carriers,
            Prismatic(name="along", parent="bar", child="along_bar", axis=(1.0, 0.0, 0.0), description="place of the ball"),
            Prismatic(name="height", parent="along_bar", child="above_bar", axis=UP, description="height of the ball's centre"),
            Revolute(name="spin", parent="above_bar", child="ball", axis=LEFT),
        ),
        contacts=tuple(
            foot(name, body="bar", at=(place, 0.0, 0.0), law=Unilateral()) for name, place in (("left", "-a"), ("right", "a"))
        ),
        constraints=(Coupling("ball_on_bar", "height - r", law=Unilateral(restitution=restitution)),),
        scenery=[
            *(
                Plate([("-2*r", "-6*r"), ("2*r", "-6*r"), (0, 0)], "L/8", at=(x, 0, "-r/3"), rotation=UPRIGHT)
                for x in ("-a", "a")
            ),
            Box(("1.4*L", "L/2", "r/3"), at=(0, 0, "-6.5*r"), colour="light"),
        ],
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("m", 2.0, "kg", "mass of the bar"),
            ("L", 2.0, "m", "length of the bar"),
            ("a", 0.5, "m", "distance of each support from the middle"),
            ("mb", 0.5, "kg", "mass of the ball"),
            ("r", 0.05, "m", "radius of the ball"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        nominal={"height": "0.5 + r"},
        description="bar on two supports, hit by a ball",
    )
