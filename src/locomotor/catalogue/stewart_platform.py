"""A Stewart platform: six legs of variable length carry a plate in all its six freedoms.

Each leg is a cylinder on a universal joint at the base and a piston that slides in it; a spherical joint at the plate closes
its loop. Inputs are the forces of the six legs.
"""

import math

import numpy as np

from locomotor import checks
from locomotor.catalogue.locomotion_parts import UP, parameter_set
from locomotor.model import (
    Body,
    Cylinder,
    Free,
    Gravity,
    Input,
    Plate,
    Prismatic,
    Sphere,
    SphericalClosure,
    System,
    Torque,
    Universal,
)

LEGS = range(1, 7)
BASE_RADIUS, PLATE_RADIUS, HEIGHT = 0.5, 0.3, 0.6
"""In metres: of the circles of the joints, and of the plate at rest."""
STEWART_GAITS = {"tilt": {f"leg_{k}": f"0.666 + 0.1*sin(2*t + {2.0 * math.pi / 3.0 * (k // 2):.6f})" for k in LEGS}}
"""Legs that meet at a corner of the plate lengthen together, one corner after the other: the plate tilts round."""


def _ring(radius: float, offset: float) -> list[tuple[float, float]]:
    """Joints in pairs, a third of a turn from pair to pair."""
    angles = [2.0 * math.pi / 3.0 * pair + side * offset for pair in range(3) for side in (-1.0, 1.0)]
    return [(radius * math.cos(x), radius * math.sin(x)) for x in angles]


@checks.fitting
def stewart_platform() -> System:
    """The plate is the root and has plain names (`x`, ..., `roll`); leg k has `swing_k_1`, `swing_k_2`, and `leg_k`."""
    base = _ring(BASE_RADIUS, math.pi / 3.0 - 0.25)
    plate = _ring(PLATE_RADIUS, 0.25)
    # Neighbours on the plate belong to different pairs on the base.
    feet = [np.array([*base[k], 0.0]) for k in range(6)]
    heads = [np.array([*plate[k], 0.0]) for k in range(6)]
    nominal: dict[str, float] = {"z": HEIGHT}
    frames = {}
    for k in LEGS:
        span = heads[k - 1] + np.array([0.0, 0.0, HEIGHT]) - feet[k - 1]
        length = float(np.linalg.norm(span))
        x, y, z = span / length
        nominal |= {f"swing_{k}_1": math.atan2(-y, z), f"swing_{k}_2": math.asin(x), f"leg_{k}": length}
        frames[k] = tuple(feet[k - 1].tolist())
    return System(
        "stewart_platform",
        bodies=(
            Body(
                "plate",
                mass="M",
                inertia=("M*0.03", "M*0.03", "M*0.05"),
                shapes=[Plate([(float(h[0]), float(h[1])) for h in heads], 0.03, colour="accent")],
            ),
            *(
                Body(
                    f"cylinder_{k}",
                    mass="m",
                    com=(0.0, 0.0, 0.15),
                    inertia=("m*0.01", "m*0.01", "m*0.001"),
                    shapes=[Cylinder((0, 0, 0), (0, 0, 0.35), 0.02, colour="metal")],
                )
                for k in LEGS
            ),
            *(
                Body(
                    f"piston_{k}",
                    mass="m",
                    com=(0.0, 0.0, -0.15),
                    inertia=("m*0.01", "m*0.01", "m*0.001"),
                    shapes=[Cylinder((0, 0, -0.5), (0, 0, 0), 0.012, colour="light")],
                )
                for k in LEGS
            ),
        ),
        joints=(
            Free(name="base", parent="world", child="plate"),
            *(
                Universal(
                    name=f"swing_{k}",
                    parent="world",
                    child=f"cylinder_{k}",
                    at=frames[k],
                    axes=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
                )
                for k in LEGS
            ),
            *(
                Prismatic(
                    name=f"leg_{k}",
                    parent=f"cylinder_{k}",
                    child=f"piston_{k}",
                    axis=UP,
                    drive=Torque(f"push_{k}"),
                    description=f"length of leg {k}",
                )
                for k in LEGS
            ),
        ),
        loops=tuple(SphericalClosure(f"head_{k}", f"piston_{k}", "plate", at_b=tuple(heads[k - 1].tolist())) for k in LEGS),
        forces=(Gravity((0.0, 0.0, "-g")),),
        inputs=tuple(Input(f"push_{k}", "N", f"F_{k}", f"force of leg {k}, positive lengthening it") for k in LEGS),
        parameters=parameter_set(
            ("M", 5.0, "kg", "mass of the plate"),
            ("m", 0.5, "kg", "mass of a cylinder, and of a piston"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        independent=("speed", "sway_speed", "heave_speed", "roll_rate", "pitch_rate", "yaw_rate"),
        nominal=nominal,
        scenery=[
            Plate([(1.15 * x, 1.15 * y) for x, y in base], 0.03, at=(0, 0, -0.04), colour="dark"),
            *(Sphere(0.03, at=foot, colour="metal") for foot in frames.values()),
        ],
        description="Stewart platform: a plate on six legs",
    )
