"""Hovering insects: lift against weight with the strokes that were measured."""

import math

import numpy as np

from locomotor.catalogue import (
    ASSEMBLED_MODES,
    EVA_LIFT,
    MANDUCA_MODES,
    VEIN_ANGLES,
    VEIN_DIAMETERS,
    WING_MODES,
    fruit_fly,
)
from locomotor.figures import Curves
from locomotor.scenarios.flight.sources import BELKHIRI, last_period, mean
from locomotor.scenarios.registry import Computation, Number, Scenario, digits, register
from locomotor.simulation import Run

FRY = "Fry, Sayaman and Dickinson, J. Exp. Biol. 208 (2005) 2303"


def _hover(run: Run) -> dict[str, float]:
    p = run.parameters
    here = last_period(run, 1.0 / p["frequency"])
    t = run.time[here]
    lift = sum(run[f"{side}_foil_air_z"][here] for side in ("right", "left"))
    along = sum(run[f"{side}_foil_air_x"][here] for side in ("right", "left"))
    weight = p["mass"] * p["g"]
    return {
        "mean lift over weight": mean(t, lift) / weight,
        "mean force forward over weight": mean(t, along) / weight,
        "share of rotation in the lift": float(
            np.mean([mean(t, run[f"{s}_foil_rotation_z"][here]) for s in ("right", "left")]) * 2.0 / mean(t, lift)
        ),
    }


register(
    Scenario(
        "fruit_fly/hover",
        "Fruit fly on a bench with the strokes of hovering: the mean lift carries the weight",
        FRY,
        system=lambda: fruit_fly("clamped"),
        settings={"duration": 2.0 / 218.0, "step": 1.0 / 218.0 / 200.0},
        measure=_hover,
        numbers=(
            Number(
                "mean lift over weight",
                1.0,
                0.15,
                "quasi-steady coefficients, and a pitch that is known at the middle of a stroke only",
                f"{FRY}: it hovers, and quasi-steady mechanisms account for nearly all of the mean force",
            ),
            Number("mean force forward over weight", 0.0, 1e-9, "round-off: the strokes are alike", "closed form: symmetry"),
        ),
        figures=(Curves(("right_stroke", "right_pitch", "right_foil_air_z"), title="Strokes and lift"),),
    )
)


PARTS = ("vein N1", "vein N2", "vein N3", "window F")


def _modes(of: str, texts: tuple[str, ...], section: str) -> tuple[Number, ...]:
    keys = {f"mode {k} of {of}": text for k, text in enumerate(texts, 1)}
    return digits(keys, f"{BELKHIRI}, section {section}", "Hz")


register(
    Computation(
        "flapping_robot/bench",
        "EVA's wing and that of Manduca: veins, measured modes, the lift and the unit it is printed in",
        f"{BELKHIRI}, sections 4.1 and 4.2",
        compute=lambda: {
            **{f"mode {k} of Manduca": value for k, value in enumerate(MANDUCA_MODES.values, 1)},
            **{f"mode {k} of the wing": value for k, value in enumerate(WING_MODES.values, 1)},
            **{f"mode {k} of wing and thorax": value for k, value in enumerate(ASSEMBLED_MODES.values, 1)},
            "largest lift": 1e3 * EVA_LIFT.values[0],
            **{f"diameter of {part}": 1e3 * value for part, value in zip(PARTS, VEIN_DIAMETERS.values, strict=True)},
            **{f"inclination of {part}": math.degrees(value) for part, value in zip(PARTS, VEIN_ANGLES.values, strict=False)},
        },
        numbers=(
            *_modes("Manduca", ("85", "105", "138", "170"), "4.1"),
            *_modes("the wing", ("17", "35", "60"), "4.2"),
            *_modes("wing and thorax", ("7.24", "26.3", "88"), "4.2"),
            Number(
                "largest lift", 3.5, 0.05, "half a unit of the last digit given", f"{BELKHIRI}, 4.2",
                "printed as 3.5e-3 N and as 3.5 g; 3.5 g weigh 34 mN, and 3.5e-3 is kgf", "mN",
            ),
            *digits({f"diameter of {part}": text for part, text in zip(PARTS, ("0.6", "0.6", "0.6", "0.7"), strict=True)},
                    f"{BELKHIRI}, Table 4.1", "mm"),
            *digits({f"inclination of {part}": text for part, text in zip(PARTS[:3], ("10", "20", "45"), strict=True)},
                    f"{BELKHIRI}, Table 4.1", "deg"),
        ),
    )
)  # fmt: skip
