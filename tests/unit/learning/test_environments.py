"""Environments: against Gymnasium's checkers, closed forms, each other, and every kind of reset."""

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import MissingExtraError, TaskError
from locomotor.learning import TASKS, Task, make_vec, register
from locomotor.learning.tensors import aligned

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed: pip install 'locomotor[learn]'")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

SLIDER = lm.System(
    "slider",
    bodies=[lm.Body("block", mass="m", inertia=(1.0, 1.0, 1.0))],
    joints=[lm.Prismatic(name="way", parent="world", child="block", axis=(1, 0, 0), drive=lm.Torque("push"))],
    inputs=[lm.Input("push", "N")],
    parameters={"m": 2.0},
)
SLIDE = Task(
    "Slide",
    SLIDER,
    actions={"push": (-1.0, 3.0)},
    observations=("way", "way_rate", "m", "t", "push"),
    reward="way + 0*m",
    ends={"out": "2 - abs(way)"},
    reset={"way": (-1.0, 1.0), "way_rate": 0.5, "m": (1.0, 3.0)},
    dt=0.01,
    frame_skip=5,
    steps=20,
)


@pytest.mark.parametrize("name", TASKS)
def test_gymnasium_approves_of_every_task(name: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        env = gymnasium.make(f"locomotor/{name}-v0")
        check_env(env.unwrapped)
    # Observations are channels, which have no bounds: the one thing that Gymnasium remarks upon.
    assert all("infinity" in str(warning.message) for warning in told), [str(w.message) for w in told]


@pytest.mark.parametrize("name", TASKS)
def test_vectors_of_every_task_step_within_their_spaces(name: str) -> None:
    env = gymnasium.make_vec(f"locomotor/{name}-v0", num_envs=5)
    observations, _ = env.reset(seed=2)
    assert observations in env.observation_space
    env.action_space.seed(1)
    for _ in range(30):
        observations, rewards, terminated, truncated, _ = env.step(env.action_space.sample())
        assert observations in env.observation_space
        assert rewards.shape == terminated.shape == truncated.shape == (5,)
        assert np.isfinite(rewards).all() and terminated.dtype == truncated.dtype == np.bool_
    env.close()


# -- what a step is -------------------------------------------------------------------------------------------


def test_a_step_follows_the_closed_form() -> None:
    env = make_vec(SLIDE, 7)
    start, _ = env.reset(seed=1)
    action = np.linspace(-1.5, 1.0, 7)[:, None]  # -1.5 is cut off at -1
    seen, rewards, *_ = env.step(action)
    push, h = -1.0 + 2.0 * (np.clip(action[:, 0], -1, 1) + 1.0), 0.05
    way, rate, mass = start[:, 0], start[:, 1], start[:, 2]
    assert np.allclose(seen[:, 0], way + rate * h + push / mass * h**2 / 2, rtol=0.0, atol=1e-14)
    assert np.allclose(seen[:, 1], rate + push / mass * h, rtol=0.0, atol=1e-14)
    assert np.array_equal(seen[:, 2], mass) and np.all(seen[:, 3] == h) and np.allclose(seen[:, 4], push)
    assert np.array_equal(rewards, seen[:, 0])
    assert (np.abs(way) <= 1.0).all() and np.ptp(mass) > 0.1 and (start[:, 3:] == 0.0).all()


# -- seeds ----------------------------------------------------------------------------------------------------


def rolled(env: Any, seed: Any, steps: int = 45) -> np.ndarray:
    """Observations of the instances over two episodes and more, actions by instance."""
    found = [env.reset(seed=seed)[0]]
    push = np.sin(np.arange(env.num_envs))[:, None]
    found += [env.step(push)[0] for _ in range(steps)]
    return np.array(found)


@pytest.mark.parametrize("task", [SLIDE, "BicycleBalance"])
def test_an_instance_is_the_same_in_a_batch_of_any_size(task: Any) -> None:
    few, many = rolled(make_vec(task, 3), 11), rolled(make_vec(task, 40), 11)
    assert np.array_equal(few, many[:, :3])
    assert len({row.tobytes() for row in many[0]}) == 40  # and no two are alike


def test_seeds_repeat_and_differ() -> None:
    env = make_vec(SLIDE, 4)
    first = rolled(env, 3)
    assert np.array_equal(first, rolled(env, 3)) and not np.array_equal(first[0], rolled(env, 4)[0])
    assert not np.array_equal(env.reset(seed=3)[0], env.reset()[0])  # without a seed: the next episode


def test_a_list_has_a_seed_for_each_and_agrees_with_single_environments() -> None:
    env = make_vec(SLIDE, 3)
    seen, _ = env.reset(seed=[5, 9, 5])
    assert np.array_equal(seen[0], seen[2]) and not np.array_equal(seen[0], seen[1])
    single = gymnasium.make(register(SLIDE)).unwrapped
    assert np.array_equal(single.reset(seed=9)[0], seen[1])
    assert np.array_equal(single.step(np.array([0.5]))[0], env.step(np.full((3, 1), 0.5))[0][1])
    with pytest.raises(TaskError, match="2 seeds are given for 3"):
        env.reset(seed=[1, 2])
    with pytest.raises(TaskError, match="a seed is -1"):
        env.reset(seed=[-1, 2, 3])


def test_without_a_seed_two_environments_differ() -> None:
    assert not np.array_equal(make_vec(SLIDE, 2).reset()[0], make_vec(SLIDE, 2).reset()[0])


# -- ends -----------------------------------------------------------------------------------------------------


def test_the_next_step_begins_a_new_episode() -> None:
    env = make_vec(SLIDE, 6)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env.reset(seed=1)
    ended = np.zeros(6, dtype=bool)
    seen_both = [False, False]
    for _ in range(60):
        seen, rewards, terminated, truncated, _ = env.step(np.ones((6, 1)))
        assert np.all(seen[ended, 3] == 0.0) and np.all(rewards[ended] == 0.0) and not (terminated | truncated)[ended].any()
        assert np.array_equal(terminated, np.where(ended, False, np.abs(seen[:, 0]) > 2.0))
        assert np.all(seen[truncated, 3] == pytest.approx(20 * 0.05))
        seen_both = [seen_both[0] or terminated.any(), seen_both[1] or truncated.any()]
        ended = terminated | truncated
    assert all(seen_both)


def test_the_same_step_begins_a_new_episode_and_keeps_the_last_observation() -> None:
    next_, same = make_vec(SLIDE, 4), make_vec(SLIDE, 4, autoreset_mode="SameStep")
    next_.reset(seed=1), same.reset(seed=1)
    for _ in range(20):
        a, b = next_.step(np.zeros((4, 1))), same.step(np.zeros((4, 1)))
        ended = a[2] | a[3]
        if ended.any():
            break
    assert np.array_equal(b[2] | b[3], ended) and np.array_equal(b[4]["_final_obs"], ended)
    for i in np.flatnonzero(ended):
        assert np.array_equal(b[4]["final_obs"][i], a[0][i])
    assert np.array_equal(b[0][ended], next_.step(np.zeros((4, 1)))[0][ended])


def test_without_autoreset_a_mask_says_where() -> None:
    env = make_vec(SLIDE, 3, autoreset_mode="Disabled", max_episode_steps=2)
    before, _ = env.reset(seed=1)
    env.step(np.zeros((3, 1)))
    assert env.step(np.zeros((3, 1)))[3].all()
    with pytest.raises(TaskError, match="3 episodes have ended"):
        env.step(np.zeros((3, 1)))
    after, _ = env.reset(options={"reset_mask": np.array([True, False, True])})
    assert after[0, 3] == after[2, 3] == 0.0 and after[1, 3] == pytest.approx(0.1)
    assert not np.array_equal(after[0], before[0])
    with pytest.raises(TaskError, match="reset_mask"):
        env.reset(options={"reset_mask": np.array([1, 0, 1])})


def test_a_bad_action_ends_its_own_instance_only() -> None:
    env = make_vec(SLIDE, 3)
    env.reset(seed=1)
    seen, rewards, terminated, _, info = env.step(np.array([[0.0], [np.nan], [0.0]]))
    assert terminated.tolist() == [False, True, False] and info["failed"].tolist() == [False, True, False]
    assert np.isfinite(seen).all() and np.isfinite(rewards).all()
    assert np.isfinite(env.step(np.zeros((3, 1)))[0]).all()


def test_wrong_use_is_told() -> None:
    env = make_vec(SLIDE, 3)
    with pytest.raises(TaskError, match="call reset before step"):
        env.step(np.zeros((3, 1)))
    env.reset(seed=0)
    with pytest.raises(TaskError, match=r"actions have shape \(3,\), not \(3, 1\); they are: push"):
        env.step(np.zeros(3))
    for settings, said in (
        ({"num_envs": 0}, "num_envs is 0"),
        ({"dtype": "float16"}, "dtype is 'float16'"),
        ({"tensors": "lists"}, "tensors is 'lists'"),
    ):
        with pytest.raises(TaskError, match=said):
            make_vec(SLIDE, **settings)


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match="pip install torch"):
        make_vec(SLIDE, tensors="torch")
    monkeypatch.setattr("locomotor.learning.registration.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'locomotor\[learn\]'"):
        make_vec(SLIDE)


