"""One step of Runge-Kutta as one function: for machines that pay for every call, and not for every operation."""

from typing import Any

import casadi

from locomotor.lie import LEFT, Manifold, step_rk4
from locomotor.tracing.contacts import retract
from locomotor.tracing.core import Field, Port, Traced


def rk4_map(dynamics: Traced, manifold: Manifold) -> Traced:
    """(time, state, inputs, parameters, step) -> `next` and the `monitor` at the state; as `runtime/rollout.h` steps."""
    state, rate = dynamics.inputs[1], dynamics.outputs[0]
    x, d, w = casadi.SX.sym("x", state.size), casadi.SX.sym("d", rate.size), casadi.SX.sym("w", rate.size)
    move = casadi.Function("move", [x, d], [retract(manifold, x, d)])
    back = casadi.Function("back", [d, w], [manifold.pull_back(d, w)])
    sizes = [port.size for port in dynamics.inputs]
    t, y, u, p = (casadi.MX.sym(f"a{i}", size) for i, size in enumerate(sizes))
    h = casadi.MX.sym("h")
    k, monitor = dynamics.function(t, y, u, p)
    between_steps = casadi.DM([not field.name.startswith("pivot_") for field in dynamics.outputs[1].fields])

    def moved(s: Any, x: Any) -> Any:
        """The rate in a stage; pivots that vanish there, or are about to, are told, as there."""
        nonlocal monitor
        found, watched = dynamics.function(t + s, x, u, p)
        missing = watched - LEFT * monitor
        monitor = casadi.if_else(casadi.logic_and(missing < 0.0, casadi.logic_not(between_steps)), missing, monitor)
        return found

    after = step_rk4(moved, k, h, y, move, back)
    function = casadi.Function("step", [t, y, u, p, h], [after, monitor]).expand()
    ports = (*dynamics.inputs, Port("step", (Field("step", "s"),)))
    return Traced(f"{dynamics.name}_step", ports, (Port("next", state.fields), dynamics.outputs[1]), function, "one step")
