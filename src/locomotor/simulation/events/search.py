"""Finding events on an integrated motion: which event function changes sign first, and exactly when.

Between two samples the motion is the stepper's own: a trial instant is reached by one step of another length, so that an event
lies on the integrated motion itself. `locate_exactly` refines to round-off; `rewind_and_refine` is the scheme of the
sources: go back to the last good state, go on with shorter steps, until a shortest step.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from locomotor.geometry import Feature
from locomotor.simulation.events.probe import Probe, Seen
from locomotor.simulation.roots import root_between
from locomotor.simulation.terrain import TOUCH, Footholds, Place, Rough, entries, gap_and_rate, length_to_end, place_of
from locomotor.typing import Flags, Vector

ROUND_OFF = 1e-15
"""Events are located to this, in seconds from the last sample."""
ITERATIONS = 60
SAME_INSTANT = 1e-12
"""Events that are nearer to each other happen together (s)."""
FORCE = 1e-10
"""A force pulls when it is negative by more than this share of the largest force around."""
REDUCTION = 0.1
SHORTEST = 1e-10
"""Factor by which the sources' scheme shortens its steps, and its shortest step (s); the sources give neither."""


@dataclass(frozen=True)
class Trigger:
    """An event function that changes sign: "force", "gap", "graze" or "condition" of a switching contact, by its number.

    Of a contact on a terrain, by the number of its first slot: "touch", "brush", which may turn out to be no touch, and the
    "end" of a `feature` of the terrain that it stands on.
    """

    kind: str
    contact: int
    feature: Feature | None = None


ON_TERRAIN = {"touch": "touch", "graze": "brush", "end": "end"}
ONLY_PERHAPS = ("graze", "brush")
TOUCHES = ("gap", "graze", "touch", "brush")


