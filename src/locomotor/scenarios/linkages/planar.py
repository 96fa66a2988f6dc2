"""Linkages: a four-bar linkage, a row of them, a slider-crank, Bricard's ring and a governor, against closed forms."""

import math
from collections.abc import Mapping

import numpy as np

from locomotor.catalogue import bricard, four_bar, four_bar_row, governor, slider_crank
from locomotor.scenarios.registry import Computation, Number, Scenario, register
from locomotor.simulation import Run, simulate

NEWTON = "round-off of Newton's method"
MILLI = "Runge-Kutta at a millisecond"

# -- a four-bar linkage ------------------------------------------------------------------------------------------------

CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.7, 0.9
SWUNG = {
    0.5: (2.050375608370091, -3.727012450784581),
    1.0: (1.9610177635171215, 3.9190175235490274),
    2.0: (2.2608082441796653, -2.1096300731671898),
}
"""Angle of the crank (rad) and its rate after some seconds."""


def swings(run: Run) -> Mapping[str, float]:
    """The crank at some instants, the rocker by the law of cosines, and what must vanish."""
    phi = run["crank"]
    # Down is positive, as for the crank; from the end of the crank to the far pivot it is r, and the coupler turns up from it.
    x, z = BASE - CRANK * np.cos(phi), -CRANK * np.sin(phi)
    r = np.hypot(x, z)
    coupler = np.arctan2(z, x) - np.arccos((r**2 + COUPLER**2 - ROCKER**2) / (2.0 * r * COUPLER))
    end = CRANK * np.exp(1j * phi) + COUPLER * np.exp(1j * coupler) - BASE
    at = {t: int(np.argmin(np.abs(run.time - t))) for t in SWUNG}
    return {
        **{f"crank at {t:g} s": float(phi[k]) for t, k in at.items()},
        **{f"crank_rate at {t:g} s": float(run["crank_rate"][k]) for t, k in at.items()},
        "rocker by the law of cosines, largest difference": float(np.abs(np.angle(end) - run["rocker"]).max()),
        "energy, largest change": float(np.ptp(run.energy)),
        "largest gap": float(run.audit()["largest_gap"]),
    }


LAGRANGE = "computed by an independent program: Lagrange's equation of the crank, DOP853 at 1e-12"
register(
    Scenario(
        "four_bar/swings",
        "A four-bar linkage swings about hanging down",
        "law of cosines; Lagrange's equation of one coordinate",
        system=four_bar,
        settings={"duration": 2.0, "start": {"crank": 1.4, "crank_rate": 0.5}, "step": 1e-3, "sample": 0.01},
        measure=swings,
        numbers=(
            *(Number(f"crank at {t:g} s", values[0], 1e-9, MILLI, LAGRANGE, unit="rad") for t, values in SWUNG.items()),
            *(Number(f"crank_rate at {t:g} s", values[1], 1e-8, MILLI, LAGRANGE, unit="rad/s") for t, values in SWUNG.items()),
            Number("rocker by the law of cosines, largest difference", 0.0, 1e-11, NEWTON, "closed form", unit="rad"),
            Number("energy, largest change", 0.0, 1e-8, MILLI, "closed form", unit="J"),
            Number("largest gap", 0.0, 1e-12, NEWTON, "closed form", unit="m"),
        ),
    )
)

# -- a slider-crank ----------------------------------------------------------------------------------------------------


def turns(run: Run) -> Mapping[str, float]:
    """The slider where the crank puts it."""
    phi = run["crank"]
    placed = 0.2 * np.cos(phi) + np.sqrt(0.25 - 0.04 * np.sin(phi) ** 2)
    return {
        "slider, largest difference": float(np.abs(run["slider"] - placed).max()),
        "rod, largest difference": float(np.abs(np.sin(run["rod"] + phi) + 0.4 * np.sin(phi)).max()),
        "stroke": float(np.ptp(run["slider"])),
        "energy, largest change": float(np.ptp(run.energy)),
    }


register(
    Scenario(
        "slider_crank/turns",
        "A slider-crank turns over",
        "geometry of the triangle: x = r cos + sqrt(l^2 - r^2 sin^2)",
        system=slider_crank,
        settings={"duration": 2.0, "start": {"crank_rate": 8.0}, "step": 5e-4},
        measure=turns,
        numbers=(
            Number("slider, largest difference", 0.0, 1e-11, NEWTON, "closed form", unit="m"),
            Number("rod, largest difference", 0.0, 1e-11, NEWTON, "closed form: the sine rule"),
            Number(
                "stroke",
                0.4,
                2e-5,
                "samples of half a millisecond miss the very end: r (w h)^2/8",
                "closed form: 2 r",
                unit="m",
            ),
            Number("energy, largest change", 0.0, 1e-8, "Runge-Kutta at half a millisecond", "closed form", unit="J"),
        ),
    )
)

# -- Bricard's mechanism -----------------------------------------------------------------------------------------------

register(
    Scenario(
        "bricard/energy",
        "Bricard's mechanism falls for ten seconds and keeps its energy",
        "IFToMM library of computational benchmark problems: the criterion is the energy",
        system=bricard,
        settings={"duration": 10.0, "step": 1e-3, "sample": 0.01},
        measure=lambda run: {
            "energy, largest change": float(np.ptp(run.energy)),
            "largest gap": float(run.audit()["largest_gap"]),
            "seconds": float(run.time[-1]),
        },
        numbers=(
            Number("energy, largest change", 0.0, 1e-6, MILLI, "energy is constant", unit="J"),
            Number("largest gap", 0.0, 1e-12, NEWTON, "closed form", unit="m"),
            Number("seconds", 10.0, 1e-9, "a count", "the duration of the library's problem", unit="s"),
        ),
    )
)

