"""How long a step may be while contacts slip in space: their friction turns with the slip, the faster the slower it is.

The contact point of a wheel that all but lies flat runs around its rim, the faster the flatter: steps are shortened with the
angle by which the radius to it turns.

The same holds of ball joints whose friction turns with their angular velocity.

Across a slip s friction is a damper of strength mu N / |s|, so that a step h is stable, and its directions resolved, only while
h mu N W / |s| is about one (W: what a unit force does across the slip). Towards rest, and away from it, steps are
shortened with the slip. Slips that keep their directions need no such care: what passes through zero there is located as it is.
Nor do those of keels, which have one line in their body: friction along it is as smooth as the line turns.
"""

import math

import numpy as np

from locomotor.codegen import slip_answers
from locomotor.dataclass import replace
from locomotor.mechanics.impacts import ROUND_OFF
from locomotor.model import Contact
from locomotor.simulation.events.collisions import Rows, condensed, rows_at
from locomotor.simulation.events.moment import Moment
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Probe, Seen
from locomotor.simulation.events.slip import STOPPED
from locomotor.typing import Integers, Vector

VOID = 1e-9
"""What moves across a slip by less than this share of what a force can do there does not move."""
STRAIGHT = 1e-9
"""A slip whose rate is across it by less than this share keeps its direction."""
ALIGNED = 1e-12
"""A slip within this angle (rad) of the direction noted for it passes through zero in a straight line."""
LEVEL = 1e-12
"""A ball joint that turns across that direction by less than this (rad/s) slides straight along it."""
SHARE = 0.7
"""Length of a step in units of the time in which friction across a slip damps."""
TURN = 0.1
"""Angle (rad) by which a slip may turn in a step."""
FADED = 1e-6
"""A guided slip that is slower than this (m/s) ends within a step."""
STIFF = 20.0
"""So many times shorter than all else asks for, or more, steps would have to be for the slide of a patch to be resolved."""
WANDER = 0.04
"""Angle (rad) by which the radius to the contact point of a wheel may turn in a step."""
MEETING = 0.5
"""Share of the time in which two ends of a chord come together that a step may take: beyond it there is no chord."""
SPARE = 1.25
"""Steps that were shortened for that may exceed it so many times before their length is chosen anew."""
WHOLE = 0.999
"""Share of a step of the grid below which a step is a part of one."""
TOGETHER = 4
"""Short steps that are taken before their length is chosen anew; in all of them a slip loses half its speed at most."""


def is_hurried(now: Moment, h: float) -> bool:
    """Whether a step of a length may be too long at a moment."""
    return now.mode.is_rubbing or now.wander * h * h > WANDER * WANDER or now.holds.has_chords


def is_stiff(plan: EventPlan, now: Moment) -> bool:
    """Whether friction damps the slide of a patch far faster than the slip of the patch changes.

    A ball on a small patch that rolls on spins on its place: its slide is what the friction that it needs makes of the spin, a
    millionth of its speed, and any other is gone within microseconds. Steps that resolve that would be millions, and more and
    more towards the instant at which the spin ends. What an implicit step takes out at once is no motion. Who asks for another
    method has that, and inputs from Python have no slopes.
    """
    if not now.mode.is_rubbing or now.holds.guided or now.holds.led or now.holds.braced:
        return False
    if plan.stepper != "rk4" or plan.prober is not Probe or now.probe(plan).law is not None:
        return False
    free = unguided(now)
    if not len(_patched(plan, now, free)):
        return False
    seen = now.look(plan)
    slowly = float(_lengths(now, Seen(*(values[None] for values in vars(seen).values())), free)[0])
    if not np.isfinite(slowly):  # slips that keep their directions are resolved as they are
        return False
    every, rest = (SHARE / _damping(plan, replace(now, stiff=stiff), seen, free) for stiff in (0, 1))
    return STIFF * every < min(slowly, rest, plan.grid.step)


def _patched(plan: EventPlan, now: Moment, free: Integers) -> list[int]:
    """Those that touch with a patch."""
    names, entries = now.mode.switching, plan.modes.switching
    return [i for i in free.tolist() if isinstance(entries[i], Contact) and names[i].law.pivots]


def longest_step(plan: EventPlan, now: Moment) -> tuple[float, bool]:
    """Length (s) of the longest step from a moment; infinite where neither slips nor wheels need a short one.

    And whether only few of them may be taken together: slips fade within them, while wheels are looked at in every step.
    """
    wheels = around(now)
    slips = _longest_slip(plan, now) if now.mode.is_rubbing else math.inf
    meeting = MEETING * now.holds.until_ends_meet(now.places(plan)) if now.holds.has_chords else math.inf
    return min(wheels, slips, meeting), min(slips, meeting) < math.inf


def length_ahead(plan: EventPlan, now: Moment) -> float:
    """Length (s) of the next step from a moment."""
    h = plan.grid.plan(now.time, plan.grid.next_stop(now.time), 1)[0]
    longest = longest_step(plan, now)[0] if is_hurried(now, h) else math.inf
    return h / max(1, math.ceil(h / longest))


