"""Driving the event-driven loop from one passage of a section to the next."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.sections import AtEvent, Crossing, Section
from locomotor.simulation import Outcome
from locomotor.simulation.events import TIME_TOLERANCE, EventDriven, Mode, Segment
from locomotor.simulation.inputs import switch_instants
from locomotor.typing import Floats

AGAIN = 1e-9
"""An event sooner after the start is that of the section itself (s)."""


def drive(
    kernels: Kernels,
    step: float,
    mode: Mode,
    start: float,
    end: float,
    state: Floats,
    parameters: Floats,
    section: Section | None = None,
    passages: int = 1,
) -> tuple[EventDriven, "Watch", Outcome]:
    """Run the event-driven loop to a passage of the section, or to `end` and whatever is scheduled then."""
    modes = kernels.modes
    modes.given.update(zip(modes.free, parameters.tolist(), strict=True))
    stops = switch_instants(modes.system, modes.controller, start, end) if section is None else ()
    loop = EventDriven(modes, step, kernels.inputs, stops=stops)
    watch = Watch(kernels, loop, section, passages, parameters)
    outcome = loop.run(mode, state, start, end, watch)
    if outcome is Outcome.COMPLETED and section is None:
        last = loop.segments[-1]
        grips = [c for c in modes.switching if c.law.grips]
        if any(loop.gripping(c, end + 10 * TIME_TOLERANCE) != (c.name in last.mode.closed) for c in grips):
            loop.handle(last.mode, last.times[-1], last.states[-1])
    return loop, watch, outcome


def before_opening(chain: list[Segment], section: AtEvent) -> int:
    """Which segment of a chain is the last with the contact of a lift-off still closed."""
    for k in range(len(chain) - 2, -1, -1):
        opened = chain[k].mode.closed - chain[k + 1].mode.closed
        if (section.contact in opened) if section.contact else opened:
            return k
    return 0


@dataclass(eq=False)
class Watch:
    """Tells the loop when a section has been passed often enough, and keeps the place."""

    kernels: Kernels
    loop: EventDriven
    section: Section | None
    passages: int
    parameters: Floats
    reached: bool = False
    count: int = 0
    seen_events: int = 0
    seen: tuple[int, int] = (0, 0)
    place: Any = None

    def __call__(self) -> bool:
        """Whether the wanted passage has been reached by now."""
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
            last = chain[before_opening(chain, section)]
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

    def _values(self, section: Crossing, mode: Mode, times: Any, states: Any) -> Floats:
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

        def after(length: float) -> Floats:
            return x if length == 0.0 else np.asarray(self.loop.advance(segment.mode, t, x, length))

        length = float(brentq(lambda s: self._values(section, segment.mode, [t + s], [after(s)])[0], 0.0, h, xtol=1e-14))
        del self.loop.segments[i + 1 :]
        del segment.times[k + 1 :], segment.states[k + 1 :]
        segment.times.append(t + length)
        segment.states.append(after(length))
        self.loop.events[:] = [event for event in self.loop.events if event.time <= t]
        self.reached, self.place = True, (segment.mode, t + length, segment.states[-1])
