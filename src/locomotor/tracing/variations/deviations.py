"""Functions of a state with their derivatives along deviations of it: what forward-mode roll-outs integrate.

A deviation of a state is a tangent vector: one number for each number of a vector block, and a rotation vector in body axes for
each quaternion. With B(x) the derivative of the state along its tangent, a function f(t, x, u, p) becomes

    F(t, (x, W), u, p) = (f, (df/dx B) W + df/du U + df/dp P),

where the columns of W are deviations and U, P say in which of them an input or a parameter grows at unit rate.
"""

from collections.abc import Sequence

import casadi

from locomotor.lie import Manifold
from locomotor.tracing.core import Field, Port, Traced, column, derivative_of, tangent_basis

FEW = 4
"""Deviations along which derivatives one by one may be shorter than a Jacobian that is known by a way of its own."""


def with_deviations(
    function: Traced, manifold: Manifold, deviations: int, explicit: Sequence[tuple[int, str, int]] = ()
) -> Traced:
    """The function with so many deviations behind its state and behind its first output, matrices row by row.

    `explicit` lists (deviation, port, place): in that deviation this entry of that input (not the state) grows too. Further
    outputs stay as they are.
    """
    names = [port.name for port in function.inputs]
    symbols = [casadi.SX.sym(port.name, port.size) for port in function.inputs]
    x = symbols[names.index("state")]
    results = function.function.call(symbols)
    basis = tangent_basis(manifold, x)
    n = basis.size2()
    W = casadi.SX.sym("deviations", n * deviations)
    growing = [symbols[names.index(port)][place] for _, port, place in explicit]
    growth = casadi.SX(len(explicit), deviations)
    for row, (deviation, _, _) in enumerate(explicit):
        growth[row, deviation] = 1.0
    variables = casadi.vertcat(x, *growing)
    seeds = casadi.vertcat(basis @ casadi.reshape(W, deviations, n).T, growth)
    # Along few deviations derivatives are cheaper one by one, along many by the Jacobian, whose empty columns are free.
    by_growing = casadi.jacobian(results[0], casadi.vertcat(*growing)) if growing else casadi.SX(results[0].shape[0], 0)
    moved = casadi.horzcat(derivative_of(function, symbols, 0, names.index("state")), by_growing) @ seeds
    if function.by_state is None or deviations < FEW:
        ways = (casadi.jtimes(results[0], variables, seeds), moved)
        moved = min(ways, key=lambda way: casadi.n_nodes(casadi.cse(way)))
    at = names.index("state")
    first = function.outputs[0]
    symbols[at] = casadi.vertcat(x, W)
    ports = list(function.inputs)
    ports[at] = Port("state", (*ports[at].fields, *_fields(n, deviations, "")))
    grown = Port(first.name, (*first.fields, *_fields(first.size, deviations, f"_{first.name}")))
    return Traced.build(
        f"{function.name}_deviations",
        list(zip(ports, symbols, strict=True)),
        list(zip((grown, *function.outputs[1:]), (casadi.vertcat(results[0], column(moved)), *results[1:]), strict=True)),
        f"{function.about}, with derivatives",
    )


def _fields(rows: int, columns: int, suffix: str) -> tuple[Field, ...]:
    return tuple(Field(f"deviation_{i}_{j}{suffix}") for i in range(rows) for j in range(columns))
