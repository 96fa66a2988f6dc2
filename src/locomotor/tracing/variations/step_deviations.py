"""Step maps with the derivative of the step: what roll-outs with Jacobians of systems with contacts compute.

A step map F takes the state x to F(x, u, p). With B(x) the derivative of the state along its tangent (see `deviations`) and
B(F)+ its left inverse, a step with deviations W is

    x -> F,      W -> B(F)+ (dF/dx B(x) W + dF/du U + dF/dp P).

Everything in a step is differentiated as it is computed: sets of contacts that act are as they are at the state, and the
instants of events move as implicit functions, so that the jumps of derivatives at events (saltation matrices) are there.
Modes, 0 or 1, have no deviations.
"""

from collections.abc import Sequence

import casadi

from locomotor.tracing.contacts import FlyingSystem
from locomotor.tracing.core import Field, Port, Traced, column, tangent_basis


def step_with_deviations(
    flight: FlyingSystem, step: Traced, deviations: int, explicit: Sequence[tuple[int, str, int]] = ()
) -> Traced:
    """The step map of a state with so many deviations behind it, a matrix row by row.

    `explicit` lists (deviation, port, place): in that deviation this entry of that input (not the state) grows too.
    """
    inputs, outputs, loops = step.sources
    names = [port.name for port in step.inputs]
    symbols = [column(symbol) for _, symbol in inputs]
    at = names.index("state")
    x = symbols[at]
    following, *others = (column(expression) for _, expression in outputs)
    written_out = step.differentiable.call(symbols)[0]  # the loops of the step itself stay loops
    moving = x.shape[0] - len(flight.remembered)
    basis = tangent_basis(flight.moving_manifold, x[:moving])
    n = basis.size2()
    W = casadi.SX.sym("deviations", n * deviations)
    growth = casadi.SX(len(explicit), deviations)
    for row, (deviation, _, _) in enumerate(explicit):
        growth[row, deviation] = 1.0
    variables = casadi.vertcat(x[:moving], *(symbols[names.index(port)][place] for _, port, place in explicit))
    seeds = casadi.vertcat(basis @ casadi.reshape(W, deviations, n).T, growth)
    to_tangent = casadi.sparsify(flight.moving_manifold.left_inverse(following[:moving]))
    moved = to_tangent @ casadi.jtimes(written_out[:moving], variables, seeds)
    fields = tuple(Field(f"deviation_{i}_{j}") for i in range(n) for j in range(deviations))
    symbols[at] = casadi.vertcat(x, W)
    ports = list(step.inputs)
    ports[at] = Port("state", (*ports[at].fields, *fields))
    first = Port("next", (*step.outputs[0].fields, *(Field(f"{field.name}_next") for field in fields)))
    return Traced.build_with_loops(
        f"{step.name}_deviations",
        list(zip(ports, symbols, strict=True)),
        list(zip((first, *step.outputs[1:]), (casadi.vertcat(following, column(moved)), *others), strict=True)),
        loops,
        f"{step.about}, with derivatives",
    )
