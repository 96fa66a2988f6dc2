"""Runs with flexible bodies: balances of a free tree, batches on every target, and a word where one bends too far."""

import warnings
from functools import cache

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation import RunWarning

SECTION = lm.CrossSection.rectangle(0.04, 0.02, young=3e7, density=800.0, poisson=0.3)
START = {"roll_rate": 1.0, "yaw_rate": 2.0, "pitch_rate": -0.5, "arm_z1": 0.03, "wing_y1_rate": 0.2, "elbow_rate": 1.5}


@cache
def tree() -> lm.System:
    """A hub with two flexible arms, one clamped, one on a hinge, and a rigid body on the end of the first."""
    return lm.System(
        "tree",
        [
            lm.Body("hub", 1.0, inertia=(0.02, 0.03, 0.04)),
            lm.FlexibleBody("arm", 0.5, SECTION, bending_z=1, torsion=1),
            lm.FlexibleBody("wing", 0.4, SECTION, bending_y=1, stiffening=True),
            lm.Body("hand", 0.3, inertia=(0.002, 0.003, 0.004)),
        ],
        [
            lm.Free(name="base", parent="world", child="hub"),
            lm.Fixed(name="clamp", parent="hub", child="arm", at=(0.1, 0.0, 0.0)),
            lm.Revolute(
                name="elbow", parent="hub", child="wing", at=(-0.1, 0.0, 0.0), rotation=(0.0, 0.0, "pi"), axis=(0, 0, 1)
            ),
            lm.Spherical(name="wrist", parent="arm", child="hand", at=(0.5, 0.0, 0.01)),
        ],
    )


def test_a_free_tree_keeps_momentum_and_energy() -> None:
    run = lm.simulate(tree(), 0.5, start=START, step=1e-4)
    for name, values in run.group("momentum").items():
        assert np.abs(values - values[0]).max() < 1e-10, name
    assert np.abs(run.energy - run.energy[0]).max() < 1e-10 * run.energy[0]
    assert np.abs(run["arm_z1"]).max() > 0.02  # it does vibrate


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "simd"])
def test_batches_are_single_runs(target: str) -> None:
    """Eight starts at once."""
    made = lm.compile(tree(), target=target)
    state = np.asarray(made.start(START))
    starts = np.repeat(state[None], 8, axis=0)
    starts[:, made.traced.state_port.names.index("arm_z1")] += 1e-3 * np.arange(8)
    found = made.rollout(starts, 100, 1e-3)
    single = lm.simulate(tree(), 0.1, start=START, step=1e-3)
    last = np.asarray(found.states)[0, -1]
    for name in ("arm_z1", "wing_y1", "elbow"):
        assert last[made.traced.state_port.names.index(name)] == pytest.approx(single[name][-1], rel=1e-9, abs=1e-12)


@pytest.mark.slow
def test_a_body_that_bends_too_far_is_told() -> None:
    soft = lm.catalogue.flexible_pendulum()
    with pytest.warns(RunWarning, match="'strip' bends or twists by .* rad"):
        lm.simulate(soft.with_parameters(E=2e6), 0.1, start={"hinge": 1.0, "strip_z1": 0.4}, step=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        lm.simulate(soft, 0.1, start={"hinge": 0.2}, step=2e-4)
