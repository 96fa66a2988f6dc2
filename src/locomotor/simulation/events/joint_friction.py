"""Joints with dry friction at an instant of an event-driven run: who sticks, who slides, and where to.

Rates decide for joints that move. For those at rest accelerations do, a = W (tau - tau_now) + a_now over their rates: W follows
from the masses and everything that is held, the rest from the mode that the run is in. Efforts tau lie within bounds; a joint
sticks with a = 0, or begins to slide against the bound of its friction. Those of a ball joint lie within a ball, and it begins
to slide against its effort in whatever direction that is.
"""

import numpy as np

from locomotor.complementarity.friction import bounded
from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events import endings
from locomotor.simulation.events.collisions import OPENS, condensed, rows_at
from locomotor.simulation.events.friction import EXHAUSTED
from locomotor.simulation.events.frictional_impact import VOID
from locomotor.simulation.events.modes import Modes
from locomotor.simulation.events.moment import Change, Moment, tell, without_impulse
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen, Whole
from locomotor.simulation.events.slip import REST, Slip, direction
from locomotor.simulation.status import Outcome
from locomotor.typing import Flags, Vector

ROUNDS = 20
"""Changes of mode that are tried at one instant."""
EXCHANGES = 200
"""Exchanges of sticking and sliding that are tried for one problem."""
STILL = (0.0, 0.0, 0.0)
"""Where a joint slides to that does not."""


@dataclass(frozen=True, eq=False)
class AtRest:
    """The joints at rest of a moment as a problem on matrices: efforts within bounds, accelerations zero or along the slide."""

    joints: tuple[int, ...]
    blocks: tuple[slice, ...]
    """Of each its rows: one, or three of a ball joint."""
    W: Vector
    alone: Vector
    """What efforts would do if nothing else were held: the scale of W, which vanishes where others hold a joint."""
    efforts: Vector
    """Those of friction in the present mode."""
    accelerations: Vector
    sliding: Vector
    """Of each, its bound if it slides."""
    static: Vector
    """Of each, its bound if it sticks."""

    @property
    def size(self) -> float:
        """Size of the accelerations that friction could make."""
        most = np.concatenate([np.full(len(self.W[own]), each) for own, each in zip(self.blocks, self.static, strict=True)])
        return float((np.abs(self.alone) @ most + np.abs(self.accelerations)).max(initial=0.0)) or 1.0

    @property
    def idle(self) -> tuple[int, ...]:
        """Joints that others hold, as a foot that sticks does, or a loop: their friction has nothing to do."""
        still = self.sizes(self.accelerations) <= EXHAUSTED * self.size
        found = zip(self.joints, self.blocks, still.tolist(), strict=True)
        return tuple(i for i, own, stays in found if stays and not self.W[own, own].any())

    def sizes(self, values: Vector) -> Vector:
        """Of each joint, the size of its part of efforts or accelerations."""
        return np.array([float(np.linalg.norm(values[own])) for own in self.blocks])


def settle_joints(plan: EventPlan, change: Change) -> Change:
    """Let joints at rest stick or slide: none holds more than it can, and each slides where it accelerates to."""
    if not plan.modes.rubs:
        return change
    leaning: Slip = {}
    for _ in range(ROUNDS):
        now, seen = change.now, change.now.look(plan)
        whole = now.whole(plan)
        still = [i for i, places in plan.modes.rubs.items() if float(np.linalg.norm(whole.v[places])) <= REST]
        rest = sorted({*still, *change.halted})
        done = replace(change, loosened=frozenset(), halted=frozenset())
        asked = bool(change.loosened or change.halted)
        if not rest or (not asked and _fits(plan.modes, now, seen, rest)):
            return done
        problem = _at_rest(plan, now, whole, seen, rest)
        towards = _solved(problem, {problem.joints.index(i) for i in change.loosened if i in problem.joints})
        if towards is None:
            break
        ways = {plan.modes.names[i]: direction(way) for i, way in zip(problem.joints, towards, strict=True)}
        ways |= {name: way for name, way in leaning.items() if not any(ways.get(name, way))}
        idle = frozenset(plan.modes.names[i] for i in problem.idle)
        if not asked and _is_there(now, ways, idle):
            more = {name: way for name, way in _overloaded(plan.modes, now, seen, rest).items() if name not in leaning}
            if not more:
                if idle:
                    return done
                break
            leaning, ways = {**leaning, **more}, {**ways, **more}
        change = replace(_entered(plan, done, whole, ways, idle), leaning=frozenset(leaning))
    return done.stopping(Outcome.INCONSISTENT, endings.no_friction_fits([plan.modes.names[i] for i in rest]))


