"""Steps with contacts of bodies of a milligram and less, whose squared impulses are smaller than most numbers."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.impacts import harmless_share

GRAVITY = 9.81


def test_a_grain_is_braked_by_its_rolling_resistance():
    """5/7 of rolling g/R, whatever it weighs: its moment is 2e-19 N m s in a step."""
    size, mass, speed = 1e-4, 1e-9, 1e-3
    rolling = 0.02 * size
    law = lm.Unilateral(friction=0.3, rolling=rolling)
    grain = lm.System(
        "grain",
        bodies=(lm.Body("grain", mass, inertia=np.full(3, 0.4 * mass * size**2)),),
        joints=(lm.Free(name="base", parent="world", child="grain"),),
        contacts=(lm.RollingSphere("skin", "grain", (0, 0, 0), size, law=law),),
        forces=(lm.Gravity((0, 0, -GRAVITY)),),
    )
    kernel = lm.compile(grain, contacts="time-stepping", target="interpreter")
    brake = 5.0 / 7.0 * rolling * GRAVITY / size
    steps = 100
    h = 0.5 * speed / brake / steps
    start = kernel.start({"z": size, "speed": speed, "pitch_rate": speed / size})
    there = dict(zip(kernel.state_names, kernel.rollout([start], steps, h, save_every=0).final[0], strict=True))
    assert there["pitch_rate"] == pytest.approx(0.5 * speed / size, rel=1e-6)  # it turns by 0.4 mrad in a step


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e-16])
def test_how_much_of_a_bounce_is_harmless_does_not_depend_on_the_unit_of_energy(unit):
    """A body of one unit of mass came at -1 and is stopped; thrice that impulse more would drive it off at 3: a third may."""
    share = harmless_share(np.array([unit]), np.array([3.0 * unit]), np.array([-0.5]), np.array([3.0]))
    assert float(share) == pytest.approx(1.0 / 3.0, rel=1e-12)
