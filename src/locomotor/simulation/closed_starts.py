"""Starting states, by the batch, of systems whose contacts open and close: those named are closed, the others open."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import codegen
from locomotor.codegen import Kernel
from locomotor.errors import UnknownNameError
from locomotor.model import Persistent, System
from locomotor.model.names import suggestion
from locomotor.simulation.compiled import CompiledSystem, compile_system
from locomotor.simulation.starts import Starts
from locomotor.simulation.time_stepping import SCHEMES, SteppedSystem, compile_stepping
from locomotor.tracing import TracedSystem, trace
from locomotor.tracing.signature import Field, Port
from locomotor.tracing.switching import switching_of

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClosedStarts:
    """`Starts` for a `SteppedSystem`: contacts in `closed` touch, and velocities suit them; the others are open."""

    stepped: SteppedSystem
    names: tuple[str, ...]
    closed: tuple[str, ...] = ()
    target: str = "auto"

    def __post_init__(self) -> None:
        """Refuse contacts that do not open and close."""
        known = [entry.name for entry in switching_of(self.stepped.system)]
        for name in self.closed:
            if name not in known:
                raise UnknownNameError(f"closed: no contact named {name!r} opens and closes: {suggestion(name, known)}")

    def __call__(self, values: ArrayLike, parameters: ArrayLike | None = None) -> tuple[Vector, dict[int, str]]:
        """States of the stepped system (batch, nx) and reasons by instance, as `Starts` gives them."""
        held, reasons = self._starts(values, parameters)
        mode, flight = self._mode, self.stepped.traced
        free = mode.default_parameters if parameters is None else np.asarray(parameters, dtype=float)
        (v,) = self._velocities(np.zeros(1), held, np.zeros(mode.input_port.size), free)
        remembered = self.stepped.stepping.flight.remembered
        flags = np.tile([float(name in self.closed) for name in remembered], (len(held), 1))
        return np.hstack([held[:, : flight.nq], v, flags]), reasons

    @cached_property
    def _mode(self) -> TracedSystem:
        """The system with the closed contacts closed for good."""
        system = self.stepped.system
        open_ = {entry.name for entry in switching_of(system)} - set(self.closed)
        kept = system.replace(
            contacts=_for_good(system.contacts, open_, self.closed),
            constraints=_for_good(system.constraints, open_, self.closed),
            independent=None,
        )
        return trace(kept, free=self.stepped.traced.free_parameters)

    @cached_property
    def _starts(self) -> Starts:
        return Starts(self._mode, self.names, self.target)

    @cached_property
    def _velocities(self) -> Kernel:
        """Velocities of the system in flight from a state of the closed one."""
        mode, symbols = self._mode, self.stepped.system.layout.velocities
        wanted = self.stepped.traced.reduction.free
        port = Port("velocities", tuple(Field(symbols[i].name, symbols[i].unit) for i in wanted))
        return codegen.compile(mode.build("velocities", [(port, mode.motion.v[list(wanted)])], "all velocities"), self.target)


def compile_with_starts(
    system: System,
    names: tuple[str, ...],
    *,
    target: str = "auto",
    free: tuple[str, ...] = (),
    contacts: str | None = None,
    closed: tuple[str, ...] = (),
) -> tuple[CompiledSystem, Starts | ClosedStarts]:
    """A system compiled for batches, with its contacts in its steps where `contacts` says how, and starts from `names`."""
    host = "auto" if target == "cuda" else target
    if contacts is None:
        compiled = compile_system(system, target=target, free=free)
        return compiled, Starts(compiled.traced, names, host)
    stepped = compile_stepping(system, contacts, target=target, free=free)
    return stepped, ClosedStarts(stepped, names, closed, host)


def check_contacts(system: System, contacts: str | None, closed: Sequence[str]) -> str:
    """What is wrong with these settings for this system, "" if nothing."""
    switching = [entry.name for entry in switching_of(system)]
    if switching and contacts not in SCHEMES:
        ways = " or ".join(map(repr, SCHEMES))
        return f"{', '.join(switching)} may open and close, but contacts is {contacts!r}; give {ways}"
    if not switching and contacts is not None:
        return f"contacts is {contacts!r}, but nothing opens or closes; leave it out"
    wrong = next((name for name in closed if name not in switching), None)
    return "" if wrong is None else f"closed: no contact named {wrong!r} opens and closes: {suggestion(wrong, switching)}"


def _for_good(entries: Sequence[Any], open_: set[str], closed: Sequence[str]) -> tuple[Any, ...]:
    return tuple(replace(e, law=Persistent()) if e.name in closed else e for e in entries if e.name not in open_)
