"""Which features are candidates: everything that can touch, nothing that cannot, each once; continuous gaps."""

import math

import numpy as np
import pytest

from locomotor.errors import NotFiniteError, QuantityError, UnknownNameError
from locomotor.geometry import Ball, Box, Capsule, Disc, gap, gaps, query, surface_of
from locomotor.model import Terrain
from oracles.grounds import at, block, pyramid, rough, strips

H = 0.35
WHEEL = Disc((0, 0, 0), (0, 1, 0), H)
SHAPES = [Ball((0, 0, 0), 0.3), WHEEL, Disc((0, 0, 0), (0, 1, 0), 0.3, 0.05), Capsule((-0.3, 0, 0), (0.3, 0, 0.1), 0.1)]


def kinds(candidates):
    return sorted(c.feature.kind for c in candidates)


# --- kerb: a face and an edge at once -----------------------------------------------------------------------


def test_wheel_touches_road_and_kerb_at_once():
    """With the wheel on the road and the edge at its rim both gaps vanish; a rule of one gap for a wheel would lose one."""
    height = 0.1
    x = -math.sqrt(H**2 - (H - height) ** 2)
    found = query(Terrain.kerb(height), WHEEL, at(x, 0.0, H))
    assert kinds(found) == ["edge", "face"]
    assert [c.gap for c in found] == pytest.approx([0.0, 0.0], abs=1e-14)
    edge = next(c for c in found if c.feature.kind == "edge")
    assert edge.normal == pytest.approx((x / H, 0.0, (H - height) / H), abs=1e-14)


def test_edge_is_hit_while_a_face_is_nearer_to_the_wheel():
    """Rolling on: the edge comes nearer although the face below is in contact all the time; the source's rule never sees it."""
    ground = Terrain.kerb(0.1)
    x = -math.sqrt(H**2 - (H - 0.1) ** 2)
    before, after = (query(ground, WHEEL, at(x + s, 0.0, H)) for s in (-0.01, 0.01))
    assert [c.feature.kind for c in before] == ["face", "edge"] and before[1].gap > 0.0
    assert [c.feature.kind for c in after] == ["edge", "face"] and after[0].gap < 0.0
    assert gap(ground, WHEEL, at(x + 0.01, 0.0, H), rule="source") == pytest.approx(0.0, abs=1e-14)


def test_kerb_higher_than_the_axle_is_a_wall():
    found = query(Terrain.kerb(0.5), WHEEL, at(-H, 0.0, H))
    assert kinds(found) == ["face", "face"] and [c.gap for c in found] == pytest.approx([0.0, 0.0], abs=1e-14)


# --- nothing fictitious -------------------------------------------------------------------------------------


def test_edges_and_vertices_inside_a_flat_floor_are_nothing(rng):
    x = np.linspace(-2.0, 2.0, 9)
    flat = Terrain.heightfield(x, x, np.zeros((9, 9)))
    surface = surface_of(flat)
    assert surface.edges.is_border.all() and surface.vertices.is_border.all()
    assert len(set(surface.faces.patch.tolist())) == 1
    for _ in range(50):
        place = rng.choice(x[2:-2], size=2) if rng.uniform() < 0.5 else rng.uniform(-1.0, 1.0, size=2)
        for shape in SHAPES[:3]:
            found = query(flat, shape, at(*place, 0.4, (0.3 * rng.normal(), 0, 0)))
            assert kinds(found) == ["face"] and found[0].feature.number == 0


def test_concave_edges_are_nothing_and_both_faces_count():
    valley = strips(((-2.0, 1.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, 1.0)))
    assert surface_of(valley).edges.is_border.all()
    found = query(valley, Ball((0, 0, 0), 0.3), at(0.0, 0.0, 0.4))
    assert kinds(found) == ["face", "face"]
    assert [c.gap for c in found] == pytest.approx([0.4 * 2.0 / math.sqrt(5.0) - 0.3] * 2)


def test_pit_has_no_touchable_vertex_and_a_saddle_only_its_convex_part():
    corners = [(0, 0, -1), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)]
    pit = Terrain("g", corners, [(0, 1 + i, 1 + (i + 1) % 4) for i in range(4)])
    found = query(pit, Ball((0, 0, 0), 0.2), at(0.0, 0.0, 0.0), reach=1.0)
    assert kinds(found) == ["face"] * 4


