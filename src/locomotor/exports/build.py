"""From a system to the model that is exported: its parameters left open, one set of closed contacts, the functions as tapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomotor.errors import ArgumentError, UnknownNameError
from locomotor.exports.model import Function, Model
from locomotor.exports.naming import identifier
from locomotor.lie import Manifold, ops
from locomotor.model import System, frictions_of
from locomotor.model.contacts import frozen
from locomotor.names import suggestion
from locomotor.simulation import starting_state
from locomotor.simulation.inputs import breaks_of
from locomotor.tracing import Port, Traced, TracedSystem, trace
from locomotor.tracing.contacts import retract
from locomotor.tracing.readings import channel_fields, chosen_channels

RESIDUALS = ("gaps", "slips")
"""Groups of channels that vanish while the constraints hold."""


def build_model(
    system: System,
    *,
    parameters: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    closed: Sequence[str] | None = None,
    start: Mapping[str, float] | None = None,
    jacobians: bool = False,
) -> Model:
    """The model of a system; see `export` for the arguments."""
    held, left_out = _closed(system, closed)
    free = tuple(system.parameters) if parameters is None else tuple(parameters)
    traced = trace(held, free=free)
    if not traced.state_port.size:
        raise ArgumentError(f"{system.name} has no state: all that moves is imposed, and there is nothing to integrate")
    rate, monitor = traced.dynamics.outputs
    rates, watched = traced.dynamics.function(*traced.arguments)
    tangent = Function("tangent", "rate of the state, of quaternions the angular velocity", _one(traced, rate, rates))
    channels = _channels(traced, outputs)
    read = [Function("outputs", "channels by name", chosen_channels(traced, channels))] if channels else []
    read += [
        Function("energy", "kinetic and potential energy", _group(traced, "energy", ("energies",))),
        Function("residuals", "gaps and slips: zero while the constraints hold", _group(traced, "residuals", RESIDUALS)),
        Function("margins", "pivots: the equations hold while all are positive", _one(traced, monitor, watched)),
    ]
    if jacobians:
        read += _jacobians(traced)
    if breaks_of(held, None):
        left_out += ("steps do not end where laws of time jump: choose them so that they do, or expect a lower order there",)
    left_out += tuple(
        f"joint {force.joint} does not stick: its dry friction {force.name} only changes its sign with the rate"
        for force in frictions_of(held)
    )
    return Model(
        identifier(system.name),
        system.name,
        traced,
        tangent,
        *_moves(traced.manifold, traced.state_port, rate),
        tuple(function for function in read if function.size),
        starting_state(traced, start),
        left_out,
    )


# --- contacts ----------------------------------------------------------------------------------------------------------


def _closed(system: System, closed: Sequence[str] | None) -> tuple[System, tuple[str, ...]]:
    """The system with one set of closed contacts, and what that leaves out, in words."""
    switching = [name for name, law in system.laws.items() if law.switches]
    for name in closed or ():
        if name not in switching:
            raise UnknownNameError(f"closed: no contact that opens and closes is named {name!r}: {suggestion(name, switching)}")
    if not switching:
        return system, ()
    if closed is None:
        example = f"closed=({switching[0]!r},)"
        raise ArgumentError(
            f"{system.name}: {', '.join(switching)} can open and close, and an export holds the equations of one set of closed "
            f"contacts; say which are closed, such as {example}, or closed=() for none"
        )
    open_ = [name for name in switching if name not in closed]
    held = system.replace(
        contacts=tuple(c for c in system.contacts if c.name not in open_),
        constraints=tuple(c for c in system.constraints if c.name not in open_),
        independent=None if open_ else system.independent,
    )
    return held, frozen(system.laws, closed)


# --- functions ---------------------------------------------------------------------------------------------------------


def _one(traced: TracedSystem, port: Port, value: Any) -> Traced:
    return traced.build(port.name, [(port, value)], port.name)


def _channels(traced: TracedSystem, wanted: Sequence[str] | None) -> tuple[str, ...]:
    known = channel_fields(traced)
    if wanted is not None and not wanted:
        return ()
    own = set(traced.state_port.names) | set(traced.input_port.names)
    if wanted is None:
        return tuple(name for name in known if name not in own) or tuple(known)
    for name in wanted:
        if name not in known:
            raise UnknownNameError(f"outputs: no channel is named {name!r}: {suggestion(name, known)}")
    return tuple(wanted)


def _group(traced: TracedSystem, name: str, kinds: Sequence[str]) -> Traced:
    """Groups of channels as one port."""
    chosen = [group for kind in kinds for group in traced.observables if group.kind == kind]
    fields = tuple(field for group in chosen for field in group.fields)
    values = [group.compute(traced.motion) for group in chosen]
    return traced.build(name, [(Port(name, fields), ops.concat(*values) if values else np.zeros(0))], name)


def _moves(manifold: Manifold, state: Port, rate: Port) -> tuple[Function, Function, Function]:
    """The maps of the state's manifold."""
    x, d, w = (ops.symbols(name, n) for name, n in (("x", state.size), ("d", rate.size), ("w", rate.size)))
    delta, tangent = Port("delta", rate.fields), Port("tangent", rate.fields)
    maps = {
        "lift": ("rate of the numbers of the state", [(state, x), (tangent, w)], state, manifold.ambient_rate(x, w)),
        "move": ("the state moved by a tangent vector", [(state, x), (delta, d)], state, retract(manifold, x, d)),
        "pull_back": (
            "rate of a tangent vector when the moved state has a given rate",
            [(delta, d), (tangent, w)],
            rate,
            manifold.pull_back(d, w),
        ),
    }
    found = [
        Function(name, about, Traced.build(name, inputs, [(Port(name, port.fields), value)], about))
        for name, (about, inputs, port, value) in maps.items()
    ]
    return found[0], found[1], found[2]


def _jacobians(traced: TracedSystem) -> list[Function]:
    """Derivatives of the rate in tangent form by state, inputs and parameters, row by row."""
    state = traced.state_port
    rates = traced.manifold.ambient_rate(traced.arguments[1], traced.dynamics.function(*traced.arguments)[0])
    lifted = traced.build("rate", [(Port("rate", state.fields), rates)], "rate of the state")
    found = []
    for by in ("state", "inputs", "parameters"):
        if lifted.inputs[lifted.input(by)].size:
            found.append(Function(f"rate_by_{by}", f"derivative of the rate by the {by}", lifted.jacobian("rate", by)))
    return found
