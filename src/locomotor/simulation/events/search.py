"""Where an event lies on an integrated motion, and which of several comes first.

Between two samples the motion is the stepper's own: a trial instant is reached by one step of another length, so that an event
lies on the integrated motion itself. `locate_exactly` refines to round-off; `rewind_and_refine` is the scheme of the
sources: go back to the last good state, go on with shorter steps, until a shortest step.
"""

from collections.abc import Callable

import numpy as np

from locomotor.dataclass import replace
from locomotor.simulation.events.kinds import Search, Trigger, length_to, reading_of
from locomotor.simulation.events.plan import SHORTEST
from locomotor.simulation.events.probe import Seen
from locomotor.typing import Vector

SAME_INSTANT = 1e-12
"""Events that are nearer to each other happen together (s)."""
MANY = 8
"""More events in one step than this are compared with one that is known before each is located."""
REDUCTION = 0.1
"""Factor by which the sources' scheme shortens its steps; they give none."""

Located = tuple[float, Vector, list[Trigger]]
Locate = Callable[[Search, float, Vector, float, list[Trigger]], Located | None]


def locate_exactly(search: Search, t: float, x: Vector, h: float, triggers: list[Trigger]) -> Located | None:
    """Length of the step to the earliest event, the state there, and what happens; None if it was no event after all."""
    if len(triggers) > MANY:
        found = _located_together(search, t, x, h, triggers)
    else:
        lengths = {trigger: length_to(trigger, search, t, x, h) for trigger in triggers}
        found = {trigger: length for trigger, length in lengths.items() if length is not None}
    if not found:
        return None
    length = min(found.values())
    return length, search.probe.after(t, x, length), [k for k, s in found.items() if s - length <= SAME_INSTANT]


def _located_together(search: Search, t: float, x: Vector, h: float, triggers: list[Trigger]) -> dict[Trigger, float]:
    """Lengths to many events: those that happen at the instant of one that is known, or later, are not located by themselves.

    Hundreds of feet that slide alike stop at one instant, and a step is dear where there are so many.
    """
    found: dict[Trigger, float] = {}
    start = search.probe.look(t, x)
    first, before, after = h, start, start
    for trigger in triggers:
        begins = reading_of(trigger, search, start)
        if found and begins is not None and begins > 0.0 and first > SAME_INSTANT:
            earlier, later = (reading_of(trigger, search, seen) for seen in (before, after))
            if earlier is not None and earlier > 0.0:
                if later is not None and not later > 0.0:
                    found[trigger] = first
                continue
        length = length_to(trigger, search, t, x, h)
        if length is None:
            continue
        found[trigger] = length
        if length < first or len(found) == 1:
            first = length
            before, after = (search.at(t, x, max(first + aside, 0.0)) for aside in (-SAME_INSTANT, SAME_INSTANT))
    return found


def rewind_and_refine(search: Search, t: float, x: Vector, h: float, triggers: list[Trigger]) -> Located | None:
    """The sources' scheme (Mauny 2018, fig. 3.7): replay from the last good state with ever shorter steps.

    The event is taken to happen at the last state before it, that is up to the shortest step too early. The sources have no
    friction, whose events are located as they are by the other scheme.
    """
    if any(trigger.EXACT for trigger in triggers):
        return locate_exactly(search, t, x, h, triggers)
    done, state = 0.0, x
    happened = [trigger for trigger in triggers if not trigger.PERHAPS]
    # Whether a contact takes part is asked at its touch, which a shorter step need not end at.
    happened = [k for k in happened if not k.is_gated(search.mode) or length_to(k, search, t, x, h) is not None]
    if not happened:
        return locate_exactly(search, t, x, h, triggers)
    last = search.probe.look(t, x)
    step = h
    while step > SHORTEST:
        step *= REDUCTION
        search = replace(search, lengths=np.array([step]))
        for _ in range(round(1.0 / REDUCTION)):
            trial = search.probe.after(t + done, state, step)
            seen = search.probe.look(t + done + step, trial)
            both = Seen(*(np.stack([a, b]) for a, b in zip(vars(last).values(), vars(seen).values(), strict=True)))
            instants, pair = np.array([t + done, t + done + step]), np.stack([state, trial])
            crossed = [k for _, some in search.crossings(both, instants, pair) for k in some if k in happened]
            if crossed:
                happened = crossed
                break
            done, state, last = done + step, trial, seen
    return done, state, happened


SCHEMES: dict[str, Locate] = {"exact": locate_exactly, "source": rewind_and_refine}
