"""A system compiled: its functions as machine code, made when first used and kept for the next run."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks, codegen
from locomotor.codegen import (
    NOT_FINITE,
    Implicit,
    Kernel,
    Program,
    Roller,
    Rollout,
    RolloutKernel,
    TangentManifold,
    VirtualRollout,
    compile_program,
    is_implicit,
    patiently,
    virtual_kernel,
)
from locomotor.codegen.cuda import CudaRolloutKernel, need_device
from locomotor.dataclass import dataclass
from locomotor.errors import CompileError, ModelError
from locomotor.lie import Manifold
from locomotor.model import Ends, Expression, System, read_ends
from locomotor.simulation.compiled.batch import Batch
from locomotor.simulation.compiled.choosing import chosen_stepper
from locomotor.simulation.compiled.contradictions import contradictions, crowding
from locomotor.simulation.compiled.jacobians import Explicit, Jacobians, jacobians
from locomotor.simulation.compiled.limits import Rolled
from locomotor.simulation.compiled.measures import Mean, Measure, check_measures
from locomotor.simulation.compiled.random_states import random_states
from locomotor.simulation.compiled.screening import Screen, Why, as_arrays, screen
from locomotor.simulation.inputs import Breaks, breaks_of, breaks_of_rows, check_constraints, has_timed_constraints
from locomotor.simulation.latest import Latest
from locomotor.simulation.starts import starting_state
from locomotor.simulation.step_limit import check_step
from locomotor.simulation.steppers import AUTO
from locomotor.tracing import Traced, TracedSystem, rk4_map, state_limbs, trace
from locomotor.tracing.readings import all_channels, chosen_channels, ending, measured, watched_ends
from locomotor.tracing.variations import with_deviations
from locomotor.typing import Vector

PATIENCE = 2000
"""Steps of a brief system that take as long without a compiler as the compiler does."""
MOST_STEPS = 16
"""Steps of a length from a state that are kept as not refused: the next run that begins so need not be looked at."""
LONG = 4000
"""Operations of the channels of a run above which a compiler needs more time for them than numpy for all samples."""


@checks.doors
@dataclass(frozen=True, eq=False, repr=False)
class CompiledSystem:
    """A traced system and its compiled functions.

    States are vectors in the order of `state_names`; `start` makes one from values by name.
    """

    traced: TracedSystem
    target: str = "auto"
    project: bool | None = None
    """Whether gaps are closed after each step; by default those of loops only."""
    precision: str = "float64"
    """Of the CUDA device; the processor computes in float64."""
    brief: bool = False
    """Whether it is likely to be used for a few steps only, so that a compiler would take longer than they do."""
    sound_steps: Latest[bool] = field(default_factory=lambda: Latest(MOST_STEPS), repr=False)
    """Steps, and where they begin, that were looked at and not refused (see `simulation.step_limit`)."""
    _rollers: dict[Any, Roller] = field(default_factory=dict, repr=False)
    _watches: dict[Ends, Kernel] = field(default_factory=dict, repr=False)
    _compiled_watches: dict[Ends, Kernel] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        sizes = f"{len(self.state_names)} states, {len(self.input_names)} inputs"
        free = f", free {', '.join(self.parameter_names)}" if self.parameter_names else ""
        return f"<{type(self).__name__} {self.system.name!r}: {sizes}{free}, target {self.target}>"

    @property
    def system(self) -> System:
        """The description it was made from."""
        return self.traced.system

    @property
    def state_names(self) -> tuple[str, ...]:
        """Order of the state vector."""
        return self.traced.state_port.names

    @property
    def input_names(self) -> tuple[str, ...]:
        """Order of the input vector."""
        return self.traced.input_port.names

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Order of the parameter vector: the parameters left free."""
        return self.traced.parameter_port.names

    @property
    def _host(self) -> str:
        """Target of single calls: those of a system compiled for the device run on the processor."""
        return "auto" if self.target == "cuda" else self.target

    @cached_property
    def _projection(self) -> Traced | None:
        """What is applied to the state after each step, if anything is."""
        return self.traced.closing(self.project)

    @cached_property
    def default_parameters(self) -> Vector:
        """Values of the free parameters as the system declares them."""
        return np.array([self.system.parameters[name].value for name in self.parameter_names])

    @cached_property
    def dynamics(self) -> Kernel:
        """The rate of the state, compiled."""
        if self.brief:
            return virtual_kernel(self.traced.dynamics)
        return codegen.compile(self.traced.dynamics, target=self._host)

    @cached_property
    def observation(self) -> Kernel:
        """Channels of a run; very long functions, evaluated once at the end of it, are not worth compiling."""
        observation = self.traced.observation
        # What calls the runtime is dear to interpret.
        long = self.brief or (observation.operations > LONG and not observation.calls)
        host = "interpreter" if long else self._host
        return codegen.compile(self.traced.observation, target=host)

    @cached_property
    def accelerations(self) -> Kernel:
        """Accelerations of all velocities."""
        return codegen.compile(self.traced.accelerations, target=self._host)

    @cached_property
    def roller(self) -> Roller:
        """Roll-outs: model and steppers fused into one compiled function."""
        return self._compile(self.traced.dynamics)

    @cached_property
    def called_roller(self) -> Roller:
        """Model and steppers fused, with inputs from a law in Python where the controller could not be traced."""
        traced = self.traced
        if traced.controller is None or traced.controller_is_traced:
            return self.roller
        return compile_program(self._program(traced.dynamics, self._projection, sense=traced.sensed), self._host)

    @cached_property
    def implicit_roller(self) -> Roller:
        """Roll-outs by implicit steps: model, slopes and Newton's method fused."""
        traced = self.traced
        sense = None if traced.controller is None or traced.controller_is_traced else traced.sensed
        return compile_program(self._program(traced.dynamics, self._projection, sense=sense).implicit(), self._host)

    def roller_for(self, stepper: str | Implicit) -> Roller:
        """What takes the steps of a run by a stepper."""
        return self.implicit_roller if is_implicit(stepper) else self.called_roller

    def build(self, ends: Ends = (), *, stepper: str | Implicit | None = "rk4") -> None:
        """Trace and compile now what a run needs: the stages after it start and move the system, and build nothing.

        `stepper` is compiled with the model; without one, as where steps are chosen on the way, the model alone is. What is
        brief gets no compiler: its first steps are interpreted.
        """
        traced = self.traced
        for each in (traced.dynamics, traced.gaps_of_chart, traced.velocity_map, traced.driven_velocity, self.observation):
            assert each
        if self.state_names and not self.brief:
            assert self.dynamics if stepper is None else self.roller_for(stepper)
        if traced.controller is not None and not traced.controller_is_traced:
            assert self.sensed
        if ends:
            self.watch(ends)

    @cached_property
    def break_conditions(self) -> Breaks:
        """What decides on the instants at which laws of time jump."""
        return breaks_of(self.system, self.traced.controller)

    def breaks(self, start: float, end: float, step: float, parameters: Any = None) -> tuple[float, ...]:
        """Instants from start to end at which laws of time may jump, for one set of free parameters or for several."""
        values = self.system.parameters.values
        return breaks_of_rows(self.break_conditions, values, self.parameter_names, parameters, start, end, step)

    @cached_property
    def sensed(self) -> Kernel:
        """What a controller called from Python reads."""
        return codegen.compile(self.traced.sensed, target=self._host)

    def _virtual(self, stepper: str | Implicit) -> VirtualRollout:
        """Roll-outs without a compiler: steps as one function where they can be, else stage by stage."""
        traced = self.traced
        called = traced.controller is not None and not traced.controller_is_traced
        whole = stepper == "rk4" and not called and self._projection is None
        known = self._rollers.get(("virtual", whole))
        if not isinstance(known, VirtualRollout):
            if whole:
                program = Program(rk4_map(traced.dynamics, traced.manifold), Manifold([("vector", traced.state_port.size)]))
            else:
                sense = traced.sensed if called else None
                program = Program(traced.dynamics, traced.manifold, self._projection, sense=sense)
            known = self._rollers["virtual", whole] = VirtualRollout(program)
        return known

    def roll(self, state: Vector, steps: int, dt: float, **options: Any) -> Rollout:
        """Steps of one instance by the compiled steppers; the first ones of a brief system without a compiler."""
        checks.options(options, RolloutKernel.run, "roll")
        stepper = options.get("stepper", "rk4")
        if not self.brief:
            return self.roller_for(stepper).run(state, steps, dt, **options)
        virtual = self._virtual(stepper)
        return patiently(virtual, lambda: self.roller_for(stepper), PATIENCE, state, steps, dt, **options)

    @property
    def operations(self) -> int:
        """Arithmetic operations of one right-hand side."""
        return self.traced.work

    def watch(self, ends: Ends, absent: Mapping[str, float] | None = None) -> Kernel:
        """What must stay positive (see `simulation.ends`); so short that numpy computes it as quickly for all samples."""
        if ends not in self._watches:
            self._watches[ends] = codegen.compile(watched_ends(self.traced, ends, absent or {}), target="interpreter")
        return self._watches[ends]

    def compiled_watch(self, ends: Ends, absent: Mapping[str, float] | None = None) -> Kernel:
        """The same for one sample after the other, as machine code asks for it on its way."""
        if ends not in self._compiled_watches:
            traced = watched_ends(self.traced, ends, absent or {})
            self._compiled_watches[ends] = codegen.compile(traced, target=self.target)
        return self._compiled_watches[ends]

    @cached_property
    def turning(self) -> Kernel:
        """Angles out of atan2, then velocities in rad/s (see `simulation.turning`); as short."""
        ports = {port.name: port.fields for port in self.traced.observation.outputs}
        names = [field.name for field in ports.get("angles", ())]
        names += [field.name for field in ports.get("velocities", ()) if field.unit == "rad/s"]
        return codegen.compile(chosen_channels(self.traced, names), target="interpreter")

    def start(
        self,
        start: Mapping[str, float] | None = None,
        *,
        time: float = 0.0,
        parameters: Vector | None = None,
        assemble: bool = True,
    ) -> Vector:
        """A consistent state from values by name (see `simulation.start`)."""
        return starting_state(self.traced, start, time=time, parameters=parameters, assemble=assemble)

    def roller_with_deviations(self, count: int, explicit: Explicit) -> Roller:
        """Roll-outs that carry so many deviations along with the state, and stop at contradictions."""
        traced, breaks = self.traced, bool(self.break_conditions)
        dynamics = with_deviations(self._moving(dict(self.contradictions)), traced.manifold, count, explicit)
        project = None if (step := self._projection) is None else with_deviations(step, traced.manifold, count, explicit)
        return self._rolling(Program(dynamics, TangentManifold(traced.manifold, count), project, breaks=breaks))

    def jacobians(self, states: Any, steps: int, dt: float, **settings: Any) -> Jacobians:
        """Roll-outs with their derivatives; see `simulation.jacobians`."""
        checks.options(settings, jacobians, "jacobians")
        return jacobians(self, states, steps, dt, **settings)

    @checks.door(ranges=checks.mapping, start=checks.optional(checks.numbers_by_name))
    def random_states(
        self,
        count: int,
        ranges: Mapping[str, tuple[float, float]],
        *,
        start: Mapping[str, float] | None = None,
        seed: int = 0,
        first: int = 0,
    ) -> Any:
        """Consistent states (count, nx) with uniform values of some names, such as {"roll_rate": (-0.2, 0.2)}.

        `start` gives the other values; coordinates that the contacts determine move to close them. Instance number `first`
        + i is the same whatever the count, by a counter-based generator; on the CUDA device, where the system is compiled
        for it, as on the processor.
        """
        return random_states(self, count, ranges, start, seed, first)

    def rollout(
        self,
        states: ArrayLike,
        steps: int,
        dt: float,
        *,
        inputs: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
        save_every: int = 1,
        channels: Sequence[str] | None = None,
        measures: Mapping[str, Measure] | None = None,
        ends: Mapping[str, str | Expression] | None = None,
        stepper: str | Implicit = "rk4",
        threads: int = 1,
        start_time: float = 0.0,
        trusted: bool = False,
    ) -> Batch:
        """Many instances, many steps, one call.

        Args:
            states: (nx,) or (batch, nx), in the order of `state_names`.
            steps: number of steps of length `dt` (s).
            dt: length of a step.
            inputs: (nu,) for all, (batch, nu), or (batch, steps, nu) held over each step; zero when left out.
            parameters: (np,) or (batch, np), in the order of `parameter_names`; those of the system when left out.
            save_every: steps between saved rows; 0 saves none.
            channels: names of the channels to save instead of the state, any that a run has.
            measures: reductions by name, such as {"lean": lm.Maximum("abs(roll)")}.
            ends: expressions by name; an instance ends when one becomes negative, such as {"fallen": "1 - abs(roll)"}.
            stepper: "rk4", "abm4" or "abm5"; implicit "midpoint" or "generalised-alpha", or `lm.Implicit(...)`; "auto" takes
                "rk4" where it is stable for a few of the states, else "generalised-alpha".
            threads: how many share the batch (processor only).
            start_time: time of the start.
            trusted: take the parameters as they are. Otherwise those that no real system has (a negative mass) are refused
                when all instances share them, and give an instance the status 4, with its reason in words, when they are its
                own.
        """
        if isinstance(channels, str):
            raise ModelError(f"channels is {channels!r}; give a sequence of names, such as channels=({channels!r},)")
        dt, save_every = checks.number(dt, "rollout: dt"), checks.whole(save_every, "rollout: save_every")
        trusted, start_time = checks.flag(trusted, "rollout: trusted"), checks.number(start_time, "rollout: start_time")
        states, inputs, parameters = as_arrays("rollout", self.target, states, inputs, parameters)
        self.check_laws(start_time, dt * checks.whole(steps, "rollout: steps"))
        values = self.default_parameters if parameters is None else parameters
        if isinstance(stepper, str) and stepper == AUTO:
            stepper = chosen_stepper(self.traced, states, dt, values, start_time)
        names = self.state_names if channels is None else checks.names(channels, "rollout: channels")
        reductions = check_measures(measures, names if save_every else ())
        stops = (*self.contradictions, *(() if ends is None else read_ends(ends)))
        roller = self._roller(None if channels is None else names, tuple(reductions.items()), stops, is_implicit(stepper))
        screened = Screen(states) if trusted else screen(self.system, self.parameter_names, states, parameters, dt)
        rolled = Rolled(self.traced, self.moved, roller, states, steps, dt, inputs, values, stepper, start_time)
        if not trusted:
            self.require_stable(rolled)
        result = roller.run(
            screened.states,
            steps,
            dt,
            inputs=inputs,
            parameters=values,
            save_every=save_every,
            stepper=stepper,
            threads=threads,
            start_time=start_time,
            breaks=self.breaks,
        )
        screened.mark(result)
        found = {name: result.measures[..., i] for i, name in enumerate(reductions)}
        for name, measure in reductions.items():
            if isinstance(measure, Mean):
                with np.errstate(invalid="ignore"):  # an instance that took no step has no mean
                    found[name] = found[name] / (result.completed * dt)
        watched, beyond = self._watched(stops), self._beyond(rolled, result)
        return Batch(result, names, self.state_names, found, watched, roller.program.saved.fields, screened.why, beyond)

    def _watched(self, ends: Ends) -> tuple[str, ...]:
        """Names of all monitors of a roll-out with these ends."""
        return (*self.traced.watched_contacts, *(name for name, _ in ends))

    def check_laws(self, start: float, duration: float) -> None:
        """Refuse constraints whose laws of time jump, or are no numbers, within a roll-out."""
        if has_timed_constraints(self.system):
            check_constraints(self.system, min(start, start + duration), max(start, start + duration))

    @cached_property
    def contradictions(self) -> Ends:
        """Ends of instances whose constraints contradict each other, or whose balls do not fit into the hollows they are in."""
        return (*contradictions(self.traced, self.precision), *crowding(self.traced))

    @property
    def moved(self) -> Manifold:
        """What steps move of a state."""
        return self.traced.manifold

    def check_limit(
        self,
        states: Any,
        steps: int,
        dt: float,
        *,
        inputs: Any = None,
        parameters: Any = None,
        stepper: str | Implicit = "rk4",
        start_time: float = 0.0,
        remedy: str = "",
    ) -> None:
        """Refuse a roll-out whose explicit steps are beyond the limit of stability where it begins, as `rollout` does."""
        dt, steps = checks.number(dt, "check_limit: dt"), checks.whole(steps, "check_limit: steps")
        start_time = checks.number(start_time, "check_limit: start_time")
        states, inputs, parameters = as_arrays("check_limit", self.target, states, inputs, parameters)
        values = self.default_parameters if parameters is None else parameters
        rolled = Rolled(self.traced, self.moved, self.called_roller, states, steps, dt, inputs, values, stepper, start_time)
        self.require_stable(rolled, remedy)

    def require_stable(self, rolled: Rolled, remedy: str = "") -> None:
        """Refuse explicit steps that are beyond the limit of stability for all instances of a roll-out."""
        if rolled.stepper in codegen.EXPLICIT:
            words = remedy or "give a smaller dt, or stepper='generalised-alpha', which has no limit"
            rolled.check(lambda begin, motions: check_step(begin, motions, self.system.name, words))

    def _beyond(self, rolled: Rolled, result: Rollout) -> Why | None:
        """Words for instances on the host that explicit steps have made infinite, if there are any."""
        explicit = rolled.stepper in codegen.EXPLICIT and isinstance(result.status, int | np.integer | np.ndarray)
        return rolled.words if explicit and (np.asarray(result.status) == NOT_FINITE).any() else None

    def _roller(
        self,
        channels: tuple[str, ...] | None,
        measures: tuple[tuple[str, Measure], ...],
        ends: Ends,
        implicit: bool = False,
    ) -> Roller:
        """Compiled roll-out that saves, reduces and watches these; kept for the next call."""
        if channels is None and not measures and not ends and not implicit:
            return self.roller
        named = tuple((name, str(measure)) for name, measure in measures), tuple((name, str(end)) for name, end in ends)
        key = (channels, *named, implicit)
        if key not in self._rollers:
            traced = self.traced
            self._rollers[key] = self._compile(
                self._moving(dict(ends)),
                None if channels is None else chosen_channels(traced, channels),
                measured(traced.build, all_channels(traced), {n: m.expression for n, m in measures}) if measures else None,
                tuple(measure.kind for _, measure in measures),
                implicit,
            )
        return self._rollers[key]

    def _moving(self, ends: dict[str, str | Expression]) -> Traced:
        """What a roll-out integrates, with monitors for the ends."""
        return ending(self.traced, ends) if ends else self.traced.dynamics

    def _program(
        self,
        dynamics: Traced,
        project: Traced | None,
        observe: Traced | None = None,
        measure: Traced | None = None,
        reductions: tuple[str, ...] = (),
        sense: Traced | None = None,
    ) -> Program:
        manifold, breaks = self.traced.manifold, bool(self.break_conditions)
        limbs = state_limbs(self.traced) if self.target == "cuda" else ()
        return Program(dynamics, manifold, project, observe, measure, reductions, sense, breaks, limbs=limbs)

    def _compile(
        self,
        dynamics: Traced,
        observe: Traced | None = None,
        measure: Traced | None = None,
        reductions: tuple[str, ...] = (),
        implicit: bool = False,
    ) -> Roller:
        program = self._program(dynamics, self._projection, observe, measure, reductions)
        return self._rolling(program.implicit() if implicit else program)

    def _rolling(self, program: Program) -> Roller:
        """A program compiled for the target."""
        return CudaRolloutKernel(program, self.precision) if self.target == "cuda" else compile_program(program, self.target)


