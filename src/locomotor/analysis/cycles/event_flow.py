"""Motion with contacts that open and close by themselves, and the exact derivative of it.

The event-driven loop runs as in a simulation and records its segments. Their deviations follow from the variational
equations over the same steps; at each event the saltation matrix joins them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from locomotor.analysis.cycles.flow import Passage
from locomotor.analysis.cycles.jumps import Blow, instant_slope, saltation, transfer
from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.sections import AtEvent, Crossing, Section
from locomotor.model import Grip, Unilateral
from locomotor.simulation.event_driven import TIME_TOLERANCE, EventDriven, Segment
from locomotor.simulation.modes import Mode, Modes
from locomotor.simulation.status import Event, Outcome

Array = NDArray[np.float64]

SAME = 1e-7
"""Largest difference between the velocities after an impact and those that its derivative is taken of, relatively."""
DIFFERENCE = 1e-6


def drive(
    kernels: Kernels,
    step: float,
    mode: Mode,
    start: float,
    end: float,
    state: Array,
    parameters: Array,
    section: Section | None = None,
    passages: int = 1,
) -> tuple[EventDriven, "_Watch", Outcome]:
    """Run the event-driven loop to a passage of the section, or to `end` and whatever is scheduled then."""
    modes = kernels.modes
    modes.given.update(zip(modes.free, parameters.tolist(), strict=True))
    loop = EventDriven(modes, step, kernels.inputs)
    watch = _Watch(kernels, loop, section, passages, parameters)
    outcome = loop.run(mode, state, start, end, watch)
    if outcome is Outcome.COMPLETED and section is None:
        last = loop.segments[-1]
        grips = [c for c in modes.switching if isinstance(c.law, Grip)]
        if any(loop.gripping(c, end + 10 * TIME_TOLERANCE) != (c.name in last.mode.closed) for c in grips):
            loop.handle(last.mode, last.times[-1], last.states[-1])
    return loop, watch, outcome


@dataclass(eq=False)
class EventFlow:
    """Event-driven motion of one instance at a time."""

    kernels: Kernels
    step: float

    @property
    def modes(self) -> Modes:
        """Modes of the system."""
        return self.kernels.modes

    def go(
        self,
        mode: Mode,
        start: float,
        end: float,
        state: Array,
        parameters: Array,
        section: Section | None = None,
        passages: int = 1,
        *,
        tangent: bool = True,
    ) -> Passage:
        """From `start` to the given passage of the section, or to `end` where there is none."""
        loop, watch, outcome = drive(self.kernels, self.step, mode, start, end, state, parameters, section, passages)
        last = loop.segments[-1]
        events = tuple(event.name for event in loop.events)
        reached = outcome is Outcome.COMPLETED and (section is None or watch.reached)
        if not reached:
            trouble = _trouble(outcome, section, last, loop.events)
            return Passage(
                last.mode, np.array(last.times[-1:]), last.states[-1][None], None, np.zeros(1, bool), trouble=trouble, events=events
            )
        place = watch.place if section is not None else (last.mode, last.times[-1], last.states[-1])
        tangents = slope = None
        if tangent:
            matrix, slope = self._deviations(loop, parameters, section)
            tangents = matrix[None]
        return Passage(
            place[0], np.array([place[1]]), place[2][None], tangents, np.ones(1, bool),
            None if slope is None else slope[None], events=events,
        )  # fmt: skip

    # -- deviations -----------------------------------------------------------------------------------

    def _deviations(self, loop: EventDriven, parameters: Array, section: Section | None) -> tuple[Array, Array | None]:
        """Matrix from the deviations at the start to those at the end, and the derivative of the end's time."""
        segments, p = loop.segments, parameters[None]
        total = np.eye(self.kernels.tangent_size(segments[0].mode))
        slope: Array | None = None
        k = 0
        while k < len(segments):
            total = self._along(segments[k], p) @ total
            chain = _chain(segments, k)
            at_end = k + len(chain) == len(segments)
            if len(chain) > 1:
                jump, event_by = self._jump(chain, loop.events, p, first=k == 0 and len(segments[0].times) == 1)
                before, after = self._rate(segments[k], p), self._rate(chain[-1], p, start=True)
                here = at_end and len(chain[-1].times) == 1 and isinstance(section, AtEvent)
                if here and isinstance(section, AtEvent) and section.kind == "lift-off":
                    jump = np.eye(len(jump[0]))
                if here and event_by is not None:
                    slope = instant_slope(event_by, before) @ total
                total = saltation(jump, event_by, before, None if here else after) @ total
            k += max(1, len(chain) - 1)
            if at_end and len(chain) == 1:
                break
        if isinstance(section, Crossing):
            last = segments[-1]
            times, states = np.array(last.times[-1:]), last.states[-1][None]
            event_by = self.kernels.cross(last.mode, section.expression, times, states, p)["crossing_by"][0, 0]
            rate = self._rate(last, p)
            slope = instant_slope(event_by, rate) @ total
            total = total + np.outer(rate, slope)
        return total, slope

    def _rate(self, segment: Segment, p: Array, *, start: bool = False) -> Array:
        i = 0 if start else -1
        times, states = np.array([segment.times[i]]), segment.states[i][None]
        return self.kernels.read(segment.mode, times, states, p)["rate"][0]

    def _along(self, segment: Segment, p: Array) -> Array:
        """Deviations over the steps of a segment."""
        lengths = np.diff(np.array(segment.times))
        total = np.eye(self.kernels.tangent_size(segment.mode))
        k = 0
        while k < len(lengths):
            same = k + int(np.argmin(np.append(np.abs(lengths[k:] - lengths[k]) < 1e-9 * self.step, False)))
            h = float(segment.times[same] - segment.times[k]) / (same - k)
            if h > 0.0:
                start, state = float(segment.times[k]), segment.states[k][None]
                moved = self.kernels.integrate(segment.mode, start, state, p, same - k, h, True)[1]
                assert moved is not None
                total = moved[0] @ total
            k = same
        return total

    # -- jumps ----------------------------------------------------------------------------------------

    def _jump(
        self, chain: list[Segment], events: list[Event], p: Array, *, first: bool
    ) -> tuple[Array, Array | None]:
        """Derivative of all that happens at one instant, and of the event function that set it off."""
        t, old = chain[1].times[0], chain[0]
        here = [event for event in events if event.time == t]
        releases = sum(event.kind == "release" for event in here)
        struck = any(event.kind in ("impact", "rest", "grip") for event in here)
        total = np.eye(self.kernels.tangent_size(old.mode) + 1)
        for i, (a, b) in enumerate(zip(chain[:-1], chain[1:], strict=True)):
            blow = self._blow(b.mode, here) if struck and i == releases else None
            total = self._step(a, b, blow, t, p, here) @ total
        if first or any(event.kind in ("grip", "release") for event in here):
            return total, None
        return total, self._trigger(old, t, here, p)

    def _step(self, a: Segment, b: Segment, blow: Blow | None, t: float, p: Array, here: list[Event]) -> Array:
        """Derivative of one change of mode; by differences where the rule of the impact has no derivative here."""
        before, wanted = a.states[-1], b.states[0]
        after, slopes = transfer(self.kernels, a.mode, b.mode, blow, np.array([t]), before[None], p)
        if np.abs(after[0] - wanted).max(initial=0.0) <= SAME * (1.0 + np.abs(wanted).max(initial=0.0)):
            return slopes[0]
        return _by_differences(self, a.mode, b, t, before, here, slopes[0])

    def _blow(self, new: Mode, here: list[Event]) -> Blow:
        """Contacts that took part in the impact of an instant, with their restitution."""
        hit = {event.contact: event for event in here if event.kind in ("impact", "rest", "grip")}
        names, pairs = [], []
        for name in sorted(self.modes.held):
            names.append(name)
            pairs.append((0.0, 0.0))
        for contact in self.modes.switching:
            event = hit.get(contact.name)
            bounced = event is not None and event.kind == "impact" and contact.name not in new.closed
            if bounced and isinstance(contact.law, Unilateral) and event is not None and event.impulse[0] != 0.0:
                names.append(contact.name)
                pairs.append((float(contact.law.restitution), float(contact.law.tangential)))
            elif contact.name in new.closed:
                names.append(contact.name)
                pairs.append((0.0, 0.0))
        return Blow(tuple(names), tuple(pairs))

    def _trigger(self, old: Segment, t: float, here: list[Event], p: Array) -> Array:
        """Derivative of the event function that vanished: the gap that closed, or the force that did."""
        seen = self.kernels.look(old.mode, np.array([t]), old.states[-1][None], p)
        closing = [i for i, c in enumerate(self.modes.switching) if any(
            e.contact == c.name and e.kind in ("impact", "rest") and c.name not in old.mode.closed for e in here
        )]  # fmt: skip
        if closing:
            i = min(closing, key=lambda i: abs(float(seen["gap"][0, i])))
            return seen["gap_by"][0, i]
        leaving = [i for i, c in enumerate(self.modes.switching) if any(e.contact == c.name for e in here)]
        i = min(leaving, key=lambda i: abs(float(seen["normal_force"][0, i])))
        return seen["normal_force_by"][0, i]


