"""A double pendulum in space: the second hinge is at right angles to the first.

A plane one hides errors in the accelerations of axes that stay parallel (docs/theory.md (B3)); this one shows them. Numbers are
ours, for the method of maximal coordinates of Llibre (ONERA, 2009, chapter 4).
"""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import FORWARD, LEFT, hinge, parameter_set
from locomotor.model import Body, Capsule, Cylinder, Gravity, Sphere, System, Tube

SWINGING = {"first": 0.6, "second": -0.8, "first_rate": 1.2, "second_rate": 2.5}
"""A start worth watching; the numbers of the scenarios are of this one."""


@checks.fitting
def double_pendulum() -> System:
    """`first` is an angle about x, `second` about the y axis of the first body; both hang down at zero."""
    return System(
        "double_pendulum",
        bodies=(
            Body(
                "one",
                mass="m_1",
                com=(0.0, 0.0, "-l/2"),
                inertia=(0.17, 0.16, 0.02),
                shapes=[
                    Capsule((0.0, 0.0, 0.0), (0.0, 0.0, "-l"), 0.03, colour="wood"),
                    Cylinder((-0.09, 0.0, 0.0), (0.09, 0.0, 0.0), 0.05, colour="dark"),
                ],
            ),
            Body(
                "two",
                mass="m_2",
                com=("a", 0.0, "-b"),
                inertia=(0.09, 0.08, 0.015),
                shapes=[
                    Tube([(0.0, 0.0, 0.0), (0.0, 0.0, "-b"), ("a", 0.0, "-1.6*b")], 0.028, colour="metal"),
                    Sphere(0.08, at=("a", 0.0, "-1.6*b"), colour="accent"),
                    Cylinder((0.0, -0.09, 0.0), (0.0, 0.09, 0.0), 0.045, colour="dark"),
                ],
            ),
        ),
        joints=(
            hinge("first", "world", "one", axis=FORWARD, description="angle of the first body about x"),
            hinge("second", "one", "two", at=(0.0, 0.0, "-l"), axis=LEFT, description="angle of the second body about its y"),
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("l", 1.0, "m", "between the hinges"),
            ("a", 0.1, "m", "centre of mass of the second body, aside"),
            ("b", 0.4, "m", "centre of mass of the second body, below its hinge"),
            ("m_1", 2.0, "kg", "mass of the first body"),
            ("m_2", 1.5, "kg", "mass of the second body"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        grounds=(),
        scenery=[Cylinder((-0.3, 0.0, 0.0), (0.3, 0.0, 0.0), 0.02, colour="metal")],
        description="double pendulum in space: two hinges at right angles",
    )
