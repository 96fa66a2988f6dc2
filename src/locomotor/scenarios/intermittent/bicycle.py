"""Tests 1, 3 and 4 of the intermittent bicycle (Mauny 2018, section 4.3).

Test 2 is in `bicycle_ramp`, test 5 in `bicycle_wheelie`. The thesis shows most results as curves without numbers: what it
states is cited as such, the rest comes from an independent program.
"""

import math
from functools import partial

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Contacts, Curves, Energies, Path, StateGraph, Trial
from locomotor.model import Plane, System
from locomotor.scenarios.intermittent.sources import (
    CHAPTER,
    COMPUTED,
    MODES,
    after,
    before,
    modes_in_order,
    normal_speed,
    predicted,
)
from locomotor.scenarios.registry import UNIT, Computation, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run, observe

# -- test 1 ---------------------------------------------------------------------------------------------------

INCLINE = math.radians(15.0)
SECTION_1 = f"{CHAPTER}.1"
T1 = f"{COMPUTED}, test 1"
ELASTIC = "energy is kept by every impact; what is left is the error of the steps"


def on_incline() -> System:
    """Elastic wheels above a floor that descends by 15 degrees in the direction of travel."""
    bike = bicycle("mauny2018", contacts="unilateral", restitution=1.0, tangential=1.0)
    return bike.replace(grounds=(Plane(normal=(math.sin(INCLINE), 0.0, math.cos(INCLINE))),))


def measure_1(run: Run) -> dict[str, float]:
    """The first five collisions, and the energy."""
    hits = run.events.of(kind="impact")[:5]
    found = {
        "collisions in order (1 rear, 2 front)": float("".join("1" if e.contact == "rear" else "2" for e in hits)),
        MODES: modes_in_order(run),
        "initial front gap": float(run["front_gap"][0]),
        "initial rear gap": float(run["rear_gap"][0]),
        "kinetic energy": float(run["kinetic_energy"][0]),
        "potential energy": float(run["potential_energy"][0]),
        "total energy": float(run.energy[0]),
        "relative energy drift": float(np.abs(run.energy / run.energy[0] - 1).max()),
    }
    for k, event in enumerate(hits, 1):
        found[f"time of collision {k}"] = event.time
        found[f"normal speed at collision {k}"] = normal_speed(run, event)
        found[f"normal impulse of collision {k}"] = event.impulse[0]
    return found


def numbered(what: str, *texts: str) -> dict[str, str]:
    """Keys of the five collisions."""
    return {f"{what} {k}": text for k, text in enumerate(texts, 1)}


register(
    Scenario(
        "bicycle/T1",
        "Elastic bounces on an inclined floor",
        f"{SECTION_1}, figs 4.7 to 4.10, table 4.2",
        aliases=("bicycle/bounces",),
        system=on_incline,
        settings={"duration": 1.2, "step": 0.0005, "start": {"z": 0.4, "speed": 3.0, "roll": 0.174}, "ends": None},
        measure=measure_1,
        numbers=(
            Number(
                "collisions in order (1 rear, 2 front)",
                12122.0,
                0.5,
                "a whole number",
                f"{SECTION_1}, fig. 4.9; the direction of the slope, not stated, was chosen to give this order",
            ),
            Number(MODES, 0.0, 0.5, "a whole number", f"{SECTION_1}: free flight after every impact"),
            *vanishing(["relative energy drift"], 1e-9, f"{SECTION_1}, fig. 4.10: constant", reason=ELASTIC),
            *digits({"initial front gap": "0.3528", "initial rear gap": "0.0906"}, T1, "m"),
            *digits({"kinetic energy": "423.0", "potential energy": "878.86", "total energy": "1301.863"}, T1, "J"),
            *digits(numbered("time of collision", "0.2427", "0.3879", "0.6617", "0.9686", "0.9863"), T1, "s"),
            *digits(numbered("normal speed at collision", "-1.523", "-2.173", "-1.710", "-4.270", "-7.933"), T1, "m/s"),
            *digits(numbered("normal impulse of collision", "225.4", "135.7", "199.4", "2.5", "248.4"), T1, "N s"),
        ),
        figures=(
            StateGraph(title="States and bounces", source="fig. 4.7"),
            Path("side", 0.3, title="Elastic bounces", source="fig. 4.8"),
            Curves(("rear_gap", "front_gap"), title="Gaps", source="fig. 4.9"),
            Energies(title="Energy", source="fig. 4.10"),
        ),
    )
)