# -- a row of four-bar linkages ----------------------------------------------------------------------------------------


def pendulum(windows: int) -> tuple[float, float]:
    """Inertia and weight of the one pendulum that all uprights make."""
    return (windows + 1) / 3.0 + windows, 9.81 * (0.5 * (windows + 1) + windows)


def falls(run: Run) -> Mapping[str, float]:
    """All uprights as one pendulum."""
    n = sum(name.startswith("post_") and not name.endswith("rate") for name in run.channels) - 1
    inertia, weight = pendulum(n)
    rate = np.sqrt(1.0 + 2.0 * weight / inertia * (1.0 + np.sin(run["post_0"])))
    return {
        "rate, largest difference": float(np.abs(run["post_0_rate"] - rate).max()),
        "uprights apart": float(max(np.abs(run[f"post_{k}"] - run["post_0"]).max() for k in range(1, n + 1))),
        "energy, largest change": float(np.ptp(run.energy)),
    }


register(
    Scenario(
        "four_bar_row/falls",
        "Five four-bar linkages in a row fall as one pendulum, pushed at 1 m/s",
        "IFToMM library of computational benchmark problems, N-four-bar mechanism",
        system=lambda: four_bar_row(5),
        settings={"duration": 0.6, "start": {"post_0_rate": 1.0}, "step": 1e-3},
        measure=falls,
        numbers=(
            Number("rate, largest difference", 0.0, 1e-9, MILLI, "closed form: the energy of one pendulum", unit="rad/s"),
            Number("uprights apart", 0.0, 1e-11, NEWTON, "closed form", unit="rad"),
            Number("energy, largest change", 0.0, 1e-8, MILLI, "energy is constant", unit="J"),
        ),
    )
)

ABOVE = 0.1
"""Angle (rad) above level at which the row begins."""


def level_instant(windows: int) -> float:
    """Seconds until the bars lie level, at 1 rad/s from `ABOVE`: Gauss's quadrature of dt = d angle/rate."""
    inertia, weight = pendulum(windows)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    angle = 0.5 * ABOVE * (nodes - 1.0)
    rate = np.sqrt(1.0 + 2.0 * weight / inertia * (math.sin(ABOVE) + np.sin(angle)))
    return float(0.5 * ABOVE * (weights / rate).sum())


def passes() -> dict[str, float]:
    """In maximal coordinates, through the position in which every loop is singular."""
    start = {"post_0": -ABOVE, "post_1": -ABOVE, "post_2": -ABOVE, "lintel_1": ABOVE, "lintel_2": ABOVE, "post_0_rate": 1.0}
    run = simulate(four_bar_row(2), 0.15, start=start, step=2.5e-3, coordinates="maximal")
    (event,) = run.events.of(kind="singular")
    return {
        "singular at": event.time,
        "loops that change their branch there": float(
            sum(abs(e.time - event.time) < 1e-6 for e in run.events.of(kind="branch"))
        ),
        "uprights apart": float(max(np.abs(run[f"post_{k}"] - run["post_0"]).max() for k in (1, 2))),
        "energy, largest change": float(np.ptp(run.energy)),
    }


register(
    Computation(
        "four_bar_row/passes",
        "Two four-bar linkages in a row pass the position in which all bars lie level",
        "IFToMM library of computational benchmark problems, N-four-bar mechanism",
        compute=passes,
        numbers=(
            Number("singular at", level_instant(2), 1e-8, "Runge-Kutta at 2.5 ms", "closed form: quadrature", unit="s"),
            Number("loops that change their branch there", 2.0, 0.5, "a count", "closed form: sin(angle) changes its sign"),
            Number("uprights apart", 0.0, 1e-9, NEWTON, "closed form", unit="rad"),
            Number("energy, largest change", 0.0, 1e-7, "Runge-Kutta at 2.5 ms", "energy is constant", unit="J"),
        ),
    )
)

# -- a governor --------------------------------------------------------------------------------------------------------


def balance(rate: float) -> float:
    """Angle of the arms at a steady rate: moments about a hinge vanish, by bisection."""

    def moment(a: float) -> float:
        spring = -200.0 * (-2.0 * 0.3 * math.cos(a) + 0.55)
        out = rate**2 * (0.03 + 0.5 * math.sin(a)) * 0.5 * math.cos(a)
        return out - 9.81 * 0.5 * math.sin(a) - 0.3 * math.sin(a) * (0.5 * 9.81 - spring)

    low, high = 0.01, 1.5
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if moment(middle) > 0.0 else (low, middle)
    return low


MOMENTS = "closed form: balance of moments about a hinge"
register(
    Scenario(
        "governor/balance",
        "A flyball governor at 9 rad/s comes to the balance of moments",
        "IFToMM library of computational benchmark problems, flyball governor; parameters ours",
        system=governor,
        settings={"duration": 80.0, "motions": {"shaft": "9*t"}, "step": 4e-3, "sample": 1.0},
        measure=lambda run: {
            "angle of an arm": float(run["right"][-1]),
            "height of the sleeve": float(run["sleeve"][-1]),
            "arms apart": float(np.abs(run["right"] - run["left"]).max()),
        },
        numbers=(
            Number("angle of an arm", balance(9.0), 1e-7, "what is left of the swing after 80 s", MOMENTS, unit="rad"),
            Number("height of the sleeve", -0.6 * math.cos(balance(9.0)), 1e-7, "what is left of the swing", MOMENTS, unit="m"),
            Number("arms apart", 0.0, 1e-9, NEWTON, "closed form: they are alike", unit="rad"),
        ),
    )
)
