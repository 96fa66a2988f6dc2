"""The theta-method in time-stepping: measured orders, stiff forces, targets, and what is refused."""

import functools
import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

import locomotor as lm
from locomotor.errors import ContactLawError, ModelError, UnstableStepError
from locomotor.simulation.stepping import ContactSettings, SteppedSystem, compile_stepping

Array = NDArray[np.float64]
G = 9.81
later = partial(pytest.param, marks=pytest.mark.slow)


def stepped(system: lm.System, theta: float | None, target: str = "interpreter") -> SteppedSystem:
    return compile_stepping(system, "time-stepping", target=target, settings=ContactSettings(theta=theta))


# -- a smooth motion: a tilted disc that rolls in curves ------------------------------------------------------


@functools.cache
def disc() -> lm.System:
    return lm.System(
        "disc",
        bodies=(lm.Body("disc", 1.0, inertia=(0.0025, 0.005, 0.0025)),),
        joints=(lm.Free(name="base", parent="world", child="disc"),),
        contacts=(lm.RollingDisc("rim", "disc", (0, 0, 0), (0, 1, 0), 0.1, law=lm.Unilateral()),),
        forces=(lm.Gravity((0, 0, -G)),),
        nominal={"z": 0.1},
    )


ROLLS = {"roll": 0.3, "pitch_rate": 10.0, "yaw_rate": 1.0}


@functools.cache
def rolled() -> lm.Run:
    return lm.simulate(disc(), 0.2, start=ROLLS, closed=("rim",), step=0.001)


@pytest.mark.parametrize(("theta", "order"), [later(None, 2), (0.5, 2), later(0.75, 1), later(1.0, 1)])
def test_a_smooth_motion_is_of_second_order_at_the_middle_and_of_first_beyond(theta: float | None, order: int) -> None:
    compiled = stepped(disc(), theta)
    x0, wanted = compiled.start(ROLLS, closed=("rim",)), np.array([rolled()[name][-1] for name in compiled.state_names])
    errors = [np.abs(compiled.rollout(x0, n, 0.2 / n, save_every=0).final - wanted).max() for n in (40, 80, 160)]
    measured = [math.log2(a / b) for a, b in pairwise(errors)]
    assert all(abs(value - order) < 0.2 for value in measured), (errors, measured)


# -- impacts ---------------------------------------------------------------------------------------------------


def bounced(t: float, drop: Array, e: float = 0.8) -> Array:
    """Height of a ball above the floor, dropped from rest, after some bounces: closed form."""
    height = np.zeros_like(drop)
    for k, own in enumerate(drop):
        begin, speed = -math.sqrt(2 * own / G), math.sqrt(2 * G * own)
        while begin + 2 * speed / G < t:
            begin, speed = begin + 2 * speed / G, e * speed
        height[k] = speed * (t - begin) - 0.5 * G * (t - begin) ** 2
    return height


@pytest.mark.parametrize("theta", [later(None), later(0.5), later(0.75), 1.0])
def test_impacts_are_of_first_order(theta: float | None) -> None:
    """The mean over forty heights: where in a step an impact falls is left to chance."""
    compiled = stepped(lm.catalogue.bouncing_ball(restitution=0.8), theta)
    drops = np.linspace(0.5, 1.0, 40)
    states = np.tile(compiled.start({"z": 1.1}), (len(drops), 1))
    states[:, 2] = 0.1 + drops
    errors = []
    for steps in (150, 600, 2400):
        found = compiled.rollout(states, steps, 1.2 / steps, save_every=0)
        assert not found.status.any()
        errors.append(np.abs(found.final[:, 2] - 0.1 - bounced(1.2, drops)).mean())
    order = math.log2(errors[0] / errors[-1]) / 4
    assert abs(order - 1.0) < 0.25, (errors, order)


# -- stiff forces ----------------------------------------------------------------------------------------------


