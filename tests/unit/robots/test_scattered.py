"""Robots from files, thrown on the ground in any attitude and stepped at 5 ms: none ends inside it."""

from collections.abc import Callable

import numpy as np
import pytest

import locomotor as lm
from oracles.robots import example_robot, package_file

STEP, DEEPEST = 0.005, 1e-3
"""Step (s), and how deep a contact may be at any instant (m): by how rows turn in half a step, 0.5 mm at 40 rad/s and 0.1 m."""


def humanoid() -> lm.System:
    pytest.importorskip("mujoco")
    return lm.load(package_file("dm_control", "suite/humanoid.xml"), contacts=True)


def ant() -> lm.System:
    pytest.importorskip("mujoco")
    return lm.load(package_file("gymnasium", "envs/mujoco/assets/ant.xml"), contacts=True)


def a1() -> lm.System:
    return lm.load(example_robot("a1_description/urdf/a1.urdf"), base="free", merge=True, contacts=True, meshes=False)


def scattered(system: lm.System, compiled: lm.CompiledSystem, count: int, rng: np.random.Generator) -> np.ndarray:
    """Any attitude, joints within half a radian of their pose, moving; every other on the ground, or up to 0.3 m above."""
    layout, states = system.layout, np.tile(compiled.start({}), (count, 1))
    for x in states:
        for joint in system.joints:
            if isinstance(joint, lm.Revolute):
                x[layout.q[joint.name]] += rng.uniform(-0.5, 0.5)
        for turning, place, _ in layout.manifold.slices():
            if turning:
                attitude = rng.normal(size=4)
                x[place] = attitude / np.linalg.norm(attitude)
        x[layout.nq :] = 0.5 * rng.normal(size=layout.nv)
    z = list(compiled.state_names).index("z")
    states[:, z] = 5.0
    high = depths(system, compiled.rollout(states, 1, 1e-9, channels=channels(system)))[:, 0]
    states[:, z] += high + np.where(np.arange(count) % 2, rng.uniform(0.0, 0.3, count), 0.0)
    return states


def channels(system: lm.System) -> tuple[str, ...]:
    return tuple(f"{contact.name}_gap" for contact in system.contacts)


def depths(system: lm.System, batch: lm.Batch) -> np.ndarray:
    """Of the deepest contact of each instance, at each instant."""
    return np.asarray(-np.min([batch[name] for name in channels(system)], axis=0))


def thrown(make: Callable[[], lm.System], count: int, steps: int, rng: np.random.Generator, target: str = "auto") -> None:
    system = make()
    compiled = lm.compile(system, contacts="time-stepping", target=target)
    batch = compiled.rollout(scattered(system, compiled, count, rng), steps, STEP, channels=channels(system))
    assert (np.asarray(batch.status) == 0).all(), set(batch.reasons)
    assert depths(system, batch).max() < DEEPEST


def test_some_ants_stay_above_the_ground(rng: np.random.Generator) -> None:
    thrown(ant, 32, 200, rng, "c")


@pytest.mark.slow
@pytest.mark.parametrize("robot", [humanoid, ant, a1], ids=lambda make: make.__name__)
def test_they_stay_above_the_ground(robot: Callable[[], lm.System], rng: np.random.Generator) -> None:
    """Where contacts took part only once they touched, 3, 5 and 9 of 64 stopped inside the ground, up to 25 mm deep."""
    thrown(robot, 64, 400, rng)
