"""Contacts with friction at an instant of an event-driven run: who opens, who sticks, who slips, and where to.

Velocities decide for contacts that slip. For those at rest accelerations do, u = W r + q over the rows of everything closed: W
follows from masses and rows, q from the accelerations and forces of the mode that the run is in, whichever that is.
"""

from collections.abc import Container, Mapping

import numpy as np

from locomotor.complementarity.friction import ContactSolution, Guess, all_ways, one_way
from locomotor.dataclass import dataclass, replace
from locomotor.model import Contact
from locomotor.simulation.events import endings
from locomotor.simulation.events.bracing import is_braced, is_shared, let_go
from locomotor.simulation.events.collisions import OPENS, rows_at, without
from locomotor.simulation.events.ground import EXHAUSTED as EXHAUSTED
from locomotor.simulation.events.ground import IDLE, Ground, driving, ground_at
from locomotor.simulation.events.modes import Closed, Mode, Modes
from locomotor.simulation.events.moment import Change, Moment, tell, without_impulse
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen, Whole
from locomotor.simulation.events.slip import REST
from locomotor.simulation.events.stances import slipping_among, stances_of
from locomotor.simulation.status import BRACED, Outcome
from locomotor.typing import Integers, Vector

TOGETHER = 1e-7
"""Slips slower than this (m/s), and braked, have come to rest where another does."""
AT_ONCE = 1e-9
"""Within this time (s) after it has come to rest a contact slips anew at once."""


# -- at rest or slipping --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Decision:
    """Which contacts are closed, and in which directions those slip that do."""

    closed: Closed
    slips: Mapping[str, tuple[float, float, float]]
    braced: frozenset[str] = frozenset()
    """Those among them that other contacts keep from slipping, although the forces of the mode are not within the cones."""


def enter(plan: EventPlan, change: Change, decision: Decision, whole: Whole, v: Vector) -> Change:
    """Continue with contacts that stick and slip as decided."""
    now = change.now
    there = change.at(replace(now, holds=now.holds.slipping(decision.slips).bracing(decision.braced)))
    turns = [name for name in now.holds.turns if name in decision.closed]
    stances = stances_of(plan.modes.switching, decision.slips, turns, now.holds.sides)
    return switch(plan, there, decision.closed, whole, v, stances)


@dataclass(frozen=True)
class Undecided:
    """Several ways to go on, or none."""

    ways: tuple[tuple[str, ...], ...]
    """Of each the modes of all contacts."""
    complete: bool
    """Whether none can have been missed."""


# -- at the end of everything that happens at an instant ------------------------------------------------------


def clinging_alone(mode: Mode, braced: frozenset[str]) -> Integers:
    """Contacts that stick by the forces of the mode, without help from others."""
    if not braced:
        return mode.clinging
    return np.array([i for i in mode.clinging.tolist() if mode.switching[i].name not in braced], dtype=np.int64)


def fits(now: Moment, seen: Seen) -> bool:
    """Whether nobody has to pull, nobody sticks beyond friction or is driven where it sticks, and nobody slips against it."""
    force = float(np.abs(seen.reaction).max(initial=0.0))
    mode = now.mode
    if (seen.hold[mode.pushing] < -EXHAUSTED * force).any():
        return False
    clinging = clinging_alone(now.mode, now.holds.braced)
    if (seen.friction_left[clinging] < -EXHAUSTED * force).any():
        return False
    if len(clinging) and np.abs(seen.slip_rate[clinging]).max() > driving(seen):
        return False
    return bool((seen.push[mode.slipping] > 0.0).all())


