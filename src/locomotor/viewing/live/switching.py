"""A motion whose contacts open and close, with pushes and with somebody who presses keys: runs end to end, joined to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomotor.model import Quantity, System, as_quantity
from locomotor.simulation import Event, Events, Method, Plan, Run, Start, plan_run, rk4
from locomotor.simulation.events import (
    Change,
    EventPlan,
    Mode,
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
from locomotor.simulation.terrain import Footholds
from locomotor.typing import Values, Vector
from locomotor.viewing.live.commands import Ride
from locomotor.viewing.live.held import SAME
from locomotor.viewing.live.push import Push, event_of, point_jacobian

TURN = 2.0 * np.pi


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

    def run(self, start: Values) -> Run:
        """The motion from a start: a run between each change of the inputs or push and the next."""
        pushes = {push.time: push for push in self.pushes if 0.0 <= push.time < self.duration}
        changes = {command.time for command in self.ride.commands if command.time < self.duration} if self.ride else set()
        instants = sorted({0.0, *pushes, *changes})
        runs: list[Run] = []
        place: tuple[Mode, Vector, Footholds] | None = None
        for begin, end in zip(instants, [*instants[1:], self.duration], strict=True):
            plan = self._plan(begin, end, start)
            modes = modes_of(self.system, plan.controller, plan.method.target, None, False)
            events = event_plan(plan, modes, described(self.system, modes))
            if place is None:
                place = hybrid_start(modes, start, begin, self.closed)
                if plan.ends:
                    events.watch(events.probe_on(place[0], place[2])).check_start(self.system.name, begin, place[1])
            if runs or begin in pushes:
                place = self._going_on(events, *place, begin, pushes.get(begin))
            if end - begin < SAME:
                continue
            trail = run_with_events(events, *place)
            runs.append(record_events(self.system, events, trail, rk4(self.step)))
            place = trail.now.mode, np.array(trail.now.state), trail.now.holds
            if not runs[-1].status.completed:
                break
        return joined(runs, [event_of(push) for push in pushes.values() if push.time <= runs[-1].status.time])

    def _plan(self, begin: float, end: float, start: Values) -> Plan:
        method = Method(rk4(self.step))
        inputs = {**self.inputs, **self._keys(begin)}
        return plan_run(
            self.system, max(end - begin, SAME), Start(dict(start), self.closed, True, begin), method, inputs, self.controller,
            None, None, None, None, "declared",
        )  # fmt: skip

    def _keys(self, time: float) -> dict[str, Quantity]:
        """Inputs that keys hold at an instant, with what they have without."""
        found: dict[str, Quantity] = {}
        for handle in self.ride.riding.held if self.ride else ():
            value = self.ride.value(handle.name, time) if self.ride else 0.0
            for name, size in handle.inputs(value).items():
                found[name] = size + found.get(name, as_quantity(self.inputs.get(name, 0.0)))
        return found

    def _going_on(
        self, plan: EventPlan, mode: Mode, x: Vector, holds: Footholds, time: float, push: Push | None
    ) -> tuple[Mode, Vector, Footholds]:
        """Mode and state from an instant on, after a push if there is one: closed contacts push against it, or open."""
        now = first_moment(plan, mode, time, x, holds)
        whole = now.whole(plan)
        v, closed = whole.v, mode.closed
        if push is not None:
            rows = rows_at(plan.modes, whole.q, holds.footings, time)
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
