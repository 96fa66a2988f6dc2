"""A system at one state with what its contacts on terrain stand on there as their grounds."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from locomotor.dataclass import dataclass, replace
from locomotor.errors import InconsistentStartError
from locomotor.model import System
from locomotor.simulation.events import Modes, Probe, Slips, held, places_at
from locomotor.simulation.terrain import Footholds, standing

FLAT = ("face", "piece on face")
"""Kinds of footings whose normal does not turn."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A system whose contacts on terrain are those parts of it that touch."""

    system: System
    contact_of: Mapping[str, str]
    """The contact as declared of each part of one that touches; the first has its name."""
    pinned: frozenset[str] = frozenset()
    """Those that hold something sharp: they stick, whatever that takes."""
    slipping: System | None = None
    """The system with those slipping that are on something sharp, where there are any: then their normals turn as they go."""


@dataclass(frozen=True)
class Nearness:
    """How near is touching, and from which depth on a contact is inside its ground (m)."""

    gap: float
    inside: float


def on_terrain(system: System, state: Mapping[str, float], time: float, near: Nearness, pressed: Collection[str]) -> Standing:
    """The system on planes and edges where its contacts touch their terrain at a state, as runs let them stand on these.

    What is `pressed` stands in a run, where gaps drift by the error of its steps: all that is as near counts.
    """
    modes = Modes(system, target="interpreter")
    if not modes.roughs:
        return Standing(system, {})
    flight = modes.mode(frozenset())
    holds = Footholds(modes.roughs)
    p = modes.parameters_on(flight, holds)
    whole = Probe(flight, {}, p).whole(time, flight.start(state, time, p, False))
    places = places_at(modes, whole.q, whole.v)
    for rough in modes.roughs:
        place, drifts = places[rough.name], near.inside if rough.name in pressed else 0.0
        for candidate in holds.candidates(rough, place):
            if candidate.gap < -near.inside and not rough.contact.law.is_gated:
                raise InconsistentStartError(
                    f"contact_report: contact {rough.name!r} is {-candidate.gap:.3g} m inside {candidate.feature.kind} "
                    f"{candidate.feature.number} of its terrain at the state given; lift the system until it touches: nothing "
                    "is assembled here"
                )
            if candidate.gap <= max(near.gap, drifts):
                holds, _ = holds.take(rough, candidate, place)
    owners = {slot: rough.name for slot, rough in holds.owners.items() if slot in holds.footings}
    pinned = frozenset(slot for slot, entry in holds.footings.items() if entry.pins)
    # Laws of impacts may name contacts that do not touch.
    alone = system.replace(contacts=tuple(replace(c, law=c.law.alone()) for c in system.contacts))
    stands = standing(alone, modes.roughs, holds.footings)
    slipping = stands
    for slot in (slot for slot in owners if holds.footings[slot].kind not in FLAT and slot not in pinned):
        if holds.owners[slot].contact.law.slips:
            slipping = held(Slips(), slipping, slot)
    return Standing(stands, owners, pinned, None if slipping is stands else slipping)
