"""Rods as tendons of MJCF that are held at their length (`<equality><tendon>`), which counts from that in the file's pose."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from locomotor.model import Free, RodClosure, System, evaluate
from locomotor.model.expressions import known
from locomotor.names import WORLD
from locomotor.robots.mjcf_text import tag
from locomotor.robots.rotations import from_quaternion
from locomotor.typing import Floats


def rod_length(rod: RodClosure, values: Mapping[str, float]) -> float | None:
    """Its length (m); None where that depends on time, which no tendon says."""
    return known(rod.length, values)


def held_at(rod: RodClosure, length: float, tendon: str, system: System, values: Mapping[str, float]) -> str:
    """The equality that holds the tendon of a rod at its length."""
    poses = file_poses(system, values)
    ends = []
    for end in "ab":
        pose, at = poses[getattr(rod, f"body_{end}")], np.asarray(evaluate(getattr(rod, f"at_{end}"), values), dtype=float)
        ends.append(pose[:3, :3] @ at + pose[:3, 3])
    apart = float(np.linalg.norm(ends[1] - ends[0]))
    return tag("tendon", name=rod.name, tendon1=tendon, polycoef=(length - apart, 0.0, 0.0, 0.0, 0.0))


def file_poses(system: System, values: Mapping[str, float]) -> dict[str, Floats]:
    """Poses of all bodies as the file places them: joints at zero, free bodies in their nominal pose."""
    found: dict[str, Floats] = {WORLD: np.eye(4)}
    nominal = system.nominal_pose()
    waiting = list(system.roots)
    while waiting:
        i = waiting.pop()
        joint, pose = system.joints[i], np.asarray(system.joints[i].placement(values).as_matrix(), dtype=float)
        if isinstance(joint, Free):
            q = nominal[system.layout.q[joint.name]]
            pose = pose.copy()
            pose[:3, 3], pose[:3, :3] = q[:3], from_quaternion(q[3:])
        found[joint.child] = found[joint.parent] @ pose
        waiting += system.children[i]
    return found
