"""The snakeboard's three gaits: drive, rotate and park (Belkhiri 2013, section 2.4)."""

import math
from collections.abc import Mapping

import numpy as np

from locomotor.catalogue import gait, snakeboard
from locomotor.figures import Curves, Path
from locomotor.scenarios.locomotion.sources import BELKHIRI, COMPUTED, ORDER_FOUR, energy_error
from locomotor.scenarios.registry import Computation, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run, simulate

CHECK = COMPUTED
UNITS = {"reduced speed": "1/s", "x": "m", "y": "m", "yaw": "rad"}

AT_TEN = {
    "drive": ("0.15064362", "-0.30379867", "-0.00443449", "0.07297608"),
    "rotate": ("-0.01367034", "-0.04177112", "-0.00358433", "0.17513502"),
    "park": ("-0.07179830", "-0.10023604", "-0.01076919", "-0.00530408"),
}
WORDS = {
    "drive": "Snakeboard, frequencies 1:1: it drives along its length",
    "rotate": "Snakeboard, frequencies 1:2: it turns on the spot",
    "park": "Snakeboard, frequencies 2:3: it moves sideways",
}


def reduced_speed(run: Run) -> np.ndarray:
    """eta_r, the velocity along the kernel H = (-2 l cos^2(phi), 0, sin(2 phi))."""
    return np.asarray(-run["speed"] / (2.0 * run.parameters["l"] * np.cos(run["steer"]) ** 2))


def last(run: Run) -> dict[str, float]:
    """The reduced speed and the pose at the end."""
    return {
        "reduced speed": float(reduced_speed(run)[-1]),
        **{name: float(run[name][-1]) for name in ("x", "y", "yaw")},
    }


def measure(run: Run) -> dict[str, float]:
    """The end of the run, and what must vanish."""
    a = run.parameters["J_r"] / (2.0 * run.parameters["m"] * run.parameters["l"] ** 2)
    # d/dt (eta_r cos phi) = -a sin(phi) psi'': the printed equation of motion, integrated by parts over the run.
    phi, psi_rate = run["steer"], run["rotor_rate"]
    left = reduced_speed(run) * np.cos(phi) + a * np.sin(phi) * psi_rate
    right = a * np.cos(phi) * run["steer_rate"] * psi_rate
    h = run.time[1] - run.time[0]
    integral = h / 3.0 * (right[0] + 4 * right[1:-1:2].sum() + 2 * right[2:-1:2].sum() + right[-1])
    return {
        **last(run),
        "printed equation of motion, error": float(left[-1] - left[0] - integral),
        "work of the torques less change of energy": energy_error(run),
        "largest sideways speed of the centre": float(np.abs(run["sway_speed"]).max()),
    }


def at(texts: tuple[str, ...], source: str, prefix: str = "") -> tuple[Number, ...]:
    """Numbers of the pose and the reduced speed from their digits."""
    return tuple(
        number
        for (key, unit), text in zip(UNITS.items(), texts, strict=True)
        for number in digits({f"{prefix}{key}": text}, source, unit, reason=ORDER_FOUR)
    )


for _name, _texts in AT_TEN.items():
    register(
        Scenario(
            f"snakeboard/{_name}",
            WORDS[_name],
            f"{BELKHIRI}, section 2.4; gaits and inertias after Lewis, Ostrowski, Murray, Burdick (1994)",
            system=snakeboard,
            settings={"duration": 10.0, "step": 0.001, "motions": gait("snakeboard", _name)},
            measure=measure,
            numbers=(
                *at(_texts, CHECK),
                *vanishing(
                    ["printed equation of motion, error"],
                    1e-11,
                    f"{BELKHIRI}, section 2.4, with a = J_r/(2 m l^2)",
                    "1/s",
                    "Simpson's rule and RK4 at steps of 1 ms",
                ),
                *vanishing(["work of the torques less change of energy"], 1e-12, f"{COMPUTED}: balance of work", "J"),
                *vanishing(["largest sideways speed of the centre"], 1e-15, "second entry of the kernel H", "m/s"),
            ),
            figures=(
                Path("top", 2.0, title="Seen from above"),
                Curves(("steer", "rotor", "speed", "yaw"), title="Shape and motion"),
            ),
        )
    )


def _lewis() -> Mapping[str, float]:
    run = simulate(snakeboard(), 10.0, motions=gait("snakeboard", "drive"), parameters={"J": 0.016})
    return last(run)


register(
    Computation(
        "snakeboard/light_board",
        "The driving gait with the inertias of Lewis et al., whose total is not m l^2",
        "Lewis, Ostrowski, Murray, Burdick (1994), as recalled in Belkhiri, PhD thesis (2013), section 2.4",
        compute=_lewis,
        numbers=at(("0.15508492", "-0.31415408", "-0.00474357", "0.07613666"), CHECK),
    )
)


def _period() -> Mapping[str, float]:
    found: dict[str, float] = {}
    for name in AT_TEN:
        run = simulate(snakeboard(), 2.0 * math.pi, motions=gait("snakeboard", name))
        found.update({f"{name}: {key}": value for key, value in last(run).items()})
    return found


register(
    Computation(
        "snakeboard/one_period",
        "Each gait after 2 pi seconds: net motion along x, in yaw, and along y",
        f"{BELKHIRI}, section 2.4",
        compute=_period,
        numbers=(
            *at(("0.09785103", "-0.12014827", "0.00110675", "-0.05812562"), CHECK, "drive: "),
            *vanishing(["rotate: reduced speed"], 1e-10, CHECK, "1/s", "RK4 at a step of 1 ms"),
            *digits({"rotate: yaw": "0.11639710"}, CHECK, "rad", reason=ORDER_FOUR),
            *vanishing(["park: reduced speed"], 1e-10, CHECK, "1/s", "RK4 at a step of 1 ms"),
            *vanishing(["park: x"], 1e-10, CHECK, "m", "RK4 at a step of 1 ms"),
            *vanishing(["park: yaw"], 1e-10, CHECK, "rad", "RK4 at a step of 1 ms"),
            *digits({"park: y": "-0.00717224"}, CHECK, "m", reason=ORDER_FOUR),
        ),
    )
)
