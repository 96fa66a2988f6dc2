"""Motion with contacts that open and close by themselves, and the exact derivative of it.

The event-driven loop is driven as in a simulation (see `passages`), and each of its steps has a derivative: the deviations of
`advance` follow from the variational equations over the same steps, that of the instant which `locate` finds from its event
function, and what `handle` changes from the equations of the impact; the saltation matrix joins them.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import singledispatch
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from locomotor.analysis.cycles.flow import Passage
from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.passages import Route, changes_before, drive
from locomotor.analysis.cycles.saltation import Blow, instant_slope, jump_by_parameters, saltation, transfer
from locomotor.analysis.cycles.sections import Crossing, SectionKind
from locomotor.errors import SectionError
from locomotor.model.expressions import Quantity
from locomotor.simulation import Outcome
from locomotor.simulation.events import Change, EventPlan, Mode, Modes, Segment, first_moment, hybrid_start, impact
from locomotor.typing import Floats

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
    mode_is_known = False

    @property
    def modes(self) -> Modes:
        """Modes of the system."""
        return self.kernels.modes

    def begin(self, guess: Mapping[str, float], time: float, closed: Iterable[str] | None, p: Floats) -> tuple[Mode, Floats]:
        """Mode and state of a guess: contacts that touch are closed, if they are not named."""
        mode, state, _ = hybrid_start(self.modes, guess, time, None if closed is None else tuple(closed))
        return mode, state

    def groups(self, parameters: Floats, timing: Iterable[int]) -> list[NDArray[np.intp]]:
        """One by one: each meets its own events."""
        return [np.array([k]) for k in range(len(parameters))]

    def go(
        self,
        mode: Mode,
        start: float,
        end: float,
        states: Floats,
        parameters: Floats,
        section: SectionKind | None = None,
        passages: int = 1,
        *,
        tangent: bool = True,
        by_parameters: bool = False,
    ) -> Passage:
        """From `start` to the given passage of the section, or to `end` where there is none."""
        (state,), (p,) = states, parameters
        route = drive(self.kernels, self.step, mode, start, end, state, p, section, passages)
        events, place = tuple(event.name for event in route.trail.events), route.place
        if place is None or not route.trail.goes_on:
            last = route.trail.segments[-1]
            times, states = last.times[-1:], last.states[-1:]
            return Passage(last.mode, times, states, None, np.zeros(1, bool), trouble=_trouble(route, section), events=events)
        tangents = extra = None
        if tangent:
            matrix, grown = self._deviations(route, p, section, by_parameters)
            tangents, extra = matrix[None], grown[None] if by_parameters else None
        mode, time, state = place
        return Passage(mode, np.array([time]), state[None], tangents, np.ones(1, bool), extra, events=events)

    # -- deviations -----------------------------------------------------------------------------------

    def _deviations(
        self, route: Route, parameters: Floats, section: SectionKind | None, by_parameters: bool
    ) -> tuple[Floats, Floats]:
        """Matrix of the deviations from start to end, and what parameters add to them."""
        segments, plan, p = route.trail.segments, route.plan, parameters[None]
        total = np.eye(self.kernels.tangent_size(segments[0].mode))
        extra = np.zeros((len(total), len(parameters) if by_parameters else 0))
        k = 0
        while k < len(segments):
            moved, grown = self._along(segments[k], p, by_parameters)
            total, extra = moved @ total, moved @ extra + grown
            chain = _chain(segments, k)
            at_end = k + len(chain) == len(segments)
            if len(chain) > 1:
                jump, jump_p, event = self._jump(chain, plan, p, first=k == 0 and len(segments[0].times) == 1)
                event_by = None if event is None else event[0]
                before, after = self.rate(segments[k], p), self.rate(chain[-1], p, start=True)
                until = changes_before(section, chain) if at_end and len(chain[-1].times) == 1 else None
                if until is not None and len(until) < len(chain):
                    # The passage is before the contact opens: what changes after it is left out.
                    jump, jump_p = np.eye(len(jump[0])), np.zeros((len(jump[0]) - 1, jump_p.shape[1]))
                    if len(until) > 1:
                        jump, jump_p, _ = self._jump(until, plan, p, first=False)
                follows = after if until is None else None
                matrix = saltation(jump, event_by, before, follows)
                total, extra = matrix @ total, matrix @ extra
                if by_parameters:
                    extra = extra + jump_by_parameters(jump, jump_p, event, before, follows)
                if until is not None:
                    break
            k += max(1, len(chain) - 1)
        moves = _instant_by(section, self, segments[-1], p, by_parameters)
        if moves is not None:
            rate, by, by_p = moves
            total, extra = total + np.outer(rate, by @ total), extra + np.outer(rate, by @ extra + by_p)
        return total, extra

    def rate(self, segment: Segment, p: Floats, *, start: bool = False) -> Floats:
        """Rate of the deviations at the end of a segment, or at its start."""
        i = 0 if start else -1
        times, states = np.array([segment.times[i]]), segment.states[i][None]
        return self.kernels.read(segment.mode, times, states, p)["rate"][0]

    def _along(self, segment: Segment, p: Floats, by_parameters: bool) -> tuple[Floats, Floats]:
        """Deviations over the steps of a segment, and what a growth of the parameters adds to them."""
        lengths = np.diff(segment.times)
        n = self.kernels.tangent_size(segment.mode)
        total, extra = np.eye(n), np.zeros((n, p.shape[1] if by_parameters else 0))
        k = 0
        while k < len(lengths):
            same = k + int(np.argmin(np.append(np.abs(lengths[k:] - lengths[k]) < 1e-9 * self.step, False)))
            h = float(segment.times[same] - segment.times[k]) / (same - k)
            if h > 0.0:
                start, state = float(segment.times[k]), segment.states[k][None]
                moved = self.kernels.integrate(segment.mode, start, state, p, same - k, h, True, by_parameters)[1]
                assert moved is not None
                total, extra = moved[0, :, :n] @ total, moved[0, :, :n] @ extra + moved[0, :, n:]
            k = same
        return total, extra

    # -- jumps ----------------------------------------------------------------------------------------

    def _jump(
        self, chain: Sequence[Segment], plan: EventPlan, p: Floats, *, first: bool
    ) -> tuple[Floats, Floats, tuple[Floats, Floats] | None]:
        """Derivative of all that happens at one instant, its part by the parameters, and those of the event that set it off."""
        t, old = float(chain[1].times[0]), chain[0]
        total = np.eye(self.kernels.tangent_size(old.mode) + 1)
        extra = np.zeros((len(total) - 1, p.shape[1]))
        struck: set[str] = set()
        for a, b in pairwise(chain):
            slopes, by_p, hit = self._change(a, b, t, plan, p)
            total, extra = slopes @ total, slopes[:-1, :-1] @ extra + by_p
            struck |= hit
        left = old.mode.closed - frozenset.intersection(*(segment.mode.closed for segment in chain))
        grips = {entry.name for entry in self.modes.switching if entry.law.grips}
        if first or grips & (left | struck) or not left | struck:
            return total, extra, None
        return total, extra, self._trigger(old, t, struck or left, "gap" if struck else "hold", p)

    def _change(self, a: Segment, b: Segment, t: float, plan: EventPlan, p: Floats) -> tuple[Floats, Floats, set[str]]:
        """Derivative of one change of mode or velocity, its part by the parameters, and the contacts that collided in it."""
        times, before, wanted = np.array([t]), a.states[-1], b.states[0]
        after, slopes, by_p = transfer(self.kernels, a.mode, b.mode, None, times, before[None], p)
        if b.mode.closed <= a.mode.closed and _same(after[0], wanted):
            return slopes[0], by_p[0], set()
        blow, struck = self._blow(a, b, t, plan)
        if blow is not None:
            after, slopes, by_p = transfer(self.kernels, a.mode, b.mode, blow, times, before[None], p)
            if _same(after[0], wanted):
                return slopes[0], by_p[0], struck
        unknown = np.full_like(by_p[0], np.nan)  # whoever wants it by the parameters takes differences of the whole map
        return self._by_differences(plan, a.mode, b, t, before, struck, slopes[0]), unknown, struck

    def _blow(self, a: Segment, b: Segment, t: float, plan: EventPlan) -> tuple[Blow | None, set[str]]:
        """Contacts that take part in an impact with their restitution, and those of them that collided.

        There is no such blow, with coefficients that stay as they are, where a law asks for the approach.
        """
        first = plan.probe(a.mode, a.parameters).look(t, a.states[-1])
        then = plan.probe(b.mode, b.parameters).look(t, b.states[0])
        pairs: dict[str, tuple[Quantity, Quantity]] = dict.fromkeys(sorted(self.modes.held), (0.0, 0.0))
        struck: set[str] = set()
        fixed = True
        for i, entry in enumerate(self.modes.switching):
            law = entry.law
            if entry.name in b.mode.closed:
                pairs[entry.name] = (0.0, 0.0)
                if entry.name not in a.mode.closed:
                    struck.add(entry.name)
            elif entry.name in a.mode.closed:
                continue  # it is let go; that its gap closed a little before is round-off
            elif law.pushes and abs(first.gap[i]) < TOUCHING and first.gap_rate[i] < 0.0 <= then.gap_rate[i]:
                fixed = fixed and law.fixed_coefficients is not None
                pairs[entry.name] = law.fixed_coefficients or (0.0, 0.0)
                struck.add(entry.name)
        return Blow(tuple(pairs), tuple(pairs.values())) if fixed else None, struck

    def _trigger(self, old: Segment, t: float, names: Set[str], kind: str, p: Floats) -> tuple[Floats, Floats]:
        """Derivatives of the event function that vanished: the gap that closed, or the force that did."""
        seen = self.kernels.look(old.mode, np.array([t]), old.states[-1][None], p)
        places = [i for i, entry in enumerate(self.modes.switching) if entry.name in names]
        i = min(places, key=lambda i: abs(float(seen[kind][0, i])))
        by_p = seen[f"{kind}_by_p"][0, i] if p.shape[1] else np.zeros(0)
        return seen[f"{kind}_by"][0, i], by_p

    def _by_differences(
        self, plan: EventPlan, old: Mode, new: Segment, t: float, state: Floats, struck: set[str], like: Floats
    ) -> Floats:
        """Derivative of an impact by central differences of the impact itself, for rules without derivatives here."""
        manifold, target = (mode.compiled.traced.manifold for mode in (old, new.mode))
        closing = frozenset(i for i, entry in enumerate(self.modes.switching) if entry.name in struck)

        def after(delta: Floats, later: float) -> Floats:
            moved = manifold.retract(state[None], delta[None])[0]
            change = impact(plan, replace(Change(first_moment(plan, old, t + later, moved)), closing=closing))
            if not change.goes_on or change.now.mode is not new.mode:
                raise SectionError("an impact on the way changes its kind with the slightest deviation; take another section")
            return change.now.state

        n = self.kernels.tangent_size(old)
        result = like.copy()
        rows = np.arange(self.kernels.coordinate_size(new.mode), target.tangent_size)
        places = rows + target.size - target.tangent_size
        for j in range(n + 1):
            delta = DIFFERENCE * np.eye(n + 1)[j]
            change = after(delta[:n], float(delta[n])) - after(-delta[:n], -float(delta[n]))
            result[rows, j] = change[places] / (2.0 * DIFFERENCE)
        return result


@singledispatch
def _instant_by(
    section: object, flow: EventFlow, last: Segment, p: Floats, by_parameters: bool
) -> tuple[Floats, Floats, Floats] | None:
    """Rate of the motion at a passage between events, and how its instant moves with the state and with the parameters.

    None where that instant is given, or is that of an event.
    """
    return None


@_instant_by.register
def _(section: Crossing, flow: EventFlow, last: Segment, p: Floats, by_parameters: bool) -> tuple[Floats, Floats, Floats]:
    seen = flow.kernels.cross(last.mode, section.expression, last.times[-1:], last.states[-1:], p)
    rate, event_by = flow.rate(last, p), seen["crossing_by"][0, 0]
    own = -seen["crossing_by_p"][0, 0] / (event_by[-1] + event_by[:-1] @ rate) if by_parameters else np.zeros(0)
    return rate, instant_slope(event_by, rate), own


def _same(found: Floats, wanted: Floats) -> bool:
    return bool(np.abs(found - wanted).max(initial=0.0) <= SAME * (1.0 + np.abs(wanted).max(initial=0.0)))


def _chain(segments: Sequence[Segment], k: int) -> list[Segment]:
    """Segment k and those that follow it at the instant where it ends, the last of which goes on."""
    found = [segments[k]]
    for following in segments[k + 1 :]:
        if following.times[0] != found[0].times[-1]:
            break
        found.append(following)
        if len(following.times) > 1:
            break
    return found


def _trouble(route: Route, section: SectionKind | None) -> str:
    outcome, time = route.trail.outcome, route.trail.segments[-1].times[-1]
    if outcome is not Outcome.COMPLETED:
        return f"{outcome.value} at t = {time:.6g} s"
    names = sorted({event.name for event in route.trail.events})
    told = ", ".join(names[:6]) if names else "no event"
    return f"the section '{section}' was not reached by t = {time:.6g} s ({told} on the way)"