def test_edge_in_one_line_is_one_feature():
    """A kerb cut into pieces is the same edge all along, and its joints are no vertices of their own."""
    y = np.linspace(-2.0, 2.0, 9)
    kerb = Terrain.heightfield((-2.0, -1e-3, 0.0, 2.0), y, np.repeat([[0.0], [0.0], [0.1], [0.1]], 9, axis=1))
    features = {c.feature for s in np.linspace(-1.0, 1.0, 41) for c in query(kerb, WHEEL, at(-0.24, s, H))}
    seen = {feature for feature in features if feature.kind != "face"}
    assert len(seen) == 1 and next(iter(seen)).kind == "edge"


def test_underside_of_a_slab_is_hidden_from_above():
    slab = block((-2, -2, -0.01), (2, 2, 0))
    for shape, height in ((Ball((0, 0, 0)), -1e-6), (Ball((0, 0, 0)), 0.05), (Ball((0, 0, 0), 0.3), 0.3), (WHEEL, H)):
        found = query(slab, shape, at(0.1, 0.2, height))
        assert kinds(found) == ["face"] and found[0].normal == pytest.approx((0, 0, 1))
    lying = query(slab, Disc((0, 0, 0), (0, 0, 1), H), at(0.1, 0.2, -1e-6))
    assert all(c.normal == pytest.approx((0, 0, 1)) for c in lying)