def settle_with_friction(plan: EventPlan, change: Change) -> Change:
    """Open, stick or let slip whoever must: forces push, stay in their cones, and slip goes along with its acceleration."""
    now = change.now
    seen = now.look(plan)
    if not (change.opening or change.yielding or change.stopped) and fits(now, seen):
        return change
    whole = now.whole(plan)
    if (shared := _shared(plan, change, whole, seen)) is not None:
        return shared
    change = replace(change, stopped=change.stopped | (_stopping_too(now, seen) if change.stopped else frozenset()))
    idle = _idle(now, seen) - change.stopped if change.yielding else frozenset()
    if idle:
        change = replace(change, yielding=change.yielding | idle)
    ground = ground_at(plan, now, whole, seen, change.stopped, change.yielding)
    found = _solved(ground, change, now, seen)
    if isinstance(found, Undecided) and (slow := _slow(now, seen) - change.stopped):
        # Where they slip to is round-off, and with it what the others were asked to bear.
        change = replace(change, stopped=change.stopped | slow)
        ground = ground_at(plan, now, whole, seen, change.stopped, change.yielding)
        found = _solved(ground, change, now, seen)
    done = replace(change, opening=frozenset(), yielding=frozenset(), stopped=frozenset())
    if isinstance(found, Undecided):
        names = [plan.modes.names[i] for i in ground.contacts]
        if found.ways:
            return done.stopping(Outcome.UNDECIDED, endings.several_ways(plan.modes, names, found.ways))
        return done.stopping(Outcome.INCONSISTENT, endings.no_way(plan.modes, names, found.complete))
    decision = _decided(plan.modes, now, ground, found, change.yielding if idle else frozenset())
    rests = frozenset(plan.modes.names[i] for i in change.stopped) & decision.closed
    if held := rests.difference(decision.slips):
        done = done.at(replace(now, stilled=(now.time, held)))
    freed = now.mode.closed - decision.closed
    same = not freed and decision.slips == now.holds.slips and set(decision.slips) == slipping_among(now.mode.stances)
    # What is left of a slip that ends and begins anew is round-off, beside which friction would not be along the new one.
    same = same and decision.braced == now.holds.braced and held == rests
    if same and (lacking := {plan.modes.names[i] for i in change.yielding}.difference(decision.slips)):
        # The forces of the mode leave the cone, and others hold everything: those who share them are braced.
        decision, same = replace(decision, braced=decision.braced | lacking), False
    if not same:
        done = enter(plan, done, decision, whole, _stilled(plan, now, whole, rests) if rests else whole.v)
    if freed:
        done = tell(plan, done, [without_impulse(name, "lift-off") for name in sorted(freed)], whole.energy)
    return done


def _least(ground: Ground) -> float:
    """Approach (m/s²) of a contact whose force has just vanished that is no more than round-off."""
    return OPENS * max(float(np.abs(ground.q).max(initial=0.0)), 1.0)


def _shared(plan: EventPlan, change: Change, whole: Whole, seen: Seen) -> Change | None:
    """What comes of contacts that stick beyond their cones, where others may make up for that; None where nothing is shared."""
    now, modes, force = change.now, plan.modes, float(np.abs(seen.reaction).max(initial=0.0))
    lacking = frozenset(i for i in now.mode.clinging.tolist() if seen.friction_left[i] < -EXHAUSTED * force) | change.yielding
    if not lacking or change.opening or change.stopped:
        return None
    idle = _idle(now, seen)
    ground = ground_at(plan, now, whole, seen, idle, ())
    if not is_shared(ground):
        return None
    done = replace(change, yielding=frozenset())
    if is_braced(ground):
        if not change.yielding and _rests(ground, _solved(ground, change, now, seen)):
            return None  # some slip with no speed, and all forces are within their cones
        slips = {name: along for name, along in now.holds.slips.items() if modes.names.index(name) not in idle}
        decision = Decision(now.mode.closed, slips, frozenset(modes.names[i] for i in lacking | idle))
        same = decision.slips == now.holds.slips
        return (
            done.at(replace(now, holds=now.holds.bracing(decision.braced)))
            if same
            else enter(plan, done, decision, whole, whole.v)
        )
    found = let_go(ground)
    if found is None or _jams(ground, found) or "open" in found.modes:
        return None
    alone = replace(now, holds=now.holds.bracing(frozenset()))
    return enter(plan, done, _decided(modes, alone, ground, found, ()), whole, whole.v)


