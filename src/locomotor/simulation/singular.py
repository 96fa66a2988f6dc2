"""Pivots that vanish on the way: how near a run is to a singular shape, which samples to keep, and what to say."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError
from locomotor.mechanics import ReducedMotion
from locomotor.model import Coupling, evaluate
from locomotor.simulation.compiled import CompiledSystem, lost_input, lost_law
from locomotor.simulation.status import Outcome
from locomotor.typing import Vector

COMFORTABLE = 0.3
"""Pivots this large, relative to their nominal size, do no harm; a run goes back there to choose others."""
WANES = 0.5
"""Pivots that are not comfortable, and change by more than this share of themselves in a step, spoil it: velocities that follow
from the independent ones grow as the pivot vanishes."""
SUSPECT = 0.05
"""A run that ends in infinity with a pivot smaller than this has stepped across a singularity; a mode that begins with one gets
other pivots."""
TRUSTED = 0.02
"""Of a run that ends at a singular shape, samples are kept as long as every pivot is larger than this."""
MOST_NAMED = 4
"""Joints named in a message."""
LOOKS = 64
"""Samples of a run that has come to its end of which pivots are looked at."""
PARTS = 256
"""States at which a stretch between two samples is looked at; from the last comfortable one on again, down to single steps."""
INVOLVED = 0.2
"""A joint is named when it moves the pivot by this share of what the most influential one does."""
NUDGE = 1e-6
PARTS_OF_A_STEP = 64
"""Into so many an implicit step is divided before it is given up; as in `codegen/runtime/implicit.h`."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Part of a run integrated with one choice of pivots."""

    compiled: CompiledSystem
    times: Vector
    states: Vector
    outcome: Outcome
    end_time: float
    end_state: Vector
    monitor: int
    norm_error: float
    end: str = ""
    """The end that it has reached, if any."""
    path: tuple[Vector, Vector] | None = None
    """Instants and states of every step, where those were kept and samples are fewer."""
    parameters: Vector | None = None
    """Values of the parameters left free, where they are not the usual ones."""


# -- how near -------------------------------------------------------------------------------------------------


def _watched(compiled: CompiledSystem, times: Vector, states: Vector, parameters: Vector | None = None) -> Vector:
    p = compiled.default_parameters if parameters is None else parameters
    arguments = (times[:, None], states, np.zeros(compiled.traced.input_port.size), p)
    return np.asarray(compiled.traced.dynamics.evaluate(arguments, len(states))[1])


def comfortable(compiled: CompiledSystem, times: Vector, states: Vector) -> bool:
    """Whether the pivots of a choice are large at some states."""
    found = _watched(compiled, times, states)[:, : len(compiled.traced.motion.watched_steps)]
    return bool((np.nan_to_num(found, nan=-math.inf) >= COMFORTABLE).all())


def margins(piece: Piece, which: slice) -> Vector:
    """Smallest watched pivot at some samples, as a fraction of its nominal size (less its least one)."""
    return np.asarray(pivots(piece, piece.times[which], piece.states[which]).min(axis=1, initial=math.inf))


def pivots(piece: Piece, times: Vector, states: Vector) -> Vector:
    """Every watched pivot of a piece (states x pivots), as a fraction of its nominal size (less its least one)."""
    return _watched(piece.compiled, times, states, piece.parameters)[:, : len(piece.compiled.traced.motion.watched_steps)]


def _weakest(compiled: CompiledSystem, time: float, state: Vector) -> int:
    """Which watched pivot is the smallest."""
    watched = _watched(compiled, np.array([time]), state[None])
    return int(np.nan_to_num(watched[0], nan=-math.inf).argmin()) if watched.size else 0


def near_singularity(piece: Piece) -> bool:
    """Whether a piece ended because of its pivots; a step across a singularity may also end in infinity."""
    if piece.monitor >= len(piece.compiled.traced.motion.watched_steps):
        return False  # a wheel lies flat, and no choice of pivots helps
    if piece.outcome in (Outcome.SINGULAR, Outcome.STIFF):
        return piece.outcome is Outcome.SINGULAR
    if margins(piece, slice(-1, None))[0] < SUSPECT:
        return True
    # Samples may be far apart; where the run ended is known to its last step.
    at_end = replace(piece, times=np.array([piece.end_time]), states=piece.end_state[None])
    return bool(np.isfinite(piece.end_state).all() and margins(at_end, slice(0, 1))[0] < SUSPECT)


def wanes(before: Vector, after: Vector) -> Any:
    """Whether pivots before and after steps (..., pivots) say that these are too long for them."""
    change = np.abs(after - before)
    return ((after < COMFORTABLE) & (change > WANES * np.maximum(after, 0.0))).any(axis=-1)