def test_point_that_has_slipped_into_a_step_is_near_the_face_it_came_through():
    """Just below the top and near the edge, the wall is not what it has hit; in a corner both faces count."""
    kerb = Terrain.kerb(0.1)
    point = Ball((0, 0, 0))
    top = query(kerb, point, at(0.001, 0.0, 0.1 - 1e-6))
    assert len(top) == 1 and top[0].gap == pytest.approx(-1e-6) and top[0].normal == pytest.approx((0, 0, 1))
    corner = query(kerb, point, at(1e-10, 0.0, -1e-10))
    assert sorted(c.normal.tolist() for c in corner) == [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    wall = query(kerb, point, at(1e-3, 0.0, 1e-3))
    assert min(c.gap for c in wall) == pytest.approx(-1e-3)


def test_below_a_groove_the_way_out_is_over_its_bottom():
    valley = strips(((-2.0, 1.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, 1.0)))
    found = query(valley, Ball((0, 0, 0), 0.1), at(0.0, 0.0, -0.2))
    assert found[0].gap == pytest.approx(-0.3) and found[0].normal == pytest.approx((0, 0, 1))


def test_edge_that_came_through_a_thin_wheel_is_still_seen():
    """A wheel that runs along a kerb and steers into it by less than a step: the view along the edge is 0.2 mm wide."""
    corners = [(x, y, z) for y, z in ((-9, 0), (0, 0), (0, 0.1), (9, 0.1)) for x in (-9, 9)]
    ground = Terrain("g", corners, [t for i in (0, 2, 4) for t in ((i, i + 1, i + 3), (i, i + 3, i + 2))])
    for yaw in (3e-4, 0.0, -3e-4):
        for side in (-2e-3, -1e-3, 1e-3, 2e-3):
            # The centre is a little higher than the road: only the kerb is to be met.
            edge = next(c for c in query(ground, WHEEL, at(0.0, side, H + 0.05, (0, 0, yaw))) if c.feature.kind == "edge")
            assert edge.normal == pytest.approx((0, -1, 0), abs=5e-2)
            assert edge.gap == pytest.approx(-side, abs=1.5e-4)


# --- continuity ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_gap_is_continuous_across_features(shape, rng):
    """Over rough ground the gap changes by no more than the shape moves, whichever feature is nearest."""
    kinds_seen = set()
    for _ in range(6):
        ground = rough(rng, n=7, step=0.4, height=0.1)
        start, way, spin = rng.uniform(-0.8, 0.8, 2), rng.normal(size=3) * (0.6, 0.6, 0.1), rng.normal(size=3)
        turn = rng.normal(size=3)
        poses = [at(*(np.array((*start, 0.9)) + s * way), turn, s * spin) for s in np.linspace(-1.0, 1.0, 400)]
        found = gaps(ground, shape, [p.rotation for p in poses], [p.translation for p in poses])
        step = 2.0 / 399.0 * (np.linalg.norm(way) + shape.size * np.linalg.norm(spin))
        assert np.abs(np.diff(found))[found[1:] > 0.0].max(initial=0.0) <= step * (1.0 + 1e-9)
        kinds_seen |= {query(ground, shape, pose)[0].feature.kind for pose in poses[::20]}
    assert len(kinds_seen) > 1


def test_normal_turns_without_a_jump_over_a_convex_edge():
    roof = strips(((-2.0, -1.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, -1.0)))
    ball = Ball((0, 0, 0), 0.3)
    angles = np.linspace(-1.2, 1.2, 200)
    normals = [query(roof, ball, at(0.31 * math.sin(a), 0.0, 0.31 * math.cos(a)))[0].normal for a in angles]
    assert np.abs(np.diff(normals, axis=0)).max() < 0.02


# --- many poses, frames, mistakes ---------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [*SHAPES, Box((0, 0, 0), (0.1, 0.2, 0.15))], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("rule", ["complete", "source"])
def test_many_poses_at_once_give_what_one_by_one_gives(shape, rule, rng):
    ground = rough(rng)
    poses = [at(*rng.uniform(-1.0, 1.0, 2), rng.uniform(-0.2, 2.0), rng.normal(size=3)) for _ in range(60)]
    together = gaps(ground, shape, [p.rotation for p in poses], [p.translation for p in poses], rule=rule)
    assert together == pytest.approx([gap(ground, shape, pose, rule=rule) for pose in poses], abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_frames_are_direct_and_begin_with_the_normal(shape, rng):
    for _ in range(20):
        for c in query(rough(rng), shape, at(0, 0, 0.9, rng.normal(size=3)), reach=1.0):
            assert c.frame[:, 0] == pytest.approx(c.normal) and c.frame.T @ c.frame == pytest.approx(np.eye(3), abs=1e-12)
            assert np.linalg.det(c.frame) == pytest.approx(1.0)
            assert c.gap == pytest.approx(float(c.normal @ (c.point - c.foot)), abs=1e-12)


@pytest.mark.parametrize("rule", ["complete", "source"])
@pytest.mark.parametrize("shape", [*SHAPES, Ball((0, 0, 0))], ids=lambda s: type(s).__name__)
def test_special_poses_have_a_unit_normal(shape, rule, rng):
    """On vertices, on edges, along axes, lying flat: where a difference vanishes, the normal is still one."""
    places, turns = (-1.0, -0.35, -0.3, 0.0, 0.3, 0.35, 1.0), (0.0, 0.0, math.pi / 4, math.pi / 2, math.pi)
    for ground in (block((-1, -1, -1), (0, 0, 0)), pyramid(), Terrain.kerb(0.1), Terrain.steps(3, 0.15, 0.3)):
        for _ in range(25):
            pose = at(*rng.choice(places, 3), rng.choice(turns) * np.eye(3)[rng.integers(3)])
            for c in query(ground, shape, pose, rule=rule):
                assert np.linalg.norm(c.normal) == pytest.approx(1.0, abs=1e-12)
                assert c.gap == pytest.approx(float(c.normal @ (c.point - c.foot)), abs=1e-12)


def test_candidates_are_in_order_and_within_reach(rng):
    for _ in range(20):
        found = query(rough(rng), WHEEL, at(0, 0, 0.6, (0.2, 0, 0.3)), reach=0.2)
        assert [c.gap for c in found] == sorted(c.gap for c in found)
        assert all(c.gap <= 0.2 for c in found[1:])


def test_mistakes_are_named():
    with pytest.raises(UnknownNameError, match="did you mean 'complete'"):
        query(Terrain.plane(), WHEEL, at(0, 0, 1), rule="compleat")
    with pytest.raises(NotFiniteError, match="not finite"):
        gap(Terrain.plane(), WHEEL, at(0, 0, float("nan")))
    with pytest.raises(QuantityError, match="reach"):
        query(Terrain.plane(), WHEEL, at(0, 0, 1), reach=-1.0)
    with pytest.raises(QuantityError, match="1 rotations and 2 translations"):
        gaps(Terrain.plane(), WHEEL, np.eye(3), np.zeros((2, 3)))
