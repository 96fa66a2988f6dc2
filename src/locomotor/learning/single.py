"""One instance in Gymnasium's plain interface: a batch of one."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from locomotor.learning.task import Task
from locomotor.learning.vector_env import VectorEnv


class SingleEnv(gymnasium.Env[Any, Any]):
    """A task with one instance; `reset(seed=3)` gives the episodes of instance 0 of a vector environment with that seed."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # Gymnasium's own attribute

    def __init__(self, task: Task | str, render_mode: str | None = None, **settings: Any) -> None:
        self.render_mode = render_mode
        self.vector = VectorEnv(task, 1, autoreset_mode=AutoresetMode.DISABLED, **settings)
        self.task = self.vector.task
        self.action_space = self.vector.single_action_space
        self.observation_space = self.vector.single_observation_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a new episode."""
        super().reset(seed=seed)
        observations, info = self.vector.reset(seed=seed)
        return observations[0], info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Advance the environment by one step."""
        observations, rewards, terminated, truncated, info = self.vector.step(np.asarray(action)[None])
        told = {name: bool(value[0]) for name, value in info.items()}
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), told
