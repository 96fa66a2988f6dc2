"""Contacts on a device: a terrain, and many contacts in the runtime, step as on the processor."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen.cuda.text import rollout_text, team_text
from locomotor.model import Contact
from locomotor.simulation.stepping import compile_stepping

from .test_cuda import compile_text, needs_device, needs_nvcc

LAW = lm.Unilateral(friction=0.5)
GRAVITY = (lm.Gravity((0.0, 0.0, -9.81)),)


def ball(ground: lm.Terrain) -> lm.System:
    return lm.System(
        "ball",
        bodies=(lm.Body("ball", 1.0, inertia=(0.004, 0.004, 0.004)),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.RollingSphere("tread", "ball", centre=(0, 0, 0), radius=0.1, law=LAW),),
        forces=GRAVITY,
        grounds=(ground,),
    )


def snake(modules: int) -> lm.System:
    """Modules on four feet each."""
    names = [f"module_{k}" for k in range(modules)]
    feet = [(x, y, -0.02) for x in (-0.03, 0.03) for y in (-0.02, 0.02)]
    joints = [
        lm.Revolute(name=f"joint_{k}", parent=names[k - 1], child=names[k], axis=(0, 0, 1), at=(-0.1, 0, 0))
        for k in range(1, modules)
    ]
    return lm.System(
        "snake",
        bodies=tuple(lm.Body(name, 0.2, inertia=(2e-4, 3e-4, 4e-4)) for name in names),
        joints=(lm.Free(name="base", parent="world", child=names[0]), *joints),
        contacts=tuple(
            lm.StickingPoint(f"foot_{k}_{i}", name, at=at, law=LAW) for k, name in enumerate(names) for i, at in enumerate(feet)
        ),
        forces=GRAVITY,
    )


@needs_device
def test_a_terrain_on_the_device(rng: np.random.Generator) -> None:
    x = np.linspace(-1.0, 1.0, 9)
    rough = lm.Terrain.heightfield(x, x, np.random.default_rng(2).uniform(0.0, 0.1, (9, 9)))
    host, device = (lm.compile(ball(rough), contacts="time-stepping", target=target) for target in ("c", "cuda"))
    states = np.array([host.start({"z": 0.3, "x": dx, "y": dy}) for dx, dy in rng.uniform(-0.5, 0.5, (70, 2))])
    wanted, found = (compiled.rollout(states, 60, 0.005) for compiled in (host, device))
    np.testing.assert_array_equal(found.status, wanted.status)
    np.testing.assert_allclose(found.final, wanted.final, rtol=0, atol=1e-9)


def level(contact: Contact) -> lm.System:
    """A body that comes down level on rough ground, where several of its points touch in one step."""
    x = np.linspace(-1.0, 1.0, 9)
    rough = lm.Terrain.heightfield(x, x, np.random.default_rng(2).uniform(0.0, 0.1, (9, 9)))
    return ball(rough).replace(contacts=(contact,))


LEVEL = [
    lm.RollingDisc("rim", "ball", (0, 0, 0), (0, 0, 1), 0.1, law=LAW),
    lm.StickingBox("hull", "ball", (0.1, 0.08, 0.02), law=LAW),
]


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("contact", LEVEL, ids=["disc", "box"])
def test_the_text_of_what_comes_down_level_compiles(contact: Contact, precision: str, tmp_path: Path) -> None:
    text = rollout_text(compile_stepping(level(contact), "time-stepping", target="interpreter").roller.program, precision)
    assert "lm_settled" in text and "lm_rollout" in compile_text(text, tmp_path)


@needs_device
@pytest.mark.parametrize("contact", LEVEL, ids=["disc", "box"])
def test_what_comes_down_level_on_the_device(contact: Contact, rng: np.random.Generator) -> None:
    host, device = (lm.compile(level(contact), contacts="time-stepping", target=target) for target in ("c", "cuda"))
    places = rng.uniform(-0.5, 0.5, (70, 2))
    states = np.array([host.start({"z": 0.15, "x": dx, "y": dy, "roll_rate": 10.0 * dx}) for dx, dy in places])
    wanted, found = (compiled.rollout(states, 100, 0.001) for compiled in (host, device))
    np.testing.assert_array_equal(found.status, wanted.status)
    assert np.quantile(np.abs(found.final - wanted.final).max(axis=1), 0.9) < 1e-9  # rounding decides who touches first in some


def test_a_team_of_threads_is_for_steps_that_call_the_runtime() -> None:
    """Many contacts have one, contacts written out and smooth dynamics none; its text says what it shares and keeps."""
    many, few = (compile_stepping(snake(n), "time-stepping", target="interpreter") for n in (5, 1))
    smooth = lm.compile(lm.catalogue.bicycle("meijaard2007"), target="interpreter")
    assert team_text(few.roller.program, "float32") is None and team_text(smooth.roller.program, "float32") is None
    for precision, size in (("float32", 4), ("float64", 8)):
        made = team_text(many.roller.program, precision)
        assert made is not None and made.launch[2] % (16 * size) == 0
        assert made.text.count("lm_columns(") == 4 and "__shfl_xor_sync" in made.text  # its definition, the stash, two passes
        teams = [loop.call.team for loop in many.roller.program.dynamics.rolled.rounds]
        assert made.scratch == 32 * (sum(team.columns for team in teams) + max(team.spare for team in teams))


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_the_text_of_teams_compiles(precision: str, tmp_path: Path) -> None:
    made = team_text(compile_stepping(snake(5), "time-stepping", target="interpreter").roller.program, precision)
    assert made is not None and "lm_rollout" in compile_text(made.text, tmp_path)


@needs_device
@pytest.mark.parametrize("height", [0.021, 0.03])  # all act: more than a team has seats for; or those that land
def test_many_contacts_on_the_device(rng: np.random.Generator, height: float) -> None:
    host, device = (lm.compile(snake(5), contacts="time-stepping", target=target) for target in ("c", "cuda"))
    state = host.start({"z": height, "speed": 0.3, "roll_rate": 20.0 * (height - 0.021)})
    states = np.tile(state, (40, 1))
    states[:, -4:] += rng.uniform(-2.0, 2.0, (40, 4))
    wanted, found = (compiled.rollout(states, 30, 0.002) for compiled in (host, device))
    np.testing.assert_array_equal(found.status, wanted.status)
    np.testing.assert_allclose(found.final, wanted.final, rtol=0, atol=1e-7)


@needs_device
def test_a_loop_on_the_device() -> None:
    host, device = (lm.compile(lm.catalogue.four_bar(), target=target) for target in ("c", "cuda"))
    states = np.tile(host.start({}), (33, 1))
    wanted, found = (compiled.rollout(states, 200, 0.002) for compiled in (host, device))
    np.testing.assert_array_equal(found.status, wanted.status)
    np.testing.assert_allclose(found.final, wanted.final, rtol=0, atol=1e-9)


def rubbing() -> lm.System:
    """Two links whose pins rub with what they bear."""
    bodies = [lm.Body(name, 1.0, com=(0.1, 0.15, -0.3), inertia=(0.02, 0.03, 0.02)) for name in "ab"]
    joints = [
        lm.Revolute(name="p", parent="world", child="a", axis=(0.0, 1.0, 0.0)),
        lm.Revolute(name="q", parent="a", child="b", at=(0.0, 0.1, -0.6), axis=(1.0, 0.0, 0.0)),
    ]
    rubs = [lm.JointFriction(name, joint, mu=0.3, radius=0.2) for name, joint in (("f", "p"), ("g", "q"))]
    return lm.System("two_links", bodies, joints, forces=[*GRAVITY, *rubs])


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_the_text_of_friction_that_follows_loads_compiles(precision: str, tmp_path: Path) -> None:
    text = rollout_text(compile_stepping(rubbing(), "time-stepping", target="interpreter").roller.program, precision)
    assert "lm_rollout" in compile_text(text, tmp_path)


@needs_device
def test_friction_that_follows_loads_on_the_device() -> None:
    host, device = (lm.compile(rubbing(), contacts="time-stepping", target=target) for target in ("c", "cuda"))
    states = np.array([host.start({"p": 0.5, "q": 0.3, "q_rate": rate}) for rate in np.linspace(-2.0, 2.0, 33)])
    wanted, found = (compiled.rollout(states, 200, 0.002) for compiled in (host, device))
    np.testing.assert_array_equal(found.status, wanted.status)
    np.testing.assert_allclose(found.final, wanted.final, rtol=0, atol=1e-9)
