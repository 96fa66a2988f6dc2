"""How contacts on a terrain can go on: as on the plane or the slope that they touch, and on edges as runs say."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import InconsistentStartError, UnknownNameError

G, MASS, RADIUS = 9.81, 2.0, 0.1
HALF = (0.3, 0.1, 0.04)
FRICTION = lm.Unilateral(friction=0.3)


def body(contact, ground, inertia=(0.008, 0.008, 0.008)):
    """A free body of 2 kg on a ground."""
    return lm.System(
        "body",
        bodies=(lm.Body("body", MASS, inertia=inertia),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=(contact,),
        forces=(lm.Gravity((0.0, 0.0, -G)),),
        grounds=(ground,),
        inputs=(lm.Input("idle"),),
        nominal={"z": 1.0},
    )


def ball(ground, law=FRICTION):
    """A uniform ball."""
    return body(lm.RollingSphere("foot", "body", (0.0, 0.0, 0.0), RADIUS, law=law), ground)


def box(ground):
    """A flat box."""
    return body(lm.StickingBox("hull", "body", HALF, law=FRICTION), ground, (0.004, 0.05, 0.05))


def ridge():
    """A sharp ridge along y through the origin."""
    return lm.Terrain.heightfield((-2.0, 0.0, 2.0), (-3.0, 3.0), [[-4.0, -4.0], [0.0, 0.0], [-4.0, -4.0]])


def same(one, other):
    """The same ways on."""
    assert one.verdict == other.verdict and len(one.solutions) == len(other.solutions) and one.complete == other.complete
    for a, b in zip(one.solutions, other.solutions, strict=True):
        assert dict(a.modes) == dict(b.modes) and a.unique == b.unique
        for name in a.modes:
            np.testing.assert_allclose(a.forces[name], b.forces[name], rtol=0.0, atol=1e-9)
            np.testing.assert_allclose(a.accelerations[name], b.accelerations[name], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("speed", [0.0, 0.7])
def test_flat_as_on_the_plane(speed):
    state = {"x": 0.3, "y": 0.21, "z": RADIUS, "speed": speed}
    flat, plane = (lm.contact_report(ball(ground), state) for ground in (lm.Terrain.plane(), lm.Plane()))
    same(flat, plane)
    assert flat.solutions[0].modes == {"foot": "slip" if speed else "stick"}


@pytest.mark.parametrize("slope", [0.6, 0.9])
def test_a_tilted_triangle_as_a_tilted_plane(slope):
    """A ball at rest sticks where tan(slope) < 7/2 mu; beyond, it slips with g (sin - mu cos), spun by 5/2 mu g cos/R."""
    normal = (math.sin(slope), 0.0, math.cos(slope))
    corners = [(2.0 * c, s, -2.0 * c * math.tan(slope)) for c, s in ((-1.0, -3.0), (1.0, -3.0), (0.0, 3.0))]
    triangle = lm.Terrain("ground", corners, [(0, 1, 2)])
    state = {"x": RADIUS * normal[0], "z": RADIUS * normal[2]}
    report = lm.contact_report(ball(triangle), state)
    same(report, lm.contact_report(ball(lm.Plane("ground", normal=normal)), state))
    (way,) = report.solutions
    assert way.modes == {"foot": "stick" if math.tan(slope) < 3.5 * 0.3 else "slip"}
    assert way.forces["foot"][0] == pytest.approx(MASS * G * math.cos(slope))
    slip = G * (math.sin(slope) - 3.5 * 0.3 * math.cos(slope))
    assert np.hypot(*way.accelerations["foot"][1:]) == pytest.approx(max(slip, 0.0), abs=1e-9)


def test_in_a_groove():
    """Between two slopes of 45 degrees, without friction, each bears m g/(2 cos 45)."""
    groove = lm.Terrain.from_profile([(-2.0, 2.0), (0.0, 0.0), (2.0, 2.0)])
    report = lm.contact_report(ball(groove, lm.Unilateral(friction=0.0)), {"z": RADIUS * math.sqrt(2.0)})
    (way,) = report.solutions
    assert report.contacts == ("foot", "foot_2")
    assert [force[0] for force in way.forces.values()] == pytest.approx([MASS * G / math.sqrt(2.0)] * 2)


@pytest.mark.slow
def test_on_a_ridge_as_the_run_says():
    """A box that slips across a ridge, and turns: its normal turns with it, which the run's own forces know."""
    run = lm.simulate(box(ridge()), 0.01, start={"z": HALF[2], "x": 0.05, "speed": 1.0, "pitch_rate": 0.0}, step=0.001)
    assert abs(run["pitch_rate"][-1]) > 0.2 and run["hull_slip_speed"][-1] > 0.9
    (way,) = lm.contact_report(box(ridge()), run).solutions
    assert set(way.modes.values()) == {"slip"}
    assert sum(force[0] for force in way.forces.values()) == pytest.approx(run["hull_normal_force"][-1], rel=1e-9)


