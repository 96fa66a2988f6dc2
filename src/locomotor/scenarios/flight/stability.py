"""Stability of hover over two design parameters: where the wings are, and how stiff their hinges are.

Each design is trimmed to hover (the torque of the drive is solved for), and its growth is the largest ln|multiplier| a stroke,
as a rate. One walk goes through all designs, so that the flyer is compiled once for a map.
"""

from functools import cache
from typing import Any

import numpy as np

from locomotor.catalogue import UPRIGHT_LAW, micro_flyer
from locomotor.figures import Contours
from locomotor.scenarios.registry import Computation, Number, register, vanishing
from locomotor.typing import Vector

SUN = "Sun and Xiong, J. Exp. Biol. 208 (2005) 447, and others: hovering insects are unstable without control"
BEAT, STEPS = 1.0 / 120.0, 200
HEIGHTS = (-1.0, 0.5, 2.0, 3.5, 5.0, 6.5, 8.0)
"""Height of the wing joints above the middle of the body (mm)."""
HINGES = (3.0, 4.0, 5.0, 6.0, 7.0)
"""Stiffness of the hinges (uN m/rad)."""
OURS = "ours: the map is; the law was made for a height of 3 mm"


@cache
def growth(held: bool) -> tuple[Vector, Vector, float]:
    """Rates of growth (1/s) and of turning (rad/s) of the least stable deviation, (hinge, height), and the largest rise (m)."""
    from locomotor.analysis import trim_family

    walk = [(h, k) for row, k in enumerate(HINGES) for h in (HEIGHTS if row % 2 == 0 else HEIGHTS[::-1])]
    options: dict[str, Any] = {"inputs": UPRIGHT_LAW} if held else {}
    family = trim_family(
        micro_flyer(),
        solve_for=["torque"],
        advance={"z": 0.0},
        along={"height": [1e-3 * h for h, _ in walk], "k_pitch": [1e-6 * k for _, k in walk]},
        period=BEAT,
        step=BEAT / STEPS,
        **options,
    )
    rates, turning = np.full((2, len(HINGES), len(HEIGHTS)), np.nan)
    for (h, k), cycle in zip(walk, family.cycles, strict=False):
        largest = cycle.multipliers[np.abs(cycle.multipliers).argmax()]
        place = HINGES.index(k), HEIGHTS.index(h)
        rates[place], turning[place] = np.log(np.abs(largest)) / BEAT, np.abs(np.angle(largest)) / BEAT
    return rates, turning, max(abs(cycle.displacement["z"]) for cycle in family.cycles)


def _map() -> dict[str, float]:
    (alone, turning, rise), (held, _, other) = growth(False), growth(True)
    middle = HINGES.index(5.0)
    crossing = int(np.flatnonzero(np.diff(np.sign(held[middle])) != 0.0)[0])
    low, high = held[middle, crossing], held[middle, crossing + 1]
    step = HEIGHTS[crossing + 1] - HEIGHTS[crossing]
    return {
        "designs in the two maps": float(np.isfinite(alone).sum() + np.isfinite(held).sum()),
        "rise in a stroke, largest": max(rise, other),
        "left alone: slowest growth": float(alone.min()),
        "left alone: height of the slowest growth": HEIGHTS[int(alone.min(axis=0).argmin())],
        "left alone, wings low: turning of what grows": float(turning[:, 0].max()),
        "left alone, wings high: turning of what grows": float(turning[:, -1].min()),
        "with the controller: largest growth from 3.5 mm up": float(held[:, HEIGHTS.index(3.5) :].max()),
        "with the controller: growth with low wings": float(held[:, 0].min()),
        "with the controller: height where it becomes stable": HEIGHTS[crossing] + step * float(low / (low - high)),
    }


def _drawn(_across: Vector, _up: Vector) -> dict[str, Vector]:
    return {"left alone (1/s)": growth(False)[0], "with the controller (1/s)": growth(True)[0]}


register(
    Computation(
        "micro_flyer/stability_map",
        "80 mg flyer that hovers: rate of growth over the height of its wings and the stiffness of their hinges",
        "Ma, Chirarattananon, Fuller and Wood, Science 340 (2013) 603",
        compute=_map,
        slow=True,
        numbers=(
            Number("designs in the two maps", 70.0, 0.5, "each is trimmed", "what was asked for"),
            *vanishing(["rise in a stroke, largest"], 1e-9, "law of mechanics: hover", "m", "the tolerance of the search"),
            Number("left alone: slowest growth", 10.0, 9.9, "all grow", SUN, unit="1/s"),
            Number("left alone: height of the slowest growth", 3.5, 1.6, "between divergence and oscillation", OURS, unit="mm"),
            *vanishing(["left alone, wings low: turning of what grows"], 1e-6, OURS, "rad/s", "a divergence"),
            Number("left alone, wings high: turning of what grows", 25.0, 5.0, "an oscillation", OURS, unit="rad/s"),
            Number("with the controller: largest growth from 3.5 mm up", -3.0, 2.9, "all decay", OURS, unit="1/s"),
            Number("with the controller: growth with low wings", 5.0, 4.9, "all grow", OURS, unit="1/s"),
            Number("with the controller: height where it becomes stable", 1.0, 1.0, "on this grid", OURS, unit="mm"),
        ),
        figures=(
            Contours(
                _drawn, HEIGHTS, HINGES, "height of the wings (mm)", "stiffness of the hinges (uN m/rad)",
                title="Growth of the least stable deviation from hover",
            ),
        ),
    )
)  # fmt: skip
