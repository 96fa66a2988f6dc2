"""Event-driven simulation: compiled motion between events, events located to round-off, velocities that jump.

Between events the mode's model is integrated with a fixed step, on a grid of instants that events interrupt. After some steps
the event functions are looked at: a normal force that becomes negative opens its contact, a gap that becomes negative is a
collision, a grip follows its schedule. What happens then is decided by complementarity (see `collisions`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from locomotor.errors import ModelError
from locomotor.model import Ends, evaluate
from locomotor.simulation.compiled import lost_input
from locomotor.simulation.ends import Watch
from locomotor.simulation.events import endings as event_endings
from locomotor.simulation.events.collisions import collide, releases, rows_at, unyielding
from locomotor.simulation.events.endings import NoModeError, VelocitiesLostError
from locomotor.simulation.events.impacts import ImpactEvents
from locomotor.simulation.events.modes import Closed, Mode, Modes
from locomotor.simulation.events.probe import Probe, Seen, Whole
from locomotor.simulation.events.search import FORCE, ON_TERRAIN, SCHEMES, Search, Trigger
from locomotor.simulation.events.terrain_events import APPROACHES, SUNK
from locomotor.simulation.events.timeline import ON_GRID, Grid, Segment
from locomotor.simulation.status import Event, Outcome, repivoted
from locomotor.simulation.terrain import Footholds
from locomotor.tracing.contacts import Switching
from locomotor.typing import Vector

FIRST_CHUNK, LONGEST_CHUNK = 16, 1024
"""Steps taken before the event functions are looked at: few after an event, more and more without."""
TIME_TOLERANCE = 1e-13
"""Instants this near to each other are the same (s)."""
SOON = 10 * TIME_TOLERANCE
"""A grip that changes this soon changes now (s)."""
CHATTER = (200, 1e-9)
"""So many events within so many seconds are taken to go on for ever."""
LOOSE = 1e-3
"""A closed contact whose gap changes by more (m) is not held."""
ON_MARK = 1e-11
"""A sample this near to an instant that is to be recorded is the one (s)."""
MOST_EVENTS = 100_000
MOST_IMPACTS = 20
"""Impacts that may follow each other at one instant."""
GAINED = 1e-9
"""A law that gains more than this share of the energy is told; less is round-off."""
SAME_VELOCITY = 1e-5
"""Velocities that a change of mode leaves alone agree to this (m/s, rad/s), relative to the largest if that is more than one:
a contact that walks on to the next part of a terrain may change them by `footholds.TRANSFER`."""
COMFORTABLE, SUSPECT = 0.3, 0.05
"""Pivots this large do no harm; a mode that begins with smaller ones than the second gets others."""


@dataclass(eq=False)
class EventDriven(ImpactEvents):
    """One event-driven run under way."""

    modes: Modes
    step: float
    inputs: Mapping[str, float]
    scheme: str = "exact"
    substeps: int = 1
    """Steps from one recorded sample to the next."""
    stops: tuple[float, ...] = ()
    """Instants at which inputs jump."""
    marks: tuple[float, ...] = ()
    """Instants to record, instead of the steps."""
    segments: list[Segment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    detail: str = ""
    """Of a run that ends early: what to do about it."""
    holds: Footholds = field(default_factory=Footholds)
    """What the contacts on terrain stand on."""
    ends: Ends = ()
    absent: Mapping[str, float] = field(default_factory=dict)
    """Channels of contacts while they are open."""
    end: str = ""
    """Of a run that has reached one of its ends: which."""
    grid: Grid = field(init=False)
    _probes: dict[tuple[Mode, bytes], Probe] = field(default_factory=dict)
    _probe: Probe = field(init=False)
    _t: float = 0.0
    _x: Vector = field(default_factory=lambda: np.zeros(0))
    _levels: Vector = field(default_factory=lambda: np.zeros(0))
    _entered: Vector = field(default_factory=lambda: np.zeros(0))
    """Gaps at the beginning of the present mode."""
    _chunk: int = FIRST_CHUNK
    _rests: list[float] = field(default_factory=list)
    """Instants at which bounces have come to an end, which get a sample each."""
    _stuck: float = -math.inf
    """Where the last change of pivots took place."""

    def __post_init__(self) -> None:
        self.grid = Grid(0.0, math.inf, self.step)

    def run(self, mode: Mode, x: Vector, start: float, end: float, until: Callable[[], bool] | None = None) -> Outcome:
        """Integrate from `start` to `end`, or until a condition on what has been recorded so far holds."""
        self.grid = Grid(start, end, self.step, self.stops, self.marks)
        self._t = self.grid.after(start)
        self._enter(mode, x)
        outcome = self._settle(())
        while outcome is Outcome.COMPLETED and self._t < end - TIME_TOLERANCE:
            try:
                outcome = self._advance()
            except NoModeError as lost:
                outcome, self.detail = Outcome.SINGULAR, str(lost)
            if outcome is Outcome.COMPLETED and self._chatters():
                outcome = Outcome.CHATTERING
            if until is not None and until():
                break
        self.events.sort(key=lambda event: event.time)
        return outcome

    def probe(self, mode: Mode, parameters: Vector | None = None) -> Probe:
        """A mode with the inputs of this run, and with what its contacts stand on now, or with given parameters."""
        if parameters is None:
            values = self.holds.values() if mode.supports else {}
            parameters = np.concatenate([self.modes.parameters, [values[name] for name in mode.supports]])
        key = mode, parameters.tobytes()
        if key not in self._probes:
            self._probes[key] = Probe(mode, self.inputs, parameters)
        return self._probes[key]

    # -- single steps and events, for those who drive the loop themselves -----------------------------

    def advance(self, mode: Mode, t: float, x: Vector, length: float) -> Vector:
        """State after one step of some length."""
        return self.probe(mode).after(t, x, length)

    def gripping(self, entry: Switching, t: float) -> bool:
        """Whether a grip is told to hold at an instant."""
        return float(evaluate(entry.law.condition, {**self.modes.values, "t": t})) > 0.0

    def handle(self, mode: Mode, t: float, x: Vector) -> tuple[Mode, Vector]:
        """Everything that happens at an instant, grips that change then included: the mode and the state afterwards."""
        self._at(mode, t, x)
        grips = [(i, c) for i, c in enumerate(self.modes.switching) if c.law.grips]
        changed = [i for i, c in grips if self.gripping(c, t + SOON) != (c.name in mode.closed)]
        self._handle([Trigger("condition", i) for i in changed])
        return self._probe.mode, self._x

    def impact(self, mode: Mode, t: float, x: Vector, closing: Sequence[int]) -> tuple[Mode, Vector]:
        """The impact of some contacts at an instant: the mode and the state afterwards."""
        self._at(mode, t, x)
        self._impact(closing)
        return self._probe.mode, self._x

    def _at(self, mode: Mode, t: float, x: Vector) -> None:
        self._t = t
        self._take(mode, x)

    # -- smooth motion --------------------------------------------------------------------------------

    def _advance(self) -> Outcome:
        """Integrate some steps, or up to the first event among them and through it."""
        t, x, probe = self._t, self._x, self._probe
        until = min([self.grid.next_stop(t), *(rest for rest in self._rests if rest > t + TIME_TOLERANCE)])
        h, steps, last = self.grid.plan(t, until, self._chunk)
        result = probe.roll(t, x, steps, h)
        done = int(result.completed)
        if done == 0 and int(result.status):
            return self._change_pivots(x) if int(result.status) == 1 else self._not_finite()
        states = np.asarray(result.states)[: done + 1]
        times: Vector = t + h * np.arange(done + 1, dtype=np.float64)
        over = self.watch(probe).first(times, states) if self.ends else None
        if over is not None:
            done, times, states = over, times[: over + 1], states[: over + 1]
        seen = probe.look_at(times, states)
        if (loose := self._loose(seen)) is not None:
            return self._not_held(loose)
        search = Search(probe, self._levels, h, self.holds)
        for k, triggers in search.crossings(seen, times, states):
            found = SCHEMES[self.scheme](search, float(times[k - 1]), states[k - 1], h, triggers)
            if found is not None:
                length, state, happened = found
                if k == over and self._ends_within(float(times[k - 1]), states[k - 1], length):
                    break
                self._record(times[1:k], states[1:k])
                if self._safer_pivots(float(times[k - 1]), states[k - 1], float(times[k - 1]) + length, state):
                    return Outcome.COMPLETED
                self._t, self._x = float(times[k - 1]) + length, state
                self.segments[-1].times.append(self._t)
                self.segments[-1].states.append(state)
                self._chunk = FIRST_CHUNK
                return self._handle(happened)
            if any(trigger.kind in ON_TERRAIN.values() for trigger in triggers):
                done, times, states = k, times[: k + 1], states[: k + 1]
                self._chunk = FIRST_CHUNK
                break
        if over == done:
            return self._reach_end(times, states, h)
        if (deep := self._deep(seen.gap[: done + 1], times, states)) is not None:
            sample, contact = deep
            self._record(times[1 : sample + 1], states[1 : sample + 1])
            return self._sunk(contact)
        if done == steps and last not in self.grid.stops:
            times[-1] = last
        self._record(times[1:], states[1:])
        self._t, self._x = self.grid.after(last) if done == steps else float(times[-1]), states[-1]
        self._levels = np.where(seen.gap[done] > 0.0, 0.0, self._levels)
        if self.holds.levels:
            self._forget_levels()
        self._chunk = min(2 * self._chunk, LONGEST_CHUNK)
        if int(result.status) and done == int(result.completed):
            return self._change_pivots(np.asarray(result.final)) if int(result.status) == 1 else self._not_finite()
        if last in self.grid.stops and done == steps and last < self.grid.end:
            self._enter(probe.mode, self._x)
            return self._settle(())
        return Outcome.COMPLETED

    def watch(self, probe: Probe) -> Watch:
        """The ends of this run in a mode."""
        kernel = probe.mode.compiled.watch(self.ends, self.absent)
        return Watch(self.ends, kernel, probe.inputs, probe.parameters, probe.law)

    def _ends_within(self, t: float, x: Vector, length: float) -> bool:
        """Whether an end is passed before a step of some length is done."""
        return self.watch(self._probe).first(np.array([t + length]), self._probe.after(t, x, length)[None]) is not None

    def _reach_end(self, times: Vector, states: Vector, h: float) -> Outcome:
        """Stop where an end is reached, within the last of these steps; at once where velocities have jumped beyond it."""
        watch = self.watch(self._probe)
        if len(times) > 1:
            self._record(times[1:-1], states[1:-1])
            t, x = float(times[-2]), states[-2]
            self.end, length, self._x = watch.locate(t, x, h, lambda *step: np.asarray(self._probe.roll(*step).states))
            self._t = t + length
            if self._t > self.segments[-1].times[-1]:
                self.segments[-1].times.append(self._t)
                self.segments[-1].states.append(self._x)
        else:
            values = watch.values(times[:1], states[:1])[0]
            self.end = self.ends[int(np.argmin(values))][0]
        return Outcome.ENDED

    def _record(self, times: Vector, states: Vector) -> None:
        """Keep the samples that are to be recorded: those of the grid, thinned, and the last."""
        if self.marks and len(times):
            marks = np.array(self.marks)
            near = marks[np.clip(np.searchsorted(marks, times - ON_MARK), 0, len(marks) - 1)]
            wanted = np.abs(times - near) <= ON_MARK
            times, states = np.where(wanted, near, times)[wanted], states[wanted]
        elif self.substeps > 1 and len(times):
            place = (times - self.grid.start) / self.grid.step
            near = np.rint(place)
            wanted = (np.abs(place - near) <= 1e-6) & (near % self.substeps == 0)
            wanted |= (times >= self.grid.end) | np.isin(times, self._rests)
            times, states = times[wanted], states[wanted]
        self.segments[-1].times += times.tolist()
        self.segments[-1].states += list(states)

    def _enter(self, mode: Mode, x: Vector) -> None:
        """Go on in a mode from a state."""
        self._take(mode, x)
        if len(self.segments) > 1 and self.segments[-1].times == [self._t]:
            self.segments[-1].passing = True
        self.segments.append(Segment(mode, [self._t], [x], parameters=self._probe.parameters))

    def _take(self, mode: Mode, x: Vector) -> None:
        """Be in a mode: the one place where it changes, so that nothing which belongs to another mode outlives it.

        Slots that are not closed in it stand on nothing: what one stood on would else be taken for ground that it cannot enter.
        """
        self._probe, self._x = self.probe(mode), x
        self.holds = self.holds.keep(mode.closed)
        self._levels = self._zero_gaps()

    def _zero_gaps(self) -> Vector:
        """The gaps that count as zero from here on: a contact that has just opened may be inside by round-off or drift."""
        gap = self._entered = self._probe.look(self._t, self._x).gap
        if self.holds.roughs:
            self.holds = self.holds.with_levels(self._places())
        gated = [c.law.is_gated for c in self.modes.switching]
        return np.where(gated, 0.0, np.minimum(gap, 0.0))

    # -- pivots ---------------------------------------------------------------------------------------

    def _change_pivots(self, end: Vector) -> Outcome:
        """Go back to the last step with comfortable pivots, and choose others around where they failed."""
        if self._t <= self._stuck:
            return self._singular()
        self._stuck = self._t
        probe, segment = self._probe, self.segments[-1]
        times, states = segment.samples
        good = np.flatnonzero(probe.look_at(times, states).margin >= COMFORTABLE)
        kept = int(good[-1]) + 1 if len(good) else 1
        del segment.times[kept:], segment.states[kept:]
        pose = probe.whole(self._t, end).q
        self._t, x = self._last_comfortable(float(times[kept - 1]), states[kept - 1], self._t)
        whole = probe.whole(self._t, x)
        mode = self._other_pivots(probe.mode, whole, pose)
        if mode is None:
            return self._singular()
        self.events.append(repivoted(self._t))
        self._enter(mode, mode.state_of(whole.q, whole.v, whole.own))
        return Outcome.COMPLETED

    def _last_comfortable(self, t: float, x: Vector, until: float) -> tuple[float, Vector]:
        """The last step with comfortable pivots from a sample on; steps between samples are made again, they were not kept."""
        found = t, x
        while until - t > ON_GRID * self.grid.step:
            h, steps, _ = self.grid.plan(t, until, LONGEST_CHUNK)
            result = self._probe.roll(t, x, steps, h)
            states = np.asarray(result.states)[: int(result.completed) + 1]
            times: Vector = t + h * np.arange(len(states), dtype=np.float64)
            good = np.flatnonzero(self._probe.look_at(times, states).margin >= COMFORTABLE)
            if len(good):
                found = float(times[good[-1]]), states[good[-1]]
            if len(states) <= steps:
                break
            t, x = float(times[-1]), states[-1]
        return found

    def _safer_pivots(self, t: float, x: Vector, end: float, state: Vector) -> bool:
        """Go on from an instant with other pivots, if there are any, where those in use are all but zero at the event ahead.

        An event may lie where they vanish: two points of a sledge that come to one face are then on one line with it.
        """
        probe = self._probe
        if t <= self._stuck or probe.look(end, state).margin >= SUSPECT:
            return False
        whole = probe.whole(t, x)
        mode = self._other_pivots(probe.mode, whole, probe.whole(end, state).q)
        if mode is None or mode is probe.mode:
            return False
        first = mode.state_of(whole.q, whole.v, whole.own)
        last = mode.state_of(probe.whole(end, state).q, whole.v, whole.own)
        if any(self.probe(mode).look(*each).margin < SUSPECT for each in ((t, first), (end, last))):
            return False
        self._stuck = self._t = t
        self.events.append(repivoted(t))
        self._enter(mode, first)
        self._chunk = FIRST_CHUNK
        return True

    def _other_pivots(self, than: Mode, whole: Whole, pose: Vector) -> Mode | None:
        """A mode with pivots that are comfortable at a state and at a pose: one made before, or one made around the pose."""
        if not (np.isfinite(whole.q).all() and np.isfinite(whole.v).all() and np.isfinite(pose).all()):
            return None
        footings = self.holds.footings
        for mode in self.modes.variants(than.closed, footings):
            states = (mode.state_of(q, whole.v, whole.own) for q in (whole.q, pose))
            if mode is not than and all(self.probe(mode).look(self._t, x).margin >= COMFORTABLE for x in states):
                return mode
        try:
            return self.modes.mode(than.closed, about=pose, footings=footings, time=self._t)
        except ModelError:
            return None  # no pivots are safe there: the pose itself is singular

    def _mode_at(self, closed: Closed, whole: Whole) -> Mode:
        """The mode with some contacts closed, with pivots that are safe at a state."""
        mode = self.modes.mode(closed, footings=self.holds.footings, hint=whole.q, time=self._t)
        state = mode.state_of(whole.q, whole.v, whole.own)
        if self.probe(mode).look(self._t, state).margin < SUSPECT:
            return self._other_pivots(mode, whole, whole.q) or mode
        return mode

    # -- events ---------------------------------------------------------------------------------------

    def _handle(self, triggers: Sequence[Trigger]) -> Outcome:
        """Everything that happens at one instant."""
        before = (self._probe.mode, len(self.events))
        switching = self.modes.switching
        changed = {k.contact for k in triggers if k.kind == "condition"}
        held = {switching[i].name for i in changed if switching[i].name in self._probe.mode.closed}
        for name in sorted(held):
            whole = self._probe.whole(self._t, self._x)
            self._switch(self._probe.mode.closed - {name}, whole, whole.v)
            self._log([(name, "release", (0.0,) * 3, (0.0,) * 3)], whole.energy)
        self._walk_on([k for k in triggers if k.kind == "end"])
        closing = {k.contact for k in triggers if k.kind in ("gap", "graze")}
        closing |= {i for i in changed if switching[i].name not in held}
        closing |= self._stand([k for k in triggers if k.kind in ("touch", "brush")])
        for _ in range(MOST_IMPACTS):
            closing |= self._approaching()
            if not closing:
                break
            if not self._impact(sorted(closing)):
                return self._inconsistent([switching[i].name for i in sorted(closing)])
            closing = set()
        outcome = self._settle([k.contact for k in triggers if k.kind == "force"])
        self._leave_out_crossings(before[1])
        if outcome is Outcome.COMPLETED and before == (self._probe.mode, len(self.events)):
            # Nothing changed, hence the same would happen again.
            return self._inconsistent([switching[k.contact].name for k in triggers])
        return outcome

    def _approaching(self) -> set[int]:
        """Open contacts that touch the ground and move into it."""
        seen = self._probe.look(self._t, self._x)
        near = self._near
        if self.holds.roughs:
            allowed = {name for name, condition in zip(self.modes.names, seen.condition, strict=True) if condition > 0.0}
            places = self._places()
            for rough, candidate in list(self.holds.approaching(places, near, APPROACHES)):
                if rough.name in allowed:
                    self.holds, _ = self.holds.take(rough, candidate, places[rough.name])
        on_terrain = {
            i for i, name in enumerate(self.modes.names) if name in self.holds.footings and name not in self._probe.mode.closed
        }
        return on_terrain | {
            i
            for i, entry in enumerate(self.modes.switching)
            if entry.law.pushes
            and entry.name not in self._probe.mode.closed
            and abs(seen.gap[i] - self._levels[i]) <= near
            and seen.gap_rate[i] < -APPROACHES
            and seen.condition[i] > 0.0
        }

    def _switch(self, closed: Closed, whole: Whole, v: Vector) -> None:
        """Continue in another mode, with velocities that may have jumped, and that the mode must be able to hold."""
        moved = replace(whole, v=v)
        mode = self._mode_at(closed, moved)
        if not self._keeps(mode, moved):
            other = self._other_pivots(mode, moved, whole.q)
            if other is None or not self._keeps(other, moved):
                raise VelocitiesLostError(sorted({self.modes.contact_of[name] for name in closed}))
            mode = other
        self._stuck = -math.inf
        self._enter(mode, mode.state_of(whole.q, v, whole.own))

    def _keeps(self, mode: Mode, whole: Whole) -> bool:
        """Whether a mode allows the velocities of a state.

        Where rows depend on each other in a pose, but not around it, an impact may leave more motion than the mode has. An
        imposed motion that has yielded to an impact takes its velocity back, so that nothing can be said.
        """
        if len(unyielding(self.modes.system)) < len(self.modes.system.imposed):
            return True
        found = self.probe(mode).whole(self._t, mode.state_of(whole.q, whole.v, whole.own)).v
        largest = max(1.0, float(np.abs(whole.v).max(initial=0.0)))
        return float(np.abs(found - whole.v).max(initial=0.0)) <= SAME_VELOCITY * largest

    def _impact(self, closing: Sequence[int]) -> bool:
        """A collision: new velocities, the contacts that stay closed, and who comes to rest; whether there is an answer."""
        names, old = self.modes.names, self._probe.mode
        closing = sorted({*closing, *self._drawn_in(closing)})
        whole = self._probe.whole(self._t, self._x)
        rows = rows_at(self.modes, whole.q, self.holds.footings, self._t)
        touched = self.holds.footings
        result = collide(self.modes, rows, whole.v, old.closed, closing)
        if not result.consistent and np.array_equal(result.velocity, whole.v):
            return False
        self._switch(result.closed, whole, result.velocity)
        resting = self._coming_to_rest(rows, whole, closing, touched)
        if resting:
            self.segments.pop()
            self.holds = self.holds.standing_on(touched)
            result = collide(self.modes, rows, whole.v, old.closed, closing, list(resting))
            self._switch(result.closed, whole, result.velocity)
        told = []
        for name, own, world in result.impulses:
            took_part = name in names and names.index(name) in closing
            if took_part or any(own):
                grip = took_part and self.modes.switching[names.index(name)].law.grips
                rest = name in names and names.index(name) in resting
                told.append((name, "grip" if grip else "rest" if rest else "impact", own, world))
        # The colliding contacts first.
        told.sort(key=lambda entry: entry[0] not in {names[i] for i in closing})
        self._log(told, whole.energy, {names[i]: delay for i, delay in resting.items()}, lost=result.energy_lost)
        self._log([(n, "lift-off", (0.0,) * 3, (0.0,) * 3) for n in self._opened(old.closed)], whole.energy)
        return True

    def _settle(self, opening: Sequence[int]) -> Outcome:
        """Open the contacts that would have to pull: the largest set that pushes stays, and the rest separates."""
        seen = self._probe.look(self._t, self._x)
        if not opening and not self._pulls(seen):
            return Outcome.COMPLETED
        whole = self._probe.whole(self._t, self._x)
        closed = self._probe.mode.closed
        rows = rows_at(self.modes, whole.q, self.holds.footings, self._t)
        freed, consistent = releases(self.modes, rows, closed, seen.reaction, opening)
        if not consistent:
            return self._inconsistent([n for n in self.modes.names if n in closed])
        if freed:
            self._switch(closed - freed, whole, whole.v)
            self._log([(name, "lift-off", (0.0,) * 3, (0.0,) * 3) for name in sorted(freed)], whole.energy)
        return Outcome.COMPLETED

    def _pulls(self, seen: Seen) -> bool:
        """Whether a closed one-sided contact would have to pull."""
        least = -FORCE * float(np.abs(seen.normal_force).max(initial=0.0))
        closed = self._probe.mode.closed
        pairs = zip(self.modes.switching, seen.normal_force, strict=True)
        return any(c.name in closed and c.law.pushes and force < least for c, force in pairs)

    def _log(
        self,
        told: Sequence[tuple[str, str, tuple[float, ...], tuple[float, ...]]],
        before: float,
        delays: Mapping[str, float] | None = None,
        note: str = "",
        lost: float = 0.0,
    ) -> None:
        """Record events of contacts at this instant, those of contacts that come to rest when they do."""
        after = self._probe.whole(self._t, self._x).energy
        for name, kind, own, world in told:
            now = self.grid.at(self._t)
            time = min(now + (delays or {}).get(name, 0.0), self.grid.end)
            time = time if time > now + TIME_TOLERANCE else now
            if kind == "rest":
                self._rests.append(time)
            lets_go = kind in ("lift-off", "release", "crossing")  # the velocities are the same
            contact = self.modes.contact_of.get(name, name)
            work = 0.0 if lets_go or not self.modes.system.imposed else after - before + lost
            said = note if lets_go else f"normal impulse {own[0]:.6g} N s, energy lost {before - after + work:.6g} J"
            if work:
                said += f", work of imposed motions {work:.6g} J"
            if before - after + work < -GAINED * max(abs(before), abs(after)) and not lets_go:
                said += "; the law has made energy, as componentwise laws can"
            energies = (after if lets_go else before, after, work)
            self.events.append(Event(time, f"{contact} {kind}", said, contact, kind, own, world, *energies))

    # -- ends -----------------------------------------------------------------------------------------

    def _chatters(self) -> bool:
        count, within = CHATTER
        if len(self.events) > count and self._t - self.events[-count].time < within and self.events[-count].contact:
            names = sorted({event.contact for event in self.events[-count:]})
            self.detail = event_endings.endless(names, count, within)
            return True
        if len(self.events) > MOST_EVENTS:
            self.detail = f"{MOST_EVENTS} events; simulate a shorter time, or give the contacts a smaller restitution"
            return True
        return False

    def _inconsistent(self, names: Sequence[str]) -> Outcome:
        self.detail = event_endings.inconsistent(self.modes, names)
        return Outcome.INCONSISTENT

    def _loose(self, seen: Seen) -> int | None:
        """A closed contact whose gap changes: its row was taken to follow from others, which holds no longer."""
        drift = np.abs(seen.gap - self._entered).max(axis=0)
        for i, entry in enumerate(self.modes.switching):
            if entry.name in self._probe.mode.closed and entry.law.pushes and drift[i] > LOOSE:
                return i
        return None

    def _not_held(self, contact: int) -> Outcome:
        self.detail = event_endings.not_held(self.modes, contact, LOOSE)
        return Outcome.INCOMPATIBLE

    def _sunk(self, contact: int) -> Outcome:
        self.detail = event_endings.sunk(self.modes, contact, SUNK)
        return Outcome.SUNK

    def _singular(self) -> Outcome:
        self.detail = event_endings.singular(self.modes, self._probe.mode.closed)
        return Outcome.SINGULAR

    def _not_finite(self) -> Outcome:
        lost = lost_input(self._probe.mode.compiled, self._t, self._x, self._probe.parameters)
        self.detail = lost or event_endings.not_finite(self._probe.mode, self._x)
        return Outcome.NOT_FINITE