def first_waned(piece: Piece, step: Callable[[float, Vector], Vector | None]) -> int | None:
    """The first of some samples of a piece from which a `step` (time, state), None if it fails, is too long for its pivots."""
    count = len(piece.times)
    some = np.unique(np.linspace(0, count - 1, min(count, LOOKS)).round().astype(int))
    sizes = pivots(piece, piece.times[some], piece.states[some])
    for k, own in zip(some[1:].tolist(), sizes[1:], strict=True):
        if own.min(initial=math.inf) < COMFORTABLE:
            after = step(float(piece.times[k]), piece.states[k])
            if after is None or wanes(own, pivots(piece, piece.times[k : k + 1], after[None])[0]):
                return k
    return None


# -- what to keep ---------------------------------------------------------------------------------------------


def retreat(piece: Piece, step: float, roll: Callable[[float, Vector, int, int], Vector] | None = None) -> Piece:
    """The piece up to its last step with comfortable pivots: steps near a singularity are not to be trusted.

    Where it goes back to must not depend on what is recorded: the steps between two samples are looked at. Where they may not
    have been kept, `roll` (time, state, steps, every) makes them again, each so long as `step`, and gives some of the states.
    """
    times, states = piece.path or (piece.times, piece.states)
    if not len(times) or times[0] > piece.times[0]:
        times, states = np.append(piece.times[:1], times), np.concatenate([piece.states[:1], states])
    last = _last(piece, times, states, COMFORTABLE)
    t, x = float(times[last]), states[last]
    every, left = 0, round((piece.end_time - t) / step) if roll else 0
    while roll and left > 1 and every != 1:
        every = math.ceil(left / PARTS)
        made = roll(t, x, left, every)
        last = _last(piece, t + step * every * np.arange(len(made), dtype=np.float64), made, COMFORTABLE)
        t, x = t + step * every * last, made[last]
        left = min(left - last * every, every)
    kept = piece.times < t
    return replace(piece, times=np.append(piece.times[kept], t), states=np.concatenate([piece.states[kept], x[None]]))


def trusted(piece: Piece) -> Piece:
    """The piece up to its last sample that is far enough from the singularity at which it ended."""
    least = min(TRUSTED, 0.5 * float(margins(piece, slice(0, 1))[0]))
    last = _last(piece, piece.times, piece.states, least)
    return replace(piece, times=piece.times[: last + 1], states=piece.states[: last + 1])


def _last(piece: Piece, times: Vector, states: Vector, least: float) -> int:
    """The last of some states with all pivots at least so large, or the first."""
    end, count = len(times), 64
    while end > 0:
        begin = max(0, end - count)
        part = replace(piece, times=times[begin:end], states=states[begin:end])
        good = np.flatnonzero(margins(part, slice(None)) >= least)
        if len(good):
            return begin + int(good[-1])
        end, count = begin, 4 * count
    return 0


def check_start(compiled: CompiledSystem, state: Vector, time: float) -> None:
    """Refuse to start at a singular shape, where velocities are not determined at all."""
    steps = len(compiled.traced.motion.watched_steps)
    if not steps or not len(state):
        return
    found = _watched(compiled, np.array([time]), state[None])[0, :steps]
    if np.all(found > 0.0):
        return
    rate, _ = compiled.dynamics(np.array([time]), state, np.zeros(compiled.traced.input_port.size), compiled.default_parameters)
    if np.isfinite(rate).all() and np.abs(rate).max(initial=0.0) < 1.0 / NUDGE:
        return  # pivots that are only small are replaced on the way
    row, _ = _failing(compiled, int(np.nan_to_num(found, nan=-math.inf).argmin()))
    raise InconsistentStartError(
        f"start: {compiled.system.name} starts at a singular shape{_shape(compiled, time, state)}, where {row}; start it "
        "elsewhere, for instance with other values of these joints, or impose other joints"
    )


# -- what to say ----------------------------------------------------------------------------------------------


