"""Discs that topple and lie on their side in time-stepping: (Q10) in steps, against closed forms and runs with events."""

import functools

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.stepping import SteppedSystem, compile_stepping

R, M, G = 0.1, 1.0, 9.81
THIN = M * R * R / 4


@functools.cache
def coin(friction: float = 0.5, moment: float = THIN, tube: float = 0.0) -> lm.System:
    law = lm.Unilateral(friction=friction)
    disc = lm.RollingDisc("rim", "body", (0, 0, 0), (0, 0, 1), R, law=law)
    tyre = lm.RollingTorus("rim", "body", (0, 0, 0), (0, 0, 1), R, tube or 1.0, law=law)
    return lm.System(
        "coin",
        bodies=(lm.Body("body", M, inertia=(moment, moment, 2 * moment)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=(tyre if tube else disc,),
        forces=(lm.Gravity((0, 0, -G)), lm.BodyForce("push", "body", (0, 0, 0.05), ("force", 0, 0))),
        parameters={"force": 0.0},
        nominal={"z": 1.0},
    )


@functools.cache
def stepped(friction: float = 0.5, moment: float = THIN, tube: float = 0.0) -> SteppedSystem:
    return compile_stepping(coin(friction, moment, tube), "time-stepping", free=("force",))


def test_coins_that_topple_come_to_rest_on_their_sides() -> None:
    """At all angles from which they fall, in steps of a millisecond; some ended a millimetre inside their ground."""
    system, angles = stepped(), np.linspace(0.05, 1.4, 40)
    starts = np.array([system.start({"z": R * np.sin(angle), "roll": angle}) for angle in angles])
    batch = system.rollout(starts, 900, 0.001)
    assert (np.asarray(batch.status) == 0).all(), set(batch.reasons)
    states = np.asarray(batch.states)
    assert np.abs(states[:, -1, 7:]).max() < 1e-12  # at rest, not all but
    assert np.abs(states[:, -1, 2]).max() < R * 4 * G * 0.001**2 / R  # as flat as a side falls in two steps
    assert states[:, :, 2].min() > -1e-3
    energy = M * G * states[..., 2] + 0.5 * M * (states[..., 7:10] ** 2).sum(2)
    energy += 0.5 * THIN * (states[..., 10:13] ** 2 * [1, 1, 2]).sum(2)
    assert np.diff(energy, axis=1).max() < 1e-4 * M * G * R


def test_steps_converge_to_the_run_with_events() -> None:
    start = {"z": R * np.sin(1.2), "roll": 1.2}
    y = lm.simulate(coin(), 0.4, start=start, step=0.001)["y"][-1]
    system, errors = stepped(), []
    for steps in (400, 1_600, 6_400):
        last = np.asarray(system.rollout(system.start(start)[None], steps, 0.4 / steps).states)[0, -1]
        errors.append(abs(last[1] - y))
    assert errors[0] < 1.5e-3 and errors[1] < 0.5 * errors[0] and errors[2] < 0.5 * errors[1]


@pytest.mark.slow
def test_a_wide_body_rocks_over_to_the_other_side() -> None:
    """With I > m r^2 the impulse that would stop it acts beyond the rim: (I + m r^2) w+ = (I - m r^2) w."""
    wide, angle, h = 0.02, 0.3, 2.5e-5
    system = stepped(5.0, wide)
    states = np.asarray(system.rollout(system.start({"z": R * np.sin(angle), "roll": angle})[None], 9_000, h).states)[0]
    share = (wide - M * R * R) / (wide + M * R * R)
    slap = int(states[:7_000, 2].argmin())
    assert slap * h == pytest.approx(0.1377, abs=1e-3)  # as in the run with events
    assert states[slap:, 2].max() == pytest.approx(R * share**2 * np.sin(angle), rel=0.02)


@pytest.mark.parametrize(("share", "tips"), [(0.98, False), (1.02, True)])
def test_a_disc_on_its_side_tips_where_the_force_has_come_to_its_rim(share: float, tips: bool) -> None:
    """A push at a height z tips it where F z > m g R, and moves it not at all where it is less, however many steps."""
    system = stepped(5.0)
    force = share * M * G * R / 0.05
    batch = system.rollout(system.start({"z": 0.0})[None], 300, 0.001, parameters=np.array([[force]]))
    last = np.asarray(batch.states)[0, -1]
    assert (np.asarray(batch.status) == 0).all()
    if tips:
        assert 2 * abs(last[5]) > 0.02
    else:
        assert np.abs(last[7:]).max() < 1e-12 and np.abs(last[:3]).max() < 1e-12


@pytest.mark.parametrize(("tube", "arm"), [(0.0, 2.0 / 3.0), (0.02, 1.0)])
def test_a_side_that_spins_is_stopped_by_friction(tube: float, arm: float) -> None:
    """Its torque is 2/3 mu m g r of a disc, and mu m g r of a ring."""
    system, rate = stepped(0.5, THIN, tube), 20.0
    states = np.asarray(system.rollout(system.start({"z": tube, "yaw_rate": rate})[None], 400, 0.001).states)[0]
    stop = rate * 2 * THIN / (0.5 * M * G * R * arm)
    assert states[50, 12] == pytest.approx(rate * (1 - 0.05 / stop), rel=1e-6)
    moving = np.flatnonzero(np.abs(states[:, 12]) > 1e-9).max()
    assert moving * 0.001 == pytest.approx(stop, abs=0.0011)
