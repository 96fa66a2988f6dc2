"""Environments whose states, observations and rewards stay on a CUDA device; run where there is one."""

import numpy as np
import pytest

from locomotor.codegen.cuda import missing_device_notice
from locomotor.errors import CompileError

pytest.importorskip("gymnasium")
from locomotor.learning import make_vec

needs_device = pytest.mark.skipif(bool(missing_device_notice()), reason=missing_device_notice() or "there is a device")


def actions(step: int, count: int, width: int) -> np.ndarray:
    return np.random.default_rng(step).uniform(-1.0, 1.0, (count, width))


@needs_device
@pytest.mark.parametrize("task", ["BicycleBalance", "Snakeboard", "CompassWalker"])
def test_the_device_agrees_with_the_processor(task: str) -> None:
    host, device = make_vec(task, 64, target="c"), make_vec(task, 64, target="cuda")
    seen = [env.reset(seed=3)[0] for env in (host, device)]
    np.testing.assert_allclose(seen[1].get(), seen[0], rtol=0, atol=1e-12)
    width = host.single_action_space.shape[0]
    for step in range(30):
        chosen = actions(step, 64, width)
        expected, found = host.step(chosen), device.step(device.unwrapped._xp.asarray(chosen))
        for name, a, b in zip(("observation", "reward", "terminated", "truncated"), expected, found, strict=False):
            # Rounding differs, and the motion amplifies it over the thirty steps.
            np.testing.assert_allclose(b.get(), a, rtol=0, atol=1e-8, err_msg=f"{name} after {step + 1} steps")


@needs_device
def test_tensors_stay_on_the_device() -> None:
    torch = pytest.importorskip("torch")
    env = make_vec("BicycleBalance", 128, target="cuda", tensors="torch")
    observation, _ = env.reset(seed=1)
    assert observation.is_cuda
    observation, reward, ended, _, _ = env.step(torch.zeros((128, 1), dtype=torch.float64, device="cuda"))
    assert observation.is_cuda and reward.is_cuda and ended.dtype == torch.bool


def test_without_a_device_the_reason_is_told() -> None:
    if not missing_device_notice():
        pytest.skip("there is a device")
    with pytest.raises(CompileError, match=r"task 'BicycleBalance': target 'cuda' cannot be had"):
        make_vec("BicycleBalance", 2, target="cuda")
