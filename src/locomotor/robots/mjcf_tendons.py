"""Tendons of MuJoCo: sums of joints, and straight lines between points of two bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor.robots.parts import Cord, Robot, Tendon
from locomotor.typing import Floats

SUMMED, SITE = 1, 3
"""Kinds of the parts of a tendon that are read: joints of a sum, and sites of a path."""
SLIDE, HINGE = 2, 3


def read_tendons(m: Any, robot: Robot, joints: dict[int, str], bodies: dict[int, str], origins: dict[int, Floats]) -> None:
    """Tendons that are sums of joints of one degree of freedom, or paths that change their length in one straight piece."""
    for i in range(m.ntendon):
        name, shares = m.tendon(i).name or f"tendon_{i}", tendon_shares(m, i, joints)
        low, high = map(float, m.tendon_lengthspring[i])
        if shares is None:
            _read_path(m, i, name, robot, bodies, origins)
        else:
            tendon = Tendon(name, shares, float(m.tendon_stiffness[i]), (low, high), float(m.tendon_damping[i]))
            if m.tendon_limited[i]:
                tendon.limits = (float(m.tendon_range[i, 0]), float(m.tendon_range[i, 1]))
            robot.tendons.append(tendon)
        _tell(m, i, name, robot)


def tendon_shares(m: Any, i: int, joints: dict[int, str]) -> dict[str, float] | None:
    """Joints of a tendon that is a sum of their coordinates, with coefficients; None of one along a path."""
    places = _places(m, i)
    if any(m.wrap_type[k] != SUMMED or m.jnt_type[m.wrap_objid[k]] not in (SLIDE, HINGE) for k in places):
        return None
    found: dict[str, float] = {}
    for k in places:
        name = joints[int(m.wrap_objid[k])]
        found[name] = found.get(name, 0.0) + float(m.wrap_prm[k])
    return found


def _places(m: Any, i: int) -> range:
    return range(int(m.tendon_adr[i]), int(m.tendon_adr[i]) + int(m.tendon_num[i]))


# --- along paths --------------------------------------------------------------------------------------------------------


def _read_path(m: Any, i: int, name: str, robot: Robot, bodies: dict[int, str], origins: dict[int, Floats]) -> None:
    """The spring and the damper of a path as those between two points; what else it does is told."""
    stiffness, damping = float(m.tendon_stiffness[i]), float(m.tendon_damping[i])
    ends = _moving_piece(m, i)
    if isinstance(ends, str):
        robot.notes.add("ignored", "<tendon>", ends, name)
        return
    a, b, rigid = ends
    low, high = (float(length) - rigid for length in m.tendon_lengthspring[i])
    if stiffness and low != high:
        text = "it is slack over a range, which no spring between points is here"
        robot.notes.add("ignored", "the spring of a tendon", text, name)
        stiffness = 0.0
    if stiffness and low < 0.0:
        text = "the pieces of its path that keep their length are longer than it is at rest"
        robot.notes.add("ignored", "the spring of a tendon", text, name)
        stiffness = 0.0
    if m.tendon_limited[i]:
        robot.notes.add("ignored", "limits", "of tendons those are read that are sums of joints", name)
    at = [(int(m.site_bodyid[s]), np.array(m.site_pos[s])) for s in (a, b)]
    (one, at_a), (two, at_b) = ((bodies[body], point - origins[body]) for body, point in at)
    robot.cords.append(Cord(name, one, at_a, two, at_b, stiffness, low, damping))


def _moving_piece(m: Any, i: int) -> tuple[int, int, float] | str:
    """Sites of the one piece of a path that changes its length, and the length (m) of all others; or why there is none."""
    places = _places(m, i)
    if any(m.wrap_type[k] != SITE for k in places):
        return "its path goes over pulleys or around geoms, or joins joints of several degrees of freedom"
    sites = [int(m.wrap_objid[k]) for k in places]
    groups = [int(m.body_weldid[m.site_bodyid[s]]) for s in sites]
    pieces = [k for k in range(len(sites) - 1) if groups[k] != groups[k + 1]]
    if len(pieces) != 1:
        return "several pieces of its path change their lengths" if pieces else "it joins points that keep their distance"
    points = _points(m)[sites]
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    (k,) = pieces
    return sites[k], sites[k + 1], float(np.delete(lengths, k).sum())


def _points(m: Any) -> Floats:
    """Sites in the pose of the file."""
    import mujoco

    data = mujoco.MjData(m)
    mujoco.mj_kinematics(m, data)
    return np.array(data.site_xpos)


def _tell(m: Any, i: int, name: str, robot: Robot) -> None:
    notes = robot.notes
    if m.tendon_frictionloss[i] or m.tendon_armature[i]:
        notes.add("ignored", "dry friction and armature of a tendon", "those of joints are read", name)
    if np.any(m.tendon_stiffnesspoly[i]) or np.any(m.tendon_dampingpoly[i]):
        notes.add("ignored", "stiffness and damping by polynomials", "only their linear part is read", name)
    if m.tendon_springyield[i]:
        notes.add("ignored", "springs that yield", "springs are elastic here", name)
    if m.tendon_actfrclimited[i]:
        notes.add("ignored", "the range of all actuators of a tendon", "each keeps its own", name)
