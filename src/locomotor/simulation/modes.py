"""Contact modes: one compiled model for each set of closed contacts, made when first met.

The modes are derived from the declared contacts: persistent ones are always closed, the others may open and close.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor import codegen
from locomotor.codegen import Kernel
from locomotor.model import Contact, Persistent, System
from locomotor.simulation.compiled import CompiledSystem
from locomotor.tracing import Controller, trace
from locomotor.tracing.hybrid import event_functions, impact_data

Vector = NDArray[np.float64]
Closed = frozenset[str]


@dataclass(frozen=True, eq=False)
class Mode:
    """A set of closed contacts and its compiled functions."""

    closed: Closed
    compiled: CompiledSystem
    events: Kernel

    @property
    def free(self) -> tuple[int, ...]:
        """Velocities that make up the reduced state."""
        return self.compiled.traced.reduction.free


@dataclass(eq=False)
class Modes:
    """All modes of a system, compiled on demand."""

    system: System
    controller: Controller | None = None
    target: str = "auto"
    _known: dict[Any, Mode] = field(default_factory=dict)

    @cached_property
    def switching(self) -> tuple[Contact, ...]:
        """Contacts that may open and close, in order."""
        return tuple(contact for contact in self.system.contacts if not isinstance(contact.law, Persistent))

    @cached_property
    def held(self) -> Closed:
        """Contacts that are always closed."""
        return frozenset(contact.name for contact in self.system.contacts if isinstance(contact.law, Persistent))

    def mode(self, closed: Closed, about: Vector | None = None) -> Mode:
        """The mode with these switching contacts closed; `about` chooses pivots around another pose."""
        key = (closed, None if about is None else about.tobytes())
        if key not in self._known:
            contacts = tuple(c for c in self.system.contacts if c.name in closed | self.held)
            independent = self.system.independent if len(contacts) == len(self.system.contacts) else None
            system = self.system.replace(contacts=contacts, independent=independent)
            traced = trace(system, about=about, controller=self.controller)
            events = codegen.compile(event_functions(traced, self.switching), target=self.target)
            self._known[key] = Mode(closed, CompiledSystem(traced, self.target), events)
        return self._known[key]

    @cached_property
    def impact(self) -> Kernel:
        """Mass matrix and contact rows for impacts."""
        return codegen.compile(impact_data(self.system, self.system.contacts), target=self.target)

    # -- states ---------------------------------------------------------------------------------------

    def state_of(self, mode: Mode, q: Vector, v: Vector, own: Vector) -> Vector:
        """State vector of a mode from all coordinates, all velocities and the controller's states."""
        return np.concatenate([q[list(mode.compiled.traced.coordinate_indices)], v[list(mode.free)], own])

    def full_state(self, mode: Mode, t: float, x: Vector, inputs: Vector) -> tuple[Vector, Vector, Vector]:
        """All coordinates, all velocities and the controller's states from a mode's state."""
        traced = mode.compiled.traced
        found = self.sensed(mode, t, x, inputs)
        q = np.array([found[symbol.name] for symbol in self.system.layout.coordinates])
        v = np.array([found[symbol.name] for symbol in self.system.layout.velocities])
        return q, v, x[traced.nq + len(traced.reduction.free) :]

    def sensed(self, mode: Mode, t: float, x: Vector, inputs: Vector) -> Mapping[str, float]:
        """Coordinates, velocities and angles by name."""
        sensors = mode.compiled.traced.sensors
        outputs = sensors(np.array([t]), x, inputs, np.zeros(0))
        return {
            name: float(value)
            for port, values in zip(sensors.outputs, outputs, strict=True)
            for name, value in zip(port.names, values, strict=True)
        }
