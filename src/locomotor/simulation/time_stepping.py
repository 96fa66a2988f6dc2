"""Batches of systems whose contacts open and close: steps that hold the contacts, compiled like any other roll-out.

    stepped = compile_stepping(system, contacts="events")
    stepped.rollout(np.tile(stepped.start({"speed": 1.0}, closed=["foot"]), (10_000, 1)), steps=1000, dt=0.01)

"time-stepping" knows impulses only: any number of impacts in a step, dry friction, first order where something hits;
"events" finds instants: fourth order, a bounded number of events in a step, impact laws that need an instant (see
`tracing.time_stepping` and `tracing.event_stepping`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen import Manifold, Program, compile_program
from locomotor.codegen.cuda import CudaRolloutKernel, need_device
from locomotor.codegen.random import uniform
from locomotor.errors import CompileError, UnknownNameError
from locomotor.model import Contact, Expression, System, Unilateral
from locomotor.model.names import suggestion
from locomotor.simulation.compiled import CompiledSystem
from locomotor.simulation.hybrid import hybrid_start, initial_mode
from locomotor.simulation.measures import Measure
from locomotor.simulation.modes import Modes
from locomotor.simulation.probe import Probe
from locomotor.simulation.start import starting_state
from locomotor.tracing import Traced
from locomotor.tracing.channels import all_channels, chosen_channels, measured
from locomotor.tracing.event_stepping import EventSettings, EventStepping
from locomotor.tracing.switching import with_ends
from locomotor.tracing.time_stepping import ContactSettings, TimeStepping

Vector = NDArray[np.float64]

SCHEMES = ("time-stepping", "events")


@dataclass(frozen=True, eq=False)
class SteppedSystem(CompiledSystem):
    """A system whose steps hold its contacts; `rollout` is that of any compiled system.

    The state is that of the system in flight; contacts whose mode is remembered add a number each, such as
    `foot_closed`, 1 or 0. Channels are those of the system in flight, and the gap of everything that may close.
    """

    stepping: Any = None
    """The step maps: `TimeStepping` or `EventStepping`."""
    _modes: dict[bytes, Modes] = field(default_factory=dict, repr=False)

    @property
    def system(self) -> System:
        """The description it was made from."""
        found: System = self.stepping.system
        return found

    @property
    def operations(self) -> int:
        """Arithmetic operations of one step."""
        found: int = self.stepping.step.operations
        return found

    @cached_property
    def roller(self) -> Any:
        """Steps fused into a roll-out."""
        return self._compile(self.stepping.step)

    def start(  # type: ignore[override]
        self,
        start: Mapping[str, float] | None = None,
        *,
        closed: Sequence[str] | None = None,
        time: float = 0.0,
        parameters: Vector | None = None,
        assemble: bool = True,
    ) -> Vector:
        """A state from values by name; contacts named in `closed` touch, if need be by moving what is not given."""
        given = self.default_parameters if parameters is None else np.asarray(parameters, dtype=float)
        modes = self._modes_with(given)
        if closed is None and isinstance(self.stepping, TimeStepping):
            # Velocities need not suit the contacts: the first step gives them the impulses that they need.
            flight = modes.mode(frozenset())
            x = starting_state(flight.compiled.traced, start, time=time, parameters=given, assemble=False)
            whole = Probe(flight, {}, given).whole(time, x)
            touching = initial_mode(modes, whole.q, whole.v, time)
        else:
            mode, x = hybrid_start(modes, start, time, closed, assemble)
            whole, touching = Probe(mode, {}, given).whole(time, x), mode.closed
        flags = [float(name in touching) for name in self.stepping.flight.remembered]
        traced = self.traced
        return np.concatenate([whole.q[list(traced.coordinate_indices)], whole.v[list(traced.reduction.free)], flags])

    def random_states(
        self,
        count: int,
        ranges: Mapping[str, tuple[float, float]],
        *,
        start: Mapping[str, float] | None = None,
        seed: int = 0,
        first: int = 0,
        closed: Sequence[str] | None = None,
    ) -> Any:
        """States (count, nx) with uniform values of some names; each is made by `start`, with its contacts `closed`.

        Instance number `first` + i is the same whatever the count.
        """
        for name, span in ranges.items():
            if np.shape(span) != (2,) or not np.isfinite(span).all() or not span[0] <= span[1]:
                raise ValueError(f"the range of {name!r} is {span!r}; give two finite numbers, the smaller first")
        low, high = (np.array([span[k] for span in ranges.values()], dtype=float) for k in (0, 1))
        values = low + (high - low) * uniform(seed, count, len(ranges), first, np)
        rows = [self.start({**(start or {}), **dict(zip(ranges, row.tolist(), strict=True))}, closed=closed) for row in values]
        states = np.array(rows).reshape(count, len(self.state_names))
        if self.target == "cuda":
            return need_device(self.system.name).cupy.asarray(states, dtype=self.precision)
        return states

    def _modes_with(self, parameters: Vector) -> Modes:
        """Modes for starts, kept for the next one."""
        key = parameters.tobytes()
        if key not in self._modes:
            values = dict(zip(self.parameter_names, parameters.tolist(), strict=True))
            system = _sticking(self.system)
            self._modes[key] = Modes(system, None, "interpreter", free=self.traced.free_parameters, given=values)
        return self._modes[key]

    def _roller(
        self,
        channels: tuple[str, ...] | None,
        measures: tuple[tuple[str, Measure], ...],
        ends: tuple[tuple[str, str | Expression], ...],
    ) -> Any:
        if channels is None and not measures and not ends:
            return self.roller
        key = (channels, tuple((name, str(measure)) for name, measure in measures), tuple((n, str(e)) for n, e in ends))
        if key not in self._rollers:
            flight, step = self.traced, self.stepping.step
            self._rollers[key] = self._compile(
                with_ends(self.stepping.flight, step, dict(ends)) if ends else step,
                None if channels is None else chosen_channels(flight, channels),
                measured(flight.build, all_channels(flight), {n: m.expression for n, m in measures}) if measures else None,
                tuple(measure.kind for _, measure in measures),
            )
        return self._rollers[key]

    def _compile(
        self, dynamics: Traced, observe: Traced | None = None, measure: Traced | None = None, reductions: tuple[str, ...] = ()
    ) -> Any:
        program = Program(dynamics, Manifold([("vector", dynamics.inputs[1].size)]), None, observe, measure, reductions)
        if self.target == "cuda":
            return CudaRolloutKernel(program, self.precision)
        return compile_program(program, self.target)


def _sticking(system: System) -> System:
    """The system without coefficients of friction, which a start does not need."""
    contacts = [
        replace(c, law=replace(c.law, friction=None)) if isinstance(c.law, Unilateral) and c.law.friction is not None else c
        for c in system.contacts
        if isinstance(c, Contact)
    ]
    return system.replace(contacts=tuple(contacts))


@lru_cache(maxsize=32)
def compile_stepping(
    system: System,
    contacts: str = "time-stepping",
    *,
    target: str = "auto",
    free: tuple[str, ...] = (),
    precision: str = "float64",
    settings: ContactSettings | EventSettings | None = None,
) -> SteppedSystem:
    """Compile steps that hold the contacts of a system; equal systems and options give the same object.

    `contacts` is "time-stepping" or "events"; `settings` are `ContactSettings` for the first, `EventSettings` for the
    second; `target`, `free` and `precision` are those of `compile_system`.
    """
    if contacts not in SCHEMES:
        raise UnknownNameError(f"contacts is {contacts!r}: {suggestion(contacts, SCHEMES)}")
    wanted = ContactSettings if contacts == "time-stepping" else EventSettings
    chosen: Any = wanted() if settings is None else settings
    if not isinstance(chosen, wanted):
        raise CompileError(f"contacts={contacts!r} takes {wanted.__name__}, not {chosen!r}")
    if target == "cuda":
        need_device(system.name)
    elif precision != "float64":
        raise CompileError(f"{system.name}: precision {precision!r} needs target 'cuda'; target {target!r} computes in float64")
    for name in free:
        system.parameters[name]  # raises, with the nearest name, for an unknown one
    maker: Any = TimeStepping if contacts == "time-stepping" else EventStepping
    stepping = maker(system, tuple(free), chosen)
    return SteppedSystem(stepping.flight, target, False, precision, stepping=stepping)