@pytest.mark.slow
def test_the_package_can_be_imported_without_gymnasium() -> None:
    home = str(Path(lm.__file__).parents[1])
    script = f"import sys; sys.path.insert(0, {home!r}); sys.modules['gymnasium'] = None; import locomotor.learning as l"
    done = subprocess.run([sys.executable, "-c", f"{script}; print(len(l.TASKS))"], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(len(TASKS)), done.stderr


# -- tensors --------------------------------------------------------------------------------------------------


def test_single_precision_is_the_double_one_rounded() -> None:
    double, single = make_vec(SLIDE, 3), make_vec(SLIDE, 3, dtype="float32")
    a, b = double.reset(seed=1)[0], single.reset(seed=1)[0]
    assert b.dtype == np.float32 and np.array_equal(a.astype(np.float32), b) and b in single.observation_space


@pytest.mark.slow
def test_torch_shares_the_memory_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    plain, env = make_vec(SLIDE, 4), make_vec(SLIDE, 4, tensors="torch")
    seen, _ = env.reset(seed=1)
    assert isinstance(seen, torch.Tensor) and np.array_equal(seen.numpy(), plain.reset(seed=1)[0])
    kept = []
    monkeypatch.setattr(env._engine, "sense", _noting(env._engine.sense, kept))
    action = torch.zeros((4, 1), dtype=torch.float64)
    seen, rewards, terminated, truncated, _ = env.step(action)
    expected = plain.step(np.zeros((4, 1)))
    assert all(np.array_equal(t.numpy(), e) for t, e in zip((seen, rewards, terminated, truncated), expected, strict=False))
    assert terminated.dtype == torch.bool
    assert seen.data_ptr() == kept[0].observation.__array_interface__["data"][0]  # not a copy
    with pytest.raises(TaskError, match="detach them"):
        env.step(torch.zeros((4, 1), requires_grad=True))


@pytest.mark.slow
def test_jax_shares_the_memory_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    jax.config.update("jax_enable_x64", True)
    plain, env = make_vec(SLIDE, 4), make_vec(SLIDE, 4, tensors="jax")
    seen, _ = env.reset(seed=1)
    assert isinstance(seen, jax.Array) and np.array_equal(np.asarray(seen), plain.reset(seed=1)[0])
    kept: list[Any] = []
    monkeypatch.setattr(env._engine, "sense", _noting(env._engine.sense, kept))
    a, b = env.step(jax.numpy.zeros((4, 1))), plain.step(np.zeros((4, 1)))
    assert all(np.array_equal(np.asarray(x), y) for x, y in zip(a[:4], b[:4], strict=True))
    for shared, own in ((a[0], kept[0].observation), (a[1], kept[0].reward)):
        assert shared.unsafe_buffer_pointer() == own.__array_interface__["data"][0]  # not a copy


def _noting(function: Any, kept: list[Any]) -> Any:
    def noted(*arguments: Any) -> Any:
        kept.append(function(*arguments))
        return kept[-1]

    return noted


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 4), (0, 6)])
def test_arrays_begin_where_jax_shares_their_memory(shape: tuple[int, ...]) -> None:
    """JAX takes memory as it is where it begins at a multiple of 64 bytes, and copies any other without a word."""
    kept = [aligned(shape) for _ in range(20)]  # kept, so that no memory is used twice
    for array in kept:
        assert array.ctypes.data % 64 == 0 or not array.size
        assert array.shape == shape and array.dtype == np.float64 and array.flags.c_contiguous
        array[...] = 1.0
    assert all((array == 1.0).all() for array in kept)
