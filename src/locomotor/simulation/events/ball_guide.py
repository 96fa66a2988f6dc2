"""Ball joints that slide slowly beside what their friction does: as slips in space, they are guided (see `guide`).

Across its angular velocity w the friction of a ball joint damps with the rate K/|w|, K the acceleration that it can make. One
that begins to slide where its friction is just exhausted hardly accelerates, so that its direction is decided at once: it is
the one along which it accelerates, or where it does not accelerate yet, the one that it has after a step along it.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from locomotor.dataclass import replace
from locomotor.simulation.events.collisions import condensed, without
from locomotor.simulation.events.moment import Moment, entering
from locomotor.simulation.events.pace import SHARE, length_ahead, spinning, while_held
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.slip import Slip, direction
from locomotor.typing import Vector

SLUGGISH = 0.1
"""A ball joint accelerates slowly if it does by less than this share of what its friction can do."""
RESOLVED = 32
"""Parts into which a step is divided to resolve how it turns; one that would need more is guided."""
CREEPING = 1e-3
"""One that accelerates by more than this share takes fewer steps to resolve, and is guided below a speed as much less."""
LEAVES = 2.0
"""A guided one goes its own way from so many times the speed, or acceleration, at which it would be guided."""
MARGINAL = 1e-6
"""One that accelerates by less than this share of what its friction can do has no direction yet: that of its step is taken."""
TURNED = 1e-6
"""A guided one gets a new direction where it differs by more than this (rad)."""
NEWTON, NUDGE = 4, 1e-4
"""Steps towards the direction of a step, and the angle (rad) by which it is varied to find them."""
SWEEPS = 6
"""Times that several are asked in turn."""
MOST_AIMED = 0.5
"""How far (rad) that direction may be from the first."""


def guide_balls(plan: EventPlan, now: Moment) -> Moment | None:
    """The moment with other ball joints guided, or in other directions; None where all is as it should be."""
    chosen = now.mode.spinning.tolist()
    if not chosen:
        return None
    seen, names, before = now.look(plan), plan.modes.names, now.holds
    guided, marginal = [], []
    for i, strength in spinning(plan, now, seen).items():
        speed, rate = float(np.linalg.norm(seen.slip[i])), float(np.linalg.norm(seen.slip_rate[i]))
        times = LEAVES if names[i] in before.led else 1.0
        worth = min(1.0, CREEPING * strength / max(rate, 1e-300))
        slow = speed < times * worth * strength * plan.grid.step / (RESOLVED * SHARE)
        if strength > 0.0 and slow and rate < times * SLUGGISH * strength:
            guided.append(i)
            if names[i] not in before.led and rate < MARGINAL * strength:
                marginal.append(i)
    if not guided and not before.led:
        return None
    slides = dict(before.slides)
    for i in chosen:
        if i not in guided and names[i] in before.led:
            slides[names[i]] = direction(seen.slip[i] / max(float(np.linalg.norm(seen.slip[i])), 1e-300))
    for i, way in _following(plan, now, seen, guided).items():
        if names[i] not in before.led or np.linalg.norm(way - np.asarray(slides[names[i]])) > TURNED:
            slides[names[i]] = direction(way)
    led = frozenset(names[i] for i in guided)
    if len(marginal) == 1:  # of several the first instant is one solution: aimed one by one they part
        slides[names[marginal[0]]] = direction(_aimed(plan, now, slides, led, marginal[0]))
    if slides == before.slides and led == before.led:
        return None
    there = replace(now, holds=before.sliding(slides, led))
    whole = now.whole(plan)
    v = _turned(plan, now, whole.v, {i: np.asarray(slides[names[i]]) for i in guided})
    return entering(plan, there, now.mode, now.mode.state_of(whole.q, v, whole.own))


def _following(plan: EventPlan, now: Moment, seen: Seen, guided: list[int]) -> dict[int, Vector]:
    """Directions near their own in which guided ball joints speed up or slow down, and do not turn: each in turn."""
    if not guided:
        return {}
    rows, held = while_held(plan, now)
    W = condensed(rows.mass, [rows.switching[i] for i in guided], held)
    bounds, names = seen.twisting[guided].tolist(), plan.modes.names
    ways = [_way(now, seen, names[i], i) for i in guided]
    free = seen.slip_rate[guided].ravel() + W @ np.concatenate([b * way for b, way in zip(bounds, ways, strict=True)])
    blocks = [slice(3 * k, 3 * k + 3) for k in range(len(guided))]
    for _ in range(SWEEPS if len(guided) > 1 else 1):
        before = list(ways)
        for k, (own, bound) in enumerate(zip(blocks, bounds, strict=True)):
            others = (b * W[own, other] @ way for other, b, way in zip(blocks, bounds, ways, strict=True) if other != own)
            ways[k] = _about_itself(partial(_rate, sum(others, free[own] * 0.0), free[own], bound * W[own, own]), ways[k])
        if all(np.linalg.norm(new - old) < 0.1 * TURNED for new, old in zip(ways, before, strict=True)):
            break
    return dict(zip(guided, ways, strict=True))


def _rate(others: Vector, free: Vector, own: Vector, way: Vector) -> Vector:
    """Acceleration of a ball joint that slides some way, beside what others do to it."""
    return np.asarray(free - others - own @ way)


def _way(now: Moment, seen: Seen, name: str, i: int) -> Vector:
    """The direction in which a ball joint slides now."""
    speed = float(np.linalg.norm(seen.slip[i]))
    noted = np.asarray(now.holds.slides[name])
    return noted if name in now.holds.led or speed == 0.0 else seen.slip[i] / speed


def _aimed(plan: EventPlan, now: Moment, slides: Slip, led: frozenset[str], joint: int) -> Vector:
    """The direction of a ball joint that has none yet: such that after the next step it turns about it.

    What is across after a step is all but linear in the direction, so that Newton's method takes a step or two.
    """
    name = plan.modes.names[joint]
    first = np.asarray(slides[name])
    h = length_ahead(plan, replace(now, holds=now.holds.sliding(slides, led)))

    def after(way: Vector) -> Vector:
        holds = now.holds.sliding({**slides, name: direction(way)}, led)
        probe = plan.probe_on(now.mode, holds)
        return probe.look(now.time + h, probe.after(now.time, now.state, h)).slip[joint]

    found = _about_itself(after, first)
    return found if after(found) @ found > 0.0 else first


def _about_itself(after: Callable[[Vector], Vector], first: Vector) -> Vector:
    """The direction near a first one of which a function is a multiple; the first where none is found."""
    aside = np.linalg.svd(first[None])[2][1:]

    def towards(turn: Vector) -> Vector:
        found = first + turn @ aside
        return np.asarray(found / np.linalg.norm(found))

    def across(turn: Vector) -> Vector:
        way = towards(turn)
        found = after(way)
        return np.asarray(aside @ (found - (found @ way) * way))

    turn = np.zeros(2)
    for _ in range(NEWTON):
        left = across(turn)
        slopes = np.column_stack([(across(turn + NUDGE * unit) - left) / NUDGE for unit in np.eye(2)])
        if not np.isfinite(slopes).all() or np.linalg.matrix_rank(slopes) < 2:
            return first
        turn = turn - np.linalg.solve(slopes, left)
        if not float(np.linalg.norm(turn)) < MOST_AIMED:
            return first
    return towards(turn)


def _turned(plan: EventPlan, now: Moment, v: Vector, directions: dict[int, Vector]) -> Vector:
    """Velocities without what is across the directions of guided ball joints, which friction has damped."""
    if not directions:
        return v
    rows, held = while_held(plan, now)
    across = [np.linalg.svd(way[None])[2][1:] @ rows.switching[i] for i, way in directions.items()]
    return without(rows.mass, across, held, v)
