"""Steps of time-stepping in which a patch slides and spins, beside elliptic integrals and the run with events."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq

import locomotor as lm
from oracles.farkas import farkas, slowed, stops

GRAVITY, FRICTION, RADIUS, MASS = 9.81, 0.3, 0.1, 2.0
SPIN = 0.5 * MASS * RADIUS**2
ARM = 2.0 / 3.0 * RADIUS


@cache
def puck(push="0", twist="0"):
    """A uniform disc that lies flat, pushed and twisted by laws of time."""
    return lm.System(
        "puck",
        bodies=[lm.Frame("carrier"), lm.Body("puck", mass=MASS, inertia=(0.5 * SPIN, 0.5 * SPIN, SPIN))],
        joints=[
            lm.Translation(name="base", parent="world", child="carrier"),
            lm.Revolute(name="yaw", parent="carrier", child="puck", axis=(0.0, 0.0, 1.0), drive=lm.Torque(twist)),
        ],
        contacts=[lm.StickingPoint("foot", "puck", (0.0, 0.0, 0.0), law=lm.Unilateral(friction=FRICTION, patch=RADIUS))],
        forces=[lm.Gravity((0.0, 0.0, -GRAVITY)), lm.BodyForce("push", "puck", (0.0, 0.0, 0.0), (push, "0", "0"))],
    )


def stepped(system, start, steps, h, target="interpreter", **settings):
    """Speed and rate in each of some steps."""
    kernel = lm.compile(system, contacts="time-stepping", target=target, settings=lm.ContactSettings(**settings))
    places = [kernel.state_names.index(name) for name in ("x_rate", "yaw_rate")]
    states = kernel.rollout([kernel.start({"x_rate": 0.0, "y_rate": 0.0, "yaw_rate": 0.0} | start)], steps, h)
    return np.asarray(states.states)[0][:, places]


BEGIN = {"x_rate": 1.0, "yaw_rate": 5.0}


@pytest.mark.parametrize("target", ["interpreter", "c", "simd"])
def test_steps_come_to_the_motion_of_even_pressure_at_first_order(target):
    wanted = slowed(1.0, 5.0, 0.3, FRICTION, RADIUS, GRAVITY)
    off = [np.abs(stepped(puck(), BEGIN, round(0.3 / h), h, target)[-1] - wanted) for h in (4e-3, 2e-3, 1e-3)]
    assert off[2] == pytest.approx([9.1e-5, 2.6e-3], rel=0.05)  # by an ellipse 0.79 rad/s, however short
    order = np.log2([off[0] / off[1], off[1] / off[2]])
    assert (order > 0.95).all() and (order < 1.05).all()


@pytest.mark.parametrize("rate", [5.0, -20.0])
def test_slide_and_spin_stop_in_one_step_in_the_known_ratio(rate):
    """F = 2 eps T there, 0.653; the instant is that of the integral, to two steps. Energy falls, and nothing creeps."""
    known = brentq(lambda eps: farkas(eps)[0] - 2.0 * eps * farkas(eps)[1], 0.5, 0.8)
    h, ends = 1e-4, stops(1.0, abs(rate), FRICTION, RADIUS, GRAVITY)
    found = np.abs(stepped(puck(), {"x_rate": 1.0, "yaw_rate": rate}, round(1.2 * ends / h), h, "c"))
    moving = np.nonzero(found.min(axis=1) > 1e-12)[0][-1]
    assert moving * h == pytest.approx(ends, abs=2.0 * h)
    assert found[moving + 1 :].max() < 1e-12
    ratios = found[: moving + 1, 0] / (RADIUS * found[: moving + 1, 1])
    away = np.abs(ratios / known - 1.0)
    assert np.diff(away[:-20]).max() < 0.0 and away[-20] < 0.03  # as powers of what is left of the time
    for late, near in ((0.5, 2e-3), (0.9, 2e-3), (0.99, 0.03)):
        k = round(late * ends / h)
        assert found[k] == pytest.approx(slowed(1.0, abs(rate), k * h, FRICTION, RADIUS, GRAVITY), rel=near)
    energy = 0.5 * MASS * found[:, 0] ** 2 + 0.5 * SPIN * found[:, 1] ** 2
    assert np.diff(energy).max() <= 0.0


@pytest.mark.parametrize("share", [0.999, 1.001])
@pytest.mark.parametrize("angle", [0.2, 0.7, 1.2])
def test_force_and_torque_together_hold_to_the_border_of_even_pressure(angle, share):
    """Pushed and twisted along a friction of Farkas' law: it rests within it, exactly, and slips that way beyond it."""
    force, torque = farkas(ARM / RADIUS / np.tan(angle))
    load = share * FRICTION * MASS * GRAVITY * np.array([force, torque * RADIUS])
    found = stepped(puck(f"{load[0]}", f"{load[1]}"), {}, 200, 1e-3)
    run = lm.simulate(puck(f"{load[0]}", f"{load[1]}"), 0.2, start={"yaw_rate": 0.0}, step=1e-3)
    ended = np.array([run["x_rate"][-1], run["yaw_rate"][-1]])
    if share < 1.0:
        assert np.abs(found).max() < 1e-12 and np.abs(ended).max() < 1e-12
    else:
        assert found[-1].min() > 1e-5 and ended.min() > 1e-5
        # Steps know the direction of a slip at their end, runs with events at every instant.
        assert found[-1] == pytest.approx(ended, rel=0.02)


