"""The cart with a pendulum: two wheels that must agree, and a traction shared anyhow (Belkhiri 2013, section 3.6.1)."""

from functools import partial

import numpy as np

from locomotor.catalogue import cart_pendulum, gait
from locomotor.figures import Curves
from locomotor.scenarios.locomotion.sources import BELKHIRI, COMPUTED, energy_error
from locomotor.scenarios.registry import UNIT, Number, Scenario, digits, register, vanishing
from locomotor.simulation import Run

INSTANTS = (0.75, 2.25, 4.9)
PENDULUM: dict[str, tuple[str, ...]] = {
    "pendulum": ("0.13279551", "0.17387087", "-0.07221760"),
    "pendulum_rate": ("0.38626406", "-0.27952550", "-0.13570488"),
}
ALONE: dict[str, tuple[str, ...]] = {
    "front_wheel": ("-0.08637785", "-0.09614839", "-0.00586392"),
    "rear_wheel": ("-0.00139577", "-0.00139577", "-0.00060998"),
}
SHARED: dict[str, tuple[str, ...]] = dict.fromkeys(ALONE, ("-0.04388681", "-0.04877208", "-0.00323695"))
CHECK = COMPUTED


def torques_by_formula(run: Run) -> np.ndarray:
    """tau_1 + tau_2 = (2 J_w + M R^2) r_1'' + m R l (cos(r_3) r_3'' - sin(r_3) r_3'^2), from (3.74): T drops out."""
    p = run.parameters
    r, rate = run["pendulum"], run["pendulum_rate"]
    wheel = -2.0 * np.pi**2 * np.sin(np.pi * run.time)
    swing = -(p["g"] * np.sin(r) + p["R"] * np.cos(r) * wheel) / p["l"]
    both = 2.0 * p["J_w"] + p["M"] * p["R"] ** 2
    return np.asarray(both * wheel + p["m"] * p["R"] * p["l"] * (np.cos(r) * swing - np.sin(r) * rate**2))


def measure(run: Run) -> dict[str, float]:
    """The pendulum and the torques at the instants of the check."""
    found: dict[str, float] = {}
    for t in INSTANTS:
        i = int(np.abs(run.time - t).argmin())
        found.update({f"{name} at {t} s": float(run[name][i]) for name in PENDULUM})
        found.update({f"torque of {name} at {t} s": float(run.torques[name][i]) for name in ALONE})
    total = run.torques["front_wheel"] + run.torques["rear_wheel"]
    return found | {
        "sum of the torques less (3.74), largest": float(np.abs(total - torques_by_formula(run)).max()),
        "work of the torques less change of energy": energy_error(run),
    }


def numbers(torques: dict[str, tuple[str, ...]]) -> tuple[Number, ...]:
    """The published numbers at the instants of the source."""
    found: list[Number] = []
    for k, t in enumerate(INSTANTS):
        for name, texts in PENDULUM.items():
            unit = "rad" if name == "pendulum" else "rad/s"
            found += digits({f"{name} at {t} s": texts[k]}, CHECK, unit, 1.0, UNIT)
        for name, texts in torques.items():
            found += digits({f"torque of {name} at {t} s": texts[k]}, CHECK, "N m", 1.0, UNIT)
    return (
        *found,
        *vanishing(
            ["sum of the torques less (3.74), largest"],
            1e-10,
            f"{BELKHIRI}, (3.70) and (3.74)",
            "N m",
            "the bob is a body of 1e-12 kg m^2, not a point",
        ),
        *vanishing(["work of the torques less change of energy"], 1e-12, f"{COMPUTED}: balance of work", "J"),
    )


_scenario = partial(
    Scenario,
    citation=f"{BELKHIRI}, section 3.6.1",
    system=cart_pendulum,
    measure=measure,
    figures=(
        Curves(("pendulum",), title="Pendulum"),
        Curves(("front_wheel_drive_torque", "rear_wheel_drive_torque"), title="Torques of the wheels"),
    ),
)
_settings = {
    "duration": 5.0,
    "step": 0.001,
    "motions": gait("cart_pendulum", "rock"),
    "start": {"pendulum": 0.1},
}

register(
    _scenario(
        name="cart_pendulum/shared",
        title="Cart and pendulum, the traction shared by the smallest forces: equally",
        settings=_settings,
        numbers=numbers(SHARED),
    )
)
register(
    _scenario(
        name="cart_pendulum/front_only",
        title="Cart and pendulum, all traction on the front wheel (T = 0)",
        settings={**_settings, "static": {"rear_x": 0.0}},
        numbers=numbers(ALONE),
    )
)
