"""Slips in space that are slow beside what friction does: their directions follow the forces, not their own history.

A slip that begins where friction is just exhausted has no acceleration at first, while friction across it damps with the rate
K/|s|, K the acceleration that friction can make: directions are decided at once, and steps that resolve this would be without
end. Such a slip is guided: for a step or more its direction e is the one along which it accelerates, and its velocity is turned
into that direction. When it has become faster, or its acceleration comparable to K, it goes its own way again.
"""

from collections.abc import Callable, Mapping

import numpy as np

from locomotor.complementarity.friction import Choice, equations
from locomotor.dataclass import dataclass, replace
from locomotor.model import Contact
from locomotor.simulation.events.ball_guide import guide_balls
from locomotor.simulation.events.collisions import rows_at, without
from locomotor.simulation.events.ground import Ground, ground_at
from locomotor.simulation.events.kinds import Trigger, respond
from locomotor.simulation.events.moment import Change, Moment, entering
from locomotor.simulation.events.pace import SHARE, around, braking, length_ahead
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen, Whole
from locomotor.simulation.events.slip import REST
from locomotor.typing import Vector

Direction = tuple[float, float, float]

SLUGGISH = 0.1
"""A slip accelerates slowly if it does by less than this share of what friction can do."""
RESOLVED = 32
"""Parts into which a step is divided to resolve how a slip turns; one that would need more is guided."""
LEAVES = 2.0
"""A guided slip goes its own way from so many times the speed, or acceleration, at which it would be guided."""
MARGINAL = 1e-6
"""A slip that accelerates by less than this share of what friction can do has no direction yet: that of its step is taken."""
SECANTS, MOST_AIMED = 4, 0.5
"""Steps towards that direction, and how far (rad) it may be from the first."""
TURNED = 1e-3
"""A guided slip gets a new direction where it differs by more than this (rad)."""
KEPT = 0.5
"""Share of itself that a slip keeps where its velocity is turned into its direction."""
SWEEPS, ITERATIONS = 6, 20


def guidance(plan: EventPlan, now: Moment) -> Moment | None:
    """The moment with other slips guided, or in other directions; None where all is as it should be."""
    slips = _guide_slips(plan, now)
    return guide_balls(plan, now if slips is None else slips) or slips


def _guide_slips(plan: EventPlan, now: Moment) -> Moment | None:
    """The same of contacts."""
    if not len(now.mode.freely_slipping):  # along one line a slip keeps its direction
        return None
    seen, names = now.look(plan), plan.modes.names
    strengths, guided, marginal = braking(plan, now, seen), set(), set()
    for i, strength in strengths.items():
        speed, rate = float(np.linalg.norm(seen.slip[i])), float(np.linalg.norm(seen.slip_rate[i]))
        times = LEAVES if names[i] in now.holds.guided else 1.0
        slow = speed < times * strength * min(plan.grid.step, around(now)) / (RESOLVED * SHARE)
        patched = isinstance(plan.modes.switching[i], Contact) and now.mode.switching[i].law.pivots
        if strength > 0.0 and slow and rate < times * SLUGGISH * strength and not patched:
            guided.add(i)
            if (names[i] not in now.holds.guided and rate < MARGINAL * strength) or _goes_back(plan, now, seen, i):
                marginal.add(i)
    if not guided and not now.holds.guided:
        return None
    whole = now.whole(plan)
    slips = dict(now.holds.slips)
    for i in now.mode.slipping.tolist():
        if i not in guided and names[i] in now.holds.guided:
            x, y, z = seen.slip[i] / max(float(np.linalg.norm(seen.slip[i])), 1e-300)
            slips[names[i]] = (float(x), float(y), float(z))
    for i, direction in _following(plan, now, whole, guided).items():
        if names[i] not in now.holds.guided or np.linalg.norm(direction - np.asarray(slips[names[i]])) > TURNED:
            x, y, z = direction
            slips[names[i]] = (float(x), float(y), float(z))
    chosen = frozenset(names[i] for i in guided)
    for i in marginal if len(marginal) == 1 else ():  # the first instant of several is one solution: aimed one by one they part
        slips = {**slips, names[i]: _aimed(plan, now, slips, chosen, i)}
    if slips == now.holds.slips and chosen == now.holds.guided:
        return None
    v = _turned(plan, now, whole, {i: np.asarray(slips[names[i]]) for i in guided})
    there = replace(now, holds=now.holds.slipping(slips, chosen))
    return entering(plan, there, now.mode, now.mode.state_of(whole.q, v, whole.own))


def _goes_back(plan: EventPlan, now: Moment, seen: Seen, contact: int) -> bool:
    """Whether a slip that begins at rest, if guided, goes backwards in the next step."""
    if float(np.linalg.norm(seen.slip[contact])) > REST:
        return False
    name = plan.modes.names[contact]
    led = replace(now, holds=now.holds.slipping(now.holds.slips, now.holds.guided | {name}))
    h, probe = length_ahead(plan, led), plan.probe_on(now.mode, led.holds)
    slip = probe.look(now.time + h, probe.after(now.time, now.state, h)).slip[contact]
    return bool(slip @ np.asarray(now.holds.slips[name]) < 0.0)


