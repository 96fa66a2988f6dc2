"""E3, drift study: how far the contact points leave the ground (Mauny 2018, section 2.7.3, table 2.2)."""

import math

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.scenarios.bicycle.self_stability import SECTION, START
from locomotor.scenarios.bicycle.sources import COMPUTED, PAPER, THESIS, energy_drift
from locomotor.scenarios.registry import Computation, Number, digits, register, vanishing
from locomotor.simulation import Adaptive, Run, simulate

STEPS = (0.01, 0.005, 0.0025, 0.001, 0.0005)
PUBLISHED = (0.0655, 0.0030815, 0.00015257, 0.00000321, 0.00000018434)
"""Mean vertical velocity of the front contact in table 2.2, in micrometres a second."""
PROTOTYPE = (-2.69e-3, -1.83e-4, -1.18e-5, -3.07e-7)
MICROMETRE = 1e-6


def _run(stepper: str, step: float, drift_time: float | None = None) -> Run:
    return simulate(bicycle("mauny2018"), 5.0, start=START, stepper=stepper, step=step, drift_time=drift_time)


def _mean_rise(run: Run) -> float:
    """Mean vertical velocity of the front contact in micrometres a second."""
    return float(run["front_gap"][-1] / run.time[-1]) / MICROMETRE


def _order(errors: list[float]) -> float:
    """Slope of the errors against the step on logarithmic axes."""
    return float(np.polyfit(np.log(STEPS[: len(errors)]), np.log(errors), 1)[0])


def drift_table() -> dict[str, float]:
    """Table 2.2 for both multistep methods, and their orders on the first three steps."""
    found: dict[str, float] = {}
    exact = simulate(bicycle("mauny2018"), 5.0, start=START, stepper=Adaptive(rtol=1e-13, atol=1e-14)).at(5.0)
    for stepper in ("abm4", "abm5"):
        runs = {step: _run(stepper, step) for step in STEPS}
        found |= {f"{stepper}: mean rise, step {step:g} s": _mean_rise(run) for step, run in runs.items()}
        errors = [
            max(abs(runs[step].at(5.0)[name] - exact[name]) for name in ("roll_rate", "steer_rate", "yaw"))
            for step in STEPS[:3]
        ]
        found[f"{stepper}: order of the motion"] = _order(errors)
        found[f"{stepper}: order of the drift"] = _order([abs(_mean_rise(runs[step])) for step in STEPS[:3]])
        found[f"{stepper}: relative energy drift, step 0.001 s"] = energy_drift(runs[0.001])
        found[f"{stepper}: quaternion norm error"] = max(run.settings["quaternion_norm_error"] for run in runs.values())
    found["rk4: relative energy drift, step 0.005 s"] = energy_drift(_run("rk4", 0.005))
    return found


TABLE = f"{THESIS}, table 2.2"
NO_WORSE = "no more than in the table: the start and the corrections of its integrator are not given"
SMALLER = "a thirtieth of AB4/AM4's"
ASKED = "asked of every stepper"
CONSERVATIVE = "asked of a conservative run"
STARTS = "1 per cent: the prototype starts with three Runge-Kutta steps, ours with twelve finer ones"
ENERGIES = ("abm4: relative energy drift, step 0.001 s", "abm5: relative energy drift, step 0.001 s")

register(
    Computation(
        "bicycle/E3/drift",
        "Drift of the front contact without correction, against the step",
        f"{TABLE}; section 2.7.3",
        aliases=("bicycle/drift",),
        compute=drift_table,
        numbers=(
            *(
                Number(f"abm4: mean rise, step {step:g} s", 0.0, limit, NO_WORSE, TABLE, unit="um/s")
                for step, limit in zip(STEPS, PUBLISHED, strict=True)
            ),
            *(
                Number(f"abm5: mean rise, step {step:g} s", 0.0, abs(rise) / 30, SMALLER, f"{COMPUTED}, E3", unit="um/s")
                for step, rise in zip(STEPS, PROTOTYPE, strict=False)
            ),
            Number("abm4: order of the motion", 4.0, 0.2, ASKED, f"{THESIS}, section 2.7: AB4/AM4"),
            Number("abm4: order of the drift", 4.0, 0.2, ASKED, f"{TABLE}: ratios of order 4.1 to 4.4"),
            Number("abm5: order of the motion", 5.0, 0.5, "few steps, not yet asymptotic", f"{PAPER}: AB4/AM5"),
            *vanishing(
                (*ENERGIES, "rk4: relative energy drift, step 0.005 s"),
                1e-9,
                COMPUTED,
                reason=CONSERVATIVE,
            ),
            *vanishing(
                ["abm4: quaternion norm error", "abm5: quaternion norm error"],
                1e-15,
                f"{COMPUTED}: reported",
            ),
        ),
    )
)

register(
    Computation(
        "bicycle/E3/drift/prototype",
        "The same drift as the prototype's AB4/AM4",
        f"{COMPUTED}, E3",
        compute=lambda: {f"mean rise, step {step:g} s": _mean_rise(_run("abm4", step)) for step in STEPS[:4]},
        numbers=tuple(
            Number(f"mean rise, step {step:g} s", rise, 0.01 * abs(rise), STARTS, f"{COMPUTED}, E3", unit="um/s")
            for step, rise in zip(STEPS, PROTOTYPE, strict=False)
        ),
    )
)

# -- with correction ------------------------------------------------------------------------------------------


def corrected() -> dict[str, float]:
    """With and without correction, and the decay of a lift of 1 mm."""
    plain, held = _run("abm4", 0.001), _run("abm4", 0.001, drift_time=0.01)
    lifted = simulate(
        bicycle("mauny2018"),
        0.1,
        start={"speed": 4.6, "z": 0.301},
        stepper="abm4",
        step=0.001,
        drift_time=0.01,
        assemble=False,
    )
    return {
        "largest altitude": float(np.abs([held["rear_gap"], held["front_gap"]]).max()),
        "largest change of the roll rate": float(np.abs(held["roll_rate"] - plain["roll_rate"]).max()),
        "largest change of the steer rate": float(np.abs(held["steer_rate"] - plain["steer_rate"]).max()),
        "1 mm lift at 0.01 s, rear": lifted.at(0.01)["rear_gap"] / MICROMETRE,
        "1 mm lift at 0.01 s, front": lifted.at(0.01)["front_gap"] / MICROMETRE,
        "1 mm lift at 0.1 s, rear": lifted.at(0.1)["rear_gap"] / MICROMETRE,
    }


LIFT = {
    "1 mm lift at 0.01 s, rear": "367.88",
    "1 mm lift at 0.01 s, front": "367.88",
    "1 mm lift at 0.1 s, rear": "0.045",
}
SAME = "the tenth decimal, which the thesis says does not change"

register(
    Computation(
        "bicycle/E3/drift/corrected",
        "Drift correction with a time constant of 0.01 s at a step of 0.001 s",
        f"{SECTION}, figs 2.17 to 2.19, equations (2.41) and (2.42)",
        compute=corrected,
        numbers=(
            *vanishing(["largest altitude"], 1e-12, f"{SECTION}: of the order of 1e-12 m", "m", "as published"),
            *vanishing(["largest change of the roll rate"], 1e-10, f"{THESIS}, fig. 2.18", "rad/s", SAME),
            *vanishing(["largest change of the steer rate"], 1e-10, f"{THESIS}, fig. 2.19", "rad/s", SAME),
            *digits(LIFT, f"{COMPUTED}, E3: exp(-100 t), {1000 * math.exp(-1):.2f} um at 0.01 s", "um"),
        ),
    )
)
