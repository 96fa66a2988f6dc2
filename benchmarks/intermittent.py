"""Event-driven runs: the tests of the intermittent bicycle against real time: `python benchmarks/intermittent.py`."""

from __future__ import annotations

from collections.abc import Callable

from measure import sampler
from report import Figure, Topic, at_least, seconds, text

import locomotor as lm

TESTS = ("T1", "T3", "T4", "T5/wheelie", "T5/gyroscope", "T5/steered", "T5/steered/500")
AIM = 100.0
"""Times faster than real time, asked of all tests together."""


def best(call: Callable[[], object]) -> float:
    """Seconds of a call, the least of several."""
    sample = sampler(call)
    return min(sample() for _ in range(5))


def topic() -> Topic:
    """Measure."""
    figures: list[Figure] = []
    moved = spent = 0.0
    for name in TESTS:
        entry = lm.scenarios.scenario(f"bicycle/{name}")
        system = entry.system()
        run = lm.simulate(system, **entry.settings)  # derived and compiled
        needed = best(lambda system=system, entry=entry: lm.simulate(system, **entry.settings))
        duration = float(run.time[-1])
        note = f"{seconds(needed)} for {duration:g} s at a step of {run.settings['step']:g} s, {len(run.events)} events"
        figures.append(Figure(f"test {name}", f"{duration / needed:.0f} times real time", note=note))
        moved, spent = moved + duration, spent + needed
    ball = lm.catalogue.bouncing_ball(restitution=0.9)
    bounces = len(lm.simulate(ball, 9.0, start={"z": 1.1}).events)
    bouncing = best(lambda: lm.simulate(ball, 9.0, start={"z": 1.1}))
    return Topic(
        "Contacts that open and close",
        "Tests of the intermittent bicycle, channels of the run included, one core. Compile time apart.",
        (
            at_least("all tests of the bicycle together", moved / spent, AIM, f"{moved:.1f} s of motion", " times real time"),
            *figures,
            Figure("one bounce of a ball", seconds(bouncing / bounces), note=f"{bounces} bounces until it rests, e = 0.9"),
        ),
    )


if __name__ == "__main__":
    print(text(topic()))
