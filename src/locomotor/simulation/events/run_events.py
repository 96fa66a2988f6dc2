"""Events of the run itself: inputs that jump, pivots that fail, ends that are reached, and what ends it before its time."""

from locomotor.dataclass import dataclass
from locomotor.simulation.compiled import lost_input, lost_law
from locomotor.simulation.events import endings
from locomotor.simulation.events.friction import tell_stances
from locomotor.simulation.events.impacts import settle
from locomotor.simulation.events.kinds import OfContact, Trigger, respond
from locomotor.simulation.events.modes import Mode
from locomotor.simulation.events.moment import Change, entering
from locomotor.simulation.events.pivots import back_to_comfort, with_pivots_of
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.terrain_events import SUNK
from locomotor.simulation.singular import unsolved
from locomotor.simulation.status import Outcome
from locomotor.typing import Vector

LOOSE = 1e-3
"""A closed contact whose gap changes by more (m) is not held."""


@dataclass(frozen=True)
class InputsJump(Trigger):
    """A law of time jumps, and with it the forces."""

    COLLIDES = False


@respond.register
def _(trigger: InputsJump, plan: EventPlan, change: Change) -> Change:
    now = change.now
    return tell_stances(plan, now, settle(plan, change.into(entering(plan, now, now.mode, now.state))))


@dataclass(frozen=True)
class EndReached(Trigger):
    """An end of the run is reached: one of its expressions becomes negative."""

    COLLIDES = False

    name: str


@respond.register
def _(trigger: EndReached, plan: EventPlan, change: Change) -> Change:
    return change.stopping(Outcome.ENDED, end=trigger.name)


# -- pivots ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PivotsFail(Trigger):
    """No further step is possible with the pivots in use."""

    COLLIDES = False

    state: Vector
    """The state at which the pivots failed."""


@respond.register
def _(trigger: PivotsFail, plan: EventPlan, change: Change) -> Change:
    now = change.now
    if now.mode.wheels:
        margins = now.probe(plan).look(now.time, trigger.state).pivots[-now.mode.wheels :]
        if flat := [name for name, margin in zip(now.mode.wheel_names, margins, strict=True) if margin <= 0.0]:
            # Steps that were shortened on the way here are not recorded: the last one is.
            return change.into(now).stopping(Outcome.SINGULAR, endings.lies_flat(plan.modes, flat))
    return back_to_comfort(plan, change, trigger.state)


@dataclass(frozen=True, eq=False)
class PivotsWane(Trigger):
    """The pivots in use are all but zero at the event ahead, or wane too fast for the steps, and another choice does not."""

    COLLIDES = False

    mode: Mode
    """The mode with the same contacts closed and the better choice of pivots."""
    back: tuple[float, Vector] | None = None
    """Instant and state to go back to, if any."""


@respond.register
def _(trigger: PivotsWane, plan: EventPlan, change: Change) -> Change:
    return with_pivots_of(plan, change, trigger.mode, trigger.back)


# -- what must not happen -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BlowsUp(Trigger):
    """The next state is infinite, or not a number; or an implicit step to it, of a length, did not converge."""

    unsolved: bool = False
    length: float = 0.0
    COLLIDES = False


@respond.register
def _(trigger: BlowsUp, plan: EventPlan, change: Change) -> Change:
    now = change.now
    if trigger.unsolved:
        return change.stopping(Outcome.UNSOLVED, unsolved(trigger.length))
    where = (now.mode.compiled, now.time, now.state, now.parameters)
    lost = lost_input(*where) or lost_law(*where)
    return change.stopping(Outcome.NOT_FINITE, lost or endings.not_finite(now.mode, now.state))


@dataclass(frozen=True)
class ComesLoose(OfContact):
    """A closed contact moves away: its row was taken to follow from others, which holds no longer."""

    COLLIDES = False


@respond.register
def _(trigger: ComesLoose, plan: EventPlan, change: Change) -> Change:
    return change.stopping(Outcome.INCOMPATIBLE, endings.not_held(plan.modes, trigger.contact, LOOSE))


@dataclass(frozen=True)
class Sinks(OfContact):
    """An open contact is inside its ground."""

    COLLIDES = False


@respond.register
def _(trigger: Sinks, plan: EventPlan, change: Change) -> Change:
    return change.stopping(Outcome.SUNK, endings.sunk(plan.modes, trigger.contact, SUNK))
