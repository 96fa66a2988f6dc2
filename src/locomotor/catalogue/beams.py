"""Beams that bend while they move: a pendulum with an elastic strip, and a beam that is spun up about one end."""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import parameter_set, torque_input
from locomotor.model import (
    Body,
    Box,
    CrossSection,
    Cylinder,
    Fixed,
    FlexibleBody,
    Frame,
    Gravity,
    ParameterSet,
    Revolute,
    Sphere,
    System,
    Torque,
)

SPIN_UP = {
    "spin_up": {"hub": "if_else(t < 15, 0.4*(t**2/2 + (7.5/pi)**2*(cos(2*pi*t/15) - 1)), 6*t - 45)"},
}
"""From rest to 6 rad/s in 15 s, without a jump of the acceleration (Kane, Ryan and Banerjee 1987; Simo and Vu-Quoc 1986)."""


@checks.fitting
def flexible_pendulum(shapes: int = 2) -> System:
    """A bob on a strip of plastic that hangs from a hinge; the strip bends in `shapes` shapes and is damped a little."""
    section = CrossSection.rectangle(0.03, 0.008, young="E", density=1100.0)
    strip = FlexibleBody("strip", "L", section, bending_z=shapes, damping=0.01, modes="polynomial", stiffening=True)
    return System(
        "flexible_pendulum",
        bodies=(strip, Body("bob", "m", inertia=("0.4*m*0.04**2",) * 3, shapes=(Sphere(0.04, colour="metal"),))),
        joints=(
            # x of the strip points down.
            Revolute(
                name="hinge", parent="world", child="strip", axis=(0.0, 1.0, 0.0), rotation=(0.0, "pi/2", 0.0),
                description="angle of the strip at the hinge",
            ),
            Fixed(name="knot", parent="strip", child="bob", at=("L", 0.0, 0.0)),
        ),
        forces=(Gravity(),),
        parameters=parameter_set(
            ("L", 0.6, "m", "length of the strip"),
            ("m", 0.15, "kg", "mass of the bob"),
            ("E", 5e8, "Pa", "Young's modulus of the strip"),
        ),
        scenery=[
            Cylinder((0.0, -0.03, 0.0), (0.0, 0.03, 0.0), 0.012, colour="metal"),
            Box((0.2, 0.1, 0.03), at=(0.0, 0.0, 0.045), colour="dark"),
            *(Box((0.04, 0.008, 0.05), at=(0.0, y, 0.015), colour="dark") for y in (-0.026, 0.026)),
        ],
        description="bob on a strip of plastic that bends",
    )  # fmt: skip


@checks.fitting
def spinning_beam(stiffening: bool = True) -> System:
    """A beam that a hub spins about the vertical; without `stiffening` the linear kinematics make it soften and fail."""
    section = CrossSection(mass="rho_A", EA="EA", EIz="EI", second=(0.0, 0.0, 0.0), outline=(0.15, 0.3))
    beam = FlexibleBody("beam", "L", section, bending_y=3, stretch=3, modes="polynomial", stiffening=stiffening)
    return System(
        "spinning_beam",
        bodies=(Frame("stand", shapes=(Cylinder((0.0, 0.0, -0.6), (0.0, 0.0, 0.3), 0.3, colour="dark"),)), beam),
        joints=(
            Fixed(name="footing", parent="world", child="stand"),
            Revolute(
                name="hub", parent="stand", child="beam", axis=(0.0, 0.0, 1.0), drive=Torque("hub_torque"),
                description="angle of the hub",
            ),
        ),
        parameters=_simo(),
        inputs=(torque_input("hub", "torque on the hub"),),
        description="beam spun up about one end",
    )  # fmt: skip


def _simo() -> ParameterSet:
    return parameter_set(
        ("L", 10.0, "m", "length"),
        ("rho_A", 1.2, "kg/m", "mass per length"),
        ("EA", 2.8e7, "N", "stiffness against stretch"),
        ("EI", 1.4e4, "N m^2", "stiffness against bending"),
        source="Simo and Vu-Quoc (1986), On the dynamics of flexible beams under large overall motions, part II, section 4.1",
    )
