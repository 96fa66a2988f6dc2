"""Joints with dry friction at an instant of an event-driven run: who sticks, who slides, and where to.

Rates decide for joints that move. For those at rest accelerations do, a = W (tau - tau_now) + a_now over their rates: W follows
from the masses and everything that is held, the rest from the mode that the run is in. Efforts tau lie within bounds; a joint
sticks with a = 0, or begins to slide against the bound of its friction.
"""

from collections.abc import Mapping

import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.simulation.events import endings
from locomotor.simulation.events.collisions import OPENS, condensed, rows_at
from locomotor.simulation.events.friction import EXHAUSTED
from locomotor.simulation.events.modes import Modes
from locomotor.simulation.events.moment import Change, Moment, tell, without_impulse
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen, Whole
from locomotor.simulation.events.slip import REST
from locomotor.simulation.status import Outcome
from locomotor.typing import Vector

ROUNDS = 20
"""Changes of mode that are tried at one instant."""
EXCHANGES = 200
"""Exchanges of sticking and sliding that are tried for one problem."""


@dataclass(frozen=True, eq=False)
class AtRest:
    """The joints at rest of a moment as a problem on matrices: efforts within bounds, accelerations zero or along the slide."""

    joints: tuple[int, ...]
    W: Vector
    efforts: Vector
    """Those of friction in the present mode."""
    accelerations: Vector
    sliding: Vector
    """Bounds of those that slide."""
    static: Vector
    """Bounds of those that stick."""

    @property
    def size(self) -> float:
        """Size of the accelerations that friction can make."""
        return float((np.abs(self.W) @ self.static + np.abs(self.accelerations)).max(initial=0.0)) or 1.0


def settle_joints(plan: EventPlan, change: Change) -> Change:
    """Let joints at rest stick or slide: none holds more than it can, and each slides where it accelerates to."""
    if not plan.modes.rubs:
        return change
    for _ in range(ROUNDS):
        now, seen = change.now, change.now.look(plan)
        whole = now.whole(plan)
        rest = [i for i, place in plan.modes.rubs.items() if abs(whole.v[place]) <= REST or i in change.halted]
        done = replace(change, loosened=frozenset(), halted=frozenset())
        if not rest or (not (change.loosened or change.halted) and _fits(plan.modes, now, seen, rest)):
            return done
        problem = _at_rest(plan, now, whole, seen, rest)
        towards = _solved(problem, {problem.joints.index(i) for i in change.loosened if i in problem.joints})
        if towards is None:
            return done.stopping(Outcome.INCONSISTENT, endings.no_friction_fits([plan.modes.names[i] for i in rest]))
        change = _entered(plan, done, whole, {plan.modes.names[i]: s for i, s in zip(problem.joints, towards, strict=True)})
    return change.stopping(Outcome.INCONSISTENT, endings.no_friction_fits([plan.modes.names[i] for i in rest]))


def _fits(modes: Modes, now: Moment, seen: Seen, rest: list[int]) -> bool:
    """Whether none of the joints at rest holds more than it can or slides against its acceleration."""
    force = float(np.abs(seen.reaction).max(initial=0.0))
    rate = float(np.abs(seen.slip_rate[:, 0]).max(initial=0.0))
    for i in rest:
        if modes.names[i] in now.mode.closed:
            if seen.friction_left[i] < -EXHAUSTED * force:
                return False
            continue
        towards = now.holds.slides.get(modes.names[i], 0.0)
        if towards == 0.0 or towards * seen.slip_rate[i, 0] < -OPENS * max(rate, 1.0):
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
    sliding, held_by = seen.twisting[rest], seen.reaction[rest, 0]
    static = seen.friction_left[rest] + np.abs(held_by)
    slides = np.array([now.holds.slides.get(modes.names[i], 0.0) for i in rest])
    stuck = np.array([modes.names[i] in mode.closed for i in rest])
    return AtRest(
        tuple(rest),
        condensed(rows.mass, [rows.switching[i] for i in rest], held),
        np.where(stuck, held_by, -slides * sliding),
        seen.slip_rate[rest, 0],
        sliding,
        static,
    )


def _solved(problem: AtRest, loosened: set[int]) -> list[float] | None:
    """For each joint 0 where it sticks, else where it begins to slide to, 1 or -1; None where nothing fits."""
    chosen = [-float(np.sign(problem.efforts[k])) if k in loosened else 0.0 for k in range(len(problem.joints))]
    seen: set[tuple[float, ...]] = set()
    for _ in range(EXCHANGES):
        if tuple(chosen) in seen:
            return None
        seen.add(tuple(chosen))
        towards = np.array(chosen)
        stuck = towards == 0.0
        change = np.where(stuck, 0.0, -towards * problem.sliding - problem.efforts)
        free = problem.accelerations + problem.W @ change
        change[stuck] = np.linalg.lstsq(problem.W[np.ix_(stuck, stuck)], -free[stuck], rcond=1e-11)[0]
        efforts, found = problem.efforts + change, problem.accelerations + problem.W @ change
        excess = np.where(stuck, np.abs(efforts) - problem.static * (1.0 + EXHAUSTED), -np.inf)
        against = np.where(stuck, -np.inf, -towards * found)
        moving = np.where(stuck, np.abs(found), -np.inf)  # at a dead point no effort of a joint holds it
        for k in loosened:  # at the border of sticking numbers are zero, of either sign
            against[k] -= OPENS * problem.size
        if excess.max() > EXHAUSTED * float(np.abs(efforts).max()):
            worst = int(excess.argmax())
            chosen[worst] = -float(np.sign(efforts[worst]))
        elif moving.max() > EXHAUSTED * problem.size:
            chosen[int(moving.argmax())] = float(np.sign(found[int(moving.argmax())]))
        elif against.max() > EXHAUSTED * problem.size:
            chosen[int(against.argmax())] = 0.0
        else:
            return chosen
    return None


def _entered(plan: EventPlan, change: Change, whole: Whole, towards: Mapping[str, float]) -> Change:
    """Continue with joints at rest that stick, or begin to slide."""
    now = change.now
    slides = {name: way for name, way in {**now.holds.slides, **towards}.items() if way != 0.0}
    sticks = {name for name, way in towards.items() if way == 0.0}
    closed = (now.mode.closed - towards.keys()) | sticks
    v = whole.v.copy()
    for i, place in plan.modes.rubs.items():
        if plan.modes.names[i] in towards:
            v[place] = 0.0
    there = change.at(replace(now, holds=now.holds.sliding(slides)))
    return switch(plan, there, closed, whole, v, now.mode.stances, slides)


def tell_joints(plan: EventPlan, before: Moment, change: Change) -> Change:
    """Record who sticks, begins to slide, or slides the other way, beside what it was before the instant."""
    now = change.now
    if not plan.modes.rubs or not change.goes_on:
        return change
    told = []
    for name in sorted(plan.modes.names[i] for i in plan.modes.rubs):
        old, new = before.holds.slides.get(name, 0.0), now.holds.slides.get(name, 0.0)
        if old != new:
            told.append((name, "slips" if new else "sticks", "the other way" if old * new < 0.0 else ""))
    energy = now.whole(plan).energy if told else 0.0
    for name, kind, note in told:
        change = tell(plan, change, [without_impulse(name, kind)], energy, note=note)
    return change
