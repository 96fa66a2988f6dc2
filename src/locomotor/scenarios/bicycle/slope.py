"""E2: up a slope of 10 degrees and back, straight and upright (Mauny 2018, section 2.7.2)."""

import math
from functools import partial

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Curves, Path
from locomotor.scenarios.bicycle.sources import COMPUTED, STANDING_FRONT, THESIS, crossing, energy_drift
from locomotor.scenarios.registry import Number, Scenario, contradicted, digits, register, vanishing
from locomotor.simulation import Run

SLOPE = math.radians(10.0)
SPEED = 4.6
DECELERATION = 94 * 9.81 * math.sin(SLOPE) / (94 + 0.12 / 0.3**2 + 0.28 / 0.35**2)
"""m g sin(slope) / (m + I_R/r_R^2 + I_F/r_F^2), the same for every parameter set."""


def measure(run: Run) -> dict[str, float]:
    """The stop, the way back, and what must not move."""
    stop = crossing(run.time, run["speed"])
    rear, front = run["rear_contact_angle"] - math.pi, run["front_contact_angle"] - STANDING_FRONT
    return {
        "stop time": stop,
        "stop time by momentum balance": stop,
        "stop distance": float(run["x"].max()),
        "speed at 4 s": float(run["speed"][-1]),
        "distance at 4 s": float(run["rear_point_x"][-1]),
        "largest steer": float(np.abs(run["steer"]).max()),
        "largest roll": float(np.abs(run["roll"]).max()),
        "contact angles, largest change": float(np.abs([rear, front]).max()),
        "relative energy drift": energy_drift(run),
    }


SECTION = f"{THESIS}, section 2.7.2"
E2 = f"{COMPUTED}, E2"
UNIFORM = "round-off: a uniform deceleration, which a method of order 4 integrates exactly"
EXACTLY = "the straight upright motion is an exact solution, kept to the last bit"
WHY = (
    "momentum balance alone gives 4.6 m/s / 1.6403 m/s^2 = 2.804 s on a slope of 10 degrees, and the energy of 1870 J "
    "that the same chapter gives for E4 confirms the slope; 3.40 s would need 8.2 degrees"
)

register(
    Scenario(
        "bicycle/E2",
        "Up a slope of 10 degrees and back, straight and upright",
        f"{SECTION}, fig. 2.10",
        aliases=("bicycle/slope",),
        system=partial(bicycle, "mauny2018", slope=SLOPE),
        settings={"duration": 4.0, "step": 0.001, "start": {"speed": SPEED}},
        measure=measure,
        numbers=(
            contradicted("stop time", "3.40", f"{SECTION}: stops around 3.40 s", "s", WHY),
            Number("stop time by momentum balance", SPEED / DECELERATION, 1e-9, UNIFORM, f"{E2}: 2.8043 s", unit="s"),
            Number("stop distance", 6.44989, 2e-5, "read off samples 0.005 s apart; exactly 6.44990 m", E2, unit="m"),
            *digits({"speed at 4 s": "-1.961340"}, E2, "m/s"),
            *digits({"distance at 4 s": "5.277321"}, E2, "m"),
            *vanishing(["largest steer", "largest roll"], 1e-15, f"{SECTION}: identically zero", "rad", EXACTLY),
            *vanishing(["contact angles, largest change"], 1e-14, f"{SECTION}: stay at (pi, pi + mu)", "rad"),
            *vanishing(["relative energy drift"], 1e-9, "energy is conserved", reason=UNIFORM),
        ),
        figures=(
            Path("side", 0.5, title="Uphill, seen from the side", source="fig. 2.10", until=2.5),
            Curves(("speed",), title="Speed"),
        ),
    )
)
