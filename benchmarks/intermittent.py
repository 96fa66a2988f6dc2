"""Event-driven runs: the tests of the intermittent bicycle against real time: `python benchmarks/intermittent.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from measure import interleave, sampler
from report import Figure, Topic, at_least, at_most, seconds, text

import locomotor as lm

TESTS = ("T1", "T2", "T3", "T4", "T5/wheelie", "T5/gyroscope", "T5/steered", "T5/steered/500")
AIM = 100.0
"""Times faster than real time, asked of all tests together."""


def best(call: Callable[[], object]) -> float:
    """Seconds of a call, the least of several."""
    sample = sampler(call)
    return min(sample() for _ in range(5))


SPACING, ROUGHNESS = 0.3, 0.002
"""Of the heights of the terrains (m)."""
RUN = {"duration": 1.0, "step": 0.001, "start": {"z": 0.4, "sway_speed": 0.3, "y": -0.3}}


def balls() -> dict[str, lm.System]:
    """A ball that bounces on a terrain of 10 triangles, and on one of 100,352 whose middle is the same."""
    heights = ROUGHNESS * np.random.default_rng(0).normal(size=(225, 225))
    x, y = (SPACING * (np.arange(225) - middle) for middle in (112.5, 112.0))
    rows, columns = slice(112, 114), slice(110, 116)
    parts = {"100k": (x, y, heights), "10": (x[rows], y[columns], heights[rows, columns])}
    terrains = {name: lm.Terrain.heightfield(*part) for name, part in parts.items()}
    assert [len(terrains[name].triangles) for name in ("10", "100k")] == [10, 100_352]
    return {name: lm.catalogue.bouncing_ball(restitution=0.7, terrain=ground) for name, ground in terrains.items()}


def terrains() -> Figure:
    """The ratio of the times of a step."""
    systems = balls()
    runs = {name: lm.simulate(system, **RUN) for name, system in systems.items()}
    assert np.allclose(runs["10"].events.times, runs["100k"].events.times, rtol=0.0, atol=1e-9)
    steps = round(RUN["duration"] / RUN["step"])
    calls = {name: lambda system=system: lm.simulate(system, **RUN) for name, system in systems.items()}
    timings = interleave({name: sampler(call, steps) for name, call in calls.items()})
    events = f"{len(runs['10'].events)} events in 1 s"
    note = f"{seconds(timings['100k'].median)} against {seconds(timings['10'].median)} a step, {events}"
    return at_most("a step on 100,352 triangles: times that on 10", timings["100k"].over(timings["10"]), 2.0, note)


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
            terrains(),
        ),
    )


if __name__ == "__main__":
    print(text(topic()))
