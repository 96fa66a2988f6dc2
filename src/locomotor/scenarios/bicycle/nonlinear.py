"""The nonlinear benchmark: accelerations at one state (Basu-Mandal et al. 2007, table 1).

Theirs: z up, x backward, y to the right; theta is the yaw, psi leads from lying to upright, phi is the pitch from
upside down, psi_f the steer, beta_r and beta_f turn the wheels.
"""

import math

import numpy as np

from locomotor.catalogue import bicycle
from locomotor.scenarios.bicycle.sources import BASU_MANDAL, COMPUTED
from locomotor.scenarios.registry import Computation, Number, digits, register
from locomotor.simulation import observe

PSI, PHI, PSI_F = 0.9501292851472, 3.1257073014894, 0.2311385135743
ROLL, PITCH = math.pi / 2 - PSI, PHI - math.pi
COORDINATES = {
    # theirs: ours, sign, rate, acceleration
    "x": ("x", -1, -2.8069345714545, -0.5041626315047),
    "y": ("y", -1, -0.1480982396001, -0.3449706619454),
    "z": ("z", 1, 0.1058778746261, -1.4604528332980),
    "theta": ("yaw", 1, 0.7830033527065, 0.8353281706379),
    "psi": ("roll", -1, 0.6068425835418, -7.8555281128244),
    "phi": ("pitch", 1, -0.0119185528069, 0.1205543897884),
    "psi_f": ("steer", 1, 0.4859824687093, -4.6198904039403),
    "beta_r": ("rear_wheel", 1, 8.9129896614890, 1.8472554144217),
    "beta_f": ("front_wheel", 1, 8.0133620584155, 2.4548072904550),
}


def _rate(theirs: str) -> float:
    """Rate of one of our coordinates as they give it."""
    _, sign, rate, _ = COORDINATES[theirs]
    return sign * rate


def accelerations_at_the_point() -> dict[str, float]:
    """Rates and accelerations of the nine coordinates, the latter by the chain rule on exact derivatives of the rates.

    Only roll, steer and three velocities are given; the other rates follow from the contacts and are compared too.
    """
    from locomotor.analysis.stability import chart_model

    system = bicycle("meijaard2007")
    start = {
        "roll": ROLL,
        "steer": PSI_F,
        "roll_rate": _rate("psi") * math.cos(PITCH) - _rate("theta") * math.cos(ROLL) * math.sin(PITCH),
        "steer_rate": _rate("psi_f"),
        "rear_wheel_rate": _rate("beta_r"),
    }
    model = chart_model(system)
    chart, velocity = model.state(start)
    point = (chart, velocity, np.zeros(len(model.input_names)))
    out = model.evaluate(*point)
    second = (
        model.slope("chart_rate", "chart", *point) @ out["chart_rate"]
        + model.slope("chart_rate", "velocity", *point) @ out["acceleration"]
    )
    seen = observe(system, start)
    found = {
        "height of the rear hub": float(chart[model.chart_names.index("z")]),
        "pitch": float(chart[model.chart_names.index("pitch")]),
        "rear contact angle": seen["rear_contact_angle"] % (2 * math.pi),
        "front contact angle": seen["front_contact_angle"] % (2 * math.pi),
    }
    for theirs, (ours, sign, _, _) in COORDINATES.items():
        i = model.chart_names.index(ours)
        found[f"rate of {theirs}"] = sign * float(out["chart_rate"][i])
        found[f"acceleration of {theirs}"] = sign * float(second[i])
    return found


TABLE = f"{BASU_MANDAL}, table 1"
THIRTEEN = "thirteen decimals are given"
AMPLIFIED = "the thirteenth decimals of roll and steer, amplified by the geometry of the contacts"
CONTACTS = {"rear contact angle": "3.1574780056902", "front contact angle": "3.6104946621887"}

register(
    Computation(
        "bicycle/nonlinear",
        "Accelerations of the nonlinear bicycle at one state",
        TABLE,
        aliases=("bicycle/basu-mandal",),
        compute=accelerations_at_the_point,
        numbers=(
            Number("height of the rear hub", 0.2440472102925, 1e-12, THIRTEEN, TABLE, unit="m"),
            Number("pitch", PITCH, 1e-12, THIRTEEN, TABLE, unit="rad"),
            *digits(CONTACTS, COMPUTED, "rad", 20.0, AMPLIFIED),
            *(
                Number(f"rate of {name}", rate, 1e-11, f"{THIRTEEN} of numbers up to 9", TABLE)
                for name, (_, _, rate, _) in COORDINATES.items()
            ),
            *(
                Number(f"acceleration of {name}", value, 1e-10, "asked of the benchmark: 1e-9 or better", TABLE)
                for name, (_, _, _, value) in COORDINATES.items()
            ),
        ),
    )
)
