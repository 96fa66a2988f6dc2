"""Friction of a contact that touches with a disc: sliding and spinning are one law, beside closed forms and integrals."""

from functools import cache

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.constraints import patch_shares
from oracles.farkas import farkas

GRAVITY, FRICTION, RADIUS, MASS = 9.81, 0.3, 0.1, 2.0
SPIN = 0.5 * MASS * RADIUS**2


@cache
def puck(ground=None, torque="0"):
    """A uniform disc that lies flat."""
    table = [lm.Body("table", mass=1.0, inertia=np.ones(3))] if ground else []
    turn = (
        [lm.Revolute(name="turn", parent="world", child="table", axis=(0.0, 0.0, 1.0), drive=lm.Motion(ground))]
        if ground
        else []
    )
    return lm.System(
        "puck",
        bodies=[*table, lm.Frame("carrier"), lm.Body("puck", mass=MASS, inertia=(0.5 * SPIN, 0.5 * SPIN, SPIN))],
        joints=[
            *turn,
            lm.Translation(name="base", parent="world", child="carrier"),
            lm.Revolute(name="yaw", parent="carrier", child="puck", axis=(0.0, 0.0, 1.0), drive=lm.Torque(torque)),
        ],
        contacts=[lm.StickingPoint("foot", "puck", (0.0, 0.0, 0.0), law=lm.Unilateral(friction=FRICTION, patch=RADIUS))],
        forces=[lm.Gravity((0.0, 0.0, -GRAVITY))],
        grounds=[lm.Plane(body="table" if ground else "world")],
        parameters={"pull": 0.0},
    )


@pytest.mark.parametrize("eps", [0.01, 0.3, 0.653, 0.999, 1.001, 2.0, 20.0])
def test_shares_of_slide_and_spin_are_elliptic_integrals(eps):
    slip = np.array([eps, 2.0 / 3.0])
    direction = slip / np.linalg.norm(slip)
    slide, spin = patch_shares(direction[0] ** 2, direction[1] ** 2)
    found = slide * direction[0], 2.0 / 3.0 * spin * direction[1]
    np.testing.assert_allclose(found, farkas(eps), rtol=1e-10)


def test_shares_have_their_limits():
    """A disc that only slides has mu N, one that only spins 2/3 mu N R; a fast slide leaves 1/4 mu N R omega R/v."""
    assert patch_shares(1.0, 0.0) == pytest.approx((1.0, 9.0 / 16.0), rel=1e-14)
    assert patch_shares(0.0, 1.0)[1] == pytest.approx(1.0, rel=1e-14)


def test_a_disc_that_spins_on_the_spot_stops_after_a_known_time():
    run = lm.simulate(puck(), 0.7, start={"yaw_rate": 20.0, "x_rate": 0.0, "y_rate": 0.0}, step=0.01)
    (stop,) = run.events
    assert stop.kind == "sticks"
    assert stop.time == pytest.approx(SPIN * 20.0 / (2.0 / 3.0 * FRICTION * MASS * GRAVITY * RADIUS), rel=1e-12)
    assert abs(run["yaw_rate"][-1]) < 1e-12 and abs(run["x"]).max() < 1e-14


@pytest.mark.slow
@pytest.mark.parametrize("spin", [5.0, 20.0])
def test_slide_and_spin_stop_at_the_same_instant_in_the_known_ratio(spin):
    """A uniform disc comes to v/(omega R) = 0.653 whatever it began with (Farkas et al. 2003), where F = 2 eps T."""
    begin = {"x_rate": 1.0, "y_rate": 0.0, "yaw_rate": spin}
    run = lm.simulate(puck(), 1.0, start=begin, step=0.005)
    (stop,) = run.events
    early = lm.simulate(puck(), stop.time - 1e-7, start=begin, step=0.005)
    assert early["x_rate"][-1] / (RADIUS * early["yaw_rate"][-1]) == pytest.approx(0.653, abs=1e-3)
    assert farkas(0.653)[0] == pytest.approx(2.0 * 0.653 * farkas(0.653)[1], rel=1e-4)
    assert run.audit()["energy_balance"] < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.999, 1.5])
