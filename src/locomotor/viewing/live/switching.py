"""A motion whose contacts open and close, with pushes and with somebody who presses keys: runs end to end, joined to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import Expression, Quantity, System, as_quantity
from locomotor.simulation import Event, Events, Method, Plan, Run, Start, plan_run, rk4
from locomotor.simulation.events import (
    Change,
    EventPlan,
    Mode,
    Modes,
    collide,
    described,
    event_plan,
    first_moment,
    hybrid_start,
    modes_of,
    record_events,
    rows_at,
    run_with_events,
    switch,
)
from locomotor.simulation.records import Channel
from locomotor.simulation.terrain import Footholds
from locomotor.typing import Values, Vector
from locomotor.viewing.live.balance import Balancer
from locomotor.viewing.live.commands import Ride
from locomotor.viewing.live.held import SAME
from locomotor.viewing.live.push import Push, event_of, point_jacobian
from locomotor.viewing.live.rider import Rider

TURN = 2.0 * np.pi
LOOK = 0.04
"""Seconds between two looks of somebody who balances: each ends a stage, which takes its time."""

Place = tuple[Mode, Vector, Footholds]
"""Where a motion is: what is closed, the state, and what it stands on."""


@dataclass(frozen=True, eq=False)
class Stage:
    """The motion from one change of the inputs, or push, to the next, and where it is then."""

    begin: float
    end: float
    run: Run
    place: Place


@dataclass(frozen=True, eq=False)
class SwitchingMotion:
    """One motion of a system some of whose contacts open and close."""

    system: System
    step: float
    duration: float
    inputs: Mapping[str, Any]
    closed: tuple[str, ...] | None = None
    controller: Any = None
    pushes: Sequence[Push] = ()
    ride: Ride | None = None
    free: Modes | None = None
    """Modes of the same system whose parameters are free, so that nothing is compiled anew for other values of them."""
    balancer: Balancer | None = None
    """Who keeps the balance from the first command on: looks again and again, and holds the inputs in between."""
    known: tuple[Stage, ...] = ()
    """Those of a motion that began in the same way."""
    _riders: dict[Mode, Rider] = field(default_factory=dict, init=False, repr=False)
    _about: dict[Modes, Mapping[str, Channel]] = field(default_factory=dict, init=False, repr=False)

    def run(self, start: Values) -> tuple[Run, tuple[Stage, ...]]:
        """The motion from a start, and its stages: one between each change of the inputs or push and the next."""
        pushes = {push.time: push for push in self.pushes if 0.0 <= push.time < self.duration}
        instants = sorted({0.0, *pushes, *self._changes()})
        ends = [*instants[1:], self.duration]
        stages: list[Stage] = []
        known = {(round(stage.begin, 9), round(stage.end, 9)): stage for stage in self.known}
        place: Place | None = None
        for begin, end in zip(instants, ends, strict=True):
            stage = known.get((round(begin, 9), round(end, 9)))
            if stage is None:
                known = {}
                plan = self._plan(begin, end, start, place)
                modes = self._modes(plan.controller)
                events = event_plan(plan, modes, self._described(modes))
                if place is None:
                    place = hybrid_start(modes, start, begin, self.closed)
                    if plan.ends:
                        events.watch(events.probe_on(place[0], place[2])).check_start(self.system.name, begin, place[1])
                if stages or begin in pushes:
                    place = self._going_on(events, *place, begin, pushes.get(begin))
                if end - begin < SAME:
                    continue
                trail = run_with_events(events, *place)
                made = record_events(self.system, events, trail, rk4(self.step))
                stage = Stage(begin, end, made, (trail.now.mode, np.array(trail.now.state), trail.now.holds))
            stages.append(stage)
            place = stage.place
            if not stage.run.status.completed:
                break
        runs = [stage.run for stage in stages]
        whole = joined(runs, [event_of(push) for push in pushes.values() if push.time <= runs[-1].status.time])
        return whole, tuple(stages)

    def _changes(self) -> set[float]:
        """Instants at which commands, or a balance, change the inputs."""
        if self.ride is None:
            return set()
        looks = () if self.balancer is None else np.arange(self.ride.begin, self.duration, LOOK).tolist()
        return {time for time in (*looks, *(command.time for command in self.ride.commands)) if time < self.duration}

    def _plan(self, begin: float, end: float, start: Values, place: Place | None) -> Plan:
        method = Method(rk4(self.step))
        inputs = self._balanced(begin, start, place) if self._is_balanced(begin) else {**self.inputs, **self._keys(begin)}
        return plan_run(
            self.system, max(end - begin, SAME), Start(dict(start), self.closed, True, begin), method, inputs, self.controller,
            None, None, None, None, "declared",
        )  # fmt: skip

    def _is_balanced(self, time: float) -> bool:
        return self.balancer is not None and self.ride is not None and time >= self.ride.begin - SAME

    def _balanced(self, time: float, start: Values, place: Place | None) -> dict[str, float]:
        """All inputs as somebody holds them from an instant on who looks at what is there."""
        assert self.ride is not None
        modes = self._modes(None)
        mode, x, holds = hybrid_start(modes, start, time, self.closed) if place is None else place
        if mode not in self._riders:
            laws = {name: as_quantity(law) for name, law in self.inputs.items()}
            varying = {name: law for name, law in laws.items() if isinstance(law, Expression)}
            constant = {name: float(law) for name, law in laws.items() if not isinstance(law, Expression)}
            self._riders[mode] = Rider(self.system, mode.compiled, self.ride, constant, varying, self.balancer)
        touching = {modes.contact_of[name] for name in mode.closed} == set(modes.contact_of.values())
        found = self._riders[mode].inputs(time, x, modes.parameters_on(mode, holds), touching)
        return dict(zip(mode.compiled.input_names, found.tolist(), strict=True))

    def _described(self, modes: Modes) -> Mapping[str, Channel]:
        if modes not in self._about:
            self._about[modes] = described(self.system, modes)
        return self._about[modes]

    def _modes(self, controller: Any) -> Modes:
        if controller is None and self.free is not None:
            return self._with_values
        return modes_of(self.system, controller, "auto", None, False)

    @cached_property
    def _with_values(self) -> Modes:
        assert self.free is not None
        return self.free.with_values({name: self.system.parameters[name].value for name in self.free.free})

    def _keys(self, time: float) -> dict[str, Quantity]:
        """Inputs that keys hold at an instant, with what they have without."""
        found: dict[str, Quantity] = {}
        for handle in self.ride.riding.held if self.ride else ():
            value = self.ride.value(handle.name, time) if self.ride else 0.0
            for name, size in handle.inputs(value).items():
                found[name] = size + found.get(name, as_quantity(self.inputs.get(name, 0.0)))
        return found

    def _going_on(self, plan: EventPlan, mode: Mode, x: Vector, holds: Footholds, time: float, push: Push | None) -> Place:
        """Mode and state from an instant on, after a push if there is one: closed contacts push against it, or open."""
        now = first_moment(plan, mode, time, x, holds)
        whole = now.whole(plan)
        v, closed = whole.v, mode.closed
        if push is not None:
            rows = rows_at(plan.modes, whole.q, holds, time)
            J = point_jacobian(self.system, whole.q, push, self.system.parameters.values)
            after = collide(plan.modes, rows, v + np.linalg.solve(rows.mass, J.T @ np.array(push.impulse)), closed, ())
            v, closed = after.velocity, after.closed
        there = switch(plan, Change(now), closed, whole, v).now
        return there.mode, np.array(there.state), there.holds


def joined(runs: Sequence[Run], also: Sequence[Event] = ()) -> Run:
    """Runs of one system end to end as one, with some events more; angles go on turning from one to the next."""
    first, last = runs[0], runs[-1]
    if len(runs) == 1 and not also:
        return first
    channels = {name: [values] for name, values in first.channels.items()}
    for run in runs[1:]:
        for name, values in run.channels.items():
            shift = 0.0
            if run.about[name].group == "angles":
                shift = TURN * np.round((channels[name][-1][-1] - values[0]) / TURN)
            channels[name].append(values + shift)
    events = sorted([*also, *(event for run in runs for event in run.events)], key=lambda event: event.time)
    return replace(
        last,
        time=np.concatenate([run.time for run in runs]),
        channels={name: np.concatenate(parts) for name, parts in channels.items()},
        settings=dict(first.settings),
        events=Events(events),
        again=None,
    )