def around(now: Moment) -> float:
    """Length (s) of the longest step for the wheels of a moment alone."""
    return WANDER / math.sqrt(now.wander) if now.wander > 0.0 else math.inf


def _longest_slip(plan: EventPlan, now: Moment) -> float:
    """The longest step from a moment at which contacts slip; infinite where their slips are straight."""
    free = unguided(now)
    if not len(free) and not len(now.mode.turning) and not now.holds.guided and not now.holds.led:
        return np.inf
    seen = now.look(plan)
    led = _longest_guided(now, seen)
    if not len(free) and not len(now.mode.turning):
        return led
    found = float(_lengths(now, Seen(*(values[None] for values in vars(seen).values())), free)[0])
    return min(found, led, SHARE / _damping(plan, now, seen, free)) if np.isfinite(found) else min(found, led)


def _longest_guided(now: Moment, seen: Seen) -> float:
    """The longest step for slips that are guided and braked: their directions turn as they fade, and are found once a step."""
    found, led = math.inf, now.holds.guided | now.holds.led
    for i in (*now.mode.slipping.tolist(), *now.mode.spinning.tolist()):
        if now.mode.switching[i].name in led:
            speed, braked = float(np.linalg.norm(seen.slip[i])), -float(seen.slip[i] @ seen.slip_rate[i])
            if speed > FADED and braked > 0.0:
                found = min(found, 0.5 * speed * speed / braked)
    return found


def unguided(now: Moment) -> Integers:
    """Contacts that slip, and ball joints that slide, where their velocities say; not those that know one line only."""
    names = now.mode.switching
    moving = [*now.mode.freely_slipping.tolist(), *now.mode.spinning.tolist()]
    led = now.holds.guided | now.holds.led
    return np.array([i for i in moving if names[i].name not in led], dtype=np.int64)


def _lengths(now: Moment, seen: Seen, free: Integers) -> Vector:
    """By the slips alone: how long a step may be from each of some samples. Near zero anything across them is all there is."""
    slip, rate, noted = _moving(now, seen, free)
    speed, size = np.linalg.norm(slip, axis=-1), np.linalg.norm(rate, axis=-1)
    across = _across(slip, rate)
    aside = _across(slip, noted)
    with np.errstate(divide="ignore", invalid="ignore"):
        turns, fades = TURN * speed * speed / across, 0.5 / TOGETHER * speed / size
    turns = np.where(across > STRAIGHT * speed * size, turns, np.inf)
    straight = np.array([LEVEL if i in now.mode.spinning else 0.0 for i in free] + [0.0] * len(now.mode.turning))
    fades = np.where(aside > np.maximum(ALIGNED * speed, straight), fades, np.inf)
    return np.asarray(np.where(speed > STOPPED, np.minimum(turns, fades), np.inf).min(axis=-1))


def _moving(now: Moment, seen: Seen, free: Integers) -> tuple[Vector, Vector, Vector]:
    """Slips, and rolling against a resistance, which is braked in the same way: velocities, rates, and directions noted."""
    names, turning = now.mode.switching, now.mode.turning
    known = {**now.holds.slips, **now.holds.slides}
    noted = [known[names[i].name] for i in free.tolist()]
    noted += [now.holds.turns.get(names[i].name, (0.0, 0.0, 0.0)) for i in turning.tolist()]
    if not len(turning):
        return seen.slip[:, free], seen.slip_rate[:, free], np.array(noted)
    slip = np.concatenate([seen.slip[:, free], seen.turn[:, turning]], axis=1)
    return slip, np.concatenate([seen.slip_rate[:, free], seen.turn_rate[:, turning]], axis=1), np.array(noted)


def _across(a: Vector, b: Vector) -> Vector:
    """Sizes of the products a x b; numpy's own takes longer over its axes than over these numbers."""
    x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def first_slow(plan: EventPlan, now: Moment, seen: Seen, h: float) -> int:
    """The first sample, from 1 on, after which steps of a length are too long; beyond the last where there is none."""
    shortened = h < WHOLE * plan.grid.step
    # Steps that were shortened for slips are short enough for as many as are taken together.
    looks = now.mode.is_rubbing and not shortened and not now.stiff
    slow = _first_slow_slip(plan, now, seen, h) if looks else len(seen.slip)
    most = WANDER * (SPARE if shortened else 1.0)
    hurried = seen.wander[1:].max(axis=1, initial=0.0) * (h * h) > most * most
    return min(slow, int(hurried.argmax()) + 1) if hurried.any() else slow


def _first_slow_slip(plan: EventPlan, now: Moment, seen: Seen, h: float) -> int:
    free = unguided(now)
    if not len(free) and not len(now.mode.turning):
        return len(seen.slip)
    lengths = _lengths(now, seen, free)[1:]
    bent = np.isfinite(lengths)
    if not bent.any():
        return len(seen.slip)
    speed = np.linalg.norm(_moving(now, seen, free)[0], axis=-1).min(axis=-1)
    needed = _damping(plan, now, now.look(plan), free) * max(float(speed[0]), STOPPED) * h / SHARE
    short = bent & ((lengths < h) | (speed[1:] < needed))
    return int(short.argmax()) + 1 if short.any() else len(seen.slip)


