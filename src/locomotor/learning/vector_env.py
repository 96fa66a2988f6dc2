"""The environment: many instances of one task in Gymnasium's vector interface, one compiled roll-out a step."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from locomotor.codegen.cuda import to_host
from locomotor.errors import TaskError
from locomotor.learning.draws import draw, keys
from locomotor.learning.engine import Engine
from locomotor.learning.task import Task
from locomotor.learning.tasks import find_task
from locomotor.learning.tensors import as_array, exporter
from locomotor.typing import Flags


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` instances of a task.

    Actions are (num_envs, actions) within [-1, 1], observations (num_envs, observations). `autoreset_mode` is that of
    Gymnasium: the next step, the same step (the last observation is then `info["final_obs"]`), or disabled (reset with
    options={"reset_mask": mask}). `tensors` is "numpy", "torch" or "jax": observations, rewards and ends then are tensors in
    the memory where they were computed, in double precision unless `dtype` is "float32". Every call gives new arrays. With
    target="cuda" that memory is the device's, "numpy" stands for CuPy arrays, and actions may be on the device too.

    Random numbers belong to a seed, an instance and an episode: `reset(seed=3)` gives instance i the same episodes whatever
    the number of instances; a list has a seed for each, and gives an instance the episodes of a single environment with it.
    An instance whose integration fails is terminated, and marked in `info["failed"]`.
    """

    def __init__(
        self,
        task: Task | str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        tensors: str = "numpy",
        dtype: str = "float64",
        threads: int = 1,
        target: str | None = None,
        max_episode_steps: int | None = None,
    ) -> None:
        self.task = find_task(task)
        if max_episode_steps is not None:
            self.task = self.task.replace(steps=max_episode_steps)
        if not isinstance(num_envs, int | np.integer) or isinstance(num_envs, bool) or num_envs < 1:
            raise TaskError(f"num_envs is {num_envs!r}; give a whole number of at least 1")
        if dtype not in ("float64", "float32"):
            raise TaskError(f"dtype is {dtype!r}; it must be 'float64' or 'float32'")
        self.num_envs = int(num_envs)
        self.mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.mode, tensors: True}
        self.dtype = np.dtype(dtype)
        self._export = exporter(tensors)
        self._engine = Engine(self.task, target, threads)
        nx, na, no = self._engine.sizes
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (na,), self.dtype.type)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (no,), self.dtype.type)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._keys: NDArray[np.uint64] | None = None
        self._episodes = np.full(self.num_envs, -1, dtype=np.int64)
        # What a step reads and writes lives where it is computed.
        xp = self._xp = self._engine.xp
        self._steps = xp.zeros(self.num_envs, dtype=np.int64)
        self._done = xp.zeros(self.num_envs, dtype=bool)
        self._states = xp.zeros((self.num_envs, nx))
        self._parameters = xp.zeros((self.num_envs, len(self._engine.free)))
        self._idle = xp.zeros((self.num_envs, len(self._engine.compiled.input_names)))

    # -- the interface ----------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes everywhere, or where options["reset_mask"] holds."""
        if seed is None or isinstance(seed, int | np.integer):
            super().reset(seed=None if seed is None else int(seed))
        everywhere = np.ones(self.num_envs, dtype=bool)
        chosen = self._mask(options["reset_mask"]) if options and "reset_mask" in options else everywhere
        before = self._keys
        self._keys = keys(seed, self.num_envs, before)
        # A seed begins its episodes anew.
        again = everywhere if before is None else (self._keys != before).any(axis=1) | self._seeded(seed)
        self._episodes[again & chosen] = -1
        self._begin(chosen)
        return self._shown(self._seen().observation), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One step everywhere; instances whose episode has ended begin a new one, as the mode says."""
        if self._keys is None:
            raise TaskError(f"{self.task.name}: call reset before step")
        if self.mode is AutoresetMode.DISABLED and self._done.any():
            count = int(self._done.sum())
            raise TaskError(f"{count} episodes have ended and autoreset is disabled; reset(options={{'reset_mask': ended}})")
        renewed = self._done.copy()
        inputs = self._engine.inputs(self._actions(actions))
        self._states, failed = self._engine.step(self._states, inputs, self._parameters)
        self._steps += 1
        if renewed.any():
            self._begin(renewed)
            inputs[renewed] = 0.0
        seen = self._engine.sense(self._times, self._states, inputs, self._parameters)
        terminated = (seen.ended | failed) & ~renewed
        truncated = (self._steps >= self.task.steps) & ~terminated & ~renewed
        rewards = seen.reward
        rewards[renewed] = 0.0
        self._done = terminated | truncated
        failed &= ~renewed
        info: dict[str, Any] = {"failed": failed} if failed.any() else {}
        observations = seen.observation
        if self.mode is AutoresetMode.SAME_STEP and self._done.any():
            observations = self._same_step(observations, info)
        return self._shown(observations), self._export(rewards), self._export(terminated), self._export(truncated), info

    # -- inside -----------------------------------------------------------------------------------------

    @property
    def states(self) -> Any:
        """States of the instances, a copy; their order is `state_names`."""
        return self._states.copy()

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the entries of a state, in order."""
        return self._engine.compiled.state_names

    @property
    def _times(self) -> Any:
        return self._steps * (self.task.dt * self.task.frame_skip)

    def _begin(self, chosen: Any) -> None:
        """New episodes of some instances; their starts are found on the host."""
        rows = np.flatnonzero(to_host(chosen))
        assert self._keys is not None
        self._episodes[rows] += 1
        unit = draw(self._keys[rows], self._episodes[rows], len(self._engine.drawn))
        states, parameters = self._engine.start(unit)
        self._states[rows], self._parameters[rows] = self._xp.asarray(states), self._xp.asarray(parameters)
        self._steps[rows] = 0
        self._done[rows] = False

    def _seen(self) -> Any:
        return self._engine.sense(self._times, self._states, self._idle, self._parameters)

    def _same_step(self, observations: Any, info: dict[str, Any]) -> Any:
        """Begin new episodes at once, and keep what was seen last of the old ones."""
        ended = self._done.copy()
        known, old = to_host(ended), to_host(observations)
        last = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(known):
            last[i] = old[i].astype(self.dtype)
        info.update({"final_obs": last, "_final_obs": known, "final_info": {}, "_final_info": known.copy()})
        self._begin(ended)
        return self._xp.where(ended[:, None], self._seen().observation, observations)

    def _shown(self, observations: Any) -> Any:
        return self._export(observations.astype(self.dtype, copy=False))

    def _actions(self, actions: Any) -> Any:
        array = as_array(actions, self._xp)
        if array.shape != self.action_space.shape:
            names = ", ".join(self.task.actions)
            wanted = self.action_space.shape
            raise TaskError(f"{self.task.name}: actions have shape {array.shape}, not {wanted}; they are: {names}")
        return array.astype(np.float64, copy=False)

    def _mask(self, mask: Any) -> Flags:
        array = np.asarray(mask)
        if array.dtype != np.bool_ or array.shape != (self.num_envs,) or not array.any():
            wrong = f"{array.dtype} {array.shape}"
            raise TaskError(f"reset_mask must be {self.num_envs} truth values of which one holds, not {wrong}")
        return array

    def _seeded(self, seed: Any) -> Flags:
        if seed is None or isinstance(seed, int | np.integer):
            return np.full(self.num_envs, seed is not None)
        return np.array([own is not None for own in seed])
