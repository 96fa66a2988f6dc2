"""A free rigid body: Euler's equations, A p' = (B - C) q r and so on.

With A = B the pair (p, q) turns at the rate (C - A) r/A at constant r. About the axis of the middle moment a rotation is
unstable: the body turns over again and again (Poinsot 1834), at intervals given by an elliptic integral.
"""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.model import Body, Box, Cylinder, Free, System

TURNING_OVER = {"roll_rate": 1e-3, "pitch_rate": 4.0}
"""Nearly about the axis of the middle moment."""


@checks.fitting
def free_rigid_body() -> System:
    """A body in empty space with the principal moments `A`, `B` and `C`, turning at `roll_rate`, `pitch_rate`, `yaw_rate`."""
    return System(
        "free_rigid_body",
        bodies=(
            Body(
                "body",
                mass="m",
                inertia=("A", "B", "C"),
                shapes=[
                    Box((0.9, 0.55, 0.1), colour="wood"),
                    Cylinder((0.0, 0.275, 0.0), (0.0, 0.5, 0.0), 0.05, colour="accent"),
                    Cylinder((0.45, 0.0, 0.0), (0.6, 0.0, 0.0), 0.04, colour="metal"),
                ],
            ),
        ),
        joints=(Free(name="base", parent="world", child="body"),),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass"),
            ("A", 0.3, "kg m^2", "moment of inertia about x"),
            ("B", 0.5, "kg m^2", "moment of inertia about y"),
            ("C", 0.6, "kg m^2", "moment of inertia about z"),
        ),
        grounds=(),
        description="free rigid body in empty space",
    )
