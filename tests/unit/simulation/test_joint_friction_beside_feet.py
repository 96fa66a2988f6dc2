"""Dry friction of joints that something else holds as well: a foot that sticks leaves it nothing to do.

A leg hangs from a base that slides up and down, its foot on the ground. What the joint holds and what the foot holds is one
motion, so that their forces can be shared in many ways. Whether such runs went on was decided by round-off.
"""

import math

import numpy as np
import pytest

import locomotor as lm

G, BASE, LEG, COM, LENGTH = 9.81, 2.0, 1.5, 0.33, 0.8
WEIGHT = (BASE + LEG) * G


def strut(friction: float = 0.5, bound: float = 0.2, torque: float = 0.0) -> lm.System:
    return lm.System(
        "strut",
        bodies=(
            lm.Body("base", BASE, inertia=(0.1, 0.1, 0.1)),
            lm.Body("leg", LEG, com=(0, 0, -COM), inertia=(0.05, 0.05, 0.01)),
        ),
        joints=(
            lm.Prismatic(name="z", parent="world", child="base", axis=(0, 0, 1)),
            lm.Revolute(name="hip", parent="base", child="leg", axis=(0, 1, 0)),
        ),
        contacts=(lm.StickingPoint("foot", "leg", at=(0, 0, -LENGTH), law=lm.Unilateral(friction=friction)),),
        forces=(lm.Gravity((0, 0, -G)), lm.JointFriction("rub", "hip", bound), lm.JointForce("motor", "hip", f"{torque}")),
    )


def standing(hip: float, above: float = 0.0) -> dict[str, float]:
    return {"hip": hip, "z": LENGTH * math.cos(hip) + above}


@pytest.mark.parametrize("solver", ["traced", "runtime"])
@pytest.mark.parametrize("hip", [0.05, 0.1, 0.2, 0.3583, 0.5])
def test_a_leg_stands(hip: float, solver: str) -> None:
    """Moments about the hip: T l cos = (W - m g c/l) l sin, less what the joint holds."""
    run = lm.simulate(strut(), 0.05, start=standing(hip), solver=solver)
    assert run.status.completed, run.status
    assert np.ptp(run["z"]) < 1e-14 and np.ptp(run["hip"]) < 1e-14
    force = run.forces["foot"][-1]
    alone = math.tan(hip) * (WEIGHT - LEG * G * COM / LENGTH)
    assert force[2] == pytest.approx(WEIGHT, rel=1e-12)
    assert abs(abs(force[0]) - alone) <= 0.2 / (LENGTH * math.cos(hip)) + 1e-9


@pytest.mark.parametrize("torque", [-6.0, -3.5, -1.0, 1.0, 3.5])
def test_whatever_a_motor_pulls(torque: float) -> None:
    """As far as the foot holds it: its cone is wider than that."""
    run = lm.simulate(strut(friction=3.0, torque=torque), 0.05, start=standing(0.3))
    assert run.status.completed, run.status
    assert np.ptp(run["hip"]) < 1e-13


def test_in_maximal_coordinates() -> None:
    run = lm.simulate(strut(), 0.05, start=standing(0.5), coordinates="maximal")
    assert run.status.completed, run.status


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.3, 0.8])
def test_a_leg_that_falls_on_its_foot(friction: float) -> None:
    for hip in np.linspace(0.05, 0.9, 30).tolist():
        run = lm.simulate(strut(friction), 1.0, start=standing(hip, 0.02), step=0.002)
        assert run.status.completed, (hip, run.status)
        assert abs(run.audit()["energy_balance"]) < 1e-5


@pytest.mark.parametrize(("friction", "hip"), [(0.3, 0.6), (0.1, 0.2), (0.8, 0.6)])
def test_the_foot_and_the_joint_slip_as_in_steps(friction: float, hip: float) -> None:
    """Steps of time-stepping find all impulses together, to first order."""
    system, start = strut(friction), standing(hip, 0.02)
    run = lm.simulate(system, 0.6, start=start, step=0.002)
    stepped = lm.compile(system, contacts="time-stepping")
    batch = stepped.rollout(stepped.start(start), 12_000, 5e-5, save_every=0)
    assert run.status.completed and batch.status == 0
    if friction == 0.8:  # it stands where it lands: neither foot nor joint slips
        assert [event.kind for event in run.events] == ["impact"]
    found = dict(zip(stepped.state_names, np.asarray(batch.final), strict=True))
    assert found["hip"] == pytest.approx(run["hip"][-1], abs=2e-4) and found["z"] == pytest.approx(run["z"][-1], abs=2e-4)


def hopping(seed: int) -> tuple[lm.System, dict[str, float]]:
    """A leg with a knee and a spring, both joints with dry friction, above the ground."""
    rng = np.random.default_rng(seed)
    hip_bound, knee_bound = rng.uniform(0.05, 2.0, 2)
    hip, knee = rng.uniform(0.1, 0.7), -rng.uniform(0.3, 1.2)
    friction = rng.uniform(0.2, 1.2)
    system = lm.System(
        "hopping",
        bodies=(
            lm.Body("base", 3.0, inertia=(0.1, 0.1, 0.1)),
            lm.Body("thigh", 1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.002)),
            lm.Body("shank", 0.6, com=(0, 0, -0.2), inertia=(0.01, 0.01, 0.001)),
        ),
        joints=(
            lm.Prismatic(name="z", parent="world", child="base", axis=(0, 0, 1)),
            lm.Revolute(name="hip", parent="base", child="thigh", axis=(0, 1, 0)),
            lm.Revolute(name="knee", parent="thigh", child="shank", axis=(0, 1, 0), at=(0, 0, -0.4)),
        ),
        contacts=(lm.StickingPoint("foot", "shank", at=(0, 0, -0.4), law=lm.Unilateral(friction=friction)),),
        forces=(
            lm.Gravity((0, 0, -G)),
            lm.JointFriction("rub_hip", "hip", hip_bound),
            lm.JointFriction("rub_knee", "knee", knee_bound),
            lm.JointSpring("spring", "knee", 30.0, rest=-1.0),
        ),
    )
    height = 0.4 * math.cos(hip) + 0.4 * math.cos(hip + knee) + rng.uniform(0.01, 0.2)
    return system, {"hip": hip, "knee": knee, "z": height}


@pytest.mark.parametrize("seed", [10, 15])
def test_two_joints_and_a_foot_come_to_rest_together(seed: int) -> None:
    """One motion is left, held by the friction of both joints: how much each holds is open, if only both stay within bounds."""
    system, start = hopping(seed)
    run = lm.simulate(system, 1.2, start=start, step=0.002)
    assert run.status.completed, run.status
    assert max(abs(run[name][-1]) for name in ("hip_rate", "knee_rate", "z_rate")) < 1e-12
    stepped = lm.compile(system, contacts="time-stepping")
    batch = stepped.rollout(stepped.start(start), 24_000, 5e-5, save_every=0)
    found = dict(zip(stepped.state_names, np.asarray(batch.final), strict=True))
    assert batch.status == 0
    for name in ("hip", "knee", "z"):
        assert found[name] == pytest.approx(run[name][-1], abs=2e-3)


@pytest.mark.slow
def test_legs_that_hop() -> None:
    for seed in range(24):
        system, start = hopping(seed)
        run = lm.simulate(system, 1.0, start=start, step=0.002)
        assert run.status.completed, (seed, run.status)