def test_a_torque_turns_a_disc_only_beyond_its_friction(share):
    most = 2.0 / 3.0 * FRICTION * MASS * GRAVITY * RADIUS
    run = lm.simulate(puck(torque="pull*t/0.1"), 0.2, step=0.002, parameters={"pull": 0.5 * share * most})
    if share < 1.0:
        assert abs(run["yaw"]).max() < 1e-15 and not run.events
    else:
        begins = 0.1 / (0.5 * share)
        assert [event.kind for event in run.events] == ["slips"]
        assert run.events[0].time == pytest.approx(begins, rel=1e-9)
        left = 0.2 - begins
        assert run["yaw_rate"][-1] == pytest.approx(5.0 * share * most * left**2 / 2.0 / SPIN, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turns", "rate"), [("5*t**2", 10.0), ("50*t**2", 2.0 / 3.0 * FRICTION * MASS * GRAVITY * RADIUS / SPIN)]
)
def test_a_disc_on_a_turntable_follows_as_far_as_friction_goes(turns, rate):
    """The ground is carried by a table that turns faster and faster; the disc lies in the middle."""
    run = lm.simulate(puck(ground=turns), 0.5, start={"yaw_rate": 0.0}, step=0.005)
    assert run["yaw_rate"][-1] == pytest.approx(0.5 * rate, rel=1e-9)


@pytest.mark.slow
def test_a_disc_in_steps_spins_down_and_stays():
    """Time-stepping: the rate falls by 4/3 mu g/R, and is zero from the step on in which it would change its sign."""
    compiled = lm.compile(puck(), contacts="time-stepping", target="interpreter")
    place = compiled.state_names.index("yaw_rate")
    found = compiled.rollout(compiled.start({"yaw_rate": 20.0}), 60, 0.01).states[:, place]
    falls = 4.0 / 3.0 * FRICTION * GRAVITY / RADIUS
    np.testing.assert_allclose(found[:51], 20.0 - falls * 0.01 * np.arange(51), rtol=0.0, atol=1e-9)
    assert abs(found[51:]).max() < 1e-12


@pytest.mark.slow
def test_a_ball_that_spins_on_the_spot_stops_after_a_known_time():
    mass, radius, patch, spin = 1.0, 0.1, 0.005, 30.0
    inertia = 0.4 * mass * radius**2
    ball = lm.System(
        "ball",
        bodies=[lm.Frame("carrier"), lm.Body("ball", mass=mass, inertia=np.full(3, inertia))],
        joints=[
            lm.Translation(name="base", parent="world", child="carrier"),
            lm.Spherical(name="spin", parent="carrier", child="ball"),
        ],
        contacts=[lm.RollingSphere("foot", "ball", (0.0, 0.0, 0.0), radius, law=lm.Unilateral(friction=0.5, patch=patch))],
        forces=[lm.Gravity((0.0, 0.0, -GRAVITY))],
    )
    start = {"z": radius, "x_rate": 0.0, "y_rate": 0.0, "spin_wx": 0.0, "spin_wy": 0.0, "spin_wz": spin}
    ends = inertia * spin / (2.0 / 3.0 * 0.5 * mass * GRAVITY * patch)
    run = lm.simulate(ball, ends + 1.0, start=start, step=0.05)
    assert [event.kind for event in run.events] == ["rolls"]
    assert run.events[0].time == pytest.approx(ends, rel=1e-10)


