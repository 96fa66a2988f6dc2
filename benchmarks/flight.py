"""Flyers against the times that their source needed, and lift maps: `python benchmarks/flight.py`."""

from __future__ import annotations

import flight_map
import numpy as np
from measure import repeat
from peer_ptera import flapping_against_ptera
from report import Figure, Topic, at_least, seconds, text

import locomotor as lm

SOURCE = 180.0
"""Seconds a flapping cycle of 0.04 s took: MATLAB on a Core i7 at 2.66 GHz, steps of 1e-5 s (Belkhiri 2013, section 5.4.3)."""
THREE_BODIES = 3.0
"""Seconds a cycle of the flyer of three bodies took (section 4.5.5)."""
PERIOD, STEPS = 0.04, (1e-5, 4e-5)


def topic() -> Topic:
    """Measure."""
    flyer = lm.compile(lm.catalogue.segmented_flyer())
    start = flyer.start()

    def cycle(step: float) -> np.ndarray:
        return flyer.rollout(start, round(PERIOD / step), step, save_every=0).final

    fine, coarse = (repeat(lambda step=step: cycle(step), 3).median for step in STEPS)
    error = float(np.abs(cycle(STEPS[1]) - cycle(0.5 * STEPS[1])).max())
    own = float(np.abs(cycle(STEPS[0]) - cycle(0.5 * STEPS[0])).max())
    return Topic(
        "Flapping flight",
        "Vehicle of 17 bodies with soft wings, one flapping cycle of 0.04 s, free flight, one core; compile time apart.",
        (
            at_least(
                "against the source, at its step of 1e-5 s", SOURCE / fine, 1000.0, f"{seconds(fine)} a cycle, error {own:.1e}"
            ),
            Figure(
                "at a step of 4e-5 s", f"{SOURCE / coarse:,.0f} times", note=f"{seconds(coarse)} a cycle, error {error:.1e}"
            ),
            Figure("against real time", f"{PERIOD / coarse:.2g} times", note="at a step of 4e-5 s"),
            three_bodies(),
            *flight_map.figures(),
            *flapping_against_ptera(),
        ),
    )


def three_bodies() -> Figure:
    """The flyer of three bodies, in free flight, against the clock."""
    flyer = lm.compile(lm.catalogue.torsion_flyer())
    start = flyer.start()

    def cycle(step: float) -> np.ndarray:
        return flyer.rollout(start, round(PERIOD / step), step, save_every=0).final

    taken = repeat(lambda: [cycle(STEPS[1]) for _ in range(20)], 3).median / 20.0
    error = float(np.abs(cycle(STEPS[1]) - cycle(0.5 * STEPS[1])).max())
    note = f"{seconds(taken)} a cycle at a step of {STEPS[1]} s, error {error:.1e}; the source needed {THREE_BODIES:g} s"
    return at_least("three bodies, wings that twist: against real time", PERIOD / taken, 10.0, note)


if __name__ == "__main__":
    print(text(topic()))
