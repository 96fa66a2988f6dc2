"""Andrews' squeezing mechanism at t = 0.03 s, as published with the test set for initial value problems."""

from locomotor.catalogue import squeezer
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.simulation import simulate

SOURCE = "Mazzia and Magherini, Test Set for IVP Solvers (2008), Andrews' squeezing mechanism: reference solution"
REASON = "the digits of the published solution; at half the step ours change in the tenth"
ANGLES = {
    "beta": (15.81077119629904, 1139.920302151208),
    "Theta": (-15.75637105984298, -1424.379294994111),
    "gamma": (0.04082224013073101, 11.03291221937134),
    "Phi": (-0.5347301163226948, 19.29337464421385),
    "delta": (0.5244099658805304, 0.5735699284790808),
    "Omega": (0.5347301163226948, -19.29337464421385),
    "epsilon": (1.048080741042263, 0.3231791658026955),
}
"""Angles (rad) and rates (rad/s)."""


def at_the_end() -> dict[str, float]:
    """Angles and rates after 0.03 s from rest."""
    run = simulate(squeezer(), 0.03, step=5e-6, sample=0.03)
    return {name: float(run[name][-1]) for angle in ANGLES for name in (angle, f"{angle}_rate")}


register(
    Computation(
        "squeezer/published",
        "Andrews' squeezing mechanism after 0.03 s",
        "Hairer and Wanner 1996, section VII.7; IVP test set",
        compute=at_the_end,
        numbers=tuple(
            number
            for name, (angle, rate) in ANGLES.items()
            for number in (
                Number(name, angle, 1e-8, REASON, SOURCE, unit="rad"),
                Number(f"{name}_rate", rate, 1e-6, REASON, SOURCE, unit="rad/s"),
            )
        ),
    )
)
