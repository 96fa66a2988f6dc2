"""Runs with events in machine code, as far as that goes: stretches of motion, where they end, and what comes of it.

`loop.py` is the readable form: `advance`, `locate` and `handle`. A `Follower` does the same in one compiled call for what
happens most, contacts with dry friction that close, open, stick and slip, and hands a run back where anything else comes:
before the step in which it does, so that the readable form finds it as if it had come so far itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from locomotor.codegen import (
    MOST_CONTACTS,
    MOST_ENDS,
    MOST_RESTS,
    Cause,
    Following,
    Notice,
    Piece,
    Source,
    Way,
    address,
    addresses,
    follow_function,
    function_of,
    place_of,
    step_of,
    stop_here,
    table,
)
from locomotor.dataclass import replace
from locomotor.errors import ModelError
from locomotor.model import Contact, Rub
from locomotor.model.contacts import may_lie, slip_names
from locomotor.simulation.events.collisions import unyielding
from locomotor.simulation.events.contact_events import ForceVanishes, GapCloses, Grazes
from locomotor.simulation.events.follow_numbers import SHARED
from locomotor.simulation.events.friction_events import DrivenOff, FrictionExhausted, SlipEnds, SlipTurns
from locomotor.simulation.events.jamming import Jams
from locomotor.simulation.events.kinds import OfContact, Trigger
from locomotor.simulation.events.modes import Mode, Modes
from locomotor.simulation.events.moment import Moment, event_of
from locomotor.simulation.events.pace import WHOLE
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Probe
from locomotor.simulation.events.stances import stances_of
from locomotor.simulation.events.trail import RECENT, Trail
from locomotor.simulation.status import Event
from locomotor.simulation.terrain import Footholds
from locomotor.typing import Integers, Vector

ARRIVED, FULL, ASKS, ASKS_FROM_START, GUIDES, STOPPED, WANTS = range(7)
"""Why a compiled call has ended, as in `runtime/follow.h`."""
KINDS: tuple[type[OfContact], ...] = (Grazes, GapCloses, ForceVanishes, FrictionExhausted, SlipEnds, SlipTurns, Jams, DrivenOff)
"""What may happen within a step, in the order of `runtime/follow_search.h`."""
EVENTS = ("impact", "lift-off", "slips", "sticks", "rest")
"""What is told, in the order of `runtime/follow.h`."""
OPEN, STICKS, SLIPS, LOCKED = range(4)
MOST_SAMPLES, MOST_PIECES, MOST_TOLD, MOST_WAYS, ROOM = 4096, 256, 512, 256, 2**17
"""Samples, segments, events and modes that one call may know of, and numbers that it may keep on the way."""
MOST_ENERGIES = 16
MOST_IDLE = 1
"""Followers that wait for another run of the same system; each keeps some megabytes."""


def unfollowed(plan: EventPlan) -> str:
    """Why a run is not followed in machine code; "" where it is."""
    if plan.scheme != "exact" or len(plan.ends) > MOST_ENDS or plan.grid.marks or plan.every_step:
        return "it is looked at in another way"
    if plan.stepper != "rk4" or plan.prober is not Probe:
        return "its steps are others"
    return _unknown(plan.modes)


@lru_cache(maxsize=32)
def _unknown(modes: Modes) -> str:
    """What of a system is not known in machine code; "" where everything is."""
    system = modes.system
    if modes.roughs or modes.has_resistance or modes.has_grips:
        return "it has other things than contacts with friction, or contacts that slide freely"
    joints = [entry for entry in modes.switching if isinstance(entry, Rub)]
    if any(not isinstance(entry, Contact | Rub) for entry in modes.switching) or len(modes.names) > MOST_CONTACTS:
        return "it has couplings that open, or very many contacts"
    if len(joints) == len(modes.switching) or not all(joint.turns_one_way for joint in joints):
        return "it has joints with dry friction alone, or ball joints among them"
    for contact in system.contacts:
        if contact.pivots or contact.resists:
            return "a contact is more than a point"
    for entry in modes.switching:
        if isinstance(entry, Rub):
            continue
        law = entry.law
        fixed = law.fixed_coefficients
        if law.is_gated or law.others or fixed is None or fixed[1] != 0.0 or law.impact_rule != "newton":
            return "a law is another one"
        if not law.slips:
            if not isinstance(entry, Contact) or not entry.slides:
                return "a contact sticks whatever pulls at it"
            continue
        if float(law.sliding_at(modes.values, 0.0)) != float(law.sliding_at(modes.values, 1.0)):
            return "friction depends on the speed"
    if len(unyielding(system)) < len(system.imposed):
        return "a motion yields"
    return "" if function_of(modes.impact) is not None else "its masses are not compiled by themselves"


def follower_of(plan: EventPlan) -> Follower | None:
    """Who follows a run in machine code; None where nobody does.

    One that has followed a run with the same inputs and parameters knows the modes it met; it belongs to one run at a time.
    """
    if unfollowed(plan):
        return None
    key, idle = _key(plan), plan.modes.followers
    for known in tuple(idle):
        if known.key == key:
            try:
                idle.remove(known)
            except ValueError:  # another thread has been quicker
                continue
            return _begun(known, plan)
    function = follow_function(SHARED)
    return None if function is None else _begun(Follower(plan.modes, plan.inputs, function, key), plan)


def _begun(follower: Follower, plan: EventPlan) -> Follower:
    follower.begin(plan)
    return follower


def _key(plan: EventPlan) -> tuple[Any, ...]:
    """Of what a follower is made, beside the modes."""
    values = plan.modes.values
    return tuple(sorted(plan.inputs.items())), plan.modes.parameters.tobytes(), tuple(values.values()), plan.ends


def given_back(follower: Follower | None, modes: Modes) -> None:
    """A follower that has come to the end of a run waits for the next one."""
    if follower is not None:
        modes.followers[:] = [follower, *modes.followers[: MOST_IDLE - 1]]


class Follower:
    """A run in machine code; what it is made of is kept as long as it is."""

    def __init__(self, modes: Modes, inputs: Mapping[str, float], function: Any, key: Any) -> None:
        self.key, self._function, self._inputs = key, function, inputs
        layout, count = modes.system.layout, len(modes.names)
        self._ways: dict[Mode, int] = {}
        self._modes: list[Mode] = []
        self._parts: list[Any] = []
        self._table = table(Way, MOST_WAYS)
        laws = [entry.law for entry in modes.switching]
        sliding = self._kept(np.array([float(law.sliding_at(modes.values, 0.0)) if law.slips else 0.0 for law in laws]))
        resting = self._kept(np.array([float(law.static_at(modes.values)) if law.slips else 0.0 for law in laws]))
        restitution = self._kept(np.array([float(law.coefficients_at(modes.values, 0.0)[0]) for law in laws]))
        lies = self._kept(np.array([isinstance(e, Contact) and may_lie(e) for e in modes.switching], dtype=np.int32))
        order = self._kept(np.array(sorted(range(count), key=lambda i: modes.names[i]), dtype=np.int32))
        self._pieces, self._told = table(Piece, MOST_PIECES), table(Notice, MOST_TOLD)
        self._causes = table(Cause, MOST_TOLD)
        self._wanted_at = np.zeros(1 + layout.nq)
        self._width = layout.nq + layout.nv + MOST_ENERGIES
        self._times, self._lengths = np.empty(MOST_SAMPLES), np.empty(MOST_SAMPLES)
        self._states = np.empty((MOST_SAMPLES, self._width))
        self._run = Following(
            contacts=count,
            nq=layout.nq,
            nv=layout.nv,
            nx=self._width,
            most_samples=MOST_SAMPLES,
            most_pieces=MOST_PIECES,
            most_tolds=MOST_TOLD,
            most_triggers=MOST_TOLD,
            most_ways=MOST_WAYS,
            way=place_of(self._table),
            by_name=order,
            sliding=sliding,
            resting=resting,
            restitution=restitution,
            lies=lies,
            imposed=bool(modes.system.imposed),
            smooth=not modes.has_friction,
            times=address(self._times),
            states=address(self._states),
            lengths=address(self._lengths),
            piece=place_of(self._pieces),
            told=place_of(self._told),
            trigger=place_of(self._causes),
            arena=self._kept(np.empty(ROOM)),
            arena_size=ROOM,
            whole_numbers=self._kept(np.empty(4096, dtype=np.int32)),
            wanted_at=address(self._wanted_at),
        )
        self._impact(modes)
        instant = self._run.now
        self._now = {name: np.zeros(size) for name, size in (("x", self._width), ("slips", 3 * count), ("secure", self._width))}
        self._now |= {name: np.zeros(count) for name in ("levels", "entered", "guided")}
        self._now["rests"] = np.zeros(MOST_RESTS)
        for name, array in self._now.items():
            setattr(instant, name, address(array))
        self._parameters = np.empty((MOST_PIECES, 1))

    def begin(self, plan: EventPlan) -> None:
        """A run is to be followed."""
        self._plan, run = plan, self._run
        run.start, run.step, run.end, run.near = plan.grid.start, plan.grid.step, plan.grid.end, plan.near

    def _kept(self, array: Any) -> int:
        """Address of an array, which is kept."""
        self._parts.append(array)
        return address(array)

    # -- what the compiled function knows -------------------------------------------------------------

    def _impact(self, modes: Modes) -> None:
        """Where masses and rows come from."""
        run, system, kernel = self._run, modes.system, modes.impact
        found = {port.name: np.zeros(port.shape) for port in kernel.traced.outputs}
        self._parts += [*found.values(), modes.impact]
        outputs = addresses(found.values())
        self._parts.append(outputs)

        def of_contact(contact: Contact) -> Source:
            jacobian, normal = found[f"{contact.name}_jacobian"], found.get(f"{contact.name}_normal")
            frame = found[f"{contact.name}_directions"] if normal is None else normal
            return Source(address(frame), address(jacobian), 0 if normal is not None else len(frame), 0)

        by_name = {contact.name: contact for contact in system.contacts}
        held = [of_contact(contact) for contact in system.contacts if contact.name in modes.held]
        run.held_contacts, run.still = len(held), sum(source.directions or 3 for source in held)
        always_held = [formula for formula in system.constraints if formula.name not in modes.names]
        rows = [found[f"{name}_row"] for formula in always_held for name in formula.row_names]
        rows += [found[f"{name}_row"] for closure in system.loops for name in closure.row_names]
        rows += [np.eye(system.layout.nv)[[system.layout.v[joint.name].start]] for joint in unyielding(system)]
        held += [Source(0, self._kept(row), 0, len(row)) for row in rows]
        run.held_count, run.held_rows = len(held), run.still + sum(map(len, rows))
        joints = {entry.name: found[f"{entry.row_names[0]}_row"] for entry in modes.switching if isinstance(entry, Rub)}
        own = {name: Source(0, address(row), 0, len(row)) for name, row in joints.items()}
        own |= {name: of_contact(contact) for name, contact in by_name.items()}
        sources = table(Source, len(modes.names), *(own[name] for name in modes.names))
        always = table(Source, len(held), *held)
        self._parts += [sources, always]
        run.source, run.held = place_of(sources), place_of(always)
        run.impact, run.impact_out = function_of(kernel), place_of(outputs)
        run.impact_parameters, run.mass = self._kept(modes.parameters.copy()), address(found["mass"])
        self._held_names = [contact.name for contact in system.contacts if contact.name in modes.held]

    def _way(self, mode: Mode, parameters: Vector) -> int | None:
        """The number of a mode, which it gets when first met; None of one that machine code does not know."""
        if mode in self._ways:
            return self._ways[mode]
        compiled, run, plan = mode.compiled, self._run, self._plan
        functions = [function_of(kernel) for kernel in (mode.events, mode.snapshot)]
        probe = Probe(mode, self._inputs, parameters, plan.stepper)
        if plan.ends:
            functions.append(function_of(compiled.compiled_watch(plan.ends, plan.absent)))
        bound = probe._bound if probe.law is None and None not in functions and not len(mode.sliding) else None
        if bound is None or len(self._modes) == MOST_WAYS or mode.snapshot.traced.outputs[2].size > MOST_ENERGIES:
            return None
        names = list(compiled.traced.free_parameters)
        holds = [OPEN if name not in mode.closed else STICKS for name in plan.modes.names]
        place = [-1] * len(holds)
        for i in mode.sticking.tolist():
            holds[i] = LOCKED
        for i in mode.slipping.tolist():
            holds[i], place[i] = SLIPS, names.index(slip_names(plan.modes.names[i])[0])
        arrays = {"coordinates": mode.coordinates, "free": mode.free, "holds": holds, "place": place}
        numbers = {name: self._kept(np.array(values, dtype=np.int32)) for name, values in arrays.items()}
        self._parts.append(probe)
        number = len(self._modes)
        self._table[number] = Way(
            **step_of(bound),
            **numbers,
            events=functions[0],
            snapshot=functions[1],
            ends=functions[2] if plan.ends else None,
            ended=len(plan.ends),
            inputs=address(probe.inputs),
            nx=compiled.traced.state_port.size,
            np=len(names),
            pivots=mode.events.traced.outputs[2].size - mode.wheels,
            monitors=mode.events.traced.outputs[2].size,
            moved=len(mode.coordinates),
            frees=len(mode.free),
            own=compiled.traced.state_port.size - mode.own,
            handful=mode.handful,
            usual=plan.modes.is_usual(mode),
        )
        self._ways[mode] = number
        self._modes.append(mode)
        run.energies = mode.snapshot.traced.outputs[2].size
        run.ways = len(self._modes)
        if len(names) > self._parameters.shape[1] or number == 0:
            self._parameters = np.empty((MOST_PIECES, max(len(names), 1)))
            run.parameters, run.piece_parameters = self._parameters.shape[1], address(self._parameters)
        return number

    # -- following ------------------------------------------------------------------------------------

    def follow(self, trail: Trail) -> tuple[Trail, int]:
        """The trail as far as machine code knows how to go on, and why it does not."""
        now, plan, run = trail.now, self._plan, self._run
        known = not (now.holds.braced or now.holds.sides) and len(now.rests) <= MOST_RESTS
        way = self._way(now.mode, now.parameters) if known else None
        if way is None:
            return trail, ASKS_FROM_START
        grid, instant = plan.grid, run.now
        run.next_stop = grid.next_stop(now.time)
        run.leaps = run.next_stop in grid.stops
        instant.resting = len(now.rests)
        self._now["rests"][: len(now.rests)] = now.rests
        run.pieces = run.samples = run.tolds = run.triggers = 0
        stop = stop_here()
        run.stop = stop.address
        instant.t, instant.way, instant.chunk, instant.ahead = now.time, way, now.chunk, now.ahead
        instant.secure_time, instant.struck = now.secure[0], now.struck
        instant.stilled, names = now.stilled[0], plan.modes.names
        instant.stilled_ones = sum(1 << i for i, name in enumerate(names) if name in now.stilled[1])
        slips = self._now["slips"].reshape(-1, 3)
        slips[:] = 0.0
        for i in now.mode.slipping.tolist():
            slips[i] = now.holds.slips[names[i]]
        self._now["guided"][:] = [name in now.holds.guided for name in names]
        for name, values in (("x", now.state), ("secure", now.secure[1]), ("levels", now.levels), ("entered", now.entered)):
            self._now[name][: len(values)] = values
        self._function(place_of(run))
        stop.check()
        trail, why = (self._recorded(trail) if run.samples else trail), int(run.reason)
        if why == ARRIVED and run.closes and trail.now.time >= run.until:
            return trail, FULL
        if why != WANTS:
            return trail, why
        return trail, FULL if self._meets(run.wanted) else ASKS

    def _meets(self, wanted: Sequence[int]) -> bool:
        """Whether there is a mode in which contacts are held so, which is known from now on.

        It is made where it is entered, as the readable form does: what a run does depends on no earlier one.
        """
        modes, time, q = self._plan.modes, float(self._wanted_at[0]), self._wanted_at[1:].copy()
        slips = [name for name, held in zip(modes.names, wanted, strict=False) if held == SLIPS]
        closed = frozenset(name for name, held in zip(modes.names, wanted, strict=False) if held != OPEN)
        try:
            mode = modes.mode(closed, hint=q, time=time, stances=stances_of(modes.switching, slips, (), {}))
        except ModelError:
            return False
        if mode in self._ways:
            return False
        holds = Footholds(modes.roughs).slipping(dict.fromkeys(slips, (0.0, 0.0, 0.0)))
        return self._way(mode, modes.parameters_on(mode, holds) if mode.supports else modes.parameters) is not None

    def _recorded(self, trail: Trail) -> Trail:
        """The trail with everything that the last call has recorded."""
        run, now = self._run, trail.now
        count, pieces = int(run.samples), [self._pieces[k] for k in range(run.pieces)]
        first = [0, *(int(piece.first) for piece in pieces), count]
        modes = [now.mode, *(self._modes[piece.way] for piece in pieces)]
        ends = (notice.time for notice in self._told[: run.tolds] if EVENTS[notice.kind] == "rest")
        chosen = self._chosen(modes, first, (*now.rests, *ends))
        bounds = first if chosen is None else np.searchsorted(chosen, first).tolist()
        causes = [0, *(int(piece.triggers) for piece in pieces)]
        told = [*(int(piece.told) for piece in pieces), int(run.tolds)]
        every = [self._event(self._told[k]) for k in range(run.tolds)]
        last = self._last(trail.now)
        for k, mode in enumerate(modes):
            own = slice(bounds[k], bounds[k + 1])
            nx = int(self._table[self._ways[mode]].nx)
            times, states = self._times, self._states[:, :nx]
            there = now if k == 0 else self._entered(now, mode, k - 1)
            triggers = self._triggers(causes[k], causes[k + 1]) if k + 1 < len(causes) else ()
            trail = Trail(
                last if k + 1 == len(modes) else there,
                times[own].copy() if chosen is None else times[chosen[own]],
                states[own].copy() if chosen is None else states[chosen[own]],
                k > 0,
                told=tuple(every[told[k - 1] : told[k]]) if k else (),
                past=trail,
                count=trail.count + (told[k] - told[k - 1] if k else 0),
                recent=trail.recent,
                triggers=triggers,
            )
        return replace(trail, recent=(*trail.recent, *every)[-RECENT:]) if every else trail

    def _chosen(self, modes: Sequence[Mode], first: Sequence[int], rests: tuple[float, ...]) -> Integers | None:
        """Numbers of the samples that are recorded (see `EventPlan.recorded`); None where all are."""
        count, rubbing = first[-1], [mode.is_rubbing or mode.wheels > 0 for mode in modes]
        if not any(rubbing) and not self._plan.thins:
            return None
        lengths = self._lengths[:count]
        shorter = (lengths >= 0.0) & (lengths < WHOLE * self._plan.grid.step)
        if not all(rubbing):
            shorter &= np.repeat(rubbing, np.diff(first))
        if not shorter.any() and not self._plan.thins:
            return None
        chosen = np.asarray(self._plan.recorded(self._times[:count], rests, shorter)[1])
        return np.union1d(chosen, np.flatnonzero(lengths < 0.0)) if self._plan.thins else chosen  # events are recorded anyway

    def _entered(self, now: Moment, mode: Mode, piece: int) -> Moment:
        """A moment at which a mode was entered; of those that are passed nothing but mode and parameters is asked."""
        return replace(now, mode=mode, parameters=self._parameters[piece, : self._table[self._ways[mode]].np].copy())

    def _last(self, now: Moment) -> Moment:
        """The moment at which machine code has come to an end."""
        run, plan = self._run, self._plan
        instant, names = run.now, plan.modes.names
        mode = self._modes[instant.way]
        nx, slips = int(self._table[instant.way].nx), self._now["slips"].reshape(-1, 3)
        noted = {names[i]: (float(slips[i, 0]), float(slips[i, 1]), float(slips[i, 2])) for i in mode.slipping.tolist()}
        state, secure = self._now["x"][:nx].copy(), self._now["secure"][:nx].copy()
        levels, entered = self._now["levels"].copy(), self._now["entered"].copy()
        for array in (state, secure, levels, entered):
            array.setflags(write=False)
        guided = frozenset(name for name, led in zip(names, self._now["guided"].tolist(), strict=True) if led)
        holds = now.holds.slipping(noted, guided)
        moved = replace(
            now,
            time=float(instant.t),
            state=state,
            levels=levels,
            entered=entered,
            secure=(float(instant.secure_time), secure),
            chunk=int(instant.chunk),
            wander=float(run.wander),
            ahead=int(instant.ahead),
            rests=tuple(rest for rest in self._now["rests"][: instant.resting].tolist() if rest > instant.t),
            struck=(float(instant.struck[0]), float(instant.struck[1])),
            stilled=(
                float(instant.stilled),
                frozenset(name for i, name in enumerate(names) if instant.stilled_ones >> i & 1),
            ),
        )
        if not run.pieces:
            return moved
        parameters = self._parameters[run.pieces - 1, : self._table[instant.way].np].copy()
        return replace(moved, mode=mode, holds=holds, parameters=parameters, stuck=-math.inf)

    def _event(self, notice: Notice) -> Event:
        """What machine code tells, in words."""
        modes, kind = self._plan.modes, EVENTS[notice.kind]
        name = modes.names[notice.contact] if notice.contact >= 0 else self._held_names[notice.held]
        if kind == "sticks" and modes.switching[notice.contact].rolls:  # type: ignore[union-attr]
            kind = "rolls"
        work = notice.after - notice.before + notice.lost if modes.system.imposed else 0.0
        impulses = tuple(notice.impulse), tuple(notice.world)
        note = "the other way" if notice.turned else ""
        return event_of(name, kind, self._plan.grid.at(notice.time), impulses, (notice.before, notice.after, work), note)

    def _triggers(self, begin: int, end: int) -> tuple[Trigger, ...]:
        """What happened, as triggers."""
        return tuple(KINDS[cause.kind](int(cause.contact)) for cause in self._causes[begin:end])
