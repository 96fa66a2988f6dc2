"""Motion with contacts that open and close by themselves, and the exact derivative of it.

The event-driven loop runs as in a simulation and records its segments. Their deviations follow from the variational
equations over the same steps; at each event the saltation matrix joins them.
"""

from collections.abc import Set
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from locomotor.analysis.cycles.flow import Passage
from locomotor.analysis.cycles.jumps import Blow, instant_slope, saltation, transfer
from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.sections import AtEvent, Crossing, Section
from locomotor.analysis.cycles.watch import before_opening, drive
from locomotor.errors import SectionError
from locomotor.model import Grip, Unilateral
from locomotor.model.expression import Quantity, as_quantity
from locomotor.simulation.event_driven import EventDriven, Segment
from locomotor.simulation.modes import Mode, Modes
from locomotor.simulation.status import Event, Outcome

Array = NDArray[np.float64]

SAME = 1e-8
"""Largest difference between the velocities after an impact and those that its derivative is taken of, relatively."""
TOUCHING = 1e-7
"""Gap below which a contact may have taken part in an impact (m)."""
DIFFERENCE = 1e-6


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
                    before_it = chain[: before_opening(chain, section) + 1]
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
        pairs: dict[str, tuple[Quantity, Quantity]] = dict.fromkeys(sorted(self.modes.held), (0.0, 0.0))
        struck: set[str] = set()
        for i, entry in enumerate(self.modes.switching):
            law = entry.law
            if entry.name in b.mode.closed:
                pairs[entry.name] = (0.0, 0.0)
                if entry.name not in a.mode.closed:
                    struck.add(entry.name)
            elif entry.name in a.mode.closed:
                continue  # it is let go; that its gap closed a little before is round-off
            elif isinstance(law, Unilateral) and abs(first.gap[i]) < TOUCHING and first.gap_rate[i] < 0.0 <= then.gap_rate[i]:
                pairs[entry.name] = (as_quantity(law.restitution), as_quantity(law.tangential))
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
        manifold, target = (mode.compiled.traced.manifold for mode in (old, new.mode))
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


def _trouble(outcome: Outcome, section: Section | None, last: Segment, events: list[Event]) -> str:
    if outcome is not Outcome.COMPLETED:
        return f"{outcome.value} at t = {last.times[-1]:.6g} s"
    names = sorted({event.name for event in events})
    told = ", ".join(names[:6]) if names else "no event"
    return f"the section '{section}' was not reached by t = {last.times[-1]:.6g} s ({told} on the way)"
