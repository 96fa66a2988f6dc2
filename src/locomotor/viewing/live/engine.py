"""The same system again and again with other numbers: compiled once with its parameters left free."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from locomotor import codegen
from locomotor.analysis import Linearisation, linearise
from locomotor.analysis.cycles import timed_laws
from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError, LocomotorError, UnknownNameError, ViewingError
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import Expression, System, as_quantity
from locomotor.names import suggestion
from locomotor.simulation import (
    CompiledSystem,
    Method,
    Outcome,
    Run,
    RunWarning,
    Start,
    compile_system,
    move_smoothly,
    plan_run,
    record,
    simulate,
)
from locomotor.simulation.compiled import as_controller
from locomotor.simulation.events import Modes, is_hybrid
from locomotor.simulation.stepping import SteppedSystem
from locomotor.tracing import trace
from locomotor.tracing.readings import body_poses
from locomotor.typing import Values, Vector
from locomotor.viewing.live.balance import Balancer
from locomotor.viewing.live.commands import BALANCE, Command, Ride
from locomotor.viewing.live.held import SAME, Held
from locomotor.viewing.live.levelled import levelled
from locomotor.viewing.live.push import Push, event_of, struck
from locomotor.viewing.live.rider import Rider
from locomotor.viewing.live.smooth import LONGEST, SmoothMotion
from locomotor.viewing.live.stability import Chart, along_parameter, along_velocity, missing
from locomotor.viewing.live.stepping import SteppedMotion, stepped_of
from locomotor.viewing.live.switching import SwitchingMotion
from locomotor.viewing.scene import drawn

REACH, PUSH = 10.0, 0.2
"""Largest value of the stability chart (or twice the start's), and the push of a start nobody gave."""
LARGE = 3000
"""Operations of an evaluation above which there is no chart: its derivatives would keep the page from opening for minutes."""
MOST_LAWS = 8
"""Sets of laws whose compiled systems are kept."""
MOST_SECONDS, MOST_SWITCHING_SECONDS = 1000.0, 100.0
"""Longest motion of a page, and of one whose contacts open and close: they are computed while somebody waits."""


Laws = Mapping[str, float | str]
"""Numbers, or texts of laws, by name."""


@dataclass(frozen=True, eq=False)
class Kept:
    """A ride: where it began and with what, pushes and commands, and what the rider did."""

    key: Any
    pushes: tuple[Push, ...]
    commands: tuple[Command, ...]
    looks: tuple[Any, ...]
    """Looks of a smooth motion, or stages of one whose contacts open and close."""


@dataclass(frozen=True, eq=False)
class Engine:
    """Runs of one system for any values of its parameters, start and inputs."""

    system: System
    free: tuple[str, ...]
    """Names of the parameters that may change."""
    step: float = 0.001
    closed: tuple[str, ...] | None = None
    """Of the contacts that open and close, those closed at the start; None for those that touch."""
    controller: Any = None
    """A law of inputs beside those that are given, as `simulate` takes it."""
    _driven: dict[Any, CompiledSystem] = field(default_factory=dict, init=False, repr=False)
    """Compiled together with laws of inputs."""
    _balancers: dict[System, Balancer] = field(default_factory=dict, init=False, repr=False)
    _steady: dict[tuple[str, float], bool] = field(default_factory=dict, init=False, repr=False)
    """What was found out about steady motions, by velocity and value."""
    _kept: list[Kept] = field(default_factory=list, init=False, repr=False)
    """The last ride."""

    @property
    def most_seconds(self) -> float:
        """Longest duration of a run."""
        return MOST_SWITCHING_SECONDS if is_hybrid(self.system) else MOST_SECONDS

    @cached_property
    def compiled(self) -> CompiledSystem:
        """The system with those parameters as arguments; of one on a terrain, what it would be on level ground."""
        return compile_system(levelled(self.system), free=self.free)

    @cached_property
    def stepped(self) -> SteppedSystem | None:
        """Steps that hold the contacts, where those that slip are many and a kernel for each set of them would take minutes."""
        return stepped_of(self.system, self.free) if is_hybrid(self.system) else None

    @cached_property
    def _modes(self) -> Modes:
        """Sets of contacts that close, compiled when first met, for any values of the parameters."""
        return Modes(self.system, free=self.free, project=False)

    @cached_property
    def _poses(self) -> Kernel:
        return codegen.compile(body_poses(drawn(self.system), self.free), target="interpreter")

    def posing(self, run: Run) -> Callable[[Vector], Vector]:
        """Poses of bodies of one of our runs, without tracing again."""
        p = np.array([run.parameters[name] for name in self.free])
        return lambda coordinates: self._poses(np.ascontiguousarray(coordinates), p)[0]

    def changed(self, parameters: Values) -> System:
        """The system with other parameter values, checked like any other."""
        for name in parameters:
            if name not in self.free:
                raise UnknownNameError(f"no parameter {name!r} may change here: {suggestion(name, self.free)}")
        return self.system.with_parameters(**parameters) if parameters else self.system

    def run(
        self,
        duration: float,
        start: Values,
        parameters: Values,
        inputs: Laws,
        pushes: Sequence[Push] = (),
        ride: Ride | None = None,
    ) -> Run:
        """One run; a ride ends where the contacts become singular for the compiled choice of velocities.

        Inputs are numbers, or texts of laws of time, parameters and channels. Pushes change the velocities at their instants, a
        ride drives inputs from its first command on.
        """
        system = self.changed(parameters)
        names = [symbol.name for symbol in system.layout.inputs]
        for name in inputs:
            if name not in names:
                raise UnknownNameError(f"the system has no input {name!r}: {suggestion(name, names)}")
        if not 0.0 < duration < np.inf:
            raise InconsistentStartError(f"the duration is {duration!r} s; it must be positive and finite")
        if duration > self.most_seconds:
            raise InconsistentStartError(
                f"the duration is {duration:g} s; a live page takes {self.most_seconds:g} s at most, `simulate` any"
            )
        constant, law = as_controller(system, inputs, self.controller)
        if ride is None and law is None and self.stepped is not None:
            held_by_steps = SteppedMotion(self.stepped, system, self.step, duration, constant, self.closed, tuple(pushes))
            return record(system, held_by_steps.course(start))
        if is_hybrid(system):
            return self._switching(system, duration, start, parameters, inputs, pushes, ride)
        if ride is not None and self.controller is not None:
            raise ViewingError("a controller drives this motion, and keys cannot; choose another motion to ride")
        held, laws = self._held(system, inputs, ride is not None)
        rider = None if ride is None else self._rider(system, held, inputs, laws, ride)
        motion = SmoothMotion(
            system, held, self.step, duration, pushes, rider, self._known(start, parameters, inputs, pushes, ride)
        )
        course, looks = motion.course(held.compiled.start(start, parameters=held.parameters))
        if course.status.outcome is Outcome.SINGULAR and not (course.end or ride):
            return self._choosing(system, duration, start, inputs, motion.kept)
        if ride is not None:
            self._keep(self._key(start, parameters, inputs), pushes, ride, looks)
        return record(system, course)

    def _choosing(self, system: System, duration: float, start: Values, inputs: Laws, pushes: Sequence[Push]) -> Run:
        """A run whose compiled choice of independent velocities ends: others are chosen on the way, which takes its time."""
        step = max(self.step, duration / LONGEST)
        if not pushes:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RunWarning)
                return simulate(system, duration, start=dict(start), step=step, inputs=dict(inputs), controller=self.controller)
        begin, method = Start(dict(start)), Method(step=step)
        plan = plan_run(system, duration, begin, method, dict(inputs), self.controller, None, None, None, None, "declared")
        course = move_smoothly(plan, [(push.time, partial(struck, system, push=push)) for push in pushes])
        told = [event_of(push) for push in pushes if push.time <= course.status.time]
        others = [event for event in course.events if all(abs(event.time - push.time) > SAME for push in pushes)]
        return record(system, replace(course, events=sorted([*others, *told], key=lambda event: event.time)))

    def _switching(
        self,
        system: System,
        duration: float,
        start: Values,
        parameters: Values,
        inputs: Laws,
        pushes: Sequence[Push],
        ride: Ride | None,
    ) -> Run:
        """A run whose contacts open and close, compiled mode by mode; where laws drive inputs, for these values alone."""
        balancer = None if ride is None else self._balancer(system, ride)
        laws, known = (dict(inputs), self.closed, self.controller), self._known(start, parameters, inputs, pushes, ride)
        run, stages = SwitchingMotion(system, self.step, duration, *laws, pushes, ride, self._modes, balancer, known).run(start)
        if ride is not None:
            self._keep(self._key(start, parameters, inputs), pushes, ride, stages)
        return run

    def _held(self, system: System, inputs: Laws, ridden: bool) -> tuple[Held, dict[str, Expression]]:
        """The compiled system, and the laws that somebody who rides it looks at; else they are compiled with it."""
        constant, law = as_controller(system, inputs, self.controller)
        laws = {
            name: q for name, q in ((name, as_quantity(text)) for name, text in inputs.items()) if isinstance(q, Expression)
        }
        if law is None or ridden:
            p = np.array([system.parameters[name].value for name in self.free])
            return Held(self.compiled, constant, p), laws
        key = system, tuple(sorted((name, str(text)) for name, text in inputs.items()))
        if key not in self._driven:
            if len(self._driven) > MOST_LAWS:
                self._driven.clear()
            self._driven[key] = CompiledSystem(trace(system, controller=law))
        return Held(self._driven[key], constant), {}

    # -- rides ----------------------------------------------------------------------------------------

    def _rider(self, system: System, held: Held, inputs: Laws, laws: Mapping[str, Expression], ride: Ride) -> Rider:
        constant = {name: float(value) for name, value in inputs.items() if name not in laws}
        return Rider(system, held.compiled, ride, constant, laws, self._balancer(system, ride))

    def _balancer(self, system: System, ride: Ride) -> Balancer | None:
        """The balance of a ride that ever uses it; gains are kept for as long as the parameters stay."""
        balance = ride.riding.balance
        if balance is None or not any(command.handle == BALANCE and command.value for command in ride.commands):
            return None
        if system not in self._balancers:
            target = next((handle.target for handle in ride.riding.held if handle.target), "")
            made = Balancer(system, balance, target)
            made.check()
            self._balancers.clear()
            self._balancers[system] = made
        return self._balancers[system]

    def _key(self, start: Values, parameters: Values, inputs: Laws) -> Any:
        return tuple(tuple(sorted(table.items(), key=str)) for table in (start, parameters, inputs))

    def _keep(self, key: Any, pushes: Sequence[Push], ride: Ride, looks: tuple[Any, ...]) -> None:
        """Remember the ride that was just made; its last look may have been cut short."""
        self._kept[:] = [Kept(key, tuple(pushes), ride.commands, looks[:-1])]

    def _known(
        self, start: Values, parameters: Values, inputs: Laws, pushes: Sequence[Push], ride: Ride | None
    ) -> tuple[Any, ...]:
        """What a rider did in the last ride as long as it was the same as this one."""
        last = self._kept[0] if self._kept else None
        if (
            ride is None
            or last is None
            or last.key != self._key(start, parameters, inputs)
            or last.commands[0] != ride.commands[0]
        ):
            return ()
        changed = [c.time for c in {*last.commands} ^ {*ride.commands}] + [p.time for p in {*last.pushes} ^ {*pushes}]
        differs = min(changed, default=np.inf)
        return tuple(look for look in last.looks if look.end <= differs + SAME)

    # -- what may be set at the start -----------------------------------------------------------------

    def start_names(self, given: Sequence[str]) -> tuple[str, ...]:
        """Values worth a slider: those given, then further independent velocities and the coordinates that matter.

        Where contacts open and close and the system does not move on steadily with all of them closed, every velocity is.
        """
        layout, traced = self.system.layout, self.compiled.traced
        velocities = [s.name for s in layout.velocities]
        names = list(given)
        if is_hybrid(self.system) and self.chart_name({}) is None:
            names += [name for name in velocities if name not in names]
            return (*names, *(name for name in self._coordinates() if name not in names))
        p = self.compiled.default_parameters
        state = self.compiled.start(None, parameters=p)
        (H,) = traced.velocity_map(np.zeros(1), state, np.zeros(len(self.compiled.input_names)), p)
        rows = [H[velocities.index(name)] for name in names if name in velocities]
        for name in traced.reduction.names:
            trial = [*rows, H[velocities.index(name)]]
            if name not in names and np.linalg.matrix_rank(np.array(trial), tol=1e-9) == len(trial):
                names.append(name)
                rows = trial
        return (*names, *(name for name in self._coordinates() if name not in names))

    def _coordinates(self) -> tuple[str, ...]:
        """Independent coordinates on which the motion depends; all of them where no steady motion tells."""
        if self._rest is not None:
            return self._rest.coordinate_names
        known = {s.name for s in chart_symbols(self.system)}
        return tuple(name for name in self.system.layout.velocity_of if name in known)

    # -- stability ------------------------------------------------------------------------------------

    def stability(self, chart: Chart, start: Values, parameters: Values) -> dict[str, Any]:
        """Eigenvalues along a velocity or a parameter, mode by mode, and the stable bands."""
        system = self.changed(parameters)
        try:
            if chart.kind == "start":
                return along_velocity(system, chart.name, max(REACH, 2.0 * abs(start.get(chart.name, 0.0))))
            value = self.system.parameters[chart.name].value
            low, high = sorted((0.25 * value, 2.0 * value))
            return along_parameter(system, self.free, chart.name, (low, high))
        except (LocomotorError, np.linalg.LinAlgError) as error:
            return missing(chart.name, str(error).partition(";")[0])

    def chart(self, start: Values) -> Chart | None:
        """What a stability chart is drawn against: a velocity, or a parameter of a system that can rest; None for neither."""
        velocity = self.chart_name(start)
        if velocity is not None:
            return Chart(velocity, "start", (velocity,))
        names = tuple(name for name in self.free if self.system.parameters[name].value)
        rests = names and self._rest is not None and self._rest.eigenvalues.size
        return Chart(names[0], "parameters", names) if rests else None

    @cached_property
    def _rest(self) -> Linearisation | None:
        """Small deviations from rest, where the system can rest and is not too large."""
        if not self.large:
            with suppress(LocomotorError, ValueError, np.linalg.LinAlgError):
                return linearise(self.system)
        return None

    def first_start(self) -> dict[str, float]:
        """A start worth watching: a steady motion, a stable one where there is any, and a small push."""
        name = self.chart_name({})
        if name is None:
            # What drives itself, or may leave the ground, begins as it is; anything else would only stand there.
            driven = self.system.imposed or any(True for _ in timed_laws(self.system))
            return {} if driven or is_hybrid(self.system) else self._moving()
        try:
            bands = along_velocity(self.system, name, REACH)["bands"]
        except (LocomotorError, ValueError, np.linalg.LinAlgError):
            bands = []
        found = {name: round(0.5 * sum(bands[0]), 2) if bands else 1.0}
        pushed = [other for other in self.start_names((name,)) if other in self.compiled.traced.reduction.names]
        return found | {other: PUSH for other in pushed[:1] if other != name}

    @property
    def large(self) -> bool:
        """Whether the derivatives of a stability chart would take too long to wait for."""
        return self.compiled.operations > LARGE

    def _moving(self) -> dict[str, float]:
        """The first independent velocity at one, so that something is seen to move."""
        return dict.fromkeys(self.compiled.traced.reduction.names[:1], 1.0)

    def chart_name(self, start: Values) -> str | None:
        """A velocity along which steady motions exist: one given at the start, or the first of the system; None for large."""
        if self.large:
            return None
        velocities = [s.name for s in self.system.layout.velocities]
        candidates = [name for name in start if name in velocities and start[name] != 0.0] + velocities[:1]
        return next((name for name in candidates if self._moves_steadily(name, start.get(name) or 1.0)), None)

    def _moves_steadily(self, name: str, value: float) -> bool:
        """Whether there is a steady motion with that value of a velocity, of which small deviations matter; asked once."""
        if (name, value) not in self._steady:
            try:
                self._steady[name, value] = bool(linearise(self.system, {name: value}).eigenvalues.size)
            except (LocomotorError, ValueError, np.linalg.LinAlgError):
                self._steady[name, value] = False
        return self._steady[name, value]