def _damping(plan: EventPlan, now: Moment, seen: Seen, free: Integers) -> float:
    """A bound on the rate (1/s) at which friction damps what is across the slips."""
    strengths = {**braking(plan, now, seen), **spinning(plan, now, seen)}
    implicit = _patched(plan, now, free) if now.stiff else []
    speeds = {i: max(float(np.linalg.norm(seen.slip[i])), STOPPED) for i in free.tolist() if i not in implicit}
    found = sum(strengths[i] / speed for i, speed in speeds.items())
    for i, strength in resisting(plan, now, seen).items():
        found += strength / max(float(np.linalg.norm(seen.turn[i])), STOPPED)
    return max(found, 1e-300)


def resisting(plan: EventPlan, now: Moment, seen: Seen) -> dict[int, float]:
    """Of each contact that rolls against a resistance: a bound on what its moment does to its rolling (rad/s²)."""
    modes, turning = plan.modes, now.mode.turning.tolist()
    if not turning:
        return {}
    rows, held = while_held(plan, now)
    found = {}
    for i in turning:
        bound = float(modes.switching[i].law.resistance_at(modes.values)) * max(float(seen.normal_force[i]), 0.0)
        found[i] = bound * _largest(rows, rows.turning[modes.names[i]], held)
    return found


def spinning(plan: EventPlan, now: Moment, seen: Seen) -> dict[int, float]:
    """Of each ball joint that slides: a bound on what its friction does to its angular velocity (rad/s²)."""
    chosen = now.mode.spinning.tolist()
    if not chosen:
        return {}
    rows, held = while_held(plan, now)
    return {i: max(float(seen.twisting[i]), 0.0) * _largest(rows, rows.switching[i], held) for i in chosen}


def while_held(plan: EventPlan, now: Moment) -> tuple[Rows, Vector]:
    """All rows at a moment, and those that hold then."""
    modes = plan.modes
    rows = rows_at(modes, now.whole(plan).q, now.holds, now.time)
    slipping = now.mode.slipping.tolist()
    closed = [(i, rows.switching[i]) for i, entry in enumerate(modes.switching) if entry.name in now.mode.closed]
    return rows, np.vstack([rows.held, *(own[:1] if i in slipping else own for i, own in closed)])


def _largest(rows: Rows, own: Vector, held: Vector) -> float:
    """What a unit force along some rows does there at most."""
    return float(np.linalg.eigvalsh(condensed(rows.mass, [own], held)).max(initial=0.0))


def braking(plan: EventPlan, now: Moment, seen: Seen) -> dict[int, float]:
    """Of each contact that slips: what its friction would do (m/s²) across its slip; zero where nothing can move there."""
    modes = plan.modes
    key = now.time, now.mode, now.state.tobytes(), tuple(now.holds.slips.items())
    if plan.braked and plan.braked[0][0] == key:
        return plan.braked[0][1]
    found: dict[int, float] = {}
    plan.braked[:] = [(key, found)]
    whole = now.whole(plan)
    rows = rows_at(modes, whole.q, now.holds, now.time)
    slipping = now.mode.slipping.tolist()
    parts = {i: rows.switching[i] for i, entry in enumerate(modes.switching) if entry.name in now.mode.closed}
    held = np.concatenate([rows.held, *(own[:1] if i in slipping else own for i, own in parts.items())])
    speeds = [float(np.linalg.norm(seen.slip[i])) for i in slipping]
    slips = []
    for i, speed in zip(slipping, speeds, strict=True):
        along = np.asarray(now.holds.slips[modes.names[i]]) if speed <= STOPPED else seen.slip[i] / speed
        slips.append(rows.frames[i][1:] @ along)
    own = [parts[i] for i in slipping]
    answers = slip_answers(rows.mass, held, len(rows.held), own, slips, VOID, ROUND_OFF)
    if answers is None:
        answers = [_across_slip(rows, held, *each) for each in zip(own, slips, strict=True)]
    for i, speed, answer in zip(slipping, speeds, answers, strict=True):
        friction = float(modes.switching[i].law.sliding_at(modes.values, speed)) if answer else 0.0
        found[i] = friction * max(float(seen.normal_force[i]), 0.0) * answer
    return found


def _across_slip(rows: Rows, held: Vector, own: Vector, slip: Vector) -> float:
    """What a unit force across a slip does there at most; zero where nothing can move, as in a plane."""
    left = (np.eye(len(slip)) - np.outer(slip, slip)) @ own[1:]
    if np.abs(left).max(initial=0.0) <= VOID * np.abs(own).max(initial=0.0):
        return 0.0
    largest = float(np.linalg.eigvalsh(condensed(rows.mass, [left], held)).max(initial=0.0))
    alone = float(np.abs(np.linalg.eigvalsh(condensed(rows.mass, [own], rows.held))).max(initial=0.0))
    return largest if largest > VOID * alone else 0.0
