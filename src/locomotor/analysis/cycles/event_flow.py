"""Motion with contacts that open and close by themselves, and the exact derivative of it.

The event-driven loop is driven as in a simulation (see `passages`), and each of its steps has a derivative: the deviations of
`advance` follow from the variational equations over the same steps, that of the instant which `locate` finds from its event
function, and what `handle` changes from the equations of the impact; the saltation matrix joins them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from locomotor.analysis.cycles.flow import Passage
from locomotor.analysis.cycles.kernels import Kernels
from locomotor.analysis.cycles.passages import Route, changes_before, drive
from locomotor.analysis.cycles.saltation import Blow, instant_slope, jump_by_parameters, saltation, transfer
from locomotor.analysis.cycles.sections import Crossing, SectionKind
from locomotor.dataclass import dataclass
from locomotor.errors import SectionError
from locomotor.model import slide_names
from locomotor.model.contacts import slip_names, turn_names
from locomotor.model.expressions import Quantity
from locomotor.simulation import Outcome
from locomotor.simulation.events import (
    Change,
    EventPlan,
    ForceVanishes,
    FrictionExhausted,
    GapCloses,
    GripChanges,
    JointYields,
    Mode,
    Modes,
    RollingBegins,
    RollingEnds,
    Segment,
    SlideEnds,
    Slip,
    SlipEnds,
    Trigger,
    first_moment,
    hybrid_start,
    impact,
)
from locomotor.simulation.terrain import Footholds
from locomotor.typing import Floats

SAME = 1e-8
"""Largest difference between the velocities after an impact and those that its derivative is taken of, relatively."""
TOUCHING = 1e-7
"""Gap below which a contact may have taken part in an impact (m)."""
DIFFERENCE = 1e-6
TIME = "time"
"""What vanishes where an event happens at an instant that is given."""
GRAZES = "a contact touches without speed on the way, where the motion has no derivative"
GUIDED = (
    "a slip on the way begins so slowly in space that forces tell its direction, not its history: the map has no "
    "exact derivative there. Take other parameters, such as another coefficient of friction"
)


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
        trouble = ""
        if tangent:
            first = self._entered(mode, route, state, p)
            matrix, grown, trouble = self._deviations(route, first, section, by_parameters)
            tangents, extra = matrix[None], grown[None] if by_parameters else None
        mode, time, state = place
        return Passage(mode, np.array([time]), state[None], tangents, np.ones(1, bool), extra, trouble, events=events)

    # -- deviations -----------------------------------------------------------------------------------

    def _entered(self, mode: Mode, route: Route, state: Floats, parameters: Floats) -> Floats:
        """Deviations of a start in the mode in which the motion begins: a contact that sticks there may slip at once."""
        first = route.trail.segments[0]
        if first.mode is mode:
            return np.eye(self.kernels.tangent_size(mode))
        slopes = transfer(self.kernels, mode, first.mode, None, first.times[:1], state[None], parameters[None])[1]
        return np.asarray(slopes[0, :-1, :-1])

    def _deviations(
        self, route: Route, total: Floats, section: SectionKind | None, by_parameters: bool
    ) -> tuple[Floats, Floats, str]:
        """Matrix of the deviations from start to end, what parameters add to them, and why there are none where that is so.

        `total` are those with which the motion begins.
        """
        segments, plan = route.trail.segments, route.plan
        extra = np.zeros((len(total), len(self.modes.free) if by_parameters else 0))
        if any(_guided(segment) for segment in segments):
            n = self.kernels.tangent_size(segments[-1].mode)
            return np.full((n, total.shape[1]), np.nan), np.full((n, extra.shape[1]), np.nan), GUIDED
        k, trouble = 0, ""
        while k < len(segments):
            moved, grown, ended = self._along(segments[k], by_parameters)
            total, extra, trouble = moved @ total, moved @ extra + grown, trouble or ended
            chain = _chain(segments, k)
            at_end = k + len(chain) == len(segments)
            if len(chain) > 1:
                jump, jump_p, event = self._jump(chain, plan)
                event_by = None if event is None else event[0]
                before, after = self.rate(segments[k]), self.rate(chain[-1], start=True)
                until = changes_before(section, chain) if at_end and len(chain[-1].times) == 1 else None
                if until is not None and len(until) < len(chain):
                    # The passage is before the contact opens: what changes after it is left out.
                    jump, jump_p = np.eye(len(jump[0])), np.zeros((len(jump[0]) - 1, jump_p.shape[1]))
                    if len(until) > 1:
                        jump, jump_p, _ = self._jump(until, plan)
                follows = after if until is None else None
                matrix = saltation(jump, event_by, before, follows)
                total, extra = matrix @ total, matrix @ extra
                if by_parameters:
                    extra = extra + jump_by_parameters(jump, jump_p, event, before, follows)
                if until is not None:
                    break
            k += max(1, len(chain) - 1)
        moves = _instant_by(section, self, segments[-1], by_parameters)
        if moves is not None:
            rate, by, by_p = moves
            total, extra = total + np.outer(rate, by @ total), extra + np.outer(rate, by @ extra + by_p)
        return total, extra, trouble or ("" if np.isfinite(total).all() else GRAZES)

    def rate(self, segment: Segment, *, start: bool = False) -> Floats:
        """Rate of the deviations at the end of a segment, or at its start."""
        i = 0 if start else -1
        times, states = np.array([segment.times[i]]), segment.states[i][None]
        return self.kernels.read(segment.mode, times, states, segment.parameters[None])["rate"][0]

    def _along(self, segment: Segment, by_parameters: bool) -> tuple[Floats, Floats, str]:
        """Deviations over the steps of a segment, what a growth of the parameters adds to them, and why there are none."""
        lengths = np.diff(segment.times)
        n, p = self.kernels.tangent_size(segment.mode), segment.parameters[None]
        total, extra = np.eye(n), np.zeros((n, len(self.modes.free) if by_parameters else 0))
        k = 0
        while k < len(lengths):
            same = k + int(np.argmin(np.append(np.abs(lengths[k:] - lengths[k]) < 1e-9 * self.step, False)))
            h = float(segment.times[same] - segment.times[k]) / (same - k)
            if h > 0.0:
                start, state = float(segment.times[k]), segment.states[k][None]
                moved = self.kernels.integrate(segment.mode, start, state, p, same - k, h, True, by_parameters)
                assert moved.matrix is not None
                if not moved.good[0]:  # the matrix is that of the last good step
                    return np.full_like(total, np.nan), np.full_like(extra, np.nan), moved.trouble
                matrix = moved.matrix[0]
                total, extra = matrix[:, :n] @ total, matrix[:, :n] @ extra + matrix[:, n:]
            k = same
        return total, extra, ""

    # -- jumps ----------------------------------------------------------------------------------------

    def _jump(self, chain: Sequence[Segment], plan: EventPlan) -> tuple[Floats, Floats, tuple[Floats, Floats] | None]:
        """Derivative of all that happens at one instant, its part by the parameters, and those of the event that set it off."""
        t, old = float(chain[1].times[0]), chain[0]
        total = np.eye(self.kernels.tangent_size(old.mode) + 1)
        extra = np.zeros((len(total) - 1, len(self.modes.free)))
        for a, b in pairwise(chain):
            slopes, by_p = self._change(a, b, t, plan)
            total, extra = slopes @ total, slopes[:-1, :-1] @ extra + by_p
        return total, extra, self._event(old, t)

    def _change(self, a: Segment, b: Segment, t: float, plan: EventPlan) -> tuple[Floats, Floats]:
        """Derivative of one change of mode or velocity, and its part by the parameters."""
        times, before, wanted, p = np.array([t]), a.states[-1], b.states[0], a.parameters[None]
        after, slopes, by_p = transfer(self.kernels, a.mode, b.mode, None, times, before[None], p)
        # A joint with dry friction that comes to rest gets no impulse.
        if b.mode.closed <= a.mode.closed | self.modes.rubbing and _same(after[0], wanted):
            return slopes[0], by_p[0]
        blow, struck = self._blow(a, b, t, plan)
        if blow is not None:
            after, slopes, by_p = transfer(self.kernels, a.mode, b.mode, blow, times, before[None], p)
            if _same(after[0], wanted):
                return slopes[0], by_p[0]
        unknown = np.full_like(by_p[0], np.nan)  # whoever wants it by the parameters takes differences of the whole map
        return self._by_differences(plan, a, b, t, struck, slopes[0]), unknown

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
            if law.rubs:
                continue  # bounded efforts are nothing beside impulses
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

    def _event(self, old: Segment, t: float) -> tuple[Floats, Floats] | None:
        """Derivatives of the event function whose zero ended a segment; None where the instant was given."""
        known = [(trigger, vanishing(trigger)) for trigger in old.triggers]
        if any(kind == TIME for _, kind in known) or not any(kind for _, kind in known):
            return None
        seen = self.kernels.look(old.mode, np.array([t]), old.states[-1][None], old.parameters[None])
        found = []
        for trigger, kind in known:
            for i in trigger.contacts if kind else ():
                weights = self._weights(old, i, kind)
                places = slice(i * len(weights), (i + 1) * len(weights))
                by_p = weights @ seen[f"{kind}_by_p"][0, places] if self.modes.free else np.zeros(0)
                found.append((abs(float(weights @ seen[kind][0, places])), weights @ seen[f"{kind}_by"][0, places], by_p))
        _, by, by_p = min(found, key=lambda entry: entry[0])
        return by, by_p

    def _weights(self, old: Segment, contact: int, kind: str) -> Floats:
        """What makes one number of a reading of a contact: of a slip, or a turn, its part along the direction noted for it."""
        if kind == "turn":
            return np.array(_turns(old)[self.modes.names[contact]])
        if kind != "slip":
            return np.ones(1)
        if contact in self.modes.rubs:
            return np.array(self._slides(old)[self.modes.names[contact]])  # of a joint its rate, first
        return np.array(_directions(old)[self.modes.names[contact]])

    def _slides(self, segment: Segment) -> Slip:
        """Where joints with dry friction slide to during a segment."""
        values = dict(zip(segment.mode.compiled.traced.free_parameters, segment.parameters.tolist(), strict=True))
        found: Slip = {}
        for i in segment.mode.sliding.tolist():
            x, y, z, _ = (values.get(name, 0.0) for name in slide_names(self.modes.names[i]))
            found[self.modes.names[i]] = x, y, z
        return found

    def _by_differences(self, plan: EventPlan, old: Segment, new: Segment, t: float, struck: set[str], like: Floats) -> Floats:
        """Derivative of an impact by central differences of the impact itself, for rules without derivatives here."""
        manifold, target = (segment.mode.compiled.traced.manifold for segment in (old, new))
        closing = frozenset(i for i, entry in enumerate(self.modes.switching) if entry.name in struck)
        state = old.states[-1]
        holds = Footholds(slips=_directions(old), turns=_turns(old)).sliding(self._slides(old))

        def after(delta: Floats, later: float) -> Floats:
            moved = manifold.retract(state[None], delta[None])[0]
            change = impact(plan, replace(Change(first_moment(plan, old.mode, t + later, moved, holds)), closing=closing))
            if not change.goes_on or change.now.mode is not new.mode:
                raise SectionError("an impact on the way changes its kind with the slightest deviation; take another section")
            return change.now.state

        n = self.kernels.tangent_size(old.mode)
        result = like.copy()
        rows = np.arange(self.kernels.coordinate_size(new.mode), target.tangent_size)
        places = rows + target.size - target.tangent_size
        for j in range(n + 1):
            delta = DIFFERENCE * np.eye(n + 1)[j]
            change = after(delta[:n], float(delta[n])) - after(-delta[:n], -float(delta[n]))
            result[rows, j] = change[places] / (2.0 * DIFFERENCE)
        return result


@singledispatch
def vanishing(trigger: Trigger) -> str:
    """The event function that becomes zero where something happens, by its name in `Kernels.look`; `TIME` where time tells.

    An event of which nothing is said goes along with others of its instant.
    """
    return ""


@vanishing.register
def _(trigger: GripChanges) -> str:
    return TIME


@vanishing.register
def _(trigger: GapCloses) -> str:
    return "gap"


@vanishing.register
def _(trigger: ForceVanishes) -> str:
    return "hold"


@vanishing.register
def _(trigger: FrictionExhausted | JointYields) -> str:
    return "friction_left"


@vanishing.register
def _(trigger: SlipEnds | SlideEnds) -> str:
    return "slip"


@vanishing.register
def _(trigger: RollingBegins) -> str:
    return "rolling_left"


@vanishing.register
def _(trigger: RollingEnds) -> str:
    return "turn"


def _directions(segment: Segment) -> Slip:
    """Directions of slip of those contacts that slip during a segment."""
    return _noted(segment, lambda name: slip_names(name)[:3])


def _turns(segment: Segment) -> Slip:
    """Directions about which those contacts turn during a segment that roll against a resistance."""
    return _noted(segment, turn_names)


def _noted(segment: Segment, names: Callable[[str], tuple[str, str, str]]) -> Slip:
    """Directions of contacts, by the names of the parameters that hold them."""
    values = dict(zip(segment.mode.compiled.traced.free_parameters, segment.parameters.tolist(), strict=True))
    found: Slip = {}
    for contact in segment.mode.stances:
        if names(contact)[0] in values:
            x, y, z = (values[part] for part in names(contact))
            found[contact] = x, y, z
    return found


def _guided(segment: Segment) -> bool:
    """Whether a slip is led by forces, which has no derivative here."""
    values = dict(zip(segment.mode.compiled.traced.free_parameters, segment.parameters.tolist(), strict=True))
    led = [slip_names(name)[3] for name in segment.mode.stances]
    led += [slide_names(segment.mode.switching[i].name)[3] for i in segment.mode.spinning.tolist()]
    return any(values.get(name, 0.0) > 0.5 for name in led)


@singledispatch
def _instant_by(section: object, flow: EventFlow, last: Segment, by_parameters: bool) -> tuple[Floats, Floats, Floats] | None:
    """Rate of the motion at a passage between events, and how its instant moves with the state and with the parameters.

    None where that instant is given, or is that of an event.
    """
    return None


@_instant_by.register
def _(section: Crossing, flow: EventFlow, last: Segment, by_parameters: bool) -> tuple[Floats, Floats, Floats]:
    seen = flow.kernels.cross(last.mode, section.expression, last.times[-1:], last.states[-1:], last.parameters[None])
    rate, event_by = flow.rate(last), seen["crossing_by"][0, 0]
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
