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
