"""Discs and boxes that come to lie on a terrain in steps of a given length: all that comes down at once is known beforehand."""

import functools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locomotor as lm
from locomotor.geometry import BOX, DISC, query, settled, shape_from, surface_of
from locomotor.lie import SE3
from locomotor.model import Contact
from locomotor.simulation.stepping import SteppedSystem, compile_stepping

LAW = lm.Unilateral(friction=0.5)
COIN = lm.RollingDisc("rim", "body", (0, 0, 0), (0, 0, 1), 0.1, law=LAW)
TYRE = lm.RollingTorus("rim", "body", (0, 0, 0), (0, 0, 1), 0.08, 0.02, law=LAW)
CRATE = lm.StickingBox("hull", "body", (0.2, 0.15, 0.1), law=LAW)
X = np.linspace(-1.5, 1.5, 9)
ROUGH = lm.Terrain.heightfield(X, X, 0.06 * np.random.default_rng(5).uniform(-1.0, 1.0, (9, 9)))
RIDGE = lm.Terrain.from_profile([(-2, -1), (0, 0), (2, -1)])
"""Along y, with faces that fall away at 27 degrees."""


def thing(contact: Contact, ground: lm.Terrain) -> lm.System:
    return lm.System(
        "thing",
        bodies=(lm.Body("body", 1.0, inertia=(0.0025, 0.0025, 0.005)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=(contact,),
        forces=(lm.Gravity((0, 0, -9.81)),),
        grounds=(ground,),
        nominal={"z": 1.0},
    )


@functools.cache
def stepped(contact: Contact, ground: lm.Terrain, target: str = "auto") -> SteppedSystem:
    return compile_stepping(thing(contact, ground), "time-stepping", target=target)


def stands(
    numbers: list[float], kind: int, ground: lm.Terrain, R: np.ndarray, p: tuple[float, ...], reach: float = 0.01
) -> list:
    surface, shape, pose = surface_of(ground), shape_from(kind, np.array(numbers)), SE3(R, np.array(p))
    return settled(shape, surface, pose, query(surface, shape, pose, reach=reach), reach)


@pytest.mark.parametrize("tube", [0.0, 0.02])
def test_both_ends_of_a_chord_are_known(tube: float) -> None:
    """A disc whose middle is 6 cm beside a ridge, tilted by 0.01 rad along it: the chord is 16 cm long."""
    R = Rotation.from_rotvec([0.01, 0.0, 0.0]).as_matrix()
    found = stands([0, 0, 0, 0, 0, 1, 0.1, tube], DISC, RIDGE, R, (0.06, 0.0, 0.002 + tube))
    assert [level for _, level in found] == [1.0, 1.0]
    low, high = (candidate for candidate, _ in found)
    assert low.point[1] == pytest.approx(-0.08 * math.cos(0.01) - tube * low.normal[1], abs=1e-4)
    assert high.point[1] == pytest.approx(0.08 * math.cos(0.01) - tube * high.normal[1], abs=1e-4)
    assert high.gap - low.gap == pytest.approx(0.16 * math.sin(0.01), rel=0.01)
    assert abs(low.foot[0]) < 1e-9 and abs(high.foot[0]) < 1e-9  # both on the ridge


def test_a_disc_that_stands_up_rolls_on_its_lowest_point() -> None:
    R = Rotation.from_rotvec([0.0, 0.06, 0.0]).as_matrix()  # its far side is 12 mm up
    found = stands([0, 0, 0, 0, 0, 1, 0.1, 0.0], DISC, lm.Terrain.plane(), R, (0.0, 0.0, 0.1 * math.sin(0.06)))
    assert [level for _, level in found] == [0.0]


def test_four_points_of_a_rim_are_above_flat_ground() -> None:
    found = stands([0, 0, 0, 0, 0, 1, 0.1, 0.0], DISC, lm.Terrain.plane(), np.eye(3), (0.3, 0.2, 0.004))
    points = np.array([candidate.point for candidate, _ in found]) - [0.3, 0.2, 0.004]
    assert len(points) == 4 and all(level == 1.0 and candidate.gap == pytest.approx(0.004) for candidate, level in found)
    assert np.abs(np.linalg.norm(points, axis=1) - 0.1).max() < 1e-12 and np.abs(points.sum(axis=0)).max() < 1e-12


def test_both_ends_of_a_ridge_beneath_a_box_are_known() -> None:
    R = Rotation.from_rotvec([0.01, 0.0, 0.0]).as_matrix()
    found = stands([0, 0, 0, 0.2, 0.15, 0.1], BOX, RIDGE, R, (0.05, 0.0, 0.1 + 0.002))
    feet = np.array([candidate.foot for candidate, _ in found])
    assert np.abs(feet[:, 0]).max() < 1e-9 and np.allclose(sorted(feet[:, 1]), [-0.15, 0.15], atol=2e-3)
    assert abs(found[1][0].gap - found[0][0].gap) == pytest.approx(0.3 * math.sin(0.01), rel=0.01)


def level_states(system: SteppedSystem, rng: np.random.Generator, count: int, height: float) -> np.ndarray:
    """Nearly level, just above a rough ground or a little inside, and moving."""
    states = np.repeat(system.start({"z": 1.0})[None], count, axis=0)
    states[:, :2] = rng.uniform(-0.4, 0.4, (count, 2))
    tilt = Rotation.from_rotvec(np.column_stack((0.2 * rng.normal(size=(count, 2)), rng.uniform(-3, 3, count)))).as_quat()
    states[:, 3:7] = tilt[:, [3, 0, 1, 2]]
    states[:, 7:] = rng.uniform(-1.0, 1.0, (count, 6)) * [1, 1, 1, 5, 5, 5]
    name = system.system.contacts[0].name
    gaps = system.rollout(states, 1, 1e-9, channels=(f"{name}_gap",))[f"{name}_gap"][:, 0]
    states[:, 2] -= gaps - rng.uniform(-2e-4, height, count)
    return states


@pytest.mark.slow
@pytest.mark.parametrize("contact", [COIN, TYRE, CRATE], ids=["coin", "tyre", "crate"])
def test_targets_agree_where_much_comes_down_at_once(contact: Contact, rng: np.random.Generator) -> None:
    plain = stepped(contact, ROUGH, "interpreter")
    states = level_states(stepped(contact, ROUGH, "c"), rng, 64, 2e-3)
    wanted = plain.rollout(states, 2, 0.001)
    for target in ("c", "simd"):
        found = stepped(contact, ROUGH, target).rollout(states, 2, 0.001)
        assert np.array_equal(found.status, wanted.status)
        assert np.nanmax(np.abs(found.states - wanted.states)) < 1e-9


@pytest.mark.parametrize("x", [0.0, 0.03])
@pytest.mark.parametrize(("contact", "height"), [(COIN, 0.025), (CRATE, 0.13)], ids=["coin", "crate"])
def test_what_slams_down_along_a_ridge_does_not_enter_it(contact: Contact, height: float, x: float) -> None:
    """One end hits, and swings the other down at a metre a second.

    With one end known at a time it came in by that for a step and more, 0.4 to 1.5 mm. What is left is how rows turn within a
    step, h²/8 times 0.15 m (10 rad/s)².
    """
    system, gap = stepped(contact, RIDGE, "interpreter"), f"{contact.name}_gap"
    start = system.start({"x": x, "z": height, "roll": -0.1, "roll_rate": 5.0, "heave_speed": -0.5})
    batch = system.rollout(start, 60, 0.001, channels=(gap, "roll"))
    assert batch.status == 0
    assert batch[gap].min() > -2e-6 and abs(batch["roll"][-1]) < 1e-3


def test_a_coin_dropped_flat_on_flat_terrain_lies_there() -> None:
    system = stepped(COIN, lm.Terrain.plane(), "interpreter")
    start = system.start({"z": 0.01, "speed": 0.3, "yaw_rate": 4.0})
    batch = system.rollout(start, 300, 0.001)
    assert batch.status == 0
    assert np.abs(batch["z"][100:]).max() < 1e-9 and np.abs(batch["roll_rate"][100:]).max() < 1e-9
    assert abs(batch["yaw_rate"][-1]) < 4.0 and abs(batch["speed"][-1]) < 1e-12  # friction brakes both
