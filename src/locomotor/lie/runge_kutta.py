"""The one Runge-Kutta 4 in Python, for numbers and symbols; `codegen/runtime/rollout.h` is the one for C, SIMD and CUDA."""

from collections.abc import Callable
from typing import Any

from locomotor.typing import Array

NODES = ((0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0))
"""Where in the step each stage after the first lies, and its weight."""

LEFT = 0.25
"""Of a pivot at the start of a step so much must be left in every stage: where it falls by more it is about to vanish, and a
step may go astray around that place without any stage beyond it (of 1,206 linkages that come to one, 49 did; with 0.2 none)."""


def step_rk4(
    rate: Callable[[Any, Array], Array],
    first: Array,
    h: Any,
    state: Array,
    move: Callable[[Array, Array], Array],
    pull_back: Callable[[Array, Array], Array],
) -> Array:
    """The state after a step of Runge-Kutta-Munthe-Kaas 4 (Munthe-Kaas 1998, doi 10.1007/BF02510919).

    It is classical Runge-Kutta on delta in x exp(delta); on numbers alone it is the classical method itself.

    Args:
        rate: (time since the beginning of the step, state) -> rate of the state, a tangent vector.
        first: the rate at the state itself.
        h: length of the step.
        state: where it begins.
        move: (state, delta) -> state exp(delta).
        pull_back: (delta, rate) -> rate of delta when the moved state has that rate.
    """
    k, total = first, first * (1.0 / 6.0)
    for node, weight in NODES:
        delta = k * (node * h)
        k = pull_back(delta, rate(node * h, move(state, delta)))
        total = total + k * weight
    return move(state, total * h)
