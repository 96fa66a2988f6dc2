"""How far step, sections and shapes decide what every scenario of flight tells: `python benchmarks/flight_scenarios.py`.

Each is made again with half its step, with twice the points of Gauss along each wing, and with more shapes or segments where
wings are soft. What is told is the largest change of all its numbers, each relative to itself (or to its tolerance where that
is larger), and, of a run, of its coordinates at all instants, relative to the farthest way of one of their kind.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

import numpy as np
from flight_convergence import twice_the_sections

import locomotor as lm
from locomotor.model import FlexibleBody, System
from locomotor.scenarios import Entry, Scenario
from locomotor.scenarios.flight import unstated_segments

ROOM = "locomotor.scenarios.flight"
VANISHING = 1e-6
"""Numbers that must be zero to this or less are laws: round-off, of which no change can be told."""
SEGMENTS, SEGMENT_STEP = 8, 2e-6
"""Twice those of the source, and the step for which their modes are slow enough."""
MORE_WINGS = [f"{side}_wing_{k}" for side in ("right", "left") for k in range(1, SEGMENTS + 1)]
SETTINGS_STEP = lm.scenarios.scenario("segmented_flyer/clamped").settings["step"]
Change = Callable[[System], System]


@dataclass(frozen=True)
class Finer:
    """One way to make a scenario again."""

    change: Change = field(default=lambda system: system)
    """Of every system that it makes."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the catalogue's function."""
    step: float = 1.0
    """The step, over that of the scenario."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What else of the module is another: names that go with the number of segments."""


def more_shapes(system: System) -> System:
    """Every flexible wing with one more shape of what it does."""
    bodies = (
        replace(body, torsion=body.torsion + bool(body.torsion))
        if isinstance(body, FlexibleBody) and isinstance(body.torsion, int)
        else body
        for body in system.bodies
    )
    return system.replace(bodies=tuple(bodies))


MORE_SHAPES = Finer(more_shapes)
MORE_SEGMENTS = Finer(
    arguments={"segments": SEGMENTS},
    step=SEGMENT_STEP / SETTINGS_STEP,
    values={"SEGMENTS": SEGMENTS, "WINGS": MORE_WINGS},
)
MORE_READINGS = Finer(
    arguments={"segments": SEGMENTS},
    step=SEGMENT_STEP / unstated_segments.STEP,
    values={
        "TORSION": tuple(f"right_torsion_{k}" for k in range(2, SEGMENTS + 1)),
        "FLEXION": tuple(f"right_flexion_{k}" for k in range(1, SEGMENTS + 1)),
        "WINGS": tuple(f"{name}_air_z" for name in MORE_WINGS),
    },
)
SOFT: dict[str, Finer] = {
    "torsion_flyer/clamped": MORE_SHAPES,
    "torsion_flyer/snapshots": MORE_SHAPES,
    "torsion_flyer/unstated": MORE_SHAPES,
    "segmented_flyer/tables": MORE_SEGMENTS,
    "segmented_flyer/clamped": MORE_SEGMENTS,
    "segmented_flyer/free": MORE_SEGMENTS,
    "segmented_flyer/climb": MORE_SEGMENTS,
    "segmented_flyer/unstated": MORE_READINGS,
}
"""Scenarios whose wings have shapes or segments: those of the others are rigid, and `torsion_flyer/constants` are integrals of
the one shape of the source."""
LOWEST = ("frequency 1, middle", "frequency 1, middle, with the air", "frequency 1, start")
JUDGED = {("segmented_flyer/tables", "more shapes"): LOWEST}
"""What can be compared where bodies are more and smaller: not how many there are, nor their masses."""
STEP, SECTIONS = Finer(step=0.5), Finer(twice_the_sections)


def flights() -> dict[str, Entry]:
    """The scenarios of flight by name."""
    return {entry.name: entry for entry in lm.scenarios.scenarios() if code_of(entry).__module__.startswith(ROOM)}


def code_of(entry: Any) -> Callable[..., Any]:
    """The function that reads its numbers off."""
    return entry.measure if isinstance(entry, Scenario) else entry.compute  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Told:
    """Numbers by key with their scales, coordinates with their units, and how many systems and steps were made another way."""

    numbers: Mapping[str, tuple[float, float]]
    motion: Mapping[str, np.ndarray]
    units: Mapping[str, str]
    makes_systems: bool
    takes_steps: bool


