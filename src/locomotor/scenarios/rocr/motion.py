"""The climbing robot in motion: three gaits with torques and grip forces, an impact, convergence (Mauny 2018, section 1.7).

Gait a climbs fastest, gait b stands still, both "straight"; gait c is "inverted" (the thesis does not give its phase; it must
lie where inverted gaits are stable). F_n is the vertical component of a grip's force, F_s the horizontal one.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from locomotor.catalogue import rocr
from locomotor.figures import Curves, Path, PhasePlane
from locomotor.scenarios.registry import UNIT, Computation, Number, Scenario, digits, register, vanishing
from locomotor.scenarios.rocr.cycles import COMPUTED, FAST, PERIOD, THESIS
from locomotor.simulation import Run, simulate
from locomotor.simulation.events import Modes, collide, rows_at

STEPS = 2000
"""Steps of a period, even: both halves are sampled alike."""
WEIGHT = 0.299 * 9.81
CYCLES = {
    "a": (FAST, {"yaw": 3.1306682140601327, "yaw_rate": 6.8250652923126625}),
    "b": (3.76, {"yaw": 4.701166566355181, "yaw_rate": 2.408349062259991}),
    "c": (1.0, {"yaw": 4.058525581776966, "yaw_rate": -13.650208239939134}),
}
"""Phase and start of each gait, as found by `find_cycle` with the same step."""


def halves(run: Run, name: str) -> tuple[Any, Any]:
    """A channel in the first and in the second half of the period; at the switch its value before it."""
    middle = PERIOD / 2
    first = run.time < middle * (1 - 1e-9)
    second = (run.time > middle * (1 + 1e-9)) & (run.time < PERIOD * (1 - 1e-9))
    return run[name][first][1:], run[name][second]


def mirrored(run: Run, one: str, other: str, sign: float) -> float:
    """Largest difference between a channel and `sign` times its counterpart half a period later."""
    early, late = halves(run, one)[0], halves(run, other)[1]
    return float(np.abs(early - sign * late).max())


def measure(run: Run) -> dict[str, float]:
    """Ranges of motion, torque and grip forces, and their symmetry in time."""
    yaw, rate, torque = run["yaw"], run["yaw_rate"], np.abs(run["swing_drive_torque"])
    before = int(np.flatnonzero(run["grip_2_closed"] > 0.0)[0]) - 1
    held = run["grip_1_closed"] > 0.0
    held[-1] = False
    normal, lateral = run["grip_1_force_y"][held], run["grip_1_force_x"][held]
    return {
        "turn of the body / pi": float(np.ptp(yaw)) / math.pi,
        "largest yaw rate": float(rate[: before + 1].max()),
        "yaw rate before the impact": float(rate[before]),
        "yaw rate after the impact": float(rate[before + 1]),
        "smallest |torque|": float(torque.min()),
        "largest |torque|": float(torque.max()),
        "smallest F_n": float(normal.min()),
        "largest F_n": float(normal.max()),
        "largest F_n / weight": float(normal.max()) / WEIGHT,
        "smallest F_s": float(lateral.min()),
        "largest F_s": float(lateral.max()),
        "largest grip force / weight": float(np.hypot(normal, lateral).max()) / WEIGHT,
        "climbing speed": float(run["y"][-1] - run["y"][0]) / PERIOD,
        "horizontal drift": float(run["x"][-1] - run["x"][0]),
        "torque: sum with half a period later": mirrored(run, "swing_drive_torque", "swing_drive_torque", -1.0),
        "F_n: difference with half a period later": mirrored(run, "grip_1_force_y", "grip_2_force_y", 1.0),
        "F_s: sum with half a period later": mirrored(run, "grip_1_force_x", "grip_2_force_x", -1.0),
    }


SYMMETRY = (
    "torque: sum with half a period later",
    "F_n: difference with half a period later",
    "F_s: sum with half a period later",
)
FIGURES = (
    PhasePlane("yaw", "yaw_rate", title="Phase plane", source="fig. 1.20", by_contact=True),
    Curves(("swing_drive_torque",), title="Torque of the tail", source="fig. 1.21", by_contact=True),
    Curves(
        ("grip_1_force_y", "grip_2_force_y", "grip_1_force_x", "grip_2_force_x"),
        title="Grip forces, vertical and horizontal",
        source="fig. 1.22",
        by_contact=True,
    ),
    Path("top", PERIOD / 4, title="The robot on the wall", source="fig. 1.19", by_contact=True),
)
TWICE = "more than twice the weight is asked for: this allows any peak from 2 to 10 weights"


def _gait(name: str, title: str, numbers: tuple[Number, ...]) -> None:
    phase, start = CYCLES[name]
    register(
        Scenario(
            f"rocr/{name}",
            title,
            f"{THESIS}, figs 1.19 to 1.22",
            system=partial(rocr, phase=phase),
            settings={"duration": PERIOD, "step": PERIOD / STEPS, "start": start},
            measure=measure,
            numbers=(
                *numbers,
                *vanishing(SYMMETRY, 1e-7, f"{THESIS}: the second half period repeats the first", "N, N m"),
                *vanishing(["horizontal drift"], 1e-9, f"{THESIS}: vertical only", "m"),
            ),
            figures=FIGURES,
        )
    )


_gait(
    "a",
    "The fastest straight gait of the climbing robot",
    (
        Number("climbing speed", 0.30, 0.005, "two digits", f"{THESIS}: +0.3 m/s", unit="m/s"),
        Number("yaw rate before the impact", 10.0, 0.5, "nearly 10 rad/s", f"{THESIS}, fig. 1.20", unit="rad/s"),
        Number("turn of the body / pi", 1.0, 0.02, "almost pi rad", f"{THESIS}, fig. 1.20"),
        *digits({"largest yaw rate": "11.43", "yaw rate after the impact": "-6.83"}, COMPUTED, "rad/s"),
        *digits({"smallest |torque|": "0.276", "largest |torque|": "0.540"}, COMPUTED, "N m"),
        *digits({"smallest F_n": "-0.33", "largest F_n": "10.54"}, COMPUTED, "N"),
        *digits({"smallest F_s": "-4.91", "largest F_s": "8.36"}, COMPUTED, "N"),
        *digits({"largest F_n / weight": "3.59"}, COMPUTED),
        Number("largest grip force / weight", 6.0, 4.0, TWICE, f"{THESIS}, fig. 1.22"),
    ),
)
_gait(
    "b",
    "The straight gait of the climbing robot that stands still",
    (
        Number("climbing speed", 0.0, 0.005, "0.005 m/s are allowed", f"{THESIS}: 0 m/s at 3.76 rad", unit="m/s"),
        *digits({"smallest |torque|": "0.098", "largest |torque|": "0.242"}, COMPUTED, "N m"),
        *digits({"smallest F_n": "2.22", "largest F_n": "4.53"}, COMPUTED, "N"),
        *digits({"smallest F_s": "-1.24", "largest F_s": "0.79"}, COMPUTED, "N"),
        *digits({"largest F_n / weight": "1.54"}, COMPUTED),
    ),
)
_gait(
    "c",
    "A stable inverted gait of the climbing robot",
    (Number("largest grip force / weight", 6.0, 4.0, TWICE, f"{THESIS}, fig. 1.22"),),
)

# -- one impact -----------------------------------------------------------------------------------------------


def impact() -> dict[str, float]:
    """The impact at half a period of gait a, by the complete method (1.21)."""
    phase, start = CYCLES["a"]
    system = rocr(phase=phase)
    run = simulate(system, PERIOD / 2, start=start, step=PERIOD / STEPS)
    last = int(np.flatnonzero(run["grip_1_closed"] > 0.0)[-1])
    q = np.array([run[symbol.name][last] for symbol in system.layout.coordinates])
    v = np.array([run[symbol.name][last] for symbol in system.layout.velocities])
    modes = Modes(system)
    rows = rows_at(modes, q)
    after = collide(modes, rows, v, frozenset(), [modes.names.index("grip_2")])
    (world,) = (impulse for name, _, impulse in after.impulses if name == "grip_2")
    c, s = math.cos(run["yaw"][last]), math.sin(run["yaw"][last])
    names = ("V_x", "V_y", "yaw rate", "swing rate")
    return {
        **{f"{name} before": float(value) for name, value in zip(names, v, strict=True)},
        **{f"{name} after": float(value) for name, value in zip(names, after.velocity, strict=True)},
        "impulse along x": c * world[0] + s * world[1],
        "impulse along y": -s * world[0] + c * world[1],
        "kinetic energy before": float(0.5 * v @ rows.mass @ v),
        "kinetic energy after": float(0.5 * after.velocity @ rows.mass @ after.velocity),
        "velocity of the grip after": float(np.abs(rows.switching[modes.names.index("grip_2")] @ after.velocity).max()),
    }


register(
    Computation(
        "rocr/impact",
        "The impact of the second grip in gait a",
        f"{THESIS}, (1.21)",
        compute=impact,
        numbers=(
            *digits({"V_x before": "-0.4849", "V_x after": "-0.3413"}, COMPUTED, "m/s"),
            *digits({"yaw rate before": "9.6988", "yaw rate after": "-6.8251"}, COMPUTED, "rad/s", 1.0, UNIT),
            *digits({"swing rate before": "-9.8696", "swing rate after": "7.7558"}, COMPUTED, "rad/s", 1.0, UNIT),
            *vanishing(["V_y before", "V_y after", "velocity of the grip after"], 1e-12, f"{THESIS}: plastic", "m/s"),
            *digits({"impulse along x": "0.04296", "impulse along y": "-0.05783"}, COMPUTED, "N s", 1.0, UNIT),
            *digits({"kinetic energy before": "0.04229", "kinetic energy after": "0.02146"}, COMPUTED, "J"),
        ),
    )
)

# -- convergence ----------------------------------------------------------------------------------------------

COUNTED = {1: "4.6725", 2: "6.0924", 3: "6.5791", 5: "6.7979", 10: "6.8250"}


def after_cycles(run: Run) -> dict[str, float]:
    """Yaw rate just after the first grip has closed again."""
    places = {n: int(np.searchsorted(run.time, n * PERIOD * (1 + 1e-9))) - 1 for n in COUNTED}
    return {f"yaw rate after cycle {n}": float(run["yaw_rate"][k]) for n, k in places.items()}


register(
    Scenario(
        "rocr/convergence",
        "The climbing robot comes to its fastest gait from rest",
        THESIS,
        system=partial(rocr, phase=FAST),
        settings={"duration": 10.02 * PERIOD, "step": PERIOD / 500, "start": {"yaw": 1.5 * math.pi, "yaw_rate": 0.0}},
        measure=after_cycles,
        numbers=digits({f"yaw rate after cycle {n}": text for n, text in COUNTED.items()}, COMPUTED, "rad/s", 1.0, UNIT),
        figures=(PhasePlane("yaw", "yaw_rate", title="Approach to the cycle", source="fig. 1.20", by_contact=True),),
    )
)
