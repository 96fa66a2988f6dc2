"""Gaps, points and normals against closed forms."""

import math

import numpy as np
import pytest

from locomotor.geometry import Ball, Box, Capsule, Disc, gap, query
from locomotor.model import Plane, Terrain
from oracles.grounds import at, block, pyramid, strips

H, R = 0.35, 0.3
EXACT = 1e-14
"""Sums of a few numbers of the size of one."""
UP = (0.0, 0.0, 1.0)
WHEEL = Disc((0, 0, 0), (0, 1, 0), H)
LEVEL = strips(((-3.0, 0.0), (3.0, 0.0)))
GROUNDS = {"plane": Plane(), "terrain": LEVEL}


def nearest(ground, shape, pose, kind):
    first = query(ground, shape, pose)[0]
    assert first.feature.kind == kind
    assert first.gap == pytest.approx(float(first.normal @ (first.point - first.foot)), abs=EXACT)
    return first


# --- faces --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)
@pytest.mark.parametrize("height", [1.0, 0.3, 0.299, 0.1])
def test_sphere_over_a_face(ground, height):
    found = nearest(ground, Ball((0, 0, 0), R), at(0.2, -0.1, height), "face")
    assert found.gap == pytest.approx(height - R, abs=EXACT)
    assert found.normal == pytest.approx(UP) and found.foot == pytest.approx((0.2, -0.1, 0.0), abs=EXACT)
    assert found.point == pytest.approx((0.2, -0.1, height - R), abs=EXACT)


@pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)
@pytest.mark.parametrize("height", [0.5, 0.0, -1e-3])
def test_point_over_and_under_a_face(ground, height):
    assert nearest(ground, Ball((0, 0, 0)), at(0.2, -0.1, height), "face").gap == pytest.approx(height, abs=EXACT)


@pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)
@pytest.mark.parametrize("tube", [0.0, 0.04])
@pytest.mark.parametrize("lean", [0.0, 0.4, -1.2])
def test_wheel_upright_and_leaning_on_a_face(ground, tube, lean):
    found = nearest(ground, Disc((0, 0, 0), (0, 1, 0), H, tube), at(0.2, -0.1, 0.4, (lean, 0, 0)), "face")
    assert found.gap == pytest.approx(0.4 - H * math.cos(lean) - tube, abs=EXACT)
    assert found.foot == pytest.approx((0.2, -0.1 + H * math.sin(lean), 0.0), abs=EXACT)
    # Contact frame: normal, direction of rolling, left.
    assert found.frame == pytest.approx(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), abs=EXACT)


def test_wheel_on_an_inclined_face():
    slope, ramp = 0.3, Terrain.plane(0.3)
    normal = (math.sin(slope), 0.0, math.cos(slope))
    found = nearest(ramp, WHEEL, at(0.5, 0.0, 0.6), "face")
    assert found.normal == pytest.approx(normal)
    assert found.gap == pytest.approx(0.5 * math.sin(slope) + 0.6 * math.cos(slope) - H, abs=EXACT)
    with_values = query(Plane(normal=("sin(s)", 0, "cos(s)")), WHEEL, at(0.5, 0.0, 0.6), values={"s": slope})[0]
    assert with_values.gap == pytest.approx(found.gap, abs=EXACT)


@pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)
def test_capsule_over_a_face_stands_on_both_ends(ground):
    capsule = Capsule((-0.5, 0, 0), (0.5, 0, 0), 0.1)
    ends = query(ground, capsule, at(0, 0, 0.12, (0, 0.05, 0)))
    assert [end.part for end in ends] == [1, 0]  # pitched nose down: the front end is nearer
    assert [end.gap for end in ends] == pytest.approx([0.02 - 0.5 * math.sin(0.05), 0.02 + 0.5 * math.sin(0.05)], abs=EXACT)


@pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)
def test_box_stands_on_its_corners(ground):
    corners = query(ground, Box((0, 0, 0), (0.2, 0.1, 0.3)), at(0, 0, 0.301))
    assert {corner.part for corner in corners} == {0, 2, 4, 6}
    assert [corner.gap for corner in corners] == pytest.approx([1e-3] * 4, abs=EXACT)


# --- edges --------------------------------------------------------------------------------------------------

KERB = Terrain.kerb(0.1)


@pytest.mark.parametrize(("x", "z"), [(-0.25, 0.3), (-0.2, 0.35), (-0.05, 0.42)])
def test_sphere_and_wheel_at_a_kerb_across(x, z):
    distance = math.hypot(x, z - 0.1)
    for shape, radius in ((Ball((0, 0, 0), R), R), (WHEEL, H)):
        edge = next(c for c in query(KERB, shape, at(x, 0.3, z), reach=1.0) if c.feature.kind == "edge")
        assert edge.gap == pytest.approx(distance - radius, abs=EXACT)
        assert edge.normal == pytest.approx((x / distance, 0.0, (z - 0.1) / distance), abs=EXACT)
        assert edge.foot == pytest.approx((0.0, 0.3, 0.1), abs=EXACT)
        assert edge.point == pytest.approx(np.array((x, 0.3, z)) - radius * edge.normal, abs=EXACT)


@pytest.mark.parametrize("yaw", [0.3, -0.8, 1.3])
@pytest.mark.parametrize("offset", [0.45, 0.36, 0.30])
def test_yawed_wheel_and_an_edge_at_its_own_height(yaw, offset):
    """Along the edge the wheel is an upright ellipse, and the edge at the height of its centre is nearest to its side.

    The half-width is h |a.e| = h cos(yaw).
    """
    wall = strips(((0.0, -2.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, 0.0)), width=40.0)
    found = next(c for c in query(wall, WHEEL, at(-offset, 0.0, 1e-6, (0, 0, yaw)), reach=1.0) if c.feature.kind == "edge")
    # A little higher, so that the edge is met and not the wall below it; that counts to the second order.
    assert found.gap == pytest.approx(offset - H * math.cos(yaw), abs=1e-10)
    assert found.normal == pytest.approx((-1.0, 0.0, 0.0), abs=1e-4)


@pytest.mark.parametrize("height", [0.05, 1e-3, 0.0, -1e-3])
def test_flat_side_of_a_leaning_wheel_on_an_edge_along_it(height):
    """A wheel that leans by 60° over an edge parallel to it touches it with its flat side, along a chord."""
    lean = math.pi / 3
    ridge = Terrain("g", [(-5, 0, 0), (5, 0, 0), (5, 5, -5), (-5, 5, -5), (-5, -5, -5), (5, -5, -5)],
                    [(0, 1, 2), (0, 2, 3), (1, 0, 4), (1, 4, 5)])  # fmt: skip
    axis = np.array((0.0, math.cos(lean), math.sin(lean)))
    centre = height * axis
    found = nearest(ridge, WHEEL, at(*centre, (lean, 0, 0)), "edge")
    assert found.gap == pytest.approx(height, abs=1e-12)
    assert found.normal == pytest.approx(axis, abs=1e-12)
    assert found.foot == pytest.approx((0, 0, 0), abs=1e-12)  # the middle of what both have in common


@pytest.mark.parametrize("cross", [0.0, 0.4, 1.0])
def test_capsule_across_an_edge(cross):
    """Skew lines: the gap is the distance along their common normal."""
    roof = strips(((-2.0, -1.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, -1.0)))
    capsule = Capsule((-0.4, 0, 0), (0.4, 0, 0), 0.1)
    found = nearest(roof, capsule, at(0.02, 0.1, 0.15, (0, 0, cross)), "edge")
    assert found.part == 2 and found.gap == pytest.approx(0.05, abs=EXACT)
    assert found.normal == pytest.approx(UP) and found.foot[0] == pytest.approx(0.0, abs=EXACT)


