"""Driving a system by its reduced velocities alone: the reconstruction (2.40) of Mauny 2018, without any dynamics."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from locomotor.codegen import Plan, Problem, Progress, compile, roll_out
from locomotor.model import System
from locomotor.simulation import compile_system
from locomotor.typing import Vector

Law = Callable[[float, dict[str, Vector]], dict[str, Vector]]
"""(time, channels of all instances) -> reduced velocities by name; those left out are zero."""


def drive(system: System, phases: Sequence[Law], duration: float, step: float, batch: int) -> list[dict[str, float]]:
    """Channels of each instance at the end of (g, r)_dot = (g, 1) (H v_r), from the nominal pose.

    v_r is given by each of the laws in turn, for `duration` seconds each.
    """
    compiled = compile_system(system)
    traced = compiled.traced
    names, nq = traced.reduction.names, traced.nq
    parameters, no_inputs = compiled.default_parameters, np.zeros(traced.input_port.size)
    manifold = traced.manifold.followed_by(-len(names))
    sensors = compile(traced.sensors)
    still = np.zeros((batch, len(names)))

    def velocities(law: Law, _step: int, t: float, q: Vector) -> Vector:
        outputs = sensors(np.array([t]), np.hstack([q, still]), no_inputs, parameters)
        seen = {
            name: values[:, k]
            for port, values in zip(traced.sensors.outputs, outputs, strict=True)
            for k, name in enumerate(port.names)
        }
        chosen = law(t, seen)
        return np.stack([np.broadcast_to(chosen.get(name, 0.0), batch) for name in names], axis=1)

    def rates(t: float, q: Vector, v_r: Vector) -> tuple[Vector, Vector]:
        outputs = compiled.dynamics(np.array([t]), np.hstack([q, v_r]), no_inputs, parameters)
        return outputs[0][:, : manifold.tangent_size], np.zeros((batch, 0))

    reached = np.tile(compiled.start()[:nq], (batch, 1))
    steps = round(duration / step)
    for law in phases:
        progress = Progress.start(reached, 2)
        roll_out(Problem(manifold, rates, None), progress, partial(velocities, law), Plan(steps, step, steps), True)
        reached = progress.final
    states = np.hstack([reached, still])
    outputs = compiled.observation(np.zeros(1), states, no_inputs, parameters)
    found: list[dict[str, float]] = [{} for _ in range(batch)]
    for port, values in zip(traced.observation.outputs, outputs, strict=True):
        for row, channels in zip(values, found, strict=True):
            channels.update(zip(port.names, row.tolist(), strict=True))
    return found
