"""A delta robot: three driven arms and three pairs of rods carry a plate that keeps its attitude (Clavel 1985).

The rods of a pair are parallel and equal, so that the plate cannot turn; they are light, and are conditions rather than bodies.
"""

import math

from locomotor import checks
from locomotor.catalogue.locomotion_parts import parameter_set, torque_input
from locomotor.model import Body, Capsule, Cylinder, Free, Gravity, Plate, Revolute, RodClosure, System, Torque

ARMS = (1, 2, 3)
DELTA_GAITS = {"circle": {f"arm_{k}": f"0.45 + 0.3*sin(3*t + {2.0 * math.pi / 3.0 * (k - 1):.6f})" for k in ARMS}}
"""The plate goes round in a level circle of 0.09 m radius."""


@checks.fitting
def delta_robot() -> System:
    """The plate is the root and has plain names; `arm_1`, `arm_2`, `arm_3` are driven by `arm_k_torque`, zero where level."""
    turn = {k: 2.0 * math.pi / 3.0 * (k - 1) for k in ARMS}

    def around(k: int, out: str, aside: str = "0", z: str = "0") -> tuple[str, str, str]:
        """A point so far out from the axis in the direction of arm k, and aside of it."""
        c, s = math.cos(turn[k]), math.sin(turn[k])
        return (f"({out})*({c}) - ({aside})*({s})", f"({out})*({s}) + ({aside})*({c})", z)

    return System(
        "delta_robot",
        bodies=(
            Body(
                "plate",
                mass="M",
                inertia=("M*0.002", "M*0.002", "M*0.004"),
                shapes=[
                    Plate([around(k, "r", f"{side}w")[:2] for k in ARMS for side in ("-", "")], 0.015, colour="accent"),
                    Cylinder((0, 0, -0.05), (0, 0, 0), 0.01, colour="dark"),
                ],
            ),
            *(
                Body(
                    f"arm_{k}_bar",
                    mass="m",
                    com=("a/2", 0.0, 0.0),
                    inertia=("m*0.0001", "m*a**2/12", "m*a**2/12"),
                    shapes=[
                        Capsule((0, 0, 0), ("a", 0, 0), 0.012, colour="metal"),
                        Capsule(("a", "-w", 0), ("a", "w", 0), 0.008),
                    ],
                )
                for k in ARMS
            ),
        ),
        joints=(
            Free(name="base", parent="world", child="plate"),
            *(
                Revolute(
                    name=f"arm_{k}",
                    parent="world",
                    child=f"arm_{k}_bar",
                    at=around(k, "R"),
                    rotation=(0.0, 0.0, turn[k]),
                    axis=(0.0, 1.0, 0.0),
                    drive=Torque(f"arm_{k}_torque"),
                    description=f"angle of arm {k}, positive downwards",
                )
                for k in ARMS
            ),
        ),
        loops=tuple(
            RodClosure(
                f"rod_{k}{side}", f"arm_{k}_bar", "plate", ("a", f"{sign}w", 0.0), around(k, "r", f"{sign}w"), length="b"
            )
            for k in ARMS
            for side, sign in (("a", "-"), ("b", ""))
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        inputs=tuple(torque_input(f"arm_{k}", f"torque of the motor of arm {k}") for k in ARMS),
        parameters=parameter_set(
            ("R", 0.15, "m", "from the axis to the motors"),
            ("r", 0.05, "m", "from the centre of the plate to its joints"),
            ("a", 0.2, "m", "length of an arm"),
            ("b", 0.45, "m", "length of a rod"),
            ("w", 0.04, "m", "half the width of a pair of rods"),
            ("M", 0.5, "kg", "mass of the plate"),
            ("m", 0.3, "kg", "mass of an arm"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        independent=("arm_1_rate", "arm_2_rate", "arm_3_rate"),
        nominal={"z": -0.4, "arm_1": 0.3, "arm_2": 0.3, "arm_3": 0.3},
        scenery=[
            Plate(
                [around(k, "1.1*R", f"{side}2*w")[:2] for k in ARMS for side in ("-", "")],
                0.02,
                at=(0, 0, 0.035),
                colour="dark",
            ),
            *(Cylinder(around(k, "R", "-1.4*w"), around(k, "R", "1.4*w"), 0.026, colour="metal") for k in ARMS),
        ],
        description="delta robot: three arms, three pairs of rods, a plate that keeps its attitude",
    )
