"""One compiled model for every mode of a system, whose contacts are held as numbers tell (`tracing.contacts.HeldSystem`).

For many contacts, and for models that take long to compile: entering a mode is setting parameters. What this is not for, and
what is told by `unsuited`, has a model of each mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from locomotor import codegen
from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.mechanics import following
from locomotor.mechanics.tree import cyclic_joints
from locomotor.model import Contact, Parameter, Rub, System
from locomotor.model.contacts import may_lie, slip_names
from locomotor.simulation.compiled import CompiledSystem
from locomotor.simulation.events.stances import Slips, Stance
from locomotor.simulation.terrain import Rough
from locomotor.tracing import Controller, trace
from locomotor.tracing.contacts import ReadSystem, Switching, held_events, held_name, held_snapshot, places
from locomotor.typing import Vector

OPEN, HELD, SLIPPING = 0.0, 1.0, 2.0
"""How a contact is held, as `codegen/runtime/active.h` is told."""


@dataclass(frozen=True, eq=False)
class HeldKernels:
    """The compiled functions of all modes together."""

    compiled: CompiledSystem
    held: ReadSystem
    roughs: tuple[Rough, ...] = ()

    @cached_property
    def places(self) -> Kernel:
        """Places of the bodies that may touch a terrain."""
        contacts = [rough.contact for rough in self.roughs]
        return codegen.compile(places(self.held, contacts), target=self.compiled.target)

    @cached_property
    def events(self) -> Kernel:
        """Event functions: see `tracing.contacts.held_events`."""
        return codegen.compile(held_events(self.held), target=self.compiled.target)

    @cached_property
    def snapshot(self) -> Kernel:
        """Function of time and state: coordinates, velocities and energies."""
        return codegen.compile(held_snapshot(self.held), target=self.compiled.target)


def held_kernels(
    system: System,
    switching: tuple[Switching, ...],
    free: tuple[str, ...],
    controller: Controller | None,
    target: str,
    project: bool | None,
    about: Vector | None = None,
    time: float = 0.0,
) -> HeldKernels:
    """The model of a system for every mode; `about` chooses pivots of what always holds around a pose."""
    open_ = {entry.name for entry in switching}
    told = [Parameter(name, 0.0, description="how a contact is held") for name in numbers_of(system, switching)]
    flying = system.replace(
        contacts=tuple(c for c in system.contacts if c.name not in open_),
        constraints=tuple(c for c in system.constraints if c.name not in open_),
        parameters=(*(system.parameters[name] for name in system.parameters), *told),
        independent=None,
    )
    names = (*free, *supports_of(switching))
    traced = trace(flying, free=names, about=about, controller=controller, time=time)
    # An open contact may depend on the angle of a joint on which nothing depends in flight.
    reduction = replace(traced.reduction, still=traced.reduction.still & cyclic_joints(system, free))
    held = ReadSystem(
        flying, reduction, names, traced.controller, traced.controller_is_traced, traced.drift_time, switching=switching
    )
    return HeldKernels(CompiledSystem(held, target, project), held)


def supports_of(switching: Iterable[Switching]) -> tuple[str, ...]:
    """Parameters of the model beside those left free: how each contact is held, where it slips to, where joints slide to."""
    found: list[str] = []
    for entry in switching:
        found.append(held_name(entry.name))
        if isinstance(entry, Contact) and entry.law.slips:
            found += slip_names(entry.name)
        if isinstance(entry, Rub):
            found += entry.told
    return tuple(found)


def numbers_of(system: System, switching: Iterable[Switching]) -> list[str]:
    """Those of them that the system does not have yet."""
    return [name for name in supports_of(switching) if name not in system.parameters]


def held_as(switching: Iterable[Switching], closed: frozenset[str], stances: Mapping[str, Stance]) -> dict[str, float]:
    """How everything is held in a mode, as parameters."""
    found = {}
    for entry in switching:
        slips = isinstance(stances.get(entry.name), Slips)
        found[held_name(entry.name)] = (SLIPPING if slips else HELD) if entry.name in closed else OPEN
    return found


def covers(stances: Mapping[str, Stance]) -> bool:
    """Whether contacts are held in ways that numbers tell: they stick, or slip without more ado."""
    return all(stance == Slips() for stance in stances.values())


def unsuited(
    system: System, switching: Iterable[Switching], roughs: tuple[Rough, ...], drift_time: float | None, project: bool | None
) -> str:
    """Why one model cannot serve all modes of a system, "" where it can."""
    if drift_time is not None or project:
        return "drift_time and project, which close the gaps of contacts"
    if roughs:
        return f"{roughs[0].name!r}, whose ground is a terrain"
    if loads := following(system):
        return f"the friction {loads[0].name!r}, which follows the load of its joint"
    for entry in switching:
        if isinstance(entry, Rub) and not entry.turns_one_way:
            return f"the friction {entry.law.of.name!r}, which is that of a ball joint"
        if not isinstance(entry, Contact):
            continue
        if entry.pivots or entry.resists:
            return f"{entry.name!r}, which touches with a patch, or resists rolling"
        if entry.rim is not None or may_lie(entry):
            return f"the wheel {entry.name!r}, which may come to lie flat"
    return ""
