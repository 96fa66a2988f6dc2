"""Wheels that come to lie on their flat side, lie there, and tip up again over a point of their rim.

The ground pushes a side that lies with a force within its rim, so that the velocities (v, r w) of its middle, away from the
ground and of tipping, and what the ground does, (N, M/r), are vectors of one circular cone, across each other (docs/theory.md
(Q10)):

    both at rest           it lies: neither moves, |M| <= r N
    both on the border     it tips over the point of the rim in which the force acts
    no force               it leaves the ground

An impact is the same on impulses. A wheel counts as flat from some tenths of a millionth of a radian on: what that leaves of
its gap is some hundredths of a micrometre.
"""

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.lie import SE3, ops
from locomotor.model import Contact
from locomotor.model.contacts import Lying, may_lie
from locomotor.simulation.events.collisions import Aftermath, Rows, Wheel, collide, normal_and_axis, rows_at, wheel_on, without
from locomotor.simulation.events.endings import VelocitiesLostError
from locomotor.simulation.events.kinds import OfContact, Search, Trigger, length_to, length_to_zero, respond, watcher
from locomotor.simulation.events.modes import Modes
from locomotor.simulation.events.moment import Change, Moment, tell, without_impulse
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen, Whole
from locomotor.simulation.roots import ROUND_OFF, root_between
from locomotor.simulation.terrain import Footholds, Place, beyond_face, place_of
from locomotor.tracing.contacts import Switching
from locomotor.typing import Vector

FLAT = 1e-13
"""Squared sine of the angle to the ground below which a wheel that touches it lies."""
RISEN = 1e-6
"""Sine of the angle from which a wheel that tips stands on its lowest point."""
FALLEN = 1e-10
"""By so much less than at first a wheel that tips has fallen back."""
ENTERS = 1e-9
"""A rim enters the ground where it is faster than this share of the speeds around."""
SLOW = 1e-3
"""A wobble of which no point of the rim is faster (m/s) raises it by less than a tenth of a micrometre: it has come to rest."""
PARALLEL = 1.0 - 1e-9
"""Cosine of the angle between the normals of parts of a terrain that are one to a side that lies on them."""
ROUNDS = 8
"""Turns in which the point of the rim is found over which an impact tips a wheel."""

# -- it comes to lie ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LiesFlat(OfContact):
    """A wheel has come down to its side, or back to it."""

    ORDER = 2


@respond.register
def _(trigger: LiesFlat, plan: EventPlan, change: Change) -> Change:
    return replace(change, closing=change.closing | {trigger.contact})


def falls_flat(plan: EventPlan, now: Moment, state: Vector) -> tuple[Trigger, ...]:
    """The wheels that lie flat in a state at which the steps of a moment fail, where all of them may lie."""
    if not now.mode.wheels:
        return ()
    margins = now.probe(plan).look(now.time, state).pivots[-now.mode.wheels :]
    flat = [name for name, margin in zip(now.mode.wheel_names, margins, strict=True) if margin <= 0.0]
    numbers = [plan.modes.names.index(name) for name in flat]
    if not all(_may_lie(plan.modes.switching[i], now.holds) for i in numbers):
        return ()
    return tuple(LiesFlat(i) for i in numbers)


def laid(plan: EventPlan, change: Change) -> Change:
    """The change with those wheels on their sides that are to collide and are flat."""
    now, modes = change.now, plan.modes
    names = [modes.names[i] for i in change.closing]
    if not any(may_lie(entry) for entry in modes.switching if isinstance(entry, Contact) and entry.name in names):
        return change
    return change.at(replace(now, holds=on_sides(modes, now.holds, names, now.whole(plan).q, now.time)))


def on_sides(modes: Modes, holds: Footholds, names: Collection[str], q: Vector, time: float) -> Footholds:
    """Footholds with those of some contacts on their sides that are wheels and flat, and none of the others."""
    sides = {name: side for name, side in holds.sides.items() if name not in names}
    for entry in modes.switching:
        if entry.name in names and isinstance(entry, Contact) and _may_lie(entry, holds):
            across = ops.cross(*normal_and_axis(modes, entry, q, holds, time))
            if float(across @ across) < FLAT:
                sides[entry.name] = ()
                holds = _without_ends(holds, entry.name, wheel_on(modes, entry.name, q, holds, time))
    return holds.on_sides(sides)


def _without_ends(holds: Footholds, slot: str, wheel: Wheel) -> Footholds:
    """Footholds of a wheel on its side without those that are only the border of what it lies on: ends of its chords."""
    rough = holds.owners.get(slot)
    if rough is None:
        return holds
    placed = SE3(wheel.rotation, wheel.position)
    ends = [
        other
        for other in rough.slots
        if other != slot and other in holds.footings and float(holds.footings[other].at(placed)[1] @ wheel.normal) > PARALLEL
    ]
    return holds.standing_on({name: entry for name, entry in holds.footings.items() if name not in ends}) if ends else holds