def _overloaded(modes: Modes, now: Moment, seen: Seen, rest: list[int]) -> Slip:
    """The joint that sticks farthest beyond its bound by the forces of the mode, although all could stick by others.

    Forces can be shared in many ways there, and the mode has chosen one. It leans on its friction instead, which then pulls
    as hard as it can while the others hold everything: so their forces are known.
    """
    least, found = EXHAUSTED * float(np.abs(seen.reaction).max(initial=0.0)), {}
    for i in rest:
        effort = seen.reaction[i]
        size, left = float(np.linalg.norm(effort)), float(seen.friction_left[i])
        if modes.names[i] in now.mode.closed and left < -least:
            found[size / max(size + left, 1e-300)] = {modes.names[i]: direction(-effort / size)}
    return found[max(found)] if found else {}


def _fits(modes: Modes, now: Moment, seen: Seen, rest: list[int]) -> bool:
    """Whether none of the joints at rest holds more than it can or slides against its acceleration."""
    force = float(np.abs(seen.reaction).max(initial=0.0))
    rates = seen.slip_rate[list(modes.rubs)]
    rate = float(np.linalg.norm(rates, axis=-1).max(initial=0.0))
    for i in rest:
        if modes.names[i] in now.mode.closed:
            if seen.friction_left[i] < -EXHAUSTED * force:
                return False
            continue
        towards = np.asarray(now.holds.slides.get(modes.names[i], STILL))
        along = float(towards @ seen.slip_rate[i])
        aside = float(np.linalg.norm(seen.slip_rate[i] - along * towards))
        if not towards.any() or along < -OPENS * max(rate, 1.0) or aside > OPENS * max(rate, 1.0):
            return False
    return True


def _at_rest(plan: EventPlan, now: Moment, whole: Whole, seen: Seen, rest: list[int]) -> AtRest:
    modes, mode = plan.modes, now.mode
    rows = rows_at(modes, whole.q, now.holds, now.time)
    slipping = set(mode.slipping.tolist())
    closed = [i for i, e in enumerate(modes.switching) if e.name in mode.closed and not e.law.rubs]
    layout = modes.system.layout
    held = np.vstack([
        rows.held,
        *(rows.switching[i][:1] if i in slipping else rows.switching[i] for i in closed),
        *(rows.turning[modes.names[i]] for i in mode.resting.tolist()),
        *(np.eye(layout.nv)[[layout.v[joint.name].start]] for joint in modes.system.imposed),
    ])  # fmt: skip
    sliding, counts = seen.twisting[rest], [len(modes.rubs[i]) for i in rest]
    ends = np.cumsum(counts).tolist()
    efforts = [
        seen.reaction[i] if modes.names[i] in mode.closed else -bound * np.asarray(now.holds.slides.get(modes.names[i], STILL))
        for i, bound in zip(rest, sliding.tolist(), strict=True)
    ]
    own = [rows.switching[i] for i in rest]
    W, alone = condensed(rows.mass, own, held), condensed(rows.mass, own, held[:0])
    void = np.diag(W) <= VOID * np.diag(alone)  # a foot that sticks, or a loop, holds it already
    W[void], W[:, void] = 0.0, 0.0
    return AtRest(
        tuple(rest),
        tuple(slice(end - count, end) for end, count in zip(ends, counts, strict=True)),
        W,
        alone,
        np.concatenate([effort[:count] for effort, count in zip(efforts, counts, strict=True)]),
        np.concatenate([seen.slip_rate[i, :count] for i, count in zip(rest, counts, strict=True)]),
        sliding,
        seen.friction_left[rest] + np.linalg.norm(seen.reaction[rest], axis=-1),
    )


