"""Euler's disc: a coin that wobbles on a table, rolling on its rim, with friction.

In a steady wobble at a small tilt a the point of contact goes round at the rate W with W^2 sin(a) = 4 g/r for a thin disc whose
centre stands still (Moffatt 2000). Without rolling resistance it goes on for ever; slips alone take energy.
"""

import math

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, number
from locomotor.model import Body, Cylinder, Free, Gravity, RollingDisc, System, Unilateral

TILT = 0.3
RATE = math.sqrt(4.0 * 9.81 / (0.0376 * math.sin(TILT)))
"""Tilt (rad) and rate (rad/s) of a steady wobble."""
WOBBLING = {"z": 0.0376 * math.sin(TILT), "roll": TILT, "pitch_rate": RATE * math.sin(TILT), "roll_rate": 0.0, "yaw_rate": 0.0}
"""A start in that wobble: the disc turns about the radius to its point of contact, its centre stands still."""


@door(friction=number)
def euler_disc(*, friction: float = 0.5) -> System:
    """A thin homogeneous disc whose rim may touch the table; its axis is that of z, so that `roll` is its tilt."""
    return System(
        name="euler_disc",
        bodies=(
            Body(
                "coin",
                mass="m",
                inertia=("m*r**2/4", "m*r**2/4", "m*r**2/2"),
                shapes=[Cylinder((0, 0, "-0.04*r"), (0, 0, "0.04*r"), "r", colour="metal")],
            ),
        ),
        joints=(Free(name="base", parent="world", child="coin"),),
        contacts=(RollingDisc("rim", "coin", (0, 0, 0), (0, 0, 1), "r", law=Unilateral(friction="mu")),),
        forces=(Gravity((0, 0, "-g")),),
        parameters=parameter_set(
            ("m", 0.44, "kg", "mass"),
            ("r", 0.0376, "m", "radius"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.81, "m/s^2", "gravity"),
            source="ours; mass and size as in Moffatt 2000",
        ),
        nominal={"z": "r*sin(0.5)", "qw": "cos(0.25)", "qx": "sin(0.25)"},
        description="Euler's disc: a coin that wobbles on a table",
    )
