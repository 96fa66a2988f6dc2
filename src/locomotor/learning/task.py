"""A learning task, declared: a system, what an agent does and sees, what it is paid for, when an episode ends."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from locomotor import checks
from locomotor.codegen import IMPLICIT
from locomotor.dataclass import dataclass
from locomotor.errors import ExpressionError, TaskError, UnknownNameError
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import System, as_quantity
from locomotor.model.expressions import Quantity, free_names
from locomotor.names import suggestion
from locomotor.simulation.stepping import check_contacts
from locomotor.tracing import observables
from locomotor.tracing.contacts import switching_of

Range = tuple[float, float]
STEPPERS = ("rk4", *IMPLICIT)
"""Methods of a task: those that remember nothing of the step before, which another episode may have made."""


@checks.doors
@dataclass(frozen=True)
class Task:
    """What an environment is made of; everything by name, nothing in code.

    `actions` maps inputs of the system to limits: an action of -1 is the low one, of 1 the high one. `observations`, `reward`
    and `ends` are expressions of the channels of a run (coordinates, velocities, angles, energies, contact forces ...), inputs,
    parameters and the time `t` of the episode; an episode is terminated where one of `ends` becomes negative, and truncated
    after `steps` steps. `reset` gives starting values and parameters: a number, or a range from which each episode draws.
    A step of the environment is `frame_skip` steps of `dt` seconds with the inputs held, by "rk4" or, for what is stiff, by an
    implicit `stepper`.

    A system whose contacts open and close is stepped as `contacts` says, by "time-stepping" or "events" (see
    `simulation.time_stepping`); `closed` names those closed at the start, and channels are those of the system in flight, the
    gaps, and whether a contact is closed (`foot_closed`).
    """

    name: str
    system: System
    actions: Mapping[str, Range]
    observations: tuple[str, ...]
    reward: str
    ends: Mapping[str, str] = field(default_factory=dict)
    reset: Mapping[str, float | Range] = field(default_factory=dict)
    dt: float = 0.005
    frame_skip: int = 4
    steps: int = 500
    contacts: str | None = None
    closed: tuple[str, ...] = ()
    description: str = ""
    stepper: str = "rk4"

    def __post_init__(self) -> None:
        checks.line(self.name, "the name of a task", error=TaskError)
        label = f"task {self.name!r}"
        checks.text(self.description, f"{label}: description", error=TaskError)
        if not isinstance(self.system, System):
            raise TaskError(f"{label}: system is {type(self.system).__name__}; give a System")
        for mapped in ("actions", "ends", "reset"):
            object.__setattr__(self, mapped, checks.mapping(getattr(self, mapped), f"{label}: {mapped}", error=TaskError))
        remedy = "give names or expressions of channels, such as ('roll', 'steer')"
        observed = checks.entries(self.observations, f"{label}: observations", remedy, TaskError)
        object.__setattr__(self, "observations", observed)
        object.__setattr__(self, "closed", checks.names(self.closed, f"{label}: closed", error=TaskError))
        object.__setattr__(self, "dt", checks.positive(self.dt, f"{label}: dt", error=TaskError))
        checks.choice(*STEPPERS, error=TaskError)(self.stepper, f"{label}: stepper")
        for size in ("frame_skip", "steps"):
            count = checks.whole(getattr(self, size), f"{label}: {size}", least=1, error=TaskError)
            object.__setattr__(self, size, count)
        inputs = [symbol.name for symbol in self.system.layout.inputs]
        if not self.actions:
            known_inputs = ", ".join(inputs) or "there are none"
            raise TaskError(f"task {self.name!r} has no actions; name inputs with their limits: {known_inputs}")
        for name, limits in self.actions.items():
            self._known(name, inputs, "action", "input")
            self._range(f"action {name!r}", limits)
        started = [symbol.name for symbol in (*chart_symbols(self.system), *self.system.layout.velocities)]
        for name, value in self.reset.items():
            self._known(name, [*started, *self.system.parameters], "reset", "starting value or parameter")
            if isinstance(value, tuple | list):
                self._range(f"reset of {name!r}", value)
            else:
                checks.number(value, f"task {self.name!r}: reset of {name!r} (a number or a range)", error=TaskError)
        if not self.observations:
            raise TaskError(f"task {self.name!r} has no observations; give names or expressions of channels")
        self._check_contacts()
        known = channel_names(self.system)
        for text, what in self._texts():
            for name in sorted(free_names(self._expression(text, what))):
                self._known(name, known, what, "channel")

    def replace(self, **changes: Any) -> Task:
        """A copy of the task with some fields changed, checked again."""
        checks.options(changes, type(self), "Task.replace")
        return dataclasses.replace(self, **changes)

    # -- checks -----------------------------------------------------------------------------------------

    def _check_contacts(self) -> None:
        wrong = check_contacts(self.system, self.contacts, self.closed)
        if wrong:
            raise TaskError(f"task {self.name!r}: {wrong}")
        if self.contacts and self.stepper != "rk4":
            raise TaskError(
                f"task {self.name!r}: stepper is {self.stepper!r}, but steps that hold contacts are made in one way only; "
                "leave it out"
            )

    def _texts(self) -> list[tuple[str, str]]:
        ends = [(text, f"end {name!r}") for name, text in self.ends.items()]
        return [*((text, "observation") for text in self.observations), (self.reward, "reward"), *ends]

    def _expression(self, text: str, what: str) -> Quantity:
        try:
            return as_quantity(text, f"task {self.name!r}, {what}")
        except ExpressionError as error:
            raise TaskError(f"task {self.name!r}, {what}: {error}") from error

    def _known(self, name: str, known: list[str], what: str, kind: str) -> None:
        if name not in known:
            near = suggestion(name, known)
            raise UnknownNameError(f"task {self.name!r}, {what}: {self.system.name} has no {kind} {name!r}: {near}")

    def _range(self, what: str, limits: Any) -> None:
        checks.span(limits, f"task {self.name!r}: {what} (a range)", error=TaskError)


def channel_names(system: System) -> list[str]:
    """Whatever an expression of a task may name."""
    switching = {entry.name for entry in switching_of(system)}
    flying = system.replace(
        contacts=tuple(c for c in system.contacts if c.name not in switching),
        constraints=tuple(c for c in system.constraints if c.name not in switching),
        independent=None if switching else system.independent,
    )
    channels = [entry.name for group in observables(flying) for entry in group.fields]
    channels += [f"{name}_{what}" for name in sorted(switching) for what in ("gap", "closed")]
    return [*channels, *system.parameters, "t"]