def test_end_of_a_capsule_at_an_edge():
    capsule = Capsule((-1.0, 0, 0), (0.0, 0, 0), 0.1)
    found = next(c for c in query(KERB, capsule, at(-0.3, 0.0, 0.3), reach=1.0) if c.feature.kind == "edge")
    assert found.part == 1 and found.gap == pytest.approx(math.hypot(0.3, 0.2) - 0.1, abs=EXACT)


# --- vertices -----------------------------------------------------------------------------------------------


def test_sphere_over_a_spike():
    found = nearest(pyramid(), Ball((0, 0, 0), R), at(0.05, -0.1, 0.4), "vertex")
    distance = math.sqrt(0.05**2 + 0.1**2 + 0.4**2)
    assert found.gap == pytest.approx(distance - R, abs=EXACT)
    assert found.foot == pytest.approx((0, 0, 0)) and found.normal == pytest.approx(np.array((0.05, -0.1, 0.4)) / distance)


def test_sphere_at_the_corner_of_a_block():
    cube = block((-1, -1, -1), (0, 0, 0))
    found = nearest(cube, Ball((0, 0, 0), R), at(0.2, 0.2, 0.2), "vertex")
    assert found.gap == pytest.approx(0.2 * math.sqrt(3.0) - R, abs=EXACT)


@pytest.mark.parametrize("height", [H + 0.1, H + 1e-6, H - 1e-6, H - 1e-3])
def test_wheel_on_the_tip_of_a_spike_in_its_plane(height):
    """Motions in a plane: the gap goes through zero with the normal along the radius."""
    found = nearest(pyramid(), WHEEL, at(0.0, 0.0, height), "vertex")
    assert found.gap == pytest.approx(height - H, abs=EXACT) and found.normal == pytest.approx(UP)


def test_rim_of_a_leaning_wheel_and_a_spike():
    """sqrt((rho - h)² + delta²) with rho and delta the distances of the spike from the axis and from the plane of the wheel."""
    lean, centre = 0.3, np.array((0.02, 0.0, 0.5))
    axis = np.array((0.0, math.cos(lean), math.sin(lean)))
    delta = float(-centre @ axis)
    rho = math.sqrt(float(centre @ centre) - delta**2)
    found = nearest(pyramid(height=3.0), WHEEL, at(*centre, (lean, 0, 0)), "vertex")
    assert found.gap == pytest.approx(math.hypot(rho - H, delta), abs=EXACT)
    out = found.point - centre
    assert np.linalg.norm(out) == pytest.approx(H) and out @ axis == pytest.approx(0.0, abs=EXACT)


@pytest.mark.parametrize("tube", [0.0, 0.02])
@pytest.mark.parametrize("height", [0.1, 1e-6, -1e-3])
def test_flat_side_of_a_lying_wheel_on_a_spike(height, tube):
    found = nearest(pyramid(), Disc((0, 0, 0), (0, 0, 1), H, tube), at(0.1, 0.05, height + tube), "vertex")
    assert found.gap == pytest.approx(height, abs=EXACT) and found.normal == pytest.approx(UP)
    assert found.point == pytest.approx((0.0, 0.0, height), abs=EXACT)


def test_side_of_a_capsule_on_a_spike():
    found = nearest(pyramid(), Capsule((-0.4, 0, 0), (0.4, 0, 0), 0.1), at(0.1, 0.0, 0.15, (0, 0, 0.4)), "vertex")
    offset = 0.1 * math.sin(0.4)
    assert found.part == 2 and found.gap == pytest.approx(math.hypot(offset, 0.15) - 0.1, abs=EXACT)


def test_gap_is_the_least_of_all():
    assert gap(KERB, WHEEL, at(-0.2, 0.0, H + 0.01)) == pytest.approx(math.hypot(0.2, H - 0.09) - H, abs=EXACT)
