"""The tree of boxes: it must find what an exhaustive search finds, and look at little; shapes that move on."""

import math
from dataclasses import replace

import numpy as np
import pytest

from locomotor.geometry import Ball, Box, Capsule, Disc, Tracker, gap, query, surface_of
from locomotor.geometry.broad_phase import Level, Tree, near
from locomotor.geometry.cores import place
from locomotor.model import Terrain
from oracles.grounds import at

WHEEL = Disc((0, 0, 0), (0, 1, 0), 0.35)
SHAPES = [
    Ball((0, 0, 0), 0.3),
    Ball((0, 0, 0)),
    WHEEL,
    Capsule((-0.3, 0, 0), (0.3, 0, 0.1), 0.1),
    Box((0, 0, 0), (0.1, 0.2, 0.15)),
]


def field(rng, n, step=0.25, height=0.05):
    x = step * (np.arange(n) - 0.5 * (n - 1))
    return Terrain.heightfield(x, x, height * rng.normal(size=(n, n)))


def exhaustive(surface):
    """The same surface with one level: every triangle is looked at."""
    corners = surface.faces.corners
    everything = Level(np.concatenate((corners.min(axis=1), -corners.max(axis=1)), axis=1), corners[:, 0])
    return replace(surface, tree=Tree((everything,), np.arange(len(corners))))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("height", [0.3, 1.0, 20.0])
def test_tree_finds_what_an_exhaustive_search_finds(shape, height, rng):
    ground = field(rng, 40)
    surface, whole = surface_of(ground), exhaustive(surface_of(ground))
    assert len(surface.tree.levels) > 2
    for _ in range(10):
        pose = at(*rng.uniform(-6.0, 6.0, 2), height, rng.normal(size=3))
        one, two = query(surface, shape, pose), query(whole, shape, pose)
        assert [(c.feature, c.part) for c in one] == [(c.feature, c.part) for c in two]
        assert [c.gap for c in one] == [c.gap for c in two]
        assert gap(surface, shape, pose) == gap(whole, shape, pose)


def test_every_box_holds_what_is_below_it(rng):
    tree = surface_of(field(rng, 40)).tree
    assert sorted(tree.order.tolist()) == list(range(len(tree.order)))
    for upper, lower in zip(tree.levels, tree.levels[1:], strict=False):
        parent = np.arange(len(lower.low)) // 16
        assert (upper.low[parent] <= lower.low).all() and (upper.high[parent] >= lower.high).all()
    for level in tree.levels:
        assert (level.low <= level.point).all() and (level.point <= level.high).all()


@pytest.mark.parametrize("height", [0.36, 3.0, 300.0])
def test_a_hundred_thousand_triangles_are_not_looked_at(height, rng):
    """Work does not depend on the size of the terrain: counts, since times depend on the machine (benchmarks/terrain.py)."""
    surface = surface_of(field(rng, 224))
    assert len(surface.faces.normal) == 2 * 223**2 > 99_000
    pose = at(0.1, 0.2, height, (0.1, 0, 0.3))
    core = place(WHEEL, pose.rotation[None], pose.translation[None])[0]
    _, triangles, limit = near(surface.tree, core, 0.1)
    # Far above, what lies within the roughness of the nearest point: a circle of radius sqrt(2 h roughness).
    assert len(triangles) < (200 if height < 10.0 else 12_000)
    assert math.isfinite(limit[0]) and limit[0] < height


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("rule", ["complete", "source"])
@pytest.mark.sampled(4)
def test_a_shape_that_moves_on_gets_the_same_answers(shape, rule, rng):
    ground = field(rng, 40)
    tracker = Tracker(ground, shape, rule=rule)
    start, way = rng.uniform(-2.0, 2.0, 2), rng.normal(size=2)
    spin = rng.normal(size=3)
    taken = set()
    for s in np.linspace(0.0, 1.0, 60):
        pose = at(*(start + s * way), 0.45 + 0.4 * math.sin(6.0 * s) ** 2, s * spin)
        one, two = tracker.query(pose), query(ground, shape, pose, rule=rule)
        assert [(c.feature, c.part, c.gap) for c in one] == [(c.feature, c.part, c.gap) for c in two]
        assert tracker.gap(pose) == gap(ground, shape, pose, rule=rule)
        taken.add(id(tracker._near))
    # The surroundings were kept for several steps, and taken anew now and then.
    assert 1 <= len(taken) < 30
    assert rule == "source" or len(tracker._near.tree.order) < 0.2 * len(ground.triangles)
    far = at(*start, 500.0)
    assert tracker.gap(far) == gap(ground, shape, far, rule=rule)
