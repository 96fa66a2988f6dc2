"""The rate of a gap is the normal velocity of the material point at C: Phi_dot = gamma_N, by differences.

It settles the sign of (3.6) in Mauny 2018. Every shape against every kind of feature it can touch, at random
poses and twists, apart and overlapping.
"""

import numpy as np
import pytest

from locomotor.geometry import Ball, Box, Capsule, Disc, query
from locomotor.lie import SE3
from locomotor.model import Plane, Terrain
from oracles.grounds import at, block, pyramid, rough
from oracles.sampling import unit

SHAPES = {
    "point": Ball((0.1, 0.0, -0.2)),
    "sphere": Ball((0.1, 0.0, -0.2), 0.3),
    "disc": Disc((0.1, 0.0, -0.2), (0, 1, 0), 0.35),
    "torus": Disc((0.1, 0.0, -0.2), (0, 1, 0), 0.3, 0.05),
    "capsule": Capsule((-0.4, 0.1, 0.0), (0.3, 0.0, 0.2), 0.12),
    "box": Box((0.0, 0.1, 0.0), (0.2, 0.1, 0.15)),
}
STEP = 1e-7
"""Central differences: round-off is 1e-15 / 1e-7; the third derivative, times 2e-15, may be large: a disc seen nearly on
edge is an ellipse with tips of a radius below a millimetre."""

PRESS = 1e-4
"""Overlap (m): deeper, the nearest way out of a thin disc changes within the difference."""


def candidate(ground, shape, pose, feature, part):
    return next((c for c in query(ground, shape, pose, reach=3.0) if c.feature == feature and c.part == part), None)


def check(ground, shape, pose, twist):
    """Compare all candidates at a pose; the kinds that could be compared."""
    before, after = (pose @ SE3.exp(s * STEP * twist) for s in (-1.0, 1.0))
    velocity, omega = pose.rotation @ twist[0:3], pose.rotation @ twist[3:6]
    kinds = []
    for now in query(ground, shape, pose, reach=3.0):
        ends = [candidate(ground, shape, moved, now.feature, now.part) for moved in (before, after)]
        if None in ends:
            continue  # it passes to a neighbouring feature within the step
        rate = (ends[1].gap - ends[0].gap) / (2.0 * STEP)
        material = velocity + np.cross(omega, now.point - pose.translation)
        assert rate == pytest.approx(float(now.normal @ material), abs=3e-7), (now.feature, now.part, now.gap)
        kinds.append(now.feature.kind)
    return kinds


GROUNDS = {
    "plane": (lambda rng: Plane(normal=tuple(unit_up(rng)), point=(0.1, 0.2, -0.3)), {"face"}),
    "rough": (lambda rng: rough(rng, n=5, height=0.2), {"face", "edge", "vertex"}),
    "spike": (lambda rng: pyramid(height=rng.uniform(0.5, 2.0), turn=rng.uniform(0, 3)), {"edge", "vertex"}),
    "block": (lambda rng: block((-0.3, -0.2, -1.0), (0.2, 0.3, 0.0)), {"face", "edge", "vertex"}),
    "kerb": (lambda rng: Terrain.kerb(0.2), {"face", "edge"}),
}


def unit_up(rng):
    n = unit(rng)
    n[2] = abs(n[2]) + 0.5
    return n / np.linalg.norm(n)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.sampled(5)
def test_gap_rate_is_the_normal_velocity(shape, ground, rng):
    make, wanted = GROUNDS[ground]
    seen = []
    for _ in range(30):
        pose = at(*rng.uniform(-0.6, 0.6, 2), rng.uniform(0.2, 0.9), rng.normal(size=3))
        seen += check(make(rng), SHAPES[shape], pose, rng.normal(size=6))
    assert set(seen) >= wanted, f"only {set(seen)} were met"


@pytest.mark.parametrize("shape", ["sphere", "disc", "torus", "capsule"])
def test_gap_rate_where_shape_and_ground_overlap(shape, rng):
    """Signed near contact: pressed a little into what is nearest, the rates stay those of the same points."""
    negative = 0
    for _ in range(40):
        ground = rough(rng, n=5, height=0.2)
        pose = at(*rng.uniform(-0.6, 0.6, 2), 1.0, rng.normal(size=3))
        first = query(ground, SHAPES[shape], pose)[0]
        pressed = SE3(pose.rotation, pose.translation - (first.gap + PRESS) * first.normal)
        same = candidate(ground, SHAPES[shape], pressed, first.feature, first.part)
        if same is not None and same.gap < 0.0:
            negative += 1
            # A move along the normal shortens the gap by as much: the normal and the points do not change on the way.
            # Only a thin disc may have a shorter way out by its other side.
            assert same.gap >= -PRESS - 1e-12
            assert shape == "disc" or same.gap == pytest.approx(-PRESS, abs=1e-12)
        check(ground, SHAPES[shape], pressed, rng.normal(size=6))
    assert negative > 20
