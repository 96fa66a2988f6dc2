"""The search in machine code (`codegen/runtime/terrain.h`) finds what `geometry.query` finds."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen.terrain import TerrainSearch, terrain_library
from locomotor.geometry import KINDS, Ball, Box, Capsule, Disc, Shape, query, shape_numbers, surface_of, tables_of
from locomotor.lie import SE3, SO3

X = np.linspace(-2.0, 2.0, 25)
GROUNDS = {
    "rough": lm.Terrain.heightfield(X, X, np.random.default_rng(1).uniform(-0.15, 0.15, (25, 25))),
    "kerb": lm.Terrain.kerb(0.1),
    "ridge": lm.Terrain.from_profile([(-2, -1), (0, 0), (2, -1)]),
}
SHAPES: dict[str, Shape] = {
    "point": Ball(np.zeros(3)),
    "ball": Ball(np.array([0.1, 0.0, 0.0]), 0.2),
    "disc": Disc(np.zeros(3), np.array([0.0, 1.0, 0.0]), 0.3),
    "tyre": Disc(np.zeros(3), np.array([0.0, 1.0, 0.0]), 0.25, 0.05),
    "capsule": Capsule(np.array([-0.2, 0.0, 0.0]), np.array([0.2, 0.0, 0.0]), 0.05),
    "box": Box(np.zeros(3), np.array([0.2, 0.1, 0.15])),
}
REACH = 0.05
needs_compiler = pytest.mark.skipif(terrain_library() is None, reason="there is no compiler")


@needs_compiler
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", SHAPES)
def test_candidates_are_those_of_the_readable_form(name: str, ground: str, rng: np.random.Generator) -> None:
    """Of bodies that touch or are a little inside; of one whose core is deep inside the nearest of several faces is a tie."""
    surface, shape, compared = surface_of(GROUNDS[ground]), SHAPES[name], 0
    search = TerrainSearch(*tables_of(surface), *shape_numbers(shape))
    for trial in range(24):
        R = np.eye(3) if trial % 4 == 0 else SO3.exp(rng.normal(size=3)).matrix
        p = np.array([*rng.uniform(-1.5, 1.5, 2), rng.uniform(0.0, 0.5)])
        wanted = query(surface, shape, SE3(R, p), reach=REACH)
        if wanted[0].gap < -0.5 * max(shape.margin, 0.1):
            continue
        found = search(R, p, REACH)
        compared += 1
        assert len(found.gap) == len(wanted)
        assert np.abs(found.gap - [c.gap for c in wanted]).max() < 1e-9
        for candidate in wanted:  # of equal gaps the order is open
            apart = np.abs(found.normal - candidate.normal).max(axis=1) + np.abs(found.point - candidate.point).max(axis=1)
            apart += np.abs(found.foot - candidate.foot).max(axis=1) + (found.part != candidate.part)
            apart += found.kind != KINDS.index(candidate.feature.kind)
            assert apart.min() < 1e-7
    assert compared > 6


@needs_compiler
@pytest.mark.parametrize("name", ["point", "ball", "disc", "tyre", "capsule"])
def test_the_rule_of_the_source_chooses_the_same(name: str, rng: np.random.Generator) -> None:
    """One candidate a part, on faces, on edges and on corners: beside the terrain, too."""
    shape, kinds = SHAPES[name], set()
    small = lm.Terrain("small", [(0, 0, 0), (1, 0, 0.2), (1, 1, 0), (0, 1, 0.1)], [(0, 1, 2), (0, 2, 3)])
    for surface in (surface_of(small), surface_of(lm.Terrain.ramp(slope=-0.1745, drop=0.5))):
        search = TerrainSearch(*tables_of(surface, "source"), *shape_numbers(shape))
        for _ in range(30):
            R, p = SO3.exp(0.4 * rng.normal(size=3)).matrix, np.array([*rng.uniform(-0.6, 1.6, 2), rng.uniform(0.1, 1.0)])
            wanted = query(surface, shape, SE3(R, p), reach=2.0, rule="source")
            found = search(R, p, 2.0)
            assert [KINDS[kind] for kind in found.kind] == [c.feature.kind for c in wanted]
            assert found.part.tolist() == [c.part for c in wanted]
            for row, c in zip(np.column_stack((found.gap, found.normal, found.point, found.foot)), wanted, strict=True):
                assert np.abs(row - np.concatenate(([c.gap], c.normal, c.point, c.foot))).max() < 1e-9
            kinds |= {c.feature.kind for c in wanted}
    assert kinds == {"face", "edge", "vertex"}


@pytest.mark.slow
@needs_compiler
def test_a_hundred_thousand_triangles_are_searched_by_their_tree(rng: np.random.Generator) -> None:
    x = np.linspace(-5.0, 5.0, 225)
    surface = surface_of(lm.Terrain.heightfield(x, x, rng.uniform(-0.02, 0.02, (225, 225))))
    search = TerrainSearch(*tables_of(surface), *shape_numbers(SHAPES["ball"]))
    for _ in range(20):
        p = np.array([*rng.uniform(-4.0, 4.0, 2), rng.uniform(0.1, 3.0)])
        gap = query(surface, SHAPES["ball"], SE3(np.eye(3), p), reach=0.0)[0].gap
        assert abs(search(np.eye(3), p, 0.0).gap[0] - gap) < 1e-9
