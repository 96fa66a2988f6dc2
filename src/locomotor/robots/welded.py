"""Links that are welded to each other: their masses as one, where one of them alone is no body, or where that is asked for."""

from __future__ import annotations

import numpy as np

from locomotor.model import judge_inertias, passes
from locomotor.robots.parts import WORLD, JointPart, Link, Robot
from locomotor.typing import Floats


def merge_welded(robot: Robot, everywhere: bool) -> None:
    """Give the masses of links that are welded together to the first of them, the others being frames.

    Without `everywhere` this is done only where one of them is impossible alone: no mass and still an inertia, or moments that
    no body has. Welded to the world they do not move, and an impossible one is a frame.
    """
    links = {link.name: link for link in robot.links}
    heads: dict[str, tuple[str, Floats, Floats]] = {WORLD: (WORLD, np.eye(3), np.zeros(3))}
    groups: dict[str, list[str]] = {}
    for joint in _outward(robot):
        if joint.kind == "Fixed":
            head, R, p = heads[joint.parent]
            heads[joint.child] = (head, R @ joint.rotation, p + R @ joint.at)
        else:
            heads[joint.child] = (joint.child, np.eye(3), np.zeros(3))
        groups.setdefault(heads[joint.child][0], []).append(joint.child)
    for head, names in groups.items():
        faulty = [name for name in names if not _possible(links[name])]
        if head == WORLD:
            for name in faulty:
                _tell(robot, name, "it is welded to the world, and a frame without mass")
                _empty(links[name])
        elif len(names) > 1 and (faulty or everywhere):
            _merge(links[head], [(links[name], *heads[name][1:]) for name in names])
            for name in faulty:
                _tell(robot, name, f"no body has its mass and inertia alone; they are part of {head!r}, to which it is welded")


def still(robot: Robot) -> set[str]:
    """Links that do not move: those that fixed joints alone hold to the world."""
    found = {WORLD}
    for joint in _outward(robot):
        if joint.kind == "Fixed" and joint.parent in found:
            found.add(joint.child)
    return found


def _tell(robot: Robot, name: str, text: str) -> None:
    robot.notes.add("changed", f"inertia of link {name!r}", text)


def _outward(robot: Robot) -> list[JointPart]:
    """Joints, each after the one that carries its parent."""
    found: list[JointPart] = []
    reached = {WORLD}
    waiting = list(robot.joints)
    while waiting:
        ready = [joint for joint in waiting if joint.parent in reached]
        if not ready:  # what hangs on nothing was refused before
            break
        found += ready
        reached |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint.child not in reached]
    return found


def _possible(link: Link) -> bool:
    if link.mass == 0.0:
        return not np.any(link.inertia)
    return link.mass > 0.0 and bool(passes(judge_inertias(link.inertia[None]))[0])


def _merge(head: Link, parts: list[tuple[Link, Floats, Floats]]) -> None:
    """Mass, centre and inertia of all of them, in the frame of the first."""
    mass = sum(link.mass for link, _, _ in parts)
    places = [(link, R, p + R @ link.com) for link, R, p in parts]
    centre = sum((link.mass * at for link, _, at in places), np.zeros(3)) / mass if mass else np.zeros(3)
    total = np.zeros((3, 3))
    for link, R, at in places:
        d = at - centre
        total += R @ link.inertia @ R.T + link.mass * (d @ d * np.eye(3) - np.outer(d, d))
    for link, _, _ in parts:
        _empty(link)
    head.mass, head.com, head.inertia = mass, centre, total


def _empty(link: Link) -> None:
    link.mass, link.com, link.inertia = 0.0, np.zeros(3), np.zeros((3, 3))
