"""E3: a push at 4.6 m/s dies out by itself (Mauny 2018, section 2.7.3)."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from locomotor.catalogue import bicycle
from locomotor.figures import Curves, FigureOf, Path, Variations
from locomotor.scenarios.bicycle.sources import (
    COMPUTED,
    MEIJAARD,
    PAPER,
    STANDING_FRONT,
    THESIS,
    energy_drift,
    extremes,
    series,
)
from locomotor.scenarios.registry import (
    UNIT,
    Computation,
    Number,
    Scenario,
    contradicted,
    digits,
    register,
    vanishing,
)
from locomotor.simulation import Run, accelerations, observe

START = {"speed": 4.6, "roll_rate": 0.5}
SETTINGS: dict[str, Any] = {"duration": 15.0, "step": 0.001, "start": START}
INSTANTS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0)
COLUMNS = {"speed": "m/s", "roll rate": "rad/s", "steer rate": "rad/s", "steer": "rad", "lean": "rad", "yaw": "rad"}


def measure(run: Run) -> dict[str, float]:
    """Everything the numbers of the three parameter sets ask for."""
    rear, front = run["rear_contact_angle"] - math.pi, run["front_contact_angle"] - STANDING_FRONT
    load = run["rear_z_multiplier"]
    channels = {
        "speed": run["speed"],
        "roll rate": run["roll_rate"],
        "steer rate": run["steer_rate"],
        "steer": run["steer"],
        "lean": -run["roll"],
        "yaw": run["yaw"],
        "rear contact": rear,
        "front contact": front,
    }
    found = series(run, INSTANTS, {**channels, "rear load": load})
    for name, values in channels.items():
        # The prototype read its extremes off samples 0.05 s apart.
        found |= extremes(run.time[::50], values[::50], name)
    return found | {
        "rear load at 0 s": float(load[0]),
        "largest rear load": float(load.max()),
        "time of largest rear load": float(run.time[load.argmax()]),
        "x at 5 s": run.at(5.0)["x"],
        "y at 5 s": run.at(5.0)["y"],
        "energy": float(run.energy[0]),
        "relative energy drift": energy_drift(run),
        "rear contact at the end": float(rear[-1]),
        "front contact at the end": float(front[-1]),
        "final speed": float(run["speed"][-1]),
    }


# -- numbers --------------------------------------------------------------------------------------------------

SECTION = f"{THESIS}, section 2.7.3"
E3 = f"{COMPUTED}, E3 (DOP853, relative tolerance 1e-11)"


def _rows(table: Mapping[float, str]) -> tuple[Number, ...]:
    found: list[Number] = []
    for t, row in table.items():
        for (name, unit), text in zip(COLUMNS.items(), row.split(), strict=True):
            found += digits({f"{name} at {t:g} s": text}, E3, unit)
    return tuple(found)


THESIS_TABLE = {
    0.5: "4.664617 -0.170195 0.107933 -0.130928 -0.106627 -0.189500",
    1.0: "4.619439 -0.219015 0.328834 0.038706 0.041450 -0.297520",
    2.0: "4.632537 -0.003947 -0.059792 -0.063398 -0.057368 -0.188260",
    3.0: "4.625065 0.090558 -0.079230 0.037889 0.024333 -0.207968",
    5.0: "4.622327 0.047880 -0.069476 -0.006403 -0.009413 -0.212193",
    10.0: "4.622465 0.003025 -0.006215 -0.002137 -0.002075 -0.234079",
    15.0: "4.622456 -0.000248 -0.000092 -0.000396 -0.000324 -0.236228",
}
MEIJAARD_TABLE = {
    0.5: "4.663999 -0.173069 0.114105 -0.130551 -0.105609 -0.189931",
    1.0: "4.619824 -0.211129 0.322404 0.039988 0.041294 -0.294792",
    2.0: "4.632396 -0.013781 -0.046374 -0.063097 -0.056181 -0.192663",
    5.0: "4.622437 0.039927 -0.061407 -0.008186 -0.010342 -0.216075",
}
CONTACTS = {
    "rear contact at 0.5 s": "-1.190e-3",
    "rear contact at 1 s": "-1.364e-4",
    "rear contact at 2 s": "-3.146e-4",
    "rear contact at 3 s": "-8.51e-5",
    "rear contact at 5 s": "-4.97e-6",
    "rear contact at 10 s": "-3.8e-7",
    "rear contact at 15 s": "-1.1e-8",
    "smallest rear contact": "-1.286e-3",
    "front contact at 0.5 s": "-1.70719e-2",
    "front contact at 1 s": "-1.88387e-3",
    "front contact at 2 s": "-4.37069e-3",
    "front contact at 3 s": "-1.17320e-3",
    "front contact at 5 s": "-6.8312e-5",
    "front contact at 10 s": "-5.27e-6",
    "front contact at 15 s": "-1.56e-7",
    "smallest front contact": "-1.852e-2",
}
ANGLES = {
    "smallest steer": "-0.13388",
    "largest steer": "0.08334",
    "smallest lean": "-0.11636",
    "largest lean": "0.06354",
}
RATES = {"smallest roll rate": "-0.34837", "smallest steer rate": "-0.46825", "largest steer rate": "0.41409"}
TIMES = {
    "time of largest speed": "0.45",
    "time of smallest roll rate": "0.75",
    "time of smallest steer rate": "0.15",
    "time of largest steer rate": "0.80",
    "time of largest rear load": "0.44",
}
LOADS = {
    "rear load at 0 s": "599.62",
    "largest rear load": "625.50",
    "rear load at 1 s": "610.59",
    "rear load at 2 s": "615.58",
    "rear load at 3 s": "613.39",
    "rear load at 5 s": "612.66",
}
LEFT = "what is left of the slowest mode after 15 s"
RETURNS = vanishing(
    ["rear contact at the end", "front contact at the end"], 1e-6, f"{SECTION}: back to (pi, pi + mu)", "rad", LEFT
)
SETTLES = vanishing(["roll rate at 15 s", "steer rate at 15 s"], 1e-3, f"{SECTION}: tend to zero", "rad/s", LEFT)
CONSERVED = vanishing(
    ["relative energy drift"], 1e-9, f"{SECTION}: energy is conserved", "", "asked of a conservative run at 0.001 s"
)

# -- figures --------------------------------------------------------------------------------------------------


def _figures(path: str, rates: str, front: str, rear: str, load: str) -> tuple[FigureOf, ...]:
    """The figures that both sources have, by their numbers there."""
    return (
        Path("top", 0.5, title="Path, seen from above", source=path, until=5.0),
        Curves(("roll_rate", "speed", "steer_rate"), title="Velocities", source=rates),
        Curves(
            ("front_contact_angle",),
            title="Front contact on its tyre",
            source=front,
            levels={"front_contact_angle": STANDING_FRONT},
        ),
        Curves(
            ("rear_contact_angle",),
            title="Rear contact on its tyre",
            source=rear,
            levels={"rear_contact_angle": math.pi},
        ),
        Curves(("rear_z_multiplier",), title="Load of the rear wheel, along the frame", source=load),
    )


CORRECTION = {
    "without correction": {"duration": 5.0, "stepper": "abm4"},
    "with correction": {"duration": 5.0, "stepper": "abm4", "drift_time": 0.01},
}
DRIFT = (
    Variations(("rear_gap", "front_gap"), CORRECTION, title="Altitudes of the contact points", source="fig. 2.17"),
    Variations(("roll_rate",), CORRECTION, True, title="Effect of the correction on the roll rate", source="fig. 2.18"),
    Variations(("steer_rate",), CORRECTION, True, title="Effect on the steer rate", source="fig. 2.19"),
)

# -- the three parameter sets ---------------------------------------------------------------------------------

TITLE = "Self-stability: a push at 4.6 m/s dies out"

register(
    Scenario(
        "bicycle/E3",
        f"{TITLE} (parameters of the thesis)",
        f"{SECTION}, figs 2.11 to 2.19",
        aliases=("bicycle/self-stability",),
        system=partial(bicycle, "mauny2018"),
        settings=SETTINGS,
        measure=measure,
        numbers=(
            *digits({"final speed": "4.622"}, SECTION, "m/s"),
            *_rows(THESIS_TABLE),
            *digits(CONTACTS, E3, "rad"),
            *digits({"largest speed": "4.66713"}, E3, "m/s"),
            *digits(RATES, E3, "rad/s"),
            *digits(ANGLES, E3, "rad"),
            *digits(TIMES, E3, "s"),
            *digits(LOADS, E3, "N"),
            *digits({"x at 5 s": "22.5870", "y at 5 s": "-4.8175"}, E3, "m"),
            *digits({"energy": "1837.386282"}, E3, "J"),
            *CONSERVED,
            *RETURNS,
        ),
        figures=(
            *_figures("fig. 2.11", "fig. 2.12", "fig. 2.14", "fig. 2.15", "fig. 2.16"),
            Curves(("roll", "yaw"), title="Roll and yaw", source="fig. 2.13"),
            *DRIFT,
        ),
    )
)

register(
    Scenario(
        "bicycle/E3/meijaard2007",
        f"{TITLE} (exact benchmark)",
        f"{MEIJAARD}, the nonlinear example at 4.6 m/s; {SECTION}",
        aliases=("bicycle/E3/benchmark",),
        system=partial(bicycle, "meijaard2007"),
        settings=SETTINGS,
        measure=measure,
        numbers=(
            *_rows(MEIJAARD_TABLE),
            *digits({"speed at 15 s": "4.622442"}, E3, "m/s"),
            *digits({"yaw at 15 s": "-0.238331"}, E3, "rad"),
            *digits({"energy": "1837.031176"}, E3, "J"),
            *CONSERVED,
            *SETTLES,
            *RETURNS,
        ),
    )
)

ALL_THREE = "the range 4.6224 to 4.6225 that all three parameter sets share"
EARLY = (
    "the speed is 4.625 m/s in passing, at 3 s, when the motion has not died out; conservation of energy fixes the "
    "final speed at 4.622 m/s, which is also what the thesis gives for the same experiment"
)

register(
    Scenario(
        "bicycle/E3/ifac2017",
        f"{TITLE} (parameters of the paper)",
        f"{PAPER}, figs 4 to 8",
        system=partial(bicycle, "ifac2017"),
        settings=SETTINGS,
        measure=measure,
        numbers=(
            contradicted("final speed", "4.625", f"{PAPER}, passive stability: close to 4.625 m/s", "m/s", EARLY),
            Number("speed at 15 s", 4.62245, 5e-5, ALL_THREE, COMPUTED, unit="m/s"),
            *CONSERVED,
            *SETTLES,
            *RETURNS,
        ),
        figures=_figures("fig. 4", "fig. 5", "fig. 6", "fig. 7", "fig. 8"),
    )
)

# -- at its start and at its end ------------------------------------------------------------------------------


def start_and_rest() -> dict[str, float]:
    """Accelerations at the start, and the loads of the wheels at rest."""
    found: dict[str, float] = {}
    for which in ("mauny2018", "meijaard2007"):
        system = bicycle(which)
        rates, at_rest = accelerations(system, START), observe(system)
        rear, front = at_rest["rear_z_multiplier"], at_rest["front_z_multiplier"]
        found |= {
            f"{which}: roll acceleration": rates["roll_rate"],
            f"{which}: steer acceleration": rates["steer_rate"],
            f"{which}: rear wheel acceleration": rates["rear_wheel_rate"],
            f"{which}: static rear load": rear,
            f"{which}: static front load": front,
            f"{which}: static load, total": rear + front,
        }
    return found


ACCELERATIONS = {
    "mauny2018: roll acceleration": "-0.241689",
    "mauny2018: steer acceleration": "-8.382461",
    "meijaard2007: roll acceleration": "-0.242702",
    "meijaard2007: steer acceleration": "-8.456652",
}
STATIC = {
    "mauny2018: static rear load": "612.767",
    "mauny2018: static front load": "309.373",
    "meijaard2007: static rear load": "612.836",
    "meijaard2007: static front load": "309.304",
}
WEIGHT = "94 kg times 9.81 m/s^2"

register(
    Computation(
        "bicycle/E3/start",
        "Accelerations at the start of E3, and the static loads to which the wheels return",
        f"{SECTION}, fig. 2.16",
        compute=start_and_rest,
        numbers=(
            *digits(ACCELERATIONS, E3, "rad/s^2", 1.0, f"{UNIT}: one of them is truncated"),
            *vanishing((f"{which}: rear wheel acceleration" for which in ("mauny2018", "meijaard2007")), 1e-12, E3, "rad/s^2"),
            *digits(STATIC, f"{COMPUTED}, E3", "N"),
            Number("mauny2018: static load, total", 94 * 9.81, 1e-9, "round-off", WEIGHT, unit="N"),
            Number("meijaard2007: static load, total", 94 * 9.81, 1e-9, "round-off", WEIGHT, unit="N"),
        ),
    )
)
