"""The checks that need the whole system: kinds, names, references, scopes, values by default."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from locomotor.checks import shown
from locomotor.errors import (
    DescriptionTypeError,
    DuplicateNameError,
)
from locomotor.model.body import Body, Frame
from locomotor.model.constraint import Constraint
from locomotor.model.contacts import Contact, Plane, RoundGround, Support, Terrain
from locomotor.model.description import Description
from locomotor.model.forces import Force
from locomotor.model.joint import Joint
from locomotor.model.layout import Input, Symbol
from locomotor.model.loops import Closure
from locomotor.model.references import check_references
from locomotor.model.scopes import check_constraints, check_scopes, descriptions
from locomotor.model.tree import check_branches

if TYPE_CHECKING:
    from locomotor.model.system import System

_KINDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("bodies", (Body, Frame)),
    ("joints", (Joint,)),
    ("contacts", (Contact,)),
    ("constraints", (Constraint,)),
    ("loops", (Closure,)),
    ("forces", (Force,)),
    ("grounds", (Plane, Terrain, RoundGround, Support)),
    ("inputs", (Input,)),
)


def validate_parts(system: System) -> None:
    """Checks that come before the tree can be ordered: kinds of things and names declared twice."""
    for field, kinds in _KINDS:
        for entry in getattr(system, field):
            if not isinstance(entry, kinds):
                wanted = " or ".join(kind.__name__ for kind in kinds if kind is not Support)
                raise DescriptionTypeError(f"system {system.name!r}: {field} holds {shown(entry)}; each must be a {wanted}")
    _Names(system.name).declare(system)


def validate(system: System) -> None:
    """Checks of the ordered system, the parameters' default values included."""
    names = _Names(system.name)
    names.declare(system)
    names.declare_channels(system)
    check_references(system)
    check_scopes(system)
    values = system.parameters.values
    for description in descriptions(system):
        description.check(values)
    _check_sites(system)
    check_constraints(system)
    _check_independent(system)
    touching = frozenset(contact.body for contact in system.contacts)
    touching |= {getattr(closure, field) for closure in system.loops for field in closure.BODIES}
    check_branches(system.bodies, system.joints, system.parents, touching)


# --- names --------------------------------------------------------------------------------------------------


class _Names:
    """Every name of a system and what has it."""

    def __init__(self, system: str) -> None:
        self.system = system
        self.owners: dict[str, str] = {}

    def add(self, name: str, owner: str) -> None:
        if name in self.owners:
            raise DuplicateNameError(
                f"system {self.system!r}: the name {name!r} is taken twice, by {self.owners[name]} and by "
                f"{owner}; rename one of them"
            )
        self.owners[name] = owner

    def declare(self, system: System) -> None:
        groups: tuple[tuple[str, Iterable[Description | Symbol]], ...] = (
            ("a body", system.bodies),
            ("a joint", system.joints),
            ("a contact", system.contacts),
            ("a constraint", system.constraints),
            ("a loop", system.loops),
            ("a force", system.forces),
            ("a ground", system.grounds),
            ("an input", system.inputs),
        )
        for kind, group in groups:
            for entry in group:
                self.add(entry.name, kind)  # type: ignore[union-attr]
        for name in system.parameters:
            self.add(name, "a parameter")

    def declare_channels(self, system: System) -> None:
        layout = system.layout
        for owner, places in layout.q.items():
            for symbol in layout.coordinates[places]:
                if symbol.name != owner:  # the coordinate of a scalar joint has the joint's own name
                    self.add(symbol.name, f"a coordinate ({symbol.description})")
        for symbol in layout.velocities:
            self.add(symbol.name, f"a velocity ({symbol.description})")


# --- the tree -----------------------------------------------------------------------------------------------


def _check_sites(system: System) -> None:
    """Joints hang on points that their parents have, and carry what they can carry."""
    for joint, child, parent in zip(system.joints, system.bodies, system.parents, strict=True):
        if isinstance(child, Body):
            child.check_carrier(joint)
        body = system.bodies[parent] if parent >= 0 else None
        if isinstance(body, Body):
            body.check_place(joint.at, joint.label, system.parameters.values)
    bodies = {body.name: body for body in system.bodies if isinstance(body, Body) and body.coordinates}
    for force in system.forces if bodies else ():
        for name, point in force.sites(system.parameters.values):
            if name in bodies:
                bodies[name].check_place(point, f"a section of {force.label}", system.parameters.values)


def _check_independent(system: System) -> None:
    seen: set[str] = set()
    for name in system.independent or ():
        system.layout.index_v(name)
        if name in seen:
            raise DuplicateNameError(f"system {system.name!r}: the independent velocity {name!r} is listed twice")
        seen.add(name)
