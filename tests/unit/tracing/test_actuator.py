"""Actuators with delays and limits, against closed forms of delayed feedback."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ControllerError, LocomotorError

DELAY = 0.2


def mass() -> lm.System:
    body = lm.Body("block", 1.0, inertia=(0.1, 0.1, 0.1))
    joint = lm.Prismatic(name="x", parent="world", child="block", axis=(1.0, 0.0, 0.0), drive=lm.Torque("u"))
    return lm.System("mass", [body], [joint], inputs=[lm.Input("u", "N")])


def test_a_command_acts_later() -> None:
    """Driven by a sine from rest, what acts is that sine of a while ago once the first moments have died away."""
    law = lm.actuated(lambda channels: {"u": np.sin(5.0 * channels["t"])}, delays={"u": DELAY})
    run = lm.simulate(mass(), 2.0, controller=law, step=0.01, target="interpreter")
    late = run.time > 1.5
    np.testing.assert_allclose(run["u"][late], np.sin(5.0 * (run.time[late] - DELAY)), atol=5e-5)  # of RK4: h |pole| is 1/2


@pytest.mark.slow
def test_delayed_braking_oscillates_for_ever_where_the_theory_says() -> None:
    """v' = -k v(t - d) is neutral at k d = pi/2, with the frequency k; less gain dies out, more grows (Hayes 1950)."""
    k = 0.5 * np.pi / DELAY

    def largest(gain: float) -> tuple[float, float]:
        law = lm.actuated(lambda channels: {"u": -gain * channels["x_rate"]}, delays={"u": DELAY})
        run = lm.simulate(mass(), 8.0, start={"x_rate": 1.0}, controller=law, step=0.01, target="interpreter")
        v = np.abs(run["x_rate"])
        return float(v[(run.time > 3.2) & (run.time < 4.0)].max()), float(v[run.time > 7.2].max())

    before, after = largest(k)
    assert after == pytest.approx(before, rel=1e-3)  # of samples within a swing
    before, after = largest(0.9 * k)
    assert after < 0.5 * before
    before, after = largest(1.1 * k)
    assert after > 2.0 * before


def test_limits_clip_what_acts() -> None:
    law = lm.actuated(lambda channels: {"u": 3.0 * np.sin(5.0 * channels["t"])}, limits={"u": (-1.0, 2.0)})
    run = lm.simulate(mass(), 1.5, controller=law, step=0.01, target="interpreter")
    np.testing.assert_allclose(run["u"], np.clip(3.0 * np.sin(5.0 * run.time), -1.0, 2.0), atol=1e-12)


def test_limits_hold_before_a_delay_too() -> None:
    """Five times what the actuator can do acts a while later with all it can, however large the command: v = 2 (t - d)."""
    law = lm.actuated(lambda channels: {"u": 10.0}, delays={"u": DELAY}, limits={"u": 2.0})
    run = lm.simulate(mass(), 1.5, controller=law, step=0.005, target="interpreter")
    late = run.time > 1.0
    np.testing.assert_allclose(run["x_rate"][late], 2.0 * (run.time[late] - DELAY), atol=0.01)  # 0.09 without


@pytest.mark.parametrize(
    "options",
    [{"delays": {"u": 0.0}}, {"delays": {"u": np.inf}}, {"limits": {"u": (2.0, 1.0)}}, {"limits": {"u": "far"}}, {"order": 0}],
)
def test_what_no_actuator_is_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(LocomotorError, match="actuated"):
        lm.actuated(lambda channels: {}, **options)  # type: ignore[arg-type]


def test_delays_come_together() -> None:
    once = lm.actuated(lambda channels: {"u": 1.0}, delays={"u": 0.1})
    with pytest.raises(ControllerError, match="one call"):
        lm.actuated(once, delays={"u": 0.1})