@pytest.mark.parametrize("patch", [1e-3, 1e-5])
def test_a_small_patch_in_steps_brakes_the_spin_by_all_of_its_torque(patch):
    """2/3 mu N p, which is a thousandth of what friction could do along the ground and less: the few sweeps find it."""
    law = lm.Unilateral(friction=FRICTION, patch=patch)
    pin = puck().replace(contacts=(lm.StickingPoint("foot", "puck", (0.0, 0.0, 0.0), law=law),))
    kernel = lm.compile(pin, contacts="time-stepping", target="interpreter")
    brake = 2.0 / 3.0 * FRICTION * MASS * GRAVITY * patch / SPIN
    rolled = kernel.rollout([kernel.start({"x_rate": 0.0, "y_rate": 0.0, "yaw_rate": 1.0})], 20, 2e-3, save_every=0)
    rate = rolled.final[0][kernel.state_names.index("yaw_rate")]
    assert 1.0 - rate == pytest.approx(brake * 20 * 2e-3, rel=1e-8)


def test_what_is_left_of_the_spin_of_a_small_patch_goes_with_its_slip():
    """With a patch of 0.01 mm a slip that is slow enough to have stopped (1e-9 m/s) is a spin of 1.5e-4 rad/s: it goes too."""
    arm, spin = 2.0 / 3.0 * 1e-5, 3e-3
    law = lm.Unilateral(friction=FRICTION, patch=1e-5)
    pin = puck().replace(contacts=(lm.StickingPoint("foot", "puck", (0.0, 0.0, 0.0), law=law),))
    brake = FRICTION * MASS * GRAVITY * arm / SPIN
    start = {"x_rate": 0.0, "y_rate": 0.0, "yaw_rate": spin}
    run = lm.simulate(pin, 1.2 * spin / brake, start=start, step=0.02 * spin / brake)
    assert [event.kind for event in run.events] == ["sticks"]
    assert run.events[0].time == pytest.approx(spin / brake, abs=1e-9 / arm / brake)
    assert run["yaw_rate"][-1] == 0.0


@pytest.mark.slow
def test_a_report_knows_the_friction_of_a_patch_that_slips():
    """The accelerations are -mu g F along the slide and -2 mu g/R T about the normal, which the spin has at its arm 2R/3."""
    report = lm.contact_report(puck(), {"x_rate": 0.6, "yaw_rate": 5.0})
    (way,) = report.solutions
    force, torque = farkas(0.6 / (5.0 * RADIUS))
    along, spin = -FRICTION * GRAVITY * force, -2.0 * FRICTION * GRAVITY / RADIUS * torque
    assert way.modes == {"foot": "slip"}
    np.testing.assert_allclose(way.accelerations["foot"], [0.0, along, 0.0, 2.0 / 3.0 * RADIUS * spin], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lm.Unilateral(patch=0.1), "no friction"),
        (lambda: lm.Unilateral(friction=0.3, patch=0.0), "must be positive"),
        (lambda: lm.Unilateral(friction=0.3, patch=float("nan")), "patch"),
        (lambda: lm.SlidingPoint("a", "b", (0, 0, 0), law=lm.Unilateral(friction=0.3, patch=0.1)), "does not stick or roll"),
    ],
)
def test_patches_that_make_no_sense_are_refused(make, words):
    with pytest.raises(lm.errors.LocomotorError, match=words):
        make()


@pytest.mark.slow
def test_slide_and_spin_of_a_puck_on_a_terrain_stop_at_the_same_instant_in_the_known_ratio():
    square = lm.Terrain("ground", vertices=[(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)], triangles=[(0, 1, 2), (0, 2, 3)])
    begin = {"x_rate": 1.0, "y_rate": 0.0, "yaw_rate": 5.0}
    on_it = puck().replace(grounds=(square,))
    (stop,) = lm.simulate(on_it, 1.0, start=begin, step=0.005).events.of("foot", "sticks")
    (known,) = lm.simulate(puck(), 1.0, start=begin, step=0.005).events
    assert stop.time == pytest.approx(known.time, abs=1e-12)
    early = lm.simulate(on_it, stop.time - 1e-7, start=begin, step=0.005)
    assert early["x_rate"][-1] / (RADIUS * early["yaw_rate"][-1]) == pytest.approx(0.653, abs=1e-3)
