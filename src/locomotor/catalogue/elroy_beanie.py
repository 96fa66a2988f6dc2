"""Elroy's beanie: a planar body with a rotor: docs/theory.md (A2).

Its connection is flat, yet a turn of the rotor turns the body: the circle of rotor angles has a hole.
"""

from locomotor.catalogue.locomotion_parts import driven, parameter_set, torque_input
from locomotor.model import Body, Planar, System

ELROY_BEANIE_GAITS = {
    "turn": {"rotor": "2*pi*smooth_step(t, 0, 1)"},
    "wiggle": {"rotor": "0.7 - 0.7*cos(2*t)"},
}
"""One turn of the rotor in a second, which the body answers with -I_r/(I_0 + I_r) of a turn; and to and fro, in vain."""


def elroy_beanie() -> System:
    """A body free in the plane and a rotor about its centre of mass: Omega = -I_r/(I_0 + I_r) r_dot."""
    return System(
        "elroy_beanie",
        bodies=(
            Body("body", mass="m", inertia=("I_0", "I_0", "I_0")),
            Body("propeller", mass="m_r", inertia=("I_r", "I_r", "I_r")),
        ),
        joints=(
            Planar(name="base", parent="world", child="body"),
            driven("rotor", "body", "propeller", description="angle of the rotor"),
        ),
        parameters=parameter_set(
            ("m", 2.0, "kg", "mass of the body"),
            ("m_r", 0.5, "kg", "mass of the rotor"),
        )
        + parameter_set(
            ("I_0", 1.0, "kg m^2", "inertia of the body"),
            ("I_r", 0.5, "kg m^2", "inertia of the rotor"),
            source="values chosen here",
        ),
        inputs=(torque_input("rotor", "torque of the body on the rotor"),),
        description="planar body with a rotor at its centre of mass, no outside force",
    )