# -- test 3 ---------------------------------------------------------------------------------------------------

SECTION_3 = f"{CHAPTER}.3"
T3 = f"{COMPUTED}, test 3"
CHOSEN = "torques and instants are ours: the thesis gives none"


def pulse(torque: float, begin: float, end: float) -> str:
    """A torque between two instants."""
    return f"if_else(less(t, {begin}), 0, if_else(less(t, {end}), {torque}, 0))"


def measure_3(run: Run) -> dict[str, float]:
    """Which wheels touch, and where energy goes."""
    audit = run.audit()
    landings = run.events.of(kind="impact")
    lifts = run.events.of(kind="lift-off")
    return {
        MODES: modes_in_order(run),
        "kinetic energy at the start": float(run["kinetic_energy"][0]),
        "potential energy at the start": float(run["potential_energy"][0]),
        "energy balance": audit["energy_balance"],
        "energy taken at landings": -audit.work["impacts"],
        "smallest loss at a landing": min(event.energy_lost for event in landings),
        "rear lifts at": lifts.of("rear").times[0],
        "front lifts at": lifts.of("front").times[0],
    }


register(
    Scenario(
        "bicycle/T3",
        "A brake lifts the rear wheel, a jerk of the rear wheel lifts the front one",
        f"{SECTION_3}, figs 4.17 to 4.22, table 4.4",
        aliases=("bicycle/lift-off",),
        system=partial(bicycle, "mauny2018", contacts="unilateral"),
        settings={
            "duration": 3.0,
            "step": 0.001,
            "start": {"speed": 4.6, "roll_rate": -0.5},
            "closed": ("rear", "front"),
            "inputs": {"front_wheel_torque": pulse(-300.0, 0.5, 0.6), "rear_wheel_torque": pulse(200.0, 1.5, 1.6)},
        },
        measure=measure_3,
        numbers=(
            Number(MODES, 32313.0, 0.5, "a whole number", f"{SECTION_3}: both, front, both, rear, both; {CHOSEN}"),
            *digits({"kinetic energy at the start": "1042.9", "potential energy at the start": "794.47"}, T3, "J"),
            *vanishing(
                ["energy balance"],
                1e-7,
                f"{SECTION_3}, fig. 4.22: constant but for torques and landings",
                "",
                "quadrature of powers",
            ),
            Number("rear lifts at", 0.5, 1e-12, "the torque begins there", f"{SECTION_3}: at once; {CHOSEN}", unit="s"),
            Number("front lifts at", 1.5, 1e-12, "the torque begins there", f"{SECTION_3}: at once; {CHOSEN}", unit="s"),
        ),
        figures=(
            StateGraph(title="States, lift-offs and landings", source="fig. 4.17"),
            Path("side", 0.45, title="Lift-offs by braking and accelerating", source="fig. 4.18"),
            Curves(("front_wheel_torque", "rear_wheel_torque"), title="Torques", source="fig. 4.19"),
            Curves(("rear_normal_force", "front_normal_force"), title="Normal forces", source="fig. 4.20"),
            Curves(("rear_gap", "front_gap"), title="Gaps", source="fig. 4.21"),
            Energies(title="Energy", source="fig. 4.22"),
        ),
    )
)


