"""Arguments and results of roll-outs, on the host or on a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.tracing.core import Traced


@dataclass(frozen=True)
class Rollout:
    """Result of a roll-out; arrays have the batch in front unless a single state was given.

    `times` (saves,), `states` (saves, nx; or what is observed instead) with NaN after an instance stopped, `final` its last
    good state, `measures` the reductions, `status` 0 finished, 1 a monitor became negative, 2 the state was no longer finite,
    3 a quaternion of the initial state has not length one, 4 its parameters are those of nothing real, 5 an implicit step did
    not converge, `completed` the number of steps to the last good state, `monitor` the index of the monitor that stopped the
    instance, else -1.
    """

    times: Any
    states: Any
    final: Any
    measures: Any
    status: Any
    completed: Any
    monitor: Any


def shaped_arguments(
    dynamics: Traced, states: Any, steps: int, inputs: Any, parameters: Any, convert: Callable[..., Any]
) -> tuple[Any, Any, Any, bool]:
    """States (batch, nx), inputs (1 or batch, 1 or steps, nu), parameters (1 or batch, np), and whether one state was given.

    `convert(owner, port, value, dimensions)` makes the arrays, on the host or on a device.
    """
    name = dynamics.name
    _, state, control, constant = dynamics.inputs[:4]
    x = convert(name, state, states)
    single = x.ndim == 1
    x = x[None] if single else x.reshape(len(x), state.size)
    u = convert(name, control, np.zeros(control.size) if inputs is None else inputs, (1, 2, 3))
    over_steps = u.ndim == 3 or (u.ndim == 2 and single)
    if over_steps and u.shape[-2] != steps:
        raise ArgumentError(f"{name}: inputs are given for {u.shape[-2]} steps, the roll-out has {steps}")
    if u.ndim < 3:
        rows = 1 if u.ndim == 1 else len(u)
        u = u[None] if over_steps else u.reshape(rows, 1, control.size)
    if parameters is None and constant.size > 0:
        raise ArgumentError(f"{name}: parameters must be given, {constant.size} numbers: {', '.join(constant.names)}")
    p = convert(name, constant, np.zeros(0) if parameters is None else parameters)
    p = p.reshape(1 if p.ndim == 1 else len(p), constant.size)
    for label, array in (("inputs", u), ("parameters", p)):
        if len(array) not in (1, len(x)):
            raise ArgumentError(f"{name}: {label} are given for {len(array)} instances, there are {len(x)} states")
    return x, u, p, single
