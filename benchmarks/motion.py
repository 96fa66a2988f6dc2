"""Five seconds of motion: time and accuracy of the fixed-step methods."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from measure import interleave, sampler
from report import Figure, Topic, at_least, seconds, small
from ride import DURATION, START, Floats, bicycle, reference, start

from locomotor.simulation import simulate
from locomotor.tracing import Channels

SOURCES = 2.6
"""Seconds that the sources report for these five seconds, at a step of 0.005 s."""
CALLED, FASTER = 10.0, 20.0
"""Seconds of motion with a law called from Python, and how much faster than real time it has to be."""
RUNS = (("abm4", 0.005), ("abm5", 0.005), ("rk4", 0.005), ("rk4", 0.001))


def topic() -> Topic:
    """Measure."""
    compiled = bicycle()

    def run(stepper: str, step: float) -> Floats:
        return compiled.rollout(start(), round(DURATION / step), step, stepper=stepper).states

    timings = interleave({f"{name} {step}": sampler(partial(run, name, step)) for name, step in RUNS})
    figures = []
    for name, step in RUNS:
        timing = timings[f"{name} {step}"]
        what = f"{name}, step {step:g} s: 5 s of motion"
        note = f"largest error {accuracy(run(name, step))}"
        if (name, step) == RUNS[0]:
            theirs = f"theirs: {SOURCES} s, as published, on their machine"
            figures.append(at_least(f"the sources' time / ours ({name})", SOURCES / timing.median, 1000.0, theirs))
        figures.append(Figure(what, seconds(timing.median), note=note))
    figures.append(called())
    return Topic(
        "Five seconds of motion",
        "The self-stabilising ride at 4.6 m/s with every state recorded, in one call. Errors are against dop853 at a "
        "relative tolerance of 1e-13, over the whole ride.",
        tuple(figures),
    )


def called() -> Figure:
    """A law with a branch, called from Python at every evaluation: seconds of motion in a second, channels included."""

    def law(channels: Channels) -> dict[str, float]:
        return {"steer_torque": 2.0 * channels["roll_rate"] if channels["roll"] > 0.01 else 0.0}

    def ride(duration: float) -> float:
        began = time.process_time()
        simulate(bicycle().system, duration, start=START, controller=law, step=0.001)
        return time.process_time() - began

    ride(0.01)  # compiled
    # The difference of two rides: deriving the equations with the law is not part of it.
    needed = min(ride(CALLED + 1.0) - ride(1.0) for _ in range(3))
    note = f"{seconds(needed / CALLED)} a second of motion, rk4 with a step of 0.001 s, derivation apart"
    return at_least("a law called from Python", CALLED / needed, FASTER, note, " times real time")


def accuracy(found: Floats) -> str:
    """Largest errors over the ride, by kind of quantity."""
    names = bicycle().state_names
    run = reference(len(found) - 1)
    kinds: dict[str, tuple[tuple[str, ...], str]] = {
        "position": (("x", "y", "z"), "m"),
        "steer": (("steer",), "rad"),
        "rates": (bicycle().traced.reduction.names, "rad/s"),
    }
    parts = []
    for kind, (chosen, unit) in kinds.items():
        error = max(float(np.abs(found[:, names.index(name)] - run[name]).max()) for name in chosen)
        parts.append(f"{kind} {small(error)} {unit}")
    return ", ".join(parts)
