"""Runs of systems whose contacts open and close: the event-driven loop, recorded as a `Run`."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from locomotor.dataclass import replace
from locomotor.errors import InconsistentStartError, StepperError, UnknownNameError
from locomotor.mechanics import check_pressed
from locomotor.mechanics.tree import Instant
from locomotor.model import Contact, Coupling, Rub, System, effort_names, evaluate, frictions_of, slide_names
from locomotor.model.contacts import may_lie
from locomotor.names import suggestion
from locomotor.simulation.events.friction_start import Landing, landed, mode_through
from locomotor.simulation.events.held_modes import OPEN
from locomotor.simulation.events.loop import run_with_events
from locomotor.simulation.events.lying import on_sides
from locomotor.simulation.events.modes import Closed, Mode, Modes, modes_of, with_laws
from locomotor.simulation.events.passing import passed
from locomotor.simulation.events.plan import APPROACHES, NEAR, SOON, EventPlan
from locomotor.simulation.events.probe import Probe, Seen
from locomotor.simulation.events.run_modes import run_modes
from locomotor.simulation.events.slip import REST, slides_by_velocity
from locomotor.simulation.events.terrain_start import let_down, touched
from locomotor.simulation.events.timeline import Grid
from locomotor.simulation.events.trail import Segment, Trail
from locomotor.simulation.inputs import breaks_of
from locomotor.simulation.latest import key_of
from locomotor.simulation.recorder import Course, absent, record
from locomotor.simulation.records import Channel, Run, is_judging
from locomotor.simulation.run_plan import Plan
from locomotor.simulation.starts import LOOPS, beyond
from locomotor.simulation.status import Event, Status
from locomotor.simulation.steppers import AUTO, FixedStep, midpoint
from locomotor.simulation.stiffness import Stiffness, settled, stiffness
from locomotor.simulation.terrain import Footholds, gaps_of
from locomotor.simulation.turning import Together, Track
from locomotor.tracing import effort_unit, observables
from locomotor.tracing.contacts import held_name
from locomotor.typing import Vector

STEPPERS = ("rk4", "midpoint", AUTO)
"""Methods that remember nothing of their last step."""


def is_hybrid(system: System) -> bool:
    """Whether some contact may open and close, or some joint stick and slide."""
    return any(entry.law.switches for entry in with_laws(system)) or bool(frictions_of(system))


def move_with_events(plan: Plan, prober: Callable[..., Probe] = Probe) -> Course:
    """Event-driven motion; samples are those of the plan, with two more at every event: before and after.

    `prober` makes what moves each mode: by compiled steps, unless another is given.
    """
    system, method, stepper = plan.system, plan.method, plan.stepper
    if plan.static:
        raise StepperError(f"static is given, but contacts of {system.name} open and close; leave it out")
    if not isinstance(stepper, FixedStep) or stepper.name not in STEPPERS:
        why = ", which remembers its last step" if isinstance(stepper, FixedStep) else ""
        opens = f"{system.name}: a motion whose contacts open and close"
        raise StepperError(f"{opens} is integrated with rk4 or midpoint, not {stepper.name}{why}")
    modes = (run_modes if prober is Probe else modes_of)(
        system, plan.controller, method.target, method.drift_time, method.project, method.solver
    )
    if (method.project or method.drift_time is not None) and modes.has_grips:
        raise StepperError(
            f"{system.name} has grips, which hold wherever they are: no gap is to be closed; leave out project and drift_time"
        )
    mode, x, holds = hybrid_start(modes, plan.start.values, plan.start.time, plan.start.closed, plan.start.assemble)
    about = described(system, modes)
    events = event_plan(plan, modes, about)
    chosen, why = settled(stepper, lambda: _stiffness(events.probe_on(mode, holds), plan.start.time, x), midpoint)
    events = replace(events, stepper=chosen.method, prober=prober, _probes={})
    if chosen.implicit is None and not is_judging() and prober is Probe:
        h = plan.samples.step
        events.probe_on(mode, holds).check_step(plan.start.time, x, round(plan.duration / h), h, chosen.name, "midpoint")
    if plan.ends:
        events.watch(events.probe_on(mode, holds)).check_start(system.name, plan.start.time, x)
    course = course_of(events, run_with_events(events, mode, x, holds), chosen, about)
    return replace(course, settings={**course.settings, "chosen": why}) if why else course


def _stiffness(probe: Probe, time: float, x: Vector) -> Stiffness:
    """How stiff the mode is in which a run begins."""
    inputs = probe.inputs if probe.law is None else probe.law(time, x)
    return stiffness(probe.compiled.traced, time, x, inputs, probe.parameters)


def event_plan(plan: Plan, modes: Modes, about: Mapping[str, Channel]) -> EventPlan:
    """What the event loop needs of a plan."""
    times, substeps, dt = plan.samples.times, plan.samples.substeps, plan.samples.step
    begin, end = float(times[0]), float(times[-1])
    stops = breaks_of(plan.system, plan.controller).between(plan.system.parameters.values, begin, end, dt)
    grid = Grid(begin, end, dt, stops, () if substeps else tuple(times.tolist()))
    missing = {name: absent(channel) for name, channel in about.items()} if plan.ends else {}
    return EventPlan(modes, grid, plan.constant, plan.method.scheme, substeps, plan.ends, missing)


# -- start ----------------------------------------------------------------------------------------------------


def hybrid_start(
    modes: Modes,
    start: Mapping[str, float] | None,
    time: float = 0.0,
    wanted: Sequence[str] | None = None,
    assemble: bool | str = True,
) -> tuple[Mode, Vector, Footholds]:
    """Mode, state and footholds at the start: contacts that touch are closed, and velocities made consistent with them.

    The `wanted` contacts, where given, are closed instead, if need be by moving what the start leaves open. Joints with dry
    friction stick where they do not move. Starts are kept: the next run that begins so begins at once.
    """
    if modes.roughs:  # what they stand on remembers where it was asked last
        return _hybrid_start(modes, start, time, wanted, assemble)
    key = key_of(start), time, None if wanted is None else tuple(wanted), assemble, modes.parameters.tobytes()
    mode, x, holds = modes.starts(key, lambda: _hybrid_start(modes, start, time, wanted, assemble))
    return mode, x.copy(), holds


def _hybrid_start(
    modes: Modes, start: Mapping[str, float] | None, time: float, wanted: Sequence[str] | None, assemble: bool | str
) -> tuple[Mode, Vector, Footholds]:
    """The start, found anew."""
    mode, x, holds = _with_contacts(modes, start, time, wanted, assemble)
    if modes.has_friction and modes.system.imposed:
        check_pressed(modes.system, mode.closed)
    if not modes.rubs:
        return mode, x, holds
    whole = Probe(mode, {}, modes.parameters_on(mode, holds)).whole(time, x)
    slides = slides_by_velocity(modes, {}, frozenset(), whole.v)
    closed = mode.closed | modes.rubbing.difference(slides)
    mode = mode_through(modes, closed, holds.sliding(slides), whole, time, mode.stances)
    return mode, mode.state_of(whole.q, whole.v, whole.own), holds.sliding(slides)


def _with_contacts(
    modes: Modes, start: Mapping[str, float] | None, time: float, wanted: Sequence[str] | None, assemble: bool | str
) -> tuple[Mode, Vector, Footholds]:
    """The start while every joint slides."""
    holds = Footholds(modes.roughs)
    hint = None
    if wanted is None:
        flight = modes.mode(frozenset(), time=time)
        p = modes.parameters_on(flight, holds)
        x = flight.start(start, time, p, LOOPS if assemble else False)
        probe = Probe(flight, {}, p)
        closed, holds = initial_contacts(modes, probe, time, x)
        hint = probe.whole(time, x).q
        if not closed:
            return flight, x, holds
        holds = on_sides(modes, holds, closed, hint, time)
        closed = frozenset(name for name in closed if name not in holds.owners or name in holds.footings)
    else:
        known = sorted({modes.contact_of[name] for name in modes.names if name not in modes.rubbing})
        for name in wanted:
            if name not in known:
                raise UnknownNameError(f"closed: no contact that opens is named {name!r}: {suggestion(name, known)}")
        closed = frozenset(wanted)
        holds = _lying_as_given(modes, holds, start, time, closed)
    try:
        if wanted is not None and holds.roughs:
            mode, x, holds = let_down(modes, holds, start, time, tuple(wanted), assemble)
        else:
            mode, x, holds = landed(
                Landing(modes, closed, holds, hint, time, assemble if wanted is not None or not assemble else LOOPS), start
            )
    except InconsistentStartError as error:
        told = ", ".join(repr(name) for name in sorted({modes.contact_of[name] for name in closed}))
        raise InconsistentStartError(
            f"{error}. Closed at the start: {told}; lift what should not touch the ground, or give velocities that it allows"
        ) from None
    if wanted is not None:
        initial_contacts(modes, Probe(mode, {}, modes.parameters_on(mode, holds)), time, x, closed)
    return mode, x, holds


def _lying_as_given(
    modes: Modes, holds: Footholds, start: Mapping[str, float] | None, time: float, closed: Closed
) -> Footholds:
    """Footholds with those wheels on their sides, of some on planes that are to be closed, that are flat as they are given."""
    if not any(may_lie(e) for e in modes.switching if isinstance(e, Contact) and e.name in closed.difference(holds.owners)):
        return holds
    flight = modes.mode(frozenset(), time=time)
    p = modes.parameters_on(flight, holds)
    x = flight.start(start, time, p, assemble=False)
    return on_sides(modes, holds, closed, Probe(flight, {}, p).whole(time, x).q, time)


def initial_contacts(modes: Modes, probe: Probe, t: float, x: Vector, known: Closed = frozenset()) -> tuple[Closed, Footholds]:
    """Contacts closed at the start, that touch and do not separate, and what they stand on; none may be inside the ground.

    The start is a state of whatever mode, whose event functions are looked at.
    """
    holds = Footholds(modes.roughs)
    on_terrain = {slot for rough in holds.roughs for slot in rough.slots}
    closed: set[str] = set()
    if holds.roughs:
        whole = probe.whole(t, x)
        names = Instant(modes.system, whole.q, whole.v, t, parameters=modes.values).names
        may = {r.name: float(evaluate(r.contact.law.condition, names)) > 0.0 for r in holds.roughs}
        holds = touched(modes, holds, whole.q, whole.v, may, NEAR, APPROACHES)
        closed |= holds.footings.keys()
    seen, soon = probe.look(t, x, ask=False), probe.look(t + SOON, x, ask=False)
    for i, entry in enumerate(modes.switching):
        if entry.name in on_terrain:
            continue
        if entry.law.grips:
            if soon.condition[i] > 0.0:
                closed.add(entry.name)
            continue
        gap = float(seen.gap[i])
        if gap < -NEAR and seen.condition[i] > 0.0 and entry.name not in known:
            raise InconsistentStartError(f"start: {beyond(modes.system, entry.name, gap)}")
        if abs(gap) <= NEAR and seen.gap_rate[i] <= APPROACHES:
            closed.add(entry.name)
    return frozenset(closed), holds


# -- record ---------------------------------------------------------------------------------------------------


def record_events(system: System, plan: EventPlan, trail: Trail, stepper: FixedStep) -> Run:
    """The run that a trail tells of."""
    return record(system, course_of(plan, trail, stepper, described(system, plan.modes)))


def course_of(plan: EventPlan, trail: Trail, stepper: FixedStep, about: Mapping[str, Channel]) -> Course:
    """All segments of a trail, to be recorded; the channels of an open contact are zero (forces) or not a number (places)."""
    modes = plan.modes
    segments = [segment for segment in trail.segments if not segment.passing]
    passages, located = passed(plan, trail)
    end = plan.grid.at(float(segments[-1].times[-1])) if located is None else located
    return Course(
        tracks=[_track(plan, segment) for segment in segments],
        about=about,
        status=Status(trail.outcome, end, *_told(plan, trail)),
        end=trail.end,
        ends=plan.ends,
        events=_within(tuple(sorted([*trail.events, *passages], key=lambda event: event.time)), end),
        step=plan.grid.step,
        snapped=plan.grid.snapped,
        settings={
            "stepper": stepper.name,
            "order": stepper.order,
            "step": plan.grid.step,
            "scheme": plan.scheme,
            "drift_time": modes.drift_time,
            "project": bool(modes.system.loops) if modes.project is None else modes.project,
            "target": segments[0].mode.compiled.roller_for(stepper.method).target,
            "solver": "runtime" if modes.shares_a_model else "traced",
            "segments": len(segments),
            "repivots": sum(event.name == "repivot" for event in trail.events),
            **({} if stepper.implicit is None else {"rho_infinity": stepper.implicit.rho_infinity}),
        },
    )


def _within(events: tuple[Event, ...], end: float) -> tuple[Event, ...]:
    """Events with none after the end of their run: bounces that were to last longer end with it."""
    return tuple(replace(event, time=end) if event.time > end else event for event in events)


def _told(plan: EventPlan, trail: Trail) -> tuple[str, str, str]:
    """What to do about a run that ends early, and which end it was about to reach: contacts may fail during a fall."""
    if trail.goes_on or trail.end or not plan.ends:
        return trail.detail, "", ""
    last = trail.segments[-1]
    probe = plan.probe(last.mode, last.parameters)

    def roll(t: float, x: Vector, steps: int, length: float) -> Vector:
        return np.asarray(probe.roll(t, x, steps, length).states)

    return trail.detail, *plan.watch(probe).ahead(float(last.times[-1]), last.states[-1], roll)


@lru_cache(maxsize=32)
def described(system: System, modes: Modes) -> Mapping[str, Channel]:
    """Every channel of a run with all contacts closed: what it is."""
    about = {
        field.name: Channel(field.unit, field.latex, field.description, group.kind)
        for group in observables(system)
        for field in group.fields
    }
    for name in modes.controller.states if modes.controller else ():
        about[name] = Channel("", "", "state of the controller", "controller")
    declared = {**{c.name: c for c in system.contacts}, **{c.name: c for c in system.constraints}}
    for friction in frictions_of(system):
        unit = effort_unit(system.joint_with(friction.joint))
        told = f"friction {friction.name!r} on joint {friction.joint!r}"
        for name in effort_names(system, friction):
            about[name] = Channel(unit, "", f"effort of the {told}", "frictions")
        about[f"{friction.name}_sticks"] = Channel("1", "", f"whether the {told} holds it", "frictions")
    for name in dict.fromkeys(modes.contact_of[name] for name in modes.names if name not in modes.rubbing):
        if isinstance(declared[name], Coupling):
            about[f"{name}_gap"] = Channel("", "", f"position of coupling {name!r}", "gaps")
        pushing = f"normal force of contact {name!r}, positive where it pushes"
        about[f"{name}_normal_force"] = Channel("N", "", pushing, "normal_forces")
        about[f"{name}_closed"] = Channel("1", "", f"whether contact {name!r} is closed", "modes")
    return about


def _track(plan: EventPlan, segment: Segment) -> Track:
    """The samples of a segment, how to read them and how to make their motion again."""
    mode, parameters, modes = segment.mode, segment.parameters, plan.modes

    def again(t: float, x: Vector, steps: int, length: float) -> Vector:
        return plan.probe(mode, parameters).states(t, x, steps, length)

    def channels(times: Vector, states: Vector, rows: Vector | None = None) -> dict[str, Vector]:
        return _channels(modes, plan.probe(mode, parameters), times, states, rows)

    # What is read off numbers of one track, or asked of somebody in Python, is not read for several at once.
    traced = mode.compiled.traced
    alone = bool(modes.rubs or modes.roughs) or not (traced.controller is None or traced.controller_is_traced)
    # One model that serves every mode reads them all: its parameters tell what is closed.
    together = None if alone else Together(mode.kernels if mode.numbers else mode, channels)
    return Track(mode.compiled, *segment.samples, parameters, again, channels, together=together)


def _channels(modes: Modes, probe: Probe, times: Vector, states: Vector, parameters: Vector | None = None) -> dict[str, Vector]:
    """All channels of a mode at some states, with those of everything that may open and close."""
    mode, found = probe.mode, probe.channels(times, states, parameters)
    for entry in modes.switching:
        if not isinstance(entry, Rub):
            found[f"{entry.name}_closed"] = _closed(entry.name, probe, len(times), parameters)
    if mode.numbers and not modes.rubs:  # the model of all modes has gaps and normal forces among its channels
        return found
    seen = probe.look_at(times, states, parameters)
    for i, entry in enumerate(modes.switching):
        if not isinstance(entry, Rub):
            continue
        friction, sticks = entry.law.of, entry.name in mode.closed
        efforts = seen.reaction[:, i] if sticks else _effort(modes, i, probe, seen)
        found.update(zip(effort_names(modes.system, friction), efforts.T, strict=False))
        found[f"{friction.name}_sticks"] = np.full(len(times), float(sticks))
    for i, entry in enumerate(modes.switching):
        if i in modes.rubs:
            continue
        found[f"{entry.name}_gap"] = seen.gap[:, i]
        found[f"{entry.name}_normal_force"] = seen.normal_force[:, i]
    if modes.roughs:
        _gather(mode, probe, times, states, found)
    return found


def _closed(name: str, probe: Probe, count: int, parameters: Vector | None) -> Vector:
    """Whether a contact is closed, 1 or 0, at some samples; as their parameters tell where these differ in that."""
    if parameters is None or not probe.mode.numbers:
        return np.ones(count) if name in probe.mode.closed else np.zeros(count)
    held = probe.compiled.traced.free_parameters.index(held_name(name))
    return np.asarray(parameters[:, held] != OPEN, dtype=np.float64)


def _effort(modes: Modes, i: int, probe: Probe, seen: Seen) -> Vector:
    """Effort of the friction of a joint that slides, along its velocities, at some states."""
    entry, rates = modes.switching[i], seen.slip[:, i]
    assert isinstance(entry, Rub)
    known = dict(zip(probe.compiled.traced.free_parameters, probe.parameters.tolist(), strict=True))
    *told, guided = (known.get(name, 0.0) for name in slide_names(entry.name))
    towards = np.array(told)
    if not entry.turns_one_way and not guided:
        speed, sense = np.linalg.norm(rates, axis=1), np.where(rates @ towards < 0.0, -1.0, 1.0)
        towards = np.where((speed > REST)[:, None], (sense / np.maximum(speed, REST))[:, None] * rates, towards)
    viscous = float(evaluate(entry.law.of.viscous, modes.values))
    return np.asarray(-towards * seen.twisting[:, i, None] - viscous * rates)


def _gather(mode: Mode, probe: Probe, times: Vector, states: Vector, found: dict[str, Vector]) -> None:
    """Make the channels of contacts on terrain from those of their slots; several slots together push with their sum."""
    places = probe.places(times, states)
    for rough in mode.roughs:
        closed = [slot for slot in rough.slots if slot in mode.closed]
        name = rough.name
        if not closed:
            found[f"{name}_gap"] = gaps_of(rough, places[name])
            continue
        for channel in [f"{name}_force_{axis}" for axis in "xyz"] + [f"{name}_normal_force"]:
            found[channel] = np.sum([found[channel.replace(name, slot, 1)] for slot in closed], axis=0)
        if rough.contact.law.slips:
            for channel in (f"{name}_friction_power", f"{name}_slip_speed"):
                gathered = np.sum if channel.endswith("power") else np.max
                found[channel] = gathered([found[channel.replace(name, slot, 1)] for slot in closed], axis=0)
        for channel in [f"{name}_point_{axis}" for axis in "xyz"] + [f"{name}_gap", f"{name}_closed"]:
            found[channel] = found[channel.replace(name, closed[0], 1)]
        if rough.shape.parts > 1:  # that of the whole body, for the audit: another of its parts may have been overlooked
            found[f"{name}_gap"] = gaps_of(rough, places[name])
