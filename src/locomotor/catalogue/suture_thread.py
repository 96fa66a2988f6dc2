"""A surgeon's thread: half a metre of steel wire, 0.4 mm thick, held at one end. Thin and stiff, it wants implicit steps."""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.model import Box, CrossSection, Cylinder, Fixed, Gravity, Rod, System


@checks.fitting
def suture_thread() -> System:
    """The thread sticks out along x; it bends in two planes, and does not stretch.

    Bending loses a little, as steel does. Without that (d = 0) its fastest mode, 560 rad/s, keeps what the drop gave it,
    and steps of 1 ms turn it by half a radian each and lose its phase within some tenth of a second: the path of the tip then
    converges with steps below 0.1 ms only.
    """
    return System(
        "suture_thread",
        bodies=(
            Rod(
                "thread",
                section=CrossSection.circle("r", young="E", poisson=0.3, density="rho"),
                length="l",
                strains={"bend_y": 4, "bend_z": 3},
                damping="d",
            ),
        ),
        joints=(Fixed(name="hold", parent="world", child="thread"),),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("l", 0.5, "m", "length"),
            ("r", 2e-4, "m", "radius"),
            ("E", 2e11, "Pa", "Young's modulus"),
            ("rho", 7800.0, "kg/m^3", "density"),
            ("d", 1e-4, "s", "time of retardation"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        grounds=(),
        scenery=[
            *(Box((0.05, 0.02, 0.006), at=(-0.015, 0, side * 0.005), colour="metal") for side in (-1, 1)),
            Cylinder((-0.14, 0, 0), (-0.03, 0, 0), 0.012, colour="dark"),
        ],
        description="thin steel thread held at one end",
    )
