"""Limit cycles of the climbing robot: `python benchmarks/cycles.py`."""

from __future__ import annotations

import math

import numpy as np
from measure import interleave, repeat, sampler
from report import Figure, Topic, at_most, seconds, text

import locomotor as lm

GRID = {"yaw": (0.0, 2.0 * math.pi, 8), "yaw_rate": (-16.0, 16.0, 8)}
HALF = {"period": 1.0 / 3.0, "symmetry": {"yaw": "pi - yaw", "yaw_rate": "-yaw_rate"}}
PHASES = np.arange(64) * 2.0 * math.pi / 64


def topic() -> Topic:
    """Measure."""
    robot = lm.catalogue.rocr()
    cycle = lm.find_cycle(robot)
    start = cycle.values[None]
    found = lm.sweep_cycles(robot, "phase", PHASES, GRID, **HALF)
    assert {len(cycles) for cycles in found} == {2}
    sweep = repeat(lambda: lm.sweep_cycles(robot, "phase", PHASES, GRID, **HALF), 3)
    one = repeat(lambda: lm.find_cycle(robot, dict(cycle.start)), 3)
    timings = interleave(
        {
            "exact": sampler(lambda: cycle.map(start)),
            "plain": sampler(lambda: cycle.map(start, tangent=False)),
        }
    )
    exact, plain = timings["exact"].median, timings["plain"].median
    return Topic(
        "Limit cycles",
        "The climbing robot: two impacts and 200 steps a period. Compile time apart.",
        (
            at_most("all cycles at 64 phases, 64 starts each", sweep.median, 10.0, "4096 Newton searches, 128 cycles", " s"),
            Figure("one period", seconds(plain), note=f"with its exact derivative {seconds(exact)}"),
            Figure("one search, the system derived anew", seconds(one.median)),
        ),
    )


if __name__ == "__main__":
    print(text(topic()))
