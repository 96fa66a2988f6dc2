"""A capsule that jaws hold and a bicycle that skids, beside closed forms; the scenarios of both hold more."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.pinched_capsule import CAUGHT
from locomotor.catalogue.skidding_bicycle import SKIDDING
from locomotor.errors import ModelError

G = 9.81


@pytest.mark.slow
@pytest.mark.parametrize("slope", [0.3, 0.5 * math.pi])
def test_a_pinched_capsule_does_not_creep_for_a_minute(slope: float) -> None:
    """Four spheres hold two lines, and friction keeps it from rolling and from sliding."""
    system = lm.catalogue.pinched_capsule(lean=0.5 * math.pi - slope)
    compiled = lm.compile(system, contacts="time-stepping", target="c")
    start = compiled.start({})
    result = compiled.rollout(start, 6000, 0.01, save_every=600)
    assert result.status == 0
    assert abs(result.states - start).max() < 1e-12
    run = lm.simulate(system, 60.0, step=0.01)
    assert run.status.completed and not run.events
    assert not any(np.ptp(run[name]) for name in compiled.state_names)


def test_a_capsule_slides_below_the_least_grip_and_holds_above_it() -> None:
    """Between upright jaws it holds while 2 mu F >= m g."""
    system = lm.catalogue.pinched_capsule()
    for friction in (0.3, 0.8):
        least = G / (2.0 * friction)
        holds = lm.simulate(system, 0.5, step=0.01, parameters={"mu": friction, "F": 1.001 * least})
        assert not holds["z"].any()
        slides = lm.simulate(system, 0.5, step=0.01, parameters={"mu": friction, "F": 0.999 * least})
        assert slides["z"] == pytest.approx(-0.5 * 0.001 * G * slides.time**2, abs=1e-12)
        assert abs(slides["pitch"]).max() < 1e-12


def test_jaws_that_lean_let_a_capsule_roll_on_the_fixed_one() -> None:
    """Then a = (m g cos(lean) - 2 mu N)/(m + J/r²), and the other jaw slips along it with twice its speed."""
    lean, grip = 0.7, 2.0
    run = lm.simulate(lm.catalogue.pinched_capsule(grip=grip, lean=lean), 0.5, step=0.01)
    pressed = grip + 0.5 * G * math.sin(lean)
    a = (G * math.cos(lean) - 2.0 * 0.5 * pressed) / (1.0 + 1.25e-3 / 0.05**2)
    # It rolls as long as the fixed jaw has the friction for it: mu N and J a/r² out of mu (N + m g sin(lean)).
    assert 0.0 < 0.5 * a < 0.5 * G * math.sin(lean)
    assert run["z"] == pytest.approx(-0.5 * a * run.time**2, abs=1e-12)
    assert abs(run["pitch_rate"][-1]) == pytest.approx(0.5 * a / 0.05, rel=1e-9)
    assert not run["fixed_start_slip_speed"].any()
    assert run["moving_end_slip_speed"] == pytest.approx(2.0 * a * run.time, abs=1e-12)


def test_a_capsule_that_falls_between_the_jaws_is_caught() -> None:
    run = lm.simulate(lm.catalogue.pinched_capsule(), 0.3, start=CAUGHT, step=0.01)
    assert {event.contact for event in run.events} == {"fixed_start", "fixed_end", "moving_start", "moving_end"}
    assert run.events[0].time == pytest.approx(1.0 / (20.0 - G), abs=1e-12)
    assert run.audit()["energy_balance"] < 1e-12


@pytest.mark.slow
def test_a_bicycle_that_brakes_too_hard_skids() -> None:
    """Rolling on, its rear wheel passes on at most mu N; with more it is blocked and slips while the front one rolls."""
    runs = {
        brake: lm.simulate(lm.catalogue.skidding_bicycle(brake=brake), 0.5, start={"speed": 5.0}, step=0.002)
        for brake in (20.0, 150.0)
    }
    assert not runs[20.0]["rear_slip_speed"].any() and not runs[20.0].events
    assert [event.name for event in runs[150.0].events] == ["rear slips", "brake sticks"]
    assert runs[150.0].events[0].time == 0.0
    assert runs[150.0]["rear_slip_speed"][-1] == pytest.approx(runs[150.0]["speed"][-1], abs=1e-12)
    assert not runs[150.0]["front_slip_speed"].any()
    for run in runs.values():
        assert run.status.completed and run.audit()["beyond_friction"] < 1e-9 and run.audit()["energy_balance"] < 1e-6


@pytest.mark.slow
def test_a_bicycle_that_leans_as_it_skids_falls() -> None:
    run = lm.simulate(lm.catalogue.skidding_bicycle(), 3.0, start=SKIDDING, step=0.0025)
    assert run.events[-1].name == "fallen"
    assert abs(run["yaw"][-1]) > 0.5  # the tail has come round
    assert run.audit()["beyond_friction"] < 1e-9 and run.audit()["energy_balance"] < 1e-6


def test_a_skate_has_no_brake() -> None:
    with pytest.raises(ModelError, match="the rear wheel is a skate, rR = 0, and has no brake; give a wheel with a radius"):
        lm.catalogue.skidding_bicycle("two_mass_skate")
