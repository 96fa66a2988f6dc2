"""Starting with contacts that may slip: who does, from the velocities that are given."""

import math
from collections.abc import Callable, Mapping
from dataclasses import field

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError, ModelError
from locomotor.simulation.events.collisions import rows_at
from locomotor.simulation.events.many_start import MANY_CLOSED, landed_on_rows
from locomotor.simulation.events.modes import Closed, Mode, Modes
from locomotor.simulation.events.probe import Probe, Whole
from locomotor.simulation.events.slip import by_velocity, turns_by_velocity
from locomotor.simulation.events.stances import Stance, stances_of
from locomotor.simulation.singular import SUSPECT
from locomotor.simulation.terrain import Footholds
from locomotor.typing import Vector

PLAINLY = 1e-6
"""Velocities that miss what contacts leave them by more than this share of the largest do not fit, whatever round-off does."""

FEW = 16
"""Contacts up to which a look at their rows is quicker than a start with them."""


@dataclass(frozen=True, eq=False)
class Landing:
    """Contacts that are closed at the start, and what is known of it."""

    modes: Modes
    closed: Closed
    holds: Footholds
    hint: Vector | None
    time: float
    assemble: bool | str
    _last: list[tuple[Mode, Vector, Whole]] = field(default_factory=list, repr=False)

    def mode(self, slipping: Closed) -> Mode:
        """The mode in which some of the contacts slip."""
        # What resists rolling rolls, until velocities tell that it does not.
        rolls = [e.name for e in self.modes.switching if e.law.resists and e.name in self.closed]
        return self.mode_with(stances_of(self.modes.switching, sorted(slipping), rolls, self.holds.sides))

    def mode_with(self, stances: Mapping[str, Stance]) -> Mode:
        """The mode in which contacts are held so."""
        return self.modes.mode(self.closed, footings=self.holds.footings, hint=self.hint, time=self.time, stances=stances)

    def state(self, slipping: Closed, start: Mapping[str, float] | None) -> tuple[Mode, Vector]:
        """Mode and state with some of the contacts slipping."""
        mode = self.mode(slipping)
        p = self.modes.parameters_on(mode, self.holds)
        return mode, mode.start(start, self.time, p, self.assemble)

    def whole(self, mode: Mode, x: Vector) -> Whole:
        """Coordinates and velocities of a state; several ask for those of the last one."""
        if not self._last or self._last[0][0] is not mode or self._last[0][1] is not x:
            self._last[:] = [(mode, x, Probe(mode, {}, self.modes.parameters_on(mode, self.holds)).whole(self.time, x))]
        return self._last[0][2]


def landed(landing: Landing, start: Mapping[str, float] | None) -> tuple[Mode, Vector, Footholds]:
    """Mode, state and footholds with contacts closed, that stick or roll if the velocities given allow it, else slip.

    Where they do not, velocities of the root that are not given are zero, and those of other joints follow from as many
    contacts that stick or roll as possible: of a vehicle with one wheel blocked the others roll.
    """
    modes = landing.modes
    if modes.shares_a_model and len(landing.closed) >= MANY_CLOSED and landing.assemble is not True:
        return landed_on_rows(modes, landing.closed, landing.holds, start, landing.time, landing.assemble)
    may = frozenset(e.name for e in modes.switching if e.name in landing.closed and e.law.slips)
    if may and landing.hint is not None and _contradiction(landing, landing.hint, start or {})(frozenset()):
        return as_it_moves(landing, *_sliding(landing, start, may))
    try:
        mode, x = landing.state(frozenset(), start)
    except (InconsistentStartError, ModelError):
        # Contacts that hold together what none of them can (all of a straight chain) have no mode, and may yet slip.
        if not may:
            raise
        mode, x = _sliding(landing, start, may)
    return as_it_moves(landing, mode, x)


