"""A contact mode: a set of closed contacts, how each is held, and its compiled functions."""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Protocol

import numpy as np

from locomotor import codegen
from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.model import Contact, Rub
from locomotor.simulation.compiled import CompiledSystem
from locomotor.simulation.events.stances import Slips, Stance, rolls, slipping_among
from locomotor.simulation.starts import starting_state
from locomotor.simulation.terrain import Rough
from locomotor.tracing import TracedSystem
from locomotor.tracing.contacts import Switching, event_functions, places, snapshot
from locomotor.tracing.core import Traced
from locomotor.typing import Integers, Vector

Closed = frozenset[str]

HANDFUL, FEWEST, MOST = 200_000, 32, 512
"""Operations of the dynamics, a few of which are made in a nanosecond, that make a handful of steps; its bounds."""


class Kernels(Protocol):
    """The compiled functions of a mode, or of all modes together."""

    @property
    def compiled(self) -> CompiledSystem:
        """The compiled system."""

    @property
    def places(self) -> Kernel:
        """Places of the bodies that may touch a terrain."""

    @property
    def events(self) -> Kernel:
        """Event functions."""

    @property
    def snapshot(self) -> Kernel:
        """Coordinates, velocities and energies."""


@dataclass(frozen=True, eq=False)
class ModeKernels:
    """The compiled functions of one mode."""

    compiled: CompiledSystem
    switching: tuple[Switching, ...]
    roughs: tuple[Rough, ...] = ()

    @cached_property
    def places(self) -> Kernel:
        """Places of the bodies that may touch a terrain."""
        contacts = [rough.contact for rough in self.roughs]
        return codegen.compile(places(self.compiled.traced, contacts), target=self.compiled.target)

    @cached_property
    def events(self) -> Kernel:
        """Event functions: see `tracing.contacts.event_functions`."""
        # On a terrain steps are not taken where events are looked at (`follow.py`).
        found = event_functions(self.compiled.traced, self.switching, rate=not self.roughs)
        return codegen.compile(found, target=self.compiled.target)

    @cached_property
    def snapshot(self) -> Kernel:
        """Function of time and state: coordinates, velocities and energies."""
        return codegen.compile(snapshot(self.compiled.traced), target=self.compiled.target)


