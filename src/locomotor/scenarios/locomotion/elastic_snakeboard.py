"""The snakeboard with two elastic beams for a rotor (Belkhiri 2013, section 3.7): it drives on what the beams give back."""

import math
import warnings
from collections.abc import Mapping

import numpy as np

from locomotor.catalogue import elastic_snakeboard, gait, snakeboard
from locomotor.figures import Curves, Path
from locomotor.mechanics import AssumedModes
from locomotor.model import CrossSection, FlexibleBody
from locomotor.scenarios.locomotion.snakeboard import at, last, reduced_speed
from locomotor.scenarios.locomotion.sources import BELKHIRI, COMPUTED, ORDER_FOUR, energy_error
from locomotor.scenarios.registry import Computation, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run, RunWarning, simulate

CITATION = f"{BELKHIRI}, section 3.7; masses and inertias of the rigid snakeboard"
AT_TEN = {
    2: ("0.20131857", "-0.39749883", "-0.00015810", "0.07187574"),
    3: ("0.16003339", "-0.33827278", "-0.00552159", "0.08243902"),
    5: ("0.15585333", "-0.31553890", "-0.00478098", "0.07593719"),
    10: ("0.15218109", "-0.30665675", "-0.00451809", "0.07366884"),
    50: ("0.15069420", "-0.30391194", "-0.00443779", "0.07300337"),
    200: ("0.15064756", "-0.30380575", "-0.00443469", "0.07297779"),
}
"""First frequency of the beams (rad/s) -> reduced speed and pose after ten seconds."""


def measure(run: Run) -> dict[str, float]:
    """The end of the run, the energies and what must vanish."""
    return {
        **last(run),
        "energy at the start": float(run.energy[0]),
        "energy at the end": float(run.energy[-1]),
        "work of the torques less change of energy": energy_error(run),
    }


register(
    Scenario(
        "elastic_snakeboard/drive",
        "Snakeboard on elastic beams, frequencies 1:1, beams of 5 rad/s",
        CITATION,
        system=elastic_snakeboard,
        settings={"duration": 10.0, "step": 0.001, "motions": gait("elastic_snakeboard", "drive")},
        measure=measure,
        numbers=(
            *at(AT_TEN[5], COMPUTED),
            *digits({"energy at the start": "0.017757", "energy at the end": "0.0284355342"}, COMPUTED, "J", reason=ORDER_FOUR),
            *vanishing(["work of the torques less change of energy"], 1e-12, f"{COMPUTED}: balance of work", "J"),
        ),
        figures=(
            Path("top", 2.0, title="Seen from above"),
            Curves(("steer", "rotor", "left_beam_y1", "right_beam_y1", "speed"), title="Shape, beams and motion"),
        ),
    )
)


def _stiffer() -> Mapping[str, float]:
    """Six stiffnesses, and how fast the motion tends to that of the rigid snakeboard."""
    found: dict[str, float] = {}
    rigid = last(simulate(snakeboard(), 10.0, motions=gait("snakeboard", "drive")))
    apart = {}
    for omega in AT_TEN:
        step = min(1e-3, 0.05 / omega)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # at 2 rad/s the beams bend by 0.51 rad
            run = simulate(
                elastic_snakeboard(),
                10.0,
                motions=gait("elastic_snakeboard", "drive"),
                parameters={"omega_1": omega},
                step=step,
            )
        end = last(run)
        found |= {f"{omega} rad/s: {key}": value for key, value in end.items()}
        apart[omega] = abs(end["x"] - rigid["x"])
    found["order of the rigid limit"] = math.log(apart[10] / apart[50]) / math.log(5.0)
    return found


register(
    Computation(
        "elastic_snakeboard/stiffness",
        "The driving gait with beams from 2 to 200 rad/s: the rigid snakeboard is the limit, approached as omega^-2",
        CITATION,
        compute=_stiffer,
        numbers=(
            *(number for omega, texts in AT_TEN.items() for number in at(texts, COMPUTED, f"{omega} rad/s: ")),
            Number(
                "order of the rigid limit",
                2.0,
                0.1,
                "first-order terms in omega^-2 of the distances at 10 and at 50 rad/s",
                CITATION,
            ),
        ),
    )
)


def _instant() -> Mapping[str, float]:
    """Accelerations and forces at t = 1.3 s of the gait, by differences of fourth order over the first five samples."""
    phi, arm = 0.3 * math.sin(1.3), 0.2
    motions = {joint: law.replace("(t)", "(t + 1.3)") for joint, law in gait("elastic_snakeboard", "drive").items()}
    start = {"left_beam_y1": 0.01, "right_beam_y1": -0.02, "left_beam_y1_rate": 0.1, "right_beam_y1_rate": 0.05}
    start["speed"] = -2.0 * arm * math.cos(phi) ** 2 * 0.2
    run = simulate(elastic_snakeboard(), 0.004, motions=motions, start=start, step=0.001)
    weights = np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / (12.0 * 0.001)
    rates = ("left_beam_y1_rate", "right_beam_y1_rate", "speed", "yaw_rate")
    return {
        "reduced acceleration": float(weights @ reduced_speed(run)[:5]),
        **{f"acceleration of {name}": float(weights @ run[name][:5]) for name in rates},
        **{
            f"{axle} axle, sideways force": float(np.hypot(run[f"{axle}_force_x"][0], run[f"{axle}_force_y"][0]))
            for axle in ("front", "rear")
        },
        "torque on the shaft": float(run["rotor_drive_torque"][0]),
    }


INSTANT = {
    "reduced acceleration": ("0.0872212704", "1/s^2"),
    "acceleration of left_beam_y1_rate": ("-0.0624534677", "m/s^2"),
    "acceleration of right_beam_y1_rate": ("0.7210907112", "m/s^2"),
    "acceleration of speed": ("-0.0285452492", "m/s^2"),
    "acceleration of yaw_rate": ("0.0745462855", "rad/s^2"),
    "front axle, sideways force": ("0.0807431585", "N"),
    "rear axle, sideways force": ("0.2740622998", "N"),
    "torque on the shaft": ("0.0245358948", "N m"),
}

register(
    Computation(
        "elastic_snakeboard/instant",
        "Accelerations, axle forces and shaft torque at one state with bent beams",
        CITATION,
        compute=_instant,
        numbers=tuple(
            number
            for key, (text, unit) in INSTANT.items()
            for number in digits({key: text}, COMPUTED, unit, 4.0, "differences of fourth order at 1 ms leave about 2e-10")
        ),
    )
)


def _constants() -> Mapping[str, float]:
    """Integrals of the first clamped-free shape, for a beam of unit mass, length and stiffness."""
    beam = AssumedModes(FlexibleBody("beam", 1.0, CrossSection(mass=1.0, EIz=1.0), bending_y=1))
    still = np.zeros(1)
    coupling, mass = beam.coupling(still, {}), float(beam.mass(still, {})[0, 0])
    return {
        "a, integral of the shape": float(coupling[1, 0]),
        "b, integral of X times the shape": float(coupling[5, 0]),
        "m_f, integral of its square": mass,
        "first frequency": math.sqrt(2.0 * beam.elastic_energy(np.ones(1), {}) / mass),
    }


register(
    Computation(
        "elastic_snakeboard/constants",
        "Modal integrals of a clamped beam, in units of its mass, length and stiffness",
        CITATION,
        compute=_constants,
        numbers=(
            *digits({"a, integral of the shape": "0.391496", "b, integral of X times the shape": "0.284413"}, COMPUTED),
            *digits({"m_f, integral of its square": "0.250000", "first frequency": "3.516015"}, COMPUTED),
        ),
    )
)
