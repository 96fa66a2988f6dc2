"""Motion with contacts that open and close by themselves, and the exact derivative of it.

The event-driven loop runs as in a simulation and records its segments. Their deviations follow from the variational
equations over the same steps; at each event the saltation matrix joins them.
"""

from collections.abc import Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from locomotor.analysis.cycles.flow import Passage
from locomotor.analysis.cycles.jumps import Blow, instant_slope, saltation, transfer
from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.sections import AtEvent, Crossing, Section
from locomotor.codegen import Manifold
from locomotor.errors import SectionError
from locomotor.model import Grip, Unilateral
from locomotor.simulation.event_driven import TIME_TOLERANCE, EventDriven, Segment
from locomotor.simulation.instants import switch_instants
from locomotor.simulation.modes import Mode, Modes
from locomotor.simulation.status import Event, Outcome

Array = NDArray[np.float64]

SAME = 1e-8
"""Largest difference between the velocities after an impact and those that its derivative is taken of, relatively."""
TOUCHING = 1e-7
"""Gap below which a contact may have taken part in an impact (m)."""
DIFFERENCE = 1e-6
AGAIN = 1e-9
"""An event sooner after the start is that of the section itself (s)."""


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
    stops = switch_instants(modes.system, modes.controller, start, end) if section is None else ()
    loop = EventDriven(modes, step, kernels.inputs, stops=stops)
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
            times, states = np.array(last.times[-1:]), last.states[-1][None]
            return Passage(last.mode, times, states, None, np.zeros(1, bool), trouble=trouble, events=events)
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
                jump, event_by = self._jump(chain, loop, p, first=k == 0 and len(segments[0].times) == 1)
                before, after = self._rate(segments[k], p), self._rate(chain[-1], p, start=True)
                here = at_end and len(chain[-1].times) == 1 and isinstance(section, AtEvent)
                if here and isinstance(section, AtEvent) and section.kind == "lift-off":
                    # Just before the contact opens: the last change of the chain is left out.
                    before_it = chain[: _before_opening(chain, section) + 1]
                    identity = np.eye(len(jump[0]))
                    jump = self._jump(before_it, loop, p, first=False)[0] if len(before_it) > 1 else identity
                if here and event_by is not None:
                    slope = instant_slope(event_by, before) @ total
                total = saltation(jump, event_by, before, None if here else after) @ total
                if here:
                    break
            k += max(1, len(chain) - 1)
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

    def _jump(self, chain: list[Segment], loop: EventDriven, p: Array, *, first: bool) -> tuple[Array, Array | None]:
        """Derivative of all that happens at one instant, and of the event function that set it off."""
        t, old = chain[1].times[0], chain[0]
        total = np.eye(self.kernels.tangent_size(old.mode) + 1)
        struck: set[str] = set()
        for a, b in pairwise(chain):
            slopes, hit = self._change(a, b, t, loop, p)
            total = slopes @ total
            struck |= hit
        left = old.mode.closed - frozenset.intersection(*(segment.mode.closed for segment in chain))
        grips = {entry.name for entry in self.modes.switching if isinstance(entry.law, Grip)}
        if first or grips & (left | struck) or not left | struck:
            return total, None
        return total, self._trigger(old, t, struck or left, "gap" if struck else "normal_force", p)

    def _change(self, a: Segment, b: Segment, t: float, loop: EventDriven, p: Array) -> tuple[Array, set[str]]:
        """Derivative of one change of mode or velocity, and the contacts that collided in it."""
        times, before, wanted = np.array([t]), a.states[-1], b.states[0]
        after, slopes = transfer(self.kernels, a.mode, b.mode, None, times, before[None], p)
        if b.mode.closed <= a.mode.closed and _same(after[0], wanted):
            return slopes[0], set()
        blow, struck = self._blow(a, b, t, loop)
        after, slopes = transfer(self.kernels, a.mode, b.mode, blow, times, before[None], p)
        if _same(after[0], wanted):
            return slopes[0], struck
        return self._by_differences(a.mode, b, t, before, struck, slopes[0]), struck

    def _blow(self, a: Segment, b: Segment, t: float, loop: EventDriven) -> tuple[Blow, set[str]]:
        """Contacts that take part in an impact with their restitution, and those of them that collided."""
        first, then = loop.probe(a.mode).look(t, a.states[-1]), loop.probe(b.mode).look(t, b.states[0])
        pairs = dict.fromkeys(sorted(self.modes.held), (0.0, 0.0))
        struck: set[str] = set()
        for i, entry in enumerate(self.modes.switching):
            law = entry.law
            if entry.name in b.mode.closed:
                pairs[entry.name] = (0.0, 0.0)
                if entry.name not in a.mode.closed:
                    struck.add(entry.name)
            elif isinstance(law, Unilateral) and abs(first.gap[i]) < TOUCHING and first.gap_rate[i] < 0.0 <= then.gap_rate[i]:
                pairs[entry.name] = (float(law.restitution), float(law.tangential))
                struck.add(entry.name)
        return Blow(tuple(pairs), tuple(pairs.values())), struck

    def _trigger(self, old: Segment, t: float, names: Set[str], kind: str, p: Array) -> Array:
        """Derivative of the event function that vanished: the gap that closed, or the force that did."""
        seen = self.kernels.look(old.mode, np.array([t]), old.states[-1][None], p)
        places = [i for i, entry in enumerate(self.modes.switching) if entry.name in names]
        i = min(places, key=lambda i: abs(float(seen[kind][0, i])))
        return seen[f"{kind}_by"][0, i]

    def _by_differences(
        self, old: Mode, new: Segment, t: float, state: Array, struck: set[str], like: Array
    ) -> Array:
        """Derivative of an impact by central differences of the impact itself, for rules without derivatives here."""
        manifold, target = (Manifold(mode.compiled.traced.blocks) for mode in (old, new.mode))
        closing = [i for i, entry in enumerate(self.modes.switching) if entry.name in struck]

        def after(delta: Array, later: float) -> Array:
            loop = EventDriven(self.modes, self.step, self.kernels.inputs)
            moved = manifold.retract(state[None], delta[None])[0]
            found, result = loop.impact(old, t + later, moved, closing)
            if found is not new.mode:
                raise SectionError("an impact on the way changes its kind with the slightest deviation; take another section")
            return result

        n = self.kernels.tangent_size(old)
        result = like.copy()
        rows = np.arange(self.kernels.coordinate_size(new.mode), target.tangent_size)
        places = rows + target.size - target.tangent_size
        for j in range(n + 1):
            delta = DIFFERENCE * np.eye(n + 1)[j]
            change = after(delta[:n], float(delta[n])) - after(-delta[:n], -float(delta[n]))
            result[rows, j] = change[places] / (2.0 * DIFFERENCE)
        return result


