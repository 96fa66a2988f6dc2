"""Frames of an SDF model: every link, joint and frame has a pose, told relative to another one of them."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.names import suggestion
from locomotor.robots.parts import WORLD
from locomotor.robots.rotations import from_quaternion, from_rpy
from locomotor.robots.xml_tree import Element
from locomotor.typing import Floats

MODEL = "__model__"
Pose = tuple[Floats, Floats]
"""Rotation and position."""


def then(one: Pose, other: Pose) -> Pose:
    """The pose of a frame whose pose is told in another frame."""
    return one[0] @ other[0], one[1] + one[0] @ other[1]


def back(pose: Pose) -> Pose:
    """Inverse of a pose."""
    return pose[0].T, -pose[0].T @ pose[1]


def read_pose(element: Element) -> tuple[Pose, str]:
    """The <pose> of an element, and the frame that it is told in, "" where it does not say."""
    found = element.child("pose")
    if found is None:
        return (np.eye(3), np.zeros(3)), ""
    inside = found.word("relative_to", "") or found.word("frame", "")
    if found.word("rotation_format", "euler_rpy") == "quat_xyzw":
        values = found.values(7, (0.0,) * 6 + (1.0,))
        if not np.any(values[3:]):
            found.wrong("its quaternion is zero; write 0 0 0 1 for no rotation")
        R = from_quaternion(np.array([values[6], *values[3:6]]))
    else:
        values = found.values(6, (0.0,) * 6)
        turn = np.deg2rad(values[3:]) if found.word("degrees", "false") in ("true", "1") else values[3:]
        found.turned = float(np.abs(turn).max())
        R = from_rpy(turn)
    return (R, values[:3]), inside


@dataclass(eq=False)
class Frames:
    """The frames of a model by name; each is worked out when it is first asked for."""

    model: Element
    told: dict[str, tuple[Element, Pose, str]] = field(default_factory=dict)
    """Element, pose, and the frame that the pose is told in."""
    known: dict[str, Pose] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def add(self, element: Element, usual: str) -> str:
        """Take in an element with a name and a pose; `usual` is what the pose is told in unless it says."""
        name = element.word("name")
        pose, inside = read_pose(element)
        if name in self.told or name in (MODEL, WORLD):
            element.wrong(f"the name {shown(name)} is taken twice; rename one of them")
        self.told[name] = (element, pose, inside or usual)
        return name

    def pose(self, name: str, asking: Element) -> Pose:
        """Pose of a frame in the world."""
        if name in self.known:
            return self.known[name]
        if name not in self.told:
            asking.wrong(f"no link, joint or frame is named {shown(name)}: {suggestion(name, [*self.told, MODEL, WORLD])}")
        element, pose, inside = self.told[name]
        if name in self.asked:
            element.wrong(f"its pose is told relative to itself, by way of {', '.join(sorted(self.asked))}; cut the circle")
        self.asked.add(name)
        found = then(self.pose(inside, element), pose)
        self.asked.discard(name)
        self.known[name] = found
        return found
