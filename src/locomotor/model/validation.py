"""The checks that need the whole system: kinds, names, references, scopes, values by default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from locomotor.checks import shown
from locomotor.errors import (
    AirError,
    ContactKindError,
    ContactLawError,
    DescriptionTypeError,
    DuplicateNameError,
    MotionLawError,
    ParameterScopeError,
    RestrictedForceError,
    UnknownBodyError,
    UnknownGroundError,
    UnknownJointError,
    UnknownNameError,
)
from locomotor.model.body import Body, Frame
from locomotor.model.constraint import Constraint, Coupling, VelocityConstraint
from locomotor.model.contacts import EVERY_DIRECTION, NORMAL, Contact, ContactLaw, Plane, RoundGround, Support, Terrain
from locomotor.model.description import Description
from locomotor.model.drive import Motion
from locomotor.model.expressions import Expression, as_quantity, expressions
from locomotor.model.forces import Air, Force
from locomotor.model.joint import Joint
from locomotor.model.layout import Input, Symbol
from locomotor.model.loops import Closure
from locomotor.model.tree import check_branches
from locomotor.names import TIME, WORLD, suggestion

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
    _check_references(system)
    _check_scopes(system)
    values = system.parameters.values
    for description in _descriptions(system):
        description.check(values)
    _check_sites(system)
    _check_constraints(system)
    _check_independent(system)
    touching = frozenset(contact.body for contact in system.contacts)
    touching |= {getattr(closure, field) for closure in system.loops for field in closure.BODIES}
    check_branches(system.bodies, system.joints, system.parents, touching)


def _descriptions(system: System) -> Iterator[Description]:
    yield from (*system.bodies, *system.joints, *system.grounds, *system.contacts, *system.forces)
    yield from (*system.constraints, *system.loops)


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


# --- references ---------------------------------------------------------------------------------------------


def _check_references(system: System) -> None:
    for ground in system.grounds:
        _check_ground(system, ground)
    for contact in system.contacts:
        _check_contact(system, contact)
    for force in system.forces:
        _check_force(system, force)
    for closure in system.loops:
        _check_closure(system, closure)


def _ground_of(system: System, part: Contact | Force, field: str = "ground") -> Plane | Terrain | Support | RoundGround:
    """The ground that a field of a contact or a force names."""
    wanted = getattr(part, field)
    for ground in system.grounds:
        if ground.name == wanted:
            return ground
    names = [ground.name for ground in system.grounds]
    raise UnknownGroundError(f"{part.label}: its {field} {wanted!r} is no ground of the system: {suggestion(wanted, names)}")


def _check_ground(system: System, ground: Plane | Terrain | Support | RoundGround) -> None:
    """The body that carries it, if one does."""
    carrier, bodies = ground.body, {body.name: body for body in system.bodies}
    if carrier == WORLD:
        return
    if carrier not in bodies:
        raise UnknownBodyError(
            f"{ground.label}: its body {carrier!r} is no body of the system: {suggestion(carrier, (*bodies, WORLD))}"
        )
    if bodies[carrier].coordinates:
        raise ContactKindError(
            f"{ground.label}: its body {carrier!r} is a soft one, on which a ground would bend; fix a Frame to it with a Fixed "
            "joint, and let that carry the ground"
        )


def _check_contact(system: System, contact: Contact) -> None:
    """Refuse a contact whose body is unknown, or whose kind or law does not suit its ground."""
    bodies = [body.name for body in system.bodies]
    if contact.body not in bodies:
        raise UnknownBodyError(
            f"{contact.label}: its body {contact.body!r} is no body of the system: {suggestion(contact.body, bodies)}"
        )
    ground = _ground_of(system, contact)
    if ground.body == contact.body:
        raise ContactKindError(
            f"{contact.label}: its ground {contact.ground!r} is carried by its own body {contact.body!r}; a contact is between "
            "a body and the ground of another one"
        )
    if contact.PLANE_SET and isinstance(ground, Plane):
        raise ContactLawError(
            f"{contact.label}: its ground {contact.ground!r} is a Plane, which it touches with several points "
            f"at once; use {contact.PLANE_SET}(...) there, or give it a Terrain, such as Terrain.plane()"
        )
    if not isinstance(ground, Terrain):
        return
    if contact.of_solid:
        raise ContactKindError(
            f"{contact.label}: its ground {contact.ground!r} is a Terrain, whose edges and corners may come between this "
            f"contact and the others of its set without touching any; declare the body as one {contact.of_solid}(...), or "
            "its points and spheres one by one if nothing but these shall touch"
        )
    if contact.pivots or contact.resists:
        raise ContactLawError(
            f"{contact.label}: its ground {contact.ground!r} is a Terrain, and its law has a patch or a rolling resistance, "
            "which edges and corners have not; leave it out, or give it a Plane as its ground"
        )
    if contact.point is None and contact.BLOCKS not in (EVERY_DIRECTION, (NORMAL,)):
        raise ContactKindError(
            f"{contact.label}: its ground {contact.ground!r} is a Terrain, and a {type(contact).__name__} blocks directions of "
            f"its own ({', '.join(contact.BLOCKS)}), which nothing gives on edges and corners; give it a Plane as its ground"
        )
    if not contact.law.pushes:
        raise ContactLawError(
            f"{contact.label}: its ground {contact.ground!r} is a Terrain, which ends and bends, and its law "
            f"{type(contact.law).__name__}; give it the law Unilateral(), or a Plane as its ground"
        )


def _check_force(system: System, force: Force) -> None:
    """What it acts on, and its ground if it has one."""
    for field in force.GROUNDS:
        force.check_ground(_ground_of(system, force, field))
    bodies = [*(body.name for body in system.bodies), *([WORLD] if force.WORLD_ALLOWED else [])]
    for field in force.BODIES:
        name = getattr(force, field)
        if name not in bodies:
            raise UnknownBodyError(f"{force.label}: its {field} {name!r} is no body of the system: {suggestion(name, bodies)}")
    fluids = [other.name for other in system.forces if isinstance(other, Air)]
    for field in force.FLUIDS:
        name = getattr(force, field)
        if name not in fluids:
            raise AirError(
                f"{force.label}: its {field} {name!r} is no Air of the system: {suggestion(name, fluids)}. Add lm.Air() to its "
                "forces; a density of zero is a vacuum"
            )
    force.check_bodies({body.name: body for body in system.bodies})
    joints = {joint.name: joint for joint in system.joints}
    for field in force.JOINTS:
        name = getattr(force, field)
        if name not in joints:
            raise UnknownJointError(
                f"{force.label}: its {field} {name!r} is no joint of the system: {suggestion(name, joints)}"
            )
        if joints[name].nv != 1:
            raise RestrictedForceError(
                f"{force.label}: {joints[name].label} has {joints[name].nv} degrees of freedom; a joint "
                "force needs one. Use a BodyForce or BodyTorque, or joints of one degree of freedom"
            )


def _check_closure(system: System, closure: Closure) -> None:
    """Refuse a closure whose bodies are unknown, or whose laws depend on what they may not."""
    bodies = {body.name: body for body in system.bodies}
    for field in closure.BODIES:
        name = getattr(closure, field)
        if name != WORLD and name not in bodies:
            raise UnknownBodyError(
                f"{closure.label}: its {field} {name!r} is no body of the system: {suggestion(name, (*bodies, WORLD))}"
            )
    for expression in expressions(closure.laws):
        for name in sorted(expression.names - set(system.parameters) - {TIME}):
            raise ParameterScopeError(
                f"{closure.label}: '{expression}' depends on {name!r}; what closes a loop may depend on t and parameters"
            )


def _check_sites(system: System) -> None:
    """Joints hang on points that their parents have, and carry what they can carry."""
    for joint, child, parent in zip(system.joints, system.bodies, system.parents, strict=True):
        if isinstance(child, Body):
            child.check_carrier(joint)
        body = system.bodies[parent] if parent >= 0 else None
        if isinstance(body, Body):
            body.check_place(joint.at, joint.label, system.parameters.values)


def _check_constraints(system: System) -> None:
    """Constraints speak of velocities by name, and depend on plain coordinates (those with a rate) and parameters.

    Those between velocities may depend on time as well.
    """
    layout = system.layout
    plain = set(layout.velocity_of)
    for constraint in system.constraints:
        if isinstance(constraint, VelocityConstraint):
            for name in constraint.velocities:
                layout.index_v(name)
        position = (constraint.position,) if isinstance(constraint, Coupling) else ()
        timed = isinstance(constraint, VelocityConstraint)
        laws = constraint.laws if isinstance(constraint, VelocityConstraint) else position
        allowed = plain | {TIME} if timed else plain
        for expression in expressions(laws):
            for name in sorted(expression.names - set(system.parameters) - allowed):
                remedy = "; what moves with time is a VelocityConstraint(..., equals=...)" if name == TIME else ""
                raise ParameterScopeError(
                    f"{constraint.label}: '{expression}' depends on {name!r}; a constraint may depend on "
                    f"{'t, ' if timed else ''}parameters and on coordinates that have a rate of their own: "
                    f"{', '.join(sorted(plain)) or 'there are none'}{remedy}"
                )


def _check_independent(system: System) -> None:
    seen: set[str] = set()
    for name in system.independent or ():
        system.layout.index_v(name)
        if name in seen:
            raise DuplicateNameError(f"system {system.name!r}: the independent velocity {name!r} is listed twice")
        seen.add(name)


# --- scopes -------------------------------------------------------------------------------------------------


def _check_scopes(system: System) -> None:
    """What each expression may depend on: everything it names is known there."""
    varying = _varying(system)
    everything = [*system.parameters, *varying]
    _check_fields(system, varying, everything)
    _check_drives(system, varying, everything)
    _check_shapes(system)
    _check_conditions(system, everything)
    for coordinate, value in system.nominal:
        system.layout.index_q(coordinate)
        for expression in expressions(value):
            _check_parameters(system, f"nominal {coordinate!r}", expression)


def _unknown(where: str, name: str, expression: Expression, pool: Iterable[str]) -> UnknownNameError:
    return UnknownNameError(f"{where} '{expression}': the name {name!r} is unknown: {suggestion(name, pool)}")


def _check_parameters(system: System, where: str, expression: Expression) -> None:
    """An expression of parameters alone."""
    for name in sorted(expression.names - set(system.parameters)):
        raise _unknown(where, name, expression, system.parameters)


def _check_fields(system: System, varying: Mapping[str, str], everything: Sequence[str]) -> None:
    """Fields of bodies, joints, contacts and forces: parameters only, and everything in laws."""
    for description in _descriptions(system):
        own = _own_names(system, description)
        for field, expression in description.expressions(laws=False):
            where = f"{description.label}: {field}"
            for name in sorted(expression.names - set(system.parameters) - own.get(field, frozenset())):
                if name not in varying:
                    raise _unknown(where, name, expression, system.parameters)
                raise ParameterScopeError(
                    f"{where} '{expression}' depends on {name!r}, {varying[name]}; only parameters may enter here"
                )
        for field, expression in description.expressions(laws=True):
            for name in sorted(expression.names - set(everything) - own.get(field, frozenset())):
                raise _unknown(f"{description.label}: {field}", name, expression, everything)


def _own_names(system: System, description: Description) -> Mapping[str, frozenset[str]]:
    """Names that only one field of a description knows; a parameter of such a name would be hidden there."""
    for field, names in description.OWN_NAMES.items():
        for name in sorted(set(names) & set(system.parameters)):
            raise DuplicateNameError(
                f"{description.label}: in its {field}, {name!r} has a meaning of its own, and a parameter has that name too; "
                "rename the parameter"
            )
    return {field: frozenset(names) for field, names in description.OWN_NAMES.items()}


def _check_drives(system: System, varying: Mapping[str, str], everything: Sequence[str]) -> None:
    """Torques may depend on everything, imposed motions on time and parameters."""
    for joint in system.joints:
        for expression in expressions(joint.drive.law):
            imposed = isinstance(joint.drive, Motion)
            where = f"{joint.label}: {type(joint.drive).__name__}"
            for name in sorted(expression.names - set(system.parameters) - {TIME}):
                if name not in varying:
                    raise _unknown(where, name, expression, (TIME, *system.parameters) if imposed else everything)
                if imposed:
                    raise MotionLawError(
                        f"{where} '{expression}' depends on {name!r}, {varying[name]}; an imposed motion may "
                        "depend on t and parameters only. Use a Torque for feedback"
                    )


def _check_shapes(system: System) -> None:
    """What is seen may depend on parameters too; a value that cannot be drawn is left out, it does not stop a motion."""
    seen = [(f"{body.label}: its ", shape) for body in system.bodies for shape in body.shapes]
    for owner, shape in (*seen, *(("scenery: ", shape) for shape in system.scenery)):
        for field, expression in shape.expressions(laws=False):
            _check_parameters(system, f"{owner}{shape.label}: {field}", expression)


def _check_conditions(system: System, everything: Iterable[str]) -> None:
    """A grip is told by time; whether a contact may collide, and how hard it pulls, may depend on the motion, not on inputs."""
    inputs = {symbol.name for symbol in system.layout.inputs}
    for contact, law in system.laws.items():
        told_by_time = law.grips
        for field, expression in law.expressions(laws=False):
            for name in sorted(expression.names - set(system.parameters) - set(law.OWN_NAMES.get(field, ()))):
                raise UnknownNameError(
                    f"contact {contact!r}: the {field} '{expression}' depends on {name!r}, which is no parameter: "
                    f"{suggestion(name, system.parameters)}"
                )
        law.check(system.parameters.values)
        law.check_answers(f"contact {contact!r}", system.parameters.values)
        _check_shares(system, contact, law)
        _check_coefficients(system, contact, law)
        answers = [("condition", law.condition), ("largest pull", as_quantity(law.largest_pull, "the largest pull"))]
        said = [(what, expression) for what, answer in answers for expression in expressions(answer)]
        for what, expression in (*said, *law.expressions(laws=True)):
            for name in sorted(expression.names - set(system.parameters) - {TIME}):
                where = f"contact {contact!r}: the {what} '{expression}' of its {type(law).__name__}"
                if name not in everything:
                    raise UnknownNameError(f"{where}: the name {name!r} is unknown: {suggestion(name, everything)}")
                if told_by_time or name in inputs:
                    allowed = "t and parameters" if told_by_time else "t, coordinates, velocities and parameters"
                    raise ParameterScopeError(f"{where} depends on {name!r}; it may depend on {allowed} only")


def _check_coefficients(system: System, contact: str, law: ContactLaw) -> None:
    """Coefficients of impacts that a law computes depend on parameters only, and on the approach in its `bounce`."""
    for expression in expressions(law.fixed_coefficients or ()):
        for name in sorted(expression.names - set(system.parameters)):
            raise ParameterScopeError(
                f"contact {contact!r}: the coefficient '{expression}' of its {type(law).__name__} depends on {name!r}; it may "
                "depend on parameters only"
            )


def _check_shares(system: System, contact: str, law: ContactLaw) -> None:
    """What a contact gets from others it gets from other contacts that push."""
    for name in law.others:
        others = [other for other, its in system.laws.items() if other != contact and its.pushes]
        if name not in others:
            raise UnknownNameError(
                f"contact {contact!r}: from_others names {name!r}, which is no other contact that only pushes: "
                f"{suggestion(name, others)}"
            )


def _varying(system: System) -> Mapping[str, str]:
    """Names that change during a motion, and what they are."""
    layout = system.layout
    return {
        TIME: "the time",
        **{symbol.name: "a coordinate" for symbol in layout.coordinates},
        **{symbol.name: "a velocity" for symbol in layout.velocities},
        **{symbol.name: "an input" for symbol in layout.inputs},
    }