def told(entry: Any, finer: Finer | None = None) -> Told:
    """What a scenario tells, as it is or made finer."""
    here = finer or Finer()
    module = sys.modules[code_of(entry).__module__]
    with _made(module, here) as makers, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # twists beyond half a radian, as in the source
        motion: dict[str, np.ndarray] = {}
        units: dict[str, str] = {}
        if isinstance(entry, Scenario):
            step = entry.settings["step"]
            settings = {**entry.settings, "sample": entry.settings.get("sample", step), "step": here.step * step}
            system = makers.of(entry.system)()
            run = lm.simulate(system, **settings)
            assert run.status.ok, f"{entry.name}: {run.status}"
            values = entry.measure(run)
            units = {c.name: c.unit for c in system.layout.coordinates if c.name in run}
            motion = {name: np.asarray(run[name]) for name in units}
            takes_steps = True
        else:
            values = entry.compute()
            takes_steps = bool({"STEP", "STEPS"} & set(vars(module))) and makers.used
    numbers = {
        number.key: (float(values[number.key]), max(abs(float(values[number.key])), number.tolerance))
        for number in entry.numbers
        if number.expected or number.tolerance > VANISHING
    }
    return Told(numbers, motion, units, makers.used, takes_steps)


class _Makers:
    """Functions of the catalogue that a module calls, each with further arguments and its system changed."""

    def __init__(self, module: Any, finer: Finer) -> None:
        self.used = False
        self.own = {
            name: value
            for name, value in vars(module).items()
            if getattr(value, "__module__", "").startswith("locomotor.catalogue.") and name in vars(lm.catalogue)
            if callable(value) and not isinstance(value, type) and value.__annotations__.get("return") is System
        }
        self.names = {name: self._other(value, finer) for name, value in self.own.items()}

    def of(self, make: Callable[[], System]) -> Callable[[], System]:
        """What makes the system of a scenario: its own function calls ours by name, or it is the catalogue's itself."""
        return self.names.get(next((name for name, own in self.own.items() if own is make), ""), make)

    def _other(self, make: Callable[..., System], finer: Finer) -> Callable[..., System]:
        def made(*arguments: Any, **keywords: Any) -> System:
            self.used = True
            return finer.change(make(*arguments, **({**finer.arguments, **keywords} if not arguments else keywords)))

        return made


@contextmanager
def _made(module: Any, finer: Finer) -> Iterator[_Makers]:
    """The module with its catalogue, its steps and its numbers of segments another, and nothing remembered."""
    makers = _Makers(module, finer)
    other: dict[str, Any] = {**makers.names, **{name: v for name, v in finer.values.items() if name in vars(module)}}
    if "STEP" in vars(module):
        other["STEP"] = finer.step * module.STEP
    if "STEPS" in vars(module):
        other["STEPS"] = round(module.STEPS / finer.step)
    remembered = [value for value in vars(module).values() if hasattr(value, "cache_clear")]
    with mock.patch.multiple(module, **other):
        for each in remembered:
            each.cache_clear()
        try:
            yield makers
        finally:
            for each in remembered:
                each.cache_clear()


def changes(before: Told, after: Told) -> dict[str, float]:
    """By how much each number, and the whole motion, is another."""
    found = {
        key: abs(after.numbers[key][0] - value) / scale
        for key, (value, scale) in before.numbers.items()
        if key in after.numbers
    }
    ways: dict[str, float] = {}
    for name, values in before.motion.items():
        ways[before.units[name]] = max(ways.get(before.units[name], 0.0), float(np.ptp(values)))
    apart = [
        float(np.abs(after.motion[name] - values).max()) / ways[before.units[name]]
        for name, values in before.motion.items()
        if name in after.motion and ways[before.units[name]]
    ]
    return {**found, "motion": max(apart)} if apart else found


def refinements(name: str, before: Told) -> dict[str, Finer]:
    """The ways in which a scenario can be made finer."""
    found = {"half the step": STEP} if before.takes_steps else {}
    if before.makes_systems:
        found["twice the sections"] = SECTIONS
    if name in SOFT:
        found["more shapes"] = SOFT[name]
    return found


COLUMNS = ("half the step", "twice the sections", "more shapes")


def row(name: str) -> dict[str, tuple[float, str]]:
    """The largest change in each way, and of what."""
    entry = flights()[name]
    before = told(entry)
    found = {}
    for way, finer in refinements(name, before).items():
        after = changes(before, told(entry, finer))
        after = {key: after[key] for key in JUDGED.get((name, way), after)}
        worst = max(after, key=lambda key: after[key])
        found[way] = (after[worst], worst)
    return found


if __name__ == "__main__":
    print(f"| scenario | {' | '.join(COLUMNS)} |\n|---|---|---|---|")
    for scenario in sys.argv[1:] or flights():
        cells = row(scenario)
        print(
            f"| `{scenario}` | "
            + " | ".join(f"{cells[c][0]:.1e} ({cells[c][1]})" if c in cells else "" for c in COLUMNS)
            + " |",
            flush=True,
        )
