"""Steps that would pass over the strokes of an imposed motion are refused, with the step to use."""

import pytest

import locomotor as lm
from locomotor.errors import StepperError


def flapper() -> lm.System:
    return lm.System(
        "flapper",
        [lm.Body("wing", mass=0.1, inertia=(1e-3, 1e-3, 1e-3))],
        [lm.Revolute(name="flap", parent="world", child="wing", axis=(0, 0, 1), drive=lm.Motion("0.5*sin(2*pi*f*t) + 0.1*t"))],
        forces=[lm.Air("air")],
        parameters=lm.ParameterSet((lm.Parameter("f", 25.0, "Hz"),)),
    )


def test_a_step_longer_than_a_stroke_is_refused() -> None:
    with pytest.raises(StepperError, match=r"'flap' oscillates at 25 Hz, and a step of 0.02 s .* give a step of 0.0008 s"):
        lm.simulate(flapper(), 0.2, step=0.02)
    with pytest.raises(StepperError, match="oscillates at 500 Hz"):
        lm.simulate(flapper(), 0.1, step=0.001, parameters={"f": 500.0})
    assert lm.simulate(flapper(), 0.02, step=0.002, target="interpreter").status.ok
