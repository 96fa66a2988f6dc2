"""How far step, sections and shapes decide what the scenarios of flight tell: `python benchmarks/flight_convergence.py`.

For every flyer (or those named) the mean lift over its last stroke on the bench (of the ornithopter, in free flight; of the
falling plate, the depth that it has reached): how far it changes with half the step, with twice the sections of Gauss along
each wing, and with more shapes or segments of soft wings.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

import locomotor as lm
from locomotor.model import System, Wing


@dataclass(frozen=True)
class Flight:
    """A system, how it is run, and what is told of it."""

    name: str
    make: Callable[[], System]
    period: float
    strokes: int
    step: float
    finer: Callable[[], System] | None = None
    """The same with more shapes or segments."""
    start: Mapping[str, float] | None = None
    finer_step: float | None = None
    """Its step, where more segments are stiffer ones."""

    def told(self, system: System, step: float) -> float:
        """Mean lift over the last stroke (N), or the depth (m)."""
        sample = max(step, self.period / 400.0)
        run = lm.simulate(system, self.strokes * self.period, step=step, sample=sample, start=self.start)
        if not run.status.ok:
            return float("nan")
        wings = [force.name for force in system.forces if isinstance(force, Wing)]
        if self.name == "falling_plate":
            return float(run["y"][-1])
        here = run.time >= run.time[-1] - self.period * (1.0 + 1e-9)
        lift = sum(run[f"{name}_air_z"][here] for name in wings)
        return float(np.trapezoid(lift, run.time[here]) / self.period)


def one_wing(segments: int) -> System:
    """The right wing of the vehicle with segmented wings, on a bench, with the chord of the ellipse."""
    whole = lm.catalogue.segmented_flyer(segments, base="clamped", chord="local")
    parts = {
        kind: [part for part in getattr(whole, kind) if not part.name.startswith("left")]
        for kind in ("bodies", "joints", "forces")
    }
    return whole.replace(**parts)


def twice_the_sections(system: System) -> System:
    """Every wing with twice as many points of Gauss."""
    forces = (replace(f, sections=2 * f.sections, report=()) if isinstance(f, Wing) else f for f in system.forces)
    return system.replace(forces=tuple(forces))


FLIGHTS = (
    Flight("fruit_fly", lambda: lm.catalogue.fruit_fly("clamped"), 1 / 218, 2, 1 / 218 / 400),
    Flight("hawkmoth", lambda: lm.catalogue.hawkmoth("clamped"), 1 / 26.3, 2, 1 / 26.3 / 400),
    Flight("micro_flyer", lambda: lm.catalogue.micro_flyer("clamped"), 1 / 120, 4, 1 / 12000),
    Flight(
        "torsion_flyer", lambda: lm.catalogue.torsion_flyer("clamped"), 0.04, 3, 2e-5,
        lambda: lm.catalogue.torsion_flyer("clamped", 2),
    ),
    Flight("segmented_flyer", lambda: one_wing(4), 0.04, 5, 2e-5, lambda: one_wing(8), finer_step=2e-6),
    Flight("segmented_flyer, 8 segments", lambda: one_wing(8), 0.04, 5, 2e-6, lambda: one_wing(16), finer_step=2.5e-7),
    Flight("eva_bench", lm.catalogue.eva_bench, 1 / 26.3, 30, 1 / 26.3 / 200),
    # It has no bench: the third beat of free flight, lift of wings and tail.
    Flight("ornithopter", lm.catalogue.ornithopter, 1 / 8, 3, 1 / 3200, start={"speed": 6.0}),
    Flight("falling_plate", lm.catalogue.falling_plate, 0.5, 1, 5e-4),
)  # fmt: skip


def rows() -> Iterator[tuple[str, float, float, float, float]]:
    """Name, value, and its relative changes: half the step, twice the sections, more shapes (not a number without)."""
    for flight in FLIGHTS:
        system = flight.make()
        value = flight.told(system, flight.step)
        half = flight.told(system, 0.5 * flight.step) / value - 1.0
        sections = flight.told(twice_the_sections(system), flight.step) / value - 1.0
        shapes = (
            float("nan")
            if flight.finer is None
            else flight.told(flight.finer(), flight.finer_step or flight.step) / value - 1.0
        )
        yield flight.name, value, half, sections, shapes


if __name__ == "__main__":
    asked = sys.argv[1:]
    FLIGHTS = tuple(flight for flight in FLIGHTS if not asked or flight.name in asked)
    print("| flyer | value | half the step | twice the sections | more shapes or segments |\n|---|---|---|---|---|")
    for name, value, half, sections, shapes in rows():
        told = "" if np.isnan(shapes) else f"{shapes:.1e}"
        print(f"| `{name}` | {value:.5g} | {half:.1e} | {sections:.1e} | {told} |", flush=True)
