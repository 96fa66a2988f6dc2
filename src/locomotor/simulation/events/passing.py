"""Loops of a run with events: where they change their branch, which singular positions they pass, and at which one a run ends.

Branches are those of the mechanism with everything open that can open: contacts come and go, and the ways in which loops can be
assembled stay. So one determinant is followed through all modes of a run (see `simulation.branches`).
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from locomotor.dataclass import replace
from locomotor.errors import ModelError
from locomotor.model import Coupling, Rub, System
from locomotor.simulation.branches import Passages, passages_of
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Probe
from locomotor.simulation.events.trail import Segment, Trail
from locomotor.simulation.singular import Piece
from locomotor.simulation.singular_instant import instant, singular
from locomotor.simulation.status import Event, Outcome
from locomotor.tracing import trace
from locomotor.typing import Vector

TURNED = 0.1
"""Coordinates (rad, m) that change by less between two looks are taken to change the sign of a determinant once at most."""
AHEAD = 64
"""Steps that are made on from the end of a run that ends at a singular position, to see how fast pivots vanish there."""


def passed(plan: EventPlan, trail: Trail) -> tuple[list[Event], float | None]:
    """Changes of branch and singular positions along a trail, and the instant of the one at which it ends, if so."""
    segments = [segment for segment in trail.segments if not segment.passing]
    found = _branches(plan, segments)
    located = _end(plan, segments) if trail.outcome is Outcome.SINGULAR else None
    return (found if located is None else [*found, singular(located)]), located


def _branches(plan: EventPlan, segments: Sequence[Segment]) -> list[Event]:
    passages = _mechanism(plan.modes.system)
    if passages is None:
        return []
    starts = np.cumsum([0, *(len(segment.times) for segment in segments)]).tolist()
    nq = passages.traced.nq
    times = np.concatenate([segment.times for segment in segments])
    places = np.concatenate([segment.states[:, :nq] for segment in segments])
    looks = _looks(places)

    def again(k: int, s: float) -> Vector:
        """Coordinates some seconds after a look: made again from the last sample before."""
        time, first, last = times[looks[k]] + s, looks[k], looks[min(k + 1, len(looks) - 1)]
        sample = first + int(np.searchsorted(times[first : last + 1], time, side="right")) - 1
        own = bisect_right(starts, sample) - 1
        segment, at = segments[own], sample - starts[own]
        return _after(plan, segment, at, time - float(times[sample]))[:nq]

    return passages.events(times[looks], places[looks], again)


def _looks(places: Vector) -> list[int]:
    """Samples between which no coordinate has gone far."""
    gone = np.floor(np.abs(np.diff(places, axis=0)).max(axis=1, initial=0.0).cumsum() / TURNED)
    return np.unique([0, *(np.flatnonzero(np.diff(gone)) + 1).tolist(), len(places) - 1]).tolist()


def _after(plan: EventPlan, segment: Segment, k: int, s: float) -> Vector:
    """The state of a segment some seconds after one of its samples."""
    if not s > 0.0:
        return segment.states[k]
    count = max(1, int(np.ceil(s / plan.grid.step)))
    states = _probe(plan, segment).states(float(segment.times[k]), segment.states[k], count, s / count)
    return states[-1] if len(states) > count else np.full(len(segment.states[k]), np.nan)


def _probe(plan: EventPlan, segment: Segment) -> Probe:
    return plan.probe(segment.mode, segment.parameters)


def _end(plan: EventPlan, segments: Sequence[Segment]) -> float | None:
    """The instant of the singular position at which a run has ended, as seen from the last segment whose pivots tell."""
    last = segments[-1]
    end = float(last.times[-1]) + AHEAD * plan.grid.step
    for segment in reversed(segments):
        if segment.mode.closed != last.mode.closed:
            return None  # what has opened or closed since has changed the rows
        compiled, states = segment.mode.compiled, segment.states
        if states.size and len(compiled.traced.motion.watched_steps):
            piece = Piece(compiled, segment.times, states, Outcome.SINGULAR, end, states[-1], -1, 0.0)
            piece = replace(piece, parameters=segment.parameters)
            found = instant(piece, end, _probe(plan, segment).states, plan.grid.step)
            if found is not None:
                return found
    return None


@lru_cache(maxsize=32)
def _mechanism(system: System) -> Passages | None:
    """The loops of a system with everything open that can open."""
    if not system.loops:
        return None
    constraints = (c for c in system.constraints if not isinstance(c, Rub) and not (isinstance(c, Coupling) and c.law.switches))
    alone = system.replace(
        contacts=tuple(contact for contact in system.contacts if not contact.law.switches), constraints=tuple(constraints)
    )
    try:
        return passages_of(trace(alone))
    except ModelError:  # velocities that are independent with all contacts closed need not be without
        return passages_of(trace(alone.replace(independent=None)))