def check_target(name: str, target: str, precision: str) -> None:
    """Refuse a target that does not exist or cannot be had here, and a precision it does not compute in."""
    checks.choice(*codegen.TARGETS, "cuda")(target, "target")
    if target == "cuda":
        need_device(name)
    elif precision != "float64":
        raise CompileError(f"{name}: precision {precision!r} needs target 'cuda'; target {target!r} computes in float64")


@lru_cache(maxsize=64)
def compile_system(
    system: System,
    *,
    target: str = "auto",
    free: tuple[str, ...] = (),
    drift_time: float | None = None,
    project: bool | None = None,
    about: tuple[float, ...] | None = None,
    precision: str = "float64",
    time: float = 0.0,
) -> CompiledSystem:
    """Compile a system; equal systems and options give the same object.

    `target` is "auto" (C, and SIMD for batches, or the interpreter where there is no compiler), "c", "simd", "interpreter",
    or "cuda" for roll-outs on a CUDA device, with `precision` "float64" or "float32"; `free` names parameters that stay
    arguments; `drift_time` is the time constant of the drift correction; `project` closes the gaps after each step (those
    of loops unless it is False); `about`
    is a pose around which pivots are chosen, and `time` the instant, where coefficients of constraints depend on it.
    """
    check_target(system.name, target, precision)
    pose = None if about is None else np.array(about)
    traced = trace(system, free=tuple(free), about=pose, drift_time=drift_time, time=time)
    return CompiledSystem(traced, target, project, precision)


@lru_cache(maxsize=64)
def brief_system(
    system: System,
    *,
    target: str,
    drift_time: float | None,
    project: bool | None,
    about: tuple[float, ...] | None,
    time: float = 0.0,
) -> CompiledSystem:
    """A compiled system for a few steps only, with pivots chosen around a pose."""
    return replace(
        compile_system(system, target=target, drift_time=drift_time, project=project, about=about, time=time),
        brief=True,
        _rollers={},
        _watches={},
        _compiled_watches={},
    )