def _before_opening(chain: list[Segment], section: AtEvent) -> int:
    """Which segment of a chain is the last with the contact of a lift-off still closed."""
    for k in range(len(chain) - 2, -1, -1):
        opened = chain[k].mode.closed - chain[k + 1].mode.closed
        if (section.contact in opened) if section.contact else opened:
            return k
    return 0


def _same(found: Array, wanted: Array) -> bool:
    return bool(np.abs(found - wanted).max(initial=0.0) <= SAME * (1.0 + np.abs(wanted).max(initial=0.0)))


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
        begin = self.loop.segments[0].times[0] + AGAIN  # the event that the start lies on is no passage
        wanted = [e for e in new if e.kind == section.kind and section.contact in ("", e.contact)]
        times = {e.time for e in wanted if e.time > begin}
        self.count += len(times)
        if self.count < self.passages:
            return False
        last = self.loop.segments[-1]
        if section.kind == "lift-off":
            chain = [s for s in self.loop.segments if s.times[-1] == last.times[0]]
            last = chain[_before_opening(chain, section)]
        self.reached, self.place = True, (last.mode, last.times[-1], last.states[-1])
        return True

    def _crossed(self, section: Crossing) -> bool:
        segments = self.loop.segments
        i, first = self.seen
        while i < len(segments):
            segment = segments[i]
            if first + 1 < len(segment.times):
                k = self._first_crossing(section, segment, first, at_start=segment.times[first] == segments[0].times[0])
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
