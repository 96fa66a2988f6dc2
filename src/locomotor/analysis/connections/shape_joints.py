"""Which joints are the shape, and which kind of connection moves the base by them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from locomotor.checks import entries, shown
from locomotor.errors import DescriptionTypeError, NoConnectionError, QuantityError, RestrictedDriveError
from locomotor.mechanics import choose_reduction, sample_poses
from locomotor.mechanics.loads import actuated_joints
from locomotor.model import AddedMass, Fixed, FluidDrag, Gravity, Motion, System, VelocityConstraint, parse
from locomotor.model.expressions import free_names
from locomotor.names import TIME
from locomotor.tracing.readings import ShapeFunctions

INNER = 1e-12
"""What a constraint may ask of the base, by round-off, and still be one among the joints."""
KINDS = ("kinematic", "mechanical", "hydrodynamic", "stokes", "mixed")


def active_joints(system: System, joints: Sequence[str] | None, verb: str) -> list[str]:
    """Names of the active joints, checked: by default all that are imposed or have an input."""
    if not isinstance(system, System):
        raise DescriptionTypeError(f"{verb} needs a System, got {shown(system)}; take one from lm.catalogue, or build one")
    base = system.joints[0]
    if isinstance(base.drive, Motion):
        raise NoConnectionError(
            f"{system.name}: the motion of its base {base.name!r} is imposed; {verb} asks how a shape moves a base that is not"
        )
    if joints is None:
        return [joint.name for joint in actuated_joints(system)]
    if isinstance(joints, str) or not isinstance(joints, Iterable):
        raise QuantityError(f"joints is {shown(joints)}; give a list of names, such as joints=({shown(joints)},)")
    names = list(entries(joints, "joints", "give a list of names", QuantityError))
    for name in names:
        if not isinstance(name, str):
            raise QuantityError(f"joints holds {shown(name)}; give names of joints")
        if system.joint(name) is base:
            raise NoConnectionError(f"{system.name}: {name!r} is its base, which the shape moves; name joints of the shape")
        if system.joint(name).nv != 1:
            raise RestrictedDriveError(
                f"{system.name}: joint {name!r} has {system.joint(name).nv} degrees of freedom; an active one has 1"
            )
    if len(set(names)) != len(names):
        raise QuantityError(f"joints names one twice: {', '.join(names)}")
    return names


def shape_functions(system: System, joints: Sequence[str] | None = None) -> ShapeFunctions:
    """Functions of the shape, with the active joints imposed; those named come first, in their order."""
    active = active_joints(system, joints, "connection")
    if isinstance(system.joints[0], Fixed):
        raise NoConnectionError(f"{system.name}: the base is fixed; a connection needs a base that can move")
    if not active:
        raise NoConnectionError(f"{system.name}: no joint is imposed or has an input; name the active joints with joints=(...)")
    driven = system.with_motions({name: _hold(system, name) for name in active})
    imposed = [joint.name for joint in driven.imposed]
    order = [*active, *(name for name in imposed if name not in active)]
    return ShapeFunctions(driven, choose_reduction(driven), tuple(imposed.index(name) for name in order))


def _hold(system: System, joint: str) -> Any:
    """A law that keeps the joint at its nominal value: only the fact that it is imposed matters here."""
    return parse(repr(float(system.nominal_pose()[system.layout.q[joint].start])))


def connection_kind(functions: ShapeFunctions, wanted: str | None) -> tuple[str, str]:
    """Kind of the connection and the reason in words; an error where there is none, or not the one wanted."""
    wanted = "stokes" if wanted == "viscous" else wanted
    if wanted is not None and wanted not in KINDS:
        raise NoConnectionError(f"kind is {wanted!r}; it may be {', '.join(repr(kind) for kind in KINDS)}, or be left out")
    found, reason = _kind(functions, wanted)
    if wanted is not None and found != wanted:
        raise NoConnectionError(
            f"{functions.system.name}: there is no {wanted} connection, for {reason}; its connection is {found}"
        )
    return found, reason


def _kind(functions: ShapeFunctions, wanted: str | None) -> tuple[str, str]:
    system, reduction = functions.system, functions.reduction
    for row in system.constraints:
        if isinstance(row, VelocityConstraint) and (row.moves or TIME in free_names(row.laws)):
            raise NoConnectionError(
                f"{system.name}: the constraint {row.name!r} {'moves' if row.moves else 'depends on time'}, so that the base "
                "moves while the shape rests; use simulate(system, duration, motions=gait)"
            )
    soft = [body.name for body in system.bodies if body.coordinates]
    outside = [f.name for f in system.forces if not isinstance(f, AddedMass | Gravity | FluidDrag)]
    if system.holds:
        if not reduction.free:
            return "kinematic", "the constraints determine the base from the rates of the active joints"
        if soft or outside or not _is_inner(functions):
            return "mixed", _left_free(functions)
    passive = [joint.name for joint in system.joints[1:] if joint.nv and joint not in system.imposed]
    if passive and not system.holds:
        raise NoConnectionError(
            f"{system.name}: the joints {', '.join(passive)} are passive, so that momentum does not determine them; impose "
            "them, or give constraints that carry them along"
        )
    if soft:
        return "mixed", f"{', '.join(soft)} bend{'s' if len(soft) == 1 else ''}: {_left_free(functions)}"
    drags = [force for force in system.forces if isinstance(force, FluidDrag)]
    if wanted == "stokes" or (drags and wanted is None):
        if not drags:
            raise NoConnectionError(f"{system.name}: no FluidDrag acts, so there is no Stokes connection")
        return "stokes", "inertia is negligible and the drags of a viscous fluid are in balance"
    if outside:
        raise NoConnectionError(f"{system.name}: the forces {', '.join(outside)} change the momentum of the base")
    falls = any(isinstance(force, Gravity) for force in system.forces)
    if any(isinstance(force, AddedMass) for force in system.forces):
        return "hydrodynamic", "the momentum of body and ideal fluid stays zero" + (", gravity apart" if falls else "")
    if falls:
        return "mechanical", "only gravity acts: seen from a frame that falls freely, the momentum stays zero"
    return "mechanical", "no outside force acts, and the momentum stays zero"


def _left_free(functions: ShapeFunctions) -> str:
    """What a mixed connection leaves to its momentum, in words."""
    names = functions.reduction.names
    holder = "the constraints leave" if functions.system.holds else "there are"
    return (
        f"{holder} {len(names)} free velocit{'y' if len(names) == 1 else 'ies'} ({', '.join(names)}): the base "
        "follows the shape and a momentum"
    )


def _is_inner(functions: ShapeFunctions) -> bool:
    """Whether the constraints are among the joints alone and leave nothing free but the base, whose momentum stays."""
    reduction, base = functions.reduction, functions.base
    if tuple(reduction.free) != tuple(range(base.start, base.stop)):
        return False
    constraints = functions.constraints()
    poses = sample_poses(functions.system, None, reduction.imposed)
    return all(float(np.abs(constraints(pose)[0][:, base]).max(initial=0.0)) <= INNER for pose in poses)
