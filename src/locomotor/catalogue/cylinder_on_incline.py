"""A cylinder on an incline, in the five ways of Llibre (2009, section 2): it rolls where tan(alpha) < 3 mu, else it slides.

Axes are those of the incline, x up the slope and y off it; `theta` is such that the point of contact slips at
x_rate + r theta_rate. Rolling, x_rate' = -2/3 g sin(alpha), and the ground pushes with m g sin(alpha)/3 along the slope and
m g cos(alpha) across it. Sliding with a slip of sign s, x_rate' = -g (sin(alpha) + s mu cos(alpha)) and
r theta_rate' = -2 s mu g cos(alpha); the note prints + there.
"""

import math

from locomotor.catalogue.locomotion_parts import FORWARD, UP, disc, parameter_set
from locomotor.checks import choice, door, number
from locomotor.model import (
    Body,
    Box,
    Constraint,
    Contact,
    Coupling,
    Cylinder,
    Frame,
    Gravity,
    Joint,
    Prismatic,
    Revolute,
    RollingDisc,
    System,
    Unilateral,
    VelocityConstraint,
)

TREATMENTS = {
    "holonomic": "one coordinate",
    "integrated": "two, joined by x + r theta = 0",
    "multiplier": "two, and the force of friction",
    "two_multipliers": "three, and both forces of the ground",
    "contact": "three, and friction that may slide",
}


@door(treatment=choice(*TREATMENTS), friction=number)
def cylinder_on_incline(treatment: str = "contact", *, friction: float = 0.3) -> System:
    """A homogeneous cylinder; where two treatments share coordinates, these have the same names.

    - "holonomic": `x` alone, and half its mass again for what turns;
    - "integrated": `x` and `theta`, joined by their positions, x + r theta = 0;
    - "multiplier": `x` and `theta`, joined by their rates; `simulate` works without the multiplier of `rolls`, which is a
      channel; `derive` solves for it: the force of friction;
    - "two_multipliers": `y` too, which `stays` holds; its multiplier is the push of the ground;
    - "contact": the same three, on ground with `friction`, which holds the cylinder or lets it slide.
    """
    alone = treatment == "holonomic"
    lifts = treatment in ("two_multipliers", "contact")
    frames = [] if alone else ["carrier", "lifted"] if lifts else ["carrier"]
    height = (0.0, 0.0, 0.0 if lifts else "r")
    joints: list[Joint] = [
        Prismatic(
            name="x",
            parent="world",
            child="wheel" if alone else "carrier",
            axis=FORWARD,
            at=height,
            rotor="m/2" if alone else 0.0,
            description="place up the slope",
        )
    ]
    if lifts:
        joints.append(Prismatic(name="y", parent="carrier", child="lifted", axis=UP, description="distance off the slope"))
    if not alone:
        joints.append(Revolute(name="theta", parent=frames[-1], child="wheel", axis=(0.0, -1.0, 0.0), description="rotation"))
    rolls = VelocityConstraint("rolls", {"x_rate": 1.0, "theta_rate": "r"})
    held: dict[str, list[Constraint]] = {
        "integrated": [Coupling("rolls", "x + r*theta")],
        "multiplier": [rolls],
        "two_multipliers": [rolls, Coupling("stays", "y - r")],
    }
    line = RollingDisc("line", "wheel", (0.0, 0.0, 0.0), radius="r", axis=(0.0, 1.0, 0.0), law=Unilateral(friction="mu"))
    touches: list[Contact] = [line] if treatment == "contact" else []
    return System(
        "cylinder_on_incline" if treatment == "contact" else f"cylinder_on_incline_{treatment}",
        bodies=[
            *(Frame(name) for name in frames),
            Body(
                "wheel",
                mass="m",
                inertia=disc("m", "r"),
                shapes=[
                    Cylinder((0.0, "-2*r", 0.0), (0.0, "2*r", 0.0), "r", colour="wood"),
                    Box(("1.6*r", "4.04*r", "0.15*r"), colour="accent"),
                ],
            ),
        ],
        joints=joints,
        constraints=held.get(treatment, []),
        contacts=touches,
        forces=(Gravity(("-g*sin(alpha)", 0.0, "-g*cos(alpha)")),),
        parameters=parameter_set(
            ("m", 2.0, "kg", "mass"),
            ("r", 0.1, "m", "radius"),
            ("alpha", math.pi / 6.0, "rad", "angle of the incline"),
            *((("mu", friction, "1", "coefficient of friction"),) if touches else ()),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        nominal={"y": "r"} if lifts else {},
        scenery=[Box((2.4, 0.6, 0.02), at=(-0.6, 0.0, -0.01), colour="metal")],
        description=f"cylinder on an incline: {TREATMENTS[treatment]}",
    )
