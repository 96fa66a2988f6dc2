"""Tendons of MuJoCo: sums of joints, and straight lines between points of two bodies."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.robots.parts import Cord, Robot, Tendon
from locomotor.typing import Floats

SUMMED, SITE = 1, 3
"""Kinds of the parts of a tendon that are read: joints of a sum, and sites of a path."""
SLIDE, HINGE = 2, 3


@dataclass(frozen=True, eq=False)
class Piece:
    """The one piece of a path that changes its length: between points of two bodies, and the length (m) of all the others."""

    body_a: str
    at_a: Floats
    body_b: str
    at_b: Floats
    rigid: float


@dataclass(eq=False)
class Tendons:
    """Reads the tendons of a compiled model."""

    model: Any
    robot: Robot
    joints: dict[int, str]
    bodies: dict[int, str]
    origins: dict[int, Floats]
    tied: set[int] = field(default_factory=set)
    """Those that equalities speak of, which have told what of their paths is not read."""

    def read(self) -> None:
        """Springs, dampers and limits of sums of joints of one degree of freedom, and of paths with one piece that moves."""
        m = self.model
        for i in range(m.ntendon):
            name, shares = self.name(i), self.shares(i)
            low, high = map(float, m.tendon_lengthspring[i])
            if shares is None:
                self._read_path(i, name)
            else:
                tendon = Tendon(name, shares, float(m.tendon_stiffness[i]), (low, high), float(m.tendon_damping[i]))
                if m.tendon_limited[i]:
                    tendon.limits = (float(m.tendon_range[i, 0]), float(m.tendon_range[i, 1]))
                self.robot.tendons.append(tendon)
            _tell(m, i, name, self.robot)

    def name(self, i: int) -> str:
        """Its name, or one that is made up."""
        return self.model.tendon(i).name or f"tendon_{i}"

    def shares(self, i: int) -> dict[str, float] | None:
        """Joints of a tendon that is a sum of their coordinates, with coefficients; None of one along a path."""
        return tendon_shares(self.model, i, self.joints)

    def _read_path(self, i: int, name: str) -> None:
        """The spring and the damper of a path as those between two points; what else it does is told."""
        m, notes = self.model, self.robot.notes
        stiffness, damping = float(m.tendon_stiffness[i]), float(m.tendon_damping[i])
        piece = self.piece(i)
        if isinstance(piece, str):
            if i not in self.tied or stiffness or damping or m.tendon_limited[i]:
                notes.add("ignored", "<tendon>", piece, name)
            return
        low, high = (float(length) - piece.rigid for length in m.tendon_lengthspring[i])
        if stiffness and low != high:
            text = "it is slack over a range, which no spring between points is here"
            notes.add("ignored", "the spring of a tendon", text, name)
            stiffness = 0.0
        if stiffness and low < 0.0:
            text = "the pieces of its path that keep their length are longer than it is at rest"
            notes.add("ignored", "the spring of a tendon", text, name)
            stiffness = 0.0
        cord = Cord(name, piece.body_a, piece.at_a, piece.body_b, piece.at_b, stiffness, low, damping)
        if m.tendon_limited[i]:
            least, most = (float(length) - piece.rigid for length in m.tendon_range[i])
            if least > 0.0:
                notes.add("ignored", "the shortest length of a tendon", "a cable here only pulls", name)
            if most > 0.0:
                cord.longest = most
            else:
                text = "the pieces of its path that keep their length are longer than it may be"
                notes.add("ignored", "the longest length of a tendon", text, name)
        self.robot.cords.append(cord)

    def piece(self, i: int) -> Piece | str:
        """What of a path changes its length, where that is one straight piece; or why there is none."""
        m, places = self.model, _places(self.model, i)
        if any(m.wrap_type[k] != SITE for k in places):
            return "its path goes over pulleys or around geoms, or joins joints of several degrees of freedom"
        sites = [int(m.wrap_objid[k]) for k in places]
        groups = [int(m.body_weldid[m.site_bodyid[s]]) for s in sites]
        pieces = [k for k in range(len(sites) - 1) if groups[k] != groups[k + 1]]
        if len(pieces) != 1:
            return "several pieces of its path change their lengths" if pieces else "it joins points that keep their distance"
        lengths = np.linalg.norm(np.diff(self._points[sites], axis=0), axis=1)
        (k,) = pieces
        at = [(int(m.site_bodyid[s]), np.array(m.site_pos[s])) for s in sites[k : k + 2]]
        (a, at_a), (b, at_b) = ((self.bodies[body], point - self.origins[body]) for body, point in at)
        return Piece(a, at_a, b, at_b, float(np.delete(lengths, k).sum()))

    @cached_property
    def _points(self) -> Floats:
        """Sites in the pose of the file."""
        import mujoco

        data = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, data)
        return np.array(data.site_xpos)


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
