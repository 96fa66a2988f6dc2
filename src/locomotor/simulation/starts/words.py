"""What a start contradicts, in words: by the conditions that a system has, which need not be contacts."""

from __future__ import annotations

from locomotor.model import System

MOVED = "`closed`, so that coordinates which are not given are moved until it touches"


def conditions_of(system: System) -> str:
    """The kinds of conditions of a system; loops and constraints by their names."""
    kinds = {"loops": [loop.name for loop in system.loops], "constraints": [held.name for held in system.constraints]}
    named = [f"the {kind} ({', '.join(names)})" for kind, names in kinds.items() if names]
    return " and ".join(["the contacts"] * bool(system.contacts) + named) or "the conditions of the system"


def beyond(system: System, name: str, gap: float) -> str:
    """A contact or a stop whose gap is negative at the start."""
    contact = next((contact for contact in system.contacts if contact.name == name), None)
    if contact is None:
        return f"the stop {name!r} is passed by {-gap:.3g} (rad, or m); start on its other side, or name it in {MOVED}"
    if getattr(system.ground(contact.ground), "inside", False):
        return (
            f"contact {name!r} is {-gap:.3g} m outside {contact.ground!r}, inside which it stays (of a cable: it is too short "
            f"by that); bring it nearer, or name the contact in {MOVED}"
        )
    return f"contact {name!r} is {-gap:.3g} m inside its ground; lift the system, or name the contact in {MOVED}"
