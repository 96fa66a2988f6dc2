"""A Strandbeest walks on dry ground: as far as its feet carry it, with closed loops, and with feet that hardly slip.

Where one foot hands over to the next, both are equally low but not equally fast: the hull changes its velocity by their
difference, 0.177 m/s forward and 0.092 m/s upward, in an impact whose impulse has this direction. It lies within the cone of
friction where mu is at least the ratio of both, 1.93. With the 0.7 of the catalogue the foot gets what the cone gives, and
slips for some 20 ms until friction has done the rest: that is Coulomb's law, not an error of the steps.
"""

import math
from itertools import pairwise

import numpy as np

from locomotor.catalogue import strandbeest
from locomotor.catalogue import strandbeest_foot as foot
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.simulation import simulate

THIRD = 2.0 * math.pi / 3.0
RATE = 3.0
SLIPS = "with mu = 0.7 a foot that lands slips for 20 ms: without slip it would need 1.93"


def landing() -> float:
    """Angle of the crank at which a foot takes over from the next, a third of a turn ahead: by bisection, both equally low."""

    def lower(angle: float) -> float:
        return foot(angle)[1] - foot(angle + THIRD)[1]

    turn = np.linspace(0.0, 2.0 * math.pi, 241)
    lands = [a for a, b in pairwise(turn) if lower(a) >= 0.0 > lower(b) and foot(a)[1] < -0.85]
    low, high = lands[0], lands[0] + turn[1]
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if lower(middle) >= 0.0 else (low, middle)
    return low


def stride() -> float:
    """From the landing of a foot to that of the next."""
    return foot(landing())[0] - foot(landing() + THIRD)[0]


def needed_friction() -> float:
    """Ratio of the jumps of the hull along and across the ground, by differences of the curve of a foot."""
    angle, h = landing(), 1e-5
    jump = [
        sum(sign * (foot(place + h)[k] - foot(place - h)[k]) for sign, place in ((1.0, angle), (-1.0, angle + THIRD)))
        for k in (0, 1)
    ]
    return abs(jump[0] / jump[1])


def walk() -> dict[str, float]:
    """One row of three legs, over two landings."""
    run = simulate(strandbeest(mirrored=False), 1.75, step=0.01)
    speeds = np.array([run[f"foot_rear_{k}_slip_speed"] for k in (1, 2, 3)])
    loops = [gap for name, gap in run.group("gaps").items() if not name.startswith("foot_")]
    speed = np.nan_to_num(speeds).sum(axis=0)  # a foot in the air has none
    first = int(run.time.searchsorted(0.5))
    last = int(run.time.searchsorted(run.time[first] + THIRD / RATE))
    rough = simulate(strandbeest(mirrored=False).with_parameters(mu=2.4), 0.4, step=0.01)
    across, along, _ = next(event.impulse for event in rough.events if event.kind == "impact")
    return {
        "friction that a landing needs": abs(along) / across,
        "slips where there is more": float(sum(event.kind == "slips" for event in rough.events)),
        "stride": float(run["forward"][last] - run["forward"][first]),
        "largest gap of the loops": float(np.abs(loops).max()),
        "slip in a stride": float(np.trapezoid(speed[first : last + 1], run.time[first : last + 1])),
    }


register(
    Computation(
        "strandbeest/walks",
        "A Strandbeest walks: three legs at equal phases on one crankshaft",
        "Jansen, The Great Pretender (2007): lengths of the bars",
        compute=walk,
        numbers=(
            Number("friction that a landing needs", needed_friction(), 1e-6, "steps of 10 ms", "closed form: feet equally low"),
            Number("slips where there is more", 0.0, 0.5, "a count", "closed form: feet equally low"),
            Number("stride", stride(), 2e-3, SLIPS, "closed form: two feet equally low", unit="m"),
            Number("largest gap of the loops", 0.0, 1e-10, "round-off of Newton's method", "closed form", unit="m"),
            Number("slip in a stride", 0.0, 2e-3, SLIPS, "closed form", unit="m"),
        ),
    )
)
