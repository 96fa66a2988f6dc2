"""Moving a state on its manifold, on symbols: q exp(theta) for quaternions, x + delta for the rest."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.lie import Manifold, ops
from locomotor.mechanics.tree import tangent_rate
from locomotor.tracing.system import TracedSystem
from locomotor.typing import Array


def retract(manifold: Manifold, x: Array, delta: Array) -> Array:
    """The state x moved by a tangent vector, quaternions of unit length again."""
    return manifold.normalise(manifold.retract(x, delta))


def interpolate(manifold: Manifold, ends: tuple[Array, Array], slopes: tuple[Array, Array], s: Any) -> Array:
    """State at the fraction s between two states, by Hermite's cubic; `slopes` are derivatives by the fraction.

    Its error is of fourth order in the step.
    """
    x0, x1 = ends
    d0, d1 = slopes
    change = x1 - x0
    return manifold.normalise(x0 + s * (d0 + s * (3.0 * change - 2.0 * d0 - d1 + s * (d0 + d1 - 2.0 * change))))


def coordinate_rates(mode: TracedSystem, q: Array, v: Array, values: Mapping[str, Any]) -> Array:
    """Tangent rates of the state's coordinates for all coordinates and velocities of the system."""
    layout = mode.system.layout
    rates = [tangent_rate(j, q[layout.q[j.name]], v[layout.v[j.name]], values) for j in mode.moving if j.nv]
    rates += [v[layout.v[body.name]] for body in mode.system.bodies if body.coordinates]
    return ops.concat(*rates) if rates else np.zeros(0)
