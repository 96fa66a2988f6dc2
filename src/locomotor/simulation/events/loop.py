"""Event-driven simulation: compiled motion between events, events located to round-off, velocities that jump.

    moment    all that is known at one instant
    advance   some steps in its mode, on a grid of instants that events interrupt
    locate    where something first happens among them (see `kinds`), and what
    handle    everything that happens at that instant: the modes that are entered one after the other

Each is a function of what it is given and changes none of it, so that anybody can go on from any moment, as often as wanted.
`run_with_events` joins them to a trail.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from locomotor.codegen import UNSOLVED
from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events import contact_events as contact_events  # their kinds of events are registered
from locomotor.simulation.events import flung
from locomotor.simulation.events import friction_events as friction_events
from locomotor.simulation.events import jamming as jamming
from locomotor.simulation.events import joint_events as joint_events
from locomotor.simulation.events import rolling_events as rolling_events
from locomotor.simulation.events.bracing import length_braced
from locomotor.simulation.events.chord_events import ends_meeting
from locomotor.simulation.events.endings import NoModeError
from locomotor.simulation.events.endless import Rounds, judged
from locomotor.simulation.events.follow import ARRIVED, ASKS, FULL, GUIDES, Follower, follower_of, given_back
from locomotor.simulation.events.follow_numbers import MOST_IMPACTS
from locomotor.simulation.events.friction import tell_stances
from locomotor.simulation.events.guide import Guides, guidance, guided
from locomotor.simulation.events.impacts import approaching, impact, inconsistent, settle
from locomotor.simulation.events.joint_friction import tell_joints
from locomotor.simulation.events.kinds import Search, Trigger, respond
from locomotor.simulation.events.lying import falls_flat, tell_sides
from locomotor.simulation.events.modes import Mode
from locomotor.simulation.events.moment import FIRST_CHUNK, LONGEST_CHUNK, Change, Moment, first_moment, steps_to_touch
from locomotor.simulation.events.pace import TOGETHER, WHOLE, first_slow, is_hurried, is_stiff, longest_step
from locomotor.simulation.events.pivots import safer_pivots
from locomotor.simulation.events.plan import TIME_TOLERANCE, EventPlan
from locomotor.simulation.events.probe import Probe, Seen
from locomotor.simulation.events.run_events import (
    LOOSE,
    BlowsUp,
    ComesLoose,
    EndReached,
    InputsJump,
    PivotsFail,
    PivotsWane,
    Sinks,
)
from locomotor.simulation.events.search import SCHEMES
from locomotor.simulation.events.terrain_events import first_sunk, without_idle_crossings
from locomotor.simulation.events.trail import Stretch, Trail
from locomotor.simulation.singular import COMFORTABLE, wanes
from locomotor.simulation.status import Outcome
from locomotor.simulation.terrain import Footholds
from locomotor.typing import Vector

SETS_OFF = 1e-9
"""What is accelerated along its ground by less than this (m/s², rad/s²) at the start stays at rest."""


def run_with_events(plan: EventPlan, mode: Mode, state: Vector, holds: Footholds | None = None) -> Trail:
    """A whole run: stretches of motion joined by what happens at their ends."""
    trail = beginning(plan, mode, state, holds)
    follower, rounds = follower_of(plan), Rounds()
    triggers: tuple[Trigger, ...] = ()
    while is_under_way(plan, trail):
        rounds = rounds.then(plan, trail.now)
        trail = rounds.judge(plan, trail, triggers)
        if follower is not None and trail.goes_on:
            trail, stays = followed(plan, follower, trail)
            if not stays:
                continue
        if not is_under_way(plan, trail):
            continue
        stretch = locate(plan, advance(plan, trail.now))
        trail, triggers = trail.along(stretch), stretch.triggers
        if triggers:
            trail = judged(plan, trail.then(handle(plan, trail.now, triggers)))
    given_back(follower, plan.modes)
    return trail


def followed(plan: EventPlan, follower: Follower, trail: Trail) -> tuple[Trail, bool]:
    """The trail as far as machine code takes it, and whether a step of the readable form comes next."""
    trail, why = follower.follow(trail)
    if why == GUIDES:
        return trail.then(handle(plan, trail.now, (Guides(),))), False
    if why in (ARRIVED, ASKS):  # there is something in the next step
        trail = replace(trail, now=replace(trail.now, ahead=1))
    return judged(plan, trail), why != FULL


def beginning(plan: EventPlan, mode: Mode, state: Vector, holds: Footholds | None = None) -> Trail:
    """The start of the grid; contacts that would have to pull open at once."""
    moment = first_moment(plan, mode, plan.grid.after(plan.grid.start), state, holds)
    change = _attempt(partial(settle, plan), Change(moment))
    if change.goes_on and change.now is moment and not change.told and _begins_plainly(plan, moment):
        return Trail.starting(moment)
    if (plan.modes.has_friction or plan.modes.rubs or moment.holds.sides) and change.goes_on:
        # Whether contacts stick was only a guess: forces of that guess are no part of the record.
        change = _attempt(partial(rolling_events.with_turns, plan), change)
        change = replace(_attempt(partial(guided, plan), change), entered=())
        upright = replace(moment, holds=moment.holds.on_sides({}))
        change = _attempt(partial(tell_sides, plan, upright), change)
        return Trail.starting(change.now).then(_attempt(partial(_tell_first_slips, plan, moment), change))
    return Trail.starting(moment).then(change)


def _begins_plainly(plan: EventPlan, moment: Moment) -> bool:
    """Whether nothing is to be said of how a moment begins: no slip may be guided, and nothing rolls, slides or lies."""
    mode, holds = moment.mode, moment.holds
    turns = len(mode.freely_slipping) or len(mode.turning) or len(mode.resting) or len(mode.spinning)
    return not (turns or plan.modes.rubs or holds.sides or holds.guided or holds.led)


def _tell_first_slips(plan: EventPlan, guess: Moment, change: Change) -> Change:
    """Record who was at rest at the very start and slips from there on; who slips already by its velocity begins nothing.

    Nor does what stays at rest with all the friction that it has: a rod that leans on a wall, borne in more ways than one.
    """
    found = tell_joints(plan, guess, tell_stances(plan, guess, replace(change, told=())))
    if not found.told:
        return change
    rates = np.linalg.norm(found.now.look(plan).slip_rate, axis=-1)
    off = {
        plan.modes.contact_of.get(name, name) for name, rate in zip(plan.modes.names, rates, strict=False) if rate > SETS_OFF
    }
    return replace(
        found, told=(*change.told, *(event for event in found.told if event.kind == "slips" and event.contact in off))
    )


def is_under_way(plan: EventPlan, trail: Trail) -> bool:
    """Whether a trail goes on."""
    return trail.goes_on and trail.now.time < plan.grid.end - TIME_TOLERANCE


# -- steps ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps in one mode, as many as were possible."""

    start: Moment
    times: Vector
    """The start, and after each step."""
    states: Vector
    lengths: Vector
    """Of each step: that of the grid, or shorter where one leads to the grid or to what is off it."""
    target: float
    """The instant to which all of them lead that were to be taken."""
    arrives: bool
    """Whether the target was reached."""
    failed: tuple[Trigger, ...] = ()
    """Why it was not, if a step failed."""
    wanted: float = 0.0
    """Length of the step after which the state was infinite, if that is why."""


