"""The vehicle with segmented wings against the time that its source needed: `python benchmarks/flight.py`."""

from __future__ import annotations

import numpy as np
from measure import repeat
from report import Figure, Topic, at_least, seconds, text

import locomotor as lm

SOURCE = 180.0
"""Seconds a flapping cycle of 0.04 s took: MATLAB on a Core i7 at 2.66 GHz, steps of 1e-5 s (Belkhiri 2013, section 5.4.3)."""
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
        ),
    )


if __name__ == "__main__":
    print(text(topic()))
