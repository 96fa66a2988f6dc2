"""A plate that falls through air, edge to the ground: it flutters from side to side, or tumbles, as cards and leaves do.

The motion is in a vertical plane. Lift, drag and the lift of turning are those of Andersen, Pesavento and Wang, J. Fluid
Mech. 541 (2005): CL = 1.2 sin 2 alpha, CD = 1.4 - cos 2 alpha, rotation about the middle of the chord (C_R = 1.6, that is 2
pi (3/4 - 1/2)), and the added mass of a flat plate, whose moment turns the plate broadside. Which way it falls depends on the
inertia of the plate against that of the air: a thin card flutters, a thicker one tumbles.
"""

import math

from locomotor import checks
from locomotor.catalogue.locomotion_parts import OURS
from locomotor.checks import choice
from locomotor.errors import ModelError
from locomotor.model import Air, Body, Box, Gravity, Parameter, ParameterSet, Planar, System, Wing

THICKNESS = {"flutter": 0.05e-3, "tumble": 0.5e-3}
ROWS: tuple[tuple[str, float, str, str], ...] = (
    ("chord", 50e-3, "m", "width of the plate"),
    ("length", 100e-3, "m", "length of the plate, across the motion"),
    ("rho_plate", 800.0, "kg/m^3", "density of the plate"),
    ("rho", 1.2, "kg/m^3", "density of the air"),
    ("g", 9.81, "m/s^2", "gravity"),
)
UPRIGHT = (math.pi / 2.0, 0.0, 0.0)
"""Turns the plane of the motion into the vertical: its second axis is up."""


@checks.fitting
def falling_plate(kind: str = "flutter") -> System:
    """A card that falls: `kind` "flutter" (0.05 mm thick) or "tumble" (0.5 mm)."""
    choice(*THICKNESS, error=ModelError)(kind, "falling_plate: kind")
    rows = [Parameter(name, value, unit, "", about, OURS) for name, value, unit, about in ROWS]
    rows.append(Parameter("thickness", THICKNESS[kind], "m", "", "thickness of the plate", OURS))
    mass = "rho_plate*chord*length*thickness"
    inertia = (
        f"{mass}*(thickness**2 + length**2)/12",
        f"{mass}*(chord**2 + length**2)/12",
        f"{mass}*(chord**2 + thickness**2)/12",
    )
    card = Box(("chord", "max(thickness, 0.0004)", "length"), colour="#d8c7a0")
    return System(
        "falling_plate" if kind == "flutter" else "falling_plate_tumbling",
        bodies=(Body("card", mass=mass, inertia=inertia, shapes=[card]),),
        joints=(Planar(name="base", parent="world", child="card", rotation=UPRIGHT),),
        forces=(
            Gravity((0.0, 0.0, "-g")),
            Air(density="rho"),
            Wing(
                "plate", "card", length="length", chord="chord", root=(0.0, 0.0, "-length/2"), span=(0.0, 0.0, 1.0),
                chord_axis=(1.0, 0.0, 0.0), normal=(0.0, 1.0, 0.0), axis=0.5, centre=0.5, sections=1, lift="wang2004",
                drag="wang2004", spin=2.0, mechanisms=("translation", "rotation", "added_mass", "spin"),
            ),
        ),
        parameters=ParameterSet(rows),
        description="a card that falls in a vertical plane",
    )  # fmt: skip
