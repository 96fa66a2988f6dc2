"""A lift map of many flights in one call: `python benchmarks/flight_map.py [--target cuda] [--flights 100000]`.

The flyer whose wings twist, on its bench: frequency, amplitude and shear modulus on a grid, from rest for 0.2 s (five strokes
at 25 Hz), the mean of the lift of each. Flights a second, without the time to compile.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable

import numpy as np
from measure import repeat
from report import Figure, number, seconds, small

import locomotor as lm

FREE = ("frequency", "amplitude", "G")
RANGES = ((15.0, 35.0), (math.radians(20.0), math.radians(60.0)), (0.15e6, 0.4e6))
DURATION, STEP = 0.2, 1e-4
MAP = 100_000
LIFT = {"lift": lm.Mean("right_foil_air_z + left_foil_air_z")}


def grid(count: int) -> np.ndarray:
    """About so many points of a regular grid in the three parameters, as rows."""
    side = max(1, round(count ** (1.0 / 3.0)))
    axes = np.meshgrid(*(np.linspace(low, high, side) for low, high in RANGES), indexing="ij")
    return np.column_stack([axis.ravel() for axis in axes])


class LiftMap:
    """The compiled flyer."""

    def __init__(self, target: str = "simd") -> None:
        self.flyer = lm.compile(lm.catalogue.torsion_flyer("clamped"), target=target, free=FREE)

    def run(self, rows: np.ndarray, step: float = STEP) -> np.ndarray:
        """Mean lift (N) of every row."""
        states = np.tile(self.flyer.start(), (len(rows), 1))
        steps = round(DURATION / step)
        rows = rows[:, [FREE.index(name) for name in self.flyer.parameter_names]]
        return np.asarray(
            self.flyer.rollout(states, steps, step, parameters=rows, save_every=0, measures=LIFT, threads=1, trusted=True)[
                "lift"
            ]
        )


def figures(target: str = "simd", flights: int = 512, rounds: int = 3) -> list[Figure]:
    """Measure so many flights, and the error of the step on some of them."""
    lifts, rows = LiftMap(target), grid(flights)
    elapsed = _wall(lambda: lifts.run(rows)) if target == "cuda" else repeat(lambda: lifts.run(rows), rounds).median
    some = rows[:: max(1, len(rows) // 16)]
    coarse, fine = lifts.run(some), lifts.run(some, 0.5 * STEP)
    error = float(np.abs(coarse - fine).max() / np.abs(fine).max())
    rate = len(rows) / elapsed
    told = f"{len(rows)} flights of {DURATION} s in {seconds(elapsed)}; mean lift off by {small(error)} at a step of {STEP} s"
    return [Figure(f"lift map on {target}: flights a second", number(rate), note=f"{told}; 1e5 take {seconds(MAP / rate)}")]


def _wall(call: Callable[[], object]) -> float:
    """Seconds by the clock, after a first call that compiles: a device works while the processor waits."""
    call()
    taken = []
    for _ in range(3):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", default="simd")
    parser.add_argument("--flights", type=int, default=512)
    given = parser.parse_args()
    for figure in figures(given.target, given.flights):
        print(f"{figure.what}: {figure.measured} ({figure.note})")