def as_it_moves(landing: Landing, mode: Mode, x: Vector) -> tuple[Mode, Vector, Footholds]:
    """Mode, state and footholds in which contacts slip and roll as their velocities say."""
    modes, whole = landing.modes, landing.whole(mode, x)
    rows = rows_at(modes, whole.q, landing.holds, landing.time)
    slips, turns = (find(modes, rows, landing.closed, whole.v) for find in (by_velocity, turns_by_velocity))
    holds = landing.holds.slipping(slips).turning(turns)
    stances = stances_of(modes.switching, sorted(slips), turns, holds.sides)
    if stances != dict(mode.stances):
        mode = mode_through(modes, landing.closed, holds, whole, landing.time, stances)
        x = mode.state_of(whole.q, whole.v, whole.own)
    return mode, x, holds


def mode_through(
    modes: Modes, closed: Closed, holds: Footholds, whole: Whole, time: float, stances: Mapping[str, Stance]
) -> Mode:
    """The mode with some contacts closed that a state is in, around this state where its pivots all but vanish there."""
    ease = -math.inf
    try:
        mode = modes.mode(closed, footings=holds.footings, hint=whole.q, time=time, stances=stances)
        state = mode.state_of(whole.q, whole.v, whole.own)
        ease = Probe(mode, {}, modes.parameters_on(mode, holds)).ease(time, state)
        if ease >= SUSPECT:
            return mode
        return modes.mode(closed, about=whole.q, footings=holds.footings, time=time, stances=stances)
    except ModelError:
        if ease > 0.0:
            return mode
        told = ", ".join(repr(name) for name in sorted({modes.contact_of[name] for name in closed}))
        raise InconsistentStartError(
            f"start: what {told} hold at rest depends on each other in this pose, though not around it, so that their "
            "forces are not determined; start in another pose (a straight chain a little bent), give velocities with which "
            "something rolls or slips, or take steps of batches: lm.compile(system, contacts='time-stepping')"
        ) from None


def _sliding(landing: Landing, start: Mapping[str, float] | None, may: Closed) -> tuple[Mode, Vector]:
    """Mode and state with as few contacts slipping as the velocities given, and those of the root with them, allow."""
    modes, slipping = landing.modes, may
    mode, x = landing.state(slipping, start)
    system = modes.system
    own = system.layout.v[system.joints[0].name]
    v = landing.whole(mode, x).v
    root = {system.layout.velocities[i].name: float(v[i]) for i in range(own.start, own.stop)}
    given = {**root, **(start or {})}
    if len(may) == 1 or len(system.joints) == 1:
        return mode, x
    contradicts = _contradiction(landing, landing.whole(mode, x).q, given)
    for name in sorted(may):
        if contradicts(slipping - {name}):
            continue
        try:
            mode, x = landing.state(slipping - {name}, given)
        except (InconsistentStartError, ModelError):
            continue
        slipping = slipping - {name}
    return mode, x


def _contradiction(landing: Landing, q: Vector, given: Mapping[str, float]) -> Callable[[Closed], bool]:
    """Whether velocities that are given leave no motion where all closed contacts but some that slip stick, at a pose.

    A quick look at the rows before a mode is made: what all but fits is for the mode to decide, and whatever moves by itself.
    """
    modes, layout = landing.modes, landing.modes.system.layout
    own = {symbol.name for symbol in layout.velocities}
    speeds = {layout.index_v(name): value for name, value in given.items() if name in own}
    moves = modes.system.imposed or modes.system.turns_with_time or landing.holds.sides
    if moves or not speeds or len(landing.closed) > FEW:
        return lambda slipping: False
    rows = rows_at(modes, q, landing.holds, landing.time)
    asked = np.eye(layout.nv)[[*speeds]]
    wanted = np.array([*speeds.values()])
    largest = max(1.0, float(np.abs(wanted).max()))

    def contradicts(slipping: Closed) -> bool:
        parts = [
            rows.switching[i][:1] if entry.name in slipping else rows.switching[i]
            for i, entry in enumerate(modes.switching)
            if entry.name in landing.closed
        ]
        held = np.concatenate([rows.held[: rows.still], *parts])
        every, right = np.concatenate([held, asked]), np.concatenate([np.zeros(len(held)), wanted])
        left = every @ np.linalg.lstsq(every, right, rcond=None)[0] - right
        return bool(np.abs(left).max() > PLAINLY * largest)

    return contradicts
