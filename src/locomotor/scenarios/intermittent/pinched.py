"""A capsule between two jaws: it does not creep, and lets go where the closed form says."""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from locomotor.catalogue import pinched_capsule
from locomotor.figures import Curves
from locomotor.scenarios.registry import Computation, Number, Scenario, register, vanishing
from locomotor.simulation import Run, compile, simulate

FRICTION, GRIP, MASS, JAW, RADIUS, ABOUT, GRAVITY = 0.5, 20.0, 1.0, 0.5, 0.05, 1.25e-3, 9.81
LEAN = 0.5 * math.pi - 0.8
"""Jaws on a slope of 0.8 rad."""
MINUTE, STEP, SPEED = 60.0, 0.01, 1.0
COULOMB = "closed form: Coulomb's friction mu F at each of two jaws"
ROLLS = (
    "closed form: it rolls on the fixed jaw against the friction of the other, (m g cos(lean) - 2 mu N)/(m + J/r^2) with "
    "N = F + m_jaw g sin(lean)"
)
NO_CREEP = "round-off of 6000 steps"


def _pressed(lean: float, grip: float) -> float:
    """The force between the capsule and the jaw that moves."""
    return grip + JAW * GRAVITY * math.sin(lean)


def threshold(lean: float) -> float:
    """The least grip that holds: half the weight along the jaws is mu times the force at the jaw that moves."""
    return MASS * GRAVITY * math.cos(lean) / (2.0 * FRICTION) - JAW * GRAVITY * math.sin(lean)


def rolling(lean: float, grip: float) -> float:
    """How fast it begins to roll down between jaws that lean, when the grip is too weak."""
    return (MASS * GRAVITY * math.cos(lean) - 2.0 * FRICTION * _pressed(lean, grip)) / (MASS + ABOUT / RADIUS**2)


def creep() -> dict[str, float]:
    """How far a capsule that is held goes in a minute, with events and step by step, between upright jaws and on a slope."""
    found: dict[str, float] = {}
    for words, lean in (("upright", 0.0), ("on a slope", LEAN)):
        system = pinched_capsule(lean=lean)
        run = simulate(system, MINUTE, step=STEP)
        names = [symbol.name for symbol in (*system.layout.coordinates, *system.layout.velocities)]
        found[f"{words}: creep with events"] = max(float(np.abs(run[name] - run[name][0]).max()) for name in names)
        stepped = compile(system, contacts="time-stepping", target="c")
        start = stepped.start({})
        states = stepped.rollout(start, round(MINUTE / STEP), STEP, save_every=100).states
        found[f"{words}: creep step by step"] = float(np.abs(states - start).max())
        for side, factor in (("above", 1.0 + 1e-9), ("below", 0.9)):
            grip = threshold(lean) * factor
            run = simulate(system, 0.5, step=STEP, parameters={"F": grip})
            found[f"{words}: fall in 0.5 s, grip {side} the threshold"] = float(-run["z"][-1])
    return found


def _falls(lean: float) -> float:
    grip = 0.9 * threshold(lean)
    a = GRAVITY - 2.0 * FRICTION * grip / MASS if lean == 0.0 else rolling(lean, grip)
    return 0.5 * a * 0.5**2


register(
    Computation(
        "pinched_capsule/holds",
        "A capsule that two jaws hold for a minute: it does not creep, and lets go below the least grip",
        "Closed form: statics with Coulomb's friction",
        compute=creep,
        numbers=(
            *vanishing(
                [f"{words}: creep {how}" for words in ("upright", "on a slope") for how in ("with events", "step by step")],
                1e-12,
                "it is held: friction balances its weight exactly",
                "SI",
                NO_CREEP,
            ),
            *vanishing(
                [f"{words}: fall in 0.5 s, grip above the threshold" for words in ("upright", "on a slope")],
                1e-12,
                "closed form: it holds while m g cos(lean)/2 <= mu (F + m_jaw g sin(lean)); the grip is 1e-9 above",
                "m",
            ),
            Number(
                "upright: fall in 0.5 s, grip below the threshold",
                _falls(0.0),
                1e-12,
                "integrated exactly",
                "closed form: g - 2 mu F/m, without turning",
                unit="m",
            ),
            Number(
                "on a slope: fall in 0.5 s, grip below the threshold",
                _falls(LEAN),
                1e-12,
                "integrated exactly",
                ROLLS,
                unit="m",
            ),
        ),
    )
)


def _stop(run: Run) -> Mapping[str, float]:
    """When and where the jaws stop it, and that they do so along the whole line."""
    times = [event.time for event in run.events.of(kind="rolls")]
    return {
        "contacts that stop": float(len(times)),
        "stops at": times[0],
        "last end stops later by": max(times) - min(times),
        "stops after": float(-run["z"][-1]),
        "turns by": float(np.abs(run["pitch"]).max()),
    }


BRAKES = 2.0 * FRICTION * GRIP / MASS - GRAVITY

register(
    Scenario(
        "pinched_capsule/caught",
        "A capsule that falls between two jaws: they stop it and hold it",
        "Closed form: Coulomb's friction against its fall",
        system=partial(pinched_capsule, friction=FRICTION, grip=GRIP),
        settings={"duration": 0.5, "step": 0.005, "start": {"heave_speed": -SPEED}},
        measure=_stop,
        numbers=(
            Number("contacts that stop", 4.0, 0.5, "a whole number", "one event each"),
            Number(
                "stops at", SPEED / BRAKES, 1e-9, "events are located to round-off", f"{COULOMB}: v/(2 mu F/m - g)", unit="s"
            ),
            Number("last end stops later by", 0.0, 1e-12, "one instant", "both ends and both jaws are alike", unit="s"),
            Number(
                "stops after", SPEED**2 / (2.0 * BRAKES), 1e-9, "integrated exactly", f"{COULOMB}: v^2/2 over that", unit="m"
            ),
            Number("turns by", 0.0, 1e-12, "round-off", "both jaws rub alike", unit="rad"),
        ),
        figures=(Curves(("z", "heave_speed"), title="Height and speed"),),
    )
)
