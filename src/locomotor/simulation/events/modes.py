"""Contact modes: one compiled model for each set of closed contacts, made when first met.

The modes are derived from the declared contacts: persistent ones are always closed, the others may open and close. A
coupling with a law of its own (a joint stop) counts as a contact. A contact on a terrain counts as several, its slots: each
may stand on another part of the terrain (see `footing`).
"""

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from locomotor import codegen
from locomotor.codegen import Kernel, virtual_kernel
from locomotor.dataclass import dataclass, replace
from locomotor.errors import ContactLawError, ModelError
from locomotor.lie import ops
from locomotor.mechanics import check_pressed
from locomotor.mechanics.tree import cyclic_joints
from locomotor.model import Contact, Coupling, Rub, System, with_rubs
from locomotor.model.contacts import sided
from locomotor.simulation.compiled import CompiledSystem
from locomotor.simulation.events.held_modes import HeldKernels, covers, held_as, held_kernels, supports_of, unsuited
from locomotor.simulation.events.mode import Closed, Mode, ModeKernels
from locomotor.simulation.events.stances import Stance, held
from locomotor.simulation.inputs import ExpressionLaw
from locomotor.simulation.latest import Latest
from locomotor.simulation.terrain import Footholds, Footing, Rough, parameter_names, rough_contacts, standing
from locomotor.tracing import Controller, TracedSystem, trace
from locomotor.tracing.contacts import Switching, impact_data
from locomotor.typing import Flags, Vector

MANY, SOME = 5, 3
"""From so many contacts on one model serves all modes; the second where bodies bend or loops close, whose models are long.

Seconds of a run with nothing compiled before, a model of each mode against one for all: two contacts of a rod 1.6 and 1.7,
three of the woodpecker 1.5 and 1.9, four of a chair 1.1 and 2.4; eight of a box that tumbles 10 and 1; of soft bodies four of
a snake 69 and 18, five of the sidewinder more than 300 and 37; six of the Strandbeest 45 and 11.
"""
LONG = 20_000
"""Operations of the data of impacts above which a compiler takes longer for them than all impacts do."""
MOST_MODES = 256
"""Modes that are kept: on a terrain, and with pivots chosen around a pose, run after run meets others."""
MOST_STARTS = 16
"""Starts that are kept: runs with other inputs, lengths or steps often begin where one did."""
PARALLEL = 6
"""Decimal places to which the normals of parallel faces agree."""


