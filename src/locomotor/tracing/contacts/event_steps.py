"""Event-driven steps with a bounded number of events, as one straight-line function.

A step of Runge-Kutta 4 is tried in the present mode. Whichever contact closes, opens, grips or lets go first during it
is found on Hermite's cubic through both ends, whose error is of the order of the step's own; there velocities and mode
change as in event-driven simulation, and the rest of the step is made in the new mode. What happens after the last event that
a step may hold happens at the beginning of the next one. The mode is part of the state: a number for each contact that may
open, 1 where it is closed.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property, partial
from typing import Any

import casadi
import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError, ModelError
from locomotor.lie import ops, step_rk4
from locomotor.mechanics import gap_correction
from locomotor.mechanics.impacts import holding_impulses
from locomotor.model import ContactLaw, Motion, System, evaluate, frictions_of
from locomotor.tracing.contacts.mode_impact import ModeImpact
from locomotor.tracing.contacts.mode_motion import ModeMotion
from locomotor.tracing.contacts.moves import coordinate_rates, interpolate, retract
from locomotor.tracing.contacts.switching import FlyingSystem, in_flight, step_map, switching_of
from locomotor.tracing.core import Traced
from locomotor.typing import Array

NEVER = 2.0
"""Fraction of the step at which an event happens that does not."""
SAME_INSTANT = 1e-9
"""Events nearer to each other than this share of the step happen together."""
PULL = 1e-10
"""A force pulls when it is negative by more than this share of all normal forces."""
ENTERS = 1e-2
"""A contact that opens enters the ground when its gap accelerates into it by more than this share of all that accelerates
it. Where a force becomes zero is known to the square of the step, and so is that acceleration, which is then zero or more."""
STILL = 1e-6
"""Acceleration (m/s²) of a gap that others hold."""
GOES_ON = 1e-6
"""Normal velocities are zero below this share of the speeds they are made of, also in single precision."""
HALVINGS, SECANTS = 10, 2
"""How an event is found on its cubic."""


MOST_REPEATS = 1000
"""Sweeps, rounds or events in a step: each is written out in the compiled step."""


@checks.doors
@dataclass(frozen=True)
class EventSettings:
    """How much may happen in a step."""

    events: int = 1
    """Instants at which something happens; each makes the step longer by a half."""
    rounds: int = 3
    """Contacts that may let go in one impact."""
    shortest_bounce: float = 1.0
    """A contact that approaches with less than the speed gained in so many steps of free motion comes to rest."""

    def __post_init__(self) -> None:
        for name, least in (("events", 1), ("rounds", 0)):
            given = getattr(self, name)
            value = checks.whole(given, f"EventSettings: {name}", least=least, most=MOST_REPEATS, error=ModelError)
            object.__setattr__(self, name, value)
        bounce = checks.number(self.shortest_bounce, "EventSettings: shortest_bounce", least=0.0, error=ModelError)
        object.__setattr__(self, "shortest_bounce", bounce)


@dataclass(frozen=True, eq=False)
class _Moment:
    """Where a step has come to: instant, state in flight, mode (0 or 1 for each contact) and what is left of the step."""

    time: Any
    state: Array
    mode: list[Any]
    left: Any


@dataclass(frozen=True, eq=False)
class EventStepping:
    """Step maps of a system; `flight` is the system with everything open that may open."""

    system: System
    free: tuple[str, ...] = ()
    settings: EventSettings = field(default_factory=EventSettings)

    def __post_init__(self) -> None:
        _check_laws(self.system)

    @cached_property
    def flight(self) -> FlyingSystem:
        """The system without the contacts that open and close; the mode of all of them is part of the state."""
        return in_flight(self.system, self.free, tuple(entry.name for entry in switching_of(self.system)))

    @cached_property
    def step(self) -> Traced:
        """State after a step `h` from `time`: see `switching.step_map`."""
        flight = self.flight
        time, state, _, _ = flight.arguments
        h = casadi.SX.sym("step", 1)
        moment = _Moment(time, state[0 : state.shape[0] - len(flight.switching)], flight.mode, h)
        look = self._look(moment)
        margins: list[Any] = [1.0] * len(self.watched)
        for _ in range(self.settings.events):
            moment, look, found = self._to_event(moment, look)
            margins = [ops.fmin(a, b) for a, b in zip(margins, found, strict=True)]
        last = self._closed_gaps(_Moment(time + h, self._advance(moment, moment.left, look), moment.mode, 0.0))
        following = ops.concat(last, *(ops.vector(flag) for flag in moment.mode))
        about = "state after a step with a bounded number of events"
        return step_map(flight, h, following, ops.concat(flight.motion.watched_pivots, ops.vector(*margins)), about)

    @property
    def device_step(self) -> Traced:
        """The same as a device takes it best."""
        return self.step

    @cached_property
    def watched(self) -> tuple[str, ...]:
        """Reasons for which a step finds no mode, in words, one for each contact that pushes: the last monitors of `step`."""
        return tuple(
            f"{entry.name}: closed it would have to pull, open it would enter the ground; contacts that stick allow this, so "
            "give them friction (law=Unilateral(friction=...)) and use contacts='time-stepping', or a CompliantContact"
            for entry in self.flight.switching
            if entry.law.pushes
        )

    # -- smooth motion --------------------------------------------------------------------------------

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        return self.flight.values(self.flight.arguments[3])

    def _look(self, moment: _Moment) -> ModeMotion:
        closed = [ops.less(0.5, flag) for flag in moment.mode]
        inputs = self.flight.arguments[2]
        return ModeMotion(self.flight, moment.time, moment.state, closed, inputs, self._values)

    def _advance(self, moment: _Moment, length: Any, first: ModeMotion) -> Array:
        """State after a step of Runge-Kutta-Munthe-Kaas 4 in the mode of a moment, at which `first` is a look."""
        manifold = self.flight.moving_manifold

        def rate(since: Any, state: Array) -> Array:
            return self._look(_Moment(moment.time + since, state, moment.mode, 0.0)).rate

        return step_rk4(rate, first.rate, length, moment.state, partial(retract, manifold), manifold.pull_back)

    def _closed_gaps(self, moment: _Moment) -> Array:
        """State with the gaps of closed contacts at zero and their rows at rest: what drifts by the error of the step."""
        look, manifold = self._look(moment), self.flight.coordinate_manifold
        response, touching = look.response(look.closed), look.touching(look.closed)
        lifts = [-row.gap if k == 0 and row.law.pushes else 0.0 for row in look.rows for k in range(int(row.rows.shape[0]))]
        stopping = holding_impulses(response, -look.row_velocities(look.closed), touching, look.closed)
        closing = holding_impulses(response, ops.vector(*lifts), touching, look.closed)
        moved = look.motion.H_r @ (response.columns @ closing)
        if self.flight.reduction.holonomic:
            moved = moved + gap_correction(look.motion)
        nq = self.flight.nq
        delta = coordinate_rates(self.flight, look.motion.q, moved, self._values)
        q = retract(manifold, moment.state[0:nq], delta)
        return ops.concat(q, look.motion.v_r + response.columns @ stopping)

    # -- events ---------------------------------------------------------------------------------------

    def _to_event(self, moment: _Moment, start: ModeMotion) -> tuple[_Moment, ModeMotion, list[Any]]:
        """The moment after the first event of what is left of the step, its end where there is none, and a look at it.

        With them, for each contact that pushes, a number that is negative if it has opened and would enter the ground.
        """
        after = self._advance(moment, moment.left, start)
        end = self._look(_Moment(moment.time + moment.left, after, moment.mode, 0.0))
        fractions = self._fractions(moment, start, end)
        first: Any = NEVER
        for fraction in fractions:
            first = ops.fmin(first, fraction)
        happens = ops.less(first, 1.5)
        s = ops.fmin(first, 1.0)
        slopes = (moment.left * self._ambient(moment.state, start), moment.left * self._ambient(after, end))
        state = interpolate(self.flight.moving_manifold, (moment.state, after), slopes, s)
        there = _Moment(moment.time + s * moment.left, state, moment.mode, (1.0 - s) * moment.left)
        # Written so that the first one happens in single precision too, where SAME_INSTANT is lost.
        changes = [
            ops.if_else(happens, ops.if_else(ops.less(first + SAME_INSTANT, fraction), 0.0, 1.0), 0.0) for fraction in fractions
        ]
        gained = [ops.fmax(a - b, 0.0) for a, b in zip(start.gap_rates, end.gap_rates, strict=True)]
        changed, mode, struck, approaches = self._change(there, changes, gained)
        found = _Moment(there.time, ops.if_else(happens, changed, after), mode, there.left)
        look = self._look(found)
        margins: list[Any] = []
        for k, row in enumerate(look.rows):
            if row.law.grips:
                continue
            (acceleration, pushed), (rate, speeds) = look.gap_accelerations[k], look.gap_speeds[k]
            # What opens accelerates away; what strikes and stays open goes on no more as before, unless its condition lets it
            # pass: the foot of a walker that swings through the ground may brush it where the condition begins to hold.
            away = acceleration + ENTERS * pushed
            if row.law.adheres:
                # The others may still hold it where it is, all terms being round-off, and let go next.
                away = away + STILL
            stopped = rate - 0.5 * ops.fmin(approaches[k], 0.0) + GOES_ON * speeds
            opened = ops.logic_and(ops.less(0.5, moment.mode[k] - mode[k]), ops.less(0.0, row.condition))
            strikes = ops.logic_and(ops.less(0.5, changes[k] - moment.mode[k]), ops.less(mode[k], 0.5))
            passes = row.law.is_gated
            hit = 1.0 if passes else ops.if_else(strikes, stopped, 1.0)
            margin = ops.if_else(struck, hit, ops.if_else(opened, away, 1.0))
            margins.append(margin)
        return found, look, margins

    def _ambient(self, state: Array, look: ModeMotion) -> Array:
        return self.flight.moving_manifold.ambient_rate(state, look.rate)

    def _fractions(self, moment: _Moment, start: ModeMotion, end: ModeMotion) -> list[Any]:
        """For every contact the fraction of the step at which its mode changes, `NEVER` where it does not."""
        found: list[Any] = []
        all_forces = [ops.fabs(f) for f in (*start.normal_forces, *end.normal_forces)]
        weak = -PULL * sum(all_forces[1:], all_forces[0])
        for k, (entry, flag) in enumerate(zip(self.flight.switching, moment.mode, strict=True)):
            if entry.law.grips:
                found.append(self._grip_changes(entry.law, moment, flag, end.rows[k].condition))
                continue
            f0, f1 = start.holds[k], end.holds[k]
            lifts = ops.logic_and(ops.less(0.5, flag), ops.less(ops.fmin(f0, f1), weak))
            at_zero = ops.if_else(ops.less(weak, f0), ops.fmax(f0, 0.0) / ops.fmax(f0 - f1, 1e-30), 0.0)
            g0, g1 = start.rows[k].gap, end.rows[k].gap
            r0, r1 = moment.left * start.gap_rates[k], moment.left * end.gap_rates[k]
            strikes = ops.logic_and(ops.less(flag, 0.5), ops.less(g1, 0.0))
            strikes = ops.logic_and(strikes, ops.less(ops.fmin(r0, r1), 0.0))
            strikes = ops.logic_and(strikes, ops.less(0.0, end.rows[k].condition))
            if entry.law.is_gated:
                # One that is inside already when its condition begins to hold does not collide: it must come from above.
                strikes = ops.logic_and(strikes, ops.less(0.0, g0 - r0))
            lands = _first_zero(_cubic(ops.fmax(g0, 0.0), g1, r0, r1))
            found.append(ops.if_else(lifts, at_zero, ops.if_else(strikes, lands, NEVER)))
        return found

    def _grip_changes(self, law: ContactLaw, moment: _Moment, flag: Any, at_end: Any) -> Any:
        """When a grip is told otherwise."""
        told = ops.if_else(ops.less(0.0, at_end), 1.0, 0.0)
        sense = 2.0 * flag - 1.0
        fraction = _first_zero(lambda s: sense * evaluate(law.condition, {**self._values, "t": moment.time + s * moment.left}))
        return ops.if_else(ops.less(0.5, ops.fabs(told - flag)), fraction, NEVER)

    def _change(self, moment: _Moment, changes: list[Any], gained: list[Any]) -> tuple[Array, list[Any], Any, list[Any]]:
        """State and mode after the changes at a moment: openings, then the impact of whatever closes.

        And whether there is an impact, and the normal velocities before it.
        """
        look = self._look(moment)
        meant = [ops.fabs(flag - change) for flag, change in zip(moment.mode, changes, strict=True)]
        closing = [ops.if_else(ops.less(flag, 0.5), change, 0.0) for flag, change in zip(moment.mode, changes, strict=True)]
        collides: Any = 0.0
        for entry in closing:
            collides = ops.fmax(collides, entry)
        parts = [ops.less(0.5, flag) for flag in meant]
        yielding = [k for k, joint in enumerate(self.system.imposed) if isinstance(joint.drive, Motion) and joint.drive.yields]
        slow = [self.settings.shortest_bounce * speed for speed in gained]
        impact = ModeImpact(look, parts, closing, slow, yielding, self._values, self.settings.rounds)
        jump, closed = impact.outcome
        nq, n = self.flight.nq, len(self.flight.reduction.free)
        struck = ops.less(0.5, collides)
        v = look.motion.v_r + ops.if_else(struck, jump[0:n], np.zeros(n))
        mode = [ops.if_else(struck, stays, flag) for flag, stays in zip(meant, closed, strict=True)]
        return ops.concat(moment.state[0:nq], v), mode, struck, impact.approaches


# -- roots ----------------------------------------------------------------------------------------------------


def _cubic(y0: Any, y1: Any, d0: Any, d1: Any) -> Callable[[Any], Any]:
    """Hermite's cubic over [0, 1]."""
    a, b = 3.0 * (y1 - y0) - 2.0 * d0 - d1, d0 + d1 - 2.0 * (y1 - y0)
    return lambda s: y0 + s * (d0 + s * (a + s * b))


