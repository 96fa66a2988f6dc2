"""The rattleback, or Celtic stone: a boat-shaped stone that turns well one way, and the other way rattles and turns back.

Its lower side is half an ellipsoid; its principal axes of inertia are turned a little against those of the ellipsoid, which
couples rocking and spin with a sign (Walker 1896; Bondi 1986). Parameters of Kane and Levinson 1982.
"""

import math

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, number
from locomotor.model import Body, Ellipsoid, Free, Gravity, RollingEllipsoid, System, Unilateral

TILTED = math.radians(0.5)
HEIGHT = math.hypot(
    0.2 * math.sin(TILTED) * math.cos(TILTED), 0.03 * math.sin(TILTED), 0.02 * math.cos(TILTED) * math.cos(TILTED)
)
SPUN = {"z": HEIGHT, "roll": TILTED, "pitch": TILTED, "roll_rate": 0.0, "pitch_rate": 0.0, "yaw_rate": -5.0}
"""A start that turns back: spun clockwise, and tilted by half a degree; it rolls."""


@door(friction=number)
def rattleback(*, friction: float = 1.0) -> System:
    """The stone with its longest axis along x; the body's frame is at the centre of the ellipsoid."""
    return System(
        name="rattleback",
        bodies=(
            Body(
                "stone",
                mass="m",
                com=(0, 0, "-h"),
                inertia=(("A", "D", 0), ("D", "B", 0), (0, 0, "C")),
                shapes=[Ellipsoid(("a", "b", "c"), colour="accent")],
            ),
        ),
        joints=(Free(name="base", parent="world", child="stone"),),
        contacts=(RollingEllipsoid("belly", "stone", (0, 0, 0), ("a", "b", "c"), law=Unilateral(friction="mu")),),
        forces=(Gravity((0, 0, "-g")),),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass"),
            ("a", 0.2, "m", "semi-axis along x"),
            ("b", 0.03, "m", "semi-axis along y"),
            ("c", 0.02, "m", "semi-axis along z"),
            ("h", 0.01, "m", "centre of mass below that of the ellipsoid"),
            ("A", 2e-4, "kg m^2", "inertia about x"),
            ("B", 1.6e-3, "kg m^2", "inertia about y"),
            ("C", 1.7e-3, "kg m^2", "inertia about z"),
            ("D", -2e-5, "kg m^2", "entry xy of the inertia"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.81, "m/s^2", "gravity"),
            source="Kane and Levinson 1982",
        ),
        nominal={"z": "c"},
        description="rattleback: turns back by itself when it is spun one way",
    )
