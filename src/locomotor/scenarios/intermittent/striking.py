"""Velocities with which a leg may strike without slipping: the compass biped of Génot 1998, chapter III."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from locomotor.catalogue import compass_biped
from locomotor.figures import Contours
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.typing import Floats

FRICTIONS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6)
SOURCE = "computed by an independent program from the formulas of Génot 1998, section III.4"
HUNDREDTH = "two digits given, and the circle has steps of 0.01 deg"
BOUNDS: Mapping[tuple[float, int], tuple[float, float]] = {
    (0.2, 20): (-84.06, -81.26),
    (0.6, 20): (-90.59, -79.72),
    (0.2, 30): (-90.0, -87.32),
    (1.0, 65): (116.57, 130.30),
    (0.8, 70): (119.06, 152.72),
    (0.6, 75): (123.07, 180.0),
    (0.4, 80): (129.21, 200.28),
    (0.2, 85): (136.65, 210.64),
}
"""Friction and angle of the leg (deg) -> first and last direction (deg) of the rates (q_1', q_2') that are allowed."""


@cache
def _conditions(angle: float) -> Floats:
    """Rows over (q_1', q_2') that must be positive: normal impulse, tangential one, velocity of the other foot, approach."""
    from locomotor.analysis import striking_velocities

    pose = {"pitch": -angle, "hip": -2.0 * angle}
    found = striking_velocities(compass_biped(), pose, ["right_foot"], leaves=["left_foot"], friction=1.0)
    rates = np.zeros((2, len(found.variables)))
    rates[0, found.variables.index("pitch_rate")] = -1.0
    rates[1, found.variables.index("hip_rate")] = 1.0
    n, plus, _, leaves, strikes = np.column_stack([found.margins(rate) for rate in rates])
    return np.array([n, plus - n, leaves, strikes])


def margin(friction: float, angle: float, directions: Floats) -> Floats:
    """The least margin of all conditions for directions (rad) of the rates: above zero the leg may strike with them."""
    n, t, leaves, strikes = _conditions(angle) @ np.array([np.cos(directions), np.sin(directions)])
    return np.min([n, friction * n + t, friction * n - t, leaves, strikes], axis=0)


def directions() -> dict[str, float]:
    """First and last allowed direction of the rates."""
    circle = np.radians(np.arange(-120.0, 240.0, 0.01))
    found: dict[str, float] = {}
    for friction, degrees in BOUNDS:
        good = np.degrees(circle[margin(friction, np.radians(degrees), circle) > 0.0])
        label = f"friction {friction:g}, leg at {degrees} deg"
        found |= {f"{label}: first direction": float(good[0]), f"{label}: last direction": float(good[-1])}
    return found


def allowed(across: Any, up: Any) -> Mapping[str, Any]:
    """Of every friction the margin, cut off below zero, over the angle of the leg and the direction of the rates."""
    return {
        f"friction {mu:g}": np.array([np.maximum(margin(mu, float(x), np.radians(up)), 0.0) for x in across]).T
        for mu in FRICTIONS
    }


def _numbers() -> tuple[Number, ...]:
    return tuple(
        Number(f"friction {mu:g}, leg at {deg} deg: {which} direction", value, 0.02, HUNDREDTH, SOURCE, unit="deg")
        for (mu, deg), pair in BOUNDS.items()
        for which, value in zip(("first", "last"), pair, strict=True)
    )


register(
    Computation(
        "compass_biped/strikes",
        "A compass biped: rates with which its leg strikes, sticks, and the other one leaves",
        "Génot 1998, section III.4",
        compute=directions,
        numbers=_numbers(),
        figures=(
            Contours(
                allowed,
                tuple(np.linspace(0.05, 1.52, 43).tolist()),
                tuple(np.linspace(-120.0, 215.0, 68).tolist()),
                "angle of the leg (rad)",
                "direction of the rates (deg)",
                title="Rates that are allowed, by friction",
                source="figs. III.2 to III.9",
                levels=7,
            ),
        ),
    )
)
