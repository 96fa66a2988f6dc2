"""Hover as a cycle: how far to stroke, and whether what is left alone stays upright."""

from typing import Any

import numpy as np

from locomotor.catalogue import UPRIGHT_LAW, fruit_fly, micro_flyer
from locomotor.scenarios.registry import Computation, Number, register, vanishing

SUN = "Sun and Xiong, J. Exp. Biol. 208 (2005) 447, and others: hovering insects are unstable without control"
HOVER, SEARCH = "law of mechanics: hover", "the tolerance of the search"
DIFFERENCES = "closed form: exact derivative and central differences of the map are the same"
BEAT, MICRO_BEAT = 1.0 / 218.0, 1.0 / 120.0
STEPS = 200
"""Of a stroke."""


def _fly() -> dict[str, float]:
    from locomotor.analysis import trim

    measured = fruit_fly().parameters.values["amplitude"]
    hover = trim(fruit_fly(), solve_for=["amplitude"], advance={"z": 0.0}, period=BEAT, step=BEAT / STEPS)
    return {
        "rise in a stroke": hover.displacement["z"],
        "drift in a stroke": float(np.hypot(hover.displacement["x"], hover.displacement["y"])),
        "largest multiplier": float(np.abs(hover.multipliers).max()),
        "stroke over the measured one": hover.system.parameters.values["amplitude"] / measured,
        "derivative less differences": hover.check(),
    }


register(
    Computation(
        "fruit_fly/trim",
        "Fruit fly that hovers: stroke and multipliers",
        "Fry, Sayaman and Dickinson, J. Exp. Biol. 208 (2005) 2303",
        compute=_fly,
        slow=True,
        numbers=(
            *vanishing(["rise in a stroke", "drift in a stroke"], 1e-9, HOVER, "m", SEARCH),
            Number("largest multiplier", 1.5, 0.499, "more than one, and less than two a stroke", SUN),
            Number(
                "stroke over the measured one",
                1.0,
                0.1,
                "half of 15 %: lift grows with its square",
                "Fry 2005: the stroke",
            ),
            *vanishing(["derivative less differences"], 1e-6, DIFFERENCES, "1", "differences of 1e-5"),
        ),
    )
)


SPEED, TURN = 0.2, 3.0


def _flights() -> dict[str, float]:
    """Forward flight up to a speed and turns up to a rate, and the averaged model of hover."""
    from locomotor.analysis import average_cycle, trim_family

    fly = fruit_fly().with_parameters(amplitude=1.1475)
    options: dict[str, Any] = {"period": BEAT, "step": BEAT / STEPS}
    forward = trim_family(
        fly,
        solve_for=["amplitude", "stroke_mean"],
        advance={"x": [0.0, 0.25 * SPEED * BEAT, SPEED * BEAT], "z": 0.0},
        **options,
    ).cycles
    turns = trim_family(
        fly, solve_for=["amplitude", "pitch_skew"], advance={"yaw": [0.0, TURN * BEAT], "z": 0.0}, **options
    ).cycles
    model = average_cycle(forward[0])
    grown = np.sort(np.abs(np.exp(model.eigenvalues * BEAT)))[::-1]
    return {
        "speed of the fastest": forward[-1].rates["x"],
        "rate of the tightest turn": turns[-1].rates["yaw"],
        "rise in a stroke": max(abs(cycle.displacement["z"]) for cycle in (*forward, *turns)),
        "stroke carried back, fastest": float(forward[-1].system.parameters.values["stroke_mean"]),
        "multipliers less those of the averaged model": float(np.abs(grown - np.abs(forward[0].multipliers)).max()),
        "largest rate of growth in hover": float(model.eigenvalues.real.max()),
    }


register(
    Computation(
        "fruit_fly/flight",
        "Fruit fly in forward and turning flight, found from hover, and the averaged model of its hover",
        "Fry, Sayaman and Dickinson, J. Exp. Biol. 208 (2005) 2303",
        compute=_flights,
        slow=True,
        numbers=(
            Number("speed of the fastest", SPEED, 1e-6, SEARCH, "what was asked for", unit="m/s"),
            Number("rate of the tightest turn", TURN, 1e-6, SEARCH, "what was asked for", unit="rad/s"),
            *vanishing(["rise in a stroke"], 1e-9, "law of mechanics: level flight", "m", SEARCH),
            Number(
                "stroke carried back, fastest", -0.05, 0.05, "back, so that it noses down", "ours: the model is", unit="rad"
            ),
            *vanishing(
                ["multipliers less those of the averaged model"],
                1e-8,
                "closed form: exp(A T) is the map",
                "1",
                "of a logarithm",
            ),
            Number("largest rate of growth in hover", 30.0, 29.0, "it grows within some tens of strokes", SUN, unit="1/s"),
        ),
    )
)


def _micro() -> dict[str, float]:
    from locomotor.analysis import trim

    beat = {"period": MICRO_BEAT, "step": MICRO_BEAT / STEPS}
    options: dict[str, Any] = {"solve_for": ["torque"], "advance": {"z": 0.0}, **beat}
    alone, held = trim(micro_flyer(), **options), trim(micro_flyer(), **options, inputs=UPRIGHT_LAW)
    return {
        "largest multiplier, left alone": float(np.abs(alone.multipliers).max()),
        "largest multiplier, with the controller": float(np.abs(held.multipliers).max()),
        "rise in a stroke": max(abs(cycle.displacement["z"]) for cycle in (alone, held)),
        "derivative less differences": alone.check(),
    }


register(
    Computation(
        "micro_flyer/hover",
        "80 mg flyer that hovers: unstable by itself, stable with feedback of roll and pitch",
        "Ma, Chirarattananon, Fuller and Wood, Science 340 (2013) 603",
        compute=_micro,
        slow=True,
        numbers=(
            Number("largest multiplier, left alone", 1.5, 0.499, "more than one", "Ma 2013: unstable without active control"),
            Number("largest multiplier, with the controller", 0.5, 0.499, "less than one", "ours: the controller is"),
            *vanishing(["rise in a stroke"], 1e-9, HOVER, "m", SEARCH),
            *vanishing(["derivative less differences"], 1e-6, DIFFERENCES, "1", "differences of 1e-5"),
        ),
    )
)
