"""A planar robot of two turning joints (2R), driven directly; for the algorithms of Llibre (ONERA, 2009, chapter 3)."""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import FORWARD, driven, parameter_set, torque_input
from locomotor.model import Body, Box, Capsule, Cylinder, Gravity, System


@checks.fitting
def robot_2r() -> System:
    """`shoulder` is the angle of the first arm above the level, `elbow` the second's from the first; torques drive both."""
    return System(
        "robot_2r",
        bodies=(
            Body(
                "upper_arm", mass="m_1", com=(0.0, "d_1", 0.0), inertia=("I_1", 0.01, "I_1"), shapes=_arm("l_1", 0.05, "wood")
            ),
            Body("forearm", mass="m_2", com=(0.0, "d_2", 0.0), inertia=("I_2", 0.01, "I_2"), shapes=_arm(0.8, 0.035, "accent")),
        ),
        joints=(
            driven("shoulder", "world", "upper_arm", axis=FORWARD, description="angle of the first arm above the level"),
            driven("elbow", "upper_arm", "forearm", at=(0.0, "l_1", 0.0), axis=FORWARD, description="angle between the arms"),
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        inputs=(torque_input("shoulder", "torque at the shoulder"), torque_input("elbow", "torque at the elbow")),
        parameters=parameter_set(
            ("l_1", 1.0, "m", "from shoulder to elbow"),
            ("d_1", 0.5, "m", "from the shoulder to the centre of mass of the first arm"),
            ("d_2", 0.4, "m", "from the elbow to that of the second"),
            ("m_1", 2.0, "kg", "mass of the first arm"),
            ("m_2", 1.5, "kg", "mass of the second arm"),
            ("I_1", 0.2, "kg m^2", "inertia of the first arm about its centre of mass"),
            ("I_2", 0.1, "kg m^2", "inertia of the second arm about its centre of mass"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        grounds=(),
        scenery=[
            Box((0.12, 0.12, 0.5), at=(-0.16, 0.0, -0.25), colour="dark"),
            Cylinder((-0.16, 0, 0), (0, 0, 0), 0.07, colour="metal"),
        ],
        description="planar robot of two turning joints",
    )


def _arm(length: str | float, radius: float, colour: str) -> list[Capsule | Cylinder]:
    return [
        Capsule((0.0, 0.0, 0.0), (0.0, length, 0.0), radius, colour=colour),
        Cylinder((-1.3 * radius, 0.0, 0.0), (1.3 * radius, 0.0, 0.0), 1.3 * radius, colour="dark"),
    ]
