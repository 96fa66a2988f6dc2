"""E4: up the slope, back and over (Mauny 2018, section 2.7.4).

A steer angle of 1e-8 rad grows while the bicycle rolls backwards, until it falls; the wheels never lift, by assumption.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Curves, Energies
from locomotor.scenarios.bicycle.slope import SLOPE
from locomotor.scenarios.bicycle.sources import COMPUTED, STANDING_FRONT, THESIS, crossing, series
from locomotor.scenarios.registry import LAST_DIGIT, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Adaptive, Run

INSTANTS = (3.58, 3.98, 4.0, 4.25, 4.353, 4.39, 4.436, 4.568, 4.669)
SETTINGS: dict[str, Any] = {
    "duration": 4.82,
    "stepper": Adaptive(rtol=1e-12, atol=1e-13),
    "sample": 0.0005,
    "start": {"speed": 4.6, "steer": 1e-8},
    "ends": None,  # the source follows the fall to the ground
}


def measure(run: Run) -> dict[str, float]:
    """Growth of the deviation, and the state at a lean of 80 degrees."""
    rear, front = run["rear_contact_angle"] - math.pi, run["front_contact_angle"] - STANDING_FRONT
    down = crossing(run.time, np.abs(run["roll"]), math.radians(80.0))
    until = run.time <= down
    at = run.at(down if math.isfinite(down) else run.time[-1])
    found = series(run, INSTANTS, {"steer": run["steer"], "size of the lean": np.abs(run["roll"])})
    return found | {
        "energy": float(run.energy[0]),
        "kinetic energy at the start": float(run["kinetic_energy"][0]),
        "potential energy at the start": float(run["potential_energy"][0]),
        "energy drift until 80 degrees": float(np.abs(run.energy[until] - run.energy[0]).max()),
        "turning point": crossing(run.time, run["speed"]),
        "time of 80 degrees": down,
        "roll at 80 degrees": math.degrees(at["roll"]),
        "extreme steer": float(run["steer"][until].min()),
        "kinetic energy at 80 degrees": at["kinetic_energy"],
        "potential energy at 80 degrees": at["potential_energy"],
        "front wheel rate at 80 degrees": at["front_wheel_rate"],
        "rear wheel rate at 80 degrees": at["rear_wheel_rate"],
        "rear contact at 80 degrees": at["rear_contact_angle"] - math.pi,
        "front contact at 80 degrees": at["front_contact_angle"] - STANDING_FRONT,
        "contacts, largest change until 4 s": float(np.abs([rear, front])[:, run.time <= 4.0].max()),
    }


SECTION = f"{THESIS}, section 2.7.4"
E4 = f"{COMPUTED}, E4"
LATE = "a few thousandths of a second, at the rates of the fall"
SENSITIVE = "5 per cent: it grows by 4,000 a second from 1e-8 rad, and instants are given to their last digit only"
SMALL = "a fraction of what the fall does to them"


def _late(unit: str, tolerance: float, values: dict[str, float], reason: str = LATE) -> tuple[Number, ...]:
    return tuple(Number(f"{name} at 80 degrees", value, tolerance, reason, E4, unit=unit) for name, value in values.items())


def _growth(name: str, values: dict[float, float]) -> tuple[Number, ...]:
    return tuple(
        Number(f"{name} at {t:g} s", value, 0.05 * abs(value), SENSITIVE, E4, unit="rad") for t, value in values.items()
    )


register(
    Scenario(
        "bicycle/E4",
        "Up the slope, back and over: a steer angle of 1e-8 rad grows into a fall",
        f"{SECTION}, figs 2.20 to 2.22",
        aliases=("bicycle/fall",),
        system=partial(bicycle, "mauny2018", slope=SLOPE),
        settings=SETTINGS,
        measure=measure,
        numbers=(
            Number("energy", 1870.0, 0.5, LAST_DIGIT, f"{SECTION}: 1870 J", unit="J"),
            *digits({"kinetic energy at the start": "1032.8095", "potential energy at the start": "837.1790"}, E4, "J"),
            *vanishing(["energy drift until 80 degrees"], 5e-8, f"{E4}; {SECTION}: conserved", "J", "as the prototype"),
            *digits({"turning point": "2.804"}, E4, "s"),
            *_growth("steer", {3.58: -0.0012, 3.98: -0.0327, 4.0: -0.0378, 4.25: -0.388, 4.353: -1.138}),
            *_growth("size of the lean", {4.0: 0.00096, 4.25: 0.011, 4.436: 0.22, 4.568: 0.54, 4.669: 0.86}),
            Number("extreme steer", -1.44, 0.01, "about -1.44 rad", E4, unit="rad"),
            Number("time of 80 degrees", 4.805, 0.002, LATE, E4, unit="s"),
            *_late("deg", 0.2, {"roll": 80.0}, "to the right, where roll is positive; the nearest sample"),
            *_late("J", 2.0, {"kinetic energy": 1017.6, "potential energy": 852.4}),
            *_late("rad/s", 0.1, {"front wheel rate": -12.11, "rear wheel rate": -8.46}),
            *_late("rad", 0.01, {"rear contact": 0.617, "front contact": -1.631}),
            *vanishing(["contacts, largest change until 4 s"], 1e-3, f"{SECTION}: they move at the end only", "rad", SMALL),
        ),
        figures=(
            Energies(title="Energies", source="fig. 2.20"),
            Curves(("speed", "roll_rate", "steer_rate"), title="Velocities", source="fig. 2.21"),
            Curves(("front_wheel_rate", "rear_wheel_rate"), title="Wheels", source="fig. 2.22"),
        ),
    )
)

register(
    Scenario(
        "bicycle/E4/meijaard2007",
        "The fall on the slope (exact benchmark)",
        SECTION,
        system=partial(bicycle, "meijaard2007", slope=SLOPE),
        settings={**SETTINGS, "duration": 4.83},
        measure=measure,
        numbers=(
            *digits({"energy": "1869.6488"}, E4, "J"),
            *vanishing(["energy drift until 80 degrees"], 5e-8, E4, "J", "as the prototype"),
            Number("time of 80 degrees", 4.812, 0.002, LATE, E4, unit="s"),
        ),
    )
)
