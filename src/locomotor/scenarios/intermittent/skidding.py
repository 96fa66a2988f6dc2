"""A bicycle whose rear wheel is braked too hard, ridden straight: the skid of a plane vehicle on two wheels, in closed form."""

from collections.abc import Mapping

import numpy as np

from locomotor.catalogue import skidding_bicycle
from locomotor.figures import Curves
from locomotor.scenarios.registry import Computation, Number, Scenario, register, vanishing
from locomotor.simulation import Run, simulate

SPEED, FRICTION = 5.0, 0.7
WORDS = "closed form of a plane vehicle on two wheels"
P = {"g": 9.81, "w": 1.02, "rR": 0.3, "mR": 2.0, "IRyy": 0.12, "rF": 0.35, "mF": 3.0, "IFyy": 0.28}
P |= {"xB": 0.3, "zB": -0.9, "mB": 85.0, "xH": 0.9, "zH": -0.7, "mH": 4.0}
"""The benchmark of Meijaard et al. 2007, table 1, z down."""
MASS = P["mR"] + P["mF"] + P["mB"] + P["mH"]
BEFORE = (P["xB"] * P["mB"] + P["xH"] * P["mH"] + P["w"] * P["mF"]) / MASS
"""How far the centre of mass is before the rear contact."""
HEIGHT = (P["rR"] * P["mR"] + P["rF"] * P["mF"] - P["zB"] * P["mB"] - P["zH"] * P["mH"]) / MASS
INERT = MASS + P["IFyy"] / P["rF"] ** 2
"""Mass that the rear wheel has to brake: the front wheel turns with it."""
WEIGHT = MASS * P["g"] * (1.0 - BEFORE / P["w"])
"""Load of the rear wheel at rest."""


def at_the_limit(turning: float) -> float:
    """Deceleration a with mu N under the rear wheel, of which a brings N down: w N = w WEIGHT - (h M + IFyy/rF + turning) a.

    That is the moment about the rear contact; `turning` is IRyy/rR of a rear wheel that rolls, 0 of one that is blocked.
    """
    relieved = (HEIGHT * MASS + P["IFyy"] / P["rF"] + turning) / P["w"]
    return FRICTION * WEIGHT / (INERT + FRICTION * relieved)


def least_brake() -> float:
    """The torque at which a rear wheel that rolls needs all its friction: rR INERT a, and IRyy a/rR for itself."""
    return at_the_limit(P["IRyy"] / P["rR"]) * (P["rR"] * INERT + P["IRyy"] / P["rR"])


DECELERATION = at_the_limit(0.0)
LOAD = INERT * DECELERATION / FRICTION


def _skid(run: Run) -> Mapping[str, float]:
    """How a bicycle comes to a stand with its rear wheel blocked."""
    second = int(np.searchsorted(run.time, 1.0))
    stands = run.events.of("rear", "rolls")
    return {
        "speed after 1 s": float(run["speed"][second]),
        "slip of the rear wheel after 1 s": float(run["rear_slip_speed"][second]),
        "load of the rear wheel": float(run["rear_normal_force"][second]),
        "torque that blocks it": float(abs(run["brake_effort"][second])),
        "power of friction after 1 s": float(run["rear_friction_power"][second]),
        "stands at": stands[0].time,
        "stands after": float(run["x"][-1]),
        "turn of the rear wheel": float(np.abs(run["rear_wheel"][run.time <= stands[0].time]).max()),
    }


register(
    Scenario(
        "skidding_bicycle/stops",
        "Bicycle that is braked too hard: its rear wheel is blocked and skids till it stands",
        "Closed form: a plane vehicle on two wheels, with Coulomb's friction mu N at the rear one",
        system=skidding_bicycle,
        settings={
            "duration": 2.0,
            "step": 0.005,
            "start": {"speed": SPEED, "rear_wheel_rate": 0.0},
            "closed": ("rear", "front"),
        },
        measure=_skid,
        numbers=(
            Number("speed after 1 s", SPEED - DECELERATION, 1e-9, "integrated exactly", f"{WORDS}: v - a t", unit="m/s"),
            Number(
                "slip of the rear wheel after 1 s",
                SPEED - DECELERATION,
                1e-9,
                "integrated exactly",
                "the wheel does not turn",
                unit="m/s",
            ),
            Number("load of the rear wheel", LOAD, 1e-7, "round-off", f"{WORDS}: moment about the rear contact", unit="N"),
            Number("torque that blocks it", P["rR"] * FRICTION * LOAD, 1e-7, "round-off", f"{WORDS}: rR mu N", unit="N m"),
            Number(
                "power of friction after 1 s",
                -FRICTION * LOAD * (SPEED - DECELERATION),
                1e-6,
                "round-off",
                f"{WORDS}: -mu N v",
                unit="W",
            ),
            Number("stands at", SPEED / DECELERATION, 1e-9, "events are located to round-off", f"{WORDS}: v/a", unit="s"),
            Number(
                "stands after", SPEED**2 / (2.0 * DECELERATION), 1e-9, "integrated exactly", f"{WORDS}: v^2/(2 a)", unit="m"
            ),
            *vanishing(["turn of the rear wheel"], 1e-9, "it is blocked", "rad"),
        ),
        figures=(
            Curves(("speed", "rear_slip_speed"), title="Speed and slip"),
            Curves(("rear_normal_force", "front_normal_force"), title="Loads of the wheels"),
        ),
    )
)


def limit() -> dict[str, float]:
    """What brakes a little below and above the limit do in a tenth of a second."""
    found: dict[str, float] = {}
    for words, factor in (("below", 1.0 - 1e-6), ("above", 1.0 + 1e-6)):
        system = skidding_bicycle(brake=factor * least_brake())
        run = simulate(system, 0.1, step=0.005, start={"speed": SPEED}, closed=("rear", "front"))
        found[f"{words}: slips"] = float(run["rear_slip_speed"][-1] > 0.0)
        found[f"{words}: deceleration"] = float(SPEED - run["speed"][-1]) / 0.1
    return found


ROLLING = at_the_limit(P["IRyy"] / P["rR"])

register(
    Computation(
        "skidding_bicycle/limit",
        "The hardest brake with which a bicycle does not skid",
        "Closed form: a plane vehicle on two wheels whose rear one needs mu N",
        compute=limit,
        numbers=(
            Number("below: slips", 0.0, 0.5, "yes or no", f"{WORDS}: the torque is 1e-6 below the limit"),
            Number("above: slips", 1.0, 0.5, "yes or no", f"{WORDS}: the torque is 1e-6 above the limit"),
            Number(
                "below: deceleration", ROLLING, 1e-5, "the torque, 1e-6 below", f"{WORDS}: torque over inertia", unit="m/s^2"
            ),
        ),
    )
)
