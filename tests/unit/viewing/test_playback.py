"""Poses are those of the mechanics; thinning keeps extremes and the budget."""

import dataclasses

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ViewingError
from locomotor.lie import quaternion
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.viewing.scene.playback import pick_frames, pick_samples, playback_of, quaternions, rotate


def long_run(run: lm.Run, samples: int, duration: float) -> lm.Run:
    """The same channels, stretched over more samples."""
    share = np.linspace(0.0, 1.0, samples)
    old = np.linspace(0.0, 1.0, len(run))
    channels = {name: np.interp(share, old, values) for name, values in run.channels.items()}
    return dataclasses.replace(run, time=duration * share, channels=channels)


@pytest.mark.parametrize("which", ["bicycle_run", "sprung_run"])
def test_poses_are_those_of_the_kinematics(which: str, request: pytest.FixtureRequest) -> None:
    run: lm.Run = request.getfixturevalue(which)
    playback = playback_of(run)
    system = playback.system
    for k in (0, len(playback.time) // 3, len(playback.time) - 1):
        q = np.array([run[s.name][playback.samples[k]] for s in system.layout.coordinates])
        poses = forward(Instant(system, q, np.zeros(system.layout.nv))).poses
        for i, pose in enumerate(poses):
            # Single precision: 6e-8 of positions of a few metres.
            assert np.allclose(playback.poses[k, i, :3], pose.translation, atol=1e-5)
            assert np.allclose(quaternion.to_matrix(playback.poses[k, i, 3:].astype(float)), pose.rotation, atol=1e-6)


def test_quaternions_are_those_of_the_matrices_and_continuous(rng: np.random.Generator) -> None:
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    angles = np.linspace(0.0, 25.0, 400)
    given = np.stack([np.cos(angles / 2), *(a * np.sin(angles / 2) for a in axis)], axis=-1)
    R = np.array([quaternion.to_matrix(q) for q in given])[:, None]
    found = quaternions(R)[:, 0]
    assert np.allclose(np.abs(np.sum(found * given, axis=1)), 1.0, atol=1e-12)
    assert np.abs(np.diff(found, axis=0)).max() < 0.1


def test_quaternions_near_half_turns(rng: np.random.Generator) -> None:
    for axis in np.eye(3):
        for angle in (np.pi, np.pi - 1e-8, 0.0, 1e-9):
            q = np.array([np.cos(angle / 2), *(axis * np.sin(angle / 2))])
            found = quaternions(quaternion.to_matrix(q)[None, None])[0, 0]
            assert abs(float(found @ q)) == pytest.approx(1.0, abs=1e-12)


def test_rotate_is_the_rotation_matrix(rng: np.random.Generator) -> None:
    q = rng.normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    v = rng.normal(size=3)
    assert np.allclose(rotate(q, v), [quaternion.to_matrix(p) @ v for p in q], atol=1e-12)


def test_centre_is_the_centre_of_mass(bicycle_run: lm.Run) -> None:
    playback = playback_of(bicycle_run)
    assert playback.system.parameters["mB"].value == 85.0
    masses = [body.mass for body in playback.scene.bodies]
    assert sum(masses) == pytest.approx(94.0)
    # Meijaard et al. (2007): height of the centre of mass of the whole bicycle from its parameters.
    heights = np.array([0.9, 0.7, 0.35, 0.3])
    assert playback.centre[0, 2] == pytest.approx(float(np.dot(masses, heights)) / 94.0, rel=1e-5)


def test_thinning_keeps_the_ends_and_every_extreme(bicycle_run: lm.Run) -> None:
    run = long_run(bicycle_run, 50_001, 20.0)
    spike = {**run.channels, "roll_rate": run["roll_rate"].copy()}
    spike["roll_rate"][12_347] = 99.0
    run = dataclasses.replace(run, channels=spike)
    playback = playback_of(run)
    assert playback.samples[0] == 0 and playback.samples[-1] == 50_000
    assert len(playback.samples) < 3000
    for name, values in run.channels.items():
        # Single precision: 6e-8 relative.
        assert playback.channels[name].max() == pytest.approx(values.max(), rel=1e-6, abs=1e-30)
        assert playback.channels[name].min() == pytest.approx(values.min(), rel=1e-6, abs=1e-30)


def test_fast_turning_gets_more_samples_and_the_budget_limits_them(bicycle_run: lm.Run) -> None:
    run = long_run(bicycle_run, 200_000, 1000.0)  # wheels turn 15 rad/s: 15,000 rad
    assert len(pick_samples(run, 4, 1000.0)) > 15_000
    row = 4 * (len(run.channels) + 7 * 4 + 3) + 8
    assert len(pick_samples(run, 4, 1.0)) * row < 1.1e6


def test_a_million_samples_are_thinned_quickly(bicycle_run: lm.Run) -> None:
    few = dict(list(bicycle_run.channels.items())[:25])  # coordinates and velocities
    run = long_run(dataclasses.replace(bicycle_run, channels=few), 1_000_000, 100.0)
    assert playback_of(run).bytes < 3e6


def test_frames_are_the_nearest_samples(bicycle_run: lm.Run) -> None:
    frames = pick_frames(bicycle_run, 1.0 / 60.0)
    wanted = np.arange(len(frames)) / 60.0
    assert len(frames) == 121
    assert np.abs(bicycle_run.time[frames] - wanted).max() <= 0.5e-3 + 1e-12
    assert len(pick_frames(bicycle_run, 1e-5)) == len(bicycle_run)


def test_a_run_without_its_system_is_refused(bicycle_run: lm.Run) -> None:
    with pytest.raises(ViewingError, match="does not know its system"):
        playback_of(dataclasses.replace(bicycle_run, system=None))


def test_a_run_without_a_coordinate_is_refused(bicycle_run: lm.Run) -> None:
    channels = {name: values for name, values in bicycle_run.channels.items() if name != "steer"}
    with pytest.raises(ViewingError, match="'steer'"):
        playback_of(dataclasses.replace(bicycle_run, channels=channels))


def test_a_run_that_blew_up_is_still_shown(bicycle_run: lm.Run) -> None:
    wild = {**bicycle_run.channels, "speed": bicycle_run["speed"].copy()}
    wild["speed"][-1] = 1e200
    playback = playback_of(dataclasses.replace(bicycle_run, channels=wild))
    assert np.isinf(playback.channels["speed"][-1]) and np.isfinite(playback.channels["speed"][:-1]).all()


def test_what_flies_apart_is_framed_while_it_is_together() -> None:
    """A slide without a stop that nothing holds: 10 s of free fall are 490 m, and the picture is not of that size."""
    system = lm.System(
        "drop",
        [lm.Body(name, 1.0, inertia=(0.1, 0.1, 0.1), shapes=[lm.Box((0.2, 0.2, 0.2))]) for name in ("post", "sledge")],
        [
            lm.Revolute(name="hinge", parent="world", child="post", axis=(0.0, 0.0, 1.0)),
            lm.Prismatic(name="slide", parent="post", child="sledge", axis=(0.0, 0.0, 1.0)),
        ],
        forces=[lm.Gravity()],
    )
    whole = playback_of(lm.simulate(system, 10.0, step=0.02)).extent.whole
    assert 0.5 < np.ptp(whole[:, 2]) < 5.0
