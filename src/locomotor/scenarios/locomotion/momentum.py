"""Motion by shape alone, with zero momentum: satellite, beanie, cat, fish and scallop (docs/theory.md (A2), (A3))."""

import math

import numpy as np

from locomotor.catalogue import elroy_beanie, falling_cat, gait, satellite, scallop, swimmer
from locomotor.figures import Curves, Path
from locomotor.scenarios.locomotion.sources import (
    BELKHIRI,
    COMPUTED,
    energy_error,
    momentum_drift,
    turned,
)
from locomotor.scenarios.registry import LAST_DIGIT, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run

CHECK = COMPUTED
AXES = "xyz"
ROUND_OFF = "round-off of the momentum, which RK4 keeps to its order"


def _turn(run: Run) -> dict[str, float]:
    vector = turned(run)
    return {
        **{f"rotation vector {axis}": float(vector[k]) for k, axis in enumerate(AXES)},
        "momentum, largest change": momentum_drift(run),
        "work of the torques less change of energy": energy_error(run),
    }


def _square(texts: tuple[str, ...]) -> tuple[Number, ...]:
    return (
        *digits(
            {f"rotation vector {axis}": text for axis, text in zip(AXES, texts, strict=True)}, CHECK, "rad", 1.0, LAST_DIGIT
        ),
        *vanishing(["momentum, largest change"], 1e-12, f"{BELKHIRI}, (2.5): it stays zero", "N m s", ROUND_OFF),
        *vanishing(["work of the torques less change of energy"], 1e-9, f"{COMPUTED}: balance of work", "J"),
    )


for _name, _side, _texts in (
    ("square", "one radian", ("-0.0000624610", "0.0000624610", "0.002497918")),
    ("square_of_turns", "one turn", ("-0.0151304", "0.0151304", "0.0955297")),
):
    register(
        Scenario(
            f"satellite/{_name}",
            f"Satellite: two rotors go round a square of {_side} a side, and the body has turned",
            f"{BELKHIRI}, section 2.3",
            system=satellite,
            settings={"duration": 4.0, "step": 0.001, "motions": {**gait("satellite", _name), "rotor_3": "0"}},
            measure=_turn,
            numbers=_square(_texts),
            figures=(Curves(("rotor_1", "rotor_2", "roll", "pitch", "yaw"), title="Rotors and attitude"),),
        )
    )

register(
    Scenario(
        "elroy_beanie/turn",
        "Elroy's beanie: one turn of the rotor, and the body turns back by a third of it",
        f"{BELKHIRI}, section 2.3",
        system=elroy_beanie,
        settings={"duration": 1.0, "step": 0.001, "motions": gait("elroy_beanie", "turn")},
        measure=lambda run: {"yaw": float(run["yaw"][-1]), "momentum, largest change": momentum_drift(run)},
        numbers=(
            *digits({"yaw": "-2.0943951"}, CHECK, "rad"),
            *vanishing(["momentum, largest change"], 1e-11, f"{BELKHIRI}, (2.5)", "N m s", ROUND_OFF),
        ),
        figures=(Curves(("rotor", "yaw"), title="Rotor and body"),),
    )
)


def _fall(run: Run) -> dict[str, float]:
    p, t = run.parameters, run.time
    still = 0.0 * t
    linear = np.stack([run[f"linear_momentum_{axis}"] for axis in AXES])
    falling = np.stack([still, still, -2.0 * p["m"] * p["g"] * t])
    # The centre of mass of the straight cat, half a segment behind the middle of the fore half, falls along the vertical.
    centre = np.stack([still - 0.5 * p["L"], still, -0.5 * p["g"] * t**2])
    angular = np.stack([run[f"angular_momentum_{axis}"] for axis in AXES]) - np.cross(centre.T, linear.T).T
    return {
        "rotation, degrees": math.degrees(float(np.linalg.norm(turned(run)))),
        "angular momentum about the centre of mass, largest": float(np.abs(angular).max()),
        "momentum less that of the fall, largest": float(np.abs(linear - falling).max()),
        "work of the torques less change of energy": energy_error(run),
    }


register(
    Scenario(
        "falling_cat/turn",
        "Falling cat: its back circles once, and it has turned over",
        "Kane, Scher, Int. J. Solids Structures 5 (1969)",
        system=falling_cat,
        settings={
            "duration": 0.7,
            "step": 0.00005,
            "sample": 0.0005,
            "motions": gait("falling_cat", "turn"),
        },
        measure=_fall,
        numbers=(
            Number("rotation, degrees", 180.0, 0.1, "the bend is given to four digits", "ours: the bend is chosen so"),
            *vanishing(
                ["angular momentum about the centre of mass, largest"],
                1e-10,
                "Mauny, PhD thesis (2018), (1.3): it stays zero",
                "N m s",
                ROUND_OFF,
            ),
            *vanishing(["momentum less that of the fall, largest"], 1e-10, "only the weight acts", "N s", ROUND_OFF),
            *vanishing(
                ["work of the torques less change of energy"],
                1e-9,
                f"{COMPUTED}: balance of work",
                "J",
                "a spline through powers with a kink at each end of a smooth step",
            ),
        ),
        figures=(
            Curves(("bend_1", "sway_1"), title="The back"),
            Curves(("roll", "pitch", "yaw"), title="Attitude of the fore half"),
        ),
    )
)


def _swim(run: Run) -> dict[str, float]:
    return {
        "net x": float(run["x"][-1] - run["x"][0]),
        "net y": float(run["y"][-1] - run["y"][0]),
        "net yaw": float(run["yaw"][-1] - run["yaw"][0]),
        "momentum with the fluid's, largest change": momentum_drift(run),
        "work of the torques less change of energy": energy_error(run),
    }


ORDER = "RK4 at a step of 0.5 ms"
MOMENTUM = (
    *vanishing(["momentum with the fluid's, largest change"], 1e-8, f"{BELKHIRI}, (2.17): it stays zero", "N m s", ORDER),
    *vanishing(["work of the torques less change of energy"], 1e-9, f"{COMPUTED}: balance of work", "J", ORDER),
)

for _gait in ("clap", "fast_and_slow"):
    register(
        Scenario(
            f"scallop/{_gait}",
            "Scallop in an ideal fluid: after two cycles it is where it was"
            + ("" if _gait == "clap" else ", however unevenly it claps"),
            f"{BELKHIRI}, section 2.4, the scallop theorem",
            system=scallop,
            settings={"duration": 2.0 * math.pi, "step": 0.0005, "motions": gait("scallop", _gait)},
            measure=_swim,
            numbers=(
                *vanishing(["net x", "net y"], 1e-9, COMPUTED, "m", ORDER),
                *vanishing(["net yaw"], 1e-9, COMPUTED, "rad", ORDER),
                *MOMENTUM,
            ),
            figures=(Curves(("valve", "x", "y", "yaw"), title="Shape and place"),),
        )
    )

register(
    Scenario(
        "swimmer/forward",
        "Fish of three links in an ideal fluid: a wave down its tail carries it along",
        f"{BELKHIRI}, section 2.4, (2.18)",
        system=swimmer,
        settings={"duration": 10.0, "step": 0.0005, "motions": gait("swimmer", "forward")},
        measure=_swim,
        numbers=MOMENTUM,
        figures=(Path("top", 1.0, title="Seen from above"), Curves(("tail_1", "tail_2", "yaw"), title="Shape and yaw")),
    )
)
