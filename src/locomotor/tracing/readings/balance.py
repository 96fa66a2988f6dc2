"""The equations of motion term by term, at a state: what each velocity's equation is made of, named after its cause.

The reduced equations are H_r^T M H_r v_r_dot = H_r^T (tau - M (H_m v_m_dot + k) - h), (R2) of docs/theory.md. The left side has
one term a velocity, the right side one for each force and drive, and one for what velocities and imposed motions alone cause.
A term of a force is the difference that it makes to the right side, which is linear in what is applied.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.model import Force, Joint, System, Torque
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem


@dataclass(frozen=True)
class Term:
    """One cause in the equations: its name, its kind (inertia, motion, force, drive or friction), and words for it."""

    name: str
    kind: str
    about: str


def balance(traced: TracedSystem) -> tuple[Traced, tuple[Term, ...]]:
    """Terms of the reduced equations, one row a term and one column an equation: left side first, then right side.

    Terms of the left side are named after the velocity whose rate they hold. In every column the left ones sum to the same
    as the right ones.
    """
    motion, free = traced.motion, traced.reduction.free
    n = len(free)
    mass, rates = motion.reduced_mass, motion.v_r_dot
    terms = [Term(name, "inertia", f"inertia times the rate of {name}") for name in traced.reduction.names]
    rows: list[Any] = [ops.vector(*(mass[i, j] * rates[j] for i in range(n))) for j in range(n)]
    causes = _causes(traced.system)
    bare = _right_side(motion, _with(traced.system, None))
    moving = "what velocities and imposed motions cause alone: centrifugal and Coriolis terms"
    terms.append(Term("motion", "motion", moving))
    rows.append(bare)
    for cause in causes:
        terms.append(Term(cause.name, "drive" if isinstance(cause, Joint) else "force", _words(cause)))
        rows.append(_right_side(motion, _with(traced.system, cause)) - bare)
    if motion.sliding is not None:
        terms.append(Term("friction", "friction", "friction of the contacts that slip"))
        rows.append(mass @ motion.sliding.acceleration)
    fields = tuple(Field(f"{term.name} in {name}") for term in terms for name in traced.reduction.names)
    port = Port("terms", fields, (len(terms), n))
    return traced.build("terms", [(port, ops.concat(*rows) if n else np.zeros(0))], "terms of the equations"), tuple(terms)


def _causes(system: System) -> list[Force | Joint]:
    """Forces and drives that act; added mass is inertia, and a fluid acts through wings."""
    forces: list[Force | Joint] = [force for force in system.forces if force.PUSHES]
    return forces + [joint for joint in system.joints if isinstance(joint.drive, Torque) and not joint.drive.is_zero]


def _with(system: System, cause: Force | Joint | None) -> System:
    """The system with one cause alone, or none; imposed motions, added mass and fluids stay."""
    joints = tuple(
        replace(joint, drive=Torque(0.0)) if isinstance(joint.drive, Torque) and joint is not cause else joint
        for joint in system.joints
    )
    return system.replace(joints=joints, forces=tuple(f for f in system.forces if f is cause or not f.PUSHES))


def _right_side(motion: ReducedMotion, system: System) -> Any:
    """H_r^T (tau - M (H_m v_m_dot + k) - h) of a system that moves as the given one."""
    reduction = replace(motion.reduction, system=system)
    other = ReducedMotion(reduction, motion.q, motion.v_r, motion.time, motion.inputs, motion.parameters)
    return -(motion.H_r.T @ other.bias)


def _words(cause: Force | Joint) -> str:
    if isinstance(cause, Joint):
        assert isinstance(cause.drive, Torque)
        return f"drive of joint {cause.name!r}: {cause.drive.law}"
    return f"{type(cause).__name__} {cause.name!r}"
