"""Test 5 of the intermittent bicycle: a wheelie, pushed aside, falls; with a gyroscope too; with steering it recovers.

Mauny 2018, section 4.3.5. Laws and gains are the thesis's, in its angles: theta = -pitch, positive
nose up, phi = roll and psi = yaw. The instants of the push and of the front wheel's motor are not given: ours are chosen.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.figures import Curves, Path
from locomotor.scenarios.intermittent.sources import CHAPTER, COMPUTED
from locomotor.scenarios.registry import Number, Scenario, digits, register
from locomotor.simulation import Run

SECTION = f"{CHAPTER}.5"
T5 = f"{COMPUTED}, test 5"
FREE = "the instants of push and motor are ours; the thesis gives none"
COARSE = "the independent program had a step of 2 ms and did not locate the lift-off"

BEGIN, MOTOR = 0.1, 1.0
"""When the wheelie begins (stated), and when the front wheel's motor starts (ours), in seconds."""


LIMIT = 130.0
"""Largest torque of the rear wheel (N m): the footnote of section 4.3.5; the conclusion of the chapter speaks of nearly 150."""


def rear_torque() -> str:
    """sat(2000 (theta_d - theta) + 200 Omega_a), theta_d = 30 degrees from 0.1 s on."""
    law = f"min(max(2000*({{}} + pitch) + 200*pitch_rate, -{LIMIT}), {LIMIT})"
    return f"if_else(less(t, {BEGIN}), {law.format('0')}, {law.format('pi/6')})"


def push(torque: float, at: float) -> str:
    """A torque on the steering for 0.02 s."""
    return f"if_else(less(t, {at}), 0, if_else(less(t, {at} + 0.02), {torque}, 0))"


GYROSCOPE = f"if_else(less(t, {MOTOR}), 0, 100*pi - front_wheel_rate)"


def degrees(run: Run, name: str, t: float) -> float:
    """A channel at an instant, in degrees."""
    return math.degrees(float(run[name][int(np.abs(run.time - t).argmin())]))


def wheelie(run: Run) -> dict[str, float]:
    """What every phase shares: how the wheelie begins and settles."""
    lift = run.events.of("front", "lift-off")[0]
    rising = -np.degrees(run["pitch"])
    near = run.time[np.flatnonzero(np.abs(rising - 30.0) > 1.0)]
    settled = float(near[near < MOTOR].max())
    return {
        "front lifts at": lift.time,
        "largest rear torque / its limit": float(run["rear_wheel_torque"].max()) / LIMIT,
        "pitch at 0.6 s": -degrees(run, "pitch", 0.6),
        "pitch at 0.8 s": -degrees(run, "pitch", 0.8),
        "steady pitch": -degrees(run, "pitch", 1.9),
        "steady rear torque": float(run["rear_wheel_torque"][int(np.abs(run.time - 1.9).argmin())]),
        "within 1 degree of 30 at": settled,
    }


def falls(run: Run, pushed: float, later: float) -> dict[str, float]:
    """Lean and heading some time after the push."""
    return {
        **wheelie(run),
        "lean after the push": degrees(run, "roll", pushed + later),
        "heading after the push": degrees(run, "yaw", pushed + later),
        "largest lean": math.degrees(float(np.abs(run["roll"]).max())),
    }


def recovers(run: Run) -> dict[str, float]:
    """Heading at 6 s and at the end, and the lean that is left."""
    return {
        **wheelie(run),
        "heading at 6 s": degrees(run, "yaw", 6.0),
        "change of heading": abs(degrees(run, "yaw", float(run.time[-1]))),
        "lean at the end": abs(degrees(run, "roll", float(run.time[-1]))),
    }


SHARED = (
    Number("front lifts at", BEGIN, 1e-12, "the torque begins there", f"{SECTION}: as soon as the torque begins", unit="s"),
    Number("within 1 degree of 30 at", 0.5, 0.5, "below 1 s", f"{SECTION}: reached in less than 1 s", unit="s"),
    Number("largest rear torque / its limit", 1.0, 1e-12, "round-off", f"ours: the limit of {SECTION}, footnote, is reached"),
)


