"""Observations, reward and ends of a task as one traced function of time, state, inputs and parameters."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.learning.task import Task
from locomotor.lie import ops
from locomotor.tracing import Traced, TracedSystem
from locomotor.tracing.core import Field, Port
from locomotor.tracing.readings import all_channels, value_of


def sense(traced: TracedSystem, task: Task) -> Traced:
    """Ports `observation`, `reward` (1) and `ends`; only the channels that are named are computed."""
    channels = all_channels(traced)

    def port(name: str, texts: Sequence[str]) -> tuple[Port, Any]:
        values = [value_of(text, channels) for text in texts]
        fields = tuple(Field(f"{name}_{k}", "", "", text) for k, text in enumerate(texts))
        return Port(name, fields), ops.vector(*values) if values else np.zeros(0)

    outputs = [port("observation", task.observations), port("reward", [task.reward]), port("ends", list(task.ends.values()))]
    return traced.build(f"task_{task.name}", outputs, "what an agent sees, its reward, and what must stay positive")