def _first_zero(function: Callable[[Any], Any]) -> Any:
    """Where a function that is positive at first, or zero, becomes negative, if it is negative at 1; 0 where it always is.

    The last step is Newton's: its derivative by whatever the function depends on is that of the zero itself,
    -(df/dp)/(df/ds), however the point before it was found.
    """
    low: Any = 0.0
    high: Any = 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        positive = ops.less(0.0, function(middle))
        low, high = ops.if_else(positive, middle, low), ops.if_else(positive, high, middle)
    f_low, f_high = ops.fmax(function(low), 0.0), ops.fmin(function(high), 0.0)
    for _ in range(SECANTS):
        s = low + (high - low) * (f_low / ops.fmax(f_low - f_high, 1e-30))
        value = function(s)
        positive = ops.less(0.0, value)
        low, high = ops.if_else(positive, s, low), ops.if_else(positive, high, s)
        f_low, f_high = ops.if_else(positive, value, f_low), ops.if_else(positive, f_high, value)
    s = low + (high - low) * (f_low / ops.fmax(f_low - f_high, 1e-30))
    value, slope = function(s), _slope(function, s)
    falls = ops.less(slope, -1e-30)
    refined = s - value / ops.if_else(falls, slope, -1.0)
    # With room for round-off where the secants have closed the bracket; beyond it a grazing slope threw the point away.
    inside = ops.logic_and(ops.less(low - 1e-6, refined), ops.less(refined, high + 1e-6))
    return ops.if_else(ops.logic_and(falls, inside), refined, s)


def _slope(function: Callable[[Any], Any], s: Any) -> Any:
    """Derivative of a function at s."""
    x = casadi.SX.sym("s")
    return casadi.substitute(casadi.jacobian(casadi.SX(function(x)), x), x, s)


def _check_laws(system: System) -> None:
    """Refuse what these steps cannot say, with what can."""
    switching = switching_of(system)
    for force in frictions_of(system):
        raise ContactLawError(
            f"{force.label} holds its joint at rest, which these steps cannot say; use contacts='time-stepping', or simulate"
        )
    if not switching:
        raise ContactLawError(f"{system.name}: no contact opens or closes; compile it without contacts='events'")
    for entry in switching:
        if entry.law.slips:
            raise ContactLawError(
                f"contact {entry.name!r} has a coefficient of friction, and sliding has no events here; use "
                "contacts='time-stepping'"
            )