def phase(
    name: str, title: str, figure: str, inputs: dict[str, str], duration: float, measure: Callable[[Run], dict[str, float]],
    numbers: tuple[Number, ...],
) -> None:  # fmt: skip
    """Register one phase of the test."""
    register(
        Scenario(
            f"bicycle/T5/{name}",
            title,
            f"{SECTION}, {figure}",
            system=partial(bicycle, "mauny2018", contacts="unilateral"),
            settings={
                "duration": duration,
                "step": 0.001,
                "start": {"speed": 1.0},
                "closed": ("rear", "front"),
                "inputs": {"rear_wheel_torque": rear_torque(), **inputs},
                "ends": None,  # the handlebar turns freely in the source
            },
            measure=measure,
            numbers=(*SHARED, *numbers),
            figures=(
                Path("side", 0.5, title=title, source=f"{figure}A"),
                Curves(("steer_torque", "front_wheel_torque", "rear_wheel_torque"), title="Torques", source=f"{figure}B"),
                Curves(("roll", "pitch", "yaw"), title="Angles", source=f"{figure}C"),
            ),
        )
    )


phase(
    "wheelie",
    "A wheelie that is pushed aside falls to the left",
    "fig. 4.30",
    {"steer_torque": push(50.0, 2.0)},
    3.7,
    partial(falls, pushed=2.0, later=1.7),
    (
        *digits({"pitch at 0.8 s": "29.5"}, T5, "deg"),
        Number("pitch at 0.6 s", 24.4, 0.3, COARSE, T5, unit="deg"),
        *digits({"steady pitch": "29.857"}, f"{T5}, check 20", "deg"),
        *digits({"steady rear torque": "5.0"}, T5, "N m"),
        Number("lean after the push", -75.0, 15.0, "it lies then", f"{SECTION}: phi falls; {T5}: lies in 1.7 s", unit="deg"),
        Number("heading after the push", 45.0, 45.0, "positive", f"{SECTION}: psi increases at last; {FREE}", unit="deg"),
    ),
)
phase(
    "gyroscope",
    "With the front wheel spinning at 100 pi rad/s it falls to the right",
    "fig. 4.31",
    {"steer_torque": push(50.0, 3.0), "front_wheel_torque": GYROSCOPE},
    5.0,
    partial(falls, pushed=3.0, later=2.0),
    (
        Number("lean after the push", 37.0, 1.0, COARSE, f"{SECTION}: phi increases; {T5}: 37 degrees", unit="deg"),
        Number("heading after the push", -28.0, 1.0, COARSE, f"{SECTION}: psi decreases; {T5}: -28 degrees", unit="deg"),
    ),
)
STEERED = "-400*roll - steer_rate + "
phase(
    "steered",
    "With the steering controlled it recovers",
    "fig. 4.32",
    {"steer_torque": STEERED + push(50.0, 3.0), "front_wheel_torque": GYROSCOPE},
    10.0,
    recovers,
    (
        Number("change of heading", 1.5, 0.5, "the range stated", f"{SECTION}: 1 to 2 degrees; {FREE}", unit="deg"),
        Number("lean at the end", 0.0, 0.01, "it has died out", f"{SECTION}: recovers and goes on for ever", unit="deg"),
        Number("heading at 6 s", -1.06, 0.03, COARSE, f"{T5}, check 20", unit="deg"),
    ),
)
phase(
    "steered/500",
    "Pushed ten times harder it recovers too",
    "fig. 4.29",
    {"steer_torque": STEERED + push(500.0, 3.0), "front_wheel_torque": GYROSCOPE},
    10.0,
    recovers,
    (
        Number("change of heading", 15.0, 5.0, "more than 10 degrees", f"{SECTION}: more than 10 degrees; {FREE}", unit="deg"),
        Number("lean at the end", 0.0, 0.1, "it has died out", f"{SECTION}: recovers", unit="deg"),
        Number("heading at 6 s", -11.3, 0.3, COARSE, f"{T5}, check 20", unit="deg"),
    ),
)
