"""What each expression of a system may depend on: parameters, t, coordinates and velocities, where they are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from locomotor.errors import (
    DuplicateNameError,
    MotionLawError,
    ParameterScopeError,
    UnknownNameError,
)
from locomotor.model.constraint import Coupling, VelocityConstraint
from locomotor.model.contacts import ContactLaw
from locomotor.model.description import Description
from locomotor.model.drive import Motion
from locomotor.model.expressions import Expression, as_quantity, expressions
from locomotor.names import TIME, suggestion

if TYPE_CHECKING:
    from locomotor.model.system import System


def descriptions(system: System) -> Iterator[Description]:
    """Everything that a system is made of and that has fields."""
    yield from (*system.bodies, *system.joints, *system.grounds, *system.contacts, *system.forces)
    yield from (*system.constraints, *system.loops)


def check_scopes(system: System) -> None:
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
    for description in descriptions(system):
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
            if field in description.OUTER:
                _check_outer(system, description, field, expression, varying)


def _check_outer(
    system: System, description: Description, field: str, expression: Expression, varying: Mapping[str, str]
) -> None:
    """A law from outside, such as a wind: of time, inputs, parameters and names of its own."""
    own = description.OWN_NAMES.get(field, ())
    allowed = {TIME, *system.parameters, *own, *(symbol.name for symbol in system.layout.inputs)}
    for name in sorted(expression.names - allowed):
        among = ", ".join((*own, TIME))
        raise ParameterScopeError(
            f"{description.label}: {field} '{expression}' depends on {name!r}, {varying[name]}; it may depend on {among}, "
            "parameters and inputs"
        )


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


def check_constraints(system: System) -> None:
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