DIVISIONS = (1, 8, 64)
"""Into so many implicit steps one of the grid is divided, the next where Newton's method finds no solution."""


def advance(plan: EventPlan, moment: Moment) -> Steps:
    """Some compiled steps from a moment, up to the next instant that the run must not step across.

    Where friction of a patch is stiff they are implicit, unless those fail.
    """
    if is_stiff(plan, moment):
        for division in (d for d in DIVISIONS if d >= moment.stiff):
            found = _advanced(plan, replace(moment, stiff=division))
            if len(found.times) > 1 and not any(isinstance(trigger, BlowsUp) for trigger in found.failed):
                return found
    return _advanced(plan, replace(moment, stiff=0) if moment.stiff else moment)


def _advanced(plan: EventPlan, moment: Moment) -> Steps:
    t, x, probe = moment.time, moment.state, moment.probe(plan)
    parts = _parts_ahead(plan, moment)
    times: list[Vector] = []
    states: list[Vector] = []
    lengths: list[Vector] = []
    arrives, failed, wanted = True, tuple[Trigger, ...](), 0.0
    for h, steps, target in parts:
        result = probe.roll(t, x, steps, h)
        done, status = int(result.completed), int(result.status)
        times.append(t + h * np.arange(done + 1, dtype=np.float64))
        states.append(np.asarray(result.states)[: done + 1])
        lengths.append(np.full(done, h))
        if status:
            last = np.asarray(result.final) if done else x
            failed = falls_flat(plan, moment, last) if status == 1 else (BlowsUp(status == UNSOLVED, h),)
            failed = failed or ends_meeting(plan, moment, float(times[-1][-1]), last) or (PivotsFail(last),)
            wanted = 0.0 if status in (1, UNSOLVED) else h
        if done < steps or status:
            arrives = done == steps and target == parts[-1][2]
            break
        t, x = target, states[-1][-1]
    if len(times) > 1:  # each part begins with the end of the one before it
        times, states = ([np.concatenate([*(part[:-1] for part in own[:-1]), own[-1]])] for own in (times, states))
    states[0].setflags(write=False)
    joined = lengths[0] if len(lengths) == 1 else np.concatenate(lengths)
    return Steps(moment, times[0], states[0], joined, parts[-1][2], arrives, failed, wanted)


