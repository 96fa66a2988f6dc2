"""Time-stepping of what rests on several feet with its weight off their middle: the load is shared unevenly."""

import numpy as np
import pytest

import locomotor as lm

FEET = ((0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1))
FRICTION, GRAVITY = 0.5, 9.81


def ends(share: float, along: float, target: str, sweeps: int = 12) -> np.ndarray:  # type: ignore[type-arg]
    """Velocities from 0.05 to 0.2 s, from rest, on a slope of a share of the cone that falls in some direction."""
    tilt = np.arctan(FRICTION * share)
    weight = GRAVITY * np.array([np.sin(tilt) * np.cos(along), np.sin(tilt) * np.sin(along), -np.cos(tilt)])
    law = lm.Unilateral(friction=FRICTION)
    plate = lm.System(
        "plate",
        bodies=[lm.Body("plate", 2.0, com=(0.04, 0.03, 0.05), inertia=(0.02, 0.02, 0.04))],
        joints=[lm.Free(name="base", parent="world", child="plate")],
        contacts=[lm.StickingPoint(f"f{i}", "plate", at=(x, y, 0.0), law=law) for i, (x, y) in enumerate(FEET)],
        forces=[lm.Gravity(tuple(weight.tolist()))],
    )
    kernel = lm.compile(plate, contacts="time-stepping", target=target, settings=lm.ContactSettings(sweeps=sweeps))
    return np.asarray(kernel.rollout([kernel.start({"z": 0.0})], 200, 1e-3).states)[0, 50:, -6:]


@pytest.mark.parametrize("target", ["interpreter", "c", "simd"])
@pytest.mark.parametrize(("share", "along"), [(0.95, 0.0), (0.99, 0.0), (0.95, 2.0)])
def test_within_its_cone_it_does_not_creep(share: float, along: float, target: str) -> None:
    """Friction of every foot in the share of its load goes through the centre of pressure, which is between the feet."""
    assert np.abs(ends(share, along, target)).max() < 1e-12


def test_nor_with_few_sweeps() -> None:
    assert np.abs(ends(0.99, 0.0, "interpreter", sweeps=1)).max() < 1e-12


def test_beyond_its_cone_it_slides() -> None:
    """By g (sin - mu cos) t, to the 12 sweeps."""
    tilt = np.arctan(FRICTION * 1.05)
    wanted = GRAVITY * (np.sin(tilt) - FRICTION * np.cos(tilt)) * 0.2
    assert ends(1.05, 0.0, "interpreter")[-1, 0] == pytest.approx(wanted, rel=0.02)
