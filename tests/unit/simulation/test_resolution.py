"""Steps that would pass over the strokes of an imposed motion are refused, with the step to use."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import StepperError


def flapper(kind: type[lm.Motion] | type[lm.Torque] = lm.Motion) -> lm.System:
    return lm.System(
        "flapper",
        [lm.Body("wing", mass=0.1, inertia=(1e-3, 1e-3, 1e-3))],
        [lm.Revolute(name="flap", parent="world", child="wing", axis=(0, 0, 1), drive=kind("0.5*sin(2*pi*f*t) + 0.1*t"))],
        forces=[lm.Air("air")],
        parameters=lm.ParameterSet((lm.Parameter("f", 25.0, "Hz"),)),
    )


def test_a_step_longer_than_a_stroke_is_refused() -> None:
    with pytest.raises(StepperError, match=r"'flap' oscillates at 25 Hz, and a step of 0.02 s .* give a step of 0.0008 s"):
        lm.simulate(flapper(), 0.2, step=0.02)
    with pytest.raises(StepperError, match="oscillates at 500 Hz"):
        lm.simulate(flapper(), 0.1, step=0.001, parameters={"f": 500.0})
    assert lm.simulate(flapper(), 0.02, step=0.002, target="interpreter").status.ok


def test_torques_batches_and_cycles_are_told_too() -> None:
    words = r"the drive of joint 'flap' oscillates at 25 Hz, and a step of 0.04 s .* give a step of 0.0008 s"
    driven = flapper(lm.Torque)
    with pytest.raises(StepperError, match=words):
        lm.simulate(driven, 0.2, step=0.04, target="interpreter")
    with pytest.raises(StepperError, match=words):
        lm.find_cycle(driven, period=0.04, step=0.04, target="interpreter")
    with pytest.raises(StepperError, match=words):
        lm.compile(driven, target="interpreter").rollout(np.zeros((2, 2)), 5, 0.04)
    many = lm.compile(driven, target="interpreter", free=("f",))
    with pytest.raises(StepperError, match=words):
        many.rollout(np.zeros((2, 2)), 5, 0.04, parameters=[25.0])
    batch = many.rollout(np.zeros((3, 2)), 5, 0.04, parameters=[[1.0], [25.0], [0.5]])  # one that is too fast stops no other
    assert batch.status.tolist() == [0, 4, 0]
    assert "oscillates at 25 Hz" in batch.why(1)


FAST = "sin(2*pi*500*t)"


@pytest.mark.parametrize(
    ("words", "change", "inputs"),
    [
        ("the wind of Air 'air'", {"forces": [lm.Air("air", wind=(FAST, 0, f"cos(3*x)*{FAST}"))]}, None),
        ("the law of JointForce 'push'", {"forces": [lm.Air("air"), lm.JointForce("push", "flap", FAST)]}, None),
        (
            "the equals of VelocityConstraint 'tie'",
            {"constraints": [lm.VelocityConstraint("tie", {"flap_rate": 1}, equals=FAST)]},
            None,
        ),
        ("the input 'pull'", {"inputs": [lm.Input("pull", "N m")]}, {"pull": FAST}),
    ],
    ids=["wind", "force", "constraint", "input"],
)
def test_whatever_oscillates_in_air_is_told(words: str, change: dict, inputs: dict | None) -> None:
    """A gust that a step passes over blows from anywhere: for long nothing was said of it."""
    still = [lm.Revolute(name="flap", parent="world", child="wing", axis=(0, 0, 1), drive=lm.Torque("pull" if inputs else 0.0))]
    system = flapper().replace(joints=still, **change)
    with pytest.raises(StepperError, match=f"{words} oscillates at 500 Hz, and a step of 0.001 s .* give a step of 4e-05 s"):
        lm.simulate(system, 0.01, step=0.001, inputs=inputs, target="interpreter")
    with pytest.raises(StepperError, match=f"{words} oscillates at 500 Hz"):
        lm.find_cycle(system, period=0.002, step=0.001, inputs=inputs, target="interpreter")


def test_a_stroke_whose_nodes_are_looked_at_is_no_jump() -> None:
    """At 400 instants of 0.05 s a sine of 1 MHz is zero: it was taken for a small one, and its way for a jump."""
    with pytest.raises(StepperError, match=r"'flap' oscillates at 1e\+06 Hz, .* give a step of 2e-08 s"):
        lm.simulate(flapper(), 0.05, step=1e-3, parameters={"f": 1e6}, target="interpreter")
