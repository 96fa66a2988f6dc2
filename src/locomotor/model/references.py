"""What is named exists, and suits what names it: bodies, joints, grounds and fluids of contacts, forces and closures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locomotor.errors import (
    AirError,
    ContactKindError,
    ContactLawError,
    ParameterScopeError,
    RestrictedForceError,
    UnknownBodyError,
    UnknownGroundError,
    UnknownJointError,
)
from locomotor.model.contacts import EVERY_DIRECTION, NORMAL, Contact, Plane, RoundGround, Support, Terrain
from locomotor.model.expressions import expressions
from locomotor.model.forces import Air, Force
from locomotor.model.loops import Closure
from locomotor.names import TIME, WORLD, suggestion

if TYPE_CHECKING:
    from locomotor.model.system import System


def check_references(system: System) -> None:
    """Refuse a ground, a contact, a force or a closure that names what is not there, or what does not suit it."""
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
    if isinstance(ground, RoundGround):
        ground._check_fit(contact.label, getattr(contact, "radius", 0.0), system.parameters.values)
    if not isinstance(ground, Terrain):
        return
    if contact.of_solid:
        raise ContactKindError(
            f"{contact.label}: its ground {contact.ground!r} is a Terrain, whose edges and corners may come between this "
            f"contact and the others of its set without touching any; declare the body as one {contact.of_solid}(...), or "
            "its points and spheres one by one if nothing but these shall touch"
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
    pins = {pin: joint for joint in system.joints for pin in joint.pins}
    for field in force.JOINTS:
        name = getattr(force, field)
        if name in pins:
            continue
        if name not in joints:
            raise UnknownJointError(
                f"{force.label}: its {field} {name!r} is no joint of the system: {suggestion(name, [*joints, *pins])}"
            )
        if joints[name].nv != 1 and not isinstance(joints[name], force.ALSO_ON):
            remedy = "Use a BodyForce or BodyTorque, or joints of one degree of freedom"
            if joints[name].pins:
                remedy = f"Name one of its pins, {' or '.join(repr(pin) for pin in joints[name].pins)}"
            raise RestrictedForceError(
                f"{force.label}: {joints[name].label} has {joints[name].nv} degrees of freedom; a joint force needs one. "
                f"{remedy}"
            )
    force.check_joints(joints | pins)


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
