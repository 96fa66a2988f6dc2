"""E1: the front wheel starts off the ground (Mauny 2018, section 2.7.1).

Contacts are enforced on velocities, so each wheel rolls on a plane of its own, parallel to the ground.
"""

import math
from functools import partial

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Path
from locomotor.scenarios.bicycle.sources import COMPUTED, THESIS
from locomotor.scenarios.registry import Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run

PITCH = math.radians(-10.0)
SPEED = 4.6
"""In the ground plane; ours is along the frame."""


def measure(run: Run) -> dict[str, float]:
    """Paths of the contact points, and the velocities, which are constant."""
    rear, front = run.contact_points["rear"], run.contact_points["front"]
    return {
        "rear altitude, largest": float(np.abs(rear[:, 2]).max()),
        "front altitude": float(front[-1, 2]),
        "front altitude, spread": float(np.ptp(front[:, 2])),
        "rear distance": float(rear[-1, 0] - rear[0, 0]),
        "front contact at 5 s": float(front[-1, 0] - rear[0, 0]),
        "sideways, largest": float(max(np.abs(rear[:, 1]).max(), np.abs(front[:, 1]).max())),
        "front contact angle": math.degrees(float(run["front_contact_angle"][-1])),
        "speed along the frame": float(run["speed"][-1]),
        "speed across the frame": float(run["heave_speed"][-1]),
        "rear wheel rate": float(run["rear_wheel_rate"][-1]),
        "front wheel rate": float(run["front_wheel_rate"][-1]),
    }


SECTION = f"{THESIS}, section 2.7.1"
E1 = f"{COMPUTED}, E1"
LONG = "round-off of 5,000 steps"
PLANES = f"{SECTION}: each wheel stays at its altitude"

register(
    Scenario(
        "bicycle/E1",
        "Front wheel lifted: each wheel rolls on its own plane",
        f"{SECTION}, fig. 2.9",
        aliases=("bicycle/lifted",),
        system=partial(bicycle, "mauny2018"),
        settings={
            "duration": 5.0,
            "step": 0.001,
            "assemble": False,
            "start": {"pitch": PITCH, "z": 0.3, "speed": SPEED * math.cos(PITCH)},
        },
        measure=measure,
        numbers=(
            *vanishing(["rear altitude, largest", "front altitude, spread"], 1e-12, PLANES, "m", LONG),
            *vanishing(["sideways, largest"], 1e-12, f"{SECTION}: straight lines", "m", LONG),
            Number("rear distance", 23.0, 1e-9, LONG, f"{SECTION}: 4.6 m/s for 5 s", unit="m"),
            *digits({"front altitude": "0.1763094344", "front contact at 5 s": "23.99553"}, E1, "m"),
            Number("front contact angle", 208.0, 1e-9, LONG, E1, unit="deg"),
            *digits({"speed along the frame": "4.530116", "speed across the frame": "-0.798782"}, E1, "m/s"),
            *digits({"rear wheel rate": "15.3333", "front wheel rate": "13.142857"}, E1, "rad/s"),
        ),
        figures=(Path("side", 0.5, title="Each wheel on its own plane", source="fig. 2.9"),),
    )
)
