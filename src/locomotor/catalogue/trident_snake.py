"""The trident snake of Ishikawa (2004): a plate with three legs, each with a wheel that does not slip sideways at its tip.

Three constraints bind the three velocities of the plate: fully constrained, and the three legs are all the shape there is.
"""

from locomotor.catalogue.locomotion_parts import FORWARD, box, driven, parameter_set, torque_input
from locomotor.model import Body, Planar, Skate, System

LEGS = (1, 2, 3)
TRIDENT_SNAKE_GAITS = {
    "turn": {f"leg_{k}": f"0.5*sin(t + {2 * (k - 1)}*pi/3)" for k in LEGS},
    "crawl": {"leg_1": "0.4*sin(t)", "leg_2": "0.4*cos(t)", "leg_3": "-0.2*sin(t)"},
}
"""A wave around the three legs, which turns the plate; and a loop that displaces it."""


def trident_snake() -> System:
    """A triangular plate with three legs, turned against each other by 120 degrees."""
    return System(
        "trident_snake",
        bodies=(
            Body("plate", mass="m", inertia=("m*r**2/8", "m*r**2/8", "m*r**2/4")),
            *(Body(f"shank_{k}", mass="m_l", com=("l/2", 0.0, 0.0), inertia=box("m_l", "l", "l/10", "l/10")) for k in LEGS),
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
