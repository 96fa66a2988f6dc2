"""What an environment is driven by: starts, steps and senses of many instances, without any library of learning."""

from typing import Any

import numpy as np

from locomotor import checks, codegen
from locomotor.codegen import find_toolchain
from locomotor.codegen.cuda import CudaKernel, is_on_device, need_device
from locomotor.dataclass import dataclass
from locomotor.errors import TaskError
from locomotor.learning.sensing import sense
from locomotor.learning.task import Task
from locomotor.learning.tensors import aligned
from locomotor.model import impossible_rows, why_impossible
from locomotor.simulation.starts import spread
from locomotor.simulation.stepping import compile_with_starts
from locomotor.typing import Vector


@dataclass(frozen=True, eq=False)
class Sensed:
    """What is seen of each instance: observation (batch, n), reward (batch,), and whether an end is reached."""

    observation: Any
    reward: Any
    ended: Any


@checks.doors
class Engine:
    """A task compiled. An instance gives the same numbers whatever else is in the batch, and however large that is.

    `xp` is the module of the arrays that steps and senses take and give: NumPy, or CuPy with target "cuda".
    """

    def __init__(self, task: Task, target: str | None = None, threads: int = 1) -> None:
        if not isinstance(task, Task):
            raise TaskError(f"the task is {checks.shown(task)}; give a Task, or find_task(name)")
        checks.optional(checks.choice(*codegen.TARGETS, "cuda", error=TaskError))(target, f"task {task.name!r}: target")
        threads = checks.threads(threads, f"task {task.name!r}: threads")
        # One kind of code for every batch: SIMD, where there is a compiler.
        self.target = target or ("interpreter" if find_toolchain() is None else "simd")
        self.xp: Any = need_device(f"task {task.name!r}").cupy if self.target == "cuda" else np
        self.task = task
        self.threads = threads
        self.free = tuple(name for name in task.reset if name in task.system.parameters)
        self.started = tuple(name for name in task.reset if name not in self.free)
        self.compiled, self._starts = compile_with_starts(
            task.system, self.started, target=self.target, free=self.free, contacts=task.contacts, closed=task.closed
        )
        seen = sense(self.compiled.traced, task)
        self._sense: Any = CudaKernel(seen) if self.target == "cuda" else codegen.compile(seen, self.target)
        self._fixed = {name: float(value) for name, value in task.reset.items() if not isinstance(value, tuple | list)}
        self.drawn = tuple(name for name in task.reset if name not in self._fixed)
        self._ranges = np.array([task.reset[name] for name in self.drawn], dtype=float).reshape(-1, 2)
        limits = np.array(list(task.actions.values()), dtype=float)
        self._places = [self.compiled.input_names.index(name) for name in task.actions]
        self._middle, self._half = (self.xp.asarray(a) for a in (limits.mean(axis=1), np.diff(limits, axis=1)[:, 0] / 2.0))
        self._check_time()
        self._check_step()

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of a state, of an action, of an observation."""
        return len(self.compiled.state_names), len(self._places), len(self.task.observations)

    def start(self, unit: Vector) -> tuple[Vector, Vector]:
        """States and parameters of new episodes, from numbers of [0, 1) (batch, drawn), all on the host."""
        unit = checks.floats(unit, f"task {self.task.name!r}: numbers for starts", dimensions=(2,), last=len(self.drawn))
        low, high = self._ranges.T
        columns = dict(zip(self.drawn, (low + (high - low) * unit).T, strict=True))
        parameters = spread(self.free, columns, self._fixed, len(unit))
        for i in np.flatnonzero(impossible_rows(self.task.system, self.free, parameters))[:1]:
            told = why_impossible(self.task.system, dict(zip(self.free, parameters[i].tolist(), strict=True)))
            raise TaskError(f"task {self.task.name!r}: a parameter drawn is impossible ({told}); choose other ranges for reset")
        states, reasons = self._starts(spread(self.started, columns, self._fixed, len(unit)), parameters)
        if reasons:
            told = next(iter(reasons.values()))
            raise TaskError(f"task {self.task.name!r}: an episode cannot start ({told}); choose other ranges for reset")
        return states, parameters

    def inputs(self, actions: Any) -> Any:
        """Inputs of the system for actions within [-1, 1]; what is beyond is cut off."""
        if not is_on_device(actions):
            what, size = f"task {self.task.name!r}: actions", len(self._places)
            actions = self.xp.asarray(checks.floats(actions, what, dimensions=(2,), last=size, error=TaskError))
        found = self.xp.zeros((len(actions), len(self.compiled.input_names)))
        found[:, self._places] = self._middle + self._half * self.xp.clip(actions, -1.0, 1.0)
        return found

    def step(self, states: Any, inputs: Any, parameters: Any) -> tuple[Any, Any]:
        """States after one step of the environment (the last good one where it failed), and which failed."""
        task = self.task
        done = self.compiled.rollout(
            states,
            task.frame_skip,
            task.dt,
            inputs=inputs,
            parameters=parameters,
            save_every=0,
            stepper=task.stepper,
            threads=self.threads,
            trusted=True,  # judged when the episode began
        )
        return done.final, done.status != 0

    def sense(self, time: Any, states: Any, inputs: Any, parameters: Any) -> Sensed:
        """What is seen at these states; an instance with nothing but numbers in it that are none has ended."""
        if not is_on_device(time):
            time = self.xp.asarray(checks.floats(time, f"task {self.task.name!r}: times", dimensions=(1,), error=TaskError))
        observation, reward, ends = self._sense(time[:, None], states, inputs, parameters)
        xp = self.xp
        lost = ~(xp.isfinite(observation).all(axis=1) & xp.isfinite(reward[:, 0]))
        seen, paid = aligned(observation.shape, xp), aligned(lost.shape, xp)
        seen[...] = xp.where(lost[:, None], xp.nan_to_num(observation, posinf=0.0, neginf=0.0), observation)
        paid[...] = xp.where(lost, 0.0, reward[:, 0])
        return Sensed(seen, paid, ~(ends >= 0.0).all(axis=1) | lost)

    def _check_time(self) -> None:
        """Instances restart at different times, while a roll-out has one clock: the laws must not read it."""
        if self._depends_on_time():
            raise TaskError(
                f"task {self.task.name!r}: a law of {self.task.system.name} depends on the time t, but instances start their "
                "episodes at different times; make it an input, or a state of the system"
            )

    def _check_step(self) -> None:
        """Refuse explicit steps that no episode from the middle of the ranges survives, before any is learnt from."""
        task = self.task
        states, parameters = self.start(np.full((1, len(self.drawn)), 0.5))
        other = "" if task.contacts else ", or stepper='generalised-alpha', which has no limit"
        self.compiled.check_limit(
            states[0],
            task.frame_skip * task.steps,
            task.dt,
            inputs=np.zeros(len(self.compiled.input_names)),
            parameters=parameters[0],
            stepper=task.stepper,
            remedy=f"give task {task.name!r} a smaller dt{other}",
        )

    def _depends_on_time(self) -> bool:
        """Whether the same state moves on differently at another time."""
        states, parameters = self.start(np.full((1, len(self.drawn)), 0.5))
        inputs = self.inputs(self.xp.zeros((1, len(self._places))))
        rest: dict[str, Any] = {"inputs": inputs, "parameters": parameters, "save_every": 0, "stepper": self.task.stepper}
        ways = [self.compiled.rollout(states, 1, self.task.dt, start_time=t, **rest).final for t in (0.0, 0.37, 1.91)]
        return any(not np.array_equal(way, ways[0]) for way in ways)
