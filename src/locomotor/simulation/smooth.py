"""Smooth motion according to a plan, in named stages: compile, start, integrate; other pivots are chosen on the way."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import pairwise

import numpy as np

from locomotor.codegen import UNSOLVED, Implicit
from locomotor.dataclass import dataclass
from locomotor.errors import ModelError, StepperError
from locomotor.lie import Manifold
from locomotor.simulation.adaptive import AdaptiveResult, integrate
from locomotor.simulation.branches import passages_of
from locomotor.simulation.compiled import CompiledSystem, brief_system, compile_system
from locomotor.simulation.driven import Driven
from locomotor.simulation.ends import Roll, Watch, cut, looked_at, thinned
from locomotor.simulation.inputs import check_compatibility
from locomotor.simulation.recorder import Course, described
from locomotor.simulation.records import in_stretches, is_judging
from locomotor.simulation.run_plan import Plan
from locomotor.simulation.singular import (
    Piece,
    check_start,
    comfortable,
    explain,
    first_waned,
    near_singularity,
    retreat,
    trusted,
)
from locomotor.simulation.singular_instant import instant, singular
from locomotor.simulation.status import Event, Outcome, Status, repivoted
from locomotor.simulation.steppers import AUTO, Adaptive, FixedStep
from locomotor.simulation.stiffness import Stiffness, settled, stiffness
from locomotor.simulation.turning import Track, angle_names
from locomotor.tracing import trace
from locomotor.typing import Flags, Vector

MOST_REPIVOTS = 50
DONE = (Outcome.COMPLETED, Outcome.ENDED)
OUTCOMES = {0: Outcome.COMPLETED, 1: Outcome.SINGULAR, 2: Outcome.NOT_FINITE, UNSOLVED: Outcome.UNSOLVED}
"""By the status of a roll-out."""


Jump = tuple[float, Callable[[Driven, float, Vector], Vector]]
"""An instant, and the state after it of the state before it."""


def move_smoothly(plan: Plan, jumps: Sequence[Jump] = ()) -> Course:
    """The whole motion, stage by stage; the state jumps at some instants inside it, given in order."""
    if plan.start.closed is not None:
        raise StepperError(f"closed is given, but no contact of {plan.system.name} opens and closes; leave it out")
    motion = SmoothMotion(plan)
    first = motion.compile(None, plan.start.time)
    state = motion.start(first)
    motion = motion.settled(first, state)
    motion.check_step(first, state)
    pieces, outcome = motion.integrate_jumping(first, state, jumps) if jumps else motion.integrate(first, state)
    return motion.course(pieces, outcome)


@dataclass(frozen=True, eq=False)
class SmoothMotion:
    """A plan, and what was compiled for it on the way, each with other pivots."""

    plan: Plan
    made: list[Driven] = field(default_factory=list)
    """Compiled systems whose pivots have failed somewhere."""
    _driven: dict[CompiledSystem, Driven] = field(default_factory=dict)
    chosen: str = ""
    """Why "auto" has chosen the stepper of the plan, if it has."""

    # -- compile --------------------------------------------------------------------------------------

    def compile(self, about: Vector | None, time: float) -> Driven:
        """The system with pivots chosen around a pose, for an instant, traced and compiled: later stages build nothing.

        Around the nominal pose the velocities declared as independent are kept so; where those have failed, the best are, for
        a few steps that are not worth a compiler.
        """
        plan = self.plan
        pose = None if about is None else tuple(float(value) for value in about)
        system = plan.system if about is None else plan.system.replace(independent=None)
        when = time if system.turns_with_time else 0.0  # what does not depend on it is compiled once
        target, drift_time, project = plan.method.target, plan.method.drift_time, plan.method.project
        if plan.controller is None and not plan.static:
            make = compile_system if about is None else brief_system
            compiled = make(system, target=target, drift_time=drift_time, project=project, about=pose, time=when)
        else:
            traced = trace(
                system, about=about, controller=plan.controller, drift_time=drift_time, static=plan.static, time=when
            )
            compiled = CompiledSystem(traced, target, project, brief=about is not None)
        fixed = plan.stepper.method if isinstance(plan.stepper, FixedStep) else None
        compiled.build(plan.ends, stepper=None if fixed == AUTO else fixed)
        return self._driven.setdefault(compiled, Driven(compiled, plan.constant))

    # -- start ----------------------------------------------------------------------------------------

    def start(self, driven: Driven) -> Vector:
        """The state at the beginning, which the contacts, the imposed motions and the ends allow."""
        plan, compiled, time = self.plan, driven.compiled, self.plan.start.time
        state = compiled.start(plan.start.values, time=time, assemble=plan.start.assemble)
        check_compatibility(compiled.traced, state, time)
        check_start(compiled, state, time)
        if plan.ends:
            driven.watch(plan.ends).check_start(plan.system.name, time, state)
        return state

    def settled(self, driven: Driven, state: Vector) -> "SmoothMotion":
        """The motion with the stepper that "auto" takes at this state; with others as it is."""
        plan = self.plan
        if not isinstance(plan.stepper, FixedStep) or plan.stepper.name != AUTO:
            return self
        stepper, why = settled(plan.stepper, lambda: self._stiffness(driven, plan.start.time, state, "rk4"))
        driven.compiled.build(stepper=stepper.method)
        method = replace(plan.method, stepper=stepper, step=None)
        return replace(self, plan=replace(plan, method=method), chosen=why)

    def _stiffness(self, driven: Driven, time: float, state: Vector, stepper: str) -> Stiffness:
        inputs = driven.inputs if driven.law is None else driven.law(time, state)
        return stiffness(driven.compiled.traced, time, state, inputs, driven.parameters, stepper)

    def check_step(self, driven: Driven, state: Vector) -> None:
        """Refuse an explicit step that no motion from this state survives."""
        plan, stepper, time = self.plan, self.plan.stepper, self.plan.start.time
        if isinstance(stepper, FixedStep) and stepper.implicit is None and not is_judging():
            h = plan.samples.step
            driven.check_step(time, state, round(plan.duration / h), h, stepper.name, "generalised-alpha")

    # -- integrate ------------------------------------------------------------------------------------

    def integrate(self, driven: Driven, state: Vector) -> tuple[list[Piece], Outcome]:
        """The motion in pieces, with other pivots wherever those in use become small."""
        samples, substeps, dt = self.plan.samples.times, self.plan.samples.substeps, self.plan.samples.step
        pieces: list[Piece] = []
        left = samples
        stuck: Piece | None = None
        for _ in range(MOST_REPIVOTS):
            if not len(state):
                return [_imposed_piece(driven.compiled, left)], Outcome.COMPLETED
            piece = (
                self._adaptive_piece(driven, state, left)
                if isinstance(self.plan.stepper, Adaptive)
                else self._fixed_piece(driven, state, left, substeps, dt)
                if substeps and left[0] in samples
                else in_stretches(partial(self._fixed_piece, driven), state, left, dt)
            )
            if stuck is not None and piece.end_time <= stuck.end_time and piece.outcome not in DONE:
                if driven in self.made:
                    # Pivots of an earlier piece came no farther; those that are the best there may.
                    driven, state = self._repivot(driven, pieces[-1], again=False)
                    continue
                # Other pivots came no farther: what happened is what happened the first time.
                return [*pieces[:-1], trusted(stuck)], stuck.outcome
            if piece.outcome in DONE and len(pieces) < MOST_REPIVOTS // 2 and (better := self._better(driven, piece, dt)):
                stuck, (cut, driven, state) = None, better
                pieces.append(cut)
                left = np.append(cut.times[-1], samples[samples > cut.times[-1]])
                continue
            if piece.outcome in DONE or not near_singularity(piece):
                return [*pieces, piece], piece.outcome
            stuck = piece
            pieces.append(self._retreat(driven, piece, dt))
            left = np.append(pieces[-1].times[-1], samples[samples > pieces[-1].times[-1]])
            try:
                driven, state = self._repivot(driven, pieces[-1])
            except ModelError:
                # No pivots are safe there: the pose itself is singular.
                return [*pieces[:-1], trusted(stuck)], Outcome.SINGULAR
        return pieces, Outcome.SINGULAR

    def integrate_jumping(self, driven: Driven, state: Vector, jumps: Sequence[Jump]) -> tuple[list[Piece], Outcome]:
        """The motion in pieces, from one jump of the state to the next; pivots stay those in use before a jump."""
        times = self.plan.samples.times
        pieces: list[Piece] = []
        outcome = Outcome.COMPLETED
        for k, (begin, end) in enumerate(pairwise([float(times[0]), *(time for time, _ in jumps), float(times[-1])])):
            if k:
                state = jumps[k - 1][1](driven, begin, state)
            if end <= begin:
                continue
            between = np.array([begin, *times[(times > begin) & (times < end)], end])
            samples = replace(self.plan.samples, times=between, substeps=0)
            found, outcome = replace(self, plan=replace(self.plan, samples=samples)).integrate(driven, state)
            pieces += found
            if outcome is not Outcome.COMPLETED:
                break
            driven, state = self._driven[found[-1].compiled], found[-1].end_state
        return pieces, outcome

    def _fixed_piece(self, driven: Driven, state: Vector, samples: Vector, substeps: int, dt: float) -> Piece:
        plan, compiled = self.plan, driven.compiled
        steps = (len(samples) - 1) * substeps
        every = looked_at(bool(plan.ends or angle_names(compiled)), steps, substeps)
        result = driven.roll(float(samples[0]), state, steps, dt, stepper=self._fixed.method, save_every=every)
        completed = int(result.completed)
        outcome = OUTCOMES[int(result.status)]
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
            _norm_error(compiled.traced.manifold, states[:: substeps // every]),
        )
        if plan.ends:
            piece = cut(piece, driven.watch(plan.ends), dt, lambda *step: driven.roll(*step, stepper=self._making).states)
        return thinned(piece, substeps // every)

    def _adaptive_piece(self, driven: Driven, state: Vector, samples: Vector) -> Piece:
        watch = driven.watch(self.plan.ends) if self.plan.ends else None
        result = self._adaptively(driven, state, samples, watch)
        kept = samples[: len(result.states)]
        piece = Piece(
            driven.compiled,
            kept,
            result.states,
            result.outcome,
            result.end_time,
            result.end_state,
            -1,
            result.norm_error,
            path=result.path,
        )
        return piece if watch is None else cut(piece, watch, 0.0, self._again(driven))

    def _adaptively(self, driven: Driven, state: Vector, samples: Vector, watch: Watch | None = None) -> AdaptiveResult:
        """The motion from a state at the first of some instants to the last, or to the first beyond an end."""
        compiled, stepper = driven.compiled, self.plan.stepper
        assert isinstance(stepper, Adaptive)
        feedback = driven.law or (lambda t, x: driven.inputs)
        breaks = compiled.breaks(float(samples[0]), float(samples[-1]), 0.0)
        passed = None if watch is None else lambda times, states: watch.first(times, states) is not None
        manifold, p = compiled.traced.manifold, driven.parameters
        return integrate(compiled.dynamics, manifold, state, samples, stepper, p, feedback, breaks, passed)

    def _again(self, driven: Driven) -> Roll:
        """The motion made again from a state, as states one step apart; as many as are reached."""

        def adaptively(t: float, x: Vector, count: int, h: float) -> Vector:
            return self._adaptively(driven, x, t + h * np.arange(count + 1, dtype=np.float64)).states

        adaptive = isinstance(self.plan.stepper, Adaptive) and driven.compiled.state_names
        return adaptively if adaptive else partial(driven.states, stepper=self._making)

    @property
    def _fixed(self) -> FixedStep:
        """The stepper, where its steps are fixed."""
        assert isinstance(self.plan.stepper, FixedStep)
        return self.plan.stepper

    @property
    def _making(self) -> str | Implicit:
        """What makes a few steps of the motion again: Runge-Kutta for explicit methods, of which some need a past."""
        stepper = self.plan.stepper
        return stepper.implicit if isinstance(stepper, FixedStep) and stepper.implicit is not None else "rk4"

    # -- other pivots ---------------------------------------------------------------------------------

    def _better(self, driven: Driven, piece: Piece, dt: float) -> tuple[Piece, Driven, Vector] | None:
        """Of a piece that came to its end, where its pivots wane too fast for the steps: up to where they were comfortable.

        And what goes on from there with other pivots; None where these are no better.
        """
        if isinstance(self.plan.stepper, Adaptive) or len(piece.times) < 2:
            return None

        def step(t: float, x: Vector) -> Vector | None:
            result = driven.roll(t, x, 1, dt, stepper=self._fixed.method, save_every=1)
            return np.asarray(result.final) if int(result.completed) else None

        k = first_waned(piece, step)
        if k is None:
            return None
        spoilt = replace(
            piece,
            times=piece.times[: k + 1],
            states=piece.states[: k + 1],
            end_time=float(piece.times[k]),
            end_state=piece.states[k],
        )
        cut = self._retreat(driven, spoilt, dt)
        try:
            other, state = self._repivot(driven, cut)
        except ModelError:
            return None
        return (cut, other, state) if comfortable(other.compiled, cut.times[-1:], state[None]) else None

    def _retreat(self, driven: Driven, piece: Piece, dt: float) -> Piece:
        """The piece up to where its pivots were comfortable still."""
        if isinstance(self.plan.stepper, Adaptive):
            return retreat(piece, 0.0)

        def states(t: float, x: Vector, count: int, every: int) -> Vector:
            result = driven.roll(t, x, count, dt, stepper=self._fixed.method, save_every=every)
            return np.asarray(result.states)[: int(result.completed) // every + 1]

        return retreat(piece, dt, states)

    def _repivot(self, old: Driven, piece: Piece, again: bool = True) -> tuple[Driven, Vector]:
        """Other pivots, chosen around the pose where the run stopped; restart from the last recorded sample.

        Those of an earlier piece are taken again, if that is allowed, where they are large at both.
        """
        self.made.extend([] if old in self.made else [old])
        at_end = old.channels(np.array([piece.end_time]), piece.end_state[None])
        pose = np.array([at_end[symbol.name][0] for symbol in self.plan.system.layout.coordinates])
        last = old.channels(piece.times[-1:], piece.states[-1:])
        traced = old.compiled.traced

        def state_of(new: Driven, channels: Mapping[str, Vector], state: Vector) -> Vector:
            velocities = [channels[name][0] for name in new.compiled.traced.reduction.names]
            return np.concatenate([state[: traced.nq], velocities, state[traced.nq + len(traced.reduction.free) :]])

        for known in self.made if again else ():
            instants = np.array([piece.times[-1], piece.end_time])
            states = np.stack([state_of(known, last, piece.states[-1]), state_of(known, at_end, piece.end_state)])
            if known is not old and comfortable(known.compiled, instants, states):
                return known, states[0]
        new = self.compile(pose, piece.end_time)
        for beyond in self._farther(old, piece) if new.compiled.traced.reduction.free == traced.reduction.free else ():
            # The pose is not near enough to where pivots vanish for that choice to be the worst there.
            seen = old.channels(np.array([piece.end_time]), beyond[None])
            pose = np.array([seen[symbol.name][0] for symbol in self.plan.system.layout.coordinates])
            other = self.compile(pose, piece.end_time)
            if other.compiled.traced.reduction.free == traced.reduction.free:
                continue
            if comfortable(other.compiled, np.array([piece.end_time]), state_of(other, at_end, piece.end_state)[None]):
                new = other
            break  # where the mechanism itself is singular, no others are better
        return new, state_of(new, last, piece.states[-1])

    def _farther(self, driven: Driven, piece: Piece) -> Iterator[Vector]:
        """States a step and more beyond the end of a piece, along its rate there; adaptive steps end as near as they can."""
        if isinstance(self.plan.stepper, Adaptive):
            return
        traced, h = driven.compiled.traced, self.plan.samples.step
        inputs = driven.inputs if driven.law is None else driven.law(piece.end_time, piece.end_state)
        (rate, _) = driven.compiled.dynamics(np.array([piece.end_time]), piece.end_state, inputs, driven.parameters)
        for steps in (0.5, 1.0, 2.0):
            beyond = traced.manifold.retract(piece.end_state, steps * h * np.asarray(rate))
            if np.isfinite(beyond).all():
                yield np.asarray(beyond)

    # -- what is to be recorded -----------------------------------------------------------------------

    def course(self, pieces: list[Piece], outcome: Outcome) -> Course:
        """The pieces end to end; each begins where the one before it ends, which is a sample or is not."""
        plan, last, stepper = self.plan, pieces[-1], self.plan.stepper
        recorded = _recorded(pieces, plan.samples.times) if len(pieces) > 1 else None
        times = np.concatenate([piece.times for piece in pieces])
        last_sample = float((times if recorded is None else times[recorded])[-1])
        located = self._located(pieces) if outcome in (Outcome.SINGULAR, Outcome.NOT_FINITE) else None
        if located is not None:
            outcome = Outcome.SINGULAR  # a step across a singularity may also end in infinity
        return Course(
            tracks=[self._track(piece) for piece in pieces],
            about=described(pieces[0].compiled.traced),
            status=Status(outcome, last.end_time if located is None else located, self._words(last, outcome, last_sample)),
            end=last.end,
            ends=plan.ends,
            events=sorted([*_events(pieces, located), *self._passages(pieces)], key=lambda event: event.time),
            step=stepper.step if isinstance(stepper, FixedStep) else math.inf,
            recorded=recorded,
            beyond=lambda: self._beyond(pieces[0]),
            settings={
                "stepper": stepper.name,
                "order": stepper.order,
                "step": stepper.step if isinstance(stepper, FixedStep) else None,
                "rtol": stepper.rtol if isinstance(stepper, Adaptive) else None,
                "drift_time": plan.method.drift_time,
                "project": plan.projects,
                "target": self._target(pieces[0]),
                "repivots": len(pieces) - 1,
                "quaternion_norm_error": max(piece.norm_error for piece in pieces),
                **({"chosen": self.chosen} if self.chosen else {}),
                **self._rho(),
            },
        )

    def _passages(self, pieces: list[Piece]) -> list[Event]:
        """Where loops change their branch, as seen from the velocities that were independent at first."""
        passages = passages_of(pieces[0].compiled.traced)
        if passages is None:
            return []
        found: list[Event] = []
        for piece in pieces:
            again = self._again(self._driven[piece.compiled])
            found += passages.events(piece.times, piece.states, partial(_after, piece, again, self.plan.samples.step))
        return found

    def _located(self, pieces: list[Piece]) -> float | None:
        """The instant of the singular shape at which the run has ended, as seen from the last piece that tells."""
        step = self.plan.samples.step if isinstance(self.plan.stepper, FixedStep) else math.inf
        for piece in reversed(pieces):
            if piece.states.size and len(piece.compiled.traced.motion.watched_steps):
                found = instant(piece, pieces[-1].end_time, self._again(self._driven[piece.compiled]), step)
                if found is not None:
                    return found
        return None

    def _words(self, last: Piece, outcome: Outcome, last_sample: float) -> str:
        """What is said of the end of a run: what has gone wrong, or why its stepper was taken."""
        told = explain(last, outcome, last_sample, self.plan.samples.step)
        if outcome is Outcome.NOT_FINITE and (beyond := self._beyond(last)):
            told = f"{told}; {beyond}"
        return told or self.chosen

    def _beyond(self, piece: Piece) -> str:
        """Words for an explicit step beyond the limit of stability where a piece begins; empty where it is none."""
        stepper = self.plan.stepper
        if not isinstance(stepper, FixedStep) or stepper.implicit is not None or not piece.states.size:
            return ""
        seen = self._stiffness(self._driven[piece.compiled], float(piece.times[0]), piece.states[0], stepper.name)
        return "" if self.plan.samples.step <= seen.longest else f"{seen.words}, or take stepper='generalised-alpha'"

    def _rho(self) -> dict[str, float]:
        """The parameter of an implicit method."""
        stepper = self.plan.stepper
        implicit = stepper.implicit if isinstance(stepper, FixedStep) else None
        return {} if implicit is None else {"rho_infinity": implicit.rho_infinity}

    def _target(self, piece: Piece) -> str:
        """What the steps were computed by."""
        stepper = self.plan.stepper
        if isinstance(stepper, FixedStep) and piece.states.size:
            return piece.compiled.roller_for(stepper.method).target
        return self.plan.method.target

    def _track(self, piece: Piece) -> Track:
        """The samples of a piece, how to read them and how to make their motion again."""
        driven = self._driven[piece.compiled]
        again = self._again(driven)
        return Track(piece.compiled, piece.times, piece.states, driven.parameters, again, driven.channels, piece.path)


def _events(pieces: list[Piece], located: float | None) -> list[Event]:
    """Changes of pivots, and the singular shape at which a run has ended; the last ones next to it led no farther."""
    if located is None:
        return [repivoted(piece.end_time) for piece in pieces[:-1]]
    return [*(repivoted(piece.end_time) for piece in pieces[:-1] if piece.end_time < located), singular(located)]


def _after(piece: Piece, again: Roll, step: float, k: int, s: float) -> Vector:
    """The state of a piece some seconds after a sample."""
    if not s > 0.0:
        return piece.states[k]
    count = math.ceil(s / step) if step > 0.0 else 1
    states = again(float(piece.times[k]), piece.states[k], count, s / count)
    return states[-1] if len(states) > count else np.full(len(piece.states[k]), math.nan)  # it ends before


def _imposed_piece(compiled: CompiledSystem, samples: Vector) -> Piece:
    """A system whose every motion is imposed: nothing to integrate, everything to record."""
    empty = np.zeros((len(samples), 0))
    return Piece(compiled, samples, empty, Outcome.COMPLETED, float(samples[-1]), empty[-1], -1, 0.0)


def _norm_error(manifold: Manifold, states: Vector) -> float:
    return float(np.abs(manifold.normalise(states) - states).max()) if len(states) else 0.0


def _recorded(pieces: list[Piece], samples: Vector) -> Flags:
    """Which states of all pieces are samples: where one piece ends and the next begins is recorded once, or not at all."""
    found = [np.ones(len(piece.times), dtype=bool) for piece in pieces]
    for i, piece in enumerate(pieces):
        found[i][0] = piece.times[0] in samples
        found[i][-1] &= i + 1 == len(pieces)
    if pieces[-1].end and len(pieces[-1].times) == 1:
        found[-1][0] = True  # the end is recorded, wherever it is
    return np.concatenate(found)
