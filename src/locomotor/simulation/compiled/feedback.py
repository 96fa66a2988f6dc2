"""Inputs of a run: numbers, expressions of time and channels, a controller, or all of them together."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.errors import UnknownNameError
from locomotor.model import Expression, System, as_quantity
from locomotor.names import suggestion
from locomotor.simulation.compiled.system import CompiledSystem
from locomotor.simulation.inputs import ExpressionLaw, LawBeside
from locomotor.tracing import Channels, Controller, Readings, TracedSystem, places_of
from locomotor.typing import Vector

LATER = (0.0, 1e-9, 1e-6, 1e-3, 1e-2, 1e-1)
"""How long after the last good state (s) inputs are looked at, along the motion there."""


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
        return constant, Controller(ExpressionLaw(system, tuple(constant.items()), tuple(varying.items())), formula=True)
    given = controller if isinstance(controller, Controller) else Controller(controller)
    if not quantities:
        return constant, given
    named = ExpressionLaw(system, tuple(constant.items()), tuple(varying.items()))
    return constant, replace(given, law=LawBeside(named, given.law))


class CalledLaw:
    """A controller that is called from Python: its inputs at a state, at many states, or while the compiled loop runs."""

    def __init__(self, compiled: CompiledSystem, parameters: Vector) -> None:
        traced = compiled.traced
        assert traced.controller is not None
        self._controller = traced.controller
        self._names = tuple(symbol.name for symbol in traced.system.layout.inputs)
        self._order = (*self._names, *self._controller.states)
        self._known = frozenset(self._order)
        self._law = self._controller.law
        self._places = places_of(traced)
        self._size = traced.input_port.size
        self._sensed = compiled.sensed.bind(
            np.zeros(1), np.zeros(traced.state_port.size), np.zeros(traced.input_port.size), parameters
        )

    def answer(self, sensed: list[float]) -> list[float]:
        """Inputs, and rates of the controller's states, for what the controller reads."""
        returned = self._law(Readings(self._places, sensed))
        if type(returned) is dict and returned.keys() <= self._known:  # the usual case, in a fraction of the time
            try:
                return [float(returned.get(name, 0.0)) for name in self._order]
            except (TypeError, ValueError):
                pass  # said in words below
        return self._controller.numbers(returned, self._names)

    def __call__(self, t: float, x: Vector) -> Vector:
        """Values of the inputs that the law gives at a state."""
        self._sensed.inputs[0][0] = t
        self._sensed.inputs[1][:] = x
        return np.array(self.answer(self._sensed()[0].tolist()))

    def at(self, times: Vector, states: Vector) -> Vector:
        """Inputs at several states, one a row."""
        found = [self(float(t), x) for t, x in zip(times, states, strict=True)]
        return np.array(found).reshape(len(times), self._size)


def called_law(compiled: CompiledSystem, parameters: Vector) -> CalledLaw | None:
    """The controller of a system, where it could not be traced."""
    traced = compiled.traced
    return None if traced.controller is None or traced.controller_is_traced else CalledLaw(compiled, parameters)


def lost_input(compiled: CompiledSystem, t: float, x: Vector, parameters: Vector) -> str:
    """Words for an input, or a rate, that is not finite where a run has ended, or just after; empty where all are."""
    traced, controller = compiled.traced, compiled.traced.controller
    if controller is None:
        return ""
    names = tuple(symbol.name for symbol in traced.system.layout.inputs)
    law, known, open_inputs = controller.law, places_of(traced), np.zeros(traced.input_port.size)

    def given(instant: float, state: Vector) -> Vector:
        sensed = traced.sensed(np.array([instant]), state, open_inputs, parameters)[0].tolist()
        return np.array(controller.numbers(law(Readings(known, sensed)), names))

    with np.errstate(all="ignore"):
        try:
            rate = compiled.dynamics(np.array([t]), x, given(t, x)[: traced.input_port.size], parameters)[0]
            towards = np.nan_to_num(traced.manifold.ambient_rate(x[None], np.atleast_2d(rate)))[0]
            answers = [(t + later, given(t + later, x + later * towards)) for later in LATER]
        except Exception:  # a law that fails on the way out has said so, or is no cause of this
            return ""
    for instant, values in answers:
        for name, value in zip((*names, *controller.states), values, strict=True):
            if not np.isfinite(value):
                whose = "its expression" if controller.formula else "the controller"
                return (
                    f"{whose} gives {name!r} the value {value:g} at t = {instant:.9g} s; mend it there, or end the run before"
                )
    return ""


def confirm_law(traced: TracedSystem) -> None:
    """Refuse the controller of a run that has ended if it remembers the calls."""
    if traced.controller is not None and not traced.controller_is_traced:
        traced.witness.confirm()