def _aimed(plan: EventPlan, now: Moment, slips: Mapping[str, Direction], chosen: frozenset[str], contact: int) -> Direction:
    """The direction of a slip that has none yet: such that the slip after the next step is along it.

    Where friction is only just exhausted, the force and the slip that begins turn as fast as it grows, and along the direction
    of the first instant it may go backwards. What is across after a step is all but linear in the direction: by secants.
    """
    name = plan.modes.names[contact]
    # The step that is taken next, which other slips may shorten: further on this one may go another way.
    h = length_ahead(plan, replace(now, holds=now.holds.slipping(slips, chosen)))
    first = np.asarray(slips[name])

    def after(direction: Vector) -> Vector:
        x, y, z = direction.tolist()
        trial = replace(now, holds=now.holds.slipping({**slips, name: (x, y, z)}, chosen))
        probe = plan.probe_on(now.mode, trial.holds)
        return probe.look(now.time + h, probe.after(now.time, now.state, h)).slip[contact]

    for _ in range(SECANTS):
        found = _along_itself(after, first, h)
        if found is not None:
            x, y, z = found.tolist()
            return x, y, z
        # On a wheel that is all but flat it may turn around within the step: where it leads then is nearer.
        slip = after(first)
        if not (np.isfinite(slip).all() and np.linalg.norm(slip) > 0.0):
            break
        first = slip / np.linalg.norm(slip)
    return slips[name]


def _along_itself(after: Callable[[Vector], Vector], first: Vector, h: float) -> Vector | None:
    """The direction near a first one that the slip has after a step of length h along it; None where none is found."""
    slip = after(first)
    normal = np.cross(first, slip)
    if not np.linalg.norm(normal) > 0.0:
        return first if slip @ first > 0.0 else None
    side = np.cross(normal / np.linalg.norm(normal), first)

    def towards(angle: float) -> Vector:
        return np.asarray(np.cos(angle) * first + np.sin(angle) * side)

    def across(angle: float) -> float:
        slip = after(towards(angle))
        return float(slip @ towards(angle + 0.5 * np.pi)) / h

    low, high = 0.0, 1e-3
    values = across(low), across(high)
    for _ in range(SECANTS):
        if not np.isfinite(values).all() or values[0] == values[1]:
            return None
        low, high = high, high - values[1] * (high - low) / (values[1] - values[0])
        if not abs(high) < MOST_AIMED:
            return None
        values = values[1], across(high)
    return towards(high) if after(towards(high)) @ towards(high) > 0.0 else None


def _following(plan: EventPlan, now: Moment, whole: Whole, guided: set[int]) -> dict[int, Vector]:
    """Directions, in world axes, along which guided slips accelerate."""
    if not guided:
        return {}
    ground = ground_at(plan, now, whole, now.look(plan), (), ())
    chosen = [
        Choice("stick")
        if np.isinf(side.mu) or (side.tangents and not side.slip.any() and not side.frictionless)
        else Choice("slip", side.slip)
        for side in ground.sides
    ]
    places = [k for k, i in enumerate(ground.contacts) if i in guided and ground.sides[k].tangents == 2]
    angles = {k: float(np.arctan2(*ground.sides[k].slip[::-1])) for k in places}
    for _ in range(SWEEPS):
        before = dict(angles)
        for k in places:
            angles[k] = _angle(ground, chosen, k, angles[k])
            chosen[k] = Choice("slip", _unit(angles[k]))
        if all(abs(angles[k] - before[k]) < 0.1 * TURNED for k in places):
            break
    return {ground.contacts[k]: _unit(angles[k]) @ ground.frames[k][1:] for k in places}


def _angle(ground: Ground, chosen: list[Choice], k: int, angle: float) -> float:
    """Where nothing accelerates a slip across its direction, by Newton's method; the given angle where it leads nowhere."""

    def across(at: float) -> float:
        trial = [*chosen[:k], Choice("slip", _unit(at)), *chosen[k + 1 :]]
        A, b = equations(ground.W, ground.q, ground.sides, trial)
        u = ground.W @ np.linalg.lstsq(A, b, rcond=1e-11)[0] + ground.q
        return float(_unit(at + 0.5 * np.pi) @ u[ground.sides[k].rows][1:])

    first, found = angle, angle
    for _ in range(ITERATIONS):
        value, slope = across(found), (across(found + 1e-6) - across(found - 1e-6)) / 2e-6
        if not slope < 0.0:  # directions are driven away from there
            return first
        step = float(np.clip(-value / slope, -0.3, 0.3))
        found += step
        if abs(step) < 0.01 * TURNED:
            return found
    return first


def _unit(angle: float) -> Vector:
    return np.array([np.cos(angle), np.sin(angle)])


def _turned(plan: EventPlan, now: Moment, whole: Whole, directions: dict[int, Vector]) -> Vector:
    """Velocities without what is across the directions of guided slips, which friction has damped."""
    modes = plan.modes
    rows = rows_at(modes, whole.q, now.holds, now.time)
    slipping = now.mode.slipping.tolist()
    parts = {i: rows.switching[i] for i, entry in enumerate(modes.switching) if entry.name in now.mode.closed}
    held = np.vstack([rows.held, *(own[:1] if i in slipping else own for i, own in parts.items())])
    across, along = [], []
    for i, direction in directions.items():
        comps = rows.frames[i][1:] @ direction
        across.append(np.array([[-comps[1], comps[0]]]) @ parts[i][1:])
        along.append(comps @ parts[i][1:])
    if not across:
        return whole.v
    v = without(rows.mass, across, held, whole.v)
    # Feet of one body go one way together: directions that differ a little would else stop it.
    kept = (np.array(along) @ v) >= KEPT * (np.array(along) @ whole.v)
    return v if kept.all() else whole.v


# -- as an event ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Guides(Trigger):
    """Slips are to be guided, or no longer, or elsewhere; nothing else happens."""

    COLLIDES = False


@respond.register
def _(trigger: Guides, plan: EventPlan, change: Change) -> Change:
    return guided(plan, change)


def guided(plan: EventPlan, change: Change) -> Change:
    """The change with slips guided that are to be."""
    found = guidance(plan, change.now) if change.now.mode.is_rubbing and change.goes_on else None
    return change if found is None else change.into(found)
