"""Where the runtime solves the contacts: what is heavy, on wheels that are light, slides sideways as friction brakes it."""

import numpy as np
import pytest

import locomotor as lm
from oracles.light_wheels import RADIUS, braked, car


@pytest.mark.parametrize("yaw", [0.0, 0.7])
@pytest.mark.parametrize(("mass", "disc", "axles"), [(0.05, False, 2), (0.05, True, 2), (5e-4, True, 2), (5e-3, False, 8)])
def test_the_runtime_brakes_a_car_on_light_wheels_as_it_is(mass, disc, axles, yaw):
    """v = v0 - mu g t; wheels of 50 g left 0.07 m/s of 0.3, and those of 5 g hardly braked at all."""
    settings, h = lm.ContactSettings(solver="runtime"), 0.004
    kernel = lm.compile(car(mass, disc, axles), contacts="time-stepping", target="c", settings=settings)
    start = kernel.start({"z": RADIUS, "sway_speed": 0.3, "yaw": yaw})
    found = np.ravel(kernel.rollout(start, 20, h, channels=("sway_speed",))["sway_speed"])
    assert found == pytest.approx(braked(0.3, h * np.arange(21)), abs=1e-11)


@pytest.mark.parametrize("heading", [0.3, 1.2])
def test_a_car_that_drives_and_slides_is_braked_against_its_slip_alone(heading):
    """Wheels roll on at the speed of the car while all of friction is sideways, whatever its heading in the world."""
    settings, h = lm.ContactSettings(solver="runtime"), 0.002
    kernel = lm.compile(car(5e-3, True, 8), contacts="time-stepping", target="c", settings=settings)
    rolls = {f"axle_{k}_rate": 20.0 for k in range(16)}
    start = kernel.start({"z": RADIUS, "speed": 2.0, "sway_speed": 0.3, "yaw": heading} | rolls)
    run = kernel.rollout(start, 40, h, channels=("speed", "sway_speed"))
    assert np.ravel(run["sway_speed"]) == pytest.approx(braked(0.3, h * np.arange(41)), abs=1e-5)
    assert np.ravel(run["speed"]) == pytest.approx(2.0, abs=1e-5)
