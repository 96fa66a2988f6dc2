"""ROCR, an oscillating climbing robot: a body with two switchable grips and a swinging tail, on a vertical wall.

The wall is the plane of x (horizontal) and y (up). The grips hold in turn, each for half a period, and the tail's swing
carries the free grip upward. Geometry and numbers are those of Mauny 2018, section 1.7, deduced where the table is silent
(Mauny 2018, section 1.7).
"""

from locomotor.checks import door, number, positive
from locomotor.model import (
    Body,
    BodyTorque,
    Box,
    Cylinder,
    Gravity,
    Grip,
    Motion,
    Parameter,
    ParameterSet,
    Planar,
    Revolute,
    Shape,
    StickingPoint,
    System,
    Tube,
)

SOURCE = "Mauny, PhD thesis (2018), table 1.1"
NEGLIGIBLE = 1e-9
"""Inertia of the tail about its own centre (kg m²): the table makes it a point mass, J1 = MS1²/m1."""


@door(phase=number, frequency=positive, amplitude=number)
def rocr(*, phase: float = 4.71238898038469, frequency: float = 1.5, amplitude: float = 1.0471975511965976) -> System:
    """The climbing robot with its gait: tail angle amplitude cos(2 pi f t + phase), grips every half period."""
    parameters = ParameterSet(
        [
            Parameter("a", 0.10, "m", "a", "distance between the grips", SOURCE),
            Parameter("b", 0.02, "m", "b", "distance from the middle of the grips to the tail joint", SOURCE),
            Parameter("Cv", 0.03, "N m s", r"C_\mathrm{v}", "viscous friction of the body on the wall", SOURCE),
            Parameter("m0", 0.199, "kg", "m_0", "mass of the body", SOURCE),
            Parameter("m1", 0.100, "kg", "m_1", "mass of the tail", SOURCE),
            Parameter("MS0", 3.5e-3, "kg m", "MS_0", "first moment of the body", SOURCE),
            Parameter("MS1", 30e-3, "kg m", "MS_1", "first moment of the tail about its joint", SOURCE),
            Parameter("J0", 1.3e-4, "kg m^2", "J_0", "inertia of the body about the middle of the grips", SOURCE),
            Parameter("Jt", NEGLIGIBLE, "kg m^2", r"J_\mathrm{t}", "inertia of the tail about its own centre", "negligible"),
            Parameter("g", 9.81, "m/s^2", "g", "gravity", "standard"),
            Parameter("f", frequency, "Hz", "f", "frequency of the gait", "Mauny 2018, section 1.7"),
            Parameter("A", amplitude, "rad", "A", "amplitude of the tail", "Mauny 2018, section 1.7"),
            Parameter("phase", phase, "rad", r"\varphi", "phase of the tail when the first grip closes", "set by the user"),
        ]
    )
    spin = "J0 - MS0**2/m0"
    return System(
        name="rocr",
        bodies=(
            Body("body", mass="m0", com=("MS0/m0", 0.0, 0.0), inertia=(spin, spin, spin), shapes=_climber()),
            Body(
                "tail",
                mass="m1",
                com=("MS1/m1", 0.0, 0.0),
                inertia=("Jt", "Jt", "Jt"),
                shapes=[
                    Tube([(0, 0, 0.035), ("MS1/m1", 0, 0.035)], (0.006, 0.004), colour="dark"),
                    Cylinder(("MS1/m1", 0, 0.02), ("MS1/m1", 0, 0.05), 0.022, colour="accent"),
                ],
            ),
        ),
        joints=(
            Planar(name="base", parent="world", child="body"),
            Revolute(
                name="swing",
                parent="body",
                child="tail",
                at=("b", 0.0, 0.0),
                axis=(0.0, 0.0, 1.0),
                # The sources let the tail give way in an impact: with a tail held through it their gaits do not exist.
                drive=Motion("A*cos(2*pi*f*t + phase)", yields=True),
                latex="r_1",
                description="angle of the tail",
            ),
        ),
        contacts=(
            StickingPoint("grip_1", body="body", at=(0.0, "-a/2", 0.0), law=Grip("sin(2*pi*f*t)")),
            StickingPoint("grip_2", body="body", at=(0.0, "a/2", 0.0), law=Grip("-sin(2*pi*f*t)")),
        ),
        forces=(
            Gravity((0.0, "-g", 0.0)),
            BodyTorque("wall_friction", body="body", components=(0.0, 0.0, "-Cv*yaw_rate"), frame="body"),
        ),
        parameters=parameters,
        independent=None,
        description="ROCR: two bodies, two grips that hold in turn, a tail that swings",
    )


def _climber() -> list[Shape]:
    """A flat body whose two arms end in grips on the wall, and the motor of the tail."""
    shapes: list[Shape] = [
        Box(("2*b + 0.03", "0.5*a", 0.022), at=("b/2", 0, 0.026)),
        Box(("b + 0.01", "0.3*a", 0.012), at=("b/2 - 0.005", 0, 0.042), colour="light"),
        Cylinder(("b", 0, 0.02), ("b", 0, 0.055), 0.014, colour="metal"),
    ]
    for side in ("-", ""):
        grip = f"{side}a/2"
        shapes += [
            Tube([(0, f"{side}a/5", 0.026), (0, grip, 0.026), (0, grip, 0.014)], 0.009),
            Cylinder((0, grip, 0.0), (0, grip, 0.012), 0.016, colour="rubber"),
            Cylinder((0, grip, 0.012), (0, grip, 0.022), 0.011, colour="accent"),
        ]
    return shapes