def loads() -> dict[str, float]:
    """Wheel loads of the upright bicycle, and how they depend on the torques of the wheels (they are affine in them)."""
    bike = bicycle("mauny2018")

    def normal(front: float = 0.0, rear: float = 0.0) -> tuple[float, float]:
        seen = observe(bike, {"speed": 4.6}, {"front_wheel_torque": front, "rear_wheel_torque": rear})
        return seen["front_force_z"], seen["rear_force_z"]

    front, rear = normal()
    by_brake, by_jerk = normal(front=1.0)[1] - rear, normal(rear=1.0)[0] - front
    at_130 = normal(rear=130.0)
    return {
        "front load": front,
        "rear load": rear,
        "rear load by front torque": by_brake,
        "front load by rear torque": by_jerk,
        "front torque that lifts the rear wheel": -rear / by_brake,
        "rear torque that lifts the front wheel": -front / by_jerk,
        "front load at a rear torque of 130 N m": at_130[0],
        "rear load at a rear torque of 130 N m": at_130[1],
    }


register(
    Computation(
        "bicycle/lift_thresholds",
        "Torques that lift a wheel of the upright bicycle",
        f"{SECTION_3}",
        compute=loads,
        numbers=(
            *digits({"front load": "309.373", "rear load": "612.767"}, f"{T3}, check 15", "N"),
            *digits({"rear load by front torque": "2.35896", "front load by rear torque": "-2.75212"}, T3, "1/m"),
            *digits({"front torque that lifts the rear wheel": "-259.8"}, f"{T3}, check 19", "N m"),
            *digits({"rear torque that lifts the front wheel": "112.4"}, f"{T3}, check 19", "N m"),
            *digits(
                {"front load at a rear torque of 130 N m": "-48.40", "rear load at a rear torque of 130 N m": "970.54"},
                f"{T3}, check 19",
                "N",
            ),
        ),
    )
)

# -- test 4 ---------------------------------------------------------------------------------------------------

SECTION_4 = f"{CHAPTER}.4"
T4 = f"{COMPUTED}, test 4"
ASKED = "0.2 N s, asked by check 1 to 3; the step of the thesis is not known"


def measure_4(run: Run) -> dict[str, float]:
    """The prediction that is refused, the correction, and the second impact."""
    front, rear = run.events.of("front", "impact")[0], run.events.of("rear", "impact")[0]
    second = run.events.of("front", "impact")[1]
    wrong = predicted(run, front)
    (kept_front,) = predicted(run, front, ("front",)).impulses
    reaction = [event for event in run.events if event.time == front.time and event.contact == "rear"]
    return {
        MODES: modes_in_order(run),
        "initial front gap": float(run["front_gap"][0]),
        "predicted front impulse": float(wrong.impulses[1, 0]),
        "predicted rear impulse": float(wrong.impulses[0, 0]),
        "predicted front tangential impulse": float(wrong.impulses[1, 1]),
        "predicted rear tangential impulse": float(wrong.impulses[0, 1]),
        "corrected front impulse": front.impulse[0],
        "corrected front impulse, alone": float(kept_front[0]),
        "corrected rear impulse": sum(event.impulse[0] for event in reaction),
        "corrected front tangential impulse": front.impulse[1],
        "rear leaves after the front impact by": float(run.time[after(run, front)] - front.time)
        if run["rear_closed"][after(run, front)] == 0.0
        else math.nan,
        "front impulse at the rear impact": second.impulse[0],
        "rear impulse at the rear impact": rear.impulse[0],
        "front tangential impulse at the rear impact": second.impulse[1],
        "rear tangential impulse at the rear impact": rear.impulse[1],
        "time of the front impact": front.time,
        "time of the rear impact": rear.time,
        "energy at the start": float(run.energy[before(run, front)]),
        "energy after the front impact": float(run.energy[after(run, front)]),
        "energy after the rear impact": float(run.energy[after(run, rear)]),
        "final speed": float(run["speed"][-1]),
    }


