"""The planar symmetry of a vehicle on a free root: contacts on one plane that keep its height and tilt whatever its shape.

Such a vehicle may be moved along the plane and turned about its normal, and nothing changes: SE(2), though its root is SE(3).
The same system on a `Planar` root has the same velocities along the plane, so that its connection is the one asked for.
"""

import numpy as np

from locomotor.errors import LocomotorError
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import Fixed, Frame, Free, Planar, Plane, System, evaluate
from locomotor.names import WORLD
from locomotor.typing import Floats

SAMPLES = 4
RANK = 1e-9
STAYS = 1e-9
"""Velocity along the normal, or turning about the plane, per unit of any motion that the contacts allow."""
ALIGNED = 1e-12


def on_plane(system: System) -> System | None:
    """The system on a `Planar` root, if its free one only moves along a plane; else None.

    The root keeps its name, x is forward along the plane and z along its normal. Where the body is tilted at its nominal pose,
    it hangs on a frame without mass that is not.
    """
    root = system.joints[0]
    normal = _normal(system) if isinstance(root, Free) else None
    if normal is None or not _stays(system, normal):
        return None
    pose = _poses(system, system.nominal_pose())
    axes = _axes(normal, pose[0])
    level = bool(np.abs(axes - pose[0]).max() <= ALIGNED)
    carrier = root.child if level else f"{root.child}_on_plane"
    place = {"at": tuple(pose[1].tolist()), "rotation": tuple(map(tuple, axes.tolist()))}
    joints = [Planar(name=root.name, parent=root.parent, child=carrier, **place)]  # type: ignore[arg-type]
    frames: list[Frame] = []
    if not level:
        tilt = tuple(map(tuple, (axes.T @ pose[0]).tolist()))
        frames.append(Frame(carrier))
        joints.append(Fixed(name=f"{root.name}_tilt", parent=carrier, child=root.child, rotation=tilt))  # type: ignore[arg-type]
    own = {symbol.name for symbol in system.layout.coordinates[system.layout.q[root.name]]} | {"yaw", "roll", "pitch"}
    lost = {symbol.name for symbol in system.layout.velocities[system.layout.v[root.name]]}
    independent = None if system.independent is None else tuple(n for n in system.independent if n not in lost)
    try:
        return system.replace(
            bodies=(*frames, *system.bodies),
            joints=(*joints, *system.joints[1:]),
            nominal=tuple(pair for pair in system.nominal if pair[0] not in own),
            independent=independent or None,
        )
    except LocomotorError:  # something else names a coordinate that a planar root has not
        return None


def _normal(system: System) -> Floats | None:
    """The normal of the one plane that all contacts touch."""
    normals = []
    for contact in system.contacts:
        ground = system.ground(contact.ground)
        if not isinstance(ground, Plane) or ground.body != WORLD:
            return None
        normals.append(np.asarray(evaluate(ground.normal, system.parameters.values), dtype=float))
    if not normals or any(np.abs(normal - normals[0]).max() > ALIGNED for normal in normals):
        return None
    return np.asarray(normals[0])


def _stays(system: System, normal: Floats) -> bool:
    """Whether the constraints keep height and tilt of the root in any motion, at several shapes."""
    layout, root = system.layout, system.joints[0]
    generator = np.random.default_rng(8)
    own = layout.v[root.name]
    single = [layout.q[joint.name].start for joint in system.joints[1:] if joint.nq == joint.nv == 1]
    for sample in range(SAMPLES):
        q = system.nominal_pose()
        q[single] += generator.uniform(-0.4, 0.4, len(single)) if sample else 0.0
        kinematics = forward(Instant(system, q, np.zeros(layout.nv), parameters=dict(system.parameters.values)))
        rows = np.asarray(constraint_set(kinematics).matrix, dtype=float)
        _, sizes, right = np.linalg.svd(rows)
        allowed = right[int((sizes > RANK * sizes[0]).sum()) :].T[own]
        up = np.asarray(kinematics.poses[0].rotation, dtype=float).T @ normal
        rising, tilting = up @ allowed[:3], (np.eye(3) - np.outer(up, up)) @ allowed[3:]
        if max(np.abs(rising).max(initial=0.0), np.abs(tilting).max(initial=0.0)) > STAYS:
            return False
    return True


def _poses(system: System, q: Floats) -> tuple[Floats, Floats]:
    kinematics = forward(Instant(system, q, np.zeros(system.layout.nv), parameters=dict(system.parameters.values)))
    pose = kinematics.poses[0]
    return np.asarray(pose.rotation, dtype=float), np.asarray(pose.translation, dtype=float)


def _axes(normal: Floats, rotation: Floats) -> Floats:
    """Axes with z along the normal and x along the plane, where the body's own x (or else y) points."""
    for k in (0, 1):
        forwards = rotation[:, k] - normal * (normal @ rotation[:, k])
        if np.linalg.norm(forwards) > 0.1:
            x = forwards / np.linalg.norm(forwards)
            break
    return np.column_stack([x, np.cross(normal, x), normal])
