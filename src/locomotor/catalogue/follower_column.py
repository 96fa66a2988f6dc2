"""Beck's column: a slender rod under a load that follows its end. It flutters where P l²/EI = 20.05 (Beck 1952)."""

import math

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import choice, door
from locomotor.model import BodyForce, Box, CrossSection, Fixed, Frame, Rod, System, Tube


@door(load=choice("follower", "dead"))
def follower_column(load: str = "follower") -> System:
    """A column clamped at its foot that bends in a plane; the load P presses on its top.

    A "follower" load keeps along the axis of the top: no static buckling, and flutter. A "dead" one keeps its direction:
    Euler's column, which buckles at P l²/EI = pi²/4.
    """
    follows = load == "follower"
    return System(
        "follower_column" if follows else "dead_column",
        bodies=(
            Rod(
                "column",
                section=CrossSection(mass="m", EIy="EI"),
                length="l",
                strains={"bend_y": 4},
                points=12,
            ),
            Frame("top", shapes=[_arrow()] if follows else []),
        ),
        joints=(
            Fixed(name="foot", parent="world", child="column", rotation=(0.0, -math.pi / 2.0, 0.0)),
            Fixed(name="end", parent="column", child="top", at=("l", 0.0, 0.0)),
        ),
        forces=(
            BodyForce(
                "load",
                "top",
                (0.0, 0.0, 0.0),
                ("-P", 0.0, 0.0) if follows else (0.0, 0.0, "-P"),
                frame="body" if follows else "world",
            ),
        ),
        parameters=parameter_set(
            ("l", 1.0, "m", "length"),
            ("EI", 1.0, "N m^2", "stiffness against bending"),
            ("m", 1.0, "kg/m", "mass per length"),
            ("P", 15.0 if follows else 1.0, "N", "load"),
        ),
        grounds=(),
        scenery=[Box(("0.3*l", "0.3*l", "0.06*l"), at=(0, 0, "-0.03*l"), colour="dark")],
        description="column under a load that follows its top",
    )


def _arrow() -> Tube:
    """The load: it presses on the top, along its axis."""
    places = ("0.35*l", "0.15*l", "0.15*l", "0.01*l")
    return Tube([(x, 0, 0) for x in places], ("0.02*l", "0.02*l", "0.05*l", "0.001*l"), colour="accent")
