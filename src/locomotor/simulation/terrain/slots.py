"""Slots of contacts on terrain in a system: a contact and its support for each, both given by parameters."""

from collections.abc import Mapping

from locomotor.dataclass import replace
from locomotor.model import Contact, Parameter, Plane, SlidingPoint, System
from locomotor.model.contacts import Knob, Perched, Rail, Ridge, Rim, Support, Tip
from locomotor.simulation.terrain.footing import VECTORS, Footing, Rough
from locomotor.tracing.contacts import piece_of
from locomotor.tracing.contacts import support_names as names


def parameter_names(slot: str, kind: str) -> tuple[str, ...]:
    """Names of all parameters of a slot's support."""
    return tuple(name for vector in VECTORS[kind] for name in names(slot, vector))


def stand_on(footing: Footing, slot: str) -> tuple[Contact, Plane | Support]:
    """A slot's contact and its support, both given by parameters."""
    where, rough, kind = f"{slot}_support", footing.rough, footing.kind
    given = {vector: names(slot, vector) for vector in VECTORS[kind]}
    contact = replace(rough.contact, name=slot, ground=where)
    if kind.startswith("piece"):
        contact = piece_of(contact, given["at"])
        kind = kind.removeprefix("piece on ")
    if kind == "face":
        return contact, Plane(where, normal=given["normal"], point=given["point"])
    if kind == "rail":
        return contact, Rail(where, given["point"], given["direction"], given["towards"])
    if kind == "knob":
        return contact, Knob(where, given["point"])
    held: Contact
    if contact.slides:
        held = SlidingPoint(slot, contact.body, at=given["at"], ground=where, law=contact.law)
    else:
        held = Perched(slot, contact.body, at=given["at"], ground=where, law=contact.law, pinned=footing.pins)
    if kind == "tip":
        return held, Tip(where, given["point"], given["inward"])
    if kind == "rim":
        return held, Rim(where, given["point"], given["direction"], given["tangent"], given["axis"], given["centre"])
    return held, Ridge(where, given["point"], given["direction"], given["tangent"])


def standing(system: System, roughs: tuple[Rough, ...], footings: Mapping[str, Footing]) -> System:
    """The system with its contacts on terrain replaced by the slots that stand on something."""
    contacts: list[Contact] = []
    supports: list[Plane | Support] = []
    by_name = {rough.name: rough for rough in roughs}
    for contact in system.contacts:
        if contact.name not in by_name:
            contacts.append(contact)
            continue
        rough = by_name[contact.name]
        for slot in rough.slots:
            if slot in footings:
                replaced, support = stand_on(footings[slot], slot)
                contacts.append(replaced)
                supports.append(support)
    values = {name: value for slot, footing in footings.items() for name, value in footing.values(slot).items()}
    added = [Parameter(name, value, description="of the ground that is touched") for name, value in values.items()]
    return system.replace(
        contacts=tuple(contacts),
        grounds=(*system.grounds, *supports),
        parameters=(*(system.parameters[name] for name in system.parameters), *added),
    )