def _parts_ahead(plan: EventPlan, moment: Moment) -> list[tuple[float, int, float]]:
    """Lengths and numbers of the steps to take from a moment, and the instants they lead to; short ones where slips turn."""
    t, grid = moment.time, plan.grid
    until = min([grid.next_stop(t), *(rest for rest in moment.rests if rest > t + TIME_TOLERANCE)])
    singly = moment.holds.guided or moment.holds.led or moment.holds.braced
    parts = grid.parts(t, until, 1 if singly else min(moment.chunk, moment.ahead))
    h = max(part[0] for part in parts)
    if not is_hurried(moment, h):
        return parts
    longest, few = longest_step(plan, moment)
    if moment.stiff > 1:
        longest = min(longest, h / moment.stiff)
    if longest >= h:
        return parts
    h, whole, target = grid.plan(t, until, 1 if few else parts[0][1])
    count = math.ceil(h / longest)
    h, total = h / count, whole * count
    steps = min(total, 1 if singly else TOGETHER if few else max(TOGETHER, moment.chunk))
    return [(h, steps, target if steps == total else t + steps * h)]


# -- what happens first ---------------------------------------------------------------------------------------


@np.errstate(over="ignore", invalid="ignore")  # beyond an event states may be anything, and are not kept
def locate(plan: EventPlan, steps: Steps) -> Stretch:
    """The motion up to where something first happens, and what; all of it where nothing does."""
    steps = _while_braced(plan, steps)
    now, times, states, lengths = steps.start, steps.times, steps.states, steps.lengths
    probe = now.probe(plan)
    if len(times) == 1:
        return _before_failing(plan, steps) or Stretch(now, times[1:], states[1:], now, steps.failed)
    over = plan.watch(probe).first(times, states) if plan.ends else None
    if over is not None:
        times, states = times[: over + 1], states[: over + 1]
    seen = probe.look_at(times, states)
    chunk, done = min(2 * now.chunk, LONGEST_CHUNK), len(times) - 1
    if (now.mode.is_rubbing or now.mode.wheels) and (slow := first_slow(plan, now, seen, float(lengths.max()))) < done:
        done, chunk, over = slow, FIRST_CHUNK, None if over is None or over > slow else over
        times, states, seen = times[: done + 1], states[: done + 1], seen.up_to(done + 1)
    wane = _waning(plan, now, times, states, seen)
    if wane is not None:
        done, chunk, over = wane[0], FIRST_CHUNK, None if over is None or over > wane[0] else over
        if not done:
            return Stretch(now, times[:0], states[:0], now, (wane[1],))
        times, states, seen = times[: done + 1], states[: done + 1], seen.up_to(done + 1)
    search = Search(probe, now.levels, lengths[:done], now.holds)
    for k, triggers in search.crossings(seen, times, states):
        own = replace(search, levels=search.levels_along(seen.gap[:k])[-1])
        found = SCHEMES[plan.scheme](own, float(times[k - 1]), states[k - 1], float(lengths[k - 1]), triggers)
        if found is not None:
            length, state, happened = flung.followed(search, float(times[k - 1]), states[k - 1], found)
            if (loose := _loose(now, seen.up_to(k))) is not None:
                return Stretch(now, times[:0], states[:0], now, (ComesLoose(loose),))
            if k == over and _ends_within(plan, probe, float(times[k - 1]), states[k - 1], length):
                break
            return _up_to(plan, steps, k, float(times[k - 1]) + length, state, tuple(happened), own.levels)
        if any(trigger.FIRST_ONLY for trigger in triggers):
            done, chunk = k, now.mode.handful
            break
    if (loose := _loose(now, seen.up_to(done + 1))) is not None:
        return Stretch(now, times[:0], states[:0], now, (ComesLoose(loose),))
    if over == done:
        return _up_to_end(plan, steps, over)
    times, states = times[: done + 1], states[: done + 1]
    if (deep := first_sunk(plan, now, seen.gap[: done + 1], times, states)) is not None:
        sample, contact = deep
        return _recording(plan, now, times[: sample + 1], states[: sample + 1], now, (Sinks(contact),))
    if steps.failed and done + 1 == len(steps.times) and (cut := _before_failing(plan, steps)) is not None:
        return cut
    onward = _onward(plan, steps, done, seen, chunk)
    return onward if wane is None or onward.triggers else replace(onward, triggers=(wane[1],))


