"""Why an event-driven run ends early, and what to do about it: the sentences of its status."""

from collections.abc import Sequence

from locomotor.errors import LocomotorError
from locomotor.model import Contact
from locomotor.model.contacts import EVERY_DIRECTION
from locomotor.simulation.events.modes import Closed, Mode, Modes
from locomotor.typing import Vector

REPORTS = "lm.contact_report(system, run) says more"
WORDS = {"open": "opens", "stick": "sticks", "slip": "slips"}
MOST_WAYS = 4
"""Ways that are named."""


class NoModeError(LocomotorError, RuntimeError):
    """An event after which there is no motion to go on with; its words become the end of the run."""


class HeadOnError(NoModeError):
    """A skate strikes a terrain along its own heading."""

    def __init__(self, contact: str) -> None:
        super().__init__(
            f"skate {contact!r} strikes its terrain along its own heading, where it has no side; use a SlidingPoint, or let it "
            "arrive at an angle"
        )


class VelocitiesLostError(NoModeError):
    """Some contacts would be closed in a pose where their rows depend on each other, and the motion would stop for that."""

    def __init__(self, contacts: Sequence[str]) -> None:
        super().__init__(
            f"{', '.join(contacts)} closed together would stop a motion that none of them stops, as they lie here; start a "
            "little differently, or let a contact take part only where it should (Unilateral, `when`)"
        )


def inconsistent(modes: Modes, names: Sequence[str]) -> str:
    """Words for contacts that can neither be closed nor open."""
    told = sorted({modes.contact_of.get(name, name) for name in names})
    contacts = [contact for contact in modes.system.contacts if contact.name in told]
    ways = []
    if smooth := dict.fromkeys(contact.SMOOTH for contact in contacts if contact.SMOOTH):
        ways.append(f"let some {'points' if [*smooth] == ['SlidingPoint'] else 'contacts'} slide ({', '.join(smooth)})")
    if any(not contact.slides for contact in contacts):
        ways.append("give contacts that stick a coefficient, Unilateral(friction=...)")
    ways.append("use a CompliantContact")
    if any(_is_foot(contact) and not contact.law.is_gated for contact in contacts):
        ways.append(
            "for a foot that scuffs the ground as it swings, switch it off in mid-swing: Unilateral(when='...'), positive only "
            "where it shall land"
        )
    why = "contacts that stick allow this, so " if any(not contact.slides for contact in contacts) else ""
    return f"{', '.join(told)}: closed they would have to pull, open they would enter the ground; {why}{', or '.join(ways)}"


def _is_foot(contact: Contact) -> bool:
    """Whether a contact is a point that sticks where it lands."""
    return contact.BLOCKS == EVERY_DIRECTION and contact.point is not None


def not_held(modes: Modes, contact: int, loose: float) -> str:
    """Words for a closed contact whose gap changes."""
    name = modes.contact_of[modes.names[contact]]
    return (
        f"contact {name!r} is closed and yet its gap changes by more than {loose:g}: with the others that are closed it is "
        "one too many in the pose where they closed; use fewer contacts, take a smaller step, or project=True"
    )


def sunk(modes: Modes, contact: int, depth: float) -> str:
    """Words for an open contact that is inside its ground."""
    name = modes.contact_of[modes.names[contact]]
    return (
        f"contact {name!r} is open and more than {depth:g} m inside its ground, without having been seen to touch it; take a "
        "smaller step, or give the body contacts where it met the ground; where it shall pass, say so (Unilateral, `when`)"
    )


def singular(modes: Modes, closed: Closed) -> str:
    """Words for a pose without safe pivots."""
    told = sorted({modes.contact_of[name] for name in closed}) or ["none"]
    return (
        f"closed contacts: {', '.join(told)}; take a smaller step, end the run earlier, or start in a pose that is not singular"
    )