@pytest.mark.parametrize("patch", [1e-3, 0.1, 10.0])
def test_few_sweeps_find_slide_and_spin_together(patch):
    """A contact answers to all of its own law within a sweep: two give what two hundred do, whatever the patch."""
    law = lm.Unilateral(friction=FRICTION, patch=patch)
    pin = puck().replace(contacts=(lm.StickingPoint("foot", "puck", (0.0, 0.0, 0.0), law=law),))
    few, many = (stepped(pin, {"x_rate": 1.0, "yaw_rate": 0.5 / patch}, 150, 2e-3, sweeps=n) for n in (4, 200))
    assert few == pytest.approx(many, abs=1e-10 * (1.0 + 1.0 / patch))


def test_steps_of_a_disc_that_lands_sliding_and_turning_have_its_impact():
    """One impulse, in steps as in runs with events: within the set of Contensou's law, across its border."""
    begin = {"z": 0.02, "x_rate": 1.2, "y_rate": 0.0, "yaw_rate": 30.0}
    landing = np.sqrt(2.0 * 0.02 / GRAVITY)
    run = lm.simulate(puck(), landing + 1e-7, start=begin, step=1e-3)
    wanted = np.array([run["x_rate"][-1], run["yaw_rate"][-1]])
    off = []
    for h in (1e-4, 5e-5):
        found = stepped(puck(), begin, round(landing / h) + 3, h, "c")
        off.append(np.abs(found[-1] - wanted).max())
        assert off[-1] < 300.0 * h  # it is braked by 120 rad/s² in the steps after it
    assert off[1] < 0.7 * off[0]


def test_a_heavy_flywheel_that_turns_slowly_slides_to_a_stop():
    """What slides far faster than it spins when a step begins, and far slower when it ends: steps went to and fro between both.

    It spins on, all but undisturbed, so that the slide dies out instead of stopping, from v = mu g t on.
    """
    flywheel = lm.System(
        "flywheel",
        bodies=[lm.Frame("carrier"), lm.Body("wheel", mass=MASS, inertia=(50.0, 50.0, 100.0))],
        joints=[
            lm.Translation(name="base", parent="world", child="carrier"),
            lm.Revolute(name="yaw", parent="carrier", child="wheel", axis=(0.0, 0.0, 1.0)),
        ],
        contacts=[lm.StickingPoint("foot", "wheel", (0.0, 0.0, 0.0), law=lm.Unilateral(friction=FRICTION, patch=5e-3))],
        forces=[lm.Gravity((0.0, 0.0, -GRAVITY))],
    )
    found = stepped(flywheel, {"x_rate": 1.0, "yaw_rate": 0.05}, 120, 5e-3)
    assert found[60, 0] == pytest.approx(1.0 - FRICTION * GRAVITY * 60 * 5e-3, abs=1e-6)
    assert np.abs(found[80:, 0]).max() < 1e-12 and found[-1, 1] == pytest.approx(0.05, abs=1e-3)


FEET = ((0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1))


def plate(tilt, along, patch):
    """A plate on four patches, its weight nearest to one of them, on a slope that falls in some direction."""
    weight = GRAVITY * np.array([np.sin(tilt) * np.cos(along), np.sin(tilt) * np.sin(along), -np.cos(tilt)])
    law = lm.Unilateral(friction=0.5, patch=patch)
    return lm.System(
        "plate",
        bodies=[lm.Body("plate", MASS, com=(0.04, 0.03, 0.05), inertia=(0.02, 0.02, 0.04))],
        joints=[lm.Free(name="base", parent="world", child="plate")],
        contacts=[lm.StickingPoint(f"f{i}", "plate", at=(x, y, 0.0), law=law) for i, (x, y) in enumerate(FEET)],
        forces=[lm.Gravity(tuple(weight.tolist()))],
    )


@pytest.mark.parametrize(("patch", "share", "along"), [(0.003, 0.5, 0.0), (0.003, 0.7, 1.0), (0.03, 0.7, 0.3)])
def test_what_rests_on_several_patches_does_not_creep(patch, share, along):
    """Friction of every foot in the share of its load goes through the centre of pressure: no foot has to bear a torque."""
    kernel = lm.compile(plate(np.arctan(0.5 * share), along, patch), contacts="time-stepping")
    found = np.asarray(kernel.rollout([kernel.start({"z": 0.0})], 300, 1e-3).states)[0]
    assert np.abs(found[1:, -6:]).max() < 1e-12


@pytest.mark.parametrize(("share", "along"), [(0.95, 2.0), (0.99, 0.0)])
def test_runs_of_what_rests_on_several_patches_go_on(share, along):
    """By the same argument: at the border of their cones they were told to have no way on."""
    system = plate(np.arctan(0.5 * share), along, 0.003)
    run = lm.simulate(system, 0.1, start={"z": 0.0}, step=2e-3)
    assert run.status.outcome.name == "COMPLETED" and np.abs(run["yaw_rate"]).max() < 1e-9
    (way,) = lm.contact_report(system, {"z": 0.0}).solutions
    assert set(way.modes.values()) == {"stick"}