def _while_braced(plan: EventPlan, steps: Steps) -> Steps:
    """The step of a moment with braced contacts, up to where nothing holds them any more."""
    now = steps.start
    if not now.holds.braced or len(steps.times) == 1:
        return steps
    t, x, h = float(steps.times[0]), steps.states[0], float(steps.lengths[0])
    if (length := length_braced(plan, now, t, x, h)) is None:
        return steps
    states = np.stack([x, now.probe(plan).after(t, x, length)])
    return Steps(now, np.array([t, t + length]), states, np.array([length]), steps.target, arrives=False)


def _waning(plan: EventPlan, now: Moment, times: Vector, states: Vector, seen: Seen) -> tuple[int, PivotsWane] | None:
    """The sample before the first step that is too long for the pivots in use, where others do better from comfort on."""
    sizes = seen.pivots[:, : seen.pivots.shape[1] - now.mode.wheels]
    if not sizes.size or not (spoilt := wanes(sizes[:-1], sizes[1:])).any():
        return None
    k = int(spoilt.argmax())
    time, state = _secure(now, times[: k + 1], states[: k + 1], seen.pivots)
    mode = safer_pivots(plan, replace(now, time=time, state=state), float(times[k + 1]), states[k + 1], COMFORTABLE)
    return None if mode is None else (k, PivotsWane(mode, (time, state)))


def _onward(plan: EventPlan, steps: Steps, done: int, seen: Seen, chunk: int) -> Stretch:
    """The first of the steps, at the end of which nothing happens, unless inputs jump there or no more were possible."""
    now, times, states = steps.start, steps.times[: done + 1], steps.states[: done + 1]
    arrives, jumps = steps.arrives and done + 1 == len(steps.times), steps.target in plan.grid.stops
    if arrives and not jumps:
        times = np.append(times[:-1], steps.target)
    end = replace(
        now,
        time=plan.grid.after(steps.target) if arrives else float(times[-1]),
        state=states[-1],
        levels=np.where((seen.gap[: done + 1] > 0.0).any(axis=0), 0.0, now.levels),
        chunk=chunk,
        ahead=steps_to_touch(now.mode, seen.at(done), float(steps.lengths.max())),
        wander=float(seen.wander[done].max(initial=0.0)),
    )
    if now.holds.levels:
        end = replace(end, holds=now.holds.without_levels_left(end.places(plan)))
    triggers = steps.failed if done + 1 == len(steps.times) else ()
    if not triggers and jumps and arrives and steps.target < plan.grid.end:
        triggers = (InputsJump(),)
    if not triggers and now.mode.is_rubbing and guidance(plan, end) is not None:
        triggers = (Guides(),)
    if not triggers and now.holds.braced:
        triggers = (friction_events.BracesAgain(),)
    return _recording(plan, now, times, states, end, triggers, seen)


def _before_failing(plan: EventPlan, steps: Steps) -> Stretch | None:
    """The motion with a shorter step in place of one that friction has flung into infinity."""
    now, h = steps.start, steps.wanted
    if not (h > 0.0 and len(now.mode.slipping)):
        return None
    search = Search(now.probe(plan), now.levels, steps.lengths, now.holds)
    t, x = float(steps.times[-1]), steps.states[-1]
    length = flung.followed_length(search, t, x, h)
    if length is None:
        return None
    levels = search.levels_along(search.probe.look_at(steps.times, steps.states).gap)[-1]
    cut = (flung.StepCut(length),)
    return _up_to(plan, steps, len(steps.times), t + length, search.probe.after(t, x, length), cut, levels)


