"""Runs of systems whose contacts open and close: the event-driven loop, recorded as a `Run`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.errors import StepperError
from locomotor.model import Persistent, System
from locomotor.simulation.event_driven import EventDriven, Segment, initial_mode
from locomotor.simulation.modes import Modes
from locomotor.simulation.run import Channel, Run
from locomotor.simulation.start import starting_state
from locomotor.simulation.status import Outcome, Status
from locomotor.simulation.steppers import FixedStep, Stepper
from locomotor.tracing import Controller, trace

Vector = NDArray[np.float64]


def is_hybrid(system: System) -> bool:
    """Whether some contact may open and close."""
    return any(not isinstance(contact.law, Persistent) for contact in system.contacts)


def simulate_hybrid(
    system: System,
    duration: float,
    *,
    start: Mapping[str, float] | None,
    stepper: Stepper,
    constant: Mapping[str, float],
    controller: Controller | None,
    start_time: float,
    target: str,
) -> Run:
    """Event-driven run; samples are the integrated steps, with two at every event: before and after."""
    if not isinstance(stepper, FixedStep) or stepper.name != "rk4":
        raise StepperError(f"{system.name} has contacts that open and close; its motion is integrated with rk4, not {stepper.name}")
    modes = Modes(system, controller, target)
    if controller is not None and not modes.mode(frozenset()).compiled.traced.controller_is_traced:
        raise StepperError(
            f"{system.name} has contacts that open and close; its controller must be traceable (no `if` on channels: use "
            "expressions, or lie.ops.if_else)"
        )
    mode, x = _start(modes, start, start_time)
    loop = EventDriven(modes, stepper.step, constant)
    outcome = loop.run(mode, x, start_time, start_time + duration)
    return _record(system, modes, loop, outcome, stepper)


def _start(modes: Modes, start: Mapping[str, float] | None, time: float) -> tuple[Any, Vector]:
    """Mode and state at the start: touching contacts are closed, and velocities made consistent with them."""
    flight = modes.mode(frozenset())
    x = starting_state(flight.compiled.traced, start, time=time, assemble=False)
    q, v, own = modes.full_state(flight, time, x, np.zeros(flight.compiled.traced.input_port.size))
    closed = initial_mode(modes, q, v, time)
    mode = modes.mode(closed)
    if closed:
        x = starting_state(mode.compiled.traced, start, time=time, assemble=False)
        return mode, x
    return mode, modes.state_of(mode, q, v, own)


def _record(system: System, modes: Modes, loop: EventDriven, outcome: Outcome, stepper: FixedStep) -> Run:
    """Channels of all segments; those of an open contact are zero (forces) or not a number (places)."""
    everything = trace(system.replace(contacts=tuple(system.contacts)), controller=loop.modes.controller)
    about = {
        field.name: Channel(field.unit, field.latex, field.description, port.name)
        for port in everything.observation.outputs
        for field in port.fields
    }
    for name in everything.controller_states:
        about[name] = Channel("", "", "state of the controller", "controller")
    for contact in modes.switching:
        about[f"{contact.name}_closed"] = Channel("1", "", f"whether contact {contact.name!r} is closed", "modes")
    parts = [_channels(modes, loop, segment, about) for segment in loop.segments]
    channels = {name: np.concatenate([part[name] for part in parts]) for name in about}
    for name, channel in about.items():
        if channel.group == "angles" and np.isfinite(channels[name]).all():
            channels[name] = np.unwrap(channels[name])
    times = np.concatenate([np.array(segment.times) for segment in loop.segments])
    end = float(times[-1])
    return Run(
        name=system.name,
        time=times,
        channels=channels,
        about=about,
        status=Status(outcome, end, "" if outcome is Outcome.COMPLETED else "the motion so far is in the run"),
        parameters=dict(system.parameters.values),
        settings={"stepper": stepper.name, "step": stepper.step, "modes": len(loop.segments)},
        events=tuple(loop.events),
        system=system,
    )


def _channels(modes: Modes, loop: EventDriven, segment: Segment, about: Mapping[str, Channel]) -> dict[str, Vector]:
    mode = segment.mode
    traced = mode.compiled.traced
    times, states = np.array(segment.times), np.array(segment.states)
    inputs = np.broadcast_to(loop.inputs_of(mode), (len(times), traced.input_port.size))
    outputs = mode.compiled.observation(times[:, None], states, inputs, modes.parameters)
    found: dict[str, Vector] = {}
    for port, values in zip(traced.observation.outputs, outputs, strict=True):
        found.update({name: values[:, k] for k, name in enumerate(port.names)})
    first = traced.nq + len(traced.reduction.free)
    found.update({name: states[:, first + k] for k, name in enumerate(traced.controller_states)})
    seen = loop.look(mode, times, states)
    for i, contact in enumerate(modes.switching):
        found[f"{contact.name}_gap"] = seen["gap"][:, i]
        found[f"{contact.name}_closed"] = np.full(len(times), float(contact.name in mode.closed))
    for name, channel in about.items():
        if name not in found:
            absent = 0.0 if channel.group in ("multipliers", "contact_forces", "slips") else np.nan
            found[name] = np.full(len(times), absent)
    return found