def _chain(segments: list[Segment], k: int) -> list[Segment]:
    """Segment k and those that follow it at the instant where it ends, the last of which goes on."""
    found = [segments[k]]
    for following in segments[k + 1 :]:
        if following.times[0] != found[0].times[-1]:
            break
        found.append(following)
        if len(following.times) > 1:
            break
    return found


def _by_differences(
    flow: EventFlow, old: Mode, new: Segment, t: float, state: Array, here: list[Event], like: Array
) -> Array:
    """The same by central differences of the jump itself, for rules of impact without derivatives here."""
    manifold = old.compiled.roller.manifold
    loop = EventDriven(flow.modes, flow.step, flow.kernels.inputs)
    closing = [i for i, c in enumerate(flow.modes.switching) if any(
        e.contact == c.name and e.kind in ("impact", "rest", "grip") and c.name not in old.closed for e in here
    )]  # fmt: skip

    def jump(delta: Array, later: float) -> Array:
        moved = manifold.retract(state[None], delta[None])[0]
        loop.segments, loop.events = [Segment(old)], []
        return loop.impact(old, t + later, moved, closing)[1]

    n = flow.kernels.tangent_size(old)
    result = like.copy()
    target = new.mode.compiled.roller.manifold
    for j in range(n + 1):
        delta = DIFFERENCE * np.eye(n + 1)[j]
        ahead, back = jump(delta[:n], delta[n]), jump(-delta[:n], -delta[n])
        if ahead.shape != back.shape or ahead.shape != new.states[0].shape:
            raise ArithmeticError("the impact changes its kind with the slightest deviation")
        rows = np.arange(flow.kernels.coordinate_size(new.mode), target.tangent_size)
        offset = target.size - target.tangent_size
        result[rows, j] = (ahead - back)[rows + offset] / (2 * DIFFERENCE)
    return result