def _may_lie(entry: Switching, holds: Footholds) -> bool:
    """Whether something is a wheel that may lie on what it stands on."""
    if not isinstance(entry, Contact) or not may_lie(entry):
        return False
    footing = holds.footings.get(entry.name)
    return footing.feature.kind == "face" if footing is not None else entry.name not in holds.owners


def struck(plan: EventPlan, now: Moment, whole: Whole, closing: list[int]) -> tuple[Moment, Rows, Aftermath]:
    """An impact, and the moment with those wheels on a point of their rim that do not stay on their side in it.

    Where the impulse would have to act outside of the rim to keep a side from tipping, it acts at the rim: at the point that
    the velocities after the impact lead down most. A wobble that is too slow to raise it comes to rest.
    """
    modes, slow = plan.modes, list[int]()
    standing = frozenset(name for name in now.mode.closed if name not in now.holds.owners or name in now.holds.footings)
    for _ in range(ROUNDS):
        rows = rows_at(modes, whole.q, now.holds, now.time)
        result = collide(modes, rows, whole.v, standing, closing, slow)
        tips, wobbles = _tipping(plan, now, whole, result.velocity)
        if not tips and wobbles.issubset(slow):
            break
        slow = sorted({*slow, *wobbles})
        now = replace(now, holds=now.holds.on_sides({**now.holds.sides, **tips}))
    if still := [rows.turning[modes.names[i]] for i in slow if modes.names[i] in result.closed]:
        normals = [rows.switching[i][:1] for i, name in enumerate(modes.names) if name in result.closed]
        v = without(rows.mass, still, np.vstack([rows.held, *normals]), result.velocity)
        result = replace(result, velocity=v)
    return now, rows, result


def _tipping(plan: EventPlan, now: Moment, whole: Whole, v: Vector) -> tuple[dict[str, tuple[float, ...]], set[int]]:
    """Wheels on their sides of which a point of the rim would enter the ground with velocities v, and the direction to it.

    And the numbers of those that would do so only slowly.
    """
    found: dict[str, tuple[float, ...]] = {}
    wobbles: set[int] = set()
    speed = max(1e-3, float(np.abs(v).max(initial=0.0)), float(np.abs(whole.v).max(initial=0.0)))
    for name, side in now.holds.sides.items():
        wheel = wheel_on(plan.modes, name, whole.q, now.holds, now.time)
        turn = wheel.turning @ v
        lower = -np.cross(wheel.normal, turn - (turn @ wheel.normal) * wheel.normal)
        size = float(np.linalg.norm(lower))
        down = wheel.radius * size - float(wheel.normal @ (wheel.middle @ v))
        if size > 0.0 and down > max(ENTERS * speed, SLOW):
            found[name] = _along_rim(wheel.rotation, wheel.axis, lower / size)
        elif down > ENTERS * speed and not side:
            wobbles.add(plan.modes.names.index(name))
    return found, wobbles


def _along_rim(rotation: Vector, axis: Vector, direction: Vector) -> tuple[float, float, float]:
    """A direction of the world as a unit one in the plane of a wheel, in body axes."""
    within = direction - (direction @ axis) * axis
    x, y, z = (rotation.T @ (within / float(np.linalg.norm(within)))).tolist()
    return x, y, z


# -- it tips up -----------------------------------------------------------------------------------------------


def tipped(plan: EventPlan, change: Change, contact: int) -> Change:
    """The change after the force on a side that lies has come to its rim: it tips over that point."""
    now, modes = change.now, plan.modes
    name, whole = modes.names[contact], now.whole(plan)
    moment = now.look(plan).moment[contact]
    wheel = wheel_on(modes, name, whole.q, now.holds, now.time)
    towards = _along_rim(wheel.rotation, wheel.axis, np.cross(wheel.normal, moment))
    there = replace(now, holds=now.holds.on_sides({**now.holds.sides, name: towards}))
    return switch(plan, change.at(there), now.mode.closed, whole, whole.v)


def lies(now: Moment, contact: int) -> bool:
    """Whether a contact is a wheel that lies on its side."""
    return isinstance(now.mode.switching[contact], Lying)


@dataclass(frozen=True)
class Rises(OfContact):
    """A wheel that tips has risen so far that it has a lowest point."""

    ORDER = 2


@dataclass(frozen=True)
class FallsBack(LiesFlat):
    """A wheel that tips falls back to its side."""


def _tipping_among(search: Search) -> list[int]:
    tips = {name for name, towards in search.holds.sides.items() if towards}
    return [i for i, entry in enumerate(search.mode.switching) if entry.name in tips] if tips else []


@watcher
def _rising(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, Trigger]]:
    for i in _tipping_among(search):
        tilt = seen.tilt[:, i]
        for kind, where in ((Rises, tilt[1:] > RISEN), (FallsBack, _fallen(tilt))):
            if where.any():
                yield int(where.argmax()) + 1, kind(i)


def _fallen(tilt: Vector) -> Vector:
    """Samples after the first at which a wheel is below where it was, and below lying flat."""
    return np.asarray((tilt[1:] < np.minimum.accumulate(tilt)[:-1] - FALLEN) & (tilt[1:] < 0.0))


