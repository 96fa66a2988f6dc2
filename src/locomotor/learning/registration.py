"""Environments by name for `gymnasium.make` and `gymnasium.make_vec`, or straight from a task."""

from importlib.util import find_spec
from typing import Any

from locomotor import checks
from locomotor.errors import MissingExtraError, TaskError
from locomotor.learning.task import Task
from locomotor.learning.tasks import TASKS, find_task

# As text: Gymnasium loads them when an environment is made, so that nothing here needs it before.
SINGLE, VECTOR = "locomotor.learning.single:SingleEnv", "locomotor.learning.vector_env:VectorEnv"

OF_GYMNASIUM = ("vectorization_mode", "vector_kwargs", "wrappers")
"""Settings that Gymnasium's own `make_vec` takes."""


def make_vec(task: Task | str, num_envs: int = 1, **settings: Any) -> Any:
    """A vector environment of a task, by its name or your own; see `VectorEnv` for the settings."""
    require_gymnasium()
    import gymnasium

    own = {name: value for name, value in settings.items() if name not in OF_GYMNASIUM}
    checks.options(own, gymnasium.envs.registration.load_env_creator(VECTOR), "make_vec")
    num_envs = checks.whole(num_envs, "num_envs", least=1, error=TaskError)
    spec = gymnasium.envs.registration.EnvSpec(_id(find_task(task)), vector_entry_point=VECTOR, kwargs={"task": task})
    return gymnasium.make_vec(spec, num_envs=num_envs, **settings)


@checks.fitting
def register(task: Task | str) -> str:
    """Register a task of your own, so that `gymnasium.make_vec(id, num_envs=...)` knows it; returns the id."""
    require_gymnasium()
    import gymnasium

    identity = _id(find_task(task))
    gymnasium.registry.pop(identity, None)
    gymnasium.register(identity, entry_point=SINGLE, vector_entry_point=VECTOR, kwargs={"task": task})
    return identity


def register_all() -> None:
    """Register the tasks of the library, where Gymnasium is installed."""
    if find_spec("gymnasium") is not None:
        for name in TASKS:
            register(name)


def require_gymnasium() -> None:
    """Say how to get Gymnasium where it is missing."""
    if find_spec("gymnasium") is None:
        raise MissingExtraError("environments need the package gymnasium: pip install 'locomotor[learn]'")


def _id(task: Task | str) -> str:
    return f"locomotor/{task if isinstance(task, str) else task.name}-v0"
