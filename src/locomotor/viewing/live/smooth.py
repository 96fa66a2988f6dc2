"""A motion whose contacts stay as they are, with pushes and with somebody who rides: pieces end to end, to be recorded."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import System
from locomotor.simulation import Course, Outcome, Piece, Status, Track, Watch, cut, described
from locomotor.typing import Vector
from locomotor.viewing.live.held import SAME, Held
from locomotor.viewing.live.push import Push, event_of, struck
from locomotor.viewing.live.rider import Rider

SAMPLES = 1000
"""Samples of a motion that nobody rides."""
LONGEST = 200_000
"""Steps of a motion at most: the step grows with the duration past that."""
PERIOD = 0.02
"""Seconds between two looks of a rider."""
TOGETHER = 50
"""Looks after which it is seen whether the ride is over."""
STOPPED = "a wheel lies flat, or simulate must go on from here with other independent velocities"
METHOD = {"stepper": "rk4", "order": 4}
OUTCOMES = (Outcome.COMPLETED, Outcome.SINGULAR, Outcome.NOT_FINITE)


@dataclass(frozen=True, eq=False)
class Look:
    """What a rider did at one instant: the inputs from there on, and the state at the end of the look."""

    begin: float
    end: float
    state: Vector
    inputs: Vector
    after: Vector
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class SmoothMotion:
    """One motion from a state on."""

    system: System
    held: Held
    step: float
    duration: float
    pushes: Sequence[Push] = ()
    rider: Rider | None = None
    looks: tuple[Look, ...] = ()
    """Those of a ride that began in the same way."""
    method: Mapping[str, Any] = field(default_factory=lambda: METHOD)
    """What is told of how steps are made."""
    why: Callable[[int], str] = lambda monitor: STOPPED
    """Words for a monitor that has ended the motion."""

    @property
    def dt(self) -> float:
        """Length of a step."""
        return max(self.step, self.duration / LONGEST)

    @property
    def kept(self) -> list[Push]:
        """The pushes inside the motion."""
        return [push for push in self.pushes if 0.0 <= push.time < self.duration]

    def course(self, x: Vector) -> tuple[Course, tuple[Look, ...]]:
        """The motion from a state, and what the rider did."""
        compiled, p = self.held.compiled, self.held.parameters
        ends = self.system.ends
        watch = Watch(ends, compiled.watch(ends), self.held.inputs, p, self.held.law) if ends else None
        if watch is not None:
            watch.check_start(self.system.name, 0.0, x)
        kept = self.kept
        begin = self.duration if self.rider is None else self.rider.begin
        tracks: list[Track] = []
        looks: list[Look] = []
        now = 0.0
        for push, end in zip([None, *kept], [*(push.time for push in kept), self.duration], strict=True):
            if push is not None:
                x = struck(self.system, self.held, now, x, push)
            if end - now < SAME and end < self.duration:
                continue
            piece = self._piece(now, x, end, begin, watch, looks)
            tracks.append(Track(compiled, piece.times, piece.states, p, self.held.states, self.held.channels, piece.path))
            now, x = end, piece.end_state
            if piece.outcome is not Outcome.COMPLETED or piece.end:
                break
        status = Status(piece.outcome, piece.end_time)
        if piece.outcome is not Outcome.COMPLETED and not piece.end:
            status = Status(
                piece.outcome, piece.end_time, self.why(piece.monitor), *(self._about_to(watch, piece) if watch else ("", ""))
            )
        settings = {**self.method, "step": self.dt, "target": compiled.called_roller.target}
        return (
            Course(
                tracks=tracks,
                about=described(compiled.traced),
                status=status,
                end=piece.end,
                ends=ends,
                step=self.dt,
                settings=settings,
                events=[event_of(push) for push in kept if push.time <= piece.end_time],
            ),
            tuple(looks),
        )

    def _about_to(self, watch: Watch, piece: Piece) -> tuple[str, str]:
        """The end that a motion was about to reach, and how near it was; no step may be left from its last state."""
        for t, x in zip(piece.times[:-4:-1], piece.states[:-4:-1], strict=True):
            found = watch.ahead(float(t), x, self.held.states)
            if found[0]:
                return found
        return "", ""

    def _piece(self, now: float, x: Vector, end: float, begin: float, watch: Watch | None, looks: list[Look]) -> Piece:
        """The motion between two pushes: by itself until somebody takes hold of it."""
        free = min(max(begin, now), end)
        parts = []
        if free - now > SAME:
            parts.append(self._freely(now, x, free))
            x = parts[-1].end_state
        if end - free > SAME and (not parts or parts[-1].outcome is Outcome.COMPLETED):
            parts.append(self._ridden(free if parts else now, x, end, watch, looks))
        last = parts[-1]
        piece = Piece(
            self.held.compiled,
            np.concatenate([parts[0].times, *(part.times[1:] for part in parts[1:])]),
            np.concatenate([parts[0].states, *(part.states[1:] for part in parts[1:])]),
            last.outcome,
            last.end_time,
            last.end_state,
            last.monitor,
            0.0,
        )
        return piece if watch is None else cut(piece, watch, self.dt, self.held.states)

    def _freely(self, begin: float, x: Vector, end: float) -> Piece:
        total = int(np.clip(np.ceil(self.duration / self.dt), 1, LONGEST))
        every = max(1, total // SAMPLES)
        steps = every * max(1, round(total * (end - begin) / self.duration / every))
        dt = (end - begin) / steps
        result = self.held.roll(begin, x, steps, dt, save_every=every)
        done = int(result.completed)
        kept, final = done // every + 1, begin + done * dt
        times = begin + dt * every * np.arange(kept, dtype=np.float64)
        outcome = OUTCOMES[int(result.status)]
        monitor = int(result.monitor)
        return Piece(self.held.compiled, times, np.asarray(result.states)[:kept], outcome, final, result.final, monitor, 0.0)

    def _ridden(self, now: float, x: Vector, end: float, watch: Watch | None, looks: list[Look]) -> Piece:
        """Look by look; those of a ride that was the same so far are taken from it."""
        assert self.rider is not None
        first = len(looks)
        known = {round(look.begin, 9): look for look in self.looks}
        while end - now > SAME:
            look = known.get(round(now, 9))
            upto = self._next_look(now, end)
            if look is None or abs(look.end - upto) > SAME:
                known = {}
                look = self._look(now, upto, x)
            looks.append(look)
            now, x = look.end, look.after
            if look.outcome is not Outcome.COMPLETED:
                break
            if watch is not None and (len(looks) - first) % TOGETHER == 0:
                several = looks[-TOGETHER:]
                if watch.first(np.array([k.end for k in several]), np.stack([k.after for k in several])) is not None:
                    break
        self.held.hold(np.array([look.begin for look in looks]), np.stack([look.inputs for look in looks]))
        own = looks[first:]
        times = np.array([own[0].begin, *(look.end for look in own)])
        states = np.stack([own[0].state, *(look.after for look in own)])
        return Piece(self.held.compiled, times, states, own[-1].outcome, now, x, -1, 0.0)

    def _next_look(self, now: float, end: float) -> float:
        assert self.rider is not None
        ride = self.rider.ride
        place = math.floor((now - ride.begin) / PERIOD + 1e-6) + 1
        changes = [command.time for command in ride.commands if now + SAME < command.time]
        upto = min([ride.begin + place * PERIOD, end, *changes[:1]])
        return end if end - upto < SAME else upto

    def _look(self, now: float, upto: float, x: Vector) -> Look:
        assert self.rider is not None
        u = self.rider.inputs(now, x, self.held.parameters)
        steps = max(1, round((upto - now) / self.dt))
        result = self.held.roll(now, x, steps, (upto - now) / steps, inputs=u, save_every=steps)
        end = upto if int(result.completed) == steps else now + int(result.completed) * (upto - now) / steps
        return Look(now, end, x, u, np.array(result.final), OUTCOMES[int(result.status)])
