"""Batches of systems whose contacts open and close: steps that hold the contacts, compiled like any other roll-out.

    stepped = compile_stepping(system, contacts="events")
    stepped.rollout(np.tile(stepped.start({"speed": 1.0}, closed=["foot"]), (10_000, 1)), steps=1000, dt=0.01)

"time-stepping" knows impulses only: any number of impacts in a step, dry friction, first order where something hits;
"events" finds instants: fourth order, a bounded number of events in a step, impact laws that need an instant (see
`tracing.time_stepping` and `tracing.event_stepping`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks
from locomotor.codegen import Roller, Rollout
from locomotor.codegen.cuda import to_host
from locomotor.dataclass import dataclass
from locomotor.errors import CompileError, UnknownNameError
from locomotor.lie import Manifold
from locomotor.model import Ends, Expression, System, without_dry_friction
from locomotor.names import suggestion
from locomotor.simulation.compiled import (
    Batch,
    CompiledSystem,
    Explicit,
    Rolled,
    Why,
    check_steps,
    check_target,
    compile_steps,
)
from locomotor.simulation.events import Modes, Probe, hybrid_start, initial_contacts
from locomotor.simulation.starts import LOOPS, starting_state
from locomotor.simulation.step_limit import check_map
from locomotor.simulation.stepping.stepped_starts import random_stepped_states
from locomotor.tracing import Traced
from locomotor.tracing.contacts import ContactSettings, EventSettings, EventStepping, Stepping, time_stepping, with_ends
from locomotor.tracing.variations import step_with_deviations
from locomotor.typing import Vector

SCHEMES: dict[str, tuple[Callable[..., Stepping], type[ContactSettings] | type[EventSettings]]] = {
    "time-stepping": (time_stepping, ContactSettings),
    "events": (EventStepping, EventSettings),
}
"""Ways to make a step, each with what makes its maps and with its settings."""
REMEDY = "give a smaller dt, or contacts='time-stepping' with settings=lm.ContactSettings(theta=0.75), which has no limit"
"""For steps that are too long for what is stiff."""


@checks.doors
@dataclass(frozen=True, eq=False, repr=False)
class SteppedSystem(CompiledSystem):
    """A system whose steps hold its contacts; `rollout` is that of any compiled system.

    The state is that of the system in flight; contacts whose mode is remembered add a number each, such as
    `foot_closed`, 1 or 0. Channels are those of the system in flight, and the gap of everything that may close.
    """

    stepping: Stepping = field(kw_only=True)
    """The step maps: `TimeStepping` or `EventStepping`."""
    _modes: dict[bytes, Modes] = field(default_factory=dict, repr=False)
    _stable: dict[tuple[float, bytes], int] = field(default_factory=dict, repr=False)
    """Steps that were found stable on a device, by their length and the parameters: how many were asked for."""

    @property
    def system(self) -> System:
        """The description it was made from."""
        return self.stepping.system

    @property
    def operations(self) -> int:
        """Arithmetic operations of one step."""
        return self.stepping.step.operations

    @cached_property
    def roller(self) -> Roller:
        """Steps fused into a roll-out."""
        return self._compile(self._step)

    @checks.door(
        start=checks.optional(checks.mapping),
        closed=checks.optional(checks.names),
        time=checks.number,
        assemble=checks.flag,
    )
    def start(
        self,
        start: Mapping[str, float] | None = None,
        *,
        closed: Sequence[str] | None = None,
        time: float = 0.0,
        parameters: Vector | None = None,
        assemble: bool = True,
    ) -> Vector:
        """A state from values by name, with the contacts closed that touch and velocities that suit them, as `simulate` does.

        Contacts named in `closed` touch, if need be by moving what is not given. A contact with a coefficient of friction may
        slide: unless it is named, velocities need not suit it.
        """
        declared = self.default_parameters
        given = declared if parameters is None else checks.floats(parameters, "parameters", dimensions=(1,), last=declared.size)
        modes = self._modes_with(given)
        held = self._held(modes, start, time, closed)
        mode, x, holds = hybrid_start(modes, start, time, held, assemble if closed is not None or not assemble else LOOPS)
        probe = Probe(mode, {}, modes.parameters_on(mode, holds) if holds.roughs else given)
        whole, touching = probe.whole(time, x), mode.closed
        if held is not closed:
            touching |= initial_contacts(modes, probe, time, x)[0]
        flags = [float(name in touching) for name in self.stepping.flight.remembered]
        traced = self.traced
        return np.concatenate([whole.q[list(traced.coordinate_indices)], whole.v[list(traced.reduction.free)], flags])

    def _held(
        self, modes: Modes, start: Mapping[str, float] | None, time: float, closed: Sequence[str] | None
    ) -> Sequence[str] | None:
        """Contacts to which the velocities of a start must suit: those of `closed`, or None for all that touch.

        A contact with a coefficient of friction may slide, so that it asks for nothing unless it is named.
        """
        sliding = {c.name for c in self.system.contacts if c.law.slips}
        if closed is not None or not sliding:
            return closed
        flight = modes.mode(frozenset())
        x = starting_state(flight.compiled.traced, start, time=time, parameters=modes.parameters, assemble=LOOPS)
        touching = initial_contacts(modes, Probe(flight, {}, modes.parameters), time, x)[0]
        return sorted({modes.contact_of[name] for name in touching} - sliding)

    def rollout(self, states: ArrayLike, steps: int, dt: float, **settings: Any) -> Batch:
        """Many instances, many steps, one call; see `CompiledSystem.rollout`.

        There is one way to make a step, and `dt` is positive. An instance for which a step finds no mode (a contact that
        closed would pull and open would enter the ground) ends, with this as its reason.
        """
        checks.options(settings, CompiledSystem.rollout, "rollout")
        check_steps(self.system.name, checks.number(dt, "rollout: dt"), settings.get("stepper", "rk4"))
        return super().rollout(states, steps, dt, **settings)

    def _watched(self, ends: Ends) -> tuple[str, ...]:
        """Names of all monitors of a roll-out with these ends."""
        return (*self.traced.watched_contacts, *self.stepping.watched, *(name for name, _ in ends))

    @checks.door(ranges=checks.mapping, start=checks.optional(checks.numbers_by_name), closed=checks.optional(checks.names))
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
        """States (count, nx) with uniform values of some names; each is what `start` makes, with its contacts `closed`.

        Instance number `first` + i is the same whatever the count. They are on the CUDA device where the system is compiled
        for it.
        """
        return random_stepped_states(self, count, ranges, start or {}, seed, first, closed)

    def _modes_with(self, parameters: Vector) -> Modes:
        """Modes for starts, kept for the next one."""
        key = parameters.tobytes()
        if key not in self._modes:
            values = dict(zip(self.parameter_names, parameters.tolist(), strict=True))
            system = _sticking(without_dry_friction(self.system))
            self._modes[key] = Modes(system, None, "interpreter", free=self.traced.free_parameters, given=values)
        return self._modes[key]

    def roller_with_deviations(self, count: int, explicit: Explicit) -> Roller:
        """Roll-outs that carry so many deviations along with the state, and stop at contradictions."""
        if self.stepping.flight.roughs:
            names = ", ".join(repr(rough.contact.name) for rough in self.stepping.flight.roughs)
            raise CompileError(
                f"{self.system.name}: {names} on a terrain: what is nearest there has no derivative in compiled steps; give a "
                "Plane for the ground, or take differences of roll-outs"
            )
        if self.stepping.step.calls:
            raise CompileError(
                f"{self.system.name}: its many contacts are solved by a loop that has no derivative; compile it with "
                "settings=ContactSettings(solver='traced'), or take differences of roll-outs"
            )
        flight, ends = self.stepping.flight, dict(self.contradictions)
        watched = with_ends(flight, self.stepping.step, ends) if ends else self.stepping.step
        step = step_with_deviations(flight, watched, count, explicit)
        return compile_steps(flight, step, self.target, self.precision, breaks=bool(self.break_conditions))

    @property
    def moved(self) -> Manifold:
        """What steps move of a state, beside the modes that are remembered."""
        return self.stepping.flight.moving_manifold

    def require_stable(self, rolled: Rolled, remedy: str = "") -> None:
        """Refuse explicit steps that are beyond the limit of stability for all instances of a roll-out.

        A device takes a few steps as long as many: there it is looked at once for a step and parameters that all share.
        """
        once = self.target == "cuda" and rolled.is_shared and isinstance(rolled.steps, int)
        key = (rolled.dt, to_host(rolled.parameters).tobytes()) if once else (rolled.dt, b"")
        if once and self._stable.get(key, 0) >= rolled.steps:
            return
        rolled.check(lambda begin, motions: check_map(begin, self.system.name, remedy or REMEDY))
        if once:
            self._stable[key] = rolled.steps

    def _beyond(self, rolled: Rolled, result: Rollout) -> Why | None:
        return None

    def _moving(self, ends: dict[str, str | Expression]) -> Traced:
        return with_ends(self.stepping.flight, self.stepping.step, ends) if ends else self._step

    @property
    def _step(self) -> Traced:
        """The step as the target takes it best: on a device in single precision (in double, stages are as fast as teams)."""
        staged = self.target == "cuda" and self.precision == "float32" and not self.break_conditions
        return self.stepping.device_step if staged else self.stepping.step

    def _compile(
        self,
        dynamics: Traced,
        observe: Traced | None = None,
        measure: Traced | None = None,
        reductions: tuple[str, ...] = (),
        implicit: bool = False,
    ) -> Roller:
        breaks = bool(self.break_conditions)
        return compile_steps(self.stepping.flight, dynamics, self.target, self.precision, observe, measure, reductions, breaks)


def _sticking(system: System) -> System:
    """The system without coefficients of friction, which a start does not need."""
    return system.replace(contacts=tuple(replace(c, law=c.law.sticking()) for c in system.contacts))


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
        raise UnknownNameError(f"contacts is {contacts!r}: {suggestion(contacts, [*SCHEMES, 'closed'])}")
    maker, wanted = SCHEMES[contacts]
    chosen = wanted() if settings is None else settings
    if not isinstance(chosen, wanted):
        raise CompileError(f"contacts={contacts!r} takes {wanted.__name__}, not {checks.shown(chosen)}")
    check_target(system.name, target, precision)
    for name in free:
        system.parameters[name]  # raises, with the nearest name, for an unknown one
    stepping = maker(system, tuple(free), chosen)
    return SteppedSystem(stepping.flight, target, False, precision, stepping=stepping)
