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
