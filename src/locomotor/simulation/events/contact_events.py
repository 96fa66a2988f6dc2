"""Events of contacts by themselves: a force that vanishes, a gap that closes, a grip that follows its schedule."""

from collections.abc import Callable, Iterator

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events.impacts import PULLS
from locomotor.simulation.events.kinds import (
    OfContact,
    Search,
    exhausted,
    length_to,
    length_to_zero,
    reading_of,
    respond,
    watcher,
)
from locomotor.simulation.events.modes import Mode
from locomotor.simulation.events.moment import Change, tell, without_impulse
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import APPROACHES, EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.roots import ROUND_OFF, after_change, decreasing_root, root_between
from locomotor.simulation.terrain import TOUCH
from locomotor.typing import Vector

LITTLE = 256.0
"""A little later is so much of a step."""

# -- a grip that is told to hold or to let go -----------------------------------------------------------------


@dataclass(frozen=True)
class GripChanges(OfContact):
    """The condition of a grip changes its sign."""

    ORDER = 0


@watcher
def _changing_grips(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, GripChanges]]:
    for i, closed in search.mode.gripping:
        where = np.flatnonzero((seen.condition[1:, i] > 0.0) != closed)
        if len(where):
            yield int(where[0]) + 1, GripChanges(i)


@length_to.register
def _(trigger: GripChanges, search: Search, t: float, x: Vector, h: float) -> float:
    return after_change(lambda s: bool(search.at(t, x, s).condition[trigger.contact] > 0.0), h)


@respond.register
def _(trigger: GripChanges, plan: EventPlan, change: Change) -> Change:
    name, now = plan.modes.names[trigger.contact], change.now
    if name not in now.mode.closed:
        return replace(change, closing=change.closing | {trigger.contact})
    whole = now.whole(plan)
    change = switch(plan, change, now.mode.closed - {name}, whole, whole.v)
    return tell(plan, change, [without_impulse(name, "release")], whole.energy)


# -- a force that would have to pull --------------------------------------------------------------------------


@dataclass(frozen=True)
class ForceVanishes(OfContact):
    """The normal force of a closed contact that pushes, counted from the largest pull of its law, becomes negative."""

    ORDER = 4


@watcher
def _vanishing_forces(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, ForceVanishes]]:
    for sample, i in exhausted(search.mode.pushing, seen.pressing, PULLS, seen.normal_force):
        yield sample, ForceVanishes(i)


@length_to.register
def _(trigger: ForceVanishes, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_zero(search, t, x, h, lambda seen: seen.pressing[trigger.contact])


@reading_of.register
def _(trigger: ForceVanishes, search: Search, seen: Seen) -> float:
    return float(seen.pressing[trigger.contact])


@respond.register
def _(trigger: ForceVanishes, plan: EventPlan, change: Change) -> Change:
    return replace(change, opening=change.opening | {trigger.contact})


# -- a gap that closes ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GapCloses(OfContact):
    """The gap of an open contact becomes negative."""

    ORDER = 2

    def is_gated(self, mode: Mode) -> bool:
        """Whether the contact takes part only while a condition holds."""
        return mode.switching[self.contact].law.is_gated


@dataclass(frozen=True)
class Grazes(GapCloses):
    """The gap may become negative within a step and come back."""

    PERHAPS = True


@watcher
def closing_gaps(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, GapCloses]]:
    """Steps over which a gap becomes negative, and those over which it may do so and come back.

    One that closes may be no event: whether the contact takes part is asked at the touch, not at a sample.
    """
    open_ = search.mode.open
    if not len(open_):
        return
    gap, rate, levels = seen.gap[:, open_], seen.gap_rate[:, open_], search.levels_along(seen.gap)[:-1, open_]
    g0, g1, r0, r1 = gap[:-1] - levels, gap[1:] - levels, rate[:-1], rate[1:]
    closes = (g0 >= -TOUCH) & (g1 < -TOUCH)
    dips = (r0 < 0.0) & (r1 > 0.0) & (g0 > TOUCH) & (g1 >= -TOUCH)
    if dips.any():
        # The tangents at both ends meet about as low as the gap gets, or lower.
        with np.errstate(divide="ignore", invalid="ignore"):
            dips &= g0 + r0 * (g1 - g0 - r1 * search.lengths[:, None]) / (r0 - r1) < 0.0
    for kind, where in ((GapCloses, closes), (Grazes, dips)):
        if where.any():
            for j, k in np.argwhere(where.T).tolist():
                yield k + 1, kind(int(open_[j]))


@length_to.register
def _(trigger: GapCloses, search: Search, t: float, x: Vector, h: float) -> float | None:
    return while_taking_part(trigger, search, t, x, _to_the_touch(trigger, search, t, x, h))


@length_to.register
def _(trigger: Grazes, search: Search, t: float, x: Vector, h: float) -> float | None:
    i = trigger.contact
    lowest = root_between(lambda s: float(search.at(t, x, s).gap_rate[i]), 0.0, h, xtol=ROUND_OFF)
    if float(search.at(t, x, lowest).gap[i] - search.levels[i]) >= -TOUCH:
        return None
    return while_taking_part(trigger, search, t, x, _to_the_touch(trigger, search, t, x, lowest))


def while_taking_part(trigger: OfContact, search: Search, t: float, x: Vector, length: float) -> float | None:
    """A length of a step, unless the contact does not take part then."""
    gated = trigger.is_gated(search.mode)
    return None if gated and not search.at(t, x, length).condition[trigger.contact] > 0.0 else length


def _to_the_touch(trigger: GapCloses, search: Search, t: float, x: Vector, h: float) -> float:
    """Length of the step to where a gap that is negative after a step of length h vanishes."""
    i, level = trigger.contact, search.levels[trigger.contact]

    def gap_and_rate(s: float) -> tuple[float, float]:
        seen = search.at(t, x, s)
        return float(seen.gap[i]), float(seen.gap_rate[i])

    start = search.probe.look(t, x)
    return touching_length(gap_and_rate, float(start.gap[i]), float(start.gap_rate[i]), float(level), h)


def touching_length(
    gap_and_rate: Callable[[float], tuple[float, float]],
    gap: float,
    rate: float,
    level: float,
    h: float,
    same: Callable[[float], float] | None = None,
) -> float:
    """Where within a step a gap comes down to its level; `gap` and `rate` are those at the beginning.

    Where the gap is the least of several, `same` is that of the part that was nearest at the beginning.
    """
    # What has just lifted off has the speed of round-off, of either sign: whether it goes down is seen a little later.
    if gap - level <= TOUCH and rate <= 0.0:
        little = h / LITTLE
        if rate < -APPROACHES or (gap_and_rate(little)[0] if same is None else same(little)) <= gap:
            return 0.0

    def from_zero(s: float) -> tuple[float, float]:
        # Right after a bounce the gap begins at zero: its quotient by time has the later root alone.
        later, speed = gap_and_rate(s)
        moved = later - gap
        return moved / s, (speed - moved / s) / s

    def plainly(s: float) -> tuple[float, float]:
        later, speed = gap_and_rate(s)
        return later - level, speed

    return decreasing_root(from_zero if gap - level <= TOUCH else plainly, h)


@respond.register
def _(trigger: GapCloses, plan: EventPlan, change: Change) -> Change:
    return replace(change, closing=change.closing | {trigger.contact})