def test_a_capsule_that_slips_over_a_ridge_as_the_run_says():
    hull = lm.RollingCapsule("hull", "body", start=(-0.3, 0.0, 0.0), end=(0.3, 0.0, 0.0), radius=0.05, law=FRICTION)
    system = body(hull, ridge(), (0.004, 0.05, 0.05))
    start = {"z": 0.05, "x": 0.05, "speed": 0.5, "heave_speed": 0.0, "pitch_rate": 0.0}
    run = lm.simulate(system, 0.02, start=start, step=0.001)
    (way,) = lm.contact_report(system, run).solutions
    assert way.modes == {"hull": "slip"} and abs(run["pitch_rate"][-1]) > 0.1
    assert way.forces["hull"][0] == pytest.approx(run["hull_normal_force"][-1], rel=1e-9)


def test_before_a_kerb():
    """A ball that rolls on the flat and touches the edge of a kerb strikes it; at rest both bear it, or one opens."""
    height = 0.06
    away = math.sqrt(RADIUS**2 - (RADIUS - height) ** 2)
    system = ball(lm.Terrain.kerb(height))
    at = min(x for x, _, z in lm.Terrain.kerb(height).vertices if z > 0.5 * height)
    state = {"x": at - away, "z": RADIUS}
    strikes = lm.contact_report(system, state | {"speed": 1.0, "pitch_rate": 1.0 / RADIUS})
    assert strikes.verdict == "impact" and strikes.strikes == ("foot_2",) and strikes.contacts == ("foot",)
    rests = lm.contact_report(system, state)
    (way,) = rests.solutions
    assert rests.contacts == ("foot", "foot_2") and way.forces["foot"][0] + way.forces["foot_2"][0] > 0.0
    assert max(np.abs(u).max() for u in way.accelerations.values()) < 1e-8


def test_in_the_air_and_inside():
    system = ball(lm.Terrain.plane())
    flying = lm.contact_report(system, {"z": 0.5})
    assert flying.contacts == () and flying.verdict == "one solution"
    falling = lm.contact_report(system, {"z": RADIUS, "heave_speed": -1.0})
    assert falling.verdict == "impact" and falling.strikes == ("foot",)
    with pytest.raises(InconsistentStartError, match=r"contact 'foot' is 0\.02 m inside face \d+ of its terrain at the state"):
        lm.contact_report(system, {"x": 0.3, "z": 0.08})
    with pytest.raises(UnknownNameError, match="no input 'push'"):
        lm.contact_report(system, {"z": 0.5}, {"push": 1.0})


def test_what_leaves_is_no_contact():
    report = lm.contact_report(ball(lm.Terrain.plane()), {"z": RADIUS, "heave_speed": 1.0})
    assert report.contacts == () and report.strikes == () and report.verdict == "one solution"
