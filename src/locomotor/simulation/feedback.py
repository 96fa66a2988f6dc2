"""Inputs of a run: numbers, expressions of time and channels, a controller, or all of them together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor import codegen
from locomotor.errors import UnknownNameError
from locomotor.model import Expression, System, as_quantity
from locomotor.model.names import suggestion
from locomotor.tracing import Channels, Controller, TracedSystem

Vector = NDArray[np.float64]
Feedback = Callable[[float, Vector], Vector]


def as_controller(
    system: System,
    inputs: Mapping[str, Any] | None,
    controller: Controller | Callable[[Channels], Mapping[str, Any]] | None,
) -> tuple[dict[str, float], Controller | None]:
    """Constant inputs by name, and one controller for everything that varies (or None)."""
    names = [symbol.name for symbol in system.layout.inputs]
    quantities = {}
    for name, value in (inputs or {}).items():
        if name not in names:
            raise UnknownNameError(f"inputs: the system has no input {name!r}: {suggestion(name, names)}")
        quantities[name] = as_quantity(value, f"input {name!r}")
    varying = {name: q for name, q in quantities.items() if isinstance(q, Expression)}
    constant = {name: float(q) for name, q in quantities.items() if not isinstance(q, Expression)}
    if controller is None and not varying:
        return constant, None
    if controller is None:
        return constant, Controller(ExpressionLaw(system, tuple(constant.items()), tuple(varying.items())))
    given = controller if isinstance(controller, Controller) else Controller(controller)
    named = ExpressionLaw(system, tuple(constant.items()), tuple(varying.items()))

    def law(channels: Channels) -> Mapping[str, Any]:
        found = named(channels)
        returned = given.law(channels)
        # What is no mapping is handed on, and refused with a sentence by whoever evaluates the controller.
        return {**found, **returned} if isinstance(returned, Mapping) else returned

    return constant, replace(given, law=law)


@dataclass(frozen=True)
class ExpressionLaw:
    """Inputs given as numbers and expressions; equal ones compare equal, so that what is compiled for one serves the other."""

    system: System
    constant: tuple[tuple[str, float], ...]
    varying: tuple[tuple[str, Expression], ...]

    def __call__(self, channels: Channels) -> dict[str, Any]:
        """Values of the inputs."""
        found: dict[str, Any] = dict(self.constant)
        parameters = self.system.parameters
        for name, expression in self.varying:
            used = {entry: channels[entry] for entry in expression.names if entry not in parameters}
            found[name] = expression.evaluate({**parameters.values, **used})
        return found


def python_feedback(traced: TracedSystem, parameters: Vector, target: str) -> Feedback:
    """Inputs computed by calling the controller from Python on channels of the current state."""
    kernel = codegen.compile(traced.sensors, target=target)
    inputs = tuple(symbol.name for symbol in traced.system.layout.inputs)
    names = [name for port in traced.sensors.outputs for name in port.names]
    bound = kernel.bind(np.zeros(1), np.zeros(traced.state_port.size), np.zeros(traced.input_port.size), parameters)
    offset = traced.nq + len(traced.reduction.free)
    assert traced.controller is not None
    controller = traced.controller

    def feedback(t: float, x: Vector) -> Vector:
        bound.inputs[0][0] = t
        bound.inputs[1][:] = x
        values = np.concatenate([output.ravel() for output in bound()])
        known = dict(zip(names, values.tolist(), strict=True), time=t, t=t)
        known.update(zip(controller.states, x[offset:].tolist(), strict=True))
        makers = {name: partial(known.__getitem__, name) for name in known}
        chosen, rates = controller.evaluate(Channels(makers), inputs)
        return np.array([*(chosen[name] for name in inputs), *rates.values()], dtype=float)

    return feedback
