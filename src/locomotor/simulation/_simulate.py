"""The verb `simulate`: a system, a start and a duration in, a `Run` out."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from locomotor.checks import (
    choice,
    door,
    either,
    flag,
    floats,
    function,
    instance,
    is_number,
    mapping,
    names,
    number,
    optional,
    positive,
)
from locomotor.codegen import Rollout
from locomotor.errors import InconsistentStartError, ModelError, QuantityError, StepperError
from locomotor.lie import Manifold
from locomotor.model import Ends, System, a_system
from locomotor.simulation.adaptive import AdaptiveResult, integrate
from locomotor.simulation.compiled import (
    CalledLaw,
    CompiledSystem,
    as_controller,
    brief_system,
    called_law,
    compile_system,
    confirm_law,
)
from locomotor.simulation.ends import EndsGiven, Roll, Watch, chosen_ends, cut, ended, last_event, looked_at, thinned
from locomotor.simulation.events import is_hybrid, simulate_hybrid
from locomotor.simulation.inputs import as_motions, check_compatibility, check_constraints, check_inputs_act, check_motions
from locomotor.simulation.records import Channel, Run, in_stretches, sound, uneven_samples, violated
from locomotor.simulation.singular import Piece, check_start, comfortable, explain, near_singularity, retreat, trusted
from locomotor.simulation.status import Events, Outcome, Status, repivoted
from locomotor.simulation.steppers import Adaptive, FixedStep, Stepper, as_stepper, refined
from locomotor.simulation.turning import Stretch, angle_names, continuous
from locomotor.tracing import Channels, Controller, trace
from locomotor.typing import Flags, Vector

MOST_SAMPLES = 100_000
"""Samples kept when the user does not say how many."""
MOST_ASKED = 10**8
"""Samples that a user may ask for: of all channels they fill the memory of most machines."""
MOST_STEPS = 2**53
"""Steps up to which the time of each is a number of its own."""
MOST_REPIVOTS = 50
DONE = (Outcome.COMPLETED, Outcome.ENDED)


class RunWarning(UserWarning):
    """A run ended before its time; the run returned holds what there is."""


@door(
    system=a_system,
    duration=partial(positive, error=StepperError),
    start=optional(partial(mapping, error=InconsistentStartError)),
    step=optional(partial(positive, error=StepperError)),
    inputs=optional(mapping),
    controller=optional(either(instance(Controller), function)),
    motions=optional(partial(mapping, error=QuantityError)),
    static=optional(mapping),
    parameters=optional(mapping),
    drift_time=optional(partial(positive, error=StepperError)),
    project=flag,
    sample=optional(lambda value, what: (positive if is_number(value) else floats)(value, what, error=StepperError)),
    assemble=flag,
    closed=optional(names),
    scheme=choice("exact", "source", error=StepperError),
    start_time=partial(number, error=StepperError),
    target=choice("auto", "c", "simd", "interpreter"),
)
def simulate(
    system: System,
    duration: float,
    *,
    start: Mapping[str, float] | None = None,
    step: float | None = None,
    stepper: str | Stepper = "rk4",
    inputs: Mapping[str, Any] | None = None,
    controller: Controller | Callable[[Channels], Mapping[str, Any]] | None = None,
    motions: Mapping[str, Any] | None = None,
    static: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    drift_time: float | None = None,
    project: bool = False,
    sample: float | Sequence[float] | None = None,
    assemble: bool = True,
    closed: Sequence[str] | None = None,
    scheme: str = "exact",
    start_time: float = 0.0,
    target: str = "auto",
    ends: EndsGiven = "declared",
) -> Run:
    """Simulate a system.

    Contacts with a law other than `Persistent()` open and close; `run.events` tells when, with impulses and energies.

    Args:
        system: what moves.
        duration: seconds of motion.
        start: coordinates, angles and velocities by name; the rest follows from the contacts or is nominal, velocities from
            vanishing momenta with "momentum": 0.
        step: seconds a step, for the fixed-step steppers (0.001 by default); shortened to divide the duration.
        stepper: "rk4", "abm4", "abm5", "dop853", or an object of `simulation.steppers`.
        inputs: values of inputs by name: numbers, or expressions of t and channels such as "0.3*sin(t)".
        controller: a function of named channels that returns inputs by name, or a `Controller` with states.
        motions: joints whose motion is imposed, as expressions of t.
        static: constraint forces by row, such as {"front_x": 0.0}, where the contacts over-determine them; by default the
            smallest forces that do.
        parameters: other values for named parameters.
        drift_time: time constant of the drift correction of the contacts' gaps (docs/theory.md (D1)), or None.
        project: close the gaps by a Newton step after each step (fixed-step steppers).
        sample: seconds between recorded samples (the end is recorded too where it comes sooner), or the times to record, which
            are met exactly, start and end besides; by default every step, thinned to 100,000 samples at most.
        assemble: close the contacts' gaps at the start (see `simulation.start`).
        closed: of the contacts that open and close, those closed at the start, whose gaps are closed by moving what `start`
            leaves open; by default those that touch in the pose given.
        scheme: how events are located: "exact" (to round-off), or "source" (rewind and shorten the step, as the sources do).
        start_time: time of the first sample.
        target: where to run: "auto", "c" or "interpreter".
        ends: expressions of channels by name; where one becomes negative the run is over, as {"fallen": "1.2 - abs(roll)"};
            by default those that the system declares, None for none.
    """
    chosen = as_stepper(stepper, step)
    if isinstance(chosen, FixedStep) and not duration / chosen.step <= MOST_STEPS:
        raise StepperError(
            f"a step of {chosen.step!r} s would divide {duration!r} s into more than {MOST_STEPS} steps; give a longer "
            "step, or a shorter duration"
        )
    if project and isinstance(chosen, Adaptive):
        raise StepperError(f"project=True needs a fixed step, and {chosen.name} has none; use rk4, or drift_time")
    if parameters:
        system = system.with_parameters(**parameters)
    if motions is not None:
        driven = system.with_motions(as_motions(motions))
        check_inputs_act(system, driven, inputs or {})
        system = driven
    constant, feedback_law = as_controller(system, inputs, controller)
    check_motions(system, start_time, start_time + duration)
    check_constraints(system, start_time, start_time + duration)
    samples, substeps, dt = _sampling(duration, chosen, sample, start_time)
    finer = partial(
        simulate,
        system,
        duration,
        start=start,
        stepper=refined(chosen),
        inputs=inputs,
        controller=controller,
        static=static,
        drift_time=drift_time,
        project=project,
        sample=float(samples[1] - samples[0]) if len(set(np.round(np.diff(samples), 12))) == 1 else samples.tolist(),
        assemble=assemble,
        closed=closed,
        scheme=scheme,
        start_time=start_time,
        target=target,
        ends=ends,
    )
    stops = chosen_ends(system, ends)
    if is_hybrid(system):
        if static:
            raise StepperError(f"static is given, but contacts of {system.name} open and close; leave it out")
        grid = (samples, substeps, dt)
        run = simulate_hybrid(
            system,
            start,
            closed,
            assemble,
            chosen,
            grid,
            constant,
            feedback_law,
            target,
            scheme,
            drift_time,
            project,
            finer,
            stops,
        )
        run = sound(run, substeps == 1)
        if not run.status.ok:
            warnings.warn(f"{system.name}: {run.status}", RunWarning, stacklevel=3)
        return run
    if closed is not None:
        raise StepperError(f"closed is given, but no contact of {system.name} opens and closes; leave it out")
    plan = _Plan(system, chosen, constant, feedback_law, drift_time, project, target, static, stops)
    compiled = plan.compile(None, start_time)
    state = compiled.start(start, time=start_time, assemble=assemble)
    check_compatibility(compiled.traced, state, start_time)
    pieces, outcome = _integrate(plan, compiled, state, samples, substeps, dt)
    known = plan.controller is None or compiled.traced.controller_is_traced
    run = sound(_record(plan, pieces, samples, outcome, finer), known and substeps == 1)
    confirm_law(pieces[0].compiled.traced)
    if not run.status.ok:
        warnings.warn(f"{system.name}: {run.status}", RunWarning, stacklevel=3)
    return run


@dataclass(frozen=True, eq=False)
class _Plan:
    """What stays the same over a whole run."""

    system: System
    stepper: Stepper
    constant: Mapping[str, float]
    controller: Controller | None
    drift_time: float | None
    project: bool
    target: str
    static: Mapping[str, Any] | None = None
    ends: Ends = ()
    made: list[CompiledSystem] = field(default_factory=list)
    """What was compiled on the way, each with other pivots."""

    def compile(self, about: Vector | None, time: float) -> CompiledSystem:
        """Compiled system with pivots chosen around a pose, for an instant.

        Around the nominal pose the velocities declared as independent are kept so; where those have failed, the best are.
        """
        pose = None if about is None else tuple(float(value) for value in about)
        system = self.system if about is None else self.system.replace(independent=None)
        when = time if system.turns_with_time else 0.0  # what does not depend on it is compiled once
        if self.controller is None and not self.static:
            make = compile_system if about is None else brief_system
            return make(system, target=self.target, drift_time=self.drift_time, project=self.project, about=pose, time=when)
        traced = trace(
            system,
            about=about,
            controller=self.controller,
            drift_time=self.drift_time,
            static=self.static,
            time=when,
        )
        return CompiledSystem(traced, self.target, self.project, brief=about is not None)

    def open_inputs(self, compiled: CompiledSystem) -> Vector:
        """Constant inputs in order (empty when a traced controller closes the loop)."""
        return np.array([self.constant.get(name, 0.0) for name in compiled.input_names])

    def watch(self, compiled: CompiledSystem) -> Watch:
        """The ends, to be looked at along a motion."""
        law, inputs = self.law(compiled), self.open_inputs(compiled)
        return Watch(self.ends, compiled.watch(self.ends), inputs, compiled.default_parameters, law)

    def law(self, compiled: CompiledSystem) -> CalledLaw | None:
        """The controller, if it could not be traced."""
        return called_law(compiled, compiled.default_parameters)

    def roll(self, compiled: CompiledSystem) -> Callable[..., Rollout]:
        """Steps of a length from a state at an instant."""
        law = self.law(compiled)

        def roll(t: float, x: Vector, count: int, h: float, method: str = "rk4", save_every: int = 1) -> Rollout:
            return compiled.roll(
                x,
                count,
                h,
                inputs=None if law else self.open_inputs(compiled),
                parameters=compiled.default_parameters,
                save_every=save_every,
                stepper=method,
                start_time=t,
                law=law.answer if law else None,
                breaks=compiled.breaks,
            )

        return roll

    def adaptively(
        self, compiled: CompiledSystem, stepper: Adaptive, state: Vector, samples: Vector, watch: Watch | None = None
    ) -> AdaptiveResult:
        """The motion from a state at the first of some instants to the last, or to the first beyond an end."""
        given = self.open_inputs(compiled)
        feedback = self.law(compiled) or (lambda t, x: given)
        breaks = compiled.breaks(float(samples[0]), float(samples[-1]), 0.0)
        p = compiled.default_parameters
        passed = None if watch is None else lambda times, states: watch.first(times, states) is not None
        return integrate(compiled.dynamics, compiled.traced.manifold, state, samples, stepper, p, feedback, breaks, passed)

    def states(self, compiled: CompiledSystem) -> Roll:
        """The motion made again from a state, as states one step apart; as many as are reached."""
        roll = self.roll(compiled)

        def fixed(t: float, x: Vector, count: int, h: float) -> Vector:
            result = roll(t, x, count, h)
            return np.asarray(result.states)[: int(result.completed) + 1]

        def adaptive(t: float, x: Vector, count: int, h: float) -> Vector:
            assert isinstance(self.stepper, Adaptive)
            return self.adaptively(compiled, self.stepper, x, t + h * np.arange(count + 1, dtype=np.float64)).states

        def imposed(t: float, x: Vector, count: int, h: float) -> Vector:
            return np.zeros((count + 1, 0))

        if not compiled.state_names:
            return imposed
        return adaptive if isinstance(self.stepper, Adaptive) else fixed

    def stretch(self, piece: Piece) -> Stretch:
        """A piece and how to make its motion again."""
        compiled = piece.compiled
        return Stretch(compiled, piece.times, piece.states, compiled.default_parameters, self.states(compiled), piece.path)


def _sampling(duration: float, stepper: Stepper, sample: Any, start_time: float) -> tuple[Vector, int, float]:
    """Sample times, steps between samples (none where they are not equally far apart), and the step."""
    if isinstance(sample, float) and not 0.0 < sample <= duration * (1 + 1e-9):
        raise StepperError(f"sample is {sample!r} s; it must be positive and at most the duration, {duration!r} s")
    if isinstance(sample, float) and not duration / sample <= MOST_ASKED:
        raise StepperError(f"sample is {sample!r} s, more than {MOST_ASKED} samples in {duration!r} s; give a longer one")
    samples = None if sample is None else uneven_samples(sample, duration, start_time)
    if samples is not None:
        return samples, 0, 0.0 if isinstance(stepper, Adaptive) else stepper.step
    if isinstance(stepper, Adaptive):
        count = max(1, round(duration / (sample if sample is not None else duration / 1000)))
        return start_time + np.asarray(np.linspace(0.0, duration, count + 1), dtype=float), 0, 0.0
    if sample is None:
        steps = max(1, math.ceil(duration / stepper.step * (1 - 1e-12) - 1e-9))
        substeps = max(1, math.ceil(steps / MOST_SAMPLES))
        count = math.ceil(steps / substeps)
    else:
        count = max(1, round(duration / sample))
        substeps = max(1, math.ceil(duration / count / stepper.step - 1e-9))
    dt = duration / (count * substeps)
    return np.asarray(start_time + dt * substeps * np.arange(count + 1), dtype=float), substeps, dt


def _integrate(
    plan: _Plan, compiled: CompiledSystem, state: Vector, samples: Vector, substeps: int, dt: float
) -> tuple[list[Piece], Outcome]:
    """Integrate, choosing other pivots wherever those in use become small."""
    pieces: list[Piece] = []
    left = samples
    stuck: Piece | None = None
    check_start(compiled, state, float(samples[0]))
    if plan.ends:
        plan.watch(compiled).check_start(plan.system.name, float(samples[0]), state)
    for _ in range(MOST_REPIVOTS):
        if not len(state):
            return [_imposed_piece(compiled, left)], Outcome.COMPLETED
        piece = (
            _adaptive_piece(plan, plan.stepper, compiled, state, left)
            if isinstance(plan.stepper, Adaptive)
            else _fixed_piece(plan, plan.stepper, compiled, state, left, substeps, dt)
            if substeps and left[0] in samples
            else in_stretches(partial(_fixed_piece, plan, plan.stepper, compiled), state, left, dt)
        )
        if stuck is not None and piece.end_time <= stuck.end_time and piece.outcome not in DONE:
            if compiled in plan.made:
                # Pivots of an earlier piece came no farther; those that are the best there may.
                compiled, state = _repivot(plan, pieces[-1], again=False)
                continue
            # Other pivots came no farther: what happened is what happened the first time.
            return [*pieces[:-1], trusted(stuck)], stuck.outcome
        if piece.outcome in DONE or not near_singularity(piece):
            return [*pieces, piece], piece.outcome
        stuck = piece
        pieces.append(_retreat(plan, piece, dt))
        left = np.append(pieces[-1].times[-1], samples[samples > pieces[-1].times[-1]])
        try:
            compiled, state = _repivot(plan, pieces[-1])
        except ModelError:
            # No pivots are safe there: the pose itself is singular.
            return [*pieces[:-1], trusted(stuck)], Outcome.SINGULAR
    return pieces, Outcome.SINGULAR


def _retreat(plan: _Plan, piece: Piece, dt: float) -> Piece:
    """The piece up to where its pivots were comfortable still."""
    if isinstance(plan.stepper, Adaptive):
        return retreat(piece, 0.0)
    roll, name = plan.roll(piece.compiled), plan.stepper.name

    def states(t: float, x: Vector, count: int, every: int) -> Vector:
        result = roll(t, x, count, dt, name, every)
        return np.asarray(result.states)[: int(result.completed) // every + 1]

    return retreat(piece, dt, states)


def _imposed_piece(compiled: CompiledSystem, samples: Vector) -> Piece:
    """A system whose every motion is imposed: nothing to integrate, everything to record."""
    empty = np.zeros((len(samples), 0))
    return Piece(compiled, samples, empty, Outcome.COMPLETED, float(samples[-1]), empty[-1], -1, 0.0)


def _fixed_piece(
    plan: _Plan, stepper: FixedStep, compiled: CompiledSystem, state: Vector, samples: Vector, substeps: int, dt: float
) -> Piece:
    steps = (len(samples) - 1) * substeps
    every = looked_at(bool(plan.ends or angle_names(compiled)), steps, substeps)
    roll = plan.roll(compiled)
    result = roll(float(samples[0]), state, steps, dt, stepper.name, every)
    completed = int(result.completed)
    outcome = (Outcome.COMPLETED, Outcome.SINGULAR, Outcome.NOT_FINITE)[int(result.status)]
    kept = completed // every + 1
    states = result.states[:kept]
    times = samples[:kept] if every == substeps else float(samples[0]) + dt * every * np.arange(kept, dtype=np.float64)
    times[:: substeps // every] = samples[: len(times[:: substeps // every])]
    piece = Piece(
        compiled,
        times,
        states,
        outcome,
        float(samples[0]) + completed * dt,
        result.final,
        int(result.monitor),
        _norm_error(compiled.traced.manifold, states),
    )
    if plan.ends:
        piece = cut(piece, plan.watch(compiled), dt, lambda *step: roll(*step).states)
    return thinned(piece, substeps // every)


def _adaptive_piece(plan: _Plan, stepper: Adaptive, compiled: CompiledSystem, state: Vector, samples: Vector) -> Piece:
    watch = plan.watch(compiled) if plan.ends else None
    result = plan.adaptively(compiled, stepper, state, samples, watch)
    kept = samples[: len(result.states)]
    piece = Piece(
        compiled,
        kept,
        result.states,
        result.outcome,
        result.end_time,
        result.end_state,
        -1,
        result.norm_error,
        path=result.path,
    )
    return piece if watch is None else cut(piece, watch, 0.0, plan.states(compiled))


def _norm_error(manifold: Manifold, states: Vector) -> float:
    return float(np.abs(manifold.normalise(states) - states).max()) if len(states) else 0.0


def _repivot(plan: _Plan, piece: Piece, again: bool = True) -> tuple[CompiledSystem, Vector]:
    """Other pivots, chosen around the pose where the run stopped; restart from the last recorded sample.

    Those of an earlier piece are taken again, if that is allowed, where they are large at both.
    """
    old = piece.compiled
    plan.made.extend([] if old in plan.made else [old])
    at_end = _channels(plan, old, np.array([piece.end_time]), piece.end_state[None])
    pose = np.array([at_end[symbol.name][0] for symbol in plan.system.layout.coordinates])
    last = _channels(plan, old, piece.times[-1:], piece.states[-1:])

    def state_of(new: CompiledSystem, channels: Mapping[str, Vector], state: Vector) -> Vector:
        velocities = [channels[name][0] for name in new.traced.reduction.names]
        n, nq = len(old.traced.reduction.free), old.traced.nq
        return np.concatenate([state[:nq], velocities, state[nq + n :]])

    for known in plan.made if again else ():
        instants = np.array([piece.times[-1], piece.end_time])
        states = np.stack([state_of(known, last, piece.states[-1]), state_of(known, at_end, piece.end_state)])
        if known is not old and comfortable(known, instants, states):
            return known, states[0]
    new = plan.compile(pose, piece.end_time)
    return new, state_of(new, last, piece.states[-1])


def _channels(plan: _Plan, compiled: CompiledSystem, times: Vector, states: Vector) -> dict[str, Vector]:
    """All channels at given states."""
    law = plan.law(compiled)
    if law is None:
        inputs = np.broadcast_to(plan.open_inputs(compiled), (len(times), compiled.traced.input_port.size))
    else:
        inputs = law.at(times, states)
    parameters = np.broadcast_to(compiled.default_parameters, (len(times), compiled.default_parameters.size))
    outputs = compiled.observation(times[:, None], states, inputs, parameters)
    found: dict[str, Vector] = {}
    for port, values in zip(compiled.traced.observation.outputs, outputs, strict=True):
        found.update({name: values[:, k] for k, name in enumerate(port.names)})
    start = compiled.traced.nq + len(compiled.traced.reduction.free)
    for k, name in enumerate(compiled.traced.controller_states):
        found[name] = states[:, start + k]
    return found


def _recorded(pieces: list[Piece], samples: Vector) -> Flags:
    """Which states of all pieces are samples: where one piece ends and the next begins is recorded once, or not at all."""
    found = [np.ones(len(piece.times), dtype=bool) for piece in pieces]
    for i, piece in enumerate(pieces):
        found[i][0] = piece.times[0] in samples
        found[i][-1] &= i + 1 == len(pieces)
    if pieces[-1].end and len(pieces[-1].times) == 1:
        found[-1][0] = True  # the end is recorded, wherever it is
    return np.concatenate(found)


def _record(plan: _Plan, pieces: list[Piece], samples: Vector, outcome: Outcome, finer: Callable[[], Run] | None = None) -> Run:
    """Channels of all pieces, end to end; each begins where the one before it ends, which is a sample or is not."""
    parts = [_channels(plan, piece.compiled, piece.times, piece.states) for piece in pieces]
    channels = {name: np.ascontiguousarray(np.concatenate([part[name] for part in parts])) for name in parts[0]}
    traced = pieces[0].compiled.traced
    about = {
        field.name: Channel(field.unit, field.latex, field.description, port.name)
        for port in traced.observation.outputs
        for field in port.fields
    }
    for name in traced.controller_states:
        about[name] = Channel("", "", "state of the controller", "controller")
    step = plan.stepper.step if isinstance(plan.stepper, FixedStep) else math.inf
    channels |= continuous([plan.stretch(piece) for piece in pieces], channels, about, step)
    times = np.concatenate([piece.times for piece in pieces])
    if len(pieces) > 1:
        kept = _recorded(pieces, samples)
        times, channels = times[kept], {name: values[kept] for name, values in channels.items()}
    status = Status(outcome, pieces[-1].end_time, explain(pieces[-1], outcome))
    if pieces[-1].end:
        status = ended(plan.ends, pieces[-1].end, pieces[-1].end_time, channels, about)
    if status.ok:
        status = violated(times, channels, about) or status
    return Run(
        name=plan.system.name,
        time=times,
        channels=channels,
        about=about,
        status=status,
        events=_events(pieces, status),
        parameters=dict(plan.system.parameters.values),
        settings={
            "stepper": plan.stepper.name,
            "order": plan.stepper.order,
            "step": plan.stepper.step if isinstance(plan.stepper, FixedStep) else None,
            "rtol": plan.stepper.rtol if isinstance(plan.stepper, Adaptive) else None,
            "drift_time": plan.drift_time,
            "project": plan.project,
            "target": _target(plan, pieces[0]),
            "repivots": len(pieces) - 1,
            "quaternion_norm_error": max(piece.norm_error for piece in pieces),
        },
        system=plan.system,
        again=finer,
    )


def _target(plan: _Plan, piece: Piece) -> str:
    """Where the run was computed."""
    if not isinstance(plan.stepper, FixedStep) or not piece.states.size:
        return plan.target
    return str(piece.compiled.called_roller.target)


def _events(pieces: list[Piece], status: Status) -> Events:
    """What happened on the way."""
    return Events([*(repivoted(piece.end_time) for piece in pieces[:-1]), *last_event(status)])
