"""A push: an impulse on a point of a body, at an instant, and what it does to the velocities.

The constraints hold through it, so that the velocities change along the kernel H of the constraints only:

    v+ - v- = H du,     (H^T M H) du = H^T J^T P

with J the Jacobian of the point and P the impulse (N s); the momentum that the constraints take is whatever is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ViewingError
from locomotor.lie import SO3
from locomotor.mechanics.tree import Instant, body_jacobian, forward, mass_matrix
from locomotor.model import System
from locomotor.simulation import Driven, Event
from locomotor.typing import Values, Vector

MOST = 50
"""Pushes of one motion."""


@dataclass(frozen=True)
class Push:
    """An impulse (N s, along the axes of the world) on the point `at` (m) of a body, `time` seconds after the start."""

    time: float
    body: str
    at: tuple[float, ...]
    impulse: tuple[float, ...]


def event_of(push: Push) -> Event:
    """What is told of a push."""
    return Event(push.time, f"push {push.body}", f"an impulse of {np.linalg.norm(push.impulse):.4g} N s", kind="push")


def read_pushes(given: Any) -> tuple[Push, ...]:
    """Pushes from data, in the order of time; an error tells what is wrong."""
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) > MOST:
        raise ViewingError(f"pushes: give a list of at most {MOST} of them")
    found = []
    for entry in given:
        try:
            push = Push(float(entry["time"]), str(entry["body"]), _three(entry["at"]), _three(entry["impulse"]))
        except (TypeError, KeyError, ValueError):
            raise ViewingError(f"{entry!r} is no push; give time, body, at and impulse") from None
        if not np.isfinite([push.time, *push.at, *push.impulse]).all():
            raise ViewingError(f"a push at {push.time!r} s is not finite; give finite numbers")
        found.append(push)
    return tuple(sorted(found, key=lambda push: push.time))


def _three(values: Any) -> tuple[float, ...]:
    found = tuple(float(value) for value in values)
    if len(found) != 3:
        raise ValueError("three numbers")
    return found


def point_jacobian(system: System, coordinates: Vector, push: Push, values: Values) -> Vector:
    """How the point that is pushed moves with the velocities, along the axes of the world."""
    kinematics = forward(Instant(system, coordinates, np.zeros(system.layout.nv), parameters=dict(values)))
    body = system.index(push.body)
    if body < 0:
        raise ViewingError("the world cannot be pushed; push a body")
    twist = np.asarray(body_jacobian(kinematics, body), dtype=float)
    R = np.asarray(kinematics.poses[body].rotation, dtype=float)
    return np.asarray(R @ (twist[0:3] - np.asarray(SO3.hat(np.array(push.at)), dtype=float) @ twist[3:6]), dtype=float)


def jump(system: System, coordinates: Vector, kernel: Vector, push: Push, values: Values) -> Vector:
    """Change of the independent velocities, du."""
    J = point_jacobian(system, coordinates, push, values)
    kinematics = forward(Instant(system, coordinates, np.zeros(system.layout.nv), parameters=dict(values)))
    M = np.asarray(mass_matrix(kinematics), dtype=float)
    return np.asarray(np.linalg.solve(kernel.T @ M @ kernel, kernel.T @ J.T @ np.array(push.impulse)), dtype=float)


def struck(system: System, driven: Driven, now: float, x: Vector, push: Push) -> Vector:
    """The state after a push, of a compiled system with whatever independent velocities."""
    compiled, traced, times = driven.compiled, driven.compiled.traced, np.array([now])
    (kernel,) = traced.velocity_map(times, x, np.zeros(len(compiled.input_names)), driven.parameters)
    q = coordinates_at(system, driven.channels(times, x[None]))
    first, x = traced.nq, np.array(x)
    x[first : first + kernel.shape[1]] += jump(system, q, kernel, push, system.parameters.values)
    return x


def coordinates_at(system: System, channels: Mapping[str, Vector]) -> Vector:
    """All coordinates at the last recorded instant."""
    return np.array([float(channels[symbol.name][-1]) for symbol in system.layout.coordinates])
