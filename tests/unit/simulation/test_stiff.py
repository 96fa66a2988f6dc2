"""Adaptive runs that cannot be finished: said in words, where and why, however sparse the samples."""

import pytest

import locomotor as lm
from locomotor.simulation import Outcome, adaptive


def test_a_stiff_system_is_given_up_with_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """An oscillation at 1e15 rad/s: some 1e13 steps for a hundredth of a second."""
    monkeypatch.setattr(adaptive, "LOOKED_AT", 50)
    system = lm.System(
        "spring",
        [lm.Body("b", mass=1.0, inertia=(1, 1, 1))],
        [lm.Prismatic(name="x1", parent="world", child="b", axis=(1, 0, 0))],
        forces=[lm.JointSpring("k", "x1", 1e30)],
    )
    with pytest.warns(UserWarning, match="too stiff for the adaptive steps .* soften the spring or damper"):
        run = lm.simulate(system, 0.01, start={"x1": 0.1}, stepper="dop853")
    assert run.status.outcome is Outcome.STIFF and not run.status.ok


def test_a_system_that_is_only_quick_is_not_called_stiff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "LOOKED_AT", 50)
    system = lm.System(
        "spring",
        [lm.Body("b", mass=1.0, inertia=(1, 1, 1))],
        [lm.Prismatic(name="x1", parent="world", child="b", axis=(1, 0, 0))],
        forces=[lm.JointSpring("k", "x1", 1e6)],
    )
    assert lm.simulate(system, 0.1, start={"x1": 0.1}, stepper="dop853").status.completed


@pytest.mark.parametrize("sample", [None, 1.0])
def test_the_instant_of_a_singular_shape_does_not_depend_on_the_samples(sample: float | None) -> None:
    """A snake whose joints become straight, all at once, at 5/3 s."""
    straight = {"joint_1": "0.5 - 0.3*t", "joint_2": "0.3 - 0.18*t"}
    with pytest.warns(UserWarning, match="the constraints became singular"):
        run = lm.simulate(lm.catalogue.wheeled_snake(3), 2.0, motions=straight, stepper="dop853", sample=sample)
    assert run.status.outcome is Outcome.SINGULAR
    assert run.status.time == pytest.approx(5.0 / 3.0, abs=1e-6)


def swinging(stiffness: str) -> lm.System:
    return lm.System(
        "swinging",
        [lm.Body("b", mass=1.0, inertia=(1, 1, 1))],
        [lm.Prismatic(name="x", parent="world", child="b", axis=(1, 0, 0), drive=lm.Torque(f"-({stiffness})*x"))],
    )


def test_a_run_that_starts_late_has_its_own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ninety steps of 10 ms, judged after fifty: forty are left, and thirty are allowed."""
    monkeypatch.setattr(adaptive, "LOOKED_AT", 50)
    monkeypatch.setattr(adaptive, "MOST_STEPS", 30)
    stepper = lm.Adaptive(longest_step=0.01)
    for start in (0.0, 100.0):
        with pytest.warns(lm.RunWarning, match="too stiff"):
            run = lm.simulate(swinging("1"), 0.9, start={"x": 0.1}, stepper=stepper, start_time=start)
        assert 0.4 < run.status.time - start < 0.6
    monkeypatch.setattr(adaptive, "MOST_STEPS", 60)
    assert lm.simulate(swinging("1"), 0.9, start={"x": 0.1}, stepper=stepper, start_time=100.0).status.completed


def test_what_becomes_stiff_is_judged_by_its_last_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "LOOKED_AT", 50)
    monkeypatch.setattr(adaptive, "MOST_STEPS", 1000)
    with pytest.warns(lm.RunWarning, match="too stiff"):
        run = lm.simulate(swinging("1e8 if t > 1 else 1"), 2.0, start={"x": 0.1}, stepper="dop853")
    assert 1.0 < run.status.time < 1.1
