"""A Strandbeest walks on dry ground: as far as its feet carry it, with closed loops, and with feet that hardly slip."""

import math
from itertools import pairwise

import numpy as np

from locomotor.catalogue import strandbeest
from locomotor.catalogue import strandbeest_foot as foot
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.simulation import simulate

THIRD = 2.0 * math.pi / 3.0
RATE = 3.0


def stride() -> float:
    """From the landing of a foot to that of the next, a third of a turn later: by bisection, where both are equally low."""

    def lower(angle: float) -> float:
        return foot(angle)[1] - foot(angle + THIRD)[1]

    turn = np.linspace(0.0, 2.0 * math.pi, 241)
    lands = [a for a, b in pairwise(turn) if lower(a) >= 0.0 > lower(b) and foot(a)[1] < -0.85]
    low, high = lands[0], lands[0] + turn[1]
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if lower(middle) >= 0.0 else (low, middle)
    return foot(low)[0] - foot(low + THIRD)[0]


def walk() -> dict[str, float]:
    """One row of three legs, over two landings."""
    run = simulate(strandbeest(mirrored=False), 1.75, step=0.01)
    speeds = np.array([run[f"foot_rear_{k}_slip_speed"] for k in (1, 2, 3)])
    speed = np.nan_to_num(speeds).sum(axis=0)  # a foot in the air has none
    first = int(run.time.searchsorted(0.5))
    last = int(run.time.searchsorted(run.time[first] + THIRD / RATE))
    return {
        "stride": float(run["forward"][last] - run["forward"][first]),
        "largest gap of the loops": float(run.audit()["largest_gap"]),
        "slip in a stride": float(np.trapezoid(speed[first : last + 1], run.time[first : last + 1])),
    }


register(
    Computation(
        "strandbeest/walks",
        "A Strandbeest walks: three legs at equal phases on one crankshaft",
        "Jansen, The Great Pretender (2007): lengths of the bars",
        compute=walk,
        numbers=(
            Number("stride", stride(), 2e-3, "a foot that lands slips a little", "closed form: two feet equally low", unit="m"),
            Number("largest gap of the loops", 0.0, 1e-10, "round-off of Newton's method", "closed form", unit="m"),
            Number("slip in a stride", 0.0, 2e-3, "a foot that lands slips a little", "closed form", unit="m"),
        ),
    )
)
