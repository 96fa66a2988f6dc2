"""E5: a turn held by PI laws on steer and wheel rate (Mauny 2018, section 2.7.5)."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Curves, Path
from locomotor.model.expressions import smooth_step
from locomotor.scenarios.bicycle.sources import (
    COMPUTED,
    STANDING_FRONT,
    THESIS,
    circle_radius,
    crossing,
    extremes,
    series,
)
from locomotor.scenarios.registry import LAST_DIGIT, UNIT, Computation, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run, observe
from locomotor.tracing import Channels, Controller

WHEEL_RATE = 20.0
"""Rear wheel rate to hold (rad/s): 6 m/s."""
STEER = math.pi / 36


def steering_law(sign: float = -1.0) -> Controller:
    """PI on the steer angle and on the rear wheel's rate, with the gains of table 2.3.

    The minus of the thesis on the steer torque is no misprint: the bicycle answers a steer torque the other way round.
    """

    def law(channels: Channels) -> Mapping[str, Any]:
        steer_error = smooth_step(channels["t"], 0.0, 5.0) * STEER - channels["steer"]
        rate_error = WHEEL_RATE - channels["rear_wheel_rate"]
        return {
            "steer_torque": sign * (10.0 * steer_error + 35.0 * channels["steer_error_integral"]),
            "rear_wheel_torque": 20.0 * rate_error + 100.0 * channels["rate_error_integral"],
            "steer_error_integral": steer_error,
            "rate_error_integral": rate_error,
        }

    return Controller(law, {"steer_error_integral": 0.0, "rate_error_integral": 0.0})


def measure(run: Run) -> dict[str, float]:
    """Transient, end, and the circles of the last ten seconds."""
    late = run.time >= run.time[-1] - 10.0
    rear, front = run.contact_points["rear"][late], run.contact_points["front"][late]
    channels = {
        "steer": run["steer"],
        "lean": -run["roll"],
        "speed": run["speed"],
        "yaw": run["yaw"],
        "yaw rate": np.gradient(run["yaw"], run.time),
        "steer torque": run["steer_torque"],
        "rear wheel torque": run["rear_wheel_torque"],
        "rear contact": run["rear_contact_angle"] - math.pi,
        "front contact": run["front_contact_angle"] - STANDING_FRONT,
        "front wheel rate": run["front_wheel_rate"],
        "rear wheel rate": run["rear_wheel_rate"],
    }
    found = series(run, (5.0, 10.0, 40.0), channels)
    for name in ("steer", "lean", "steer torque", "rear wheel torque", "front contact"):
        found |= extremes(run.time, channels[name], name)
    return found | {
        "radius of the rear hub's path": circle_radius(run["x"][late], run["y"][late]),
        "radius of the rear contact's path": circle_radius(rear[:, 0], rear[:, 1]),
        "radius of the front contact's path": circle_radius(front[:, 0], front[:, 1]),
    }


SECTION = f"{THESIS}, section 2.7.5"
E5 = f"{COMPUTED}, E5"
DAMPED = "what the slowest mode leaves after 40 s"
FLAT = f"{UNIT}: a flat extremum, read off samples"

register(
    Scenario(
        "bicycle/E5",
        "A turn held by PI laws on steer and wheel rate",
        f"{SECTION}, figs 2.23 to 2.31, table 2.3",
        aliases=("bicycle/turn",),
        system=partial(bicycle, "mauny2018"),
        settings={"duration": 40.0, "step": 0.001, "start": {"speed": 6.0}, "controller": steering_law()},
        measure=measure,
        numbers=(
            Number("radius of the rear hub's path", 11.6, 0.05, LAST_DIGIT, f"{SECTION}: 11.6 m", unit="m"),
            *digits({"radius of the rear contact's path": "11.715", "radius of the front contact's path": "11.766"}, E5, "m"),
            Number("steer at 40 s", STEER, 1e-7, DAMPED, f"{SECTION}: tends to 5 degrees", unit="rad"),
            Number("rear wheel rate at 40 s", WHEEL_RATE, 1e-6, DAMPED, f"{SECTION}: tends to 20 rad/s", unit="rad/s"),
            *digits({"lean at 40 s": "0.298203"}, E5, "rad"),
            *digits({"speed at 40 s": "5.954845"}, E5, "m/s"),
            *digits({"yaw rate at 40 s": "0.512175", "front wheel rate at 40 s": "17.21775"}, E5, "rad/s"),
            *digits({"steer torque at 40 s": "0.04170"}, E5, "N m"),
            *vanishing(["rear wheel torque at 40 s"], 1e-5, E5, "N m", DAMPED),
            *digits({"rear contact at 40 s": "-1.9463e-3", "front contact at 40 s": "-2.8776e-2"}, E5, "rad"),
            *digits({"smallest steer torque": "-0.6483", "largest steer torque": "0.2666"}, E5, "N m"),
            *digits({"time of smallest steer torque": "2.62", "time of largest steer torque": "4.74"}, E5, "s", 1.0, FLAT),
            *digits({"smallest rear wheel torque": "-5.43", "largest rear wheel torque": "4.22"}, E5, "N m", 1.0, FLAT),
            *digits({"smallest steer": "-0.00100", "largest steer": "0.10313", "largest lean": "0.33219"}, E5, "rad"),
            *digits({"time of largest steer": "4.22"}, E5, "s"),
            *digits({"smallest front contact": "-0.03826"}, E5, "rad"),
            *digits({"steer at 5 s": "0.08798", "lean at 5 s": "0.29746", "yaw at 5 s": "1.3192"}, E5, "rad"),
            *digits({"speed at 5 s": "5.94580"}, E5, "m/s"),
            *digits({"steer at 10 s": "0.08830", "yaw at 10 s": "3.8468"}, E5, "rad"),
        ),
        figures=(
            Path("top", 1.0, title="Path, seen from above", source="fig. 2.23", until=12.0),
            Curves(("roll", "yaw"), title="Roll and yaw", source="fig. 2.24", until=12.0),
            Curves(("steer",), title="Steer", source="fig. 2.25", until=12.0, levels={"steer": STEER}),
            Curves(
                ("rear_wheel_rate",),
                title="Rear wheel",
                source="fig. 2.26",
                until=12.0,
                levels={"rear_wheel_rate": WHEEL_RATE},
            ),
            Curves(("roll_rate", "steer_rate", "speed"), title="Velocities", source="fig. 2.27", until=12.0),
            Curves(("steer_torque",), title="Steer torque", source="fig. 2.28", until=12.0),
            Curves(("rear_wheel_torque",), title="Wheel torque", source="fig. 2.29", until=12.0),
            Curves(("rear_contact_angle",), title="Rear contact on its tyre", source="fig. 2.30", until=12.0),
            Curves(("front_contact_angle",), title="Front contact on its tyre", source="fig. 2.31", until=12.0),
        ),
    )
)

# -- without a run --------------------------------------------------------------------------------------------


def steady_turn() -> dict[str, float]:
    """The held turn computed as a steady motion."""
    from locomotor.analysis import steady_motion

    system = bicycle("mauny2018")
    wanted = {"steer": STEER, "rear_wheel_rate": WHEEL_RATE}
    motion = steady_motion(system, wanted, solve_for=("steer_torque", "rear_wheel_torque"))
    seen = observe(system, motion.start, motion.inputs)
    velocity = [motion[name] for name in ("speed", "sway_speed", "heave_speed")]
    # Roll and pitch are constant: the whole rotation is about the vertical.
    yaw_rate = math.hypot(*(motion[name] for name in ("roll_rate", "pitch_rate", "yaw_rate")))
    return {
        "lean": -motion["roll"],
        "speed": motion["speed"],
        "yaw rate": yaw_rate,
        "radius of the rear hub's path": math.hypot(*velocity) / yaw_rate,
        "steer torque": motion["steer_torque"],
        "rear wheel torque": motion["rear_wheel_torque"],
        "rear contact": seen["rear_contact_angle"] - math.pi,
        "front contact": seen["front_contact_angle"] - STANDING_FRONT,
        "front wheel rate": motion["front_wheel_rate"],
    }


register(
    Computation(
        "bicycle/E5/steady",
        "The turn of E5 found as a steady motion, without a run",
        SECTION,
        compute=steady_turn,
        numbers=(
            *digits({"lean": "0.298203", "rear contact": "-1.9463e-3", "front contact": "-2.8776e-2"}, E5, "rad"),
            *digits({"speed": "5.954845"}, E5, "m/s"),
            *digits({"yaw rate": "0.512175", "front wheel rate": "17.21775"}, E5, "rad/s"),
            *digits({"radius of the rear hub's path": "11.627"}, E5, "m"),
            *digits({"steer torque": "0.04170"}, E5, "N m"),
            *vanishing(["rear wheel torque"], 1e-9, E5, "N m", "round-off: nothing dissipates"),
        ),
    )
)

# -- with the other sign --------------------------------------------------------------------------------------


def _fall(run: Run) -> dict[str, float]:
    return {"time of 60 degrees": crossing(run.time, np.abs(run["roll"]), math.radians(60.0))}


register(
    Scenario(
        "bicycle/E5/reversed",
        "The law of E5 with the other sign on the steer torque: a fall",
        f"{SECTION}: the minus signs of the steer torque are no misprint",
        system=partial(bicycle, "mauny2018"),
        settings={"duration": 3.5, "step": 0.001, "start": {"speed": 6.0}, "controller": steering_law(+1.0), "ends": None},
        measure=_fall,
        numbers=(Number("time of 60 degrees", 3.5, 0.5, "between 3 and 4 s", E5, unit="s"),),
    )
)
