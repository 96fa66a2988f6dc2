"""The trident snake of Ishikawa (2004): a plate with three legs, each with a wheel that does not slip sideways at its tip.

Three constraints bind the three velocities of the plate: fully constrained, and the three legs are all the shape there is.
"""

import math

from locomotor import checks
from locomotor.catalogue.drawn_parts import small_wheels
from locomotor.catalogue.locomotion_parts import FORWARD, box, driven, parameter_set, torque_input
from locomotor.model import Body, Box, Cylinder, Planar, Plate, Shape, Skate, System, Tube

LEGS = (1, 2, 3)
TRIDENT_SNAKE_GAITS = {
    "turn": {f"leg_{k}": f"0.5*sin(t + {2 * (k - 1)}*pi/3)" for k in LEGS},
    "crawl": {"leg_1": "0.4*sin(t)", "leg_2": "0.4*cos(t)", "leg_3": "-0.2*sin(t)"},
}
"""A wave around the three legs, which turns the plate; and a loop that displaces it."""


@checks.fitting
def trident_snake() -> System:
    """A triangular plate with three legs, turned against each other by 120 degrees."""
    return System(
        "trident_snake",
        bodies=(
            Body("plate", mass="m", inertia=("m*r**2/8", "m*r**2/8", "m*r**2/4"), shapes=_plate()),
            *(
                Body(f"shank_{k}", mass="m_l", com=("l/2", 0.0, 0.0), inertia=box("m_l", "l", "l/10", "l/10"), shapes=_leg())
                for k in LEGS
            ),
        ),
        joints=(
            Planar(name="base", parent="world", child="plate"),
            *(
                driven(
                    f"leg_{k}",
                    "plate",
                    f"shank_{k}",
                    at=(f"r*cos({2 * (k - 1)}*pi/3)", f"r*sin({2 * (k - 1)}*pi/3)", 0.0),
                    rotation=(0.0, 0.0, f"{2 * (k - 1)}*pi/3"),
                    description=f"angle of leg {k}, zero when it points away from the plate",
                )
                for k in LEGS
            ),
        ),
        contacts=tuple(Skate(f"wheel_{k}", body=f"shank_{k}", at=("l", 0.0, 0.0), heading=FORWARD) for k in LEGS),
        parameters=parameter_set(
            ("r", 0.1, "m", "distance of the hips from the centre of the plate"),
            ("l", 0.15, "m", "length of a leg, from hip to wheel"),
            ("m", 1.0, "kg", "mass of the plate"),
            ("m_l", 0.2, "kg", "mass of a leg"),
        ),
        inputs=tuple(torque_input(f"leg_{k}", f"torque of the plate on leg {k}") for k in LEGS),
        description="plate with three legs on wheels that do not slip sideways",
    )


HEIGHT = 0.05
"""Of plate and legs above the ground (m), as drawn."""


def _plate() -> list[Shape]:
    """A triangle with a hip at each corner and an arrow that tells where it heads."""
    turns = [2.0 * math.pi * (k + share) / 3.0 for k in range(3) for share in (-0.12, 0.12)]
    outline = [(f"{1.25 * math.cos(a)!r}*r", f"{1.25 * math.sin(a)!r}*r") for a in turns]
    arrow = [("-0.35*r", "-0.12*r"), ("0.1*r", "-0.12*r"), ("0.1*r", "-0.3*r"), ("0.6*r", "0")]
    arrow += [("0.1*r", "0.3*r"), ("0.1*r", "0.12*r"), ("-0.35*r", "0.12*r")]
    return [Plate(outline, 0.02, at=(0, 0, HEIGHT + 0.02)), Plate(arrow, 0.006, at=(0, 0, HEIGHT + 0.033), colour="light")]


def _leg() -> list[Shape]:
    """From its hip to an axle with two wheels that roll along it."""
    return [
        Cylinder((0, 0, HEIGHT - 0.01), (0, 0, HEIGHT + 0.045), 0.016, colour="metal"),
        Tube([(0, 0, HEIGHT), ("0.8*l", 0, HEIGHT), ("l", 0, 0.025)], 0.011),
        Box((0.03, 0.03, 0.02), at=("l", 0, 0.03), colour="dark"),
        *small_wheels(0.024, 0.06, at=("l", 0.024), width=0.008),
    ]
