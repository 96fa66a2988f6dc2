"""Contacts of a system at one instant: from declarations to rows, by what they touch."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from locomotor.errors import ContactKindError, ModelError
from locomotor.lie import ops
from locomotor.mechanics.constraints import surfaces as surfaces  # its ground is registered
from locomotor.mechanics.constraints.contact_geometry import checked, touch_plane
from locomotor.mechanics.constraints.formula_rows import formula_rows
from locomotor.mechanics.constraints.round_grounds import on_round
from locomotor.mechanics.constraints.rows import CarriedRows, ConstraintSet, ContactRows
from locomotor.mechanics.constraints.standpoint import FromBody, Standpoint
from locomotor.mechanics.constraints.supported import supported
from locomotor.mechanics.loops import loop_rows
from locomotor.mechanics.tree import Kinematics, Substructure
from locomotor.model import Contact, Plane, Terrain, evaluate
from locomotor.model.contacts import RoundGround, Support
from locomotor.names import WORLD


def constraint_set(kinematics: Kinematics) -> ConstraintSet:
    """Constraints of the system at one instant."""
    instant = kinematics.instant
    contacts = contacts_at(kinematics, instant.system.contacts)
    return ConstraintSet(kinematics, contacts, formula_rows(instant), *loop_rows(kinematics), Substructure.of(instant.system))


def contacts_at(kinematics: Kinematics, contacts: Sequence[Contact]) -> tuple[ContactRows, ...]:
    """Geometry and rows of contacts at one instant, whether the system enforces them or not."""
    grounds = {ground.name: ground for ground in kinematics.instant.system.grounds}
    return tuple(rows_on(grounds[contact.ground], contact, kinematics) for contact in contacts)


@singledispatch
def rows_on(ground: Any, contact: Contact, kinematics: Kinematics) -> ContactRows:
    """The rows of a contact on its ground."""
    raise ModelError(f"{contact.label}: nothing says how it touches a {type(ground).__name__}; give it a Plane as its ground")


@rows_on.register
def _(ground: Terrain, contact: Contact, kinematics: Kinematics) -> ContactRows:
    raise ModelError(
        f"{contact.label}: its ground {ground.name!r} is a Terrain, and which part of it is touched changes with the "
        "motion; `simulate` and batches with contacts='time-stepping' follow that, everything else needs a Plane: "
        "system.replace(grounds=(Plane(...),))"
    )


@rows_on.register
def _(ground: Support, contact: Contact, kinematics: Kinematics) -> ContactRows:
    body, substructure = kinematics.index(contact.body), Substructure.of(kinematics.instant.system)
    normal, touched = supported(contact, ground, kinematics, body)
    checked(contact, touched)
    if (contact.pivots or contact.resists) and touched.turning is None:
        raise ContactKindError(
            f"{contact.label}: its law has a patch or a rolling resistance, and nothing says how the normal turns where a "
            f"{type(contact).__name__} rests on a {type(ground).__name__}; give `turning` to the Touch of its `supported`, or "
            "leave both out"
        )
    up = kinematics.poses[body].rotation @ normal
    seen = Standpoint(kinematics, body)
    return ContactRows(contact, body, touched, ground, up, contact.blocks, kinematics, substructure, seen)


@rows_on.register
def _(ground: Plane, contact: Contact, kinematics: Kinematics) -> ContactRows:
    values, body = kinematics.instant.values, kinematics.index(contact.body)
    substructure = Substructure.of(kinematics.instant.system)
    if ground.body == WORLD:
        up, seen = evaluate(ground.normal, values), Standpoint(kinematics, body)
        root = kinematics.links[kinematics.roots[body]].pose
        normal = kinematics.poses_in_root[body].rotation.T @ (root.rotation.T @ up)
        touched = touch_plane(contact, normal, seen.omega, values)
        return ContactRows(contact, body, touched, ground, up, contact.blocks, kinematics, substructure, seen)
    carrier, own = kinematics.index(ground.body), evaluate(ground.normal, values)
    view = FromBody(kinematics, body, carrier)
    touched = touch_plane(contact, view.pose.rotation.T @ own, view.omega, values)
    apart = ops.dot(own, view.pose.act(touched.point) - evaluate(ground.point, values))
    return CarriedRows(contact, body, touched, ground, own, contact.blocks, kinematics, substructure, view, apart, carrier)


@rows_on.register
def _(ground: RoundGround, contact: Contact, kinematics: Kinematics) -> ContactRows:
    body, substructure = kinematics.index(contact.body), Substructure.of(kinematics.instant.system)
    if ground.body == WORLD:
        seen = Standpoint(kinematics, body)
        normal, touched, apart = on_round(ground, contact, seen)
        checked(contact, touched)
        up = seen.pose.rotation @ normal
        return ContactRows(contact, body, touched, ground, up, contact.blocks, kinematics, substructure, seen, apart)
    carrier = kinematics.index(ground.body)
    view = FromBody(kinematics, body, carrier)
    normal, touched, apart = on_round(ground, contact, view)
    checked(contact, touched)
    level = view.pose.rotation @ normal
    return CarriedRows(contact, body, touched, ground, level, contact.blocks, kinematics, substructure, view, apart, carrier)