def lies_flat(modes: Modes, names: Sequence[str]) -> str:
    """Words for a wheel that has fallen on its side."""
    told = ", ".join(sorted({modes.contact_of[name] for name in names}))
    return (
        f"{told}: the wheel has come to lie flat, where no single point of its rim touches; end the run before, or give its "
        "side points of contact of their own (StickingPoint around the rim, as many as it shall rest on)"
    )


def not_finite(mode: Mode, x: Vector) -> str:
    """Words for a state after which there is none."""
    state = dict(zip(mode.compiled.state_names, x, strict=True))
    names = mode.compiled.traced.reduction.names
    fastest = max(names, key=lambda name: abs(state[name]), default="")
    largest = f"; the fastest velocity was {fastest} = {state[fastest]:.3g}" if fastest else ""
    remedy = "take a smaller step, or look for a wheel that lies flat or a joint that jams"
    return f"the last good state is at that time{largest}; {remedy}"


def endless(modes: Modes, contacts: Sequence[str], count: int, within: float) -> str:
    """Words for events that follow each other without end."""
    smooth = "smooth a controller that jumps with the state, " if modes.controller is not None else ""
    return (
        f"{count} events of {', '.join(contacts)} within {within:g} s; {smooth}give the contacts a smaller restitution, join "
        "those that touch together into one, or use a CompliantContact"
    )


def relapsing(modes: Modes, happens: str) -> str:
    """Words for friction that lets go and holds without end, as it does where a force jumps with the state: in which way."""
    what, remedies = "a force", ["smooth it over a width, as tanh(x/width) in place of a sign"]
    if modes.controller is not None:
        what = "a controller"
        remedies.append("let it act later, controller=lm.actuated(law, delays={...})")
    return (
        f"{happens}, as where {what} that jumps with the state switches faster than any step; {', or '.join(remedies)}; "
        "where none jumps, take a smaller step"
    )


def no_way(modes: Modes, names: Sequence[str], is_proved: bool) -> str:
    """Words for contacts with friction that can go on in no way, or for which none was found."""
    told = ", ".join(sorted({modes.contact_of[name] for name in names}))
    which = "they can go on in no way from here"
    if not is_proved:
        which = "no way to go on from here was found, which does not prove that there is none"
    return f"{told}: with dry friction {which}; {REPORTS}; take a smaller coefficient of friction, or a CompliantContact"


def several_ways(modes: Modes, names: Sequence[str], ways: Sequence[Sequence[str]]) -> str:
    """Words for contacts with friction that can go on in several ways: which, and how one of them is chosen."""
    own = [modes.contact_of[name] for name in names]
    told, chosen = [], []
    for way in ways[:MOST_WAYS]:
        told.append(", ".join(f"{name} {WORDS[word]}" for name, word in zip(own, way, strict=True)))
        chosen.append([name for name, word in zip(own, way, strict=True) if word != "open"])
    more = f", or {len(ways) - MOST_WAYS} others" if len(ways) > MOST_WAYS else ""
    others = [closed for closed in chosen if len(closed) < len(own)]
    choice = f"where one opens, simulate from this state with closed={' or '.join(map(str, others))}; " if others else ""
    return (
        f"with dry friction {', or '.join(told)}{more}; {choice}{REPORTS}; or take a smaller coefficient of friction, or a "
        "CompliantContact"
    )


def no_friction_fits(names: Sequence[str]) -> str:
    """Words for joints at rest that can neither stick nor slide."""
    return (
        f"{', '.join(names)}: joints with dry friction can neither stick nor slide from here; give fewer joints friction, or "
        "let `static` be the same as `bound`"
    )


def jams(modes: Modes, name: str) -> str:
    """Words for a contact that slips while no normal force can keep it out of the ground."""
    return (
        f"{modes.contact_of[name]}: it slips, and a normal force with its friction does not push it away from the ground any "
        f"more (Painlevé's paradox); {REPORTS}; take a smaller coefficient of friction, or a CompliantContact"
    )
