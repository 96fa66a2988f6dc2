"""What keeps the contacts closed: the correction of the drift, and projection."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import StepperError
from oracles.simple import rolling_disc

START = {"speed": 4.6, "roll_rate": 0.5}


def largest_gap(run: lm.Run) -> float:
    return max(float(np.abs(values).max()) for values in run.group("gaps").values())


def test_uncorrected_gaps_drift_and_projection_closes_them() -> None:
    free = lm.simulate(bicycle(), 2.0, start=START, step=0.01)
    held = lm.simulate(bicycle(), 2.0, start=START, step=0.01, project=True)
    assert largest_gap(free) > 1e-11
    # One Newton step leaves the square of the drift of a step: round-off.
    assert largest_gap(held) < 1e-14
    # Projection moves the state by no more than the error that is there.
    np.testing.assert_allclose(held["roll_rate"], free["roll_rate"], atol=1e-6)


@pytest.mark.parametrize("stepper", ["rk4", "abm4", "abm5", "dop853"])
def test_a_lift_decays_with_the_drift_time(stepper: str) -> None:
    run = lm.simulate(
        bicycle(), 0.2, start={"speed": 4.6, "z": 0.301}, stepper=stepper, drift_time=0.02, assemble=False, sample=0.01
    )
    wanted = 1e-3 * np.exp(-run.time / 0.02)
    for gap in run.group("gaps").values():
        # The steps are a twentieth of the drift time or better; the fourth-order error of the decay is 1e-6 of it.
        np.testing.assert_allclose(gap, wanted, atol=1e-8)


def test_the_correction_leaves_the_motion_alone() -> None:
    plain = lm.simulate(bicycle(), 2.0, start=START, stepper="abm4")
    corrected = lm.simulate(bicycle(), 2.0, start=START, stepper="abm4", drift_time=0.01)
    assert np.abs(plain["steer_rate"] - corrected["steer_rate"]).max() < 1e-10


def test_different_gaps_decay_alike() -> None:
    """Each wheel starts at its own altitude; both close at the same rate, without a stiffer mode."""
    start = {"speed": 4.6, "pitch": -0.01, "z": 0.3005}
    run = lm.simulate(bicycle(), 0.1, start=start, drift_time=0.02, assemble=False)
    first = {name: values[0] for name, values in run.group("gaps").items()}
    assert first["front_gap"] > 5 * first["rear_gap"] > 1e-4
    for name, values in run.group("gaps").items():
        np.testing.assert_allclose(values / first[name], np.exp(-run.time / 0.02), rtol=1e-3)


def test_projection_of_a_disc() -> None:
    run = lm.simulate(rolling_disc(), 2.0, start={"roll": 0.3, "pitch_rate": 5.0, "yaw_rate": 1.0}, step=0.01, project=True)
    assert largest_gap(run) < 1e-14 and run.status.ok


def test_projection_needs_a_fixed_step() -> None:
    with pytest.raises(StepperError, match="project=True needs a fixed step, and dop853 has none"):
        lm.simulate(bicycle(), 1.0, stepper="dop853", project=True)
