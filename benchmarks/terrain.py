"""Contact queries on terrain of ten and of a hundred thousand triangles: `python benchmarks/terrain.py`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from measure import interleave, sampler
from report import Figure, Topic, at_most, seconds, text

from locomotor.geometry import Ball, Box, Capsule, Disc, Shape, Tracker, gaps, query, surface_of
from locomotor.lie import SE3, SO3
from locomotor.model import Terrain

SHAPES: dict[str, Shape] = {
    "wheel": Disc((0, 0, 0), (0, 1, 0), 0.35),
    "sphere": Ball((0, 0, 0), 0.35),
    "capsule": Capsule((-0.2, 0, 0), (0.2, 0, 0), 0.3),
    "box": Box((0, 0, 0), (0.3, 0.2, 0.2)),
}
STEP = 0.3
"""Spacing (m) of the heights, the same on both terrains: what is within reach of the shape is then alike."""


def terrain(rows: int, columns: int) -> Terrain:
    """Random heights on a grid about the origin."""
    rng = np.random.default_rng(0)
    x, y = (STEP * (np.arange(n) - 0.5 * (n - 1)) for n in (rows, columns))
    return Terrain.heightfield(x, y, 0.02 * rng.normal(size=(rows, columns)))


def poses(count: int = 200, height: float = 0.4) -> list[SE3]:
    """A wheel that rolls, leans and hops over a metre."""
    return [
        SE3(
            SO3.exp(np.array((0.2 * math.sin(9.0 * s), 0.0, 0.3 * s))).matrix,
            np.array((0.4 * s - 0.2, 0.1 * s, height + 0.03 * math.sin(20.0 * s))),
        )
        for s in np.linspace(0.0, 1.0, count)
    ]


def topic() -> Topic:
    """Measure."""
    small, large = terrain(2, 6), terrain(225, 225)
    assert (len(small.triangles), len(large.triangles)) == (10, 100_352)
    figures: list[Figure] = []
    for name, shape in SHAPES.items():
        for kind in ("query", "tracker"):
            figures.append(compare(f"{kind}, {name}: times the cost of 10 triangles", kind, shape, small, large, poses()))
    above = "query, wheel 5 m above: times the cost of 10 triangles"
    figures.append(compare(above, "query", SHAPES["wheel"], small, large, poses(height=5.0)))
    figures.append(batch(large))
    return Topic(
        "Terrain",
        f"Contact queries on {len(large.triangles):,} triangles against 10 of the same size, along the same motion.",
        tuple(figures),
    )


def compare(what: str, kind: str, shape: Shape, small: Terrain, large: Terrain, motion: list[SE3]) -> Figure:
    """The ratio of the times of one query."""

    def over(ground: Terrain) -> Callable[[], object]:
        surface = surface_of(ground)
        tracker = Tracker(surface, shape)
        if kind == "tracker":
            return lambda: [tracker.query(pose) for pose in motion]
        return lambda: [query(surface, shape, pose) for pose in motion]

    timings = interleave({name: sampler(over(ground), len(motion)) for name, ground in (("10", small), ("100k", large))})
    note = f"{seconds(timings['100k'].median)} against {seconds(timings['10'].median)} a query"
    return at_most(what, timings["100k"].over(timings["10"]), 2.0, note)


def batch(large: Terrain) -> Figure:
    """Many poses in one call."""
    motion = poses(1000)
    R, p = np.array([pose.rotation for pose in motion]), np.array([pose.translation for pose in motion])
    timing = interleave({"gaps": sampler(lambda: gaps(large, SHAPES["wheel"], R, p), len(motion))})["gaps"]
    return Figure("least gaps of 1,000 poses of the wheel at once, 100,352 triangles", f"{seconds(timing.median)} a pose")


if __name__ == "__main__":
    print(text(topic()))
