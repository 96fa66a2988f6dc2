"""How long a step may be while contacts slip in space: their friction turns with the slip, the faster the slower it is.

Across a slip s friction is a damper of strength mu N / |s|, so that a step h is stable, and its directions resolved, only while
h mu N W / |s| is about one (W: what a unit force does across the slip). Towards rest, and away from it, steps are
shortened with the slip. Slips that keep their directions need no such care: what passes through zero there is located as it is.
"""

import numpy as np

from locomotor.mechanics.impacts import Collision
from locomotor.simulation.events.collisions import rows_at
from locomotor.simulation.events.moment import Moment
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.slip import STOPPED
from locomotor.typing import Vector

STRAIGHT = 1e-9
"""A slip whose rate is across it by less than this share keeps its direction."""
ALIGNED = 1e-12
"""A slip within this angle (rad) of the direction noted for it passes through zero in a straight line."""
SHARE = 0.7
"""Length of a step in units of the time in which friction across a slip damps."""
TURN = 0.1
"""Angle (rad) by which a slip may turn in a step."""
TOGETHER = 4
"""Short steps that are taken before their length is chosen anew; in all of them a slip loses half its speed at most."""


def longest_step(plan: EventPlan, now: Moment) -> float:
    """Length (s) of the longest step from a moment at which contacts slip; infinite where their slips are straight."""
    seen = now.look(plan)
    found = float(_lengths(now, Seen(*(values[None] for values in vars(seen).values())))[0])
    return min(found, SHARE / damping(plan, now, seen)) if np.isfinite(found) else found


def _lengths(now: Moment, seen: Seen) -> Vector:
    """By the slips alone: how long a step may be from each of some samples. Near zero anything across them is all there is."""
    slip, rate = seen.slip[:, now.mode.slipping], seen.slip_rate[:, now.mode.slipping]
    speed, size = np.linalg.norm(slip, axis=-1), np.linalg.norm(rate, axis=-1)
    across = np.linalg.norm(np.cross(slip, rate), axis=-1)
    noted = np.array([now.holds.slips[now.mode.switching[i].name] for i in now.mode.slipping.tolist()])
    aside = np.linalg.norm(np.cross(slip, noted), axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        turns, fades = TURN * speed * speed / across, 0.5 / TOGETHER * speed / size
    turns = np.where(across > STRAIGHT * speed * size, turns, np.inf)
    fades = np.where(aside > ALIGNED * speed, fades, np.inf)
    return np.asarray(np.where(speed > STOPPED, np.minimum(turns, fades), np.inf).min(axis=-1))


def first_slow(plan: EventPlan, now: Moment, seen: Seen, h: float) -> int:
    """The first sample, from 1 on, after which steps of a length are too long; beyond the last where there is none."""
    lengths = _lengths(now, seen)[1:]
    bent = np.isfinite(lengths)
    if not bent.any():
        return len(lengths) + 1
    speed = np.linalg.norm(seen.slip[:, now.mode.slipping], axis=-1).min(axis=-1)
    needed = damping(plan, now, now.look(plan)) * max(float(speed[0]), STOPPED) * h / SHARE
    short = bent & ((lengths < h) | (speed[1:] < needed))
    return int(short.argmax()) + 1 if short.any() else len(lengths) + 1


def damping(plan: EventPlan, now: Moment, seen: Seen) -> float:
    """The largest rate (1/s) at which friction damps what is across the slips."""
    modes = plan.modes
    whole = now.whole(plan)
    rows = rows_at(modes, whole.q, now.holds.footings, now.time)
    across, weights, held = [], [], [rows.held]
    directions = {}
    for i in now.mode.slipping.tolist():
        speed = float(np.linalg.norm(seen.slip[i]))
        told = np.asarray(now.holds.slips[modes.names[i]])
        directions[i] = (told, STOPPED) if speed <= STOPPED else (seen.slip[i] / speed, speed)
    for i, entry in enumerate(modes.switching):
        if entry.name not in now.mode.closed:
            continue
        own = rows.switching[i]
        if i not in directions:
            held.append(own)
            continue
        held.append(own[:1])
        along, speed = directions[i]
        comps = rows.frames[i][1:] @ along
        left = np.eye(len(comps)) - np.outer(comps, comps)
        friction = float(entry.law.sliding_at(modes.values, speed))
        across.append(left @ own[1:])
        weights += [max(friction * float(seen.normal_force[i]), 0.0) / speed] * len(comps)
    collision = Collision(rows.mass, across, np.vstack(held), np.zeros(len(rows.mass)))
    first = collision.starts[-1]
    W, beside, own = collision.W[:first, :first], collision.W[:first, first:], collision.W[first:, first:]
    if len(own):
        W = W - beside @ np.linalg.lstsq(own, beside.T, rcond=1e-12)[0]
    root = np.sqrt(np.array(weights))
    return max(float(np.linalg.eigvalsh(root[:, None] * W * root).max(initial=0.0)), 1e-300)
