"""Test 2 of the intermittent bicycle: off the end of a ramp, through the air, and down on the level ground.

Mauny 2018, section 4.3.2. The ramp climbs by 10 degrees and ends at the origin; the ground is 0.5 m
lower, in the variant 2 m. The place of the edge is not stated: it follows from the start, which lies on a ramp through the
origin. Contacts follow the rule of the source, by which a wheel has no contact with an edge while there is a face below it; by
the complete rule the edge is tried and pushes neither wheel, so that nothing changes.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Contacts, Curves, Energies, Path, StateGraph
from locomotor.mechanics.tree import Instant, forward, spatial_momentum
from locomotor.model import System, Terrain
from locomotor.scenarios.intermittent.sources import CHAPTER, COMPUTED, MODES, after, before, modes_in_order, whole_state
from locomotor.scenarios.registry import UNIT, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run

SECTION = f"{CHAPTER}.2"
T2 = f"{COMPUTED}, test 2"
VARIANT = f"{T2}; the law begins when the rear wheel leaves the ramp, an instant that is ours"
SLOPE = math.radians(10.0)
SPEED = 10.0
LEAVES = 0.5294645652
"""When the rear wheel leaves the ramp (s), from which instant on the variant has its law: the thesis says "once in flight"."""
START: dict[str, Any] = {"x": -5.0, "rear_wheel_rate": SPEED / 0.3}


def over_a_ramp(drop: float = 0.5, rule: str = "source") -> System:
    """The bicycle on a ramp, and a level ground below its end."""
    ramp = Terrain.ramp(slope=-SLOPE, drop=drop).with_rule(rule)
    return bicycle("mauny2018", contacts="unilateral", terrain=ramp)


def height(run: Run, place: int) -> float:
    """How far the nose is up, in degrees."""
    return -math.degrees(float(run["pitch"][place]))


def measure_2(run: Run) -> dict[str, float]:
    """Take-off, flight and landing of both wheels, and the forces around them."""
    leaves = {wheel: run.events.of(wheel, "lift-off")[0] for wheel in ("front", "rear")}
    lands = {wheel: run.events.of(wheel, "impact")[0] for wheel in ("front", "rear")}
    shared = run.events.of("front", "impact")[1]
    front, rear = run["front_normal_force"], run["rear_normal_force"]
    on_ramp = slice(0, before(run, leaves["front"]) + 1)
    flight = slice(after(run, leaves["rear"]), before(run, lands["front"]) + 1)
    ends = before(run, leaves["rear"])
    down = after(run, lands["front"])
    late = before(run, lands["rear"])
    smooth = [on_ramp, slice(after(run, leaves["front"]), ends + 1), flight, slice(down, late + 1)]
    smooth.append(slice(after(run, lands["rear"]), len(run.time)))
    return {
        MODES: modes_in_order(run),
        "height of the rear hub at the start": float(run["z"][0]),
        "front leaves at": leaves["front"].time,
        "rear leaves at": leaves["rear"].time,
        "front lands at": lands["front"].time,
        "rear lands at": lands["rear"].time,
        "front force on the ramp": float(front[0]),
        "rear force on the ramp": float(rear[0]),
        "change of the forces on the ramp": float(max(np.ptp(front[on_ramp]), np.ptp(rear[on_ramp]))),
        "rear force after the front has left": float(rear[after(run, leaves["front"])]),
        "rear force before it leaves": float(rear[ends]),
        "largest gap on the ramp": float(max(np.abs(run[f"{w}_gap"][on_ramp]).max() for w in ("front", "rear"))),
        "forces in flight": float(max(np.abs(front[flight]).max(), np.abs(rear[flight]).max())),
        "nose up when the front leaves": height(run, before(run, leaves["front"])),
        "nose up when the rear leaves": height(run, ends),
        "nose up when the front lands": height(run, before(run, lands["front"])),
        "pitch rate in flight": float(run["pitch_rate"][flight].mean()),
        "front impulse at its landing": lands["front"].impulse[0],
        "front impulse at the rear's landing": shared.impulse[0],
        "rear impulse at its landing": lands["rear"].impulse[0],
        "front force after it has landed": float(front[down]),
        "front force before the rear lands": float(front[late]),
        "front force after the rear has landed": float(front[after(run, lands["rear"])]),
        "energy at the start": float(run.energy[0]),
        "energy after the front has landed": float(run.energy[down]),
        "energy after the rear has landed": float(run.energy[after(run, lands["rear"])]),
        "change of energy between events": max(float(np.ptp(run.energy[part])) for part in smooth),
        "out of the plane": float(max(np.abs(run[name]).max() for name in ("y", "roll", "yaw", "steer"))),
        "final speed": float(run["speed"][-1]),
        "final front force": float(front[-1]),
        "final rear force": float(rear[-1]),
    }


STATED = (
    Number(MODES, 31023.0, 0.5, "a whole number", f"{SECTION}, fig. 4.11: both, rear, none, front, both"),
    *vanishing(["change of the forces on the ramp"], 1e-6, f"{SECTION}, fig. 4.13: constant", "N", "of 900 N; the start"),
    *vanishing(["largest gap on the ramp"], 1e-10, f"{SECTION}, fig. 4.14: 0", "m", "drift of the steps"),
    *vanishing(["forces in flight"], 1e-12, f"{SECTION}, fig. 4.13: 0", "N", "nothing is touched"),
    *vanishing(["change of energy between events"], 1e-6, f"{SECTION}, fig. 4.15: constant", "J", "of 5 kJ; the steps"),
    *vanishing(["out of the plane"], 1e-9, f"{SECTION}: the motion is planar", "", "round-off"),
)
COMPUTED_2 = (
    *digits(
        {
            "front leaves at": "0.4145",
            "rear leaves at": "0.5295",
            "front lands at": "0.9159",
            "rear lands at": "1.0497",
        },
        f"{T2}, check 17",
        "s",
    ),
    *digits({"front force on the ramp": "301.59", "rear force on the ramp": "606.54"}, f"{T2}, check 17", "N"),
    *digits({"rear force after the front has left": "541.2"}, T2, "N"),
    *digits({"rear force before it leaves": "446"}, T2, "N", 1.0, UNIT),
    *digits({"front force after it has landed": "221.2", "front force after the rear has landed": "309.4"}, T2, "N"),
    *digits({"front force before the rear lands": "102"}, T2, "N", 1.0, UNIT),
    *digits({"nose up when the front leaves": "10", "nose up when the front lands": "-22.6"}, T2, "deg"),
    *digits({"nose up when the rear leaves": "5.74"}, T2, "deg"),
    *digits({"pitch rate in flight": "1.2789"}, T2, "rad/s"),
    *digits(
        {
            "front impulse at its landing": "147.96",
            "front impulse at the rear's landing": "18.13",
            "rear impulse at its landing": "190.47",
        },
        f"{T2}, check 17",
        "N s",
        1.0,
        UNIT,
    ),
    *digits(
        {
            "energy at the start": "4913.61",
            "energy after the front has landed": "4676.39",
            "energy after the rear has landed": "4357.32",
        },
        f"{T2}, check 17",
        "J",
        1.0,
        UNIT,
    ),
    *digits({"final speed": "9.080"}, f"{T2}, check 17", "m/s"),
    *digits({"final front force": "309.37", "final rear force": "612.77"}, T2, "N"),
    *digits({"height of the rear hub at the start": "-0.577"}, f"{SECTION}, table 4.3", "m"),
)
FIGURES = (
    StateGraph(title="States, lift-offs and landings", source="fig. 4.11"),
    Path("side", 0.5, title="Jump from a ramp", source="fig. 4.12"),
    Curves(("rear_normal_force", "front_normal_force"), title="Normal forces", source="fig. 4.13"),
    Contacts(title="Gaps, impulses and energy", source="fig. 4.14"),
    Energies(title="Energy", source="fig. 4.15"),
)

for name, title, rule in (
    ("bicycle/T2", "A jump from a ramp", "source"),
    ("bicycle/T2/complete", "The same jump, the edge of the ramp tried as a contact", "complete"),
):
    register(
        Scenario(
            name,
            title,
            f"{SECTION}, figs 4.11 to 4.15, table 4.3",
            aliases=("bicycle/jump",) if rule == "source" else (),
            system=partial(over_a_ramp, rule=rule),
            settings={"duration": 1.5, "step": 0.001, "start": START, "closed": ("rear", "front")},
            measure=measure_2,
            numbers=(*STATED, *COMPUTED_2),
            figures=FIGURES if rule == "source" else (),
        )
    )

# -- variant --------------------------------------------------------------------------------------------------

LAW = f"if_else(less(t, {LEAVES}), 0, 2000*(pi/4 + pitch) + 300*pitch_rate)"
"""tau_3 = 2000 (theta_d - theta) + 300 Omega_a with theta = -pitch and theta_d = 45 degrees, nose up."""


def spin_about_centre(run: Run, places: range) -> list[float]:
    """Angular momentum about the centre of mass at some samples, along y: the motion is planar."""
    assert run.system is not None
    found = []
    for place in places:
        q, v = whole_state(run, place)
        kinematics = forward(Instant(run.system, q, v))
        linear, angular = spatial_momentum(kinematics)
        bodies = [(link.inertia, pose) for link, pose in zip(kinematics.links, kinematics.poses, strict=True)]
        moments = [inertia.mass * pose.translation + pose.rotation @ inertia.moment for inertia, pose in bodies]
        centre = np.sum(moments, axis=0) / sum(inertia.mass for inertia, _ in bodies)
        found.append(float((angular - np.cross(centre, linear))[1]))
    return found


def measure_variant(run: Run) -> dict[str, float]:
    """The torque, how the nose rises, and the landing."""
    rear = run.events.of("rear", "lift-off")[0]
    lands = run.events.of(kind="impact")[0]
    flight = slice(after(run, rear), before(run, lands) + 1)
    part = run.time[flight]

    def at(t: float) -> float:
        return height(run, int(np.abs(run.time - t).argmin()))

    near = part[np.abs([height(run, k) - 45.0 for k in range(flight.start, flight.stop)]) <= 1.0]
    return {
        "largest rear torque": float(run["rear_wheel_torque"].max()),
        "rear torque in excess of 1500 N m": float(run["rear_wheel_torque"].max() > 1500.0),
        "within 1 degree of 45 after": float(near[0] - rear.time),
        "rear leaves at": rear.time,
        **{f"nose up at {t} s": at(t) for t in (0.7, 0.8, 0.9, 1.0)},
        "first wheel to land (1 rear, 2 front)": 1.0 if lands.contact == "rear" else 2.0,
        "rear lands at": lands.time,
        "nose up at the landing": height(run, before(run, lands)),
        "change of angular momentum in flight": float(np.ptp(spin_about_centre(run, range(flight.start, flight.stop, 50)))),
        "change of linear momentum in flight": float(np.ptp(run["linear_momentum_x"][flight])),
    }


register(
    Scenario(
        "bicycle/T2/reoriented",
        "A jump from 2 m, the nose brought up to 45 degrees by the rear wheel",
        f"{SECTION}, fig. 4.16",
        system=partial(over_a_ramp, 2.0),
        settings={
            "duration": 1.29,
            "step": 0.001,
            "start": START,
            "closed": ("rear", "front"),
            "inputs": {"rear_wheel_torque": LAW},
        },
        measure=measure_variant,
        numbers=(
            Number("rear torque in excess of 1500 N m", 1.0, 0.5, "yes or no", f"{SECTION}: more than 1500 N m"),
            Number("within 1 degree of 45 after", 0.35, 0.35, "at most 0.7 s", f"{SECTION}: in 0.7 s", unit="s"),
            *vanishing(["change of angular momentum in flight"], 1e-7, f"{SECTION}: conserved", "N m s", "of 60; the steps"),
            *vanishing(["change of linear momentum in flight"], 1e-6, f"{SECTION}: conserved", "N s", "of 900; the steps"),
            *digits({"largest rear torque": "1754"}, VARIANT, "N m"),
            *digits({"rear leaves at": "0.5295", "rear lands at": "1.2825"}, VARIANT, "s"),
            *digits(
                {
                    "nose up at 0.7 s": "28.6",
                    "nose up at 0.8 s": "39.6",
                    "nose up at 0.9 s": "44.0",
                    "nose up at 1.0 s": "45.2",
                },
                VARIANT,
                "deg",
                1.5,
                "1.5 units of the last digit: the other program is bound to its steps, 0.13 deg each",
            ),
            *digits({"nose up at the landing": "45.06"}, VARIANT, "deg"),
            Number("first wheel to land (1 rear, 2 front)", 1.0, 0.5, "a whole number", VARIANT),
        ),
        figures=(
            Path("side", 0.5, title="Reoriented in flight", source="fig. 4.16A"),
            Curves(("rear_wheel_torque",), title="Torque of the rear wheel", source="fig. 4.16B"),
            Curves(("roll", "pitch", "yaw"), title="Angles", source="fig. 4.16C"),
        ),
    )
)
