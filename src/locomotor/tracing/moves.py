"""Moving a state on its manifold, on symbols: q exp(theta) for quaternions, x + delta for the rest."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomotor.lie import SO3, ops, quaternion
from locomotor.mechanics.joints import tangent_rate
from locomotor.tracing._trace import Block, TracedSystem

Array = Any


def retract(blocks: Sequence[Block], x: Array, delta: Array) -> Array:
    """The state x moved by a tangent vector, quaternions of unit length again."""
    parts: list[Any] = []
    at = along = 0
    for block in blocks:
        if block[0] == "quaternion":
            turned = quaternion.multiply(x[at : at + 4], quaternion.exp(delta[along : along + 3]))
            parts.append(quaternion.normalise(turned))
            at, along = at + 4, along + 3
        else:
            n = int(block[1])  # type: ignore[misc]
            parts.append(x[at : at + n] + delta[along : along + n])
            at, along = at + n, along + n
    return ops.concat(*parts)


def pull_back(blocks: Sequence[Block], delta: Array, rate: Array) -> Array:
    """Rate of the tangent vector `delta` when the state moved by it has the tangent `rate`."""
    parts: list[Any] = []
    along = 0
    for block in blocks:
        n = 3 if block[0] == "quaternion" else int(block[1])  # type: ignore[misc]
        part = rate[along : along + n]
        parts.append(SO3.dexp_inv(delta[along : along + n]) @ part if block[0] == "quaternion" else part)
        along += n
    return ops.concat(*parts)


def ambient_rate(blocks: Sequence[Block], x: Array, rate: Array) -> Array:
    """Derivatives of the numbers of a state from a tangent rate."""
    parts: list[Any] = []
    at = along = 0
    for block in blocks:
        if block[0] == "quaternion":
            parts.append(quaternion.rate(x[at : at + 4], rate[along : along + 3]))
            at, along = at + 4, along + 3
        else:
            n = int(block[1])  # type: ignore[misc]
            parts.append(rate[along : along + n])
            at, along = at + n, along + n
    return ops.concat(*parts)


def interpolate(blocks: Sequence[Block], ends: tuple[Array, Array], slopes: tuple[Array, Array], s: Any) -> Array:
    """State at the fraction s between two states, by Hermite's cubic; `slopes` are derivatives by the fraction.

    Its error is of fourth order in the step.
    """
    x0, x1 = ends
    d0, d1 = slopes
    change = x1 - x0
    x = x0 + s * (d0 + s * (3.0 * change - 2.0 * d0 - d1 + s * (d0 + d1 - 2.0 * change)))
    parts: list[Any] = []
    at = 0
    for block in blocks:
        n = 4 if block[0] == "quaternion" else int(block[1])  # type: ignore[misc]
        part = x[at : at + n]
        parts.append(quaternion.normalise(part) if block[0] == "quaternion" else part)
        at += n
    return ops.concat(*parts)


def coordinate_rates(mode: TracedSystem, q: Array, v: Array, values: Mapping[str, Any]) -> Array:
    """Tangent rates of the state's coordinates for all coordinates and velocities of the system."""
    layout = mode.system.layout
    rates = [tangent_rate(j, q[layout.q[j.name]], v[layout.v[j.name]], values) for j in mode.moving if j.nv]
    rates += [v[layout.v[body.name]] for body in mode.system.bodies if body.coordinates]
    return ops.concat(*rates) if rates else np.zeros(0)
