"""Poses of bodies in a run, seen from the world, a slope or another body; starts without momentum."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import InconsistentStartError, UnknownBodyError, UnknownNameError
from locomotor.model import Body, Free, Gravity, Planar, Plane, Revolute, SlidingPoint, System

SLOPE = 0.3


def box_on_a_slope() -> System:
    """A box that slides down a slope on its lowest point, carried by a free joint."""
    return System(
        "box",
        [Body("box", mass=1.0, inertia=(0.1, 0.1, 0.1)), Body("flag", mass=0.1, inertia=(0.01, 0.01, 0.01))],
        [
            Free(name="base", parent="world", child="box"),
            Revolute(name="turn", parent="box", child="flag", at=(0.0, 0.0, 0.5), axis=(0.0, 0.0, 1.0)),
        ],
        contacts=[SlidingPoint("foot", "box", at=(0.0, 0.0, 0.0), ground="slope")],
        forces=[Gravity()],
        grounds=[Plane("slope", normal=(math.sin(SLOPE), 0.0, math.cos(SLOPE)), point=(0.0, 0.0, 0.0))],
    )


@pytest.fixture(scope="module")
def run() -> lm.Run:
    start = {"pitch": SLOPE, "turn": 0.4, "turn_rate": 2.0, "yaw_rate": 0.5}
    return lm.simulate(box_on_a_slope(), 0.2, start=start, step=0.01, target="interpreter")


def test_the_pose_of_the_root_is_that_of_its_coordinates(run: lm.Run) -> None:
    pose = run.pose("box")
    for i, name in enumerate("xyz"):
        np.testing.assert_allclose(pose.position[:, i], run[name], atol=1e-15)
    for name in ("yaw", "roll", "pitch"):
        np.testing.assert_allclose(getattr(pose, name), run[name], atol=1e-13, err_msg=name)
    given = np.stack([run[name] for name in ("qw", "qx", "qy", "qz")], axis=1)
    np.testing.assert_allclose(np.abs(np.sum(pose.quaternion * given, axis=1)), 1.0, atol=1e-14)
    assert (np.sum(pose.quaternion[1:] * pose.quaternion[:-1], axis=1) > 0.9).all()
    np.testing.assert_allclose(pose.rotation @ pose.rotation.transpose(0, 2, 1) - np.eye(3), 0.0, atol=1e-13)


def test_quaternions_near_half_a_turn() -> None:
    """R = 2 q q^T - 1 for a half turn about any axis: the scalar part vanishes."""
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.0, 0.8]])
    pose = lm.simulation.Pose(np.zeros((4, 3)), np.array([2.0 * np.outer(a, a) - np.eye(3) for a in axes]))
    np.testing.assert_allclose(np.abs(np.sum(pose.quaternion[:, 1:] * axes, axis=1)), 1.0, atol=1e-14)


def test_quaternions_and_angles_go_on_beyond_full_turns() -> None:
    """About an axis e by an angle a: (cos(a/2), e sin(a/2)), which has changed its sign after one turn."""
    angle = np.linspace(0.0, 5.0 * math.pi, 90)
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros(90), np.ones(90)
    about_z = np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]]).transpose(2, 0, 1)
    about_y = np.array([[c, zero, s], [zero, one, zero], [-s, zero, c]]).transpose(2, 0, 1)
    turning, tumbling = (lm.simulation.Pose(np.zeros((90, 3)), R) for R in (about_z, about_y))
    half = angle / 2.0
    np.testing.assert_allclose(turning.quaternion, np.stack([np.cos(half), zero, zero, np.sin(half)], axis=1), atol=1e-14)
    np.testing.assert_allclose(tumbling.quaternion, np.stack([np.cos(half), zero, np.sin(half), zero], axis=1), atol=1e-14)
    np.testing.assert_allclose(turning.yaw, angle, atol=1e-13)
    np.testing.assert_allclose(tumbling.pitch, angle, atol=1e-13)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_seen_from_a_wall(side: float) -> None:
    """A plane that leans more and more has its x axis along the slope, downwards if its normal leans along x, else upwards."""
    hull = Body("hull", mass=1.0, inertia=(1.0, 1.0, 1.0))
    wall = Plane("wall", normal=(side, 0.0, 0.0), point=(0.5, 0.0, 0.0))
    system = System("flying", [hull], [Free(name="base", parent="world", child="hull")], grounds=[wall])
    run = lm.simulate(system, 0.02, start={"x": 2.0, "y": 3.0, "z": 4.0}, step=0.01, target="interpreter")
    seen = run.pose("hull", seen_from="wall")
    np.testing.assert_allclose(seen.position, np.tile([-4.0 * side, 3.0, 1.5 * side], (len(run), 1)), atol=1e-14)
    axes = [[0.0, 0.0, -side], [0.0, 1.0, 0.0], [side, 0.0, 0.0]]
    np.testing.assert_allclose(seen.rotation, np.tile(axes, (len(run), 1, 1)), atol=1e-14)


def test_angles_relative_to_the_slope(run: lm.Run) -> None:
    """It starts with its floor on the slope, which descends along x: no roll, no pitch, height zero; then it turns and tips."""
    seen = run.pose("box", seen_from="slope")
    assert abs(seen.roll[0]) < 1e-12 and abs(seen.pitch[0]) < 1e-12 and abs(seen.yaw[0]) < 1e-12
    np.testing.assert_allclose(seen.position[:, 2], 0.0, atol=1e-12)
    # Along the slope it goes by g sin(slope) t^2 / 2, its point being its centre, but for the flag.
    assert seen.position[-1, 0] == pytest.approx(0.5 * 9.81 * math.sin(SLOPE) * 0.2**2, rel=0.05)
    assert run["pitch"][0] == pytest.approx(SLOPE)


def test_a_body_seen_from_another(run: lm.Run) -> None:
    seen = run.pose("flag", seen_from="box")
    np.testing.assert_allclose(seen.position, np.tile([0.0, 0.0, 0.5], (len(run), 1)), atol=1e-13)
    np.testing.assert_allclose(seen.yaw, run["turn"], atol=1e-13)
    with pytest.raises(UnknownBodyError, match="did you mean 'flag'"):
        run.pose("flagg")
    with pytest.raises(UnknownNameError, match="seen_from: no plane or body is named 'slop': did you mean 'slope'"):
        run.pose("box", seen_from="slop")


# -- starts without momentum ----------------------------------------------------------------------------------


def rotor() -> System:
    """A planar body of inertia 3 with a rotor of inertia 1 at (0.4, 0): masses 2 and 1."""
    return System(
        "rotor",
        [Body("hull", mass=2.0, inertia=(1.0, 1.0, 3.0 / 2)), Body("disc", mass=1.0, inertia=(1.0, 1.0, 1.0))],
        [
            Planar(name="base", parent="world", child="hull"),
            Revolute(name="spin", parent="hull", child="disc", at=(0.4, 0.0, 0.0), axis=(0.0, 0.0, 1.0)),
        ],
    )


@pytest.mark.parametrize("imposed", [True, False])
def test_a_floating_body_whose_rotor_turns_starts_without_momentum(imposed: bool) -> None:
    """The momentum about the common centre is (I + I_r + mu l^2) w + I_r s = 0 with mu = 2*1/3; the centre of mass rests."""
    if imposed:
        run = lm.simulate(rotor(), 0.01, motions={"spin": "3*t"}, start={"momentum": 0}, target="interpreter")
    else:
        run = lm.simulate(rotor(), 0.01, start={"spin_rate": 3.0, "momentum": 0}, target="interpreter")
    w = -3.0 * 1.0 / (1.5 + 1.0 + 2.0 / 3.0 * 0.16)
    assert run["yaw_rate"][0] == pytest.approx(w, rel=1e-12)
    # The hull's centre moves so that 2 v + (v + w 0.4) = 0 across, and does not move along.
    assert run["sway_speed"][0] == pytest.approx(-0.4 * w / 3.0, rel=1e-12) and abs(run["speed"][0]) < 1e-14


def test_given_velocities_stay_and_other_momenta_are_refused() -> None:
    run = lm.simulate(rotor(), 0.01, start={"yaw_rate": 1.0, "momentum": 0}, target="interpreter")
    # The disc does not turn in space: I_r (w + s) = 0.
    assert run["yaw_rate"][0] == pytest.approx(1.0) and run["spin_rate"][0] == pytest.approx(-1.0, rel=1e-12)
    with pytest.raises(InconsistentStartError, match="'momentum' is 2; ask for 0"):
        lm.simulate(rotor(), 0.01, start={"momentum": 2})
