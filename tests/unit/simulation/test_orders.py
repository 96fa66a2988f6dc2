"""Every stepper has the order it declares, on the bicycle and on a free body."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import StepperError
from oracles.simple import spinning_body

BICYCLE: dict[str, Any] = {"start": {"speed": 4.6, "roll_rate": 0.5}}
TOP: dict[str, Any] = {"start": {"roll_rate": 1.0, "pitch_rate": 2.0, "yaw_rate": 0.5, "speed": 1.0}}
MOTIONS = {
    # system, settings, duration, channels compared, steps by stepper
    "bicycle": (
        bicycle("meijaard2007"),
        BICYCLE,
        1.0,
        ("roll_rate", "steer_rate", "roll", "steer", "yaw", "x", "y"),
        {"rk4": (0.02, 0.01, 0.005), "abm4": (0.005, 0.0025, 0.00125), "abm5": (0.02, 0.01, 0.005), "dop853": (0.2, 0.1)},
    ),
    "free body": (
        spinning_body(),
        TOP,
        4.0,
        ("roll_rate", "pitch_rate", "yaw_rate", "qw", "qx", "qy", "qz", "x", "y", "z"),
        {"rk4": (0.08, 0.04, 0.02), "abm4": (0.02, 0.01, 0.005), "abm5": (0.02, 0.01, 0.005), "dop853": (0.25, 0.125)},
    ),
}
FIXED = {"rk4": lm.rk4, "abm4": lm.abm4, "abm5": lm.abm5}


def stepper_of(name: str, step: float) -> Any:
    # Tolerances this wide accept every step: the longest one is then the step.
    return FIXED[name](step) if name in FIXED else lm.Adaptive(rtol=1.0, atol=1.0, longest_step=step)


def end_of(system: lm.System, settings: dict[str, Any], duration: float, channels: Any, stepper: Any) -> np.ndarray:
    # One sample: dense output would round the steps of the adaptive method.
    run = lm.simulate(system, duration, stepper=stepper, sample=duration, **settings)
    assert run.status.ok
    return np.array([run[name][-1] for name in channels])


@pytest.mark.parametrize("stepper", ["rk4", "abm4", "abm5", "dop853"])
@pytest.mark.parametrize("motion", MOTIONS)
def test_measured_order(motion: str, stepper: str) -> None:
    system, settings, duration, channels, table = MOTIONS[motion]
    exact = end_of(system, settings, duration, channels, lm.Adaptive(rtol=1e-13, atol=1e-15))
    steps = table[stepper]
    errors = [np.abs(end_of(system, settings, duration, channels, stepper_of(stepper, step)) - exact).max() for step in steps]
    measured = np.log(errors[-2] / errors[-1]) / np.log(steps[-2] / steps[-1])
    declared = stepper_of(stepper, 0.1).order
    assert errors[-1] > 1e-13, f"round-off hides the order: {errors}"
    assert measured == pytest.approx(declared, abs=0.2), errors


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lm.rk4(0.0), "rk4: the step .* is 0.0; it must be a finite number, positive"),
        (lambda: lm.abm4(float("nan")), "abm4: the step .* is nan"),
        (lambda: lm.Adaptive(rtol=1e-16), "rtol must be at least 2.3e-14"),
        (lambda: lm.Adaptive(atol=0.0), "atol is 0.0; it must be a number, positive"),
        (lambda: lm.simulate(spinning_body(), 1.0, stepper="euler"), "no stepper is named 'euler'; there are rk4"),
        (lambda: lm.simulate(spinning_body(), 0.0), "duration is 0.0; it must be a finite number, positive"),
        (lambda: lm.simulate(spinning_body(), float("inf")), "duration is inf"),
        (lambda: lm.simulate(spinning_body(), 1.0, step=-1.0), "step is -1.0"),
        (
            lambda: lm.simulate(spinning_body(), 1.0, stepper="dop853", step=0.1),
            r"dop853 chooses its steps itself; limit them with Adaptive\(longest_step=...\)",
        ),
        (
            lambda: lm.simulate(spinning_body(), 1.0, stepper=lm.abm4(0.01), step=0.1),
            "abm4 has a step of 0.01 s of its own; give one of the two",
        ),
    ],
)
def test_steppers_that_make_no_sense(make: Any, words: str) -> None:
    with pytest.raises(StepperError, match=words):
        make()


# -- conservation ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stepper", ["rk4", "abm4", "abm5"])
def test_energy_of_a_conservative_run(stepper: str) -> None:
    run = lm.simulate(bicycle(), 5.0, step=0.001, stepper=stepper, **BICYCLE)
    assert np.abs(run.energy / run.energy[0] - 1).max() < 1e-9


def test_angular_momentum_and_energy_of_a_free_body() -> None:
    run = lm.simulate(spinning_body(), 10.0, step=0.001, **TOP)
    momentum = np.stack([0.3 * run["roll_rate"], 0.5 * run["pitch_rate"], 0.7 * run["yaw_rate"]], axis=1)
    size = np.linalg.norm(momentum, axis=1)
    assert np.abs(size / size[0] - 1).max() < 1e-11
    assert np.abs(run["kinetic_energy"] / run["kinetic_energy"][0] - 1).max() < 1e-11
    # The centre moves on a straight line while the body turns.
    np.testing.assert_allclose(run["x"], run.time, atol=1e-9)
    np.testing.assert_allclose(run["y"], 0.0, atol=1e-9)
    assert run.audit()["quaternion_norm_error"] < 1e-15