@dataclass(frozen=True, eq=False)
class Search:
    """A piece of motion in one mode to be searched for events.

    `levels` are the gaps that count as zero: that of a contact which has just opened may be negative by round-off or drift.
    """

    probe: Probe
    levels: Vector
    step: float
    holds: Footholds

    def crossings(self, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, list[Trigger]]]:
        """Samples, from 1 on, by which event functions have changed sign, and which ones.

        Of the contacts on terrain only the first are told: whoever finds that it was none has to look again from there.
        """
        found: dict[int, list[Trigger]] = {}
        for k, trigger in self._on_terrain(seen, times, states):
            found.setdefault(k, []).append(trigger)
        force = np.nan_to_num(np.abs(seen.normal_force)).max(initial=0.0)
        for i, entry in enumerate(self.probe.mode.switching):
            closed = entry.name in self.probe.mode.closed
            if entry.law.grips:
                changed = {"condition": (seen.condition[1:, i] > 0.0) != closed}
            elif closed:
                changed = {"force": seen.normal_force[1:, i] < -FORCE * force}
            else:
                changed = self._closing(seen.gap[:, i] - self.levels[i], seen.gap_rate[:, i])
            for kind, where in changed.items():
                # A gap that closes may be no event: whether the contact takes part is asked at the touch, not at a sample.
                for k in np.flatnonzero(where)[:1] if kind in ("force", "condition") else np.flatnonzero(where):
                    found.setdefault(int(k) + 1, []).append(Trigger(kind, i))
        for k in sorted(found):
            yield k, found[k]

    def _closing(self, gap: Vector, rate: Vector) -> dict[str, Flags]:
        """Steps over which a gap becomes negative, and those over which it may do so and come back."""
        g0, g1, r0, r1 = gap[:-1], gap[1:], rate[:-1], rate[1:]
        dips = (r0 < 0.0) & (r1 > 0.0) & (g0 > TOUCH) & (g1 >= -TOUCH)
        if dips.any():
            # The tangents at both ends meet about as low as the gap gets, or lower.
            with np.errstate(divide="ignore", invalid="ignore"):
                dips &= g0 + r0 * (g1 - g0 - r1 * self.step) / (r0 - r1) < 0.0
        return {"gap": (g0 >= -TOUCH) & (g1 < -TOUCH), "graze": dips}

    def _on_terrain(self, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, Trigger]]:
        if not self.holds.roughs:
            return
        places = self.probe.places(times, states)
        for rough in self.holds.roughs:
            i = self._number(rough)
            for entry in entries(self.holds, rough, places[rough.name], self.step):
                yield entry.sample, Trigger(ON_TERRAIN[entry.what], i, entry.feature if entry.what == "end" else None)

    def _number(self, rough: Rough) -> int:
        return next(i for i, entry in enumerate(self.probe.mode.switching) if entry.name == rough.name)

    # -- one trigger ----------------------------------------------------------------------------------

    def at(self, t: float, x: Vector, length: float) -> Seen:
        """Event functions after a step of some length."""
        return self.probe.look(t + length, self.probe.after(t, x, length))

    def value(self, trigger: Trigger, seen: Seen) -> float:
        """The event function of a trigger."""
        i = trigger.contact
        if trigger.kind == "force":
            return float(seen.normal_force[i])
        if trigger.kind == "condition":
            return float(seen.condition[i])
        return float(seen.gap[i] - self.levels[i])

    def is_gated(self, trigger: Trigger) -> bool:
        """Whether a trigger is a touch of a contact that takes part only while a condition holds."""
        return trigger.kind in TOUCHES and self.probe.mode.switching[trigger.contact].law.is_gated

    def length_to(self, trigger: Trigger, t: float, x: Vector, h: float) -> float | None:
        """Length of the step to the event of a trigger; None if there is none after all."""
        find = self._length_on_terrain if trigger.kind in ON_TERRAIN.values() else self._length
        length = find(trigger, t, x, h)
        if length is not None and self.is_gated(trigger) and not self.at(t, x, length).condition[trigger.contact] > 0.0:
            return None
        return length

    def _length(self, trigger: Trigger, t: float, x: Vector, h: float) -> float | None:
        """Length of the step to where the event function of a contact that is not on a terrain vanishes."""
        i = trigger.contact
        start = self.probe.look(t, x)
        if trigger.kind == "condition":
            return _after_change(lambda s: self.value(trigger, self.at(t, x, s)) > 0.0, h)
        if trigger.kind == "force":
            if self.value(trigger, start) <= 0.0:
                return 0.0
            return root_between(lambda s: self.value(trigger, self.at(t, x, s)), 0.0, h, xtol=ROUND_OFF)
        if trigger.kind == "graze":
            lowest = root_between(lambda s: float(self.at(t, x, s).gap_rate[i]), 0.0, h, xtol=ROUND_OFF)
            if self.value(trigger, self.at(t, x, lowest)) >= -TOUCH:
                return None
            h = lowest
        gap, rate = self.value(trigger, start), float(start.gap_rate[i])
        if gap <= TOUCH and rate <= 0.0:
            return 0.0

        def from_zero(s: float) -> tuple[float, float]:
            # Right after a bounce the gap begins at zero: its quotient by time has the later root alone.
            seen = self.at(t, x, s)
            moved = float(seen.gap[i] - start.gap[i])
            return moved / s, (float(seen.gap_rate[i]) - moved / s) / s

        def plainly(s: float) -> tuple[float, float]:
            seen = self.at(t, x, s)
            return self.value(trigger, seen), float(seen.gap_rate[i])

        return _decreasing_root(from_zero if gap <= TOUCH else plainly, h)

    def _length_on_terrain(self, trigger: Trigger, t: float, x: Vector, h: float) -> float | None:
        """The same for a contact on a terrain, whose gap is looked up."""
        name = self.probe.mode.switching[trigger.contact].name
        rough = next(entry for entry in self.holds.roughs if entry.name == name)

        def at(s: float) -> Place:
            rows = self.probe.places(np.array([t + s]), self.probe.after(t, x, s)[None])
            return place_of(rows[name][0])

        def gap_at(s: float) -> tuple[float, float]:
            return gap_and_rate(self.holds, rough, at(s))

        if trigger.feature is not None:
            return length_to_end(self.holds, rough, trigger.feature, at, h)
        gap, rate = gap_at(0.0)
        if trigger.kind == "brush":
            if gap_at(h)[1] <= 0.0 or rate >= 0.0:
                return None
            h = root_between(lambda s: gap_at(s)[1], 0.0, h, xtol=ROUND_OFF)
            if gap_at(h)[0] >= -TOUCH:
                return None
        if gap <= TOUCH and rate <= 0.0:
            return 0.0

        def from_zero(s: float) -> tuple[float, float]:
            later, speed = gap_at(s)
            return (later - gap) / s, (speed - (later - gap) / s) / s

        return _decreasing_root(from_zero if gap <= TOUCH else gap_at, h)