@dataclass(frozen=True, eq=False)
class Modes:
    """All modes of a system, compiled on demand."""

    system: System
    controller: Controller | None = None
    target: str = "auto"
    free: tuple[str, ...] = ()
    """Parameters that stay arguments of the compiled functions."""
    drift_time: float | None = None
    project: bool | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    """Values of free parameters; those of the system where none is given."""
    solver: str = "traced"
    """"traced": a model of each mode; "runtime": one model for all of them; "auto": by the number of contacts."""
    _known: dict[Any, Mode] = field(default_factory=dict, repr=False)
    _held: dict[Any, HeldKernels] = field(default_factory=dict, repr=False)
    _impact: list[Kernel] = field(default_factory=list, repr=False)
    _struck: list[tuple[Any, Mapping[str, Vector]]] = field(default_factory=list, repr=False)
    starts: Latest[Any] = field(default_factory=lambda: Latest(MOST_STARTS), repr=False)
    """Starts that were found, by everything that they follow from."""
    followers: list[Any] = field(default_factory=list, repr=False)
    """Who has followed runs in machine code (`follow.Follower`), and waits for the next."""

    def __post_init__(self) -> None:
        """Let joints with dry friction stick and slide as contacts do."""
        object.__setattr__(self, "system", with_rubs(self.system))
        if self.solver == "runtime" and (reason := self._unsuited):
            raise ContactLawError(f"{self.system.name}: solver='runtime' is not for {reason}; leave it out")

    def with_values(self, given: Mapping[str, float]) -> "Modes":
        """The same modes with other values of the free parameters: what is compiled is shared, now and later."""
        other = replace(self, given=dict(given))
        for name in ("switching", "roughs", "contact_of", "names", "gated", "held", "still", "rubs", "shares_a_model"):
            other.__dict__[name] = getattr(self, name)
        return other

    @cached_property
    def takes_symbols(self) -> bool:
        """Whether forces and laws can be computed for parameters that are no numbers; kinds of one's own may compare them."""
        values: dict[str, Any] = {**self.values, **{name: ops.symbols(name, 1) for name in self.free}}
        try:
            for law in (entry.law for entry in self.switching):
                asked = [law.static_at, law.friction_at] if law.slips else []
                asked += ([law.patch_at] if law.pivots else []) + ([law.resistance_at] if law.resists else [])
                for answer in asked:
                    ops.vector(answer(values))
            return self.mode(frozenset()).compiled.traced.dynamics is not None
        except Exception:  # whatever a kind of one's own raises: numbers serve it, and tell what is wrong
            return False

    @cached_property
    def values(self) -> dict[str, float]:
        """Values of all parameters."""
        return {**self.system.parameters.values, **self.given}

    @cached_property
    def parameters(self) -> Vector:
        """Values of the free parameters, in order."""
        values = self.values
        return np.array([values[name] for name in self.free], dtype=float)

    def parameters_on(self, mode: Mode, holds: Footholds) -> Vector:
        """Values of the parameters that a mode leaves free, those of what its contacts on terrain stand on included."""
        names, values = mode.compiled.traced.free_parameters, self.values
        if not mode.supports:
            return np.array([values[name] for name in names], dtype=float)
        blank, told = dict.fromkeys(mode.supports, 0.0), {**holds.values(), **mode.numbers}
        found = [told[n] if n in told else values[n] if n in values else blank[n] for n in names]
        return np.array(found, dtype=float)

    @cached_property
    def switching(self) -> tuple[Switching, ...]:
        """Contacts that may open and close, in order, the slots of those on terrain, then such couplings."""
        slots = {rough.name: rough.slots for rough in self.roughs}
        return tuple(
            replace(entry, name=slot) if slot != entry.name else entry
            for entry in with_laws(self.system)
            if entry.law.switches
            for slot in slots.get(entry.name, (entry.name,))
        )

    def as_held(self, sides: Mapping[str, str]) -> tuple[Switching, ...]:
        """What may open and close, with wheels that touch with their sides as they do."""
        if not sides:
            return self.switching
        return tuple(sided(e, sides.get(e.name, "")) if isinstance(e, Contact) else e for e in self.switching)

    @cached_property
    def roughs(self) -> tuple[Rough, ...]:
        """Contacts whose ground is a terrain."""
        return rough_contacts(self.system, self.values)

    @cached_property
    def contact_of(self) -> dict[str, str]:
        """The contact as declared of everything that may open and close."""
        declared = {slot: rough.name for rough in self.roughs for slot in rough.slots}
        declared |= {entry.name: entry.law.of.name for entry in self.switching if isinstance(entry, Rub)}
        return {name: declared.get(name, name) for name in self.names}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the switching contacts; a contact on a terrain has one for each slot."""
        return tuple(entry.name for entry in self.switching)

    @cached_property
    def gated(self) -> Flags:
        """Which of them may pass through their ground while a condition does not hold."""
        return np.array([entry.law.is_gated for entry in self.switching], dtype=bool)

    @cached_property
    def rubs(self) -> dict[int, list[int]]:
        """Joints with dry friction: number among what switches -> places of their rates among all velocities."""
        found = {i: e.velocities for i, e in enumerate(self.switching) if isinstance(e, Rub)}
        return {i: [self.system.layout.index_v(name) for name in names] for i, names in found.items()}

    @property
    def rubbing(self) -> Closed:
        """Names of the dry friction of joints."""
        return frozenset(self.names[i] for i in self.rubs)

    @cached_property
    def held(self) -> Closed:
        """Contacts that are always closed."""
        return frozenset(contact.name for contact in self.system.contacts if not contact.law.switches)

    @cached_property
    def still(self) -> frozenset[str]:
        """Joints whose angle nothing depends on, whatever is closed."""
        return cyclic_joints(self.system, self.free)

    def mode(
        self,
        closed: Closed,
        about: Vector | None = None,
        footings: Mapping[str, Footing] | None = None,
        hint: Vector | None = None,
        time: float = 0.0,
        stances: Mapping[str, Stance] | None = None,
    ) -> Mode:
        """The mode with these switching contacts closed, each as declared or in its stance.

        `about` chooses pivots around another pose.

        Where coefficients of constraints depend on time, pivots are chosen for the given instant.

        The slots of contacts on terrain stand on `footings`. A mode with some is made around the pose `hint` when first met.
        """
        under = {slot: entry for slot, entry in (footings or {}).items() if slot in closed}
        when = time if self.system.turns_with_time else 0.0
        standing_so = {name: stance for name, stance in (stances or {}).items() if name in closed}
        key = (_kinds(closed, under, standing_so), None if about is None else (about.tobytes(), when))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._made(closed, about, hint, under, when, standing_so)
            for oldest in list(self._known)[:-MOST_MODES]:
                self._known.pop(oldest, None)
        return known

    def _made(
        self,
        closed: Closed,
        about: Vector | None,
        hint: Vector | None,
        footings: Mapping[str, Footing],
        time: float,
        stances: Mapping[str, Stance],
    ) -> Mode:
        """A mode around a pose or, where none is given, around the nominal one if contacts can be closed so there.

        Two corners on one side of a box are above each other in its nominal pose, and beside each other once it has fallen.
        """
        if self.shares_a_model and covers(stances):
            return self._shared(closed, about, hint, time, stances)
        if about is not None or hint is None:
            return self._make(closed, about, footings, time, stances)
        if footings:
            return self._make(closed, hint, footings, time, stances)
        try:
            return self._make(closed, None, footings, time, stances)
        except ModelError:
            return self._make(closed, hint, footings, time, stances)

    def _shared(
        self, closed: Closed, about: Vector | None, hint: Vector | None, time: float, stances: Mapping[str, Stance]
    ) -> Mode:
        """A mode of the model that serves all: numbers tell how contacts are held."""
        key = None if about is None else (about.tobytes(), time)
        if key not in self._held:
            self._held[key] = held_kernels(
                self._alone, self.switching, self.free, self.controller, self.target, self.project, about, time
            )

        def alone() -> TracedSystem:
            return self._traced_alone(closed, about, hint, time, stances)

        return Mode(
            closed,
            self._held[key],
            self.switching,
            self.roughs,
            supports_of(self.switching),
            stances,
            numbers=held_as(self.switching, closed, stances),
            alone=alone if closed else None,
        )

    def _traced_alone(
        self, closed: Closed, about: Vector | None, hint: Vector | None, time: float, stances: Mapping[str, Stance]
    ) -> TracedSystem:
        """The model of one mode alone, around the nominal pose or, where that is singular, around another."""
        for pose in (about, hint) if hint is not None and about is None else (about,):
            try:
                return self._traced(closed, pose, {}, time, stances)[0]
            except ModelError:
                if pose is hint or hint is None or about is not None:
                    raise
        raise AssertionError

    def _make(
        self,
        closed: Closed,
        about: Vector | None,
        footings: Mapping[str, Footing],
        time: float,
        stances: Mapping[str, Stance],
    ) -> Mode:
        traced, supports = self._traced(closed, about, footings, time, stances)
        switching = self.as_held({name: stance.side for name, stance in stances.items() if stance.side})
        project = None if self.project is None else self.project and traced.system.holds
        return Mode(
            closed,
            ModeKernels(CompiledSystem(traced, self.target, project), switching, self.roughs),
            switching,
            self.roughs,
            supports,
            stances,
            frozenset(slot for slot, entry in footings.items() if entry.pins),
        )

    def _traced(
        self,
        closed: Closed,
        about: Vector | None,
        footings: Mapping[str, Footing],
        time: float,
        stances: Mapping[str, Stance],
    ) -> tuple[TracedSystem, tuple[str, ...]]:
        """The model of one mode, and the names of its parameters beside those left free."""
        open_ = set(self.names) - closed
        system = standing(self._alone, self.roughs, footings) if self.roughs else self._alone
        supports = tuple(name for slot, entry in footings.items() for name in parameter_names(slot, entry.kind))
        supports += tuple(name for contact, stance in stances.items() for name in stance.parameters(contact))
        supports += tuple(name for e in self.switching if isinstance(e, Rub) and e.name not in closed for name in e.told)
        if open_ or about is not None:
            system = system.replace(
                contacts=tuple(c for c in system.contacts if c.name not in open_),
                constraints=tuple(c for c in system.constraints if c.name not in open_),
                independent=None,
            )
        for name, stance in stances.items():
            system = held(stance, system, name)
        free = (*self.free, *supports)
        traced = trace(system, free=free, about=about, controller=self.controller, drift_time=self.drift_time, time=time)
        # An open contact may depend on the angle of a joint on which nothing depends in this mode.
        still = traced.reduction.still & self.still
        return replace(traced, reduction=replace(traced.reduction, still=still)), supports

    @cached_property
    def _alone(self) -> System:
        """The system with laws that name no other contact: in a mode those may be missing, and nothing strikes there."""
        if not any(law.others for law in self.system.laws.values()):
            return self.system
        return self.system.replace(
            contacts=tuple(replace(c, law=c.law.alone()) for c in self.system.contacts),
            constraints=tuple(replace(c, law=c.law.alone()) if isinstance(c, Coupling) else c for c in self.system.constraints),
        )

    def variants(self, like: Mode, footings: Mapping[str, Footing]) -> tuple[Mode, ...]:
        """The modes made so far with the same contacts closed in the same way; they differ in their pivots."""
        wanted = _kinds(like.closed, footings, like.stances)
        return tuple(mode for (known, _), mode in self._known.items() if known == wanted)

    def is_usual(self, mode: Mode) -> bool:
        """Whether a mode has the pivots that are tried first."""
        return any(known is mode and about is None for (_, about), known in self._known.items())

    @cached_property
    def _unsuited(self) -> str:
        """Why one model cannot serve all modes, "" where it can."""
        return unsuited(self.system, self.switching, self.roughs, self.drift_time, self.project)

    @cached_property
    def shares_a_model(self) -> bool:
        """Whether one model serves all modes."""
        if self.solver == "traced" or self._unsuited:
            return False
        heavy = self.system.loops or any(body.coordinates for body in self.system.bodies)
        return self.solver == "runtime" or len(self.switching) >= (SOME if heavy else MANY)

    @property
    def impact(self) -> Kernel:
        """Mass matrix and contact rows for impacts."""
        if not self._impact:
            traced = impact_data(self.system, self.free)
            long = traced.operations > LONG
            self._impact.append(virtual_kernel(traced) if long else codegen.compile(traced, target=self.target))
        return self._impact[0]

    def impact_at(self, time: float, q: Vector) -> Mapping[str, Vector]:
        """What `impact` gives at a configuration, by name; several ask for it at one instant, and nobody may write into it."""
        key = (time, q.tobytes(), self.parameters.tobytes())
        for known, data in tuple(self._struck):
            if known == key:
                return data
        found = self.impact.by_name(np.array([key[0]]), q, self.parameters)
        self._struck[:] = [*self._struck[-1:], (key, found)]  # the places and the rows of one instant
        return found

    @cached_property
    def has_friction(self) -> bool:
        """Whether some contact may slip."""
        return any(entry.law.slips for entry in self.switching)

    @cached_property
    def has_resistance(self) -> bool:
        """Whether some contact resists rolling."""
        return any(entry.law.resists for entry in self.switching)

    @cached_property
    def has_grips(self) -> bool:
        """Whether some contact holds wherever it is."""
        return any(entry.law.grips for entry in self.switching)


def _kinds(
    closed: Closed, footings: Mapping[str, Footing], stances: Mapping[str, Stance]
) -> frozenset[tuple[str, str, str, Stance | None]]:
    """Closed contacts, what they stand on and whether it pins them, the first of those on a parallel face, their stances.

    Rows that depend on each other on one plane (the fourth foot of a table) do not on two; which do depends on where in the
    body they are.
    """
    level: dict[tuple[float, ...], str] = {}
    found = []
    for name in sorted(closed):
        entry = footings.get(name)
        vectors = {} if entry is None else entry.vectors
        normal = tuple(np.round(vectors["normal"], PARALLEL)) if "normal" in vectors else None
        beside = "" if normal is None else level.setdefault(normal, name)
        kind = "" if entry is None else f"{entry.kind} {entry.feature.part} {entry.pins}"
        found.append((name, kind, beside, stances.get(name)))
    return frozenset(found)


def with_laws(system: System) -> tuple[Switching, ...]:
    """Everything that has a contact law: contacts, couplings, and joints that rub."""
    with_law = (entry for entry in system.constraints if isinstance(entry, Coupling | Rub))
    found: tuple[Switching, ...] = (*system.contacts, *with_law)
    return found


def modes_of(
    system: System,
    controller: Controller | None,
    target: str,
    drift_time: float | None = None,
    project: bool | None = None,
    solver: str = "traced",
    free: tuple[str, ...] = (),
) -> Modes:
    """The modes of a system; those compiled before for the same system and the same laws of inputs are used again.

    A controller that is a Python function may read anything, so that nothing made for it is kept.
    """
    check_pressed(system)
    if controller is None:
        return _kept(system, None, target, drift_time, project, solver, free)
    if isinstance(controller.law, ExpressionLaw) and not controller.states:
        return _kept(system, controller.law, target, drift_time, project, solver, free)
    return Modes(system, controller, target, free, drift_time, project, solver=solver)


@lru_cache(maxsize=32)
def _kept(
    system: System,
    law: ExpressionLaw | None,
    target: str,
    drift_time: float | None,
    project: bool | None,
    solver: str,
    free: tuple[str, ...],
) -> Modes:
    controller = None if law is None else Controller(law, formula=True)
    return Modes(system, controller, target, free, drift_time, project, solver=solver)
