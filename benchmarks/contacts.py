"""A step of time-stepping against the number of its contacts, 4 to 400: `python benchmarks/contacts.py`."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from measure import interleave, sampler
from report import Figure, Topic, at_most, seconds, text

import locomotor as lm
from locomotor.simulation.stepping import ContactSettings, SteppedSystem, compile_stepping

MODULES = (1, 5, 25, 100)
FEET = ((-0.03, -0.02, -0.02), (-0.03, 0.02, -0.02), (0.03, -0.02, -0.02), (0.03, 0.02, -0.02))
CUBIC = 3.2
"""Rows and velocities both grow with the modules: making the rows, and the matrix of those that stick, is of third order."""
STEPS, STEP = 5, 0.001


def snake(modules: int) -> lm.System:
    """Modules of 0.2 kg on four feet with friction, joined by hinges about vertical axes."""
    names = [f"module_{k}" for k in range(modules)]
    hinges = (
        lm.Revolute(name=f"joint_{k}", parent=names[k - 1], child=names[k], axis=(0, 0, 1), at=(-0.1, 0, 0))
        for k in range(1, modules)
    )
    return lm.System(
        "snake",
        bodies=tuple(lm.Body(name, 0.2, inertia=(2e-4, 3e-4, 4e-4)) for name in names),
        joints=(lm.Free(name="base", parent="world", child=names[0]), *hinges),
        contacts=tuple(
            lm.StickingPoint(f"foot_{k}_{i}", name, at=at, law=lm.Unilateral(friction=0.4))
            for k, name in enumerate(names)
            for i, at in enumerate(FEET)
        ),
        forces=(lm.Gravity((0.0, 0.0, -9.81)),),
    )


def start(compiled: SteppedSystem, speed: float) -> np.ndarray:
    """On the ground, the first module pushed forward."""
    x = np.zeros(len(compiled.state_names))
    for name, value in {"z": 0.02, "qw": 1.0, "speed": speed}.items():
        x[compiled.state_names.index(name)] = value
    return x


def exponent(sizes: list[int], times: list[float]) -> float:
    """Slope of times over sizes on logarithmic axes, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def topic(modules: tuple[int, ...] = MODULES) -> Topic:
    """Measure a snake that lies still, all of whose feet stick, and one that slides."""
    samplers = {}
    for count in modules:
        settings = ContactSettings(solver="runtime")
        compiled = compile_stepping(snake(count), "time-stepping", target="c", settings=settings)
        for what, speed in (("rests", 0.0), ("slides", 0.5)):
            call = partial(compiled.rollout, start(compiled, speed), STEPS, STEP, save_every=0)
            samplers[f"{what} {count}"] = sampler(call, STEPS)
    taken = interleave(samplers, 3)
    rests, slides = ([taken[f"{what} {count}"].best for count in modules] for what in ("rests", "slides"))
    sizes = [4 * count for count in modules]
    figures: list[Figure] = []
    for what, times in (("at rest, all feet stick", rests), ("pushed, feet slip", slides)):
        note = ", ".join(f"{size} contacts {seconds(time)}" for size, time in zip(sizes, times, strict=True))
        figures.append(at_most(f"snake {what}: exponent of a step", exponent(sizes, times), CUBIC, note))
    return Topic(
        "Many contacts",
        "Snakes of 1 to 100 modules on four feet with dry friction each, by time-stepping; rows are made and solved in the "
        "runtime for those contacts that act. The exponent is that of time over the number of contacts.",
        tuple(figures),
    )


if __name__ == "__main__":
    print(text(topic(tuple(int(n) for n in sys.argv[1:]) or MODULES)))
