"""Dry friction at the pins of universal joints, and bounds at rest in batches: closed forms, with events and in steps."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import RestrictedForceError

MOMENTS = (0.02, 0.03, 0.05)
RATE = 0.5


def cardan(*forces: Any, **more: Any) -> lm.System:
    """An arm that hangs on two pins, x and then y."""
    joint = lm.Universal(name="cross", parent="world", child="arm", axes=((1, 0, 0), (0, 1, 0)))
    return lm.System("cardan", [lm.Body("arm", 1.0, inertia=MOMENTS, **more)], [joint], forces=forces)


@pytest.mark.parametrize(("pin", "bound"), [(1, 0.01), (2, 0.02)])
def test_each_pin_stops_by_its_own_friction(pin: int, bound: float) -> None:
    """About one pin with the other at rest: it stops after I w / M, having turned by I w² / 2 M."""
    rubs = [lm.JointFriction("first", "cross_1", 0.01), lm.JointFriction("second", "cross_2", 0.02)]
    moment = MOMENTS[pin - 1]
    run = lm.simulate(cardan(*rubs), 1.5, start={f"cross_{pin}_rate": RATE}, step=0.01, target="interpreter")
    (stop,) = run.events
    assert stop.name == f"{rubs[pin - 1].name} sticks" and stop.time == pytest.approx(moment * RATE / bound, abs=1e-12)
    turned = 0.5 * moment * RATE**2 / bound
    assert run[f"cross_{pin}"][-1] == pytest.approx(turned, abs=1e-12) and run[f"cross_{3 - pin}"][-1] == 0.0
    compiled = lm.compile(cardan(*rubs), contacts="time-stepping", target="interpreter")
    after = compiled.rollout(compiled.start({f"cross_{pin}_rate": RATE}), 150, 0.01, save_every=0).final
    assert after[pin - 1] == pytest.approx(turned, abs=1e-12) and np.abs(after[2:]).max() < 1e-14


def test_an_arm_rests_off_the_vertical_within_the_bounds_of_both_pins() -> None:
    """Its weight turns it about x by m g l sin a cos b and about y by m g l cos a sin b, less than the bounds."""
    rubs = [lm.JointFriction(f"rub_{k}", f"cross_{k}", 0.2) for k in (1, 2)]
    hanging = cardan(lm.Gravity(), *rubs, com=(0.0, 0.0, -0.1))
    start = {"cross_1": 0.15, "cross_2": -0.1}  # efforts of 0.146 and 0.097 N m
    run = lm.simulate(hanging, 0.5, start=start, step=0.01, target="interpreter")
    assert not len(run.events) and run["cross_1"][-1] == 0.15 and run["cross_2"][-1] == -0.1
    weight = 9.81 * 0.1
    assert run["rub_1_effort"][-1] == pytest.approx(weight * np.sin(0.15) * np.cos(0.1), abs=1e-12)
    assert run["rub_2_effort"][-1] == pytest.approx(-weight * np.cos(0.15) * np.sin(0.1), abs=1e-12)


def test_springs_and_dampers_act_on_a_pin() -> None:
    """About one pin: a damped oscillator, with two derivations that agree."""
    system = cardan(lm.JointSpring("spring", "cross_1", 2.0), lm.JointDamper("oil", "cross_1", 0.1))
    run = lm.simulate(system, 0.5, start={"cross_1": 0.3}, step=0.0025, target="interpreter")
    decay, angular = 0.1 / (2 * MOMENTS[0]), np.sqrt(2.0 / MOMENTS[0] - (0.1 / (2 * MOMENTS[0])) ** 2)
    wanted = 0.3 * np.exp(-decay * 0.5) * (np.cos(angular * 0.5) + decay / angular * np.sin(angular * 0.5))
    assert run["cross_1"][-1] == pytest.approx(wanted, abs=2e-9)  # Runge-Kutta: 1.1e-8 with 5 ms, a sixteenth with half
    assert lm.certify(system, states=20).residual < 1e-12


def test_a_force_on_the_whole_joint_is_told_the_pins() -> None:
    with pytest.raises(RestrictedForceError, match="Name one of its pins, 'cross_1' or 'cross_2'"):
        cardan(lm.JointFriction("rub", "cross", 0.1))


@pytest.mark.parametrize("target", ["c", "simd", "interpreter"])
def test_a_larger_bound_at_rest_holds_in_batches(target: str) -> None:
    """A pull that grows as t N: a block of 2 kg stays until it is 1 N, and then slides against 0.6 N, to first order."""
    block = lm.System(
        "block",
        [lm.Body("block", 2.0, inertia=(1, 1, 1))],
        [lm.Prismatic(name="x", parent="world", child="block", axis=(1, 0, 0))],
        forces=[lm.JointForce("pull", "x", "t"), lm.JointFriction("rub", "x", 0.6, 1.0)],
    )
    compiled = lm.compile(block, contacts="time-stepping", target=target)
    exact = ((1.4**3 - 0.4**3) / 6.0 - 0.5 * 0.4**2) / 2.0
    x = compiled.start({})
    held = compiled.rollout(x, 98, 0.01, save_every=0).final
    assert np.abs(held).max() < 1e-15  # the sweeps of the solver leave round-off
    errors = [abs(compiled.rollout(x, round(2.0 / h), h, save_every=0).final[0] - exact) for h in (0.02, 0.01, 0.005)]
    assert errors[2] < 1.1e-3 and errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)
    assert errors[1] / errors[2] == pytest.approx(2.0, abs=0.1)
