"""A soft manipulator: a hanging arm of silicone, bent by three tendons."""

import math
from functools import partial

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, whole
from locomotor.model import CrossSection, Cylinder, Fixed, Gravity, Input, Rod, Strain, System, Tendon

STRAINS = ("stretch", "twist", "bend_y", "bend_z")
TENDONS = 3


@door(pieces=partial(whole, least=1, most=20))
def soft_manipulator(pieces: int = 2) -> System:
    """An arm that hangs down from a base, its strains constant on `pieces`: four coordinates each, 20 for five of them.

    Three tendons run along it, a third of a turn apart, up to its end; `pull_1`, `pull_2` and `pull_3` are their tensions.
    """
    angles = [2.0 * math.pi * k / TENDONS for k in range(TENDONS)]
    return System(
        "soft_manipulator" if pieces == 2 else f"soft_manipulator_{pieces}",
        bodies=(
            Rod(
                "arm",
                section=CrossSection.circle("r", young="E", poisson=0.45, density="rho"),
                length="l",
                strains=tuple(Strain(name, pieces, "piecewise") for name in STRAINS),
                points=3,
                damping="damping",
            ),
        ),
        joints=(Fixed(name="base", parent="world", child="arm", rotation=(0.0, math.pi / 2.0, 0.0)),),
        forces=(
            Gravity((0.0, 0.0, "-g")),
            *(
                Tendon(f"tendon_{k + 1}", "arm", at=(f"{math.cos(a)}*d", f"{math.sin(a)}*d"), tension=f"pull_{k + 1}")
                for k, a in enumerate(angles)
            ),
        ),
        inputs=tuple(Input(f"pull_{k + 1}", "N", description=f"tension of tendon {k + 1}") for k in range(TENDONS)),
        parameters=parameter_set(
            ("l", 0.4, "m", "length of the arm"),
            ("r", 0.012, "m", "radius of the arm"),
            ("d", 0.01, "m", "distance of the tendons from the axis"),
            ("E", 2e5, "Pa", "Young's modulus"),
            ("rho", 1070.0, "kg/m^3", "density"),
            ("damping", 0.002, "s", "time of retardation"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        grounds=(),
        scenery=[
            Cylinder((0, 0, 0), (0, 0, "1.5*r"), "2*r", colour="dark"),
            Cylinder((0, 0, "1.5*r"), (0, 0, "2.2*r"), "5*r", colour="metal"),
        ],
        description="soft arm that hangs down and is bent by three tendons",
    )