@dataclass(frozen=True, eq=False)
class Mode:
    """A set of closed contacts and its compiled functions."""

    closed: Closed
    kernels: Kernels
    switching: tuple[Switching, ...]
    roughs: tuple[Rough, ...] = ()
    supports: tuple[str, ...] = ()
    """Parameters of what the closed slots stand on, and of the stances, after those left free."""
    stances: Mapping[str, Stance] = field(default_factory=dict)
    """Closed contacts that are held in another way than they are declared."""
    pinned: frozenset[str] = frozenset()
    """Slots that stand on something sharp, and stick there whatever that takes."""

    numbers: Mapping[str, float] = field(default_factory=dict)
    """Parameters that tell how contacts are held, where one model serves every mode."""
    alone: Callable[[], TracedSystem] | None = None
    """Makes the model of this mode alone, where that is not what is compiled: a start is found with it."""

    @property
    def compiled(self) -> CompiledSystem:
        """The compiled system."""
        return self.kernels.compiled

    @property
    def places(self) -> Kernel:
        """Places of the bodies that may touch a terrain."""
        return self.kernels.places

    @property
    def events(self) -> Kernel:
        """Event functions: see `tracing.contacts.event_functions`."""
        return self.kernels.events

    @property
    def snapshot(self) -> Kernel:
        """Function of time and state: coordinates, velocities and energies."""
        return self.kernels.snapshot

    @cached_property
    def free(self) -> list[int]:
        """Velocities that make up the reduced state."""
        return list(self.compiled.traced.reduction.free)

    @cached_property
    def coordinates(self) -> list[int]:
        """Coordinates that are part of the state."""
        return list(self.compiled.traced.coordinate_indices)

    @cached_property
    def wheels(self) -> int:
        """Number of watched pivots, the last ones, that tell how far wheels are from lying flat: others do not help there."""
        return len(self.compiled.traced.motion.wheels)

    @cached_property
    def wheel_names(self) -> tuple[str, ...]:
        """The contacts of those wheels."""
        return tuple(row.name for row in self.compiled.traced.motion.wheels)

    @cached_property
    def own(self) -> int:
        """Index at which the states of the controller begin."""
        return len(self.coordinates) + len(self.free)

    @cached_property
    def gripping(self) -> tuple[tuple[int, bool], ...]:
        """Contacts that grip when told to, by their number, and whether they are closed."""
        return tuple((i, c.name in self.closed) for i, c in enumerate(self.switching) if c.law.grips)

    @cached_property
    def pushing(self) -> Integers:
        """Closed contacts that only push, by their numbers."""
        return np.array([i for i, c in enumerate(self.switching) if c.law.pushes and c.name in self.closed], dtype=np.int64)

    @cached_property
    def slipping(self) -> Integers:
        """Closed contacts that slip, by their numbers."""
        found = [i for i, c in enumerate(self.switching) if isinstance(self.stances.get(c.name), Slips)]
        return np.array(found, dtype=np.int64)

    @cached_property
    def freely_slipping(self) -> Integers:
        """Those of them whose slip may turn in their body."""
        ways = [isinstance(c, Contact) and c.slips_one_way for c in self.switching]
        return np.array([i for i in self.slipping.tolist() if not ways[i]], dtype=np.int64)

    @cached_property
    def clinging(self) -> Integers:
        """Closed contacts that stick as long as friction lasts, by their numbers."""
        held = self.pinned.union(slipping_among(self.stances))
        found = [i for i in self.pushing.tolist() if self.switching[i].law.slips and self.switching[i].name not in held]
        return np.array(found, dtype=np.int64)

    @cached_property
    def sticking(self) -> Integers:
        """Joints with dry friction that stick, by their numbers."""
        return np.array([i for i, c in enumerate(self.switching) if c.law.rubs and c.name in self.closed], dtype=np.int64)

    @cached_property
    def frictions(self) -> dict[str, str]:
        """Of what may stick in a joint, the friction as declared."""
        return {entry.name: entry.law.of.name for entry in self.switching if isinstance(entry, Rub)}

    @cached_property
    def sliding(self) -> Integers:
        """Joints with dry friction that slide, by their numbers."""
        return np.array([i for i, c in enumerate(self.switching) if c.law.rubs and c.name not in self.closed], dtype=np.int64)

    @cached_property
    def spinning(self) -> Integers:
        """Those of them that are ball joints: their direction turns."""
        balls = [isinstance(c, Rub) and not c.turns_one_way for c in self.switching]
        return np.array([i for i in self.sliding.tolist() if balls[i]], dtype=np.int64)

    @cached_property
    def turning(self) -> Integers:
        """Closed contacts that roll, or slip, against a rolling resistance, by their numbers."""
        found = [i for i, c in enumerate(self.switching) if c.law.resists and rolls(self.stances.get(c.name))]
        return np.array(found, dtype=np.int64)

    @cached_property
    def is_rubbing(self) -> bool:
        """Whether something slips, rolls against a resistance, or is a ball joint that slides."""
        return bool(len(self.slipping) or len(self.turning) or len(self.spinning))

    @cached_property
    def resting(self) -> Integers:
        """Closed contacts that do not roll as long as their resistance lasts, by their numbers."""
        found = [
            i
            for i in self.pushing.tolist()
            if self.switching[i].law.resists and not rolls(self.stances.get(self.switching[i].name))
        ]
        return np.array(found, dtype=np.int64)

    @cached_property
    def open(self) -> Integers:
        """Open contacts that push when they close, by their numbers."""
        return np.array([i for i, c in enumerate(self.switching) if c.law.pushes and c.name not in self.closed], dtype=np.int64)

    @cached_property
    def solid(self) -> tuple[int, ...]:
        """Open contacts that never pass through their ground, those on terrain apart, by their numbers."""
        on_terrain = {slot for rough in self.roughs for slot in rough.slots}
        chosen = (i for i in self.open.tolist() if not self.switching[i].law.is_gated)
        return tuple(i for i in chosen if self.switching[i].name not in on_terrain)

    @cached_property
    def handful(self) -> int:
        """Steps that take about as long as it takes to look at what happened in any number of them."""
        return min(max(HANDFUL // max(self.compiled.operations, 1), FEWEST), MOST)

    def start(self, start: Mapping[str, float] | None, time: float, parameters: Vector, assemble: bool | str = True) -> Vector:
        """A state of this mode from values by name (see `simulation.starts`)."""
        if self.alone is None:
            return starting_state(self.compiled.traced, start, time=time, parameters=parameters, assemble=assemble)
        alone, everything = self._by_itself
        known = dict(zip(self.compiled.traced.free_parameters, parameters.tolist(), strict=True))
        p = np.array([known[name] for name in alone.free_parameters])
        x = starting_state(alone, start, time=time, parameters=p, assemble=assemble)
        inputs = np.zeros(alone.input_port.size)
        q, v, _ = everything(np.array([time]), x, inputs, p)
        return self.state_of(q, v, x[alone.nq + len(alone.reduction.free) :])

    @cached_property
    def _by_itself(self) -> tuple[TracedSystem, Traced]:
        """The model of this mode alone, from which runs start, and its coordinates and velocities; traced once."""
        assert self.alone is not None
        alone = self.alone()
        return alone, snapshot(alone)

    def state_of(self, q: Vector, v: Vector, own: Vector) -> Vector:
        """State vector from all coordinates, all velocities and the controller's states."""
        return np.concatenate([q[self.coordinates], v[self.free], own])
