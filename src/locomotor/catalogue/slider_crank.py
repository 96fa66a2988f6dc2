"""A slider-crank: crank, connecting rod and a slider on a line through the pivot of the crank.

With the angle phi of the crank of length r and a rod of length l, the slider is at x = r cos phi + sqrt(l² - r² sin² phi).
"""

from locomotor import checks
from locomotor.catalogue.linkage_parts import bar
from locomotor.catalogue.locomotion_parts import FORWARD, LEFT, hinge, parameter_set
from locomotor.model import Body, Box, Cylinder, Gravity, Prismatic, RevoluteClosure, System


@checks.fitting
def slider_crank() -> System:
    """Homogeneous bars in a vertical plane and a block; `crank`, `rod` (from the crank) are angles, `slider` a place."""
    return System(
        "slider_crank",
        bodies=(
            bar("crank_bar", "r", "rho", colour="accent"),
            bar("rod_bar", "l", "rho", layer=1),
            Body("block", mass="m", inertia=("m*0.002", "m*0.002", "m*0.002"), shapes=[Box((0.16, 0.06, 0.1), colour="wood")]),
        ),
        joints=(
            hinge("crank", "world", "crank_bar", axis=LEFT, description="angle of the crank, positive downwards"),
            hinge("rod", "crank_bar", "rod_bar", at=("r", 0.0, 0.0), axis=LEFT),
            Prismatic(name="slider", parent="world", child="block", axis=FORWARD, description="place of the slider"),
        ),
        loops=(RevoluteClosure("pin", "rod_bar", "block", at_a=("l", 0.0, 0.0), axis_a=LEFT),),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("r", 0.2, "m", "length of the crank"),
            ("l", 0.5, "m", "length of the connecting rod"),
            ("m", 0.4, "kg", "mass of the slider"),
            ("rho", 1.0, "kg/m", "mass of a metre of bar"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        independent=("crank_rate",),
        nominal={"crank": -0.6, "rod": 0.8, "slider": 0.65},
        scenery=[
            Box(("2*r + 0.2", 0.08, 0.02), at=("l", 0.0, -0.06), colour="dark"),
            Box(("l + r + 0.14", 0.02, 0.02), at=("(l + r + 0.06)/2", -0.05, -0.06), colour="dark"),
            Box((0.05, 0.02, 0.09), at=(0.0, -0.05, -0.025), colour="dark"),
            Cylinder((0.0, -0.065, 0.0), (0.0, 0.02, 0.0), 0.013, colour="metal"),
        ],
        description="slider-crank: crank, connecting rod and slider",
    )
