"""Compiled and interpreted runs are the same."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.scenarios.bicycle.held_turn import steering_law
from oracles.simple import rolling_disc

START = {"speed": 4.6, "roll_rate": 0.5, "steer": 0.1}


def assert_same(one: lm.Run, other: lm.Run) -> None:
    for name, values in one.channels.items():
        # Round-off of 100 steps, relative: forces are of the order of 1,000 N.
        scale = max(1.0, float(np.abs(values).max()))
        np.testing.assert_allclose(other[name], values, atol=1e-10 * scale, err_msg=name)


@pytest.mark.parametrize("stepper", ["rk4", "abm4", "abm5"])
def test_interpreter_equals_compiled_code(stepper: str) -> None:
    runs = [lm.simulate(bicycle(), 0.2, start=START, step=0.002, stepper=stepper, target=t) for t in ("auto", "interpreter")]
    assert len(runs[0]) == 101 and runs[1].settings["target"] == "interpreter"
    assert_same(*runs)


def test_adaptive_interpreter_equals_compiled_code() -> None:
    runs = [lm.simulate(bicycle(), 0.2, start=START, stepper="dop853", target=t) for t in ("auto", "interpreter")]
    assert_same(*runs)


def test_interpreter_with_projection_and_a_controller() -> None:
    settings = {"start": {"speed": 6.0}, "step": 0.002, "project": True, "controller": steering_law()}
    assert_same(*(lm.simulate(bicycle(), 0.2, target=target, **settings) for target in ("auto", "interpreter")))


def test_interpreter_through_singular_pivots() -> None:
    system = rolling_disc(independent=("speed", "roll_rate", "yaw_rate"))
    start = {"roll": 0.2, "yaw_rate": 0.6, "pitch_rate": 8.0}
    runs = [lm.simulate(system, 0.5, start=start, step=0.005, target=target) for target in ("auto", "interpreter")]
    assert runs[0].settings["repivots"] == runs[1].settings["repivots"] >= 1
    assert_same(*runs)


def test_rollouts_of_many_are_runs_of_each(rng: np.random.Generator) -> None:
    compiled = lm.compile(bicycle())
    starts = [{"speed": 4.0 + k, "roll_rate": 0.1 * k} for k in range(5)]
    states = np.array([compiled.start(start) for start in starts])
    batch = compiled.rollout(states, steps=100, dt=0.002)
    for start, found in zip(starts, batch.states, strict=True):
        run = lm.simulate(bicycle(), 0.2, start=start, step=0.002)
        for name, values in zip(compiled.state_names, found.T, strict=True):
            np.testing.assert_allclose(values, run[name], atol=1e-12, err_msg=name)