def _up_to(
    plan: EventPlan, steps: Steps, k: int, time: float, state: Vector, triggers: tuple[Trigger, ...], levels: Vector
) -> Stretch:
    """The motion up to an event within step k; up to the sample before it, where pivots wane towards the event."""
    now, times, states = steps.start, steps.times[:k], steps.states[:k]
    before = replace(now, time=float(times[-1]), state=states[-1])
    other = safer_pivots(plan, before, time, state)
    if other is not None:
        return _recording(plan, now, times, states, before, (PivotsWane(other),))
    state.setflags(write=False)
    there = replace(now, time=time, state=state, levels=levels, chunk=max(now.mode.handful, now.chunk // 2))
    return _recording(plan, now, times, states, there, triggers, extra=True)


def _up_to_end(plan: EventPlan, steps: Steps, over: int) -> Stretch:
    """The motion up to an end, within the step that leads to a sample; at once where velocities have jumped beyond it."""
    now, probe = steps.start, steps.start.probe(plan)
    watch = plan.watch(probe)
    if over == 0:
        values = watch.values(steps.times[:1], steps.states[:1])[0]
        return Stretch(now, steps.times[:0], steps.states[:0], now, (EndReached(plan.ends[int(np.argmin(values))][0]),))
    t, x = float(steps.times[over - 1]), steps.states[over - 1]
    name, length, state = watch.locate(t, x, float(steps.lengths[over - 1]), lambda *step: np.asarray(probe.roll(*step).states))
    end = replace(now, time=t + length, state=state)
    extra = length > 0.0 or plan.thins
    return _recording(plan, now, steps.times[:over], steps.states[:over], end, (EndReached(name),), extra=extra)


def _recording(
    plan: EventPlan,
    now: Moment,
    times: Vector,
    states: Vector,
    end: Moment,
    triggers: tuple[Trigger, ...],
    seen: Seen | None = None,
    extra: bool = False,
) -> Stretch:
    """The samples of some steps after the first that are to be recorded, with an extra one at the end where wanted."""
    shorter = np.diff(times) < WHOLE * plan.grid.step if now.mode.is_rubbing or now.mode.wheels else None
    instants, chosen = plan.recorded(times[1:], now.rests, shorter)
    kept = states[1:][chosen]
    if seen is not None:
        end = replace(end, secure=_secure(now, times, states, seen.pivots))
    if end.rests and end.time >= end.rests[0]:
        end = replace(end, rests=tuple(rest for rest in end.rests if rest > end.time))
    if extra:
        instants, kept = np.append(instants, end.time), np.concatenate([kept, end.state[None]])
    kept.setflags(write=False)
    return Stretch(now, instants, kept, end, triggers)


def _secure(now: Moment, times: Vector, states: Vector, pivots: Vector) -> tuple[float, Vector]:
    """After the last of some steps with comfortable pivots, or what is known from before."""
    for k in range(len(times) - 1, 0, -1):
        if all(pivot >= COMFORTABLE for pivot in pivots[k, : pivots.shape[1] - now.mode.wheels].tolist()):
            return float(times[k]), states[k]
    return now.secure


def _loose(now: Moment, seen: Seen) -> int | None:
    """A closed contact whose gap changes."""
    closed = now.mode.pushing
    if not len(closed):
        return None
    drift = np.abs(seen.gap[:, closed] - now.entered[closed]).max(axis=0)
    return int(closed[int((drift > LOOSE).argmax())]) if (drift > LOOSE).any() else None


def _ends_within(plan: EventPlan, probe: Probe, t: float, x: Vector, length: float) -> bool:
    """Whether an end is passed before a step of some length is done."""
    return plan.watch(probe).first(np.array([t + length]), probe.after(t, x, length)[None]) is not None


# -- what comes of it -----------------------------------------------------------------------------------------


def handle(plan: EventPlan, moment: Moment, triggers: Sequence[Trigger]) -> Change:
    """Everything that happens at one instant: each event is answered, then contacts collide, then those open that must."""
    change = Change(moment)
    for trigger in sorted(triggers, key=lambda trigger: trigger.ORDER):
        change = _attempt(partial(respond, trigger, plan), change)
    if not any(trigger.COLLIDES for trigger in triggers):
        return change
    for _ in range(MOST_IMPACTS):
        change = _attempt(partial(approaching, plan), change)
        if not change.closing:
            break
        change = _attempt(partial(impact, plan), change)
    change = _attempt(partial(settle, plan), replace(change, closing=frozenset()))
    change = _attempt(partial(rolling_events.with_turns, plan), change)
    change = _attempt(partial(tell_sides, plan, moment), change)
    change = _attempt(partial(tell_stances, plan, moment), change)
    change = _attempt(partial(tell_joints, plan, moment), change)
    change = _attempt(partial(guided, plan), change)
    change = replace(change, told=without_idle_crossings(change.told))
    if change.goes_on and not change.told and not change.entered:
        # Nothing changed, hence the same would happen again.
        return inconsistent(plan.modes, change, [i for trigger in triggers for i in trigger.contacts])
    return change


def _attempt(step: Callable[[Change], Change], change: Change) -> Change:
    """One thing more at an instant, unless the run is over; one after which there is no mode to go on in ends it."""
    if not change.goes_on:
        return change
    try:
        return step(change)
    except NoModeError as lost:
        return change.stopping(Outcome.SINGULAR, str(lost))