def refused(run: Run) -> tuple[Trial, ...]:
    """The prediction that both wheels stay down at the front impact: the rear one would have to pull."""
    found = []
    for event in run.events.of("front", "impact")[:1]:
        rear, front = predicted(run, event).impulses[:, 0]
        why = f"impulses {front:.1f} N s at the front,\n{rear:.1f} N s at the rear"
        found.append(Trial(event.time, ("rear", "front"), why))
    return tuple(found)


STATED_4 = (
    *(
        Number(key, value, 0.2, ASKED, SECTION_4, unit="N s")
        for key, value in {
            "predicted front impulse": 126.6,
            "predicted rear impulse": -66.8,
            "corrected front impulse": 133.3,
            "front impulse at the rear impact": 5.8,
            "rear impulse at the rear impact": 67.8,
        }.items()
    ),
    *vanishing(["corrected rear impulse"], 1e-12, f"{SECTION_4}: 0", "N s", "the contact takes no part"),
    *vanishing(["rear leaves after the front impact by"], 1e-12, f"{SECTION_4}: at the same instant", "s", "one instant"),
    Number(MODES, 123.0, 0.5, "a whole number", f"{SECTION_4}: rear, front, both"),
)

register(
    Scenario(
        "bicycle/T4",
        "The front wheel lands, spinning backwards, and throws up the rear wheel",
        f"{SECTION_4}, figs 4.23 to 4.28, table 4.5",
        aliases=("bicycle/landing",),
        system=partial(bicycle, "mauny2018", contacts="unilateral"),
        settings={
            "duration": 0.8,
            "step": 0.001,
            "start": {"z": 0.3, "pitch": -0.174, "front_wheel_rate": -200.0},
        },
        measure=measure_4,
        numbers=(
            *STATED_4,
            *digits({"initial front gap": "0.176"}, T4, "m"),
            *digits(
                {
                    "corrected front impulse, alone": "133.26",
                    "predicted front tangential impulse": "-156.25",
                    "predicted rear tangential impulse": "0.81",
                    "corrected front tangential impulse": "-154.92",
                    "front tangential impulse at the rear impact": "1.30",
                    "rear tangential impulse at the rear impact": "0.81",
                },
                T4,
                "N s",
            ),
            *digits({"time of the front impact": "0.1850", "time of the rear impact": "0.4069"}, f"{T4}, check 18", "s"),
            *digits(
                {
                    "energy at the start": "6441.3",
                    "energy after the front impact": "965.4",
                    "energy after the rear impact": "925.6",
                },
                f"{T4}, check 18",
                "J",
            ),
            *digits({"final speed": "-1.639"}, f"{T4}, check 18", "m/s"),
        ),
        figures=(
            StateGraph(title="Prediction and correction at the front impact", source="fig. 4.23", tried=refused),
            Path("side", 0.25, title="Landing on a wheel that spins backwards", source="fig. 4.24"),
            Contacts(title="Gaps, impulses and energy", source="figs 4.26 and 4.27"),
            Curves(("rear_force_z", "front_force_z"), title="Normal forces", source="fig. 4.27"),
            Curves(("rear_force_x", "front_force_x"), title="Tangential forces", source="fig. 4.28"),
        ),
    )
)
register(
    Scenario(
        "bicycle/T4/exact_angle",
        "The same landing from 10 degrees exactly, which the table rounds",
        f"{SECTION_4}: theta = 10 degrees",
        system=partial(bicycle, "mauny2018", contacts="unilateral"),
        settings={
            "duration": 0.8,
            "step": 0.001,
            "start": {"z": 0.3, "pitch": -math.radians(10.0), "front_wheel_rate": -200.0},
        },
        measure=measure_4,
        numbers=(
            *STATED_4,
            *digits({"time of the front impact": "0.1853", "time of the rear impact": "0.4072"}, T4, "s", 1.0, UNIT),
        ),
    )
)
