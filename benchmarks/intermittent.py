"""Event-driven runs against real time, every scenario and every system of the catalogue: `python benchmarks/intermittent.py`.

Names given in the command line choose some of them: `python benchmarks/intermittent.py hopper rocr`.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measure import interleave, sampler
from report import Figure, Topic, at_least, at_most, seconds, text

import locomotor as lm
from locomotor.catalogue.registry import systems
from locomotor.simulation.events import is_hybrid

AIM = 100.0
"""Times faster than real time, asked of every run."""
RUNS, USUAL = 5, 2.0
"""Runs of which the middle one counts, and seconds of a system whose entry in the catalogue names none."""


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


def examples() -> Iterator[tuple[str, lm.System, dict[str, Any]]]:
    """Everything that is run with events, as `simulate` takes it: scenarios, and what the catalogue has beside them."""
    for entry in lm.scenarios.scenarios():
        if isinstance(entry, lm.scenarios.Scenario) and is_hybrid(system := entry.system()):
            yield entry.name, system, dict(entry.settings)
    for ready in systems():
        if is_hybrid(system := ready.make()):
            step = ready.step or ready.cycle.get("step")
            settings = {**ready.beginning, "duration": ready.duration or USUAL, **({"step": step} if step else {})}
            yield f"{ready.name} of the catalogue", system, settings


def against_the_clock(name: str, system: lm.System, settings: dict[str, Any]) -> tuple[Figure, float, float]:
    """The row of a run, seconds of motion, and seconds of the processor."""

    def spent() -> float:
        begin = time.process_time()
        lm.simulate(system, **settings)
        return time.process_time() - begin

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = lm.simulate(system, **settings)  # derived and compiled
        needed = statistics.median(spent() for _ in range(RUNS))
    duration = float(run.time[-1] - run.time[0])
    note = f"{seconds(needed)} for {duration:g} s at a step of {run.settings['step']:g} s, {len(run.events)} events"
    return at_least(name, duration / needed, AIM, note, " times real time"), duration, needed


def topic(*chosen: str) -> Topic:
    """Measure everything, or what has one of some words in its name."""
    wanted = [example for example in examples() if not chosen or any(word in example[0] for word in chosen)]
    found = {name: against_the_clock(name, system, settings) for name, system, settings in wanted}
    figures = [figure for figure, _, _ in found.values()]
    tests = [times for name, (_, *times) in found.items() if name.startswith("bicycle/T")]
    if tests:
        moved, spent = (sum(column) for column in zip(*tests, strict=True))
        told = f"{moved:.1f} s of motion"
        figures.insert(0, at_least("all tests of the bicycle together", moved / spent, AIM, told, " times real time"))
    if not chosen:
        ball = lm.catalogue.bouncing_ball(restitution=0.9)
        bounces = len(lm.simulate(ball, 9.0, start={"z": 1.1}).events)
        bouncing = best(lambda: lm.simulate(ball, 9.0, start={"z": 1.1}))
        told = f"{bounces} bounces until it rests, e = 0.9"
        figures += [Figure("one bounce of a ball", seconds(bouncing / bounces), note=told), terrains()]
    about = (
        "Every scenario and system of the catalogue that is run with events, with its own step: processor time of `simulate`"
    )
    return Topic("Contacts that open and close", f"{about}, channels included, once it is compiled.", tuple(figures))


if __name__ == "__main__":
    print(text(topic(*sys.argv[1:])))