@dataclass(eq=False)
class _Watch:
    """Tells the loop when a section has been passed often enough, and keeps the place."""

    kernels: Kernels
    loop: EventDriven
    section: Section | None
    passages: int
    parameters: Array
    reached: bool = False
    count: int = 0
    seen_events: int = 0
    seen: tuple[int, int] = (0, 0)
    place: Any = None

    def __call__(self) -> bool:
        if isinstance(self.section, AtEvent):
            return self._at_event(self.section)
        return self._crossed(self.section) if isinstance(self.section, Crossing) else False

    def _at_event(self, section: AtEvent) -> bool:
        new = self.loop.events[self.seen_events :]
        self.seen_events = len(self.loop.events)
        times = {e.time for e in new if e.kind == section.kind and section.contact in ("", e.contact)}
        self.count += len(times)
        if self.count < self.passages:
            return False
        last = self.loop.segments[-1]
        if section.kind == "lift-off":
            chain = [s for s in self.loop.segments if s.times[-1] == last.times[0]]
            last = chain[0]
        self.reached, self.place = True, (last.mode, last.times[-1], last.states[-1])
        return True

    def _crossed(self, section: Crossing) -> bool:
        segments = self.loop.segments
        i, first = self.seen
        while i < len(segments):
            segment = segments[i]
            if first + 1 < len(segment.times):
                k = self._first_crossing(section, segment, first, at_start=i == 0 and first == 0)
                if k is not None:
                    self.count += 1
                    if self.count >= self.passages:
                        self._stop_at(section, i, k)
                        return True
                    self.seen = (i, k + 1)
                    return self._crossed(section)
            if i + 1 < len(segments):
                i, first = i + 1, 0
            else:
                self.seen = (i, len(segment.times) - 1)
                return False
        return False

    def _values(self, section: Crossing, mode: Mode, times: Any, states: Any) -> Array:
        found = self.kernels.cross(mode, section.expression, np.asarray(times), np.asarray(states), self.parameters)
        return section.direction * found["crossing"][:, 0]

    def _first_crossing(self, section: Crossing, segment: Segment, first: int, *, at_start: bool) -> int | None:
        """Sample before the first change from negative to positive at or after a sample."""
        values = self._values(section, segment.mode, segment.times[first:], segment.states[first:])
        if at_start and abs(values[0]) < 1e-9 * (1.0 + np.abs(values).max()):
            values[0] = 0.0  # the start lies on the section: that is no passage
        found = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
        return first + int(found[0]) if len(found) else None

    def _stop_at(self, section: Crossing, i: int, k: int) -> None:
        """Cut everything recorded after the crossing in segment i after sample k, and put the crossing itself there."""
        segment = self.loop.segments[i]
        t, x, h = segment.times[k], segment.states[k], segment.times[k + 1] - segment.times[k]

        def after(length: float) -> Array:
            return x if length == 0.0 else np.asarray(self.loop.advance(segment.mode, t, x, length))

        length = float(brentq(lambda s: self._values(section, segment.mode, [t + s], [after(s)])[0], 0.0, h, xtol=1e-14))
        del self.loop.segments[i + 1 :]
        del segment.times[k + 1 :], segment.states[k + 1 :]
        segment.times.append(t + length)
        segment.states.append(after(length))
        self.loop.events[:] = [event for event in self.loop.events if event.time <= t]
        self.reached, self.place = True, (segment.mode, t + length, segment.states[-1])


def _trouble(outcome: Outcome, section: Section | None, last: Segment, events: list[Event]) -> str:
    if outcome is not Outcome.COMPLETED:
        return f"{outcome.value} at t = {last.times[-1]:.6g} s"
    names = sorted({event.name for event in events})
    told = ", ".join(names[:6]) if names else "no event"
    return f"the section '{section}' was not reached by t = {last.times[-1]:.6g} s ({told} on the way)"
