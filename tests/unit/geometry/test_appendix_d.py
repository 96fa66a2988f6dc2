"""Appendix D of Mauny 2018: a circle and two segments, drawn in the plane and made solid.

The source gives no measures; these have the same pathologies. `source` must choose as the appendix does, and `complete`
must never see a contact that is not there.
"""

import math

import pytest

from locomotor.geometry import Disc, gap, query
from locomotor.model import Terrain
from oracles.grounds import at, strips

H = 0.5
WHEEL = Disc((0, 0, 0), (0, 1, 0), H)
RULES = ("source", "complete")
# Segment 1 goes down to the left of a ditch, segment 2 is a floor on its right.
ONE, TWO = ((-2.0, 2.0), (0.0, 1.0)), ((0.5, 0.0), (4.0, 0.0))
SCENE = strips(ONE, TWO)
N1 = (1.0 / math.sqrt(5.0), 0.0, 2.0 / math.sqrt(5.0))


def choice(x, z, rule, scene=SCENE):
    return query(scene, WHEEL, at(x, 0.0, z), rule=rule)[0]


@pytest.mark.parametrize("rule", RULES)
def test_d1_both_segments_below_the_nearer_one(rule):
    found = choice(3.0, 1.0, rule)
    assert found.feature.kind == "face" and found.gap == pytest.approx(0.5) and found.normal == pytest.approx((0, 0, 1))
    found = choice(-1.0, 2.2, rule)
    assert found.normal == pytest.approx(N1) and found.gap == pytest.approx((-1.0 + 2.0 * 2.2 - 2.0) / math.sqrt(5.0) - H)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("x", [1.2, 1.6180339887498950, 2.0])
def test_d2_line_of_a_segment_beyond_its_end_is_no_obstacle(rule, x):
    """The line of segment 1, drawn on, is nearer than segment 2, touches the wheel or cuts it: a fictitious contact."""
    z = 0.8
    line = (x + 2.0 * z - 2.0) / math.sqrt(5.0) - H
    assert line < z - H
    found = choice(x, z, rule)
    assert found.feature.kind == "face" and found.gap == pytest.approx(z - H) and found.foot == pytest.approx((x, 0.0, 0.0))
    assert all(c.gap >= z - H for c in query(SCENE, WHEEL, at(x, 0.0, z), rule=rule, reach=10.0))


@pytest.mark.parametrize("rule", RULES)
def test_d3_d4_without_any_face_below_the_end_of_a_segment_counts(rule):
    """Over the ditch no projection falls on a segment: the gap is that to the nearest end, N' = C'O / |C'O|, C = O - h N'."""
    x, z = 0.45, 1.3
    found = choice(x, z, rule)
    distance = math.hypot(x, z - 1.0)
    assert found.feature.kind != "face"
    assert found.gap == pytest.approx(distance - H) and found.foot == pytest.approx((0.0, 0.0, 1.0))
    assert found.normal == pytest.approx((x / distance, 0.0, (z - 1.0) / distance))
    assert found.point == pytest.approx((x - H * x / distance, 0.0, z - H * (z - 1.0) / distance))


def test_d5_source_prefers_the_face_and_complete_keeps_both():
    x, z = 0.6, 1.2
    end, floor = math.hypot(x, z - 1.0) - H, z - H
    assert end < floor
    by_source = query(SCENE, WHEEL, at(x, 0.0, z), rule="source", reach=1.0)
    assert [c.feature.kind for c in by_source] == ["face"] and by_source[0].gap == pytest.approx(floor)
    complete = query(SCENE, WHEEL, at(x, 0.0, z), reach=1.0)
    assert [c.feature.kind for c in complete] == ["edge", "face"]
    assert [c.gap for c in complete] == pytest.approx([end, floor])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("ground", [SCENE, Terrain.ramp(-0.1745, 0.5), Terrain.kerb(0.1)], ids=["scene", "ramp", "kerb"])
def test_gap_is_defined_at_all_times(rule, ground):
    for x in (-100.0, -2.5, -0.3, 0.0, 0.2, 0.5, 3.0, 500.0):
        for z in (2.5, 30.0, 1e4):
            assert math.isfinite(gap(ground, WHEEL, at(x, 0.1, z), rule=rule))


def test_gap_of_the_source_jumps_at_the_edge_of_the_ramp_and_that_of_complete_does_not():
    """The jump is what opens the contact in test 2 of the source: a hard lift-off."""
    ramp, slope = Terrain.ramp(-0.1745, 0.5), 0.1745
    wheel = Disc((0, 0, 0), (0, 1, 0), 0.35)
    normal = (-math.sin(slope), math.cos(slope))

    def along(way, rule):
        return gap(ramp, wheel, at(way * normal[1] + 0.35 * normal[0], 0.0, -way * normal[0] + 0.35 * normal[1]), rule=rule)

    for rule in RULES:
        assert along(-1.0, rule) == pytest.approx(0.0, abs=1e-14) and along(-1e-6, rule) == pytest.approx(0.0, abs=1e-14)
    assert along(1e-6, "source") == pytest.approx(0.5 + 0.35 * normal[1] - 0.35, abs=1e-5)
    assert along(1e-6, "complete") == pytest.approx(0.0, abs=1e-11)
