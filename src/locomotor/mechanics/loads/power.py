"""Power of everything that changes the energy: d(T + U)/dt is the sum over drives, imposed motions, forces without a
potential and constraints that move, lambda^T b. Ideal contacts with fixed grounds have none.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.loads.energy import answers, stored, storing
from locomotor.mechanics.loads.forces import Applied, act, damp
from locomotor.mechanics.tree import Kinematics, flexibility
from locomotor.model import Joint, System, Torque, VelocityConstraint, evaluate
from locomotor.model.expressions import free_names
from locomotor.model.forces import Force, Load
from locomotor.names import TIME


def working_forces(system: System) -> tuple[Force, ...]:
    """Forces whose work is not, or not all, in the potential energy."""
    pushing = (force for force in system.forces if force.PUSHES)
    return tuple(force for force in pushing if not answers(stored, force) or answers(storing, force))


def moving_constraints(system: System) -> tuple[str, ...]:
    """Names of the constraints and loops with a right-hand side b: their forces do work, lambda^T b."""
    found = [c.name for c in system.constraints if isinstance(c, VelocityConstraint) and c.moves]
    return (*found, *(name for closure in system.loops if TIME in free_names(closure.laws) for name in closure.row_names))


def driven_joints(system: System) -> tuple[Joint, ...]:
    """Joints on which the law of a drive acts."""
    return tuple(j for j in system.joints if isinstance(j.drive, Torque) and not j.drive.is_zero and j.nv == 1)


def force_power(force: Force, kinematics: Kinematics, loads: Mapping[str, Load] | None = None) -> Any:
    """Wrenches times twists plus efforts times rates of one force, alone, less what becomes potential energy."""
    v = kinematics.instant.v
    alone = Applied(kinematics, generalised=[0.0] * kinematics.instant.system.layout.nv, loads=loads or {})
    act(force, alone)
    total: Any = storing(force, kinematics)
    for i, wrench in alone.wrenches.items():
        total = total + ops.dot(wrench, ops.concat(kinematics.velocity[i], kinematics.omega[i]))
    for i, effort in enumerate(alone.generalised):
        if not ops.is_zero(effort):
            total = total + effort * v[i]
    return total


def damped_bodies(system: System) -> tuple[str, ...]:
    """Soft bodies whose own motion is damped."""
    found = []
    for body in system.bodies:
        soft = flexibility(body) if body.coordinates else None
        n = np.zeros(len(body.coordinates))
        if soft is not None and soft.damping(n, n, system.parameters.values) is not None:
            found.append(body.name)
    return tuple(found)


def damping_power(body: str, kinematics: Kinematics) -> Any:
    """Power of what damps the own motion of a soft body."""
    v = kinematics.instant.v
    alone = Applied(kinematics, generalised=[0.0] * kinematics.instant.system.layout.nv)
    damp(kinematics.index(body), alone)
    return sum(effort * v[i] for i, effort in enumerate(alone.generalised) if not ops.is_zero(effort))


def drive_power(joint: Joint, kinematics: Kinematics) -> Any:
    """Effort of the drive times the rate of its joint."""
    instant = kinematics.instant
    assert isinstance(joint.drive, Torque)
    return evaluate(joint.drive.law, instant.names) * instant.v[instant.system.layout.v[joint.name].start]