def _decreasing_root(function: Callable[[float], tuple[float, float]], high: float) -> float:
    """Root in (0, high] of a function that is positive at first and negative at the end, by Newton's method within bounds."""
    low, s = 0.0, high
    for _ in range(ITERATIONS):
        value, slope = function(s)
        if value > 0.0:
            low = s
        else:
            high = s
        following = s - value / slope if slope < 0.0 else 0.5 * (low + high)
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - s) <= ROUND_OFF or value == 0.0:
            # A function that jumps, where a part of a terrain comes into sight, is not positive just after the jump.
            return s if value == 0.0 else high if high - low <= 4.0 * ROUND_OFF else following
        s = following
    return s


def _after_change(holds: Callable[[float], bool], high: float) -> float:
    """End of the shortest step after which a condition is as at the end of the whole step, by bisection."""
    low, wanted = 0.0, holds(high)
    if holds(low) == wanted:
        return high  # the change lies at the very end: the instant of the sample differs from this one by round-off
    while high - low > ROUND_OFF and low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) == wanted else (middle, high)
    return high


# -- schemes --------------------------------------------------------------------------------------------------

Located = tuple[float, Vector, list[Trigger]]
Locate = Callable[[Search, float, Vector, float, list[Trigger]], Located | None]


def locate_exactly(search: Search, t: float, x: Vector, h: float, triggers: list[Trigger]) -> Located | None:
    """Length of the step to the earliest event, the state there, and what happens; None if it was no event after all."""
    lengths = {trigger: search.length_to(trigger, t, x, h) for trigger in triggers}
    found = {trigger: length for trigger, length in lengths.items() if length is not None}
    if not found:
        return None
    length = min(found.values())
    return length, search.probe.after(t, x, length), [k for k, s in found.items() if s - length <= SAME_INSTANT]


def rewind_and_refine(search: Search, t: float, x: Vector, h: float, triggers: list[Trigger]) -> Located | None:
    """The sources' scheme (Mauny 2018, fig. 3.7): replay from the last good state with ever shorter steps.

    The event is taken to happen at the last state before it, that is up to the shortest step too early.
    """
    done, state = 0.0, x
    happened = [trigger for trigger in triggers if trigger.kind not in ONLY_PERHAPS]
    # Whether a contact takes part is asked at its touch, which a shorter step need not end at.
    happened = [k for k in happened if not search.is_gated(k) or search.length_to(k, t, x, h) is not None]
    if not happened:
        return locate_exactly(search, t, x, h, triggers)
    last = search.probe.look(t, x)
    step = h
    while step > SHORTEST:
        step *= REDUCTION
        for _ in range(round(1.0 / REDUCTION)):
            trial = search.probe.after(t + done, state, step)
            seen = search.probe.look(t + done + step, trial)
            both = Seen(*(np.stack([a, b]) for a, b in zip(vars(last).values(), vars(seen).values(), strict=True)))
            instants, pair = np.array([t + done, t + done + step]), np.stack([state, trial])
            crossed = [k for _, some in search.crossings(both, instants, pair) for k in some if k in happened]
            if crossed:
                happened = crossed
                break
            done, state, last = done + step, trial, seen
    return done, state, happened


SCHEMES: dict[str, Locate] = {"exact": locate_exactly, "source": rewind_and_refine}
