"""Frequency and amplitude of strokes as inputs: phase and amplitude are states, so that no angle jumps."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError

BEAT = 2 * math.pi * 218.0


def test_a_flywheel_and_its_law_need_no_body() -> None:
    """A hand without mass on a rotor: J w' = J (w0 - w)/lag has w = w0 (1 - exp(-t/lag))."""
    hand = lm.Revolute(
        name="clock", parent="world", child="hand", axis=(0, 0, 1), rotor=2e-3, drive=lm.Torque("2e-3*(30 - clock_rate)/0.05")
    )
    run = lm.simulate(lm.System("clock", [lm.Frame("hand")], [hand]), 0.1, step=1e-3, target="interpreter")
    assert run["clock_rate"][-1] == pytest.approx(30.0 * (1.0 - math.exp(-2.0)), rel=1e-8)


def test_steered_or_not_is_a_choice() -> None:
    system = lm.catalogue.fruit_fly(steered=True)
    assert [symbol.name for symbol in system.layout.inputs] == ["add_frequency", "add_reach", "add_sweep", "add_bank"]
    assert lm.catalogue.hawkmoth("clamped", True).name == "hawkmoth_clamped_steered"
    with pytest.raises(ModelError, match="steered"):
        lm.catalogue.fruit_fly(steered="yes")


@pytest.mark.slow
def test_frequency_and_amplitude_change_without_a_jump() -> None:
    """Inputs that jump: the angles follow their law of the states to round-off, and neither angle nor velocity jumps."""
    fly = lm.catalogue.fruit_fly("clamped", steered=True)
    jump = {"add_frequency": "if_else(t < 0.01, 0, 30)", "add_reach": "if_else(t < 0.01, 0, -0.2)", "add_bank": 0.05}
    run = lm.simulate(fly, 0.03, step=1e-5, start={"clock_rate": BEAT}, inputs=jump)
    assert run.status.ok
    right = run["sweep"] + run["reach"] * (1 + run["bank"]) * np.cos(run["clock"])
    left = run["sweep"] + run["reach"] * (1 - run["bank"]) * np.cos(run["clock"])
    assert np.abs(run["right_stroke"] - right).max() < 1e-9 and np.abs(run["left_stroke"] - left).max() < 1e-9
    assert run["clock_rate"][-1] == pytest.approx(2 * math.pi * 248.0, rel=2e-3)
    assert run["reach"][-1] == pytest.approx(1.02, abs=2e-3) and run["bank"][-1] == pytest.approx(0.05, abs=1e-3)
    top = float(np.abs(run["right_stroke_rate"]).max())
    assert np.abs(np.diff(run["right_stroke"])).max() < 1.01 * top * 1e-5
    assert np.abs(np.diff(run["right_stroke_rate"])).max() < 0.1 * top


@pytest.mark.slow
def test_without_inputs_it_is_the_imposed_stroke() -> None:
    """Flywheels give way to the wings by parts in ten thousand, so that mean lift and torque are those of imposed strokes."""
    beats = 3 / 218.0
    imposed = lm.simulate(lm.catalogue.fruit_fly("clamped"), beats, step=1e-5)
    steered = lm.simulate(lm.catalogue.fruit_fly("clamped", steered=True), beats, step=1e-5, start={"clock_rate": BEAT})
    assert np.abs(steered["right_stroke"] - imposed["right_stroke"]).max() < 3e-3
    lifts = [float(np.mean(run["right_foil_air_z"][: len(run) - 1])) for run in (imposed, steered)]
    assert lifts[1] == pytest.approx(lifts[0], rel=5e-3)
    torque, tie = imposed["right_stroke_drive_torque"], steered["right_stroke_tie_multiplier"]
    assert np.abs(np.abs(tie) - np.abs(torque)).max() < 0.05 * np.abs(torque).max()


def test_a_flight_that_goes_wrong_says_when_and_how_it_lay() -> None:
    """A lift that grows with the square of the height ends the flight of a card in the sky; the status tells its attitude."""
    card = lm.Body("card", mass=1e-3, inertia=(8e-7, 8.3e-7, 3.3e-8))
    wing = lm.Wing("foil", "card", length=0.1, chord=0.02, axis=0.5, centre=0.5, sections=1)
    push = lm.BodyForce("push", "card", (0, 0, 0), (0.0, 0.0, "z**3"), frame="world")
    system = lm.System("card", [card], [lm.Free(name="base", parent="world", child="card")], forces=[lm.Air(), wing, push])
    run = lm.simulate(system, 50.0, start={"z": 3.0, "roll": 0.5}, step=1e-2, target="interpreter")
    assert not run.status.ok
    assert "it flew with roll" in str(run.status) and "pitch" in str(run.status) and "yaw" in str(run.status)
