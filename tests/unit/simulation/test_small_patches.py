"""Small patches in runs with events: their slide follows their spin far faster than steps are long."""

import numpy as np
import pytest
from scipy.optimize import brentq

import locomotor as lm
from locomotor.mechanics.constraints import PATCH

GRAVITY, RADIUS, MASS, FRICTION, ROLLING = 9.81, 0.05, 1.0, 0.4, 0.01


def ball(patch):
    law = lm.Unilateral(friction=FRICTION, patch=patch, rolling=ROLLING)
    return lm.System(
        "ball",
        bodies=(lm.Body("ball", MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.RollingSphere("foot", "ball", (0, 0, 0), RADIUS, law=law),),
        forces=(lm.Gravity((0, 0, -GRAVITY)),),
    )


def ends(patch, speed, spin):
    """When rolling and spinning end, for a slide that is nothing beside the speed.

    Rolling is braked by 5/7 rho g/R, for which friction needs that force along the ground; what is left brakes the spin.
    """
    brake, arm = 5.0 / 7.0 * ROLLING * GRAVITY / RADIUS, 2.0 / 3.0 * patch
    whole = FRICTION * GRAVITY * arm / (0.4 * RADIUS**2)

    def friction(angle):
        return PATCH.friction(np.array([np.cos(angle), 0.0, np.sin(angle)]))

    angle = brentq(lambda x: friction(x)[0] - brake / (FRICTION * GRAVITY), 1e-9, 0.5 * np.pi - 1e-12)
    rolled = speed / brake
    return rolled, rolled + (spin - whole * friction(angle)[2] * rolled) / whole


@pytest.mark.slow
@pytest.mark.parametrize(("patch", "spin"), [(1e-3, 1.5), (1e-4, 0.12)])
def test_a_ball_that_rolls_and_spins_on_a_small_patch_stops_rolling_and_then_spinning(patch, spin):
    """Runs ended as chattering: steps that resolve a slide of the size of the spin at its arm would be millions."""
    speed, (rolled, spun) = 0.2, ends(patch, 0.2, spin)
    start = {"z": RADIUS, "speed": speed, "pitch_rate": speed / RADIUS, "yaw_rate": spin}
    run = lm.simulate(ball(patch), 1.1 * spun, start=start, step=0.01)
    assert run.status.completed
    # The slide takes up to the spin at its arm of the speed.
    creep = 2.0 / 3.0 * patch * spin / speed * rolled
    stops, rolls = run.events.of("foot", "stops"), run.events.of("foot", "rolls")
    assert [event.time for event in stops] == pytest.approx([rolled], abs=0.5 * creep)
    assert [event.time for event in rolls] == pytest.approx([spun], abs=0.5 * creep)
    assert run["foot_slip_speed"][-1] < 1e-11
    assert run.audit()["energy_balance"] < 1e-5


@pytest.mark.slow
def test_steps_over_a_stiff_slide_converge():
    """Implicit steps take the slide out; what is left of their error falls with the step."""
    start = {"z": RADIUS, "speed": 0.2, "pitch_rate": 0.2 / RADIUS, "yaw_rate": 1.5}
    found = []
    for step in (0.01, 0.005, 0.0025):
        run = lm.simulate(ball(1e-3), 0.6, start=start, step=step)
        found.append(run.events.of("foot", "rolls")[0].time)
    assert abs(found[1] - found[2]) < 2e-6 and abs(found[0] - found[2]) < 1e-5


@pytest.mark.slow
def test_a_cube_that_falls_on_corners_with_small_patches_comes_to_rest():
    """On one corner it pivots, slowly, while it falls over: its run ended as chattering at 0.21 s."""
    law, a = lm.Unilateral(friction=0.63, patch=1e-3), 0.1
    corners = [(x, y, z) for x in (-a, a) for y in (-a, a) for z in (-a, a)]
    cube = lm.System(
        "cube",
        bodies=(lm.Body("cube", 1.0, inertia=(2 / 3 * a * a,) * 3),),
        joints=(lm.Free(name="base", parent="world", child="cube"),),
        contacts=[lm.StickingPoint(f"corner_{k}", "cube", at, law=law) for k, at in enumerate(corners)],
        forces=(lm.Gravity((0, 0, -GRAVITY)),),
    )
    start = {"z": 0.2, "roll": 0.4, "pitch": -0.42, "yaw": 2.23, "speed": -0.67, "sway_speed": 0.12}
    start |= {"roll_rate": -1.0, "pitch_rate": 1.13, "yaw_rate": -4.85}
    run = lm.simulate(cube, 0.4, start=start, step=0.005)
    assert run.status.completed
    assert np.diff(run.energy).max() < 1e-5 and run.audit()["energy_balance"] < 1e-3