def _solved(problem: AtRest, loosened: set[int]) -> list[Vector] | None:
    """For each joint where it begins to slide to, zeros where it sticks; None where nothing fits."""
    sticks = np.array([k not in loosened for k in range(len(problem.joints))])
    slack = np.where(sticks, EXHAUSTED, OPENS)  # at the border of sticking numbers are zero, of either sign
    stiff = np.array([float(np.abs(problem.W[own, own]).max(initial=0.0)) for own in problem.blocks])
    seen: set[bytes] = set()
    for _ in range(EXCHANGES):
        if sticks.tobytes() in seen:
            return None
        seen.add(sticks.tobytes())
        efforts, found = _with_stuck(problem, sticks)
        held, moved = problem.sizes(efforts), problem.sizes(found)
        excess = np.where(sticks, held - problem.static * (1.0 + EXHAUSTED), -np.inf)
        moving = np.where(sticks, moved, -np.inf)  # at a dead point no effort of a joint holds it
        idle = np.where(sticks, -np.inf, (problem.sliding - held) * stiff - slack * problem.size)  # it need not slide
        if excess.max() > EXHAUSTED * float(held.max()):
            sticks[int(excess.argmax())] = False
        elif moving.max() > EXHAUSTED * problem.size:
            sticks[int(moving.argmax())] = False
        elif idle.max() > 0.0:
            sticks[int(idle.argmax())] = True
        else:
            return [_towards(found[own], efforts[own], stuck) for own, stuck in zip(problem.blocks, sticks, strict=True)]
    return None


def _with_stuck(problem: AtRest, sticks: Flags) -> tuple[Vector, Vector]:
    """Efforts and accelerations where some joints stick, whatever that takes, and the others slide against their bounds."""
    rows = np.concatenate([np.full(len(problem.W[own]), stuck) for own, stuck in zip(problem.blocks, sticks, strict=True)])
    W, without = problem.W, problem.accelerations - problem.W @ problem.efforts
    answer = np.linalg.lstsq(W[np.ix_(rows, rows)], np.column_stack([W[np.ix_(rows, ~rows)], without[rows]]), rcond=1e-11)[0]
    across = W[np.ix_(~rows, rows)]
    blocks, start = [], 0
    for own, stuck in zip(problem.blocks, sticks, strict=True):
        if not stuck:
            blocks.append(slice(start, start + own.stop - own.start))
            start = blocks[-1].stop
    efforts = np.zeros(len(rows))
    efforts[~rows] = bounded(
        W[np.ix_(~rows, ~rows)] - across @ answer[:, :-1],
        without[~rows] - across @ answer[:, -1],
        blocks,
        problem.sliding[~sticks],
    )
    efforts[rows] = -answer[:, -1] - answer[:, :-1] @ efforts[~rows]
    return efforts, without + W @ efforts


def _towards(acceleration: Vector, effort: Vector, sticks: bool) -> Vector:
    """Where a joint slides to: against its effort, or where there is none along its acceleration."""
    along = acceleration if not effort.any() else -effort
    size = float(np.linalg.norm(along))
    return np.zeros(len(along)) if sticks or size == 0.0 else np.asarray(along / size)


def _is_there(now: Moment, towards: Slip, idle: frozenset[str]) -> bool:
    """Whether joints at rest are held so already, and some of them by others."""
    sticks = {name for name, way in towards.items() if not any(way)} - idle
    sliding = {name: way for name, way in towards.items() if any(way)}
    known = {name: way for name, way in now.holds.slides.items() if name in towards}
    return sticks == now.mode.closed & towards.keys() and sliding == known


def _entered(plan: EventPlan, change: Change, whole: Whole, towards: Slip, idle: frozenset[str]) -> Change:
    """Continue with joints at rest that stick, begin to slide, or are idle."""
    now = change.now
    slides = {name: way for name, way in {**now.holds.slides, **towards}.items() if any(way)}
    sticks = {name for name, way in towards.items() if not any(way)} - idle
    closed = (now.mode.closed - towards.keys()) | sticks
    v = whole.v.copy()
    for i, places in plan.modes.rubs.items():
        if plan.modes.names[i] in towards:
            v[places] = 0.0
    there = change.at(replace(now, holds=now.holds.sliding(slides)))
    return switch(plan, there, closed, whole, v, now.mode.stances, slides)


def tell_joints(plan: EventPlan, before: Moment, change: Change) -> Change:
    """Record who sticks, begins to slide, or slides the other way, beside what it was before the instant."""
    now = change.now
    if not plan.modes.rubs or not change.goes_on:
        return change
    told = []
    for name in sorted(plan.modes.names[i] for i in plan.modes.rubs):
        old, new = (np.asarray(moment.holds.slides.get(name, STILL)) for moment in (before, now))
        slides = bool(new.any()) and name not in change.leaning
        back = slides and float(old @ new) < 0.0
        if bool(old.any()) != slides or back:
            told.append((name, "slips" if slides else "sticks", "the other way" if back else ""))
    energy = now.whole(plan).energy if told else 0.0
    for name, kind, note in told:
        change = tell(plan, change, [without_impulse(name, kind)], energy, note=note)
    return change