def _rests(ground: Ground, found: ContactSolution | Undecided) -> bool:
    """Whether a solution moves nothing that is at rest."""
    if isinstance(found, Undecided):
        return False
    size = float((np.abs(ground.W) @ np.abs(found.forces) + np.abs(ground.q)).max(initial=0.0))
    still = [side.rows for side, slip in zip(ground.sides, ground.slips, strict=True) if not slip.any() and side.tangents]
    return all(float(np.abs(found.accelerations[rows]).max()) <= IDLE * size for rows in still)


def _stilled(plan: EventPlan, now: Moment, whole: Whole, names: frozenset[str]) -> Vector:
    """Velocities without what is left of slips that have come to rest: an impulse takes it, which makes no energy."""
    rows, modes = rows_at(plan.modes, whole.q, now.holds, now.time), plan.modes
    resting, closed = [], [rows.held]
    for i, name in enumerate(modes.names):
        if name in names and isinstance(modes.switching[i], Contact):
            resting.append(rows.switching[i][1:])  # of a patch its spin as well
            closed.append(rows.switching[i][:1])
        elif name in now.mode.closed:
            closed.append(rows.switching[i][:1] if i in now.mode.slipping else rows.switching[i])
    if not resting:
        return whole.v
    return without(rows.mass, resting, np.vstack(closed), whole.v)


def _slow(now: Moment, seen: Seen) -> frozenset[int]:
    """Contacts whose slip is all but zero."""
    return frozenset(i for i in now.mode.slipping.tolist() if float(np.linalg.norm(seen.slip[i])) < TOGETHER)


def _idle(now: Moment, seen: Seen) -> frozenset[int]:
    """Contacts whose friction is exhausted while others keep them where they are: where they slip to is not decided yet.

    When the next one's friction is exhausted all of them are asked again together: the direction in which the force of the
    first left its cone is none in which it could move.
    """
    return frozenset(i for i in now.mode.slipping.tolist() if float(np.linalg.norm(seen.slip[i])) < REST)


def _stopping_too(now: Moment, seen: Seen) -> frozenset[int]:
    """Contacts that come to rest where another does: of a body that friction brings to rest all slips vanish at one instant.

    Steps find that instant of each only to the round-off of a slip that turns ever faster. What is left of the others when the
    first is at rest has no direction of its own any more; where it is no more than round-off, not even whether it is braked is
    known.
    """
    return _idle(now, seen) | frozenset(i for i in _slow(now, seen) if float(seen.slip[i] @ seen.slip_rate[i]) < 0.0)


def _solved(ground: Ground, change: Change, now: Moment, seen: Seen) -> ContactSolution | Undecided:
    """The one way to go on, or why there is none."""
    guesses = []
    for i, side, frame in zip(ground.contacts, ground.sides, ground.frames, strict=True):
        if i in change.opening:
            guesses.append(Guess("open", loose=OPENS, floor=_least(ground)))
        elif i in change.yielding:
            force = -(frame[1:] @ seen.reaction[i])
            if len(force) > 2:
                force[-1] = -seen.twisting[i]
            guesses.append(Guess("slip", side.towards(-force), OPENS) if force.any() else Guess("stick"))
        elif side.slip.any() or side.tangents == 0 or side.frictionless:
            guesses.append(Guess("slip", side.slip))
        else:
            guesses.append(Guess("stick"))
    found = one_way(ground.W, ground.q, ground.sides, guesses)
    if found is not None and not _jams(ground, found):
        return found
    ways, complete = all_ways(ground.W, ground.q, ground.sides)
    if len(ways) == 1:
        return ways[0]
    if found is not None and not ways:
        return found
    return Undecided(tuple(way.modes for way in ways), complete)


def _jams(ground: Ground, found: ContactSolution) -> bool:
    """Whether a normal force with its friction drives a contact that slips, or begins to, into the ground.

    It has a solution all the same, then, and may have others.
    """
    for k, side in enumerate(ground.sides):
        slip = side.slip if side.slip.any() else found.directions[k] if found.modes[k] == "slip" else np.zeros(0)
        if slip.any() and not np.isinf(side.mu):
            n, t = side.rows.start, slice(side.rows.start + 1, side.rows.stop)
            if float(ground.W[n, n] - side.mu * (ground.W[n, t] @ slip)) <= 0.0:
                return True
    return False


