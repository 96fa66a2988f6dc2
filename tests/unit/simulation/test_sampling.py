"""When samples are taken: steps divide the duration, samples divide the steps, and long runs are thinned."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, StepperError
from locomotor.simulation import run_plan
from oracles.simple import cart, pendulum


def test_every_step_by_default() -> None:
    run = lm.simulate(cart(), 1.0, step=0.01)
    np.testing.assert_allclose(run.time, np.linspace(0, 1, 101), atol=1e-15)
    assert run.time[-1] == 1.0


def test_a_step_that_does_not_divide_the_duration_is_shortened() -> None:
    run = lm.simulate(cart(), 1.0, step=0.3)
    np.testing.assert_allclose(run.time, [0, 0.25, 0.5, 0.75, 1.0], atol=1e-15)


def test_round_off_does_not_add_a_step() -> None:
    assert len(lm.simulate(cart(), 0.3, step=0.1)) == 4
    assert len(lm.simulate(cart(), 0.7, step=0.1)) == 8


def test_a_step_longer_than_the_duration() -> None:
    run = lm.simulate(cart(), 0.01, step=1.0)
    np.testing.assert_allclose(run.time, [0.0, 0.01])


def test_samples_are_taken_between_shorter_steps() -> None:
    fine = lm.simulate(pendulum(), 1.0, start={"swing": 1.0}, step=0.001)
    coarse = lm.simulate(pendulum(), 1.0, start={"swing": 1.0}, step=0.001, sample=0.1)
    assert len(coarse) == 11
    np.testing.assert_allclose(coarse["swing"], fine["swing"][::100], atol=1e-14)


def test_a_sample_shorter_than_the_step_shortens_the_step() -> None:
    run = lm.simulate(pendulum(), 1.0, start={"swing": 1.0}, step=0.1, sample=0.01)
    assert len(run) == 101
    fine = lm.simulate(pendulum(), 1.0, start={"swing": 1.0}, step=0.01)
    np.testing.assert_allclose(run["swing"], fine["swing"], atol=1e-14)


def test_the_sample_of_an_adaptive_run() -> None:
    assert len(lm.simulate(pendulum(), 2.0, start={"swing": 1.0}, stepper="dop853")) == 1001
    run = lm.simulate(pendulum(), 2.0, start={"swing": 1.0}, stepper="dop853", sample=0.5)
    np.testing.assert_allclose(run.time, [0, 0.5, 1.0, 1.5, 2.0])


def test_dense_output_is_as_good_as_the_steps() -> None:
    dense = lm.simulate(pendulum(), 2.0, start={"swing": 1.0}, stepper=lm.Adaptive(rtol=1e-12, atol=1e-13), sample=0.001)
    fine = lm.simulate(pendulum(), 2.0, start={"swing": 1.0}, step=0.001)
    # Dense output is of order 7 against 8 for the steps, and Runge-Kutta's error is 1e-11 here.
    np.testing.assert_allclose(dense["swing"], fine["swing"], atol=1e-9)


@pytest.mark.parametrize("sample", [0.0, -1.0, 2.0])
def test_samples_that_make_no_sense(sample: float) -> None:
    with pytest.raises(StepperError, match=f"sample is {sample}.*it must be .*(positive|at most the duration, 1.0 s)"):
        lm.simulate(cart(), 1.0, sample=sample)


def test_long_runs_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_plan, "MOST_SAMPLES", 50)
    run = lm.simulate(pendulum(), 1.0, start={"swing": 1.0}, step=0.001)
    # 1,000 steps in 50 samples of 20 steps each.
    assert len(run) == 51
    monkeypatch.undo()
    fine = lm.simulate(pendulum(), 1.0, start={"swing": 1.0}, step=0.001)
    np.testing.assert_allclose(run["swing"], fine["swing"][::20], atol=1e-14)


def test_start_time_shifts_the_clock() -> None:
    run = lm.simulate(cart(), 1.0, inputs={"pull": "2*t"}, start_time=5.0, step=0.01)
    assert run.time[0] == 5.0 and run.time[-1] == pytest.approx(6.0, abs=1e-14)
    # x_ddot = t from t = 5.
    np.testing.assert_allclose(run["rail_rate"], (run.time**2 - 25) / 2, atol=1e-12)


def test_angles_are_continuous() -> None:
    run = lm.simulate(lm.catalogue.bicycle(), 10.0, start={"speed": 6.0, "steer": 0.1, "roll": -0.3}, step=0.005,
                      controller=lambda c: {"steer_torque": 10 * (c["steer"] - 0.1), "rear_wheel_torque": 0.0})  # fmt: skip
    assert np.abs(np.diff(run["yaw"])).max() < 0.5
    assert np.ptp(run["yaw"]) > np.pi


STEPPERS = ("rk4", "abm4", "abm5", "dop853")


@pytest.mark.parametrize("stepper", STEPPERS)
def test_times_that_are_given_are_recorded_exactly(stepper: str) -> None:
    times = [0.1, 0.1234567, 0.5, 0.9]
    settings = {"start": {"swing": 1.0}, "stepper": stepper, "target": "interpreter"}
    run = lm.simulate(pendulum(), 1.0, sample=times, **settings)
    assert run.time.tolist() == [0.0, *times, 1.0] and run.status.completed
    exact = lm.simulate(pendulum(), 1.0, start={"swing": 1.0}, stepper=lm.Adaptive(rtol=1e-13, atol=1e-14), sample=times)
    np.testing.assert_allclose(run["swing"], exact["swing"], atol=1e-10)
    assert run.audit(halve=True)


def test_times_that_are_given_are_recorded_exactly_in_event_driven_runs() -> None:
    times = np.array([0.1, 0.1234567, 0.5, 0.9])
    run = lm.simulate(lm.catalogue.bouncing_ball(restitution=0.5), 1.0, start={"z": 1.1}, sample=times)
    fall = np.sqrt(2.0 / 9.81)  # one metre
    first = run.time < fall - 1e-9
    assert set(times) <= set(run.time.tolist()) and len(run) < 20
    np.testing.assert_allclose(run["z"][first], 1.1 - 9.81 / 2 * run.time[first] ** 2, atol=1e-12)


def test_seconds_between_samples_are_kept_and_the_end_is_recorded() -> None:
    for stepper in ("rk4", "dop853"):
        run = lm.simulate(cart(), 5.0, sample=2.0, start={"rail_rate": 1.0}, stepper=stepper, target="interpreter")
        np.testing.assert_allclose(run.time, [0.0, 2.0, 4.0, 5.0], atol=1e-15)
        np.testing.assert_allclose(run["rail"], run.time, atol=1e-12)
    bounced = lm.simulate(lm.catalogue.bouncing_ball(restitution=0.0), 5.0, sample=2.0, start={"z": 0.2})
    assert {0.0, 2.0, 4.0, 5.0} <= set(bounced.time.tolist())


@pytest.mark.parametrize("sample", [[0.5, 0.4], [2.0], [-0.1], [0.5, 0.5], []])
def test_times_that_cannot_be_recorded(sample: list[float]) -> None:
    with pytest.raises(StepperError, match="sample"):
        lm.simulate(cart(), 1.0, sample=sample)


def test_a_time_outside_the_run_is_refused() -> None:
    run = lm.simulate(cart(), 5.0, start={"rail_rate": 1.0}, sample=1.0)
    assert run.at(4.9)["rail"] == pytest.approx(5.0)
    with pytest.raises(ArgumentError, match=r"time is 50 s, and the run lasts from 0 s to 5 s"):
        run.at(50)


def test_states_before_and_after_an_event() -> None:
    """A ball falls one metre and bounces with half its speed."""
    run = lm.simulate(lm.catalogue.bouncing_ball(restitution=0.5), 0.8, start={"z": 1.1})
    hit = run.events.of(kind="impact")[0]
    fast = np.sqrt(2 * 9.81)
    assert run.before(hit)["heave_speed"] == pytest.approx(-fast, abs=1e-9)
    assert run.after(hit)["heave_speed"] == pytest.approx(0.5 * fast, abs=1e-9)
    assert run.before(hit.time)["z"] == pytest.approx(0.1, abs=1e-12)
    with pytest.raises(ArgumentError, match=r"no sample at t = 0\.12345 s"):
        run.before(0.12345)


@pytest.mark.parametrize("sample", [True, np.True_, [True], (False, True)])
def test_truth_values_are_no_times(sample: object) -> None:
    with pytest.raises(StepperError, match=r"sample is .*True.*real numbers, not bool"):
        lm.simulate(cart(), 2.0, sample=sample)


@pytest.mark.parametrize("settings", [{}, {"stepper": "dop853"}], ids=["fixed", "adaptive"])
def test_a_clock_too_coarse_for_the_steps_is_refused(settings: dict[str, str]) -> None:
    """All samples used to fall on one instant; seconds of a calendar (1.7e9) are told apart to 2.4e-7."""
    with pytest.raises(StepperError, match=r"start_time is 1e\+18 s: numbers of that size are .* s apart"):
        lm.simulate(cart(), 1.0, start_time=1e18, **settings)
    run = lm.simulate(cart(), 1.0, start={"rail_rate": 1.0}, start_time=1.7e9, **settings)
    assert run["rail"][-1] == pytest.approx(1.0, abs=1e-6) and (np.diff(run.time) > 0.0).all()
