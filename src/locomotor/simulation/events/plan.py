"""What stays the same during an event-driven run: the modes with their inputs, the grid of instants, what is looked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.codegen import Implicit
from locomotor.dataclass import dataclass
from locomotor.model import Ends, evaluate
from locomotor.simulation.ends import Watch
from locomotor.simulation.events.modes import Mode, Modes
from locomotor.simulation.events.probe import Probe
from locomotor.simulation.events.timeline import Grid
from locomotor.simulation.terrain import Footholds
from locomotor.tracing.contacts import Switching
from locomotor.typing import Flags, Integers, Vector

NEAR = 1e-9
"""Gap below which a contact takes part in the collision of another (m)."""
APPROACHES = 1e-10
"""Normal speed at which it is taken to approach (m/s)."""
SHORTEST = 1e-10
"""Shortest step (s) of the sources' way to locate events; they give none."""
TIME_TOLERANCE = 1e-13
"""Instants this near to each other are the same (s)."""
SOON = 10 * TIME_TOLERANCE
"""A grip that changes this soon changes now (s)."""
ON_MARK = 1e-11
"""A sample this near to an instant that is to be recorded is the one (s)."""


@dataclass(frozen=True, eq=False)
class EventPlan:
    """An event-driven run before it starts; nothing in it changes on the way but what is kept for speed."""

    modes: Modes
    grid: Grid
    inputs: Mapping[str, float] = field(default_factory=dict)
    scheme: str = "exact"
    substeps: int = 1
    """Steps from one recorded sample to the next; 0 where the marks of the grid are recorded instead."""
    ends: Ends = ()
    absent: Mapping[str, float] = field(default_factory=dict)
    """Channels of contacts while they are open."""
    stepper: str | Implicit = "rk4"
    """A method that remembers nothing of its last step: events are located by steps of other lengths."""
    every_step: bool = False
    """Whether steps shorter than those of the grid are recorded too, as who differentiates the motion needs."""
    prober: Callable[..., Probe] = Probe
    """What moves a mode: by its compiled steps, or in maximal coordinates."""
    _probes: dict[tuple[Mode, bytes], Probe] = field(default_factory=dict, repr=False)
    braked: list[tuple[Any, dict[int, float]]] = field(default_factory=list, repr=False)
    """What friction could do at the moment that was last looked at, which several ask for (see `pace.braking`)."""

    # -- modes ----------------------------------------------------------------------------------------

    @cached_property
    def _free(self) -> Vector:
        return self.modes.parameters

    def parameters(self, mode: Mode, holds: Footholds) -> Vector:
        """Values of the parameters that a mode leaves free, those of what its contacts stand on included."""
        return self.modes.parameters_on(mode, holds) if mode.supports else self._free

    def probe(self, mode: Mode, parameters: Vector) -> Probe:
        """The functions of a mode with the inputs of this run and some values of its free parameters."""
        key = mode, parameters.tobytes()
        if key not in self._probes:
            self._probes[key] = self.prober(mode, self.inputs, parameters, self.stepper)
        return self._probes[key]

    def probe_on(self, mode: Mode, holds: Footholds) -> Probe:
        """The functions of a mode whose contacts stand on parts of a terrain."""
        return self.probe(mode, self.parameters(mode, holds))

    # -- what is looked for ---------------------------------------------------------------------------

    @property
    def near(self) -> float:
        """Gap below which a contact touches (m)."""
        return NEAR if self.scheme == "exact" else NEAR + 10.0 * SHORTEST

    def watch(self, probe: Probe) -> Watch:
        """The ends of this run in a mode."""
        return probe.watch(self.ends, self.absent)

    def gripping(self, entry: Switching, t: float) -> bool:
        """Whether a grip is told to hold at an instant."""
        return float(evaluate(entry.law.condition, {**self.modes.values, "t": t})) > 0.0

    # -- samples --------------------------------------------------------------------------------------

    @cached_property
    def _marks(self) -> Vector:
        return np.array(self.grid.marks)

    @property
    def thins(self) -> bool:
        """Whether some steps are not recorded."""
        return bool(self.grid.marks) or self.substeps > 1

    def recorded(
        self, times: Vector, rests: tuple[float, ...], shorter: Flags | None = None
    ) -> tuple[Vector, Integers | slice]:
        """Which samples of some steps are recorded, and their instants: those of the grid, thinned, or its marks.

        Of steps that are `shorter` than those of the grid only those are on it that lead to one.
        """
        divided = shorter is not None and not self.every_step and bool(shorter.any())
        if not (self.thins or divided) or not len(times):
            return times, slice(None)
        if self.grid.marks:
            near = self._marks[np.clip(np.searchsorted(self._marks, times - ON_MARK), 0, len(self._marks) - 1)]
            wanted = np.abs(times - near) <= ON_MARK
            times = np.where(wanted, near, times)
        else:
            place = (times - self.grid.start) / self.grid.step
            whole = np.rint(place)
            wanted = (np.abs(place - whole) <= 1e-6) & (whole % max(self.substeps, 1) == 0)
            wanted |= (times >= self.grid.end) | np.isin(times, rests)
            if shorter is not None and not self.thins:
                wanted |= ~shorter
        chosen = np.flatnonzero(wanted)
        return times[chosen], chosen