@functools.cache
def pair(stiffness: float, restitution: float = 0.0) -> lm.System:
    """Two masses, one above the other, held together by a spring; the lower one lands."""
    still = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    return lm.System(
        "pair",
        bodies=(lm.Body("low", **still), lm.Body("high", **still)),
        joints=(
            lm.Prismatic(name="z", parent="world", child="low", axis=(0, 0, 1)),
            lm.Prismatic(name="s", parent="low", child="high", axis=(0, 0, 1)),
        ),
        contacts=(lm.SlidingPoint("foot", "low", at=(0, 0, 0), law=lm.Unilateral(restitution)),),
        forces=(lm.Gravity((0, 0, -G)), lm.JointSpring("spring", "s", stiffness)),
    )


def test_a_spring_far_too_stiff_for_the_step_does_no_harm() -> None:
    """10 N/um between two kilograms: 4500 rad/s at steps of 10 ms. Landed, the spring carries m g."""
    system, start = pair(1e7), {"z": 0.5}
    with pytest.raises(UnstableStepError, match=r"stable below 0\.00044 s"):  # 2/w: what is known beforehand cannot follow it
        stepped(system, None).rollout(stepped(system, None).start(start), 100, 0.01)
    for theta in (0.75, 1.0):
        compiled = stepped(system, theta)
        found = compiled.rollout(compiled.start(start), 100, 0.01)
        falls = found.times < 0.3
        assert np.abs(found["z"] - 0.5 + 0.5 * G * found.times**2)[falls].max() < 0.5 * G * 0.01 * 0.3 * 1.1
        assert found["z"][-1] == pytest.approx(0.0, abs=1e-12) and found["s"][-1] == pytest.approx(-G / 1e7, rel=1e-6)


def test_a_force_that_runs_away_within_a_step_ends_the_instance() -> None:
    compiled = stepped(pair(-1e7), 1.0)
    found = compiled.rollout(compiled.start({"z": 0.5}), 10, 0.01)
    assert found.status == 1 and "outweigh the masses" in str(found.reasons)


def test_friction_holds_without_creep() -> None:
    """A block on a spring, within its cone on a slope of tan = 0.5, stays: stick is solved with the masses of the step."""
    down = (G * math.sin(math.atan(0.5)), 0.0, -G * math.cos(math.atan(0.5)))
    block = lm.System(
        "block",
        bodies=(lm.Body("block", 1.0, inertia=(0.1, 0.1, 0.1)), lm.Body("load", 1.0, inertia=(0.1, 0.1, 0.1))),
        joints=(
            lm.Translation(name="base", parent="world", child="block"),
            lm.Prismatic(name="s", parent="block", child="load", axis=(1, 0, 0)),
        ),
        contacts=(lm.StickingPoint("foot", "block", at=(0, 0, 0), law=lm.Unilateral(friction="mu")),),
        forces=(lm.Gravity(down), lm.JointSpring("spring", "s", 1e6)),
        parameters={"mu": 0.55},
    )
    compiled = compile_stepping(block, "time-stepping", target="interpreter", free=("mu",), settings=ContactSettings(theta=1.0))
    states = np.tile(compiled.start({"s": 1e-6 * down[0]}), (2, 1))
    final = compiled.rollout(states, 50, 0.004, parameters=[[0.55], [0.45]], save_every=0).final
    slid = 0.2 * (down[0] + 0.45 * down[2])
    assert np.abs(final[0, 4:]).max() < 1e-12 and final[1, 4] == pytest.approx(slid, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "simd"])
def test_compiled_steps_are_those_of_the_interpreter(target: str) -> None:
    system = pair(1e5, 0.5)
    reference, compiled = stepped(system, 0.75), stepped(system, 0.75, target)
    states = np.tile(reference.start({"z": 0.3}), (5, 1))
    states[:, 0] += np.linspace(0.0, 0.2, 5)
    a, b = (each.rollout(states, 200, 0.002, save_every=0).final for each in (reference, compiled))
    np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("theta", [0.49, 1.01, -1.0, math.nan, "half"])
def test_a_share_outside_of_its_bounds_is_refused(theta: float) -> None:
    with pytest.raises(ModelError, match="theta"):
        ContactSettings(theta=theta)


def test_many_contacts_in_the_runtime_refuse_it() -> None:
    with pytest.raises(ContactLawError, match="theta"):
        compile_stepping(pair(1e5), "time-stepping", settings=ContactSettings(theta=0.5, solver="runtime"))
