"""How the rate of a system changes whose contacts are held as numbers tell: the matrices of implicit steps.

The runtime solves M a = f + C^T F with C a + bias = 0 along rows that are held, F = c N along those of a contact that slips.
Along a direction of the state the same equations hold for the changes, with what changes at constant a and F on the right:

    M a' = (f - M a + C^T F)' + C_T^T c' N + C^T F',        C a' + (bias + C a)' = 0,

so that a second call of the same function gives them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import casadi
import numpy as np

from locomotor.lie import Manifold, ops
from locomotor.mechanics.impacts import STEADY
from locomotor.mechanics.tree import inverse_dynamics
from locomotor.tracing.contacts.active_numbers import solve_gives
from locomotor.tracing.contacts.held_system import HeldSystem
from locomotor.tracing.core import Field, Port, Recorder, Slopes, Traced, colours_of, tangent_basis
from locomotor.typing import Array


def held_slopes(held: HeldSystem, manifold: Manifold) -> Slopes:
    """The slopes of the rate by the state, direction by direction."""
    motion, state, n = held.motion, held.arguments[1], manifold.tangent_size
    d = casadi.SX.sym("direction", n)
    step = tangent_basis(manifold, state) @ d
    recorder = Recorder(STEADY)
    sizes, numbers = solve_gives(held.tree), held.solve_numbers
    a, forces, _ = _split(recorder.call(held.solve_call, numbers.flat), sizes)
    answer = ops.vector(*a)
    known = motion.known_acceleration
    v_dot = motion.H_r @ answer if known is None else motion.H_r @ answer + known
    applied = motion.applied
    left = inverse_dynamics(motion.kinematics, v_dot, applied.gravity, applied.wrenches) - applied.forces()
    lines = [line for row in held.rows for line in row.lines]
    normals = [forces[held.tree.begin[k]] for k, row in enumerate(held.rows) for _ in range(row.count)]
    slipping = [row.is_slipping for row in held.rows for _ in range(row.count)]
    changed = casadi.jtimes(casadi.SX(ops.vector(*numbers.friction)), state, step)
    moved: Any = np.zeros(held.system.layout.nv)
    for k, (line, force) in enumerate(zip(lines, forces, strict=True)):
        left = left - force * line
        moved = moved + ops.if_else(slipping[k], changed[k] * normals[k], 0.0) * line
    H = motion.H_r
    pushed = -casadi.jtimes(casadi.SX(H.T @ left), state, step) + H.T @ moved
    rates = [ops.dot(line, H @ answer) + rate for line, rate in zip(lines, numbers.bias, strict=True)]
    turned = casadi.jtimes(casadi.SX(ops.vector(*rates)), state, step)
    again = numbers.with_right_sides(_entries(pushed), _entries(turned))
    change = ops.vector(*_split(recorder.call(held.solve_call, again.flat), sizes)[0])
    others = [casadi.SX(held.coordinate_rates(motion.v)), casadi.SX(held.controller_rates())]
    parts = [casadi.jtimes(rate, state, step) if rate.numel() else casadi.SX(0, 1) for rate in others]
    along = casadi.vertcat(parts[0], change, parts[1])
    inputs = [*zip(held.ports, held.arguments, strict=True), (_port("direction", n), d)]
    name = f"{held.system.name}_dynamics_along"
    traced = Traced.build_with_loops(name, inputs, [(_port("change", n), along)], recorder, "change of the rate")
    pattern = _pattern(held, manifold, others)
    rows, columns = (tuple(int(k) for k in places) for places in np.nonzero(pattern))
    return Slopes(traced, rows, columns, colours_of(pattern))


def _split(found: Sequence[Any], sizes: list[int]) -> list[list[Any]]:
    places = np.cumsum([0, *sizes])
    return [list(found[a:b]) for a, b in pairwise(places)]


def _entries(vector: Array) -> list[Any]:
    return [vector[k] for k in range(ops.size(vector))]


def _pattern(held: HeldSystem, manifold: Manifold, others: list[casadi.SX]) -> Any:
    """Where the slopes may have entries: of accelerations everywhere."""
    state, n = held.arguments[1], manifold.tangent_size
    basis = np.array(casadi.DM(tangent_basis(manifold, casadi.SX.sym("x", manifold.size)).sparsity(), 1.0)) != 0.0
    blocks = []
    for rate in others:
        by_state = np.array(casadi.DM(casadi.jacobian(rate, state).sparsity(), 1.0)) != 0.0 if rate.numel() else None
        blocks.append(np.zeros((0, n), dtype=bool) if by_state is None else (by_state.astype(int) @ basis.astype(int)) > 0)
    pattern = np.vstack([blocks[0], np.ones((len(held.reduction.free), n), dtype=bool), blocks[1]])
    for turning, _, d in manifold.slices():
        if turning:
            pattern[:, d] = pattern[:, d].any(axis=1, keepdims=True)
    return pattern


def _port(name: str, size: int) -> Port:
    return Port(name, tuple(Field(f"{name}_{k}") for k in range(size)))