def explain(piece: Piece, outcome: Outcome, last_sample: float, step: float = math.inf) -> str:
    """Which part of the system is concerned, and what to do; the last sample of the run may lie in an earlier piece."""
    if outcome in (Outcome.COMPLETED, Outcome.ENDED):
        return ""
    compiled, traced = piece.compiled, piece.compiled.traced
    if outcome is Outcome.SINGULAR:
        watched = traced.watched_contacts
        weakest = piece.monitor if 0 <= piece.monitor < len(watched) else _weakest(compiled, piece.end_time, piece.end_state)
        row, flat = _failing(compiled, weakest)
        if flat:
            return f"{row}: the system has fallen over, and the run ends there"
        kept = f"the samples are kept up to t = {last_sample:.6g} s"
        remedy = (
            "let the imposed motions stay away from this shape, or impose other joints"
            if compiled.system.imposed
            else "a law of time leads there, and perhaps beyond reach: change it, end the run before, or start otherwise"
            if traced.motion.driven is not None
            else "run it with coordinates='maximal', which passes such positions, end the run before it, or start otherwise"
            if compiled.system.loops and not compiled.system.contacts
            else "take a smaller step, end the run before it, or start otherwise"
        )
        return f"{row}{_shape(compiled, piece.end_time, piece.end_state)}; {kept}; {remedy}"
    if outcome is Outcome.STIFF:
        return (
            "its steps are so short that more than ten million would remain; something is far quicker than the motion: soften "
            "the spring or damper concerned, raise a tiny mass, give Adaptive(rtol=...) a larger tolerance, or less time"
        )
    if outcome is Outcome.UNSOLVED:
        return unsolved(step)
    if lost := lost_input(compiled, piece.end_time, piece.end_state, compiled.default_parameters):
        return lost
    if lost := lost_law(compiled, piece.end_time, piece.end_state, compiled.default_parameters):
        return lost
    state = dict(zip(traced.state_port.names, piece.end_state, strict=True))
    fastest = max(traced.reduction.names, key=lambda name: abs(state[name]), default="")
    largest = f"; the fastest velocity was {fastest} = {state[fastest]:.3g}" if fastest else ""
    remedies = ["take a smaller step"]
    if compiled.system.imposed:
        remedies.append("look for an imposed motion that is too fast for it")
    if traced.motion.wheels:
        remedies.append("look for a wheel that lies flat")
    return f"the last good state is at that time{largest}; {', or '.join(remedies)}"


def unsolved(step: float) -> str:
    """What to do about an implicit step without solution."""
    return (
        f"Newton's method found no step there, nor one of {PARTS_OF_A_STEP} parts; use a step below "
        f"{step / PARTS_OF_A_STEP:.2g} s, or look for what jumps or grows without bound just after: a law with a kink, a "
        "distance that becomes zero"
    )


def _failing(compiled: CompiledSystem, weakest: int) -> tuple[str, bool]:
    """The row that fails in words, and whether that is because its wheel lies flat."""
    traced = compiled.traced
    steps, wheels = traced.motion.watched_steps, traced.motion.wheels
    if weakest >= len(steps):
        return (
            f"the wheel of contact {wheels[weakest - len(steps)].name!r} lies flat" if wheels else "a wheel lies flat"
        ), True
    row, column = traced.reduction.pivots.steps[steps[weakest]] if steps else (-1, -1)
    labels, velocities = traced.motion.constraints.labels, traced.system.layout.velocities
    if not 0 <= row < len(labels) or column >= len(velocities):
        return "the constraints farther in on the chain no longer determine the velocities farther out", False
    formulas = {name: constraint for constraint in traced.system.constraints for name in constraint.row_names}
    loops = {name: closure.name for closure in traced.system.loops for name in closure.row_names}
    if labels[row] in loops:
        said = f"loop {loops[labels[row]]!r} (row {labels[row]!r})"
    elif labels[row] in formulas:
        kind = "coupling" if isinstance(formulas[labels[row]], Coupling) else "constraint"
        said = f"{kind} {labels[row]!r}"
    else:
        contact, direction = labels[row].rsplit(" ", 1)
        said = f"contact {contact!r} (direction {direction})"
    return f"{said} no longer determines {velocities[column].name}", False


def _shape(compiled: CompiledSystem, time: float, state: Vector) -> str:
    """The joints that decide about the weakest pivot, and where they are."""
    traced = compiled.traced
    system, steps = traced.system, traced.motion.watched_steps
    weakest = _weakest(compiled, time, state)
    if weakest >= len(steps):
        return ""
    values = {**system.parameters.values, "t": time}
    q = np.zeros(system.layout.nq)
    q[list(traced.coordinate_indices)] = state[: traced.nq]
    for joint in system.imposed:
        q[system.layout.q[joint.name].start] = float(evaluate(joint.drive.law, values))

    def pivot(pose: Vector) -> float:
        with np.errstate(all="ignore"):
            motion = ReducedMotion(traced.reduction, pose, np.zeros(len(traced.reduction.free)))
            try:
                return float(motion.elimination.pivot_values[steps[weakest]])
            except KeyError:  # a pivot on the way is exactly zero, and is not among the entries
                return 0.0

    moved: dict[str, float] = {}
    for joint in system.joints[1:]:
        if joint.nq != 1 or joint.nv != 1:
            continue
        place = system.layout.q[joint.name].start
        nudged = np.array([q, q])
        nudged[:, place] += (NUDGE, -NUDGE)
        moved[joint.name] = float(np.nan_to_num(abs(pivot(nudged[0]) - pivot(nudged[1]))))
    most = max(moved.values(), default=0.0)
    named = sorted((name for name, size in moved.items() if size > INVOLVED * most), key=lambda name: -moved[name])
    if not named:  # everything vanishes at once, as on a straight chain
        named = [joint.name for joint in system.imposed]
    told = ", ".join(f"{name} = {q[system.layout.q[name].start]:.4g}" for name in named[:MOST_NAMED])
    return f" at {told}" if told else ""
