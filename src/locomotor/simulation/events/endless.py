"""What goes on without end is ended: events that crowd, friction that lets go and holds, rounds of the loop that get nowhere.

A force that jumps with the state, as that of a controller `5 if x < 0.1 else -5`, may drive a slip from both sides to where it
jumps. Its slips get shorter and shorter until round-off alone tells how short they are, and there is no motion beyond.
Such slips, or steps, are counted within one step of the grid: what needs hundreds of them there would need millions in a run.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from locomotor.dataclass import dataclass
from locomotor.simulation.events import endings
from locomotor.simulation.events.follow_numbers import CHATTER
from locomotor.simulation.events.kinds import Trigger
from locomotor.simulation.events.moment import Moment
from locomotor.simulation.events.plan import TIME_TOLERANCE, EventPlan
from locomotor.simulation.events.trail import Trail
from locomotor.simulation.status import Outcome

MOST_EVENTS = 100_000
"""A run may have so many."""
RELAPSES = 200
"""So many events of friction of one contact within a step of the grid are taken to go on for ever; motions have had 16."""
MOST_IDLE = 1_000
"""So many answers at one instant, of which nothing may be told, are taken to go on for ever."""
MOST_SHORT = ((1_000, 0.01), (10_000, 1.0))
"""So are so many rounds within such a share of a step in which nothing strikes; discs that fall flat take 500 and 4,000."""
OF_FRICTION = frozenset({"slips", "sticks", "rolls", "starts", "stops"})


# -- events -----------------------------------------------------------------------------------------------------


def judged(plan: EventPlan, trail: Trail) -> Trail:
    """The trail, at an end where events follow each other without one; many contacts may do the same at one instant."""
    count, within = max(CHATTER[0], 4 * len(plan.modes.names)), CHATTER[1]
    if not trail.goes_on:
        return trail
    if names := relapsing(plan, trail):
        told = f"friction of {', '.join(names)} lets go or holds {RELAPSES} times within a step of {plan.grid.step:g} s"
        return trail.stopping(Outcome.CHATTERING, endings.relapsing(plan.modes, told))
    if trail.count <= count:
        return trail
    last = trail.recent[-count:]
    if len(last) == count and trail.now.time - last[0].time < within and last[0].contact:
        told = endings.endless(plan.modes, sorted({event.contact for event in last}), count, within)
        return trail.stopping(Outcome.CHATTERING, told)
    if trail.count > MOST_EVENTS:
        told = f"{MOST_EVENTS} events; simulate a shorter time, or give the contacts a smaller restitution"
        return trail.stopping(Outcome.CHATTERING, told)
    return trail


def relapsing(plan: EventPlan, trail: Trail) -> list[str]:
    """Contacts and joints whose friction lets go and holds over and over within a step, while nothing strikes.

    Bounces that accumulate come to an end, with the slips that they bring; and who lets inputs jump in time means each of them.
    """
    recent, begun = trail.recent, _begun(plan, trail.now.time)
    if len(recent) < RELAPSES or recent[-RELAPSES].time <= begun:
        return []
    counts: Counter[str] = Counter()
    for event in reversed(recent):
        if event.time <= begun or event.kind not in OF_FRICTION:
            break
        counts[event.contact] += 1
    return sorted(name for name, times in counts.items() if times >= RELAPSES)


def _begun(plan: EventPlan, time: float, share: float = 1.0) -> float:
    """A share of a step before an instant, or the last instant before it at which inputs jump."""
    stops = plan.grid.stops
    passed = bisect_right(stops, time)
    return max(time - share * plan.grid.step, stops[passed - 1] if passed else -math.inf)


# -- rounds -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rounds:
    """Rounds of the loop that have come no farther: at one instant, and within one step of the grid."""

    instant: float = -math.inf
    idle: int = 0
    begun: tuple[float, ...] = (-math.inf,) * len(MOST_SHORT)
    """Where the rounds within each share of a step began."""
    short: tuple[int, ...] = (0,) * len(MOST_SHORT)

    def then(self, plan: EventPlan, now: Moment) -> Rounds:
        """With one more, which has led to a moment."""
        stays = now.time <= self.instant + TIME_TOLERANCE
        lingers = [
            begun > _begun(plan, now.time, share) and now.struck[1] <= begun
            for begun, (_, share) in zip(self.begun, MOST_SHORT, strict=True)
        ]
        return Rounds(
            self.instant if stays else now.time,
            self.idle + 1 if stays else 0,
            tuple(begun if still else now.time for begun, still in zip(self.begun, lingers, strict=True)),
            tuple(count + 1 if still else 0 for count, still in zip(self.short, lingers, strict=True)),
        )

    def judge(self, plan: EventPlan, trail: Trail, triggers: Sequence[Trigger]) -> Trail:
        """The trail, at an end where they get nowhere; the triggers are those that were answered last."""
        if not trail.goes_on or (found := self._endless(plan)) is None:
            return trail
        modes, (count, within) = plan.modes, found
        names = {modes.names[i] for trigger in triggers for i in trigger.contacts} or trail.now.mode.closed
        told = sorted({modes.contact_of.get(name, name) for name in names})
        words = endings.endless(modes, told, count, within)
        if modes.has_friction or modes.rubs:
            words = endings.relapsing(modes, f"friction of {', '.join(told)} cuts a motion of {within:g} s into {count} steps")
        return trail.stopping(Outcome.CHATTERING, words)

    def _endless(self, plan: EventPlan) -> tuple[int, float] | None:
        """How many there have been, and within what time, where that is too many."""
        if self.idle > MOST_IDLE:
            return MOST_IDLE, TIME_TOLERANCE
        for count, (most, share) in zip(self.short, MOST_SHORT, strict=True):
            if count > most:
                return most, share * plan.grid.step
        return None