@length_to.register
def _(trigger: FallsBack, search: Search, t: float, x: Vector, h: float) -> float:
    first = float(search.probe.look(t, x).tilt[trigger.contact])
    level = 0.0 if first > 0.0 else first - FALLEN
    return length_to_zero(search, t, x, h, lambda seen: seen.tilt[trigger.contact] - level)


@length_to.register
def _(trigger: Rises, search: Search, t: float, x: Vector, h: float) -> float:
    return length_to_zero(search, t, x, h, lambda seen: RISEN - seen.tilt[trigger.contact])


@respond.register
def _(trigger: Rises, plan: EventPlan, change: Change) -> Change:
    now = change.now
    whole, name = now.whole(plan), plan.modes.names[trigger.contact]
    sides: Mapping[str, tuple[float, ...]] = {other: side for other, side in now.holds.sides.items() if other != name}
    there = change.at(replace(now, holds=now.holds.on_sides(sides)))
    try:
        return switch(plan, there, now.mode.closed, whole, whole.v)
    except VelocitiesLostError:
        # Pushed aside meanwhile, it is lowest elsewhere: the tenth of a millimetre a second that does not fit is struck off.
        return replace(there, closing=change.closing | {trigger.contact})


# -- it tips over the border of what it lies on ---------------------------------------------------------------


@dataclass(frozen=True)
class TipsOverBorder(OfContact):
    """The force on a side that lies on a terrain has come to the border of its face, beyond which nothing pushes."""

    ORDER = 5


def _beyond(search: Search, seen: Seen, place: Place, i: int) -> float:
    """How far (m) the force on a side that lies is outside of the flat piece beneath it, negative inside."""
    footing = search.holds.footings[search.mode.switching[i].name]
    centre = footing.rough.shape.centre_in(place.pose)
    return beyond_face(footing.rough, footing.feature, centre + pressed_at(seen, footing.vectors["normal"], i))


def pressed_at(seen: Seen, normal: Vector, i: int) -> Vector:
    """Where the force of the ground acts on a side that lies, from its middle."""
    return np.asarray(np.cross(normal, seen.moment[i]) / max(float(seen.normal_force[i]), 1e-300))


@watcher
def _over_border(search: Search, seen: Seen, times: Vector, states: Vector) -> Iterator[tuple[int, Trigger]]:
    for i in search.mode.pushing.tolist():
        entry = search.mode.switching[i]
        if isinstance(entry, Lying) and entry.name in search.holds.footings:
            name = search.holds.footings[entry.name].rough.name
            rows = search.probe.places(times, states)[name]
            for k in range(1, len(times)):
                if _beyond(search, seen.at(k), place_of(rows[k]), i) > 0.0:
                    yield k, TipsOverBorder(i)
                    break


@length_to.register
def _(trigger: TipsOverBorder, search: Search, t: float, x: Vector, h: float) -> float:
    name = search.holds.footings[search.mode.switching[trigger.contact].name].rough.name

    def left(s: float) -> float:
        state = search.probe.after(t, x, s)
        rows = search.probe.places(np.array([t + s]), state[None])[name]
        return -_beyond(search, search.probe.look(t + s, state), place_of(rows[0]), trigger.contact)

    return root_between(left, 0.0, h, xtol=ROUND_OFF) if left(0.0) > 0.0 else 0.0


@respond.register
def _(trigger: TipsOverBorder, plan: EventPlan, change: Change) -> Change:
    """It goes over to the ends of the chord above the edge at which the face ends."""
    now, slot = change.now, plan.modes.names[trigger.contact]
    if slot not in now.holds.footings or now.holds.sides.get(slot) != ():
        return change
    footing, whole = now.holds.footings[slot], now.whole(plan)
    place = now.places(plan)[footing.rough.name]
    centre = footing.rough.shape.centre_in(place.pose)
    force = centre + pressed_at(now.look(plan), footing.vectors["normal"], trigger.contact)
    holds, ends = now.holds.over_border(slot, place, force)
    closed = (now.mode.closed - {slot}) | frozenset(ends)
    change = switch(plan, change.at(replace(now, holds=holds)), closed, whole, whole.v)
    kind = "tips" if ends else "lift-off"
    return tell(
        plan, change, [without_impulse(slot, kind)], whole.energy, note=f"over the border of face {footing.feature.number}"
    )


# -- what is told ---------------------------------------------------------------------------------------------


def tell_sides(plan: EventPlan, before: Moment, change: Change) -> Change:
    """Record who has come to lie on its side, and who tips up from it."""
    old, new = before.holds.sides, change.now.holds.sides
    lying = sorted(name for name, towards in new.items() if not towards and old.get(name) != ())
    rising = sorted(name for name, towards in new.items() if towards and old.get(name) == ())
    if not lying and not rising:
        return change
    energy = change.now.whole(plan).energy
    told = [*(without_impulse(name, "lies") for name in lying), *(without_impulse(name, "tips") for name in rising)]
    return tell(plan, change, told, energy)