def _decided(modes: Modes, now: Moment, ground: Ground, found: ContactSolution, together: Container[int]) -> Decision:
    """What a solution says; contacts that yield `together` may keep each other from slipping."""
    closed, slips, braced = set(now.mode.closed), {}, set()
    size = float((np.abs(ground.W) @ np.abs(found.forces) + np.abs(ground.q)).max(initial=0.0))
    for k, i in enumerate(ground.contacts):
        name, word, side = modes.names[i], found.modes[k], ground.sides[k]
        if word == "open":
            closed.remove(name)
        elif word == "slip" and not ground.slips[k].any() and _is_kept(now, name, ground, found, k, size, i in together):
            braced.add(name)
        elif word == "slip" and side.tangents and not np.isinf(side.mu):
            x, y, z = _direction(ground, found, k) @ ground.frames[k][1:]
            slips[name] = (float(x), float(y), float(z))
    return Decision(frozenset(closed), slips, frozenset(braced))


def _direction(ground: Ground, found: ContactSolution, k: int) -> Vector:
    """Where a contact slips to, along its tangents: as it does already, or as it accelerates, also where nothing rubs."""
    if ground.slips[k].any():
        return ground.slips[k]
    ahead = found.accelerations[ground.sides[k].rows][1:]
    size = float(np.linalg.norm(ahead))
    return ahead / size if ground.sides[k].frictionless and size > 0.0 else found.directions[k]


def _is_kept(now: Moment, name: str, ground: Ground, found: ContactSolution, k: int, size: float, together: bool) -> bool:
    """Whether a contact whose friction is exhausted does not move for that: what it lacks others have to spare.

    That is so where forces along some line do nothing, as between two feet that both stick. It is asked where the contact has
    just come to rest, and where several yield together: at first one slips with no speed, by forces within the cones, as far as
    that goes.
    """
    since, held = now.stilled
    if not together and name not in now.holds.braced and not (name in held and now.time - since < AT_ONCE):
        return False
    rows = ground.sides[k].rows
    if np.isinf(ground.sides[k].mu) or np.abs(found.accelerations[rows]).max() > EXHAUSTED * size:
        return False
    closed = [
        j for s, word in zip(ground.sides, found.modes, strict=True) if word != "open" for j in range(s.rows.start, s.rows.stop)
    ]
    values, vectors = np.linalg.eigh(ground.W[np.ix_(closed, closed)])
    idle = vectors[:, values < IDLE * values[-1]]
    return bool(np.abs(idle[[closed.index(j) for j in range(rows.start, rows.stop)]]).max(initial=0.0) > IDLE)


# -- what is told --------------------------------------------------------------------------------------------


def tell_stances(plan: EventPlan, before: Moment, change: Change) -> Change:
    """Record who begins to slip, slips the other way, sticks or rolls, beside what it was before the instant."""
    now, modes = change.now, plan.modes
    if not modes.has_friction or not change.goes_on:
        return change
    old, new = before.holds.slips, now.holds.slips
    told = []
    for name in sorted(now.mode.closed):
        if name in new and name not in old:
            told.append((name, "slips", ""))
        elif name in new and float(np.dot(old[name], new[name])) < -0.5:
            told.append((name, "slips", "the other way"))
        elif name in old and name not in new:
            contact = now.mode.switching[modes.names.index(name)]
            rolls = isinstance(contact, Contact) and contact.rolls
            told.append((name, "rolls" if rolls else "sticks", ""))
        elif name in now.holds.braced and name not in before.holds.braced:
            contact = now.mode.switching[modes.names.index(name)]
            rolls = isinstance(contact, Contact) and contact.rolls
            told.append((name, "rolls" if rolls else "sticks", BRACED))
    energy = now.whole(plan).energy if told else 0.0
    for name, kind, note in told:
        change = tell(plan, change, [without_impulse(name, kind)], energy, note=note)
    return change
