"""Elroy's beanie: a planar body with a rotor: docs/theory.md (A2).

Its connection is flat, yet a turn of the rotor turns the body: the circle of rotor angles has a hole.
"""

from locomotor import checks
from locomotor.catalogue.drawn_parts import eyes
from locomotor.catalogue.locomotion_parts import driven, parameter_set, torque_input
from locomotor.model import Body, Cylinder, Ellipsoid, Planar, Plate, Shape, Sphere, System, Tube

ELROY_BEANIE_GAITS = {
    "turn": {"rotor": "2*pi*smooth_step(t, 0, 1)"},
    "wiggle": {"rotor": "0.7 - 0.7*cos(2*t)"},
}
"""One turn of the rotor in a second, which the body answers with -I_r/(I_0 + I_r) of a turn; and to and fro, in vain."""


@checks.fitting
def elroy_beanie() -> System:
    """A body free in the plane and a rotor about its centre of mass: Omega = -I_r/(I_0 + I_r) r_dot."""
    return System(
        "elroy_beanie",
        bodies=(
            Body("body", mass="m", inertia=("I_0", "I_0", "I_0"), shapes=_head()),
            Body("propeller", mass="m_r", inertia=("I_r", "I_r", "I_r"), shapes=_blades()),
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


def _head() -> list[Shape]:
    """A boy's head in a beanie."""
    return [
        Ellipsoid((0.29, 0.27, 0.33), colour="skin"),
        Sphere(0.045, at=(0.3, 0, -0.04), colour="skin"),
        *(Sphere(0.06, at=(0, side, -0.02), colour="skin") for side in (-0.27, 0.27)),
        *eyes(0.25, 0.2, -0.05, 0.045),
        Tube([(0.235, -0.09, -0.15), (0.265, 0, -0.18), (0.235, 0.09, -0.15)], 0.014, smooth=True, colour="accent"),
        Ellipsoid((0.306, 0.288, 0.28), at=(0, 0, 0.11)),
        Cylinder((0, 0, 0.03), (0, 0, 0.075), 0.305, colour="light"),
        Tube([(0, 0, 0.36), (0, 0, 0.47)], 0.015, colour="metal"),
    ]


def _blades() -> list[Shape]:
    """The propeller on top."""
    blade = [(0.02, -0.015), (0.12, -0.05), (0.27, -0.045), (0.3, 0.0), (0.27, 0.045), (0.12, 0.05), (0.02, 0.015)]
    twist = 0.35
    return [
        Sphere(0.035, at=(0, 0, 0.48), colour="metal"),
        Plate(blade, 0.012, at=(0, 0, 0.48), rotation=(twist, 0, 0)),
        Plate([(-x, -y) for x, y in blade], 0.012, at=(0, 0, 0.48), rotation=(-twist, 0, 0)),
    ]
