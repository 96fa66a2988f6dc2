"""Smooth spheres on planes and terrain, balls that come to rest, and the energy that a law makes."""

import math
import warnings

import numpy as np
import pytest

import locomotor as lm
from locomotor.model import System

G, RADIUS, MASS = 9.81, 0.1, 2.0


def sphere(ground: lm.Plane | lm.Terrain, law: lm.Unilateral | lm.Persistent) -> System:
    """A smooth sphere with its mass in the middle."""
    return lm.System(
        "sphere",
        bodies=(lm.Body("ball", MASS, inertia=(0.01, 0.01, 0.01)),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.SlidingSphere("floor", "ball", centre=(0, 0, 0), radius=RADIUS, law=law),),
        forces=(lm.Gravity((0.0, 0.0, -G)),),
        grounds=(ground,),
        nominal={"z": RADIUS},
    )


@pytest.mark.slow
def test_a_smooth_sphere_slides_down_a_slope_as_a_stone_on_ice() -> None:
    """Acceleration g sin(slope), not 5/7 of it, and its spin is its own."""
    slope, t = 0.3, 0.5
    for ground, law in (
        (lm.Plane(normal=(math.sin(slope), 0.0, math.cos(slope))), lm.Persistent()),
        (lm.Plane(normal=(math.sin(slope), 0.0, math.cos(slope))), lm.Unilateral()),
        (lm.Terrain.plane(slope=slope), lm.Unilateral()),
    ):
        start = {"x": RADIUS * math.sin(slope), "z": RADIUS * math.cos(slope), "pitch_rate": 7.0}
        run = lm.simulate(sphere(ground, law), t, start=start, step=0.001)
        way = 0.5 * G * math.sin(slope) * t**2
        assert run["x"][-1] - run["x"][0] == pytest.approx(way * math.cos(slope), abs=1e-9)
        assert run["pitch_rate"][-1] == pytest.approx(7.0, abs=1e-12)
        assert run.forces["floor"][-1] == pytest.approx(
            MASS * G * math.cos(slope) * np.array([math.sin(slope), 0.0, math.cos(slope)]), abs=1e-9
        )


@pytest.mark.parametrize("corner", [False, True])
def test_a_smooth_sphere_slides_over_an_edge_and_a_corner(corner: bool) -> None:
    """It leaves a sharp support where g cos(a) = v²/r: from rest on top at cos(a) = 2/3."""
    if corner:
        ground = lm.Terrain("ground", [(0, 0, 0), (1, 0, -2), (0, 1, -2), (-1, 0, -2), (0, -1, -2)],
                            [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1)])  # fmt: skip
    else:
        ground = lm.Terrain.heightfield((-2.0, 0.0, 2.0), (-3.0, 3.0), [[-4.0] * 2, [0.0] * 2, [-4.0] * 2])
    tilt = 0.05
    start = {"x": RADIUS * math.sin(tilt), "z": RADIUS * math.cos(tilt), "roll_rate": 3.0}
    run = lm.simulate(sphere(ground, lm.Unilateral()), 0.6, start=start, step=0.0005)
    leaves = run.events[0]
    assert leaves.kind == "lift-off"
    k = int(np.searchsorted(run.time, leaves.time))
    # Energy from the start: v² = 2 g r (cos(tilt) - cos(a)), and v² = g r cos(a) where it leaves.
    assert run["z"][k] / RADIUS == pytest.approx(2.0 / 3.0 * math.cos(tilt), abs=1e-7)
    assert np.hypot(run["x"][k], run["z"][k]) == pytest.approx(RADIUS, abs=1e-9)
    assert np.ptp(run.energy[:k]) < 1e-9 and abs(run["y"][k]) < 1e-9


@pytest.mark.parametrize("ground", [lm.Plane(), lm.Terrain.plane()])
def test_a_ball_that_keeps_its_speed_keeps_it_at_rest(ground: lm.Plane | lm.Terrain) -> None:
    """tangential=-1: neither bounces nor their end change the motion along the floor; the end has a sample of its own."""
    e, h, speed = 0.5, 0.2, 1.5
    ball = lm.catalogue.bouncing_ball(restitution=e, tangential=-1.0).replace(grounds=(ground,))
    run = lm.simulate(ball, 1.2, start={"z": RADIUS + h, "speed": speed}, step=0.001, sample=0.1)
    (rest,) = run.events.of(kind="rest")
    assert rest.time == pytest.approx(math.sqrt(2 * h / G) * (1 + e) / (1 - e), abs=1e-9)
    assert rest.time in run.time and run["floor_closed"][-1] == 1.0
    assert run["linear_momentum_x"] == pytest.approx(run["linear_momentum_x"][0], rel=1e-12)
    assert run["x"][-1] == pytest.approx(speed * 1.2, abs=1e-9)


def test_energy_that_a_law_makes_is_called_so() -> None:
    """A rod falls on one end, which leaves elastically and slips no more: it makes energy for one way of slipping (Kane).

    With e = 1 the normal impulse does no work, and that along the ground Lt ut/2; nothing is imposed here.
    """
    rod = lm.System(
        "rod",
        bodies=(lm.Body("rod", 1.0, inertia=(0.01, 0.02, 0.02)),),
        joints=(lm.Free(name="base", parent="world", child="rod"),),
        contacts=(lm.StickingPoint("end", "rod", at=(0.5, 0.0, 0.0), law=lm.Unilateral(1.0, 0.0)),),
        forces=(lm.Gravity((0.0, 0.0, -G)),),
    )
    runs = []
    for slip in (0.3, -0.3):
        start = {"z": 0.6, "pitch": 0.7, "speed": slip * math.cos(0.7), "heave_speed": slip * math.sin(0.7)}
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            runs.append(lm.simulate(rod, 0.4, start=start, step=0.001))
        gains = any("the law has made energy" in event.description for event in runs[-1].events)
        assert any("impact(s) have made energy" in str(entry.message) for entry in told) == gains
    for run in runs:
        hit = run.events.of(kind="impact")[0]
        k = int(np.searchsorted(run.time, hit.time))
        gained = float(run.energy[k + 1] - run.energy[k])
        assert hit.energy_lost == pytest.approx(-gained, abs=1e-12)
        slip = float(run["linear_momentum_x"][k])  # the rod does not turn before
        assert gained == pytest.approx(0.5 * slip * hit.impulse[1], abs=1e-9)
        audit = run.audit()
        if gained > 1e-6:
            assert "the law has made energy" in hit.description and "gained" in str(audit)
        assert "imposed" not in str(audit) and "imposed" not in hit.description
        assert audit["impact_gain"] == pytest.approx(max(gained, 0.0), abs=1e-9)
    assert max(run.audit()["impact_gain"] for run in runs) > 1e-3
