"""Three balls: table I.1 of Génot 1998 by the named laws, by runs, and by springs between the balls."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.catalogue import three_balls
from locomotor.complementarity import impact_of
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.simulation import simulate

TABLE = "Génot 1998, table I.1"
SAME = "closed form; Génot 1998 has the same in table I.1"
ROUND_OFF = "round-off"
GAPS = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
STRUCK = {"first_rate": 1.0}
APART, TOGETHER, ONE_BY_ONE = (-1 / 3, 2 / 3, 2 / 3), (1 / 3, 1 / 3, 1 / 3), (0.0, 0.0, 1.0)

ROWS: tuple[tuple[str, str, dict[str, float], int, tuple[float, ...]], ...] = (
    ("Han and Gilmore, solution 1", "han gilmore", {"restitution": 1.0}, 0, APART),
    ("Han and Gilmore, solution 2", "han gilmore", {"restitution": 1.0}, 1, ONE_BY_ONE),
    ("Pfeiffer and Glocker", "poisson", {"restitution": 1.0}, 0, APART),
    ("van der Schaft and Schumacher", "van der schaft", {}, 0, TOGETHER),
    ("Moreau, inelastic", "moreau", {"dissipation": 1.0}, 0, TOGETHER),
    ("Moreau, elastic", "moreau", {"dissipation": 0.0}, 0, APART),
    ("Lötstedt", "lotstedt", {}, 0, TOGETHER),
    ("Haug, e = 1", "haug", {"restitution": 1.0}, 0, APART),
    ("Haug, e = 0", "haug", {"restitution": 0.0}, 0, TOGETHER),
)
"""Rows of the table: whose it is, our name of the law and its options, which of its outcomes, and the velocities (m/s)."""


def _numbers(what: str, values: tuple[float, ...], tolerance: float, reason: str, source: str) -> tuple[Number, ...]:
    return tuple(Number(f"{what}: ball {k}", value, tolerance, reason, source, unit="m/s") for k, value in enumerate(values, 1))


def _named(what: str, velocities: Any) -> dict[str, float]:
    return {f"{what}: ball {k}": float(value) for k, value in enumerate(velocities, 1)}


def table() -> dict[str, float]:
    """Velocities after the impact, and the energy lost, by the named laws."""
    found: dict[str, float] = {}
    for what, law, options, which, _ in ROWS:
        outcome = impact_of(np.eye(3), GAPS, [1.0, 0.0, 0.0], law=law, **options)
        outcome = (outcome, *outcome.others)[which]
        found |= _named(what, outcome.motion) | {f"{what}: energy lost": outcome.energy_lost}
    return found


register(
    Computation(
        "three_balls/table",
        "A ball strikes two that touch: what six laws say",
        TABLE,
        compute=table,
        numbers=tuple(
            number
            for what, _, _, _, values in ROWS
            for number in (
                *_numbers(what, values, 1e-14, ROUND_OFF, TABLE),
                Number(
                    f"{what}: energy lost",
                    1 / 3 if values == TOGETHER else 0.0,
                    1e-14,
                    ROUND_OFF,
                    f"{TABLE}; computed",
                    unit="J",
                ),
            )
        ),
    )
)

RUNS: Mapping[str, tuple[dict[str, Any], tuple[float, ...]]] = {
    "Newton": ({}, APART),
    "Poisson": ({"rule": "poisson"}, APART),
    "Stronge": ({"rule": "stronge"}, APART),
    "plastic": ({"restitution": 0.0}, TOGETHER),
    "cradle": ({"cradle": True}, ONE_BY_ONE),
}


def runs() -> dict[str, float]:
    """The same in event-driven runs: the first ball comes from a distance."""
    found: dict[str, float] = {}
    for what, (options, _) in RUNS.items():
        run = simulate(three_balls(**options), 0.3, start={"first": -0.2, **STRUCK})
        found |= _named(what, (run[f"{name}_rate"][-1] for name in ("first", "second", "third")))
    return found


register(
    Computation(
        "three_balls/runs",
        "The same double impact in event-driven runs",
        TABLE,
        compute=runs,
        numbers=tuple(
            number for what, (_, values) in RUNS.items() for number in _numbers(what, values, 1e-12, ROUND_OFF, SAME)
        ),
    )
)

SPRINGS = {
    0.01: (-0.33331773, 0.66270928, 0.67060846),
    0.1: (-0.33099389, 0.61717162, 0.71382227),
    0.5: (-0.24540167, 0.33611284, 0.90928883),
    1.0: (-0.1302617, 0.15022957, 0.98003213),
    2.0: (-0.06225128, 0.06640213, 0.99584915),
    10.0: (-0.01184085, 0.01198276, 0.99985809),
    100.0: (-0.00117006, 0.00117143, 0.99999863),
}
"""Ratio of the stiffness to the velocities after, by an independent program."""
SOURCE = "computed by an independent program; the limits: Génot 1998, section I.2.3"


def springs() -> dict[str, float]:
    """Velocities after balls with springs between them have parted."""
    found: dict[str, float] = {}
    for ratio in SPRINGS:
        # The slower spring lasts longest; some ten of its periods are enough.
        duration = 60.0 / np.sqrt(1e5 * min(ratio, 1.0))
        run = simulate(three_balls(springs=ratio), duration, start=STRUCK, step=duration / 160_000, sample=duration)
        found |= _named(f"ratio {ratio:g}", (run[f"{name}_rate"][-1] for name in ("first", "second", "third")))
    return found


register(
    Computation(
        "three_balls/springs",
        "The same with springs: the ratio of their stiffness decides",
        "Génot 1998, section I.2.3",
        compute=springs,
        numbers=tuple(
            number
            for ratio, values in SPRINGS.items()
            for number in _numbers(f"ratio {ratio:g}", values, 2e-7, "the step does not end where a spring lets go", SOURCE)
        ),
    )
)
